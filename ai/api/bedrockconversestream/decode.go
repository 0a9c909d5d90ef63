package bedrockconversestream

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/eventstream"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// redactedText is shown for thinking that the vendor hides.
const redactedText = "[Reasoning redacted]"

// decoder turns the vendor's events into an answer.
type decoder struct {
	call    *ai.Call
	out     *ai.Emitter
	blocks  []openBlock
	json    jsonscan.Decoder
	last    event // the memory of the last event
	spare   delta
	started bool
	stop    string
	stopped bool // messageStop came
}

// openBlock is a block between its first and last event.
type openBlock struct {
	index    int64
	w        *ai.BlockWriter
	signed   []byte
	redacted []byte
}

func newDecoder(call *ai.Call, out *ai.Emitter) *decoder {
	out.Message().Usage.Unknown = true // until it comes
	return &decoder{call: call, out: out}
}

// read takes the messages of a stream until it ends or the consumer has left.
func (d *decoder) read(body io.Reader) error {
	frames := eventstream.NewScanner(body, d.call.Options.Limits.Event)
	observe := d.call.Options.OnWireEvent
	for {
		f, err := frames.Next()
		if err == io.EOF {
			return nil // end says whether that was the end
		}
		if err != nil {
			return readError(err)
		}
		if observe != nil && json.Valid(f.Payload) {
			observe(bytes.Clone(f.Payload), d.call.Model)
		}
		if err := d.frame(f); err != nil || d.out.Stopped() {
			return err
		}
	}
}

// readError tells a broken line from broken framing.
func readError(err error) error {
	var kind ai.ErrorKind
	var damage *eventstream.DamageError
	var large *eventstream.TooLargeError
	switch {
	case errors.As(err, &damage):
		kind = ai.KindProtocol
	case errors.As(err, &large):
		kind = ai.KindLimit
	default:
		return wire.Error(err)
	}
	return &ai.APIError{Kind: kind, Phase: ai.PhaseStream, Message: err.Error(), Err: err}
}

func (d *decoder) frame(f eventstream.Frame) error {
	switch string(f.Type) {
	case "exception":
		return exception(string(f.Name), f.Payload)
	case "error":
		return exception(string(f.Name), append(jsonobj.AppendString([]byte(`{"message":`), string(f.Text)), '}'))
	}
	if string(f.Name) == "contentBlockDelta" && d.fast(f.Payload) {
		return nil
	}
	e := &d.last
	d.spare = delta{}
	*e = event{Delta: &d.spare}
	if err := d.json.Decode(f.Payload, e); err != nil {
		return &ai.APIError{Kind: ai.KindProtocol, Phase: ai.PhaseStream, Err: err, Message: fmt.Sprintf("event %.40q of the stream is not JSON: %v", f.Name, err)}
	}
	return d.event(string(f.Name), e)
}

// event is the union of the vendor's events.
type event struct {
	Role  string `json:"role"`
	Index int64  `json:"contentBlockIndex"`
	Start *struct {
		ToolUse *struct {
			ID   string `json:"toolUseId"`
			Name string `json:"name"`
		} `json:"toolUse"`
	} `json:"start"`
	Delta *delta  `json:"delta"`
	Stop  string  `json:"stopReason"`
	Usage *counts `json:"usage"`
}

type delta struct {
	Text    *string `json:"text"`
	ToolUse *struct {
		Input string `json:"input"`
	} `json:"toolUse"`
	Reasoning *struct {
		Text      string `json:"text"`
		Signature string `json:"signature"`
		Redacted  string `json:"redactedContent"`
	} `json:"reasoningContent"`
}

type counts struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	Total      int64 `json:"totalTokens"`
	CacheRead  int64 `json:"cacheReadInputTokens"`
	CacheWrite int64 `json:"cacheWriteInputTokens"`
	Details    []struct {
		TTL    string `json:"ttl"`
		Tokens int64  `json:"inputTokens"`
	} `json:"cacheDetails"`
}

// exception makes the error of what the vendor throws within a stream.
func exception(name string, payload []byte) error {
	status, prefix := 0, name
	switch name {
	case "internalServerException":
		status, prefix = http.StatusInternalServerError, "Internal server error"
	case "modelStreamErrorException":
		status, prefix = http.StatusFailedDependency, "Model stream error"
	case "validationException":
		status, prefix = http.StatusBadRequest, "Validation error"
	case "throttlingException":
		status, prefix = http.StatusTooManyRequests, "Throttling error"
	case "serviceUnavailableException":
		status, prefix = http.StatusServiceUnavailable, "Service unavailable"
	}
	e := ai.ResponseError(status, nil, payload)
	switch name {
	case "modelStreamErrorException", "modelTimeoutException":
		e.Kind = ai.KindServer
	}
	var body struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(payload, &body) == nil && body.Message != "" {
		prefix += ": " + body.Message
	}
	e.Status, e.Phase, e.Code, e.Message = 0, ai.PhaseStream, name, prefix
	return e
}

func (d *decoder) event(name string, e *event) error {
	switch name {
	case "messageStart":
		if e.Role == "user" {
			return ai.Errorf(ai.KindProtocol, "the vendor answers in the name of the user")
		}
		d.started = true
		d.out.Start()
	case "contentBlockStart":
		d.started = true
		d.close(e.Index)
		if e.Start != nil && e.Start.ToolUse != nil {
			d.blocks = append(d.blocks, openBlock{index: e.Index, w: d.out.ToolCall(e.Start.ToolUse.ID, e.Start.ToolUse.Name)})
		}
	case "contentBlockDelta":
		d.started = true
		if e.Delta != nil {
			return d.delta(e.Index, e.Delta)
		}
	case "contentBlockStop":
		d.close(e.Index)
	case "messageStop":
		d.stop, d.stopped = e.Stop, true
	case "metadata":
		d.count(e.Usage)
	}
	return nil // what a later version of the protocol may send
}

func (d *decoder) find(index int64) *openBlock {
	for i := range d.blocks {
		if d.blocks[i].index == index {
			return &d.blocks[i]
		}
	}
	return nil
}

// block gives the open block of an index, or opens one of the kind: only tool calls
// are announced.
func (d *decoder) block(index int64, kind ai.BlockType) *openBlock {
	if b := d.find(index); b != nil {
		return b
	}
	b := openBlock{index: index}
	if kind == ai.BlockThinking {
		b.w = d.out.Thinking()
	} else {
		b.w = d.out.Text()
	}
	d.blocks = append(d.blocks, b)
	return &d.blocks[len(d.blocks)-1]
}

func (d *decoder) delta(index int64, x *delta) error {
	switch {
	case x.Text != nil:
		if b := d.block(index, ai.BlockText); b.w.Kind() == ai.BlockText {
			b.w.Append(*x.Text)
		}
	case x.ToolUse != nil:
		b := d.find(index)
		if b == nil || b.w.Kind() != ai.BlockToolCall {
			return ai.Errorf(ai.KindProtocol, "arguments for block %d, which is no tool call", index)
		}
		b.w.Append(x.ToolUse.Input)
	case x.Reasoning != nil:
		b := d.block(index, ai.BlockThinking)
		if b.w.Kind() != ai.BlockThinking {
			return nil
		}
		b.w.Append(x.Reasoning.Text)
		d.out.Hold(len(x.Reasoning.Signature))
		b.signed = append(b.signed, x.Reasoning.Signature...)
		if x.Reasoning.Redacted != "" {
			part, err := base64.StdEncoding.DecodeString(x.Reasoning.Redacted)
			if err != nil {
				return ai.Errorf(ai.KindProtocol, "hidden thinking is not base64: %w", err)
			}
			d.out.Hold(len(part))
			b.redacted = append(b.redacted, part...)
		}
	}
	return nil
}

func (d *decoder) close(index int64) {
	for i := range d.blocks {
		if d.blocks[i].index != index {
			continue
		}
		b := &d.blocks[i]
		if len(b.signed) > 0 {
			b.w.SetSignature(string(b.signed))
		}
		if len(b.redacted) > 0 {
			b.w.Redact(base64.StdEncoding.EncodeToString(b.redacted), redactedText)
		}
		b.w.End()
		d.blocks = append(d.blocks[:i], d.blocks[i+1:]...)
		return
	}
}

func (d *decoder) count(u *counts) {
	if u == nil {
		return
	}
	to := ai.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Total: u.Total}
	for _, c := range u.Details {
		if c.TTL == "1h" {
			to.CacheWrite1h += c.Tokens
		}
	}
	d.out.Message().Usage = to
}

// end closes the answer when the stream is over.
func (d *decoder) end() error {
	m := d.out.Message()
	m.RawStopReason = d.stop
	if !d.stopped {
		return &ai.APIError{Kind: ai.KindCutStream, Phase: ai.PhaseStream, Message: "the stream ended before messageStop"}
	}
	for len(d.blocks) > 0 {
		d.close(d.blocks[0].index)
	}
	failed := func(kind ai.ErrorKind, text string) error {
		return &ai.APIError{Kind: kind, Phase: ai.PhaseStream, Code: d.stop, Message: text}
	}
	switch d.stop {
	case "end_turn", "stop_sequence":
		m.StopReason = ai.StopEnd
		if len(m.ToolCalls()) > 0 {
			m.StopReason = ai.StopToolUse
		}
	case "max_tokens":
		m.StopReason = ai.StopLength
	case "model_context_window_exceeded":
		return failed(ai.KindOverflow, "the conversation is larger than the model's context window (model_context_window_exceeded)")
	case "tool_use":
		m.StopReason = ai.StopToolUse
		if len(m.ToolCalls()) == 0 {
			m.StopReason = ai.StopEnd
		}
	case "guardrail_intervened", "content_filtered":
		return failed(ai.KindRefusal, "the vendor declined the answer ("+d.stop+")")
	case "malformed_model_output", "malformed_tool_use":
		return failed(ai.KindServer, "the vendor could not read the model's answer ("+d.stop+")")
	default:
		return failed(ai.KindProtocol, fmt.Sprintf("unknown stop reason %q", strings.TrimSpace(d.stop)))
	}
	return nil
}
