package ai

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pi-go/pi/ai/jsonobj"
)

// decoder stores one field's value.
type decoder func(value json.RawMessage) error

// fields maps the known names of an object to what stores them.
type fields map[string]decoder

func skip(json.RawMessage) error { return nil }

func str(p *string) decoder {
	return func(v json.RawMessage) error { return lenient(v, p) }
}

func boolean(p *bool) decoder {
	return func(v json.RawMessage) error { return lenient(v, p) }
}

func integer(p *int64) decoder {
	return func(v json.RawMessage) error {
		var f float64 // the format's writers are JavaScript: 1e3 is an integer there
		if err := lenient(v, &f); err != nil {
			return err
		}
		*p = int64(f)
		return nil
	}
}

func raw(p *json.RawMessage) decoder {
	return func(v json.RawMessage) error {
		if !json.Valid(v) {
			return errors.New("not JSON")
		}
		*p = slices.Clone(v)
		return nil
	}
}

func value(p any) decoder {
	return func(v json.RawMessage) error { return lenient(v, p) }
}

// lenient decodes v into p; null leaves p as it is.
func lenient(v json.RawMessage, p any) error {
	if string(v) == "null" {
		return nil
	}
	return json.Unmarshal(v, p)
}

// decodeFields walks an object, gives each known member to its decoder and
// keeps the others in extra.
func decodeFields(data []byte, extra *map[string]json.RawMessage, known fields) error {
	return jsonobj.Walk(data, func(key string, v json.RawMessage) error {
		if d, ok := known[key]; ok {
			if err := d(v); err != nil {
				return fmt.Errorf("field %q: %w", key, err)
			}
			return nil
		}
		if !json.Valid(v) {
			return fmt.Errorf("field %q is not JSON", key)
		}
		if *extra == nil {
			*extra = make(map[string]json.RawMessage)
		}
		(*extra)[key] = slices.Clone(v)
		return nil
	})
}

// memberString returns the string member of the object, "" when it is absent
// or no string.
func memberString(data []byte, name string) (string, error) {
	var s string
	err := jsonobj.Walk(data, func(key string, v json.RawMessage) error {
		if key == name && len(v) > 0 && v[0] == '"' {
			return json.Unmarshal(v, &s)
		}
		return nil
	})
	return s, err
}

// appendOptional appends ,"name":"value" unless value is empty.
func appendOptional(dst []byte, name, value string) []byte {
	if value == "" {
		return dst
	}
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return jsonobj.AppendString(dst, value)
}

// appendExtra appends the unknown fields, sorted, and closes the object.
func appendExtra(dst []byte, extra map[string]json.RawMessage) []byte {
	if len(extra) > 0 {
		names := make([]string, 0, len(extra))
		for k := range extra {
			names = append(names, k)
		}
		slices.Sort(names)
		for _, k := range names {
			dst = append(dst, ',')
			dst = jsonobj.AppendString(dst, k)
			dst = append(dst, ':')
			dst = append(dst, extra[k]...)
		}
	}
	return append(dst, '}')
}
