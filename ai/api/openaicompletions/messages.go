package openaicompletions

import (
	"encoding/json"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// Sentences of ours that a request can hold.
const (
	imagesFollow  = "Images from the tool results above:"
	resultsBridge = "I have the tool results."
)

// toolCallID is the rule for ids: those of other vendors become at most 40
// letters, digits, "_" and "-", which is OpenAI's limit. Of an id made of two
// parts ("call|item", as the Responses protocol has them) the first part says
// enough when both are too long.
func toolCallID(id string, same bool, attempt int) string {
	const limit = 40
	if same && attempt == 0 {
		return id
	}
	if attempt == 0 && len(id) > limit {
		if first, _, two := strings.Cut(id, "|"); two {
			tail := "_" + ai.ShortHash(id)
			first = ai.PlainID(first, limit-len(tail), 0)
			return first + tail
		}
	}
	return ai.PlainID(id, limit, attempt)
}

// unitsOf cuts a transcript into units: a run of tool results is one, as their
// images follow the run, and so is the user message behind it where a bridge
// goes between.
func unitsOf(messages []ai.Message, t *traits) []history.Unit {
	units := make([]history.Unit, 0, len(messages))
	for i := 0; i < len(messages); {
		end := i + 1
		if _, ok := messages[i].(*ai.ToolResultMessage); ok {
			for end < len(messages) {
				if _, ok := messages[end].(*ai.ToolResultMessage); !ok {
					break
				}
				end++
			}
			if end < len(messages) && t.bridge {
				if _, ok := messages[end].(*ai.UserMessage); ok {
					end++
				}
			}
		}
		units = append(units, history.Unit{At: i, Messages: messages[i:end:end]})
		i = end
	}
	return units
}

// encoder writes messages.
type encoder struct {
	t         *traits
	model     *ai.Model
	grammars  openai.Grammars
	role      string // of system messages
	sysMarker string // on the leading system message
	marker    string // on the last text of the unit being written, "" for none
	err       error  // why something could not be written
}

// unit appends a unit.
func (e *encoder) unit(dst []byte, u history.Unit) []byte {
	w := list{dst: dst, from: len(dst)}
	var images []*ai.Image
	marked := lastText(u)
	for i, m := range u.Messages {
		marker := ""
		if i == marked {
			marker = e.marker
		}
		switch m := m.(type) {
		case *ai.SystemMessage:
			e.system(&w, m, u.At == 0)
		case *ai.UserMessage:
			if i > 0 { // behind tool results
				e.bridge(&w)
			}
			e.user(&w, m, marker)
		case *ai.AssistantMessage:
			e.assistant(&w, m, marker)
		case *ai.ToolResultMessage:
			e.result(&w, m, marker)
			for _, b := range m.Content {
				if img, ok := b.(*ai.Image); ok {
					images = append(images, img)
				}
			}
			if last := i+1 == len(u.Messages) || !isResult(u.Messages[i+1]); last && len(images) > 0 {
				e.bridge(&w)
				w.next()
				w.dst = append(w.dst, `{"role":"user","content":[{"type":"text","text":`...)
				w.dst = jsonobj.AppendString(w.dst, imagesFollow)
				w.dst = append(w.dst, '}')
				for _, img := range images {
					w.dst = append(w.dst, ',')
					w.dst = appendImage(w.dst, img)
				}
				w.dst = append(w.dst, `]}`...)
			}
		}
	}
	return w.dst
}

func isResult(m ai.Message) bool { _, ok := m.(*ai.ToolResultMessage); return ok }

// lastText is the index of the last message of a unit that can carry a marker,
// -1 when none can.
func lastText(u history.Unit) int {
	for i := len(u.Messages) - 1; i >= 0; i-- {
		if hasText(u.Messages[i]) {
			return i
		}
	}
	return -1
}

// hasText reports whether a cache marker can go on a message.
func hasText(m ai.Message) bool {
	var content []ai.Block
	switch m := m.(type) {
	case *ai.UserMessage:
		content = m.Content
	case *ai.AssistantMessage:
		content = m.Content
	case *ai.ToolResultMessage:
		return true // there is a placeholder otherwise
	}
	for _, b := range content {
		if t, ok := b.(*ai.Text); ok && strings.TrimSpace(t.Text) != "" {
			return true
		}
	}
	return false
}

// list writes elements of an array.
type list struct {
	dst  []byte
	from int
}

func (w *list) next() {
	if len(w.dst) > w.from {
		w.dst = append(w.dst, ',')
	}
}

func (e *encoder) bridge(w *list) {
	if !e.t.bridge {
		return
	}
	w.next()
	w.dst = append(w.dst, `{"role":"assistant","content":`...)
	w.dst = jsonobj.AppendString(w.dst, resultsBridge)
	w.dst = append(w.dst, '}')
}

func (e *encoder) system(w *list, m *ai.SystemMessage, leading bool) {
	text, marker := m.UpdateText(), ""
	if leading {
		text, marker = m.Text(), e.sysMarker
	} else if len(m.ToolsAdded) > 0 {
		// Kimi's form of tools that are declared on the way.
		w.next()
		w.dst = append(w.dst, `{"role":"system","tools":[`...)
		tools, err := appendTools(w.dst, m.ToolsAdded, e.t, "")
		if err != nil {
			e.err = err
			return
		}
		w.dst = append(tools, `]}`...)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	w.next()
	w.dst = append(w.dst, `{"role":`...)
	w.dst = jsonobj.AppendString(w.dst, e.role)
	w.dst = append(w.dst, `,"content":`...)
	w.dst = appendTextContent(w.dst, text, marker)
	w.dst = append(w.dst, '}')
}

// appendTextContent writes a content of one text: a string, or where a marker
// needs it, a list of one part.
func appendTextContent(dst []byte, text, marker string) []byte {
	if marker == "" {
		return jsonobj.AppendString(dst, text)
	}
	return append(appendTextPart(append(dst, '['), text, marker), ']')
}

func appendTextPart(dst []byte, text, marker string) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	dst = jsonobj.AppendString(dst, text)
	return append(append(dst, marker...), '}')
}

func appendImage(dst []byte, img *ai.Image) []byte {
	dst = append(dst, `{"type":"image_url","image_url":{"url":`...)
	dst = jsonobj.AppendString(dst, "data:"+img.MIMEType+";base64,"+img.Data)
	return append(dst, `}}`...)
}

func (e *encoder) user(w *list, m *ai.UserMessage, marked string) {
	w.next()
	w.dst = append(w.dst, `{"role":"user","content":`...)
	if len(m.Content) == 1 {
		if t, ok := m.Content[0].(*ai.Text); ok {
			w.dst = append(appendTextContent(w.dst, t.Text, marked), '}')
			return
		}
	}
	last := -1
	for i, b := range m.Content {
		if b.Type() == ai.BlockText {
			last = i
		}
	}
	parts := list{dst: append(w.dst, '['), from: len(w.dst) + 1}
	for i, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			marker := ""
			if i == last {
				marker = marked
			}
			parts.next()
			parts.dst = appendTextPart(parts.dst, b.Text, marker)
		case *ai.Image:
			parts.next()
			parts.dst = appendImage(parts.dst, b)
		}
	}
	w.dst = append(parts.dst, `]}`...)
}

func (e *encoder) result(w *list, m *ai.ToolResultMessage, marker string) {
	var texts []string
	images := false
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			texts = append(texts, b.Text)
		case *ai.Image:
			images = true
		}
	}
	text := strings.Join(texts, "\n")
	if text == "" {
		text = ai.NoteNoToolOutput
		if images {
			text = ai.NoteSeeImage
		}
	}
	w.next()
	w.dst = append(w.dst, `{"role":"tool","tool_call_id":`...)
	w.dst = jsonobj.AppendString(w.dst, m.ToolCallID)
	if e.t.resultName {
		w.dst = append(w.dst, `,"name":`...)
		w.dst = jsonobj.AppendString(w.dst, m.ToolName)
	}
	w.dst = append(w.dst, `,"content":`...)
	w.dst = append(appendTextContent(w.dst, text, marker), '}')
}

func (e *encoder) assistant(w *list, m *ai.AssistantMessage, marker string) {
	text := ""
	var thinking []*ai.Thinking
	var calls []*ai.ToolCall
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			text += b.Text
		case *ai.Thinking:
			thinking = append(thinking, b)
		case *ai.ToolCall:
			calls = append(calls, b)
		}
	}
	asText := ""
	if e.t.thinkingAsText {
		asText = thinkingText(thinking)
	}
	if text == "" && asText == "" && len(calls) == 0 {
		return
	}
	w.next()
	w.dst = append(w.dst, `{"role":"assistant","content":`...)
	switch {
	case asText != "":
		w.dst = appendTextPart(append(w.dst, '['), asText, "")
		if text != "" {
			w.dst = appendTextPart(append(w.dst, ','), text, marker)
		}
		w.dst = append(w.dst, ']')
	case text != "":
		w.dst = appendTextContent(w.dst, text, marker)
	case e.t.nonNullContent || e.t.bridge:
		w.dst = append(w.dst, `""`...)
	default:
		w.dst = append(w.dst, "null"...)
	}
	e.reasoning(w, thinking, calls)
	if len(calls) > 0 {
		w.dst = append(w.dst, `,"tool_calls":[`...)
		for i, c := range calls {
			if i > 0 {
				w.dst = append(w.dst, ',')
			}
			w.dst = e.appendCall(w.dst, c)
		}
		w.dst = append(w.dst, ']')
	}
	w.dst = append(w.dst, '}')
}

func thinkingText(blocks []*ai.Thinking) string {
	var texts []string
	for _, b := range blocks {
		if strings.TrimSpace(b.Text) != "" && !b.Redacted {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

func (e *encoder) appendCall(dst []byte, c *ai.ToolCall) []byte {
	dst = append(dst, `{"id":`...)
	dst = jsonobj.AppendString(dst, c.ID)
	if g := e.grammars[c.Name]; g != nil {
		dst = append(dst, `,"type":"custom","custom":{"name":`...)
		dst = jsonobj.AppendString(dst, c.Name)
		dst = append(dst, `,"input":`...)
		dst = jsonobj.AppendString(dst, g.Input(c.Arguments))
		return append(dst, `}}`...)
	}
	args := []byte(c.Arguments)
	if len(args) == 0 || !json.Valid(args) {
		args = []byte("{}")
	}
	dst = append(dst, `,"type":"function","function":{"name":`...)
	dst = jsonobj.AppendString(dst, c.Name)
	dst = append(dst, `,"arguments":`...)
	dst = jsonobj.AppendString(dst, args)
	return append(dst, `}}`...)
}

// reasoning sends the model's own reasoning back, in the field it came in.
func (e *encoder) reasoning(w *list, thinking []*ai.Thinking, calls []*ai.ToolCall) {
	field := ""
	if !e.t.thinkingAsText {
		field = e.reasoningFields(w, thinking, calls)
	}
	if e.t.reasoningContent && e.model.Reasoning && field != "reasoning_content" {
		w.dst = append(w.dst, `,"reasoning_content":""`...)
	}
}

// reasoningFields writes the reasoning and gives the name of its field.
func (e *encoder) reasoningFields(w *list, thinking []*ai.Thinking, calls []*ai.ToolCall) string {
	if details := replayDetails(thinking, calls); len(details) > 0 {
		w.dst = append(w.dst, `,"reasoning_details":[`...)
		w.dst = append(w.dst, details...)
		w.dst = append(w.dst, ']')
		return "reasoning_details"
	}
	field := reasoningField(thinking)
	if field == "" {
		return ""
	}
	var texts []string
	for _, b := range thinking {
		texts = append(texts, b.Text)
	}
	w.dst = append(w.dst, ',')
	w.dst = jsonobj.AppendString(w.dst, field)
	w.dst = append(w.dst, ':')
	w.dst = jsonobj.AppendString(w.dst, strings.Join(texts, "\n"))
	return field
}

// reasoningField is the field that the first thinking block names.
func reasoningField(thinking []*ai.Thinking) string {
	if len(thinking) == 0 {
		return ""
	}
	switch s := thinking[0].Signature; s {
	case "reasoning", "reasoning_content", "reasoning_text":
		return s
	}
	return ""
}
