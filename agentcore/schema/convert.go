package schema

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/pi-go/pi/ai/jsonobj"
)

// convert gives a copy of v in which values of a wrong type became the type
// that the schema wants, where there is one obvious way. What fits already and
// what can not be converted stays as it is; validation decides afterwards.
func convert(s *jsonschema.Schema, v any) any { return converter{}.value(s, v) }

// maxDepth stops schemas that refer to themselves without consuming any of
// the value.
const maxDepth = 64

type converter struct{ depth int }

func (c converter) value(s *jsonschema.Schema, v any) any {
	if c.depth++; s == nil || c.depth > maxDepth {
		return v
	}
	if s.Ref != nil {
		v = c.value(s.Ref, v)
	}
	if len(s.Types) > 0 && !hasType(s.Types, v) {
		v = toAnyType(s.Types, v)
	}
	switch w := v.(type) {
	case map[string]any:
		v = c.object(s, w)
	case []any:
		v = c.array(s, w)
	}
	for _, part := range s.AllOf {
		v = c.value(part, v)
	}
	v = c.union(s.AnyOf, v)
	return c.union(s.OneOf, v)
}

// union takes the first branch that the value fits, or fits when converted.
func (c converter) union(branches []*jsonschema.Schema, v any) any {
	if slices.ContainsFunc(branches, func(b *jsonschema.Schema) bool { return validate(b, v) == nil }) {
		return v
	}
	for _, b := range branches {
		if w := c.value(b, v); validate(b, w) == nil {
			return w
		}
	}
	return v
}

func (c converter) object(s *jsonschema.Schema, in map[string]any) any {
	out := make(map[string]any, len(in))
	for name, v := range in {
		p := s.Properties[name]
		if p == nil {
			p, _ = s.AdditionalProperties.(*jsonschema.Schema)
		} else if v == nil && !slices.Contains(s.Required, name) && validate(p, nil) != nil {
			continue // the model's way to leave it out
		}
		out[name] = c.value(p, v)
	}
	return out
}

func (c converter) array(s *jsonschema.Schema, in []any) any {
	out := make([]any, len(in))
	for i, v := range in {
		out[i] = c.value(itemSchema(s, i), v)
	}
	return out
}

// itemSchema finds what an element must fit, in the notation of any draft.
func itemSchema(s *jsonschema.Schema, i int) *jsonschema.Schema {
	if i < len(s.PrefixItems) {
		return s.PrefixItems[i]
	}
	if s.Items2020 != nil {
		return s.Items2020
	}
	switch items := s.Items.(type) {
	case *jsonschema.Schema:
		return items
	case []*jsonschema.Schema:
		if i < len(items) {
			return items[i]
		}
		rest, _ := s.AdditionalItems.(*jsonschema.Schema)
		return rest
	}
	return nil
}

func hasType(types []string, v any) bool {
	kind := typeOf(v)
	return slices.Contains(types, kind) ||
		kind == "number" && slices.Contains(types, "integer") && isInteger(v.(json.Number))
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func isInteger(n json.Number) bool {
	r, ok := new(big.Rat).SetString(string(n))
	return ok && r.IsInt()
}

// toAnyType converts to the first of the types that can be reached.
func toAnyType(types []string, v any) any {
	for _, t := range types {
		if w, ok := toType(t, v); ok {
			return w
		}
	}
	return v
}

func toType(want string, v any) (any, bool) {
	switch want {
	case "number":
		return toNumber(v)
	case "integer":
		n, ok := toNumber(v)
		if !ok {
			return nil, false
		}
		return truncate(n)
	case "boolean":
		return toBool(v)
	case "string":
		switch v := v.(type) {
		case json.Number:
			return string(v), true
		case bool:
			return strconv.FormatBool(v), true
		case nil:
			return "null", true
		}
	case "array":
		if v != nil {
			return []any{v}, true
		}
	}
	return nil, false
}

func toNumber(v any) (json.Number, bool) {
	switch v := v.(type) {
	case json.Number:
		return v, true
	case bool:
		if v {
			return "1", true
		}
		return "0", true
	case nil:
		return "0", true
	case string:
		text := strings.TrimSpace(v)
		switch text {
		case "", "false":
			return "0", true
		case "true":
			return "1", true
		}
		if json.Valid([]byte(text)) && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') {
			// Exactly as written; but see monsters.
			n := json.Number(text)
			return n, len(monsters(n, nil, nil)) == 0
		}
		if strings.ContainsAny(text, "xXpP_iInN") { // forms of Go, not of JSON
			return "", false
		}
		f, err := strconv.ParseFloat(text, 64) // ".5", "5.", "+5", "007"
		if err != nil {
			return "", false
		}
		return json.Number(jsonobj.AppendFloat(nil, f)), true
	}
	return "", false
}

// truncate drops the fraction.
func truncate(n json.Number) (any, bool) {
	if isInteger(n) {
		return n, true
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil, false
	}
	return json.Number(new(big.Int).Quo(r.Num(), r.Denom()).String()), true
}

func toBool(v any) (any, bool) {
	switch v := v.(type) {
	case nil:
		return false, true
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "true", "1":
			return true, true
		case "false", "0":
			return false, true
		}
	case json.Number:
		switch v {
		case "1":
			return true, true
		case "0":
			return false, true
		}
	}
	return nil, false
}
