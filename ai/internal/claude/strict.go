package claude

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// StrictRefused reports that the vendor can not sample by so many or so large
// strict tools.
func StrictRefused(e *ai.APIError) bool {
	if e.Status != 400 {
		return false
	}
	text := strings.ToLower(e.Message + " " + e.Body)
	grammar := strings.Contains(text, "grammar") && (strings.Contains(text, "too large") || strings.Contains(text, "too complex"))
	many := strings.Contains(text, "too many strict tools") || strings.Contains(text, "too many") && strings.Contains(text, "strict")
	unions := strings.Contains(text, "too many") && strings.Contains(text, "union")
	return grammar || many || unions
}

// Samplable reports the keyword of a strict schema that this vendor can not
// sample by.
func Samplable(schema json.RawMessage) error {
	var v any
	if err := json.Unmarshal(schema, &v); err != nil {
		return err
	}
	return samplableValue(v, false)
}

// samplableValue looks through a schema; names says that the keys of the object
// are property names and not keywords.
func samplableValue(v any, names bool) error {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if err := samplableValue(e, false); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			value := v[key]
			if !names && !samplableKeyword(key, value) {
				return fmt.Errorf("the vendor can not sample by the keyword %q", key)
			}
			if !names && (key == "enum" || key == "const" || key == "default" || key == "examples" || key == "required") {
				continue // values, not schemas
			}
			if err := samplableValue(value, !names && key == "properties"); err != nil {
				return err
			}
		}
	}
	return nil
}

func samplableKeyword(key string, value any) bool {
	switch key {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "maxItems", "uniqueItems",
		"minContains", "maxContains", "minProperties", "maxProperties":
		return false
	case "minItems":
		n, ok := value.(float64)
		return ok && n <= 1
	case "format":
		switch value {
		case "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid":
			return true
		}
		return false
	}
	return true
}
