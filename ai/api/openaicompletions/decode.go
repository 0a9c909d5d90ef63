package openaicompletions

import (
	"encoding/json"
	"errors"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/internal/wire"
)

// decoder turns chunks into blocks.
type decoder struct {
	out      *ai.Emitter
	msg      *ai.AssistantMessage
	call     *ai.Call
	t        *traits
	grammars openai.Grammars

	text, thinking *ai.BlockWriter // the open one, at most one of them
	field          string          // of the open thinking block
	details        details         // of the open thinking block
	calls          []*toolCall

	json   jsonscan.Decoder
	chunk  chunk // of the last event
	frames int
	finish string // the vendor's word, empty until it came
	done   bool   // [DONE] came
	usage  *usage
	oddity wire.Oddity
	slow   bool // for tests: never use the scanner
}

// chunk is one event of the stream, or a whole answer.
type chunk struct {
	ID      jsonscan.Label  `json:"id"`
	Model   jsonscan.Label  `json:"model"`
	Object  jsonscan.Label  `json:"object"`
	Error   json.RawMessage `json:"error"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
}

type choice struct {
	Delta   delta           `json:"delta"`
	Message *delta          `json:"message"` // of an answer that is no stream
	Finish  string          `json:"finish_reason"`
	Usage   *usage          `json:"usage"` // Moonshot
	Error   json.RawMessage `json:"error"` // OpenRouter
}

type delta struct {
	Content          content        `json:"content"`
	Refusal          string         `json:"refusal"`
	ReasoningContent string         `json:"reasoning_content"`
	Reasoning        string         `json:"reasoning"`
	ReasoningText    string         `json:"reasoning_text"`
	Details          []detail       `json:"reasoning_details"`
	ToolCalls        []callDelta    `json:"tool_calls"`
	FunctionCall     *functionDelta `json:"function_call"` // the older form of one call
}

// content is text, or a list of parts of which those of type text and thinking
// mean something (Mistral's models behind gateways).
type content struct{ text, thinking string }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(data []byte) error {
	switch {
	case len(data) > 1 && data[0] == '"':
		c.text, _ = jsonscan.Text(data) // encoding/json gives valid strings only
	case len(data) > 0 && data[0] == '[':
		var parts []struct {
			Type     string          `json:"type"`
			Text     string          `json:"text"`
			Thinking json.RawMessage `json:"thinking"`
		}
		if err := json.Unmarshal(data, &parts); err != nil {
			return err
		}
		for _, p := range parts {
			c.text += p.Text
			if len(p.Thinking) > 0 {
				var inner content
				if json.Unmarshal(p.Thinking, &inner) == nil {
					c.thinking += inner.text
				}
			}
		}
	}
	return nil
}

// reset makes room for the next event: its memory is that of the last one. The
// names stay: those that come first count.
func (c *chunk) reset() {
	choices := c.Choices[:cap(c.Choices)]
	for i := range choices {
		calls := choices[i].Delta.ToolCalls
		clear(calls[:cap(calls)])
		choices[i] = choice{Delta: delta{ToolCalls: calls[:0]}}
	}
	*c = chunk{ID: c.ID, Model: c.Model, Object: c.Object, Choices: choices[:0]}
}

// frame takes one event.
func (d *decoder) frame(data []byte) (done bool, err error) {
	if string(data) == "[DONE]" {
		d.done = true
		return true, nil
	}
	if d.frames > 0 && !d.slow && d.scan(data) {
		return false, nil
	}
	d.frames++
	return false, d.decode(data)
}

// decode takes an event by way of encoding/json.
func (d *decoder) decode(data []byte) error {
	c := &d.chunk
	c.reset()
	if err := d.json.Decode(data, c); err != nil {
		var odd *json.UnmarshalTypeError
		if !errors.As(err, &odd) {
			return wire.NotJSON(err, data)
		}
		// A field of another type than known is left out; the rest counts.
		d.odd(odd.Error(), data)
	}
	if c.Object == "error" || meant(c.Error) {
		return ai.StreamError(data)
	}
	d.head(c)
	if c.Usage != nil {
		d.usage = c.Usage
	}
	if len(c.Choices) == 0 {
		return nil
	}
	ch := &c.Choices[0]
	if meant(ch.Error) {
		return ai.StreamError(ch.Error)
	}
	if c.Usage == nil && ch.Usage != nil {
		d.usage = ch.Usage
	}
	d.delta(&ch.Delta)
	if ch.Message != nil && len(d.msg.Content) == 0 {
		d.delta(ch.Message)
	}
	if ch.Finish != "" {
		d.finish = ch.Finish
	}
	return nil
}

// meant reports whether a field holds anything.
func meant(v json.RawMessage) bool {
	switch string(v) {
	case "", "null", `""`, "{}", "false":
		return false
	}
	return true
}

// odd notes the first event that was not understood in full.
func (d *decoder) odd(problem string, data []byte) {
	d.oddity.Note(d.out, problem, data)
}

// head takes the names of the answer: the first that come.
func (d *decoder) head(c *chunk) {
	if d.msg.ResponseID == "" {
		d.msg.ResponseID = string(c.ID)
	}
	if d.msg.ResponseModel == "" && c.Model != "" && string(c.Model) != d.call.Model.ID {
		d.msg.ResponseModel = string(c.Model)
	}
}

func (d *decoder) delta(c *delta) {
	// Servers that send several fields send the same in all.
	switch {
	case c.ReasoningContent != "":
		d.think("reasoning_content", c.ReasoningContent)
	case c.Reasoning != "":
		d.think("reasoning", c.Reasoning)
	case c.ReasoningText != "":
		d.think("reasoning_text", c.ReasoningText)
	case c.Content.thinking != "":
		d.think("reasoning_content", c.Content.thinking)
	}
	for _, entry := range c.Details {
		if entry.valid() {
			if d.thinking == nil {
				d.openThinking("")
			}
			d.out.Hold(entry.size())
			d.details.add(entry)
		}
	}
	if c.Content.text != "" {
		d.say(c.Content.text)
	}
	if c.Refusal != "" {
		d.say(c.Refusal)
	}
	if f := c.FunctionCall; f != nil {
		d.callDelta(&callDelta{first: true, Function: *f})
	}
	for i := range c.ToolCalls {
		d.callDelta(&c.ToolCalls[i])
	}
}

// think appends reasoning that came in a field.
func (d *decoder) think(field, text string) {
	if field == "reasoning" {
		field = d.t.reasoningAs
	}
	if d.thinking == nil {
		d.openThinking(field)
	} else if d.field == "" {
		d.field = field // the block was opened by details
		d.thinking.SetSignature(field)
	}
	d.thinking.Append(text)
}

func (d *decoder) openThinking(field string) {
	d.closeBlocks()
	d.thinking, d.field, d.details = d.out.Thinking(), field, details{}
	d.thinking.SetSignature(field)
}

func (d *decoder) say(text string) {
	if d.text == nil {
		d.closeBlocks()
		d.text = d.out.Text()
	}
	d.text.Append(text)
}

// closeBlocks ends what is open, as another block begins: text, thinking, and
// calls whose arguments are whole. Other calls may still get deltas.
func (d *decoder) closeBlocks() {
	d.closeSpoken()
	for _, c := range d.calls {
		c.closeIfWhole(d)
	}
}

// closeSpoken ends the open text or thinking.
func (d *decoder) closeSpoken() {
	d.keepDetails()
	if d.thinking != nil {
		d.thinking.End()
		d.thinking = nil
	}
	if d.text != nil {
		d.text.End()
		d.text = nil
	}
}

// keepDetails stores the gathered details in the open thinking block.
func (d *decoder) keepDetails() {
	if d.thinking != nil && !d.details.empty() {
		d.thinking.SetSignature(d.details.signature())
	}
	d.details = details{}
}

// settle leaves the message whole whatever happened: signatures, usage, and the
// ids that vendors forgot.
func (d *decoder) settle() {
	d.keepDetails()
	for _, c := range d.calls {
		c.complete(d)
	}
	d.msg.RawStopReason = d.finish
	if d.usage == nil {
		d.msg.Usage = ai.Usage{Unknown: true}
		return
	}
	d.msg.Usage = d.usage.tokens(d.call.Model, d.t.billedCost)
}

// complete reports whether the answer was whole although the connection then
// broke: the vendor had said why it ended.
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
	if d.finish == "" {
		if d.t.finishReason {
			return ai.Errorf(ai.KindCutStream, "Stream ended without finish_reason")
		}
		d.msg.StopReason = ai.StopEnd
		if len(d.calls) > 0 {
			d.msg.StopReason = ai.StopToolUse
		}
	} else if err := d.stop(); err != nil {
		return err
	}
	d.closeSpoken()
	for _, c := range d.calls {
		c.end(d)
	}
	return nil
}

// stop translates the vendor's word for why the answer ended.
func (d *decoder) stop() error {
	switch d.finish {
	case "stop", "end", "eos", "stop_sequence":
		d.msg.StopReason = ai.StopEnd
		if len(d.calls) > 0 {
			d.msg.StopReason = ai.StopToolUse
		}
	case "length", "max_tokens":
		d.msg.StopReason = ai.StopLength
	case "tool_calls", "function_call", "tool_use":
		d.msg.StopReason = ai.StopToolUse
		if len(d.calls) == 0 {
			d.msg.StopReason = ai.StopEnd
		}
	default:
		code, err := json.Marshal(map[string]string{"code": d.finish})
		if err != nil {
			code = nil
		}
		e := ai.StreamError(code)
		e.Message, e.Body = "Provider finish_reason: "+d.finish, ""
		return e
	}
	return nil
}
