package responses

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// maxID is the length of ids that the protocol takes.
const maxID = 64

// idRule is the rule for ids of tool calls. The protocol's own are pairs
// ("call|item"); the item half means something to the model that made it only.
func idRule(paired bool) ai.IDRule {
	return func(id string, same bool, attempt int) string {
		call, item, two := strings.Cut(id, "|")
		if same && attempt == 0 && len(call) <= maxID {
			return id
		}
		if !two || !paired && !same {
			return strings.TrimRight(ai.PlainID(id, maxID, attempt), "_")
		}
		call = strings.TrimRight(ai.PlainID(call, maxID, attempt), "_")
		if same && attempt == 0 {
			return call + "|" + item
		}
		return call // the item stands with an earlier call already
	}
}

// callID is the half of an id that says which call it is.
func callID(id string) string {
	call, _, _ := strings.Cut(id, "|")
	return call
}

// encoder writes input items.
type encoder struct {
	model    *ai.Model
	t        *traits
	dialect  *Dialect
	grammars openai.Grammars
	role     string // of system messages
	effort   string // of this request, when it stands among the items
	err      error
}

// all appends units.
func (e *encoder) all(dst []byte, units []history.Unit) []byte {
	w := items{dst: dst, from: len(dst)}
	for _, u := range units {
		at := len(w.dst)
		w.next()
		body := len(w.dst)
		if w.dst = e.unit(w.dst, u); len(w.dst) == body {
			w.dst = w.dst[:at]
		}
	}
	return w.dst
}

// end appends what stands behind all messages.
func (e *encoder) end(dst []byte) []byte {
	if e.effort == "" {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, ',')
	}
	return appendEffort(dst, e.effort)
}

func appendEffort(dst []byte, effort string) []byte {
	dst = append(dst, `{"type":"configuration_update","reasoning":{"effort":`...)
	dst = jsonobj.AppendString(dst, effort)
	return append(dst, `}}`...)
}

// items writes elements of an array.
type items struct {
	dst  []byte
	from int
}

func (w *items) next() {
	if len(w.dst) > w.from {
		w.dst = append(w.dst, ',')
	}
}

func (w *items) str(s string) { w.dst = append(w.dst, s...) }

func (w *items) quoted(s string) { w.dst = jsonobj.AppendString(w.dst, s) }

// unit appends the items of one message.
func (e *encoder) unit(dst []byte, u history.Unit) []byte {
	w := items{dst: dst, from: len(dst)}
	switch m := u.Messages[0].(type) {
	case *ai.SystemMessage:
		e.system(&w, m, u.At)
	case *ai.UserMessage:
		w.str(`{"role":"user","content":`)
		appendContent(&w, m.Content)
		w.str(`}`)
	case *ai.AssistantMessage:
		e.assistant(&w, m, u.At)
	case *ai.ToolResultMessage:
		e.result(&w, m)
	}
	return w.dst
}

func (e *encoder) system(w *items, m *ai.SystemMessage, at int) {
	text := m.UpdateText()
	if at == 0 {
		text = m.Text()
	}
	if strings.TrimSpace(text) != "" {
		w.str(`{"role":`)
		w.quoted(e.role)
		w.str(`,"content":`)
		w.quoted(text)
		w.str(`}`)
	}
	if len(m.ToolsAdded) == 0 {
		return
	}
	before, more := "", ""
	switch {
	case e.t.midSystem && e.t.additionalTools:
		before = `{"type":"additional_tools","role":"developer","tools":[`
	case e.t.toolSearch && at > 0:
		id := "search_" + strconv.Itoa(at)
		before = `{"type":"tool_search_call","call_id":"` + id + `","execution":"client","status":"completed","arguments":{}},` +
			`{"type":"tool_search_output","call_id":"` + id + `","execution":"client","status":"completed","tools":[`
		more = `,"defer_loading":true`
	default:
		return // at the top of the request
	}
	w.next()
	w.str(before)
	tools, err := appendTools(w.dst, m.ToolsAdded, e.t, e.dialect, more)
	if err != nil {
		e.err = err
		return
	}
	w.dst = append(tools, `]}`...)
}

// appendContent writes texts and images as a list.
func appendContent(w *items, content []ai.Block) {
	list := items{dst: append(w.dst, '['), from: len(w.dst) + 1}
	for _, b := range content {
		switch b := b.(type) {
		case *ai.Text:
			list.next()
			list.str(`{"type":"input_text","text":`)
			list.quoted(b.Text)
			list.str(`}`)
		case *ai.Image:
			list.next()
			list.str(`{"type":"input_image","detail":"auto","image_url":`)
			list.quoted("data:" + b.MIMEType + ";base64," + b.Data)
			list.str(`}`)
		}
	}
	w.dst = append(list.dst, ']')
}

// own reports whether the answer is of the very model that is asked.
func (e *encoder) own(m *ai.AssistantMessage) bool {
	return m.API == e.model.API && m.Provider == e.model.Provider && m.Model == e.model.ID
}

func (e *encoder) assistant(w *items, m *ai.AssistantMessage, at int) {
	own := e.own(m)
	if e.effort != "" && own && m.ProviderThinkingLevel != "" {
		w.dst = appendEffort(w.dst, m.ProviderThinkingLevel)
	}
	start := len(w.dst)
	texts := 0
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			w.next()
			e.text(w, b, at, texts)
			texts++
		case *ai.Thinking:
			if strings.HasPrefix(b.Signature, "{") && json.Valid([]byte(b.Signature)) {
				w.next()
				w.str(b.Signature)
			}
		case *ai.ToolCall:
			w.next()
			e.call(w, b, own)
		}
	}
	if len(w.dst) == start {
		w.dst = w.dst[:w.from] // an effort without an answer says nothing
	}
}

// textSignature is what a text block keeps of its item.
type textSignature struct {
	V     int    `json:"v"`
	ID    string `json:"id"`
	Phase string `json:"phase,omitempty"`
}

// parseTextSignature reads a signature; one that is no object is a bare id.
func parseTextSignature(s string) textSignature {
	var sig textSignature
	if strings.HasPrefix(s, "{") && json.Unmarshal([]byte(s), &sig) == nil {
		return sig
	}
	return textSignature{ID: s}
}

func (e *encoder) text(w *items, b *ai.Text, at, n int) {
	sig := parseTextSignature(b.Signature)
	switch {
	case sig.ID == "":
		sig.ID = "msg_pi_" + strconv.Itoa(at)
		if n > 0 {
			sig.ID += "_" + strconv.Itoa(n)
		}
	case len(sig.ID) > maxID:
		sig.ID = "msg_" + ai.ShortHash(sig.ID)
	}
	w.str(`{"type":"message","role":"assistant","status":"completed","id":`)
	w.quoted(sig.ID)
	if sig.Phase != "" {
		w.str(`,"phase":`)
		w.quoted(sig.Phase)
	}
	w.str(`,"content":[{"type":"output_text","text":`)
	w.quoted(b.Text)
	w.str(`,"annotations":[]}]}`)
}

func (e *encoder) call(w *items, c *ai.ToolCall, own bool) {
	id, item, _ := strings.Cut(c.ID, "|")
	grammar := e.grammars[c.Name]
	kind, prefix := "function_call", "fc_"
	if grammar != nil {
		kind, prefix = "custom_tool_call", "ctc_"
	}
	w.str(`{"type":"` + kind + `"`)
	if own && strings.HasPrefix(item, prefix) {
		w.str(`,"id":`)
		w.quoted(item)
	}
	w.str(`,"call_id":`)
	w.quoted(id)
	w.str(`,"name":`)
	w.quoted(c.Name)
	if c.Namespace != "" {
		w.str(`,"namespace":`)
		w.quoted(c.Namespace)
	}
	if grammar != nil {
		w.str(`,"input":`)
		w.quoted(grammar.Input(c.Arguments))
	} else {
		w.str(`,"arguments":`)
		args := string(c.Arguments)
		if !json.Valid(c.Arguments) {
			args = "{}"
		}
		w.quoted(args)
	}
	w.str(`}`)
}

func (e *encoder) result(w *items, m *ai.ToolResultMessage) {
	id, _, _ := strings.Cut(m.ToolCallID, "|")
	kind := "function_call_output"
	if e.grammars[m.ToolName] != nil {
		kind = "custom_tool_call_output"
	}
	w.str(`{"type":"` + kind + `","call_id":`)
	w.quoted(id)
	w.str(`,"output":`)
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
	switch {
	case images:
		appendContent(w, m.Content)
	case len(texts) == 0:
		w.quoted(ai.NoteNoToolOutput)
	default:
		w.quoted(strings.Join(texts, "\n"))
	}
	w.str(`}`)
}
