package gemini

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/sse"
)

// Decoder turns the vendor's chunks into an answer.
type Decoder struct {
	call   *ai.Call
	out    *ai.Emitter
	json   jsonscan.Decoder
	chunk  chunk           // of the last event
	open   *ai.BlockWriter // text or thinking being written
	ids    map[string]bool // of tool calls, as far as they went out
	calls  int
	stream *streamedCall
	usage  []byte // the latest usageMetadata, as it came
	named  bool   // a chunk with the model's name was seen
	finish string
	says   string // what the vendor says about finish
	block  string // why the prompt was refused
	noted  map[string]bool
}

// NewDecoder makes a decoder for one answer.
func NewDecoder(call *ai.Call, out *ai.Emitter) *Decoder {
	out.Message().Usage.Unknown = true // until it comes
	return &Decoder{call: call, out: out}
}

type chunk struct {
	Candidates []candidate `json:"candidates"`
	Feedback   *struct {
		Reason  string `json:"blockReason"`
		Message string `json:"blockReasonMessage"`
	} `json:"promptFeedback"`
	Usage   json.RawMessage `json:"usageMetadata"`
	Version jsonscan.Label  `json:"modelVersion"`
	ID      jsonscan.Label  `json:"responseId"`
	Error   json.RawMessage `json:"error"`
}

// reset makes room for the next event: its memory is that of the last one. The
// names stay: those that come first count.
func (c *chunk) reset() {
	candidates := c.Candidates[:cap(c.Candidates)]
	for i := range candidates {
		parts := candidates[i].Content.Parts
		clear(parts[:cap(parts)])
		candidates[i] = candidate{}
		candidates[i].Content.Parts = parts[:0]
	}
	*c = chunk{Version: c.Version, ID: c.ID, Candidates: candidates[:0], Usage: c.Usage[:0]}
}

type candidate struct {
	Index   int `json:"index"`
	Content struct {
		Parts []part `json:"parts"`
	} `json:"content"`
	Finish  string `json:"finishReason"`
	Message string `json:"finishMessage"`
}

type part struct {
	Text      *string       `json:"text"`
	Thought   bool          `json:"thought"`
	Signature string        `json:"thoughtSignature"`
	Call      *functionCall `json:"functionCall"`
	// Kinds that are noted and not shown.
	Inline json.RawMessage `json:"inlineData"`
	Code   json.RawMessage `json:"executableCode"`
	Result json.RawMessage `json:"codeExecutionResult"`
}

type functionCall struct {
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args"`
	Partial  []partialArg    `json:"partialArgs"`
	Continue bool            `json:"willContinue"`
}

type usageMetadata struct {
	Prompt     int64  `json:"promptTokenCount"`
	Cached     int64  `json:"cachedContentTokenCount"`
	ToolPrompt int64  `json:"toolUsePromptTokenCount"`
	Candidates int64  `json:"candidatesTokenCount"`
	Thoughts   *int64 `json:"thoughtsTokenCount"`
	Total      int64  `json:"totalTokenCount"`
}

// Frame takes one event of the stream.
func (d *Decoder) Frame(f sse.Frame) (done bool, err error) {
	if d.fast(f.Data) {
		return false, nil
	}
	return false, d.slow(f.Data)
}

func (d *Decoder) slow(data []byte) error {
	c := &d.chunk
	c.reset()
	if err := d.json.Decode(data, c); err != nil {
		return malformed(data, err)
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return ai.StreamError(data)
	}
	d.out.Start()
	m := d.out.Message()
	if m.ResponseID == "" {
		m.ResponseID = string(c.ID)
	}
	if c.Version != "" && string(c.Version) != d.call.Model.ID && m.ResponseModel == "" {
		m.ResponseModel = string(c.Version)
	}
	d.named = d.named || c.Version != ""
	if len(c.Usage) > 0 && string(c.Usage) != "null" {
		d.usage = append(d.usage[:0], c.Usage...)
	}
	if c.Feedback != nil && c.Feedback.Reason != "" {
		d.block = c.Feedback.Reason
		if c.Feedback.Message != "" {
			d.block += ": " + c.Feedback.Message
		}
	}
	for i := range c.Candidates {
		if c.Candidates[i].Index != 0 {
			continue // we ask for one
		}
		for j := range c.Candidates[i].Content.Parts {
			if err := d.part(&c.Candidates[i].Content.Parts[j]); err != nil {
				return err
			}
		}
		if reason := c.Candidates[i].Finish; reason != "" {
			d.finish, d.says = reason, c.Candidates[i].Message
		}
	}
	return nil
}

func malformed(data []byte, err error) error {
	kind := ai.KindProtocol
	if jsonscan.EndsEarly(err) {
		kind = ai.KindCutStream // it ends too early: the line broke
	}
	shown := string(data)
	if len(shown) > 1000 {
		shown = shown[:1000] + fmt.Sprintf("… (%d bytes)", len(data))
	}
	return &ai.APIError{Kind: kind, Phase: ai.PhaseStream, Err: err, Message: fmt.Sprintf("a chunk of the stream is not JSON: %v; received: %s", err, shown)}
}

func (d *Decoder) part(p *part) error {
	switch {
	case p.Call != nil:
		return d.functionCall(p)
	case p.Text != nil || p.Signature != "":
		d.text(p)
	case len(p.Inline) > 0:
		d.note("inlineData")
	case len(p.Code) > 0:
		d.note("executableCode")
	case len(p.Result) > 0:
		d.note("codeExecutionResult")
	default:
		d.note("part of unknown kind")
	}
	return nil
}

func (d *Decoder) text(p *part) {
	text := ""
	if p.Text != nil {
		text = *p.Text
	}
	if text == "" && p.Signature == "" {
		return
	}
	kind := ai.BlockText
	if p.Thought {
		kind = ai.BlockThinking
	}
	if d.open == nil || d.open.Kind() != kind {
		d.close()
		if p.Thought {
			d.open = d.out.Thinking()
		} else {
			d.open = d.out.Text()
		}
	}
	d.open.Append(text)
	if p.Signature != "" {
		d.open.SetSignature(p.Signature)
	}
}

// close ends the text or thinking being written.
func (d *Decoder) close() {
	if d.open != nil {
		d.open.End()
		d.open = nil
	}
}

// note records content that is not shown.
func (d *Decoder) note(kind string) {
	if d.noted == nil {
		d.noted = make(map[string]bool)
	}
	if !d.noted[kind] {
		d.noted[kind] = true
		d.out.Diagnose("google_ignored_part", map[string]any{"type": kind})
	}
}

// functionCall takes a tool call, whole or in parts.
func (d *Decoder) functionCall(p *part) error {
	c := p.Call
	if d.stream != nil && c.Name != "" {
		d.endStreamed() // the next call has begun
	}
	if d.stream == nil {
		if c.Name == "" && len(c.Args) == 0 && len(c.Partial) == 0 {
			return nil // the end of a call that has ended
		}
		d.close()
		w := d.out.ToolCall(d.callID(c), c.Name)
		w.SetSignature(p.Signature)
		if len(c.Partial) == 0 && !c.Continue {
			w.Append(strings.TrimSpace(string(nonNull(c.Args))))
			w.End()
			return nil
		}
		d.stream = &streamedCall{w: w}
		if args := nonNull(c.Args); len(args) > 0 {
			if err := d.stream.set(args); err != nil {
				return ai.Errorf(ai.KindProtocol, "arguments of the call of %s: %w", c.Name, err)
			}
		}
	}
	if p.Signature != "" {
		d.stream.w.SetSignature(p.Signature)
	}
	for i := range c.Partial {
		if text := c.Partial[i].String; text != nil {
			d.out.Hold(len(*text))
		}
		if err := d.stream.add(&c.Partial[i]); err != nil {
			return ai.Errorf(ai.KindProtocol, "arguments of the call of %s: %w", d.stream.w.Call().Name, err)
		}
	}
	if !c.Continue {
		d.endStreamed()
	}
	return nil
}

func (d *Decoder) endStreamed() {
	d.stream.w.Append(string(d.stream.root.appendJSON(nil)))
	d.stream.w.End()
	d.stream = nil
}

func nonNull(v json.RawMessage) json.RawMessage {
	if string(v) == "null" {
		return nil
	}
	return v
}

// callID gives the vendor's id, or one of ours when it gave none or gave it
// before.
func (d *Decoder) callID(c *functionCall) string {
	if d.ids == nil {
		d.ids = make(map[string]bool)
	}
	d.calls++
	id := c.ID
	if id == "" || d.ids[id] {
		id = fmt.Sprintf("%s_%d_%d", c.Name, d.out.Now().UnixMilli(), d.calls)
	}
	d.ids[id] = true
	return id
}

// End closes the answer when the stream is over.
func (d *Decoder) End() error {
	m := d.out.Message()
	d.count(&m.Usage)
	m.RawStopReason = d.finish
	failed := func(kind ai.ErrorKind, code, text string) error {
		return &ai.APIError{Kind: kind, Phase: ai.PhaseStream, Code: code, Message: text}
	}
	if d.finish == "" {
		if d.block != "" {
			return failed(ai.KindRefusal, d.block, "the vendor refused the prompt ("+d.block+")")
		}
		return failed(ai.KindCutStream, "", "the stream ended without a finish reason")
	}
	if d.stream != nil {
		return failed(ai.KindCutStream, "", "the answer ended within a tool call")
	}
	d.close()
	says := fmt.Sprintf("the vendor stopped with %s", d.finish)
	if d.says != "" {
		says += ": " + d.says
	}
	switch d.finish {
	case "STOP":
		m.StopReason = ai.StopEnd
		if len(m.ToolCalls()) > 0 {
			m.StopReason = ai.StopToolUse
		}
	case "MAX_TOKENS", "CONTINUATION":
		m.StopReason = ai.StopLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE", "MODEL_ARMOR",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return failed(ai.KindRefusal, d.finish, says)
	case "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "MISSING_THOUGHT_SIGNATURE", "OTHER":
		return failed(ai.KindServer, d.finish, says) // the next try may do better
	default:
		return failed(ai.KindProtocol, d.finish, says)
	}
	return nil
}

// Count takes the usage that came so far, for an answer that failed.
func (d *Decoder) Count() { d.count(&d.out.Message().Usage) }

func (d *Decoder) count(to *ai.Usage) {
	var u usageMetadata
	if len(d.usage) == 0 || json.Unmarshal(d.usage, &u) != nil {
		return
	}
	*to = ai.Usage{
		Input: max(0, u.Prompt-u.Cached) + u.ToolPrompt, CacheRead: u.Cached,
		Output: u.Candidates, Total: u.Total,
	}
	if u.Thoughts != nil {
		to.Output += *u.Thoughts
		to.Reasoning, to.HasReasoning = *u.Thoughts, true
	}
}
