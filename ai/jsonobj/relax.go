package jsonobj

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// SyntaxError is JSON text that can not be read, with its place.
type SyntaxError struct {
	Line, Column int // from 1; columns count characters
	Offset       int // in bytes, from 0
	Message      string
}

// Error gives "line:column: message".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// Relax turns JSON with comments (// and /* */), trailing commas and a byte
// order mark into strict JSON. What is dropped becomes spaces, so that every
// offset and line stays what it was. Text that is no JSON even then is a
// *[SyntaxError]. Blank text is left alone.
func Relax(data []byte) ([]byte, error) {
	out := bytes.Clone(data)
	if bytes.HasPrefix(out, []byte("\xEF\xBB\xBF")) {
		copy(out, "   ")
	}
	comma := -1       // the last comma with nothing but space behind it
	last := byte('[') // the last byte that is no space and no comment
	for i := 0; i < len(out); {
		switch c := out[i]; {
		case c == '"':
			end, err := stringEnd(out, i)
			if err != nil {
				return nil, syntaxError(data, i, "this text has no closing quote")
			}
			i, comma, last = end, -1, '"'
			continue
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			if end < 0 {
				return nil, syntaxError(data, i, "this comment has no end")
			}
			blank(out[i:end])
			i = end
			continue
		case c == ',':
			comma = -1
			if last != '[' && last != '{' && last != ',' && last != ':' {
				comma = i // it follows a value
			}
			last = c
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma, last = -1, c
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		default:
			comma, last = -1, c
		}
		i++
	}
	if len(bytes.TrimSpace(out)) == 0 {
		return out, nil
	}
	var v json.RawMessage
	if err := json.Unmarshal(out, &v); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, syntaxError(data, max(int(syntax.Offset)-1, 0), syntax.Error())
		}
		return nil, syntaxError(data, 0, err.Error())
	}
	return out, nil
}

func commentEnd(b []byte, i int) int {
	if b[i+1] == '/' {
		if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
			return i + n
		}
		return len(b)
	}
	n := bytes.Index(b[i+2:], []byte("*/"))
	if n < 0 {
		return -1
	}
	return i + 2 + n + 2
}

// blank overwrites with spaces; line ends stay.
func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

func syntaxError(data []byte, offset int, message string) *SyntaxError {
	before := data[:min(offset, len(data))]
	line := bytes.Count(before, []byte("\n"))
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &SyntaxError{Line: line + 1, Column: column + 1, Offset: offset, Message: message}
}
