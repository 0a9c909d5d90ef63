package otel

import (
	"encoding/json"

	"github.com/pi-go/pi/ai"
	"go.opentelemetry.io/otel/attribute"
)

// recorder is the span of a request that records the content, too.
type recorder struct{ *request }

// message and part are the conventions' form of a conversation.
type message struct {
	Role   string `json:"role"`
	Parts  []part `json:"parts"`
	Finish string `json:"finish_reason,omitempty"`
}

type part struct {
	Type      string          `json:"type"`
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Response  string          `json:"response,omitempty"`
	Modality  string          `json:"modality,omitempty"`
	MIMEType  string          `json:"mime_type,omitempty"`
}

// Content records what was asked and answered.
func (r recorder) Content(asked []ai.Message, answer *ai.AssistantMessage) {
	var system []part
	input := []message{}
	for _, m := range asked {
		switch m := m.(type) {
		case *ai.SystemMessage:
			if t := m.Text(); t != "" {
				system = append(system, part{Type: "text", Content: t})
			}
		case *ai.UserMessage:
			input = append(input, message{Role: "user", Parts: parts(m.Content)})
		case *ai.AssistantMessage:
			input = append(input, message{Role: "assistant", Parts: parts(m.Content)})
		case *ai.ToolResultMessage:
			result := part{Type: "tool_call_response", ID: m.ToolCallID, Response: ai.TextOf(m.Content, "\n")}
			input = append(input, message{Role: "tool", Parts: []part{result}})
		}
	}
	if system != nil {
		r.set("gen_ai.system_instructions", system)
	}
	r.set("gen_ai.input.messages", input)
	r.set("gen_ai.output.messages", []message{{Role: "assistant", Parts: parts(answer.Content), Finish: finish(string(answer.StopReason))}})
}

func (r recorder) set(name string, v any) {
	if b, err := json.Marshal(v); err == nil {
		r.s.SetAttributes(attribute.String(name, string(b)))
	}
}

func parts(blocks []ai.Block) []part {
	list := []part{}
	for _, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			list = append(list, part{Type: "text", Content: b.Text})
		case *ai.Thinking:
			list = append(list, part{Type: "reasoning", Content: b.Text})
		case *ai.ToolCall:
			list = append(list, part{Type: "tool_call", ID: b.ID, Name: b.Name, Arguments: b.Arguments})
		case *ai.Image:
			list = append(list, part{Type: "blob", Modality: "image", MIMEType: b.MIMEType})
		}
	}
	return list
}
