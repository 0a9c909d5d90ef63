package responses

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/wire"
)

// Decoder turns the events of an answer into blocks.
type Decoder struct {
	out   *ai.Emitter
	msg   *ai.AssistantMessage
	call  *ai.Call
	r     *Request
	slots []*slot

	ended  bool   // a terminal event came
	status string // of the response
	reason string // why it is incomplete
	tier   string // that the vendor used
	usage  *usage
	calls  int
	oddity wire.Oddity
	json   jsonscan.Decoder
	slow   bool // for tests: never use the scanner
}

// NewDecoder makes the decoder of a request's answer.
func NewDecoder(call *ai.Call, out *ai.Emitter, r *Request) *Decoder {
	return &Decoder{out: out, msg: out.Message(), call: call, r: r}
}

// event is the union of the events that matter.
type event struct {
	Type     string          `json:"type"`
	Index    int             `json:"output_index"`
	Delta    string          `json:"delta"`
	Text     *string         `json:"text"`
	Args     *string         `json:"arguments"`
	Input    *string         `json:"input"`
	Item     json.RawMessage `json:"item"`
	Response *response       `json:"response"`
	Part     *contentPart    `json:"part"`
}

type response struct {
	ID         string `json:"id"`
	Model      string `json:"model"`
	Status     string `json:"status"`
	Tier       string `json:"service_tier"`
	Usage      *usage `json:"usage"`
	EndTurn    *bool  `json:"end_turn"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output          []json.RawMessage `json:"output"`
	Transformations []json.RawMessage `json:"input_transformations"`
}

// Frame takes one event.
func (d *Decoder) Frame(data []byte) (done bool, err error) {
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
		d.odd(odd.Error(), data)
	}
	return d.event(&e, data)
}

// odd notes the first event that was not understood in full.
func (d *Decoder) odd(problem string, data []byte) {
	d.oddity.Note(d.out, problem, data)
}

func (d *Decoder) event(e *event, data []byte) (done bool, err error) {
	switch e.Type {
	case "response.created", "response.in_progress", "response.queued":
		d.head(e.Response)
	case "response.output_item.added":
		d.open(e.Index, e.Item)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.append(e.Index, ai.BlockThinking, e.Delta)
	case "response.reasoning_summary_part.added":
		d.separate(e.Index)
	case "response.content_part.added":
		if e.Part != nil && e.Part.Type == "reasoning_text" {
			d.separate(e.Index)
		}
	case "response.output_text.delta", "response.refusal.delta":
		d.append(e.Index, ai.BlockText, e.Delta)
	case "response.function_call_arguments.delta":
		d.append(e.Index, ai.BlockToolCall, e.Delta)
	case "response.custom_tool_call_input.delta":
		return false, d.appendFree(e.Index, e.Delta)
	case "response.function_call_arguments.done":
		if s := d.slot(e.Index); s != nil && s.free == nil && e.Args != nil {
			s.w.Replace(*e.Args)
		}
	case "response.custom_tool_call_input.done":
		if e.Input != nil {
			return false, d.restFree(e.Index, *e.Input)
		}
	case "response.output_item.done":
		return false, d.close(e.Index, e.Item)
	case "response.completed", "response.incomplete", "response.done":
		return true, d.finish(e)
	case "response.failed", "response.cancelled", "response.canceled":
		d.head(e.Response)
		if e.Response != nil {
			d.status = e.Response.Status
		}
		return false, ai.StreamError(data)
	case "error":
		return false, ai.StreamError(data)
	case "":
		var e struct{ Error, Detail json.RawMessage }
		if json.Unmarshal(data, &e) == nil && (len(e.Error) > 0 && string(e.Error) != "null" || len(e.Detail) > 0) {
			return false, ai.StreamError(data)
		}
	}
	return false, nil
}

func (d *Decoder) head(r *response) {
	if r == nil {
		return
	}
	if d.msg.ResponseID == "" {
		d.msg.ResponseID = r.ID
	}
	if r.Model != "" && r.Model != d.call.Model.ID && r.Model != d.r.dialect.Model {
		d.msg.ResponseModel = r.Model
	}
	if r.Tier != "" {
		d.tier = r.Tier
	}
	if r.Usage != nil {
		d.usage = r.Usage
	}
}

// finish takes a terminal event.
func (d *Decoder) finish(e *event) error {
	d.ended = true
	d.status = strings.TrimPrefix(e.Type, "response.")
	if d.status == "done" {
		d.status = "completed"
	}
	r := e.Response
	if r == nil {
		return nil
	}
	d.head(r)
	if r.Status != "" {
		d.status = r.Status
	}
	if r.Incomplete != nil {
		d.reason = r.Incomplete.Reason
	}
	d.msg.EndTurn = r.EndTurn
	d.backfill(r.Output)
	d.noteTransformations(r.Transformations)
	return nil
}

// noteTransformations records what the vendor left out of the input. Reasoning of
// earlier turns is left out as a rule, which is not worth a note.
func (d *Decoder) noteTransformations(list []json.RawMessage) {
	var notable []json.RawMessage
	for _, raw := range list {
		var t struct {
			Reason string `json:"reason"`
			Type   string `json:"type"`
		}
		if json.Unmarshal(raw, &t) == nil && t.Reason != "turn_boundary" && t.Type != "turn_boundary" {
			notable = append(notable, raw)
		}
	}
	if len(notable) > 0 {
		d.out.Diagnose("openai_input_transformations", map[string]any{"transformations": notable})
	}
}

// End decides how the answer ended; err is what reading it ended with. It must be
// called once, whatever happened.
func (d *Decoder) End(err error) error {
	d.settle()
	if err != nil && !d.ended {
		return err
	}
	if !d.ended {
		return ai.Errorf(ai.KindCutStream, "OpenAI Responses stream ended before a terminal response event")
	}
	if err := d.stop(); err != nil {
		return err
	}
	for _, s := range d.slots {
		if s.w != nil && !s.w.Closed() && s.w.Kind() == ai.BlockToolCall && d.msg.StopReason != ai.StopLength {
			return &ai.APIError{Kind: ai.KindCutStream, Phase: ai.PhaseStream, Message: fmt.Sprintf("the answer ended before the tool call %q was complete", s.w.Call().Name)}
		}
	}
	for _, s := range d.slots {
		s.end()
	}
	return nil
}

// stop translates the status.
func (d *Decoder) stop() error {
	switch d.status {
	case "completed", "in_progress", "queued", "":
		d.msg.StopReason = ai.StopEnd
		if d.calls > 0 {
			d.msg.StopReason = ai.StopToolUse
		}
		return nil
	case "incomplete":
		switch d.reason {
		case "max_output_tokens":
			d.msg.StopReason = ai.StopLength
			return nil
		case "content_filter":
			return ai.Errorf(ai.KindRefusal, "the answer was stopped by the vendor's content filter")
		}
		return ai.Errorf(ai.KindUnknown, "the answer is incomplete: %s", d.reason)
	}
	return ai.Errorf(ai.KindServer, "the response ended with status %q", d.status)
}

// settle fills in usage and the vendor's words for the end.
func (d *Decoder) settle() {
	d.msg.RawStopReason = d.status
	if d.reason != "" {
		d.msg.RawStopReason += "." + d.reason
	}
	if d.usage == nil {
		d.msg.Usage = ai.Usage{Unknown: true}
		return
	}
	tier := d.tier
	if tier == "" || tier == "default" && d.r.dialect.Codex {
		// Codex names the tier it accounts under, not the one that was asked for.
		tier = d.r.Tier
	}
	d.msg.Usage = d.usage.tokens(d.call.Model, tier)
}
