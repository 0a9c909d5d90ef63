package partialjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxQuoted is how many bytes of the received text an ArgumentsError quotes: a
// model needs to see what it wrote, not all of it again.
const maxQuoted = 2000

// ArgumentsError says why a finished text is not the arguments of a call.
type ArgumentsError struct {
	Problem  string // what is wrong with it
	Received string // the text, whole
}

// Error names the problem and quotes the received text, the beginning of it when
// it is long.
func (e *ArgumentsError) Error() string {
	text := e.Received
	if cut := len(text) - maxQuoted; cut > 0 {
		text = strings.ToValidUTF8(text[:maxQuoted], "")
		text = fmt.Sprintf("%s … (%d more bytes)", text, len(e.Received)-len(text))
	}
	return e.Problem + ". Received: " + text
}

// Final returns the arguments of a finished call: text as it is when it is a JSON
// object (invalid UTF-8 replaced, white space around it removed), "{}" when it
// is blank, and its repaired form (see Repair) when that is an object. Everything
// else, be it ever so nearly complete, is an *ArgumentsError, with which Final
// returns "{}".
func Final(text string) (json.RawMessage, error) {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}"), nil
	}
	valid := []byte(strings.Trim(strings.ToValidUTF8(text, "\uFFFD"), " \t\r\n"))
	if !json.Valid(valid) {
		repaired := Repair(valid)
		if !json.Valid(repaired) {
			return json.RawMessage("{}"), &ArgumentsError{Problem: "The arguments are not valid JSON: " + syntaxProblem(valid), Received: text}
		}
		valid = repaired
	}
	if valid[0] != '{' {
		return json.RawMessage("{}"), &ArgumentsError{Problem: "The arguments must be a JSON object, not " + kind(valid[0]), Received: text}
	}
	return valid, nil
}

// syntaxProblem says what is wrong with text, which is not valid JSON.
func syntaxProblem(text []byte) string {
	// Only a Decoder tells a text that ends too early from a wrong last byte.
	var raw json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&raw); errors.Is(err, io.ErrUnexpectedEOF) {
		return "unexpected end of the text"
	}
	err := json.Unmarshal(text, &raw)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return fmt.Sprintf("%v at byte %d", err, syntax.Offset)
	}
	return err.Error()
}

func kind(first byte) string {
	switch first {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// Repair mends what models most often get wrong inside JSON strings: bare control
// characters become escapes, and a backslash that begins no escape, or stands at
// the end, is doubled. Everything else stays as it is; when nothing needs
// mending, that is text itself.
func Repair(text []byte) []byte {
	var out []byte
	done := 0 // text[:done] is in out
	inside := false
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '"':
			inside = !inside
			i++
		case !inside || c >= ' ' && c != '\\':
			i++
		case c == '\\':
			size, whole := simpleEscape(text[i:])
			if !whole || size == 0 {
				out = append(append(out, text[done:i]...), `\\`...)
				size, done = 1, i+1
			}
			i += size
		default:
			out = appendControl(append(out, text[done:i]...), c)
			i++
			done = i
		}
	}
	if done == 0 {
		return text
	}
	return append(out, text[done:]...)
}
