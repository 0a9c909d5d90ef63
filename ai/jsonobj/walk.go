package jsonobj

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// errShape reports JSON that is not one object, or not JSON at all.
var errShape = errors.New("not a JSON object")

// Walk calls visit for each member of the JSON object in data, in order, with
// the decoded key and the value's own bytes (a sub-slice of data, not a copy).
// It checks brackets and strings but not the insides of values: decode those
// with encoding/json. The first error of visit ends the walk and is returned.
func Walk(data []byte, visit func(key string, value json.RawMessage) error) error {
	return walk(data, func(name []byte, value json.RawMessage) error {
		key, err := unquote(name)
		if err != nil {
			return err
		}
		return visit(key, value)
	})
}

// walk is Walk with the keys as they stand, in their quotes.
func walk(data []byte, visit func(name []byte, value json.RawMessage) error) error {
	i := skipSpace(data, 0)
	if i >= len(data) || data[i] != '{' {
		return errShape
	}
	i = skipSpace(data, i+1)
	if i < len(data) && data[i] == '}' {
		return trailing(data, i+1)
	}
	for {
		if i >= len(data) || data[i] != '"' {
			return errShape
		}
		nameEnd, err := stringEnd(data, i)
		if err != nil {
			return err
		}
		name := data[i:nameEnd:nameEnd]
		i = skipSpace(data, nameEnd)
		if i >= len(data) || data[i] != ':' {
			return errShape
		}
		start := skipSpace(data, i+1)
		end, err := valueEnd(data, start)
		if err != nil {
			return err
		}
		if err := visit(name, json.RawMessage(data[start:end:end])); err != nil {
			return err
		}
		i = skipSpace(data, end)
		if i >= len(data) {
			return errShape
		}
		switch data[i] {
		case ',':
			i = skipSpace(data, i+1)
		case '}':
			return trailing(data, i+1)
		default:
			return errShape
		}
	}
}

// trailing reports anything but white space after the object.
func trailing(data []byte, i int) error {
	if skipSpace(data, i) != len(data) {
		return fmt.Errorf("text after the JSON object at byte %d", i)
	}
	return nil
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the index behind the closing quote of the string that
// opens at i.
func stringEnd(data []byte, i int) (int, error) {
	for j := i + 1; j < len(data); {
		k := bytes.IndexByte(data[j:], '"')
		if k < 0 {
			break
		}
		k += j
		slashes := 0
		for m := k - 1; m > i && data[m] == '\\'; m-- {
			slashes++
		}
		if slashes%2 == 0 {
			return k + 1, nil
		}
		j = k + 1
	}
	return 0, errors.New("unterminated JSON string")
}

// valueEnd returns the index behind the value that begins at i.
func valueEnd(data []byte, i int) (int, error) {
	if i >= len(data) {
		return 0, errShape
	}
	switch data[i] {
	case '"':
		return stringEnd(data, i)
	case '{', '[':
		depth := 0
		for i < len(data) {
			switch data[i] {
			case '"':
				end, err := stringEnd(data, i)
				if err != nil {
					return 0, err
				}
				i = end
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
				if depth == 0 {
					return i + 1, nil
				}
			}
			i++
		}
		return 0, errors.New("unterminated JSON value")
	case ',', '}', ']', ':':
		return 0, errShape
	}
	for i < len(data) {
		switch data[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return i, nil
		}
		i++
	}
	return i, nil
}

// unquote decodes a quoted JSON string.
func unquote(quoted []byte) (string, error) {
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), nil
	}
	var s string
	if err := json.Unmarshal(quoted, &s); err != nil {
		return "", fmt.Errorf("decode JSON key: %w", err)
	}
	return s, nil
}
