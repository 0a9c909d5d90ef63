package anthropicmessages

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/partialjson"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
)

// redactedText is shown for thinking that the vendor hides.
const redactedText = "[Reasoning redacted]"

// decoder turns the vendor's events into an answer.
type decoder struct {
	r       *request
	out     *ai.Emitter
	blocks  []openBlock
	started bool // something of an answer came
	content bool // a block came
	stopped bool // message_stop came
	stop    string
	refusal string
	ignored map[string]bool
	json    jsonscan.Decoder
}

// openBlock is a block between its start and its stop.
type openBlock struct {
	index  int64
	w      *ai.BlockWriter // nil for a block that is not ours to show
	input  json.RawMessage // arguments that came whole with the start
	signed []byte          // the signature so far
}

func newDecoder(r *request, out *ai.Emitter) *decoder {
	out.Message().Usage.Unknown = true // until it comes
	return &decoder{r: r, out: out}
}

// event is the union of the vendor's events.
type event struct {
	Type         string          `json:"type"`
	Index        int64           `json:"index"`
	Message      *startMessage   `json:"message"`
	ContentBlock *contentBlock   `json:"content_block"`
	Delta        *delta          `json:"delta"`
	Usage        *usage          `json:"usage"`
	Changes      json.RawMessage `json:"input_transformations"`
	Error        json.RawMessage `json:"error"`
}

type startMessage struct {
	ID      string          `json:"id"`
	Model   string          `json:"model"`
	Usage   *usage          `json:"usage"`
	Changes json.RawMessage `json:"input_transformations"`
}

type contentBlock struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	Input     json.RawMessage `json:"input"`
}

type delta struct {
	Type        string          `json:"type"`
	Text        string          `json:"text"`
	Thinking    string          `json:"thinking"`
	PartialJSON string          `json:"partial_json"`
	Signature   string          `json:"signature"`
	StopReason  *string         `json:"stop_reason"`
	StopDetails *stopDetails    `json:"stop_details"`
	Changes     json.RawMessage `json:"input_transformations"`
}

type stopDetails struct {
	Explanation string `json:"explanation"`
}

type usage struct {
	Input      *int64 `json:"input_tokens"`
	Output     *int64 `json:"output_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	Creation   *struct {
		Hour *int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	OutputDetails *struct {
		Thinking *int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
	wire.Bill // of OpenRouter
}

// frame takes one event of the stream.
func (d *decoder) frame(f sse.Frame) (done bool, err error) {
	if d.fast(f.Data) {
		return false, nil
	}
	return d.slow(f)
}

func (d *decoder) slow(f sse.Frame) (done bool, err error) {
	switch {
	case string(f.Event) == "ping":
		return false, nil
	case string(f.Data) == "[DONE]": // gateways that translate from another protocol
		return true, nil
	}
	var e event
	data := f.Data
	if err := d.json.Decode(data, &e); err != nil {
		// Some gateways put raw line breaks into strings.
		data = partialjson.Repair(data)
		e = event{}
		if json.Unmarshal(data, &e) != nil {
			return false, d.malformed(f, err)
		}
	}
	if e.Type == "" {
		e.Type = string(f.Event)
	}
	if e.Type == "" && len(e.Error) > 0 && string(e.Error) != "null" {
		e.Type = "error" // gateways leave it out, also in answers that are no stream
	}
	switch e.Type {
	case "error":
		return false, ai.StreamError(data)
	case "message_start":
		return false, d.messageStart(&e)
	case "content_block_start":
		return false, d.blockStart(&e)
	case "content_block_delta":
		return false, d.blockDelta(&e)
	case "content_block_stop":
		d.blockStop(e.Index)
	case "message_delta":
		d.messageDelta(&e)
	case "message_stop":
		d.stopped = true
		return true, nil
	}
	return false, nil // ping, and what a later version of the protocol may send
}

// malformed names an event that is not JSON.
func (d *decoder) malformed(f sse.Frame, err error) error {
	data := string(f.Data)
	if len(data) > 1000 {
		data = data[:1000] + fmt.Sprintf("… (%d bytes)", len(f.Data))
	}
	kind := ai.KindProtocol
	if jsonscan.EndsEarly(err) {
		kind = ai.KindCutStream // it ends too early: the line broke
	}
	return &ai.APIError{
		Kind: kind, Phase: ai.PhaseStream, Err: err,
		Message: fmt.Sprintf("event %q of the stream is not JSON: %v; received: %s", f.Event, err, data),
	}
}

func (d *decoder) messageStart(e *event) error {
	d.started = true
	d.out.Start()
	m := d.out.Message()
	if e.Message == nil {
		return nil
	}
	if e.Message.ID != "" {
		m.ResponseID = e.Message.ID
	}
	if e.Message.Model != "" && e.Message.Model != d.r.call.Model.ID {
		m.ResponseModel = e.Message.Model
	}
	if d.r.think.inSystem != "" {
		m.ProviderThinkingLevel = d.r.think.inSystem
	}
	d.usage(e.Message.Usage)
	d.changes(e.Message.Changes, e.Changes)
	return nil
}

// changes notes what the vendor left out of the request.
func (d *decoder) changes(lists ...json.RawMessage) {
	for _, list := range lists {
		var items []json.RawMessage
		if json.Unmarshal(list, &items) == nil && len(items) > 0 {
			d.out.Diagnose("anthropic_input_transformations", items)
		}
	}
}

func (d *decoder) usage(u *usage) {
	if u == nil {
		return
	}
	to := &d.out.Message().Usage
	to.Unknown = false
	set := func(into *int64, n *int64) {
		if n != nil {
			*into = *n
		}
	}
	set(&to.Input, u.Input)
	set(&to.Output, u.Output)
	set(&to.CacheRead, u.CacheRead)
	set(&to.CacheWrite, u.CacheWrite)
	if u.Creation != nil {
		set(&to.CacheWrite1h, u.Creation.Hour)
	}
	if u.OutputDetails != nil && u.OutputDetails.Thinking != nil {
		to.Reasoning, to.HasReasoning = *u.OutputDetails.Thinking, true
	}
	to.Total = to.Input + to.Output + to.CacheRead + to.CacheWrite
	to.Cost = d.rates().Price(*to)
	if cost, ok := u.Dollars(); ok && d.r.traits.openRouter {
		to.Cost.Total, to.Cost.FromProvider = cost, true
	}
}

// rates are those of the model that answered.
func (d *decoder) rates() ai.Rates {
	if answered := d.out.Message().ResponseModel; answered != "" {
		for _, f := range d.r.traits.fallbacks {
			if f.Model == answered {
				return f.Cost
			}
		}
	}
	return d.r.call.Model.Cost
}

// find gives the open block of an index, nil when there is none.
func (d *decoder) find(index int64) *openBlock {
	for i := range d.blocks {
		if d.blocks[i].index == index {
			return &d.blocks[i]
		}
	}
	return nil
}

func (d *decoder) blockStart(e *event) error {
	d.started = true
	d.blockStop(e.Index) // a vendor that begins again with an index has ended the old block
	b := e.ContentBlock
	if b == nil {
		return ai.Errorf(ai.KindProtocol, "content_block_start of block %d has no content_block", e.Index)
	}
	open := openBlock{index: e.Index}
	switch b.Type {
	case "text":
		open.w = d.out.Text()
		open.w.Append(b.Text)
	case "thinking":
		open.w = d.out.Thinking()
		open.w.Append(b.Thinking)
		open.signed = []byte(b.Signature)
	case "redacted_thinking":
		open.w = d.out.Thinking()
		open.w.Redact(b.Data, redactedText)
	case "tool_use":
		open.w = d.out.ToolCall(b.ID, b.Name)
		if s := strings.TrimSpace(string(b.Input)); s != "" && s != "{}" && s != "null" {
			open.input = b.Input
		}
	case "fallback":
		// Another model answers. That is fine before it has said anything;
		// later, half of the answer would be one model's and half another's.
		if d.content {
			return &ai.APIError{Kind: ai.KindServer, Phase: ai.PhaseStream, Message: "the vendor changed to another model in the middle of the answer"}
		}
	default:
		d.out.Part()
		d.ignore(b.Type)
	}
	d.content = d.content || b.Type != "fallback"
	d.blocks = append(d.blocks, open)
	return nil
}

// ignore notes a kind of block that is not shown: the vendor's own tools and
// their results, and what a later version of the protocol may have.
func (d *decoder) ignore(kind string) {
	if d.ignored == nil {
		d.ignored = make(map[string]bool)
	}
	if !d.ignored[kind] && len(d.ignored) < 20 { // the first kinds say enough
		d.ignored[kind] = true
		d.out.Diagnose("anthropic_ignored_block", map[string]any{"type": kind})
	}
}

func (d *decoder) blockDelta(e *event) error {
	if e.Delta == nil {
		return nil
	}
	b := d.find(e.Index)
	if b == nil {
		if b = d.implied(e); b == nil {
			return ai.Errorf(ai.KindProtocol, "%s of block %d, which never started", e.Delta.Type, e.Index)
		}
	}
	if b.w == nil {
		return nil
	}
	kind, text := b.w.Kind(), ""
	switch e.Delta.Type {
	case "text_delta":
		if kind == ai.BlockText {
			text = e.Delta.Text
		}
	case "thinking_delta":
		if kind == ai.BlockThinking {
			text = e.Delta.Thinking
		}
	case "input_json_delta":
		if kind == ai.BlockToolCall {
			text = e.Delta.PartialJSON
		}
	case "signature_delta":
		if kind == ai.BlockThinking {
			d.out.Hold(len(e.Delta.Signature))
			b.signed = append(b.signed, e.Delta.Signature...)
		}
	}
	b.w.Append(text)
	return nil
}

// implied opens a block that a vendor forgot to announce; nil for a tool call,
// whose name would be missing.
func (d *decoder) implied(e *event) *openBlock {
	open := openBlock{index: e.Index}
	switch e.Delta.Type {
	case "text_delta":
		open.w = d.out.Text()
	case "thinking_delta":
		open.w = d.out.Thinking()
	case "input_json_delta":
		return nil
	}
	d.started, d.content = true, true
	d.blocks = append(d.blocks, open)
	return &d.blocks[len(d.blocks)-1]
}

func (d *decoder) blockStop(index int64) {
	for i := range d.blocks {
		if d.blocks[i].index != index {
			continue
		}
		b := &d.blocks[i]
		if b.w != nil {
			if b.input != nil && b.w.Len() == 0 {
				b.w.Append(string(b.input))
			}
			if len(b.signed) > 0 {
				b.w.SetSignature(string(b.signed))
			}
			b.w.End()
		}
		d.blocks = append(d.blocks[:i], d.blocks[i+1:]...)
		return
	}
}

func (d *decoder) messageDelta(e *event) {
	d.started = true
	d.usage(e.Usage)
	d.changes(e.Changes)
	if e.Delta == nil {
		return
	}
	d.changes(e.Delta.Changes)
	if e.Delta.StopReason != nil {
		d.stop = *e.Delta.StopReason
	}
	if e.Delta.StopDetails != nil {
		d.refusal = e.Delta.StopDetails.Explanation
	}
}

// end closes the answer when the stream is over.
func (d *decoder) end() error {
	m := d.out.Message()
	m.RawStopReason = d.stop
	if !d.stopped {
		return &ai.APIError{Kind: ai.KindCutStream, Phase: ai.PhaseStream, Message: "the stream ended before message_stop"}
	}
	for len(d.blocks) > 0 { // message_stop ends them too
		d.blockStop(d.blocks[0].index)
	}
	switch d.stop {
	case "end_turn", "stop_sequence", "pause_turn":
		m.StopReason = ai.StopEnd
		if len(m.ToolCalls()) > 0 { // vendors of other models do not always say so
			m.StopReason = ai.StopToolUse
		}
	case "max_tokens":
		m.StopReason = ai.StopLength
	case "tool_use":
		m.StopReason = ai.StopToolUse
		if len(m.ToolCalls()) == 0 { // it was the vendor's own tool
			m.StopReason = ai.StopEnd
		}
	case "refusal", "sensitive":
		text := d.refusal
		if text == "" {
			text = "the model declined to answer (" + d.stop + ")"
		}
		return d.failed(ai.KindRefusal, text)
	case "model_context_window_exceeded":
		return d.failed(ai.KindOverflow, "the conversation is larger than the model's context window (model_context_window_exceeded)")
	case "":
		return &ai.APIError{Kind: ai.KindCutStream, Phase: ai.PhaseStream, Message: "the stream ended without a stop reason"}
	default:
		return d.failed(ai.KindProtocol, fmt.Sprintf("unknown stop reason %q", d.stop))
	}
	return nil
}

func (d *decoder) failed(kind ai.ErrorKind, text string) error {
	return &ai.APIError{Kind: kind, Phase: ai.PhaseStream, Code: d.stop, Message: text}
}
