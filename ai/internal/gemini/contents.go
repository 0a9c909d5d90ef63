package gemini

import (
	"encoding/json"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/wire"
)

// units cuts a conversation: a run of tool results is one unit, every other
// message one of its own. A leading system message is sent apart.
func units(messages []ai.Message) []history.Unit {
	var list []history.Unit
	for i := 0; i < len(messages); {
		end := i + 1
		switch messages[i].(type) {
		case *ai.SystemMessage:
			i = end
			continue
		case *ai.ToolResultMessage:
			for end < len(messages) && isResult(messages[end]) {
				end++
			}
		}
		list = append(list, history.Unit{At: i, Messages: messages[i:end]})
		i = end
	}
	return list
}

func isResult(m ai.Message) bool { _, ok := m.(*ai.ToolResultMessage); return ok }

// encoder writes the contents of a request.
type encoder struct {
	model  *ai.Model
	family family
}

// unit appends the turns of a unit.
func (e *encoder) unit(dst []byte, u history.Unit) []byte {
	w := writer{wire.Elements{Dst: dst}}
	switch m := u.Messages[0].(type) {
	case *ai.UserMessage:
		w.turn("user", func() {
			for _, b := range m.Content {
				w.input(b)
			}
		})
	case *ai.AssistantMessage:
		w.turn("model", func() {
			same := m.Provider == e.model.Provider && m.API == e.model.API && m.Model == e.model.ID
			for _, b := range m.Content {
				e.answerBlock(&w, b, same)
			}
		})
	case *ai.ToolResultMessage:
		e.results(&w, u.Messages)
	}
	return w.Dst
}

// writer appends parts, and turns made of them.
type writer struct{ wire.Elements }

// turn writes a turn unless parts writes nothing.
func (w *writer) turn(role string, parts func()) {
	comma, before := w.More, len(w.Dst)
	w.Next()
	w.Raw(`{"role":"` + role + `","parts":[`)
	w.More = false
	parts()
	if !w.More {
		w.Dst, w.More = w.Dst[:before], comma
		return
	}
	w.Raw("]}")
}

func (w *writer) input(b ai.Block) {
	switch b := b.(type) {
	case *ai.Text:
		w.Next()
		w.Raw(`{"text":`)
		w.Str(b.Text)
		w.Raw("}")
	case *ai.Image:
		w.Next()
		w.image(b)
	}
}

func (w *writer) image(b *ai.Image) {
	w.Raw(`{"inlineData":{"mimeType":`)
	w.Str(b.MIMEType)
	w.Raw(`,"data":`)
	w.Str(b.Data)
	w.Raw("}}")
}

// signature closes a part, with its signature where the vendor gave one.
func (w *writer) signature(s string, same bool) {
	if same && validSignature(s) {
		w.Raw(`,"thoughtSignature":`)
		w.Str(s)
	}
	w.Raw("}")
}

// validSignature reports padded base64, which is all that the vendor takes.
func validSignature(s string) bool {
	if s == "" || len(s)%4 != 0 {
		return false
	}
	body := strings.TrimRight(s, "=")
	if len(s)-len(body) > 2 {
		return false
	}
	for _, c := range []byte(body) {
		if c != '+' && c != '/' && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			return false
		}
	}
	return true
}

func (e *encoder) answerBlock(w *writer, b ai.Block, same bool) {
	switch b := b.(type) {
	case *ai.Text:
		w.Next()
		w.Raw(`{"text":`)
		w.Str(b.Text)
		w.signature(b.Signature, same)
	case *ai.Thinking:
		if b.Redacted || b.Text == "" && !validSignature(b.Signature) {
			return // hidden thinking is another vendor's notion
		}
		w.Next()
		w.Raw(`{"text":`)
		w.Str(b.Text)
		w.Raw(`,"thought":true`)
		w.signature(b.Signature, same)
	case *ai.ToolCall:
		w.Next()
		w.Raw(`{"functionCall":{"name":`)
		w.Str(b.Name)
		w.Raw(`,"args":`)
		if args := b.Arguments; len(args) > 0 && args[0] == '{' && json.Valid(args) {
			w.Dst = append(w.Dst, args...)
		} else {
			w.Raw("{}")
		}
		e.id(w, b.ID)
		w.Raw("}")
		w.signature(b.ThoughtSignature, same)
	}
}

func (e *encoder) id(w *writer, id string) {
	if e.family.sendsIDs() {
		w.Raw(`,"id":`)
		w.Str(id)
	}
}

// results writes a run of tool results as one turn, and the images that do not
// fit into it as another.
func (e *encoder) results(w *writer, run []ai.Message) {
	var apart []ai.Block
	w.turn("user", func() {
		for _, m := range run {
			r := m.(*ai.ToolResultMessage)
			var images []*ai.Image
			for _, b := range r.Content {
				if i, ok := b.(*ai.Image); ok {
					images = append(images, i)
				}
			}
			text := ai.TextOf(r.Content, "\n")
			if text == "" {
				text = ai.NoteNoToolOutput
				if len(images) > 0 {
					text = ai.NoteSeeImage
				}
			}
			w.Next()
			w.Raw(`{"functionResponse":{"name":`)
			w.Str(r.ToolName)
			key := "output"
			if r.IsError {
				key = "error"
			}
			w.Raw(`,"response":{"` + key + `":`)
			w.Str(text)
			w.Raw("}")
			e.id(w, r.ToolCallID)
			if len(images) > 0 && e.family.imagesInResults() {
				w.Raw(`,"parts":[`)
				for i, image := range images {
					if i > 0 {
						w.Raw(",")
					}
					w.image(image)
				}
				w.Raw("]")
			} else if len(images) > 0 {
				apart = append(apart, &ai.Text{Text: "Images from the call of " + r.ToolName + ":"})
				for _, image := range images {
					apart = append(apart, image)
				}
			}
			w.Raw("}}")
		}
	})
	w.turn("user", func() {
		for _, b := range apart {
			w.input(b)
		}
	})
}
