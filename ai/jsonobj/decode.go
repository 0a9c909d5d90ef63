package jsonobj

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Decode reads src, the content of file, into v as encoding/json does. What is no
// JSON, or of another type than v wants, is a *SyntaxError that names file, line
// and column and says what was expected:
//
//	models.json:7:24: providers.local.models[0].contextWindow: expected a whole number, found a string
//
// src may be given as Strict or Relaxed; file is used in errors only.
func Decode(file string, src []byte, syntax Syntax, v any) error {
	t, err := parse(file, src, syntax)
	if err != nil {
		return err
	}
	return t.decode(file, v)
}

func (t *tree) decode(file string, v any) error {
	err := json.Unmarshal(t.strict(), v)
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong) && wrong.Type != nil:
		path, n := t.at(int(wrong.Offset) - 1)
		message := fmt.Sprintf("expected %s, found %s", wanted(wrong.Type), t.kind(n))
		if path != "" {
			message = path + ": " + message
		}
		return newError(file, t.src, n.start, message)
	case file != "":
		return fmt.Errorf("%s: %w", file, err)
	}
	return err
}

// at finds the innermost value around an offset and the path that leads there.
func (t *tree) at(offset int) (path string, n node) {
	n = t.root
	for {
		inner, step := n, ""
		for _, m := range n.members {
			if m.value.start <= offset && offset < m.value.end {
				inner, step = m.value, pathKey(m.key, path == "")
			}
		}
		for i, e := range n.elements {
			if e.start <= offset && offset < e.end {
				inner, step = e, "["+strconv.Itoa(i)+"]"
			}
		}
		if step == "" {
			return path, n
		}
		path, n = path+step, inner
	}
}

// pathKey writes a key as a step of a path: plainly where that reads well.
func pathKey(key string, first bool) string {
	plain := key != ""
	for _, r := range key {
		plain = plain && (r == '_' || r == '-' || r == '$' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}
	switch {
	case !plain:
		return "[" + string(AppendString(nil, key)) + "]"
	case first:
		return key
	}
	return "." + key
}

// wanted names what a Go type takes, for people who do not know Go.
func wanted(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number that is not negative"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "a " + t.String()
}

// kind names a value.
func (t *tree) kind(n node) string {
	switch c := t.src[n.start]; c {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f', 'n':
		return string(t.src[n.start:n.end])
	}
	if text := string(t.src[n.start:n.end]); len(text) <= 20 {
		return "the number " + text
	}
	return "a number"
}

// joinPath writes a path of keys.
func joinPath(path []string) string {
	var b strings.Builder
	for i, key := range path {
		b.WriteString(pathKey(key, i == 0))
	}
	return b.String()
}
