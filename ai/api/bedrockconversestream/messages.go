package bedrockconversestream

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/jsonobj"
)

// units cuts a conversation: an answer is a unit, and so is everything between two
// answers, which is one message: roles must alternate. A leading system message is
// sent apart.
func units(messages []ai.Message) []history.Unit {
	var list []history.Unit
	start := 0
	flush := func(end int) {
		if start < end {
			list = append(list, history.Unit{At: start, Messages: messages[start:end]})
		}
	}
	for i, m := range messages {
		switch m.(type) {
		case *ai.SystemMessage:
			start = i + 1 // only the first, after Transform
		case *ai.AssistantMessage:
			flush(i)
			list = append(list, history.Unit{At: i, Messages: messages[i : i+1]})
			start = i + 1
		}
	}
	flush(len(messages))
	return list
}

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
	w := writer{dst: dst}
	before := len(dst)
	if a, ok := u.Messages[0].(*ai.AssistantMessage); ok {
		w.raw(`{"role":"assistant","content":[`)
		for _, b := range a.Content {
			e.answerBlock(&w, b)
		}
		last = ""
	} else {
		w.raw(`{"role":"user","content":[`)
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
	if !w.comma {
		return w.dst[:before]
	}
	if last != "" {
		w.next()
		w.raw(last)
	}
	w.raw("]}")
	return w.dst
}

// writer appends elements with commas where they are needed.
type writer struct {
	dst   []byte
	comma bool
}

func (w *writer) next() {
	if w.comma {
		w.dst = append(w.dst, ',')
	}
	w.comma = true
}

func (w *writer) raw(text string) { w.dst = append(w.dst, text...) }
func (w *writer) str(text string) { w.dst = jsonobj.AppendString(w.dst, text) }

func (e *encoder) input(w *writer, b ai.Block) {
	switch b := b.(type) {
	case *ai.Text:
		w.next()
		w.raw(`{"text":`)
		w.str(b.Text)
		w.raw("}")
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
		w.next()
		w.raw(`{"image":{"format":"` + format + `","source":{"bytes":`)
		w.str(b.Data)
		w.raw("}}}")
	}
}

// result writes a tool result and reports whether its images must follow apart:
// Claude takes none in a result that is an error.
func (e *encoder) result(w *writer, r *ai.ToolResultMessage) (apart bool) {
	images := false
	for _, b := range r.Content {
		images = images || b.Type() == ai.BlockImage
	}
	apart = images && r.IsError && e.claude
	w.next()
	w.raw(`{"toolResult":{"toolUseId":`)
	w.str(r.ToolCallID)
	w.raw(`,"content":[`)
	in := writer{dst: w.dst}
	for _, b := range r.Content {
		if b.Type() != ai.BlockImage || !apart {
			e.input(&in, b)
		}
	}
	if !in.comma {
		e.input(&in, &ai.Text{Text: ai.NoteSeeImage})
	}
	w.dst = in.dst
	status := "success"
	if r.IsError {
		status = "error"
	}
	w.raw(`],"status":"` + status + `"}}`)
	return apart
}

func (e *encoder) answerBlock(w *writer, b ai.Block) {
	switch b := b.(type) {
	case *ai.Text:
		e.input(w, b)
	case *ai.Thinking:
		e.thinking(w, b)
	case *ai.ToolCall:
		w.next()
		w.raw(`{"toolUse":{"toolUseId":`)
		w.str(b.ID)
		w.raw(`,"name":`)
		w.str(b.Name)
		w.raw(`,"input":`)
		if args := b.Arguments; len(args) > 0 && args[0] == '{' && json.Valid(args) {
			w.dst = append(w.dst, withoutEmptyKeys(args)...)
		} else {
			w.raw("{}")
		}
		w.raw("}}")
	}
}

func (e *encoder) thinking(w *writer, b *ai.Thinking) {
	switch {
	case b.Redacted:
		if _, err := base64.StdEncoding.DecodeString(b.Signature); err != nil || b.Signature == "" || !e.claude {
			return
		}
		w.next()
		w.raw(`{"reasoningContent":{"redactedContent":`)
		w.str(b.Signature)
		w.raw("}}")
	case e.claude && b.Signature == "":
		if strings.TrimSpace(b.Text) != "" {
			e.input(w, &ai.Text{Text: b.Text})
		}
	case b.Text != "" || b.Signature != "":
		w.next()
		w.raw(`{"reasoningContent":{"reasoningText":{"text":`)
		w.str(b.Text)
		if e.claude {
			w.raw(`,"signature":`)
			w.str(b.Signature)
		}
		w.raw("}}}")
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
		w := writer{dst: []byte{'{'}}
		err := jsonobj.Walk(v, func(name string, value json.RawMessage) error {
			if name == "" {
				return nil
			}
			w.next()
			w.str(name)
			w.raw(":")
			w.dst = append(w.dst, withoutEmptyKeys(value)...)
			return nil
		})
		if err != nil {
			return v
		}
		return append(w.dst, '}')
	case len(v) > 0 && v[0] == '[':
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil {
			return v
		}
		w := writer{dst: []byte{'['}}
		for _, item := range list {
			w.next()
			w.dst = append(w.dst, withoutEmptyKeys(item)...)
		}
		return append(w.dst, ']')
	}
	return v
}
