package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/rpc"
)

func TestEvents(t *testing.T) {
	ms := int64(309)
	call := &ai.ToolCall{ID: "t1", Name: "read", Arguments: json.RawMessage(`{"path":"a"}`)}
	answer := &ai.AssistantMessage{Content: []ai.Block{&ai.Text{Text: "hi \u2028"}, call}, StopReason: ai.StopPending, Usage: ai.Usage{Input: 3}}
	const usage = `"usage":{"input":3,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	update := func(kind ai.EventType, index int, delta string) *agentcore.MessageUpdate {
		return &agentcore.MessageUpdate{Message: answer, Stream: ai.Event{Type: kind, Index: index, Delta: delta, Message: answer}}
	}
	cases := []struct {
		ev   agentcore.Event
		want string
	}{
		{&agentcore.AgentStart{}, `{"type":"agent_start"}`},
		{&agentcore.AgentEnd{Messages: []agentcore.Message{&ai.UserMessage{Timestamp: 1}}, WillRetry: true}, `{"type":"agent_end","messages":[{"role":"user","content":[],"timestamp":1}],"willRetry":true}`},
		{&agentcore.MessageStart{Message: &ai.UserMessage{Timestamp: 1}}, `{"type":"message_start","message":{"role":"user","content":[],"timestamp":1}}`},
		{update(ai.EventTextStart, 0, ""), `{"type":"message_update",` + usage + `,"assistantMessageEvent":{"type":"text_start","contentIndex":0}}`},
		{update(ai.EventTextDelta, 0, "h\"\u2028"), `{"type":"message_update",` + usage + `,"assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"h\"` + "\u2028" + `"}}`},
		{update(ai.EventTextEnd, 0, ""), `{"type":"message_update",` + usage + `,"assistantMessageEvent":{"type":"text_end","contentIndex":0,"content":"hi ` + "\u2028" + `"}}`},
		{update(ai.EventToolCallStart, 1, ""), `{"type":"message_update",` + usage + `,"assistantMessageEvent":{"type":"toolcall_start","contentIndex":1,"id":"t1","toolName":"read"}}`},
		{update(ai.EventToolCallEnd, 1, ""), `{"type":"message_update",` + usage + `,"assistantMessageEvent":{"type":"toolcall_end","contentIndex":1,"toolCall":{"type":"toolCall","id":"t1","name":"read","arguments":{"path":"a"}}}}`},
		{update(ai.EventStart, 0, ""), ""},
		{update(ai.EventDone, 0, ""), ""},
		{&agentcore.ToolStart{CallID: "t1", Name: "read", Arguments: call.Arguments, ParentCallID: "p"}, `{"type":"tool_execution_start","toolCallId":"t1","toolName":"read","args":{"path":"a"},"parentToolCallId":"p"}`},
		{&agentcore.ToolUpdate{CallID: "t1", Name: "read"}, `{"type":"tool_execution_update","toolCallId":"t1","toolName":"read","args":{},"partialResult":{"content":[]}}`},
		{
			&agentcore.ToolEnd{CallID: "t1", Name: "bash", DurationMS: &ms, Result: agentcore.ToolResult{Content: []ai.Block{&ai.Text{Text: "x"}}, Details: struct{}{}, Structured: "s", IsError: true, Terminate: true}},
			`{"type":"tool_execution_end","toolCallId":"t1","toolName":"bash","result":{"content":[{"type":"text","text":"x"}],"details":{},"structuredContent":"s","isError":true,"terminate":true},"isError":true,"durationMs":309}`,
		},
		{&harness.Settled{Aborted: true}, `{"type":"agent_settled","aborted":true}`},
		{&harness.QueueUpdate{}, `{"type":"queue_update","followUp":[],"steering":[]}`},
		{&harness.InfoChanged{}, `{"type":"session_info_changed"}`},
		{&harness.ThinkingChanged{Level: ai.ThinkingLow}, `{"type":"thinking_level_changed","level":"low"}`},
		{&harness.RetryStart{Attempt: 1, MaxAttempts: 3, Delay: 2 * time.Second, ErrorMessage: "500"}, `{"type":"auto_retry_start","attempt":1,"delayMs":2000,"errorMessage":"500","maxAttempts":3}`},
		{&harness.CompactionStart{Reason: harness.ReasonOverflow}, `{"type":"compaction_start","reason":"overflow"}`},
		{&harness.CompactionEnd{Reason: harness.ReasonManual, ErrorMessage: "no"}, `{"type":"compaction_end","aborted":false,"errorMessage":"no","reason":"manual","willRetry":false}`},
		{
			&harness.CompactionEnd{Reason: harness.ReasonManual, Result: &harness.CompactionResult{Summary: "s", FirstKeptID: "k", TokensBefore: 2, TokensAfter: 1}},
			`{"type":"compaction_end","aborted":false,"reason":"manual","result":{"summary":"s","firstKeptEntryId":"k","tokensBefore":2,"estimatedTokensAfter":1},"willRetry":false}`,
		},
		{&harness.SummaryAttempt{Source: "compaction", Reason: "manual"}, `{"type":"summarization_retry_attempt_start","reason":"manual","source":"compaction"}`},
		{&harness.RetryEnd{Attempt: 2, FinalError: "no"}, `{"type":"auto_retry_end","attempt":2,"finalError":"no","success":false}`},
	}
	var e rpc.EventEncoder
	for _, c := range cases {
		got, ok, err := e.Append(nil, c.ev)
		if err != nil || ok != (c.want != "") || ok && string(got) != c.want {
			t.Errorf("%s:\n got %s (%v %v)\nwant %s", c.ev.EventType(), got, ok, err, c.want)
		}
		if ok && !json.Valid(got) {
			t.Errorf("%s is not JSON", got)
		}
	}
}

// Models lay arguments out in lines; an event is one line all the same.
func TestEventsAreOneLine(t *testing.T) {
	args := json.RawMessage("{\n  \"path\": \"a\\nb\"\r\n}")
	answer := &ai.AssistantMessage{Content: []ai.Block{&ai.ToolCall{ID: "t", Name: "read", Arguments: args}}}
	var e rpc.EventEncoder
	for _, ev := range []agentcore.Event{
		&agentcore.MessageEnd{Message: answer},
		&agentcore.ToolStart{CallID: "t", Name: "read", Arguments: args},
		&agentcore.TurnEnd{Message: answer, ToolResults: []*ai.ToolResultMessage{{Details: args}}},
		&agentcore.MessageUpdate{Message: answer, Stream: ai.Event{Type: ai.EventToolCallEnd, Message: answer}},
	} {
		got, ok, err := e.Append([]byte("before\n"), ev)
		line := bytes.TrimPrefix(got, []byte("before\n"))
		if err != nil || !ok || bytes.ContainsAny(line, "\r\n") || !json.Valid(line) || !bytes.Contains(line, []byte(`{"path":"a\nb"}`)) {
			t.Errorf("%s: %q %v", ev.EventType(), got, err)
		}
	}
}

func TestEntryEvent(t *testing.T) {
	s, err := session.Create(t.Context(), session.NewMemory(), session.Header{}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	edit := &session.LabelEntry{Label: "x"}
	if edit.TargetID, err = s.AppendMessage(context.Background(), ai.UserText("hi")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), edit); err != nil {
		t.Fatal(err)
	}
	var e rpc.EventEncoder
	got, ok, err := e.Append(nil, &harness.EntryAppended{Entry: edit})
	var ev struct {
		Type  string
		Entry struct{ Type, ID, Label string }
	}
	if err != nil || !ok || json.Unmarshal(got, &ev) != nil || ev.Entry.Type != "label" || ev.Entry.ID != edit.ID {
		t.Errorf("%s %v %v", got, ok, err)
	}
}

func BenchmarkDelta(b *testing.B) {
	answer := &ai.AssistantMessage{Content: []ai.Block{&ai.Text{Text: "so far"}}, Usage: ai.Usage{Input: 1200, Output: 30}}
	ev := &agentcore.MessageUpdate{Message: answer, Stream: ai.Event{Type: ai.EventTextDelta, Delta: " word", Message: answer}}
	var e rpc.EventEncoder
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		buf, _, _ = e.Append(buf[:0], ev)
	}
}
