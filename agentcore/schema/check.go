package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Problem is one way in which a value does not fit its schema.
type Problem struct {
	// Path leads to the value in dotted form ("edits.0.oldText"); the whole
	// is "root".
	Path string
	// Text says what was expected and what came.
	Text string
}

// String is "path: text".
func (p Problem) String() string { return p.Path + ": " + p.Text }

// Check tests a value. A value that fits comes back byte for byte. One that
// does not is tried again after the conversions of the package comment; if it
// fits then, the converted value comes back. Otherwise Check gives the value
// as it was and at least one problem.
func (s *Schema) Check(text json.RawMessage) (json.RawMessage, []Problem) {
	v, err := decode(text)
	if err != nil {
		return text, []Problem{{"root", fmt.Sprintf("not valid JSON: %v", err)}}
	}
	if problems := monsters(v, nil, nil); len(problems) > 0 {
		return text, problems
	}
	if s.valid(v) == nil {
		return text, nil
	}
	mended := convert(s.root, v)
	if problem := s.valid(mended); problem != nil {
		return text, s.explain(problem, mended)
	}
	out, err := encode(mended)
	if err != nil {
		return text, []Problem{{"root", fmt.Sprintf("encode the converted value: %v", err)}}
	}
	return out, nil
}

func (s *Schema) valid(v any) *jsonschema.ValidationError { return validate(s.root, v) }

func validate(s *jsonschema.Schema, v any) *jsonschema.ValidationError {
	err := s.Validate(v)
	if err == nil {
		return nil
	}
	var ve *jsonschema.ValidationError
	if errors.As(err, &ve) {
		return ve
	}
	// A schema that refers to itself without end: nothing fits it.
	return &jsonschema.ValidationError{Message: err.Error()}
}

func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// maxExponent and maxDigits bound the numbers that are looked at: comparing
// 1e999999999 exactly would take all memory.
const (
	maxExponent = 400
	maxDigits   = 1000
)

// monsters lists numbers that are too large to handle.
func monsters(v any, path []string, problems []Problem) []Problem {
	switch v := v.(type) {
	case json.Number:
		text := string(v)
		bad := len(text) > maxDigits
		if at := strings.IndexAny(text, "eE"); at >= 0 {
			exp, err := strconv.Atoi(text[at+1:])
			bad = bad || err != nil || exp > maxExponent || exp < -maxExponent
		}
		if bad {
			problems = append(problems, Problem{join(path), show(v) + " is out of range"})
		}
	case map[string]any:
		for _, k := range sortedKeys(v) {
			problems = monsters(v[k], append(path, k), problems)
		}
	case []any:
		for i, e := range v {
			problems = monsters(e, append(path, strconv.Itoa(i)), problems)
		}
	}
	return problems
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func join(path []string) string {
	if len(path) == 0 {
		return "root"
	}
	return strings.Join(path, ".")
}

// dotted turns a JSON pointer into a dotted path.
func dotted(pointer string) string { return join(pointerParts(pointer)) }

func pointerParts(pointer string) []string {
	pointer = strings.TrimPrefix(pointer, "/")
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts
}

// resolve follows a pointer through a decoded value.
func resolve(v any, parts []string) (any, bool) {
	for _, p := range parts {
		switch w := v.(type) {
		case map[string]any:
			e, ok := w[p]
			if !ok {
				return nil, false
			}
			v = e
		case []any:
			i, err := strconv.Atoi(p)
			if err != nil || i < 0 || i >= len(w) {
				return nil, false
			}
			v = w[i]
		default:
			return nil, false
		}
	}
	return v, true
}
