package pimessages

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/wire"
)

// decoder turns the gateway's events into those of a stream.
type decoder struct {
	out    *ai.Emitter
	msg    *ai.AssistantMessage
	call   *ai.Call
	blocks []*ai.BlockWriter
	ended  bool
	json   jsonscan.Decoder
	slow   bool // for tests: never use the scanner
}

type event struct {
	Type  string   `json:"type"`
	Index *float64 `json:"contentIndex"`
	Delta string   `json:"delta"`

	// The end of a text or thinking.
	Content   *string `json:"content"`
	Signature string  `json:"contentSignature"`
	Redacted  bool    `json:"redacted"`

	// The start of a tool call, and its end.
	ID       string    `json:"id"`
	ToolName string    `json:"toolName"`
	ToolCall *toolCall `json:"toolCall"`

	// The end of the answer.
	Reason        ai.StopReason   `json:"reason"`
	Usage         json.RawMessage `json:"usage"`
	ResponseID    string          `json:"responseId"`
	ResponseModel string          `json:"responseModel"`
	ThinkingLevel string          `json:"providerThinkingLevel"`
	Rewrite       json.RawMessage `json:"rewrite"`
	Problem       string          `json:"errorMessage"`

	// A failure that is no event.
	Error json.RawMessage `json:"error"`
}

type toolCall struct {
	ID               string          `json:"id"`
	Name             string          `json:"name"`
	Arguments        json.RawMessage `json:"arguments"`
	ThoughtSignature string          `json:"thoughtSignature"`
	Namespace        string          `json:"namespace"`
}

// frame takes one event.
func (d *decoder) frame(data []byte) (done bool, err error) {
	if string(data) == "[DONE]" {
		return true, nil
	}
	if !d.slow && d.scan(data) {
		return false, nil
	}
	var e event
	if err := d.json.Decode(data, &e); err != nil {
		var odd *json.UnmarshalTypeError
		if !errors.As(err, &odd) {
			return false, wire.NotJSON(err, data)
		}
		if odd.Field == "contentIndex" {
			return false, protocolError("the event %s has no number for its block: %s", e.Type, wire.Clip(data))
		}
	}
	return d.event(&e, data)
}

func protocolError(format string, args ...any) error {
	e := ai.Errorf(ai.KindProtocol, format, args...)
	e.Phase = ai.PhaseStream
	return e
}

func (d *decoder) event(e *event, data []byte) (done bool, err error) {
	kind, step, _ := strings.Cut(e.Type, "_")
	switch e.Type {
	case "start":
		d.out.Start()
	case "text_start", "thinking_start", "toolcall_start":
		return false, d.open(e, kind)
	case "text_delta", "thinking_delta", "toolcall_delta", "text_end", "thinking_end", "toolcall_end":
		w, err := d.block(e, kind)
		if err != nil {
			return false, err
		}
		if step == "delta" {
			w.Append(e.Delta)
			return false, nil
		}
		d.end(w, e)
	case "done":
		d.ended = true
		return true, d.done(e)
	case "error":
		d.ended = true
		return true, d.failed(e, data)
	case "":
		if len(e.Error) > 0 && string(e.Error) != "null" {
			d.ended = true
			return true, ai.StreamError(data)
		}
	}
	return false, nil
}

// index gives the block that an event is about.
func (d *decoder) index(e *event) (int, error) {
	if e.Index == nil || *e.Index != float64(int(*e.Index)) || *e.Index < 0 {
		return 0, protocolError("the event %s does not say which block it is about", e.Type)
	}
	return int(*e.Index), nil
}

func (d *decoder) open(e *event, kind string) error {
	at, err := d.index(e)
	if err != nil {
		return err
	}
	if at != len(d.blocks) {
		return protocolError("the event %s starts block %d, the next one is %d", e.Type, at, len(d.blocks))
	}
	var w *ai.BlockWriter
	switch kind {
	case "text":
		w = d.out.Text()
	case "thinking":
		w = d.out.Thinking()
	default:
		w = d.out.ToolCall(e.ID, e.ToolName)
	}
	d.blocks = append(d.blocks, w)
	return nil
}

// block gives the open block of an event, which must be of the event's kind.
func (d *decoder) block(e *event, kind string) (*ai.BlockWriter, error) {
	at, err := d.index(e)
	if err != nil {
		return nil, err
	}
	if at >= len(d.blocks) {
		return nil, protocolError("the event %s is about block %d, which never started", e.Type, at)
	}
	w := d.blocks[at]
	if w.Kind() != kindOf(kind) {
		return nil, protocolError("the event %s is about block %d, which is %s", e.Type, at, w.Kind())
	}
	return w, nil
}

func kindOf(prefix string) ai.BlockType {
	switch prefix {
	case "text":
		return ai.BlockText
	case "thinking":
		return ai.BlockThinking
	}
	return ai.BlockToolCall
}

// end closes a block with what its last event says.
func (d *decoder) end(w *ai.BlockWriter, e *event) {
	switch {
	case w.Kind() == ai.BlockToolCall:
		c := w.Call()
		if e.Signature != "" {
			c.ThoughtSignature = e.Signature
		}
		if t := e.ToolCall; t != nil {
			if t.ID != "" {
				c.ID = t.ID
			}
			if t.Name != "" {
				c.Name = t.Name
			}
			if t.ThoughtSignature != "" {
				c.ThoughtSignature = t.ThoughtSignature
			}
			if t.Namespace != "" {
				c.Namespace = t.Namespace
			}
			if w.Len() == 0 && len(t.Arguments) > 0 && t.Arguments[0] == '{' {
				w.Append(string(t.Arguments))
			}
		}
	case e.Redacted:
		shown := ""
		if e.Content != nil {
			shown = *e.Content
		}
		w.Redact(e.Signature, shown)
	default:
		if e.Content != nil {
			w.Replace(*e.Content)
		}
		if e.Signature != "" {
			w.SetSignature(e.Signature)
		}
	}
	w.End()
}

// summary takes what both ends of an answer carry.
func (d *decoder) summary(e *event) {
	d.msg.ResponseID = e.ResponseID
	if e.ResponseModel != d.call.Model.ID {
		d.msg.ResponseModel = e.ResponseModel
	}
	if e.ThinkingLevel != "" {
		d.msg.ProviderThinkingLevel = e.ThinkingLevel
	}
	var u ai.Usage
	if len(e.Usage) > 0 && string(e.Usage) != "null" && json.Unmarshal(e.Usage, &u) == nil {
		d.msg.Usage = u
	} else {
		d.msg.Usage.Unknown = true
	}
	if len(e.Rewrite) > 0 && string(e.Rewrite) != "null" {
		d.out.Diagnose("pi_messages_rewrite", e.Rewrite)
	}
}

func (d *decoder) done(e *event) error {
	d.summary(e)
	switch e.Reason {
	case ai.StopEnd, ai.StopLength, ai.StopToolUse, ai.StopDeferred:
		d.msg.StopReason, d.msg.RawStopReason = e.Reason, string(e.Reason)
	default:
		return protocolError("the gateway ended the answer for the unknown reason %q", e.Reason)
	}
	for _, w := range d.blocks {
		w.End()
	}
	return nil
}

// failed makes the error of an answer that the gateway says failed.
func (d *decoder) failed(e *event, data []byte) error {
	d.summary(e)
	d.msg.RawStopReason = string(e.Reason)
	text := e.Problem
	if text == "" && len(e.Error) > 0 {
		return ai.StreamError(data)
	}
	if text == "" {
		text = "the gateway reports an error without saying which"
	}
	if e.Reason == ai.StopAborted {
		return ai.Errorf(ai.KindAborted, "the gateway aborted the request: %s", text)
	}
	fields := map[string]string{"message": text}
	if code, rest, found := strings.Cut(text, ": "); found && isCode(code) {
		fields = map[string]string{"code": code, "message": rest} // it passes on what a vendor said
	}
	quoted, err := json.Marshal(fields)
	if err != nil {
		return ai.Errorf(ai.KindUnknown, "%s", text)
	}
	failure := ai.StreamError(quoted)
	failure.Body = wire.Clip(data)
	return failure
}

// isCode reports whether a word is a vendor's name of a failure, such as
// "overloaded_error".
func isCode(word string) bool {
	return strings.Contains(word, "_") && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// scan takes the common event, a delta, without allocating. It is false, and
// nothing has happened, for any other.
func (d *decoder) scan(data []byte) bool {
	s := jsonscan.New(data)
	var seen uint64
	var kind ai.BlockType
	var delta []byte
	index := int64(-1)
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "type":
			s.Once(&seen, 0)
			prefix, found := strings.CutSuffix(string(s.Text()), "_delta")
			if kind = kindOf(prefix); !found || kind == ai.BlockToolCall && prefix != "toolcall" {
				s.Refuse()
			}
		case "contentIndex":
			s.Once(&seen, 1)
			index = s.Int()
		case "delta":
			s.Once(&seen, 2)
			delta = s.Text()
		default:
			for _, c := range key {
				if 'A' <= c && c <= 'Z' {
					s.Refuse() // encoding/json would know it in this case
				}
			}
			s.NullOnly()
		}
	}
	if !s.End() || delta == nil || index < 0 || index >= int64(len(d.blocks)) {
		return false
	}
	w := d.blocks[index]
	if w.Kind() != kind || w.Closed() || !jsonscan.Unquote(w.Buffer(), delta) {
		return false
	}
	w.Commit()
	return true
}
