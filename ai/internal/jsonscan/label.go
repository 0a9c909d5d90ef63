package jsonscan

import (
	"encoding/json"
	"strings"
)

// Label is a text that most frames of a stream repeat, such as the name of the
// answer. Decoded with encoding/json into the value of the last frame, it allocates
// only where it differs; a frame without it leaves it as it was.
type Label string

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Label) UnmarshalJSON(data []byte) error {
	if n := len(data); n > 1 && data[0] == '"' && string(data[1:n-1]) == string(*l) && strings.IndexByte(string(*l), '\\') < 0 {
		return nil
	}
	return json.Unmarshal(data, (*string)(l))
}

// Text decodes a JSON string, as encoding/json does, and allocates no more than the
// text. It is false for any other value.
func Text(data []byte) (text string, ok bool) {
	if len(data) < 2 || data[0] != '"' {
		return "", false
	}
	var b strings.Builder
	if Unquote(&b, data[1:len(data)-1]) {
		return b.String(), true
	}
	return text, json.Unmarshal(data, &text) == nil
}
