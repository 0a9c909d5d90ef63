package mistralconversations

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/internal/partialjson"
	"github.com/pi-go/pi/ai/internal/wire"
)

// decoder turns chunks into blocks.
type decoder struct {
	out  *ai.Emitter
	msg  *ai.AssistantMessage
	call *ai.Call

	text, thinking *ai.BlockWriter // the open one, at most one of them
	calls          []*toolCall

	json  jsonscan.Decoder
	lists [2]struct { // of content, and of thinking within it
		json  jsonscan.Decoder
		parts []part
	}
	chunk  chunk // of the last event
	frames int
	finish string // the vendor's word, empty until it came
	usage  *usage
	oddity wire.Oddity
	slow   bool // for tests: never use the scanner
}

type toolCall struct {
	w     *ai.BlockWriter
	index int // -1 when the vendor gave none
	id    string
	args  partialjson.Whole
}

type chunk struct {
	ID      jsonscan.Label  `json:"id"`
	Model   jsonscan.Label  `json:"model"`
	Object  jsonscan.Label  `json:"object"`
	Error   json.RawMessage `json:"error"`
	Usage   *usage          `json:"usage"`
	Choices []choice        `json:"choices"`
}

type choice struct {
	Delta   delta  `json:"delta"`
	Message *delta `json:"message"` // of an answer that is no stream
	Finish  string `json:"finish_reason"`
}

type delta struct {
	Content   json.RawMessage `json:"content"`
	ToolCalls []callDelta     `json:"tool_calls"`
}

type callDelta struct {
	Index    openai.CallIndex `json:"index"`
	ID       string           `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// reset makes room for the next event: its memory is that of the last one. The
// names stay: those that come first count.
func (c *chunk) reset() {
	choices := c.Choices[:cap(c.Choices)]
	for i := range choices {
		d := &choices[i].Delta
		calls := d.ToolCalls[:cap(d.ToolCalls)]
		for j := range calls {
			arguments := calls[j].Function.Arguments
			calls[j] = callDelta{}
			calls[j].Function.Arguments = arguments[:0]
		}
		choices[i] = choice{Delta: delta{Content: d.Content[:0], ToolCalls: calls[:0]}}
	}
	*c = chunk{ID: c.ID, Model: c.Model, Object: c.Object, Choices: choices[:0]}
}

// part is one part of content that comes as a list.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking json.RawMessage `json:"thinking"`
}

// frame takes one event.
func (d *decoder) frame(data []byte) (done bool, err error) {
	if string(data) == "[DONE]" {
		return true, nil
	}
	if d.frames > 0 && !d.slow && d.scan(data) {
		return false, nil
	}
	d.frames++
	return false, d.decode(data)
}

func (d *decoder) decode(data []byte) error {
	c := &d.chunk
	c.reset()
	if err := d.json.Decode(data, c); err != nil {
		var odd *json.UnmarshalTypeError
		if !errors.As(err, &odd) {
			return wire.NotJSON(err, data)
		}
		d.odd(odd.Error(), data)
	}
	if c.Object == "error" || len(c.Error) > 0 && string(c.Error) != "null" {
		return ai.StreamError(data)
	}
	if d.msg.ResponseID == "" {
		d.msg.ResponseID = string(c.ID)
	}
	if d.msg.ResponseModel == "" && c.Model != "" && string(c.Model) != d.call.Model.ID {
		d.msg.ResponseModel = string(c.Model)
	}
	if c.Usage != nil {
		d.usage = c.Usage
	}
	if len(c.Choices) == 0 {
		return nil
	}
	ch := &c.Choices[0]
	d.delta(&ch.Delta)
	if ch.Message != nil && len(d.msg.Content) == 0 {
		d.delta(ch.Message)
	}
	if ch.Finish != "" {
		d.finish = ch.Finish
	}
	return nil
}

func (d *decoder) odd(problem string, data []byte) {
	d.oddity.Note(d.out, problem, data)
}

func (d *decoder) delta(c *delta) {
	text, plain := jsonscan.Text(c.Content)
	d.say(text)
	var parts []part
	if !plain {
		parts = d.partsOf(0, c.Content)
	}
	for _, p := range parts {
		if p.Type == "thinking" {
			for _, t := range d.partsOf(1, p.Thinking) {
				d.think(t.Text)
			}
			continue
		}
		d.say(p.Text) // references and the like have no text
	}
	for i := range c.ToolCalls {
		t := &c.ToolCalls[i]
		if t.ID == "null" {
			t.ID = ""
		}
		d.callDelta(t.Index.Index(), t.ID, t.Function.Name, argumentText(t.Function.Arguments))
	}
}

// partsOf reads content: a text, or a list of parts. They are valid until content of
// the same depth is read.
func (d *decoder) partsOf(depth int, raw json.RawMessage) []part {
	if len(raw) == 0 {
		return nil
	}
	list := &d.lists[depth]
	switch raw[0] {
	case '"':
		if text, ok := jsonscan.Text(raw); ok {
			return []part{{Type: "text", Text: text}}
		}
	case '[':
		parts := list.parts[:cap(list.parts)]
		for i := range parts {
			parts[i] = part{Thinking: parts[i].Thinking[:0]}
		}
		list.parts = parts[:0]
		if err := list.json.Decode(raw, &list.parts); err == nil {
			return list.parts
		}
	}
	return nil
}

// argumentText gives arguments as text; the vendor sends a string, or the object
// itself.
func argumentText(raw json.RawMessage) string {
	text, ok := jsonscan.Text(raw)
	if ok || string(raw) == "null" {
		return text
	}
	return string(raw)
}

func (d *decoder) think(text string) {
	if text == "" {
		return
	}
	if d.thinking == nil {
		d.closeBlocks()
		d.thinking = d.out.Thinking()
	}
	d.thinking.Append(text)
}

func (d *decoder) say(text string) {
	if text == "" {
		return
	}
	if d.text == nil {
		d.closeBlocks()
		d.text = d.out.Text()
	}
	d.text.Append(text)
}

func (d *decoder) callDelta(index int, id, name, text string) {
	var call *toolCall
	for _, c := range d.calls {
		if index >= 0 && c.index == index || index < 0 && id != "" && c.id == id {
			call = c
		}
	}
	if n := len(d.calls); call == nil && index < 0 && id == "" && name == "" && n > 0 {
		call = d.calls[n-1]
	}
	if call == nil {
		if id == "" && name == "" && text == "" {
			return
		}
		d.closeBlocks()
		call = &toolCall{index: index, id: id, w: d.out.ToolCall(id, name)}
		d.calls = append(d.calls, call)
	}
	if c := call.w.Call(); !call.w.Closed() {
		if call.id == "" {
			call.id, c.ID = id, id
		}
		if c.Name == "" {
			c.Name = name
		}
	}
	if call.w.Closed() && strings.TrimSpace(text) != "" {
		d.odd(fmt.Sprintf("more arguments for the call %q, which were whole", call.w.Call().ID), []byte(text))
	}
	call.w.Append(text)
}

// closeBlocks ends what is open, as another block begins: text, thinking, and
// calls whose arguments are whole.
func (d *decoder) closeBlocks() {
	d.closeSpoken()
	for _, c := range d.calls {
		if !c.w.Closed() && c.args.Is(c.w.String()) {
			d.endCall(c)
		}
	}
}

func (d *decoder) closeSpoken() {
	if d.thinking != nil {
		d.thinking.End()
		d.thinking = nil
	}
	if d.text != nil {
		d.text.End()
		d.text = nil
	}
}

func (d *decoder) endCall(c *toolCall) {
	d.nameCall(c)
	c.w.End()
}

// nameCall gives an id to a call that came without.
func (d *decoder) nameCall(c *toolCall) {
	if call := c.w.Call(); call.ID == "" {
		call.ID = hashID(d.msg.ResponseID + " " + strconv.FormatInt(d.msg.Timestamp, 10) + " " + strconv.Itoa(c.w.Index()))
	}
}

// settle leaves the message whole whatever happened.
func (d *decoder) settle() {
	for _, c := range d.calls {
		d.nameCall(c)
	}
	d.msg.RawStopReason = d.finish
	if d.usage == nil {
		d.msg.Usage = ai.Usage{Unknown: true}
		return
	}
	d.msg.Usage = d.usage.tokens()
}

// complete reports whether the answer was whole although the connection then
// broke.
func (d *decoder) complete(err error) bool {
	var e *ai.APIError
	if d.finish == "" || !errors.As(err, &e) || e.Kind != ai.KindCutStream {
		return false
	}
	d.out.Diagnose("connection_lost_after_end", map[string]string{"problem": e.Message})
	return true
}

// end decides how the answer ended.
func (d *decoder) end() error {
	switch d.finish {
	case "":
		return ai.Errorf(ai.KindCutStream, "Mistral stream ended without a finish reason")
	case "stop", "tool_calls":
		d.msg.StopReason = ai.StopEnd
		if len(d.calls) > 0 {
			d.msg.StopReason = ai.StopToolUse
		}
	case "length", "model_length":
		d.msg.StopReason = ai.StopLength
	case "error":
		return ai.Errorf(ai.KindServer, "server error: the vendor ended the answer with finish_reason error")
	case "content_filter":
		return ai.Errorf(ai.KindRefusal, "Provider finish_reason: content_filter")
	default:
		return ai.Errorf(ai.KindUnknown, "Provider finish_reason: %s", d.finish)
	}
	d.closeSpoken()
	for _, c := range d.calls {
		d.endCall(c)
	}
	return nil
}
