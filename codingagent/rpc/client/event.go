package client

import (
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/ai"
)

// Event is something that happened in the agent.
type Event struct {
	// Type is the event's name, such as "message_end" or "agent_settled".
	Type string
	// Raw is the whole event. It is valid during the call of the listener;
	// clone it to keep it.
	Raw json.RawMessage
}

// Decode reads the event into v, as encoding/json does.
func (e Event) Decode(v any) error {
	if err := json.Unmarshal(e.Raw, v); err != nil {
		return fmt.Errorf("decode event %s: %w", e.Type, err)
	}
	return nil
}

// Text gives the text that a "message_update" adds to the answer; "" if it
// adds none.
func (e Event) Text() string {
	var u struct {
		Event struct{ Type, Delta string } `json:"assistantMessageEvent"`
	}
	if e.Type != "message_update" || json.Unmarshal(e.Raw, &u) != nil || u.Event.Type != "text_delta" {
		return ""
	}
	return u.Event.Delta
}

// Message gives the finished message of a "message_end"; nil for any other
// event, and for messages that are neither a person's, the model's nor a
// tool's.
func (e Event) Message() ai.Message {
	var m struct{ Message json.RawMessage }
	if e.Type != "message_end" || json.Unmarshal(e.Raw, &m) != nil {
		return nil
	}
	out, err := ai.DecodeMessage(m.Message)
	if err != nil {
		return nil
	}
	return out
}

// Settled reports whether the event is the last of a prompt, and whether that
// was aborted.
func (e Event) Settled() (settled, aborted bool) {
	if e.Type != "agent_settled" {
		return false, false
	}
	var v struct{ Aborted bool }
	return true, json.Unmarshal(e.Raw, &v) == nil && v.Aborted
}
