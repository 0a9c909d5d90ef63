package ai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// FinalArguments parses the whole argument text of a tool call. Blank text
// means {}. Text that is no JSON object gives {} and an error that says why
// and shows the text: such a call must not be run, and a half-parsed prefix is
// never passed off as the arguments.
func FinalArguments(text string) (json.RawMessage, error) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return json.RawMessage("{}"), nil
	}
	b := []byte(trimmed)
	if b[0] == '{' && json.Valid(b) {
		return b, nil
	}
	problem := "the arguments are not a JSON object"
	var v any
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&v); err != nil {
		problem = fmt.Sprintf("the arguments are not valid JSON: %v", err)
	}
	return json.RawMessage("{}"), fmt.Errorf("%s; received: %s", problem, text)
}
