package ai

import (
	"encoding/json"

	"github.com/pi-go/pi/ai/internal/partialjson"
)

// FinalArguments parses the whole argument text of a tool call. Blank text
// means {}; what models often get wrong inside strings (bare control
// characters, backslashes that begin no escape) is repaired. Text that is no
// JSON object gives {} and an error that says why and shows the text: such a
// call must not be run, and a half-parsed prefix is never passed off as the
// arguments.
func FinalArguments(text string) (json.RawMessage, error) { return partialjson.Final(text) }

// CompleteJSON closes the beginning of a JSON object, such as the arguments of
// a call that streams ([ToolCall].Partial), to a valid object for display. It
// never fails: what can not be read is left out. It reads all of partial, so
// call it when somebody looks, not for each delta.
func CompleteJSON(partial string) json.RawMessage { return partialjson.Complete(partial) }
