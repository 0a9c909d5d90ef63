package bedrockconversestream

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// alternating makes one unit of answers that follow each other: the vendor refuses two
// messages of one role in a row.
func alternating(list []history.Unit, messages []ai.Message) []history.Unit {
	out := list[:0]
	for _, u := range list {
		if n := len(out); n > 0 && answers(out[n-1]) && answers(u) {
			out[n-1].Messages = messages[out[n-1].At : u.At+len(u.Messages)]
			continue
		}
		out = append(out, u)
	}
	return out
}

func answers(u history.Unit) bool { return u.Messages[0].Role() == ai.RoleAssistant }

// encoder writes the messages of a request.
type encoder struct {
	model  *ai.Model
	claude bool
	err    error
}

// unit appends the message of a unit.
func (e *encoder) unit(dst []byte, u history.Unit) []byte { return e.ending(dst, u, "") }

// ending is unit with an element, such as a cache point, behind its content.
func (e *encoder) ending(dst []byte, u history.Unit, last string) []byte {
	w := wire.Elements{Dst: dst}
	before := len(dst)
	if _, ok := u.Messages[0].(*ai.AssistantMessage); ok {
		w.Raw(`{"role":"assistant","content":[`)
		for _, m := range u.Messages {
			for _, b := range m.(*ai.AssistantMessage).Content {
				e.answerBlock(&w, b)
			}
		}
		last = ""
	} else {
		w.Raw(`{"role":"user","content":[`)
		var apart []*ai.ToolResultMessage
		for _, m := range u.Messages {
			switch m := m.(type) {
			case *ai.UserMessage:
				for _, b := range m.Content {
					e.input(&w, b)
				}
			case *ai.ToolResultMessage:
				if e.result(&w, m) {
					apart = append(apart, m)
				}
			}
		}
		for _, r := range apart {
			e.input(&w, &ai.Text{Text: "Images from the failed call of " + r.ToolName + " (" + r.ToolCallID + "):"})
			for _, b := range r.Content {
				if b.Type() == ai.BlockImage {
					e.input(&w, b)
				}
			}
		}
	}
	if !w.More {
		return w.Dst[:before]
	}
	if last != "" {
		w.Next()
		w.Raw(last)
	}
	w.Raw("]}")
	return w.Dst
}

func (e *encoder) input(w *wire.Elements, b ai.Block) {
	switch b := b.(type) {
	case *ai.Text:
		w.Next()
		w.Raw(`{"text":`)
		w.Str(b.Text)
		w.Raw("}")
	case *ai.Image:
		format, ok := strings.CutPrefix(b.MIMEType, "image/")
		if format == "jpg" {
			format = "jpeg"
		}
		switch format {
		case "jpeg", "png", "gif", "webp":
		default:
			ok = false
		}
		if !ok {
			if e.err == nil {
				e.err = ai.Errorf(ai.KindBadRequest, "images of type %q can not be sent to Amazon Bedrock; convert them to png, jpeg, gif or webp", b.MIMEType)
			}
			return
		}
		w.Next()
		w.Raw(`{"image":{"format":"` + format + `","source":{"bytes":`)
		w.Str(b.Data)
		w.Raw("}}}")
	}
}

// result writes a tool result and reports whether its images must follow apart:
// Claude takes none in a result that is an error.
func (e *encoder) result(w *wire.Elements, r *ai.ToolResultMessage) (apart bool) {
	images := false
	for _, b := range r.Content {
		images = images || b.Type() == ai.BlockImage
	}
	apart = images && r.IsError && e.claude
	w.Next()
	w.Raw(`{"toolResult":{"toolUseId":`)
	w.Str(r.ToolCallID)
	w.Raw(`,"content":[`)
	in := wire.Elements{Dst: w.Dst}
	for _, b := range r.Content {
		if b.Type() != ai.BlockImage || !apart {
			e.input(&in, b)
		}
	}
	if !in.More {
		e.input(&in, &ai.Text{Text: ai.NoteSeeImage})
	}
	w.Dst = in.Dst
	status := "success"
	if r.IsError {
		status = "error"
	}
	w.Raw(`],"status":"` + status + `"}}`)
	return apart
}

func (e *encoder) answerBlock(w *wire.Elements, b ai.Block) {
	switch b := b.(type) {
	case *ai.Text:
		e.input(w, b)
	case *ai.Thinking:
		e.thinking(w, b)
	case *ai.ToolCall:
		w.Next()
		w.Raw(`{"toolUse":{"toolUseId":`)
		w.Str(b.ID)
		w.Raw(`,"name":`)
		w.Str(b.Name)
		w.Raw(`,"input":`)
		if args := b.Arguments; len(args) > 0 && args[0] == '{' && json.Valid(args) {
			w.Dst = append(w.Dst, withoutEmptyKeys(args)...)
		} else {
			w.Raw("{}")
		}
		w.Raw("}}")
	}
}

func (e *encoder) thinking(w *wire.Elements, b *ai.Thinking) {
	switch {
	case b.Redacted:
		if _, err := base64.StdEncoding.DecodeString(b.Signature); err != nil || b.Signature == "" || !e.claude {
			return
		}
		w.Next()
		w.Raw(`{"reasoningContent":{"redactedContent":`)
		w.Str(b.Signature)
		w.Raw("}}")
	case e.claude && b.Signature == "":
		if strings.TrimSpace(b.Text) != "" {
			e.input(w, &ai.Text{Text: b.Text})
		}
	case b.Text != "" || b.Signature != "":
		w.Next()
		w.Raw(`{"reasoningContent":{"reasoningText":{"text":`)
		w.Str(b.Text)
		if e.claude {
			w.Raw(`,"signature":`)
			w.Str(b.Signature)
		}
		w.Raw("}}}")
	}
}

// withoutEmptyKeys leaves out members with an empty name, which the vendor refuses.
// Almost no arguments have any, and those are returned as they are.
func withoutEmptyKeys(v json.RawMessage) json.RawMessage {
	if !strings.Contains(string(v), `""`) {
		return v
	}
	switch {
	case len(v) > 0 && v[0] == '{':
		w := wire.Elements{Dst: []byte{'{'}}
		err := jsonobj.Walk(v, func(name string, value json.RawMessage) error {
			if name == "" {
				return nil
			}
			w.Next()
			w.Str(name)
			w.Raw(":")
			w.Dst = append(w.Dst, withoutEmptyKeys(value)...)
			return nil
		})
		if err != nil {
			return v
		}
		return append(w.Dst, '}')
	case len(v) > 0 && v[0] == '[':
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil {
			return v
		}
		w := wire.Elements{Dst: []byte{'['}}
		for _, item := range list {
			w.Next()
			w.Dst = append(w.Dst, withoutEmptyKeys(item)...)
		}
		return append(w.Dst, ']')
	}
	return v
}
