package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// EventEncoder writes events in wire form. It reuses what does not change
// from delta to delta, so that a streamed delta costs no allocation. The zero
// value is ready; it belongs to one goroutine.
type EventEncoder struct {
	usage     []byte   // encoded usage of the last delta
	usageOf   ai.Usage // what it was encoded from, without Extra
	usageFull bool
}

// Append appends the event as one JSON object without a line feed. Events
// that have no wire form (stream events that only bracket an answer) append
// nothing and report false.
func (e *EventEncoder) Append(dst []byte, ev agentcore.Event) ([]byte, bool, error) {
	start := len(dst)
	dst, ok, err := e.append(dst, ev)
	if err != nil || !ok || bytes.IndexByte(dst[start:], '\n') < 0 {
		return dst, ok, err
	}
	// JSON that came from elsewhere (arguments a model has laid out in lines,
	// details of a tool) must not break the line.
	var line bytes.Buffer
	if err := json.Compact(&line, dst[start:]); err != nil {
		return dst[:start], false, fmt.Errorf("encode %s event: %w", ev.EventType(), err)
	}
	return append(dst[:start], line.Bytes()...), true, nil
}

func (e *EventEncoder) append(dst []byte, ev agentcore.Event) ([]byte, bool, error) {
	switch ev := ev.(type) {
	case *agentcore.MessageUpdate:
		dst, ok := e.appendUpdate(dst, ev)
		return dst, ok, nil
	case *agentcore.MessageStart:
		return appendMessageEvent(dst, "message_start", ev.Message)
	case *agentcore.MessageEnd:
		return appendMessageEvent(dst, "message_end", ev.Message)
	case *agentcore.AgentEnd:
		dst = append(dst, `{"type":"agent_end","messages":[`...)
		for i, m := range ev.Messages {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = AppendMessage(dst, m); err != nil {
				return dst, false, err
			}
		}
		dst = append(dst, `],"willRetry":`...)
		dst = strconv.AppendBool(dst, ev.WillRetry)
		return append(dst, '}'), true, nil
	case *agentcore.TurnEnd:
		dst = append(dst, `{"type":"turn_end","message":`...)
		dst = ev.Message.AppendJSON(dst)
		dst = append(dst, `,"toolResults":[`...)
		for i, r := range ev.ToolResults {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = r.AppendJSON(dst)
		}
		return append(dst, `]}`...), true, nil
	case *agentcore.ToolStart:
		dst = appendTool(dst, "tool_execution_start", ev.CallID, ev.Name, ev.Arguments, true)
		return closeTool(dst, ev.ParentCallID), true, nil
	case *agentcore.ToolUpdate:
		dst = appendTool(dst, "tool_execution_update", ev.CallID, ev.Name, ev.Arguments, true)
		dst = append(dst, `,"partialResult":`...)
		dst, err := appendResult(dst, ev.Partial, false)
		return closeTool(dst, ev.ParentCallID), err == nil, err
	case *agentcore.ToolEnd:
		dst = appendTool(dst, "tool_execution_end", ev.CallID, ev.Name, nil, false)
		dst = append(dst, `,"result":`...)
		dst, err := appendResult(dst, ev.Result, true)
		if err != nil {
			return dst, false, err
		}
		dst = append(dst, `,"isError":`...)
		dst = strconv.AppendBool(dst, ev.Result.IsError)
		if ev.DurationMS != nil {
			dst = append(dst, `,"durationMs":`...)
			dst = strconv.AppendInt(dst, *ev.DurationMS, 10)
		}
		return closeTool(dst, ev.ParentCallID), true, nil
	case *harness.EntryAppended:
		dst = append(dst, `{"type":"entry_appended","entry":`...)
		dst, err := ev.Entry.AppendJSON(dst)
		return append(dst, '}'), err == nil, err
	}
	return e.appendPlain(dst, ev)
}

// appendPlain writes the events that are rare and simple.
func (e *EventEncoder) appendPlain(dst []byte, ev agentcore.Event) ([]byte, bool, error) {
	type fields map[string]any
	var f fields
	switch ev := ev.(type) {
	case *agentcore.AgentStart, *agentcore.TurnStart:
		f = fields{}
	case *harness.Settled:
		f = fields{"aborted": ev.Aborted}
	case *harness.QueueUpdate:
		f = fields{"steering": orEmpty(ev.Steering), "followUp": orEmpty(ev.FollowUp)}
	case *harness.InfoChanged:
		f = fields{}
		if ev.Name != "" {
			f["name"] = ev.Name
		}
	case *harness.ThinkingChanged:
		f = fields{"level": ev.Level}
	case *harness.RetryStart:
		f = fields{"attempt": ev.Attempt, "maxAttempts": ev.MaxAttempts, "delayMs": ev.Delay.Milliseconds(), "errorMessage": ev.ErrorMessage}
	case *harness.RetryEnd:
		f = fields{"success": ev.Success, "attempt": ev.Attempt}
		if ev.FinalError != "" {
			f["finalError"] = ev.FinalError
		}
	case *harness.CompactionStart:
		f = fields{"reason": ev.Reason}
	case *harness.CompactionEnd:
		f = fields{"reason": ev.Reason, "aborted": ev.Aborted, "willRetry": ev.WillRetry}
		if ev.Result != nil {
			f["result"] = CompactionResult(*ev.Result)
		}
		if ev.ErrorMessage != "" {
			f["errorMessage"] = ev.ErrorMessage
		}
	case *harness.SummaryRetry:
		f = fields{"attempt": ev.Attempt, "maxAttempts": ev.MaxAttempts, "delayMs": ev.Delay.Milliseconds(), "errorMessage": ev.ErrorMessage}
	case *harness.SummaryAttempt:
		f = fields{"source": ev.Source}
		if ev.Reason != "" {
			f["reason"] = ev.Reason
		}
	case *harness.SummaryRetryEnd:
		f = fields{}
	default:
		return dst, false, nil
	}
	dst = append(dst, `{"type":`...)
	dst = jsonobj.AppendString(dst, ev.EventType())
	if len(f) > 0 {
		body, err := json.Marshal(f)
		if err != nil {
			return dst, false, fmt.Errorf("encode %s event: %w", ev.EventType(), err)
		}
		dst = append(dst, ',')
		return append(dst, body[1:]...), true, nil
	}
	return append(dst, '}'), true, nil
}

// CompactionResult is what a compaction did, in wire form.
type CompactionResult harness.CompactionResult

// MarshalJSON implements [json.Marshaler].
func (r CompactionResult) MarshalJSON() ([]byte, error) {
	var details json.RawMessage
	if r.Entry != nil {
		details = r.Entry.Details
	}
	return json.Marshal(struct {
		Summary     string          `json:"summary"`
		FirstKept   string          `json:"firstKeptEntryId"`
		Before      int64           `json:"tokensBefore"`
		After       int64           `json:"estimatedTokensAfter"`
		Usage       *ai.Usage       `json:"usage,omitempty"`
		DetailsJSON json.RawMessage `json:"details,omitempty"`
	}{r.Summary, r.FirstKeptID, r.TokensBefore, r.TokensAfter, r.Usage, details})
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// appendUpdate writes one stream event of an answer.
func (e *EventEncoder) appendUpdate(dst []byte, ev *agentcore.MessageUpdate) ([]byte, bool) {
	s := &ev.Stream
	switch s.Type {
	case ai.EventStart, ai.EventDone, ai.EventError:
		return dst, false
	}
	dst = append(dst, `{"type":"message_update","usage":`...)
	dst = append(dst, e.encodedUsage(&ev.Message.Usage)...)
	dst = append(dst, `,"assistantMessageEvent":{"type":"`...)
	dst = append(dst, s.Type...)
	dst = append(dst, `","contentIndex":`...)
	dst = strconv.AppendInt(dst, int64(s.Index), 10)
	switch s.Type {
	case ai.EventTextDelta, ai.EventThinkingDelta, ai.EventToolCallDelta:
		dst = append(dst, `,"delta":`...)
		dst = jsonobj.AppendString(dst, s.Delta)
	default:
		switch b := s.Block().(type) {
		case *ai.Text:
			if s.Type == ai.EventTextEnd {
				dst = append(dst, `,"content":`...)
				dst = jsonobj.AppendString(dst, b.Text)
			}
		case *ai.Thinking:
			if s.Type == ai.EventThinkingEnd {
				dst = append(dst, `,"content":`...)
				dst = jsonobj.AppendString(dst, b.Text)
			}
		case *ai.ToolCall:
			if s.Type == ai.EventToolCallEnd {
				dst = append(dst, `,"toolCall":`...)
				dst = b.AppendJSON(dst)
			} else {
				dst = append(dst, `,"id":`...)
				dst = jsonobj.AppendString(dst, b.ID)
				dst = append(dst, `,"toolName":`...)
				dst = jsonobj.AppendString(dst, b.Name)
			}
		}
	}
	return append(dst, `}}`...), true
}

// encodedUsage gives the usage as JSON, encoded anew only when it changed.
func (e *EventEncoder) encodedUsage(u *ai.Usage) []byte {
	plain := *u
	plain.Extra = nil
	if !e.usageFull || len(u.Extra) > 0 || !sameUsage(&plain, &e.usageOf) {
		e.usage = u.AppendJSON(e.usage[:0])
		e.usageOf, e.usageFull = plain, len(u.Extra) == 0
	}
	return e.usage
}

func sameUsage(a, b *ai.Usage) bool {
	return a.Input == b.Input && a.Output == b.Output && a.CacheRead == b.CacheRead && a.CacheWrite == b.CacheWrite &&
		a.CacheWrite1h == b.CacheWrite1h && a.Reasoning == b.Reasoning && a.HasReasoning == b.HasReasoning && a.Total == b.Total && a.Cost == b.Cost
}

func appendMessageEvent(dst []byte, kind string, m agentcore.Message) ([]byte, bool, error) {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","message":`...)
	dst, err := AppendMessage(dst, m)
	return append(dst, '}'), err == nil, err
}

// AppendMessage appends a message of any kind in its stored form.
func AppendMessage(dst []byte, m agentcore.Message) ([]byte, error) {
	if a, ok := m.(interface{ AppendJSON([]byte) []byte }); ok {
		return a.AppendJSON(dst), nil
	}
	body, err := json.Marshal(m)
	if err != nil {
		return dst, fmt.Errorf("encode %s message: %w", m.Role(), err)
	}
	return append(dst, body...), nil
}

func appendTool(dst []byte, kind, id, name string, args json.RawMessage, withArgs bool) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, kind...)
	dst = append(dst, `","toolCallId":`...)
	dst = jsonobj.AppendString(dst, id)
	dst = append(dst, `,"toolName":`...)
	dst = jsonobj.AppendString(dst, name)
	if withArgs {
		dst = append(dst, `,"args":`...)
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		dst = append(dst, args...)
	}
	return dst
}

func closeTool(dst []byte, parent string) []byte {
	if parent != "" {
		dst = append(dst, `,"parentToolCallId":`...)
		dst = jsonobj.AppendString(dst, parent)
	}
	return append(dst, '}')
}

// appendResult writes a tool's result; a final one has all fields.
func appendResult(dst []byte, r agentcore.ToolResult, final bool) ([]byte, error) {
	dst = append(dst, `{"content":`...)
	dst = ai.AppendBlocks(dst, r.Content)
	field := func(name string, v any) error {
		if v == nil {
			return nil
		}
		body, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("encode %s of a tool result: %w", name, err)
		}
		dst = append(dst, ',', '"')
		dst = append(dst, name...)
		dst = append(dst, '"', ':')
		dst = append(dst, body...)
		return nil
	}
	if err := field("details", r.Details); err != nil {
		return dst, err
	}
	if final {
		if err := field("structuredContent", r.Structured); err != nil {
			return dst, err
		}
		if r.Usage != nil {
			dst = append(dst, `,"usage":`...)
			dst = r.Usage.AppendJSON(dst)
		}
		if r.IsError {
			dst = append(dst, `,"isError":true`...)
		}
		if r.Terminate {
			dst = append(dst, `,"terminate":true`...)
		}
	}
	return append(dst, '}'), nil
}
