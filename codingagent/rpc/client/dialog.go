package client

import (
	"encoding/json"
	"slices"
	"time"
)

// Dialog is a question of an extension.
type Dialog struct {
	// Method is "select", "confirm", "input" or "editor".
	Method  string
	Title   string
	Message string   // of confirm
	Options []string // of select
	// Placeholder is for an empty input, Prefill what an editor begins with.
	Placeholder, Prefill string
	// Timeout is when the agent stops waiting; 0 is never.
	Timeout time.Duration
}

// Reply answers a dialog; the zero value cancels it.
type Reply struct {
	// Value is the choice or the text.
	Value string
	// Confirmed answers "confirm".
	Confirmed bool
	// Answered says that there is an answer.
	Answered bool
}

// dialog answers a request of an extension, if it wants an answer.
func (c *Client) dialog(line []byte) {
	var q struct {
		ID, Method, Title, Message, Placeholder, Prefill string
		Options                                          []string
		Timeout                                          int64
	}
	if json.Unmarshal(line, &q) != nil || !slices.Contains([]string{"select", "confirm", "input", "editor"}, q.Method) {
		return
	}
	go func() {
		var r Reply
		if c.onAsk != nil {
			r = c.onAsk(c.ctx, Dialog{
				Method: q.Method, Title: q.Title, Message: q.Message, Options: q.Options, Placeholder: q.Placeholder, Prefill: q.Prefill,
				Timeout: time.Duration(q.Timeout) * time.Millisecond,
			})
		}
		out := map[string]any{"type": "extension_ui_response", "id": q.ID}
		switch {
		case !r.Answered:
			out["cancelled"] = true
		case q.Method == "confirm":
			out["confirmed"] = r.Confirmed
		default:
			out["value"] = r.Value
		}
		if body, err := json.Marshal(out); err == nil {
			_ = c.send(append(body, '\n')) // an agent that is gone needs no answer
		}
	}()
}
