package agentcore

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

var update = flag.Bool("update", false, "rewrite golden files")

// testModel is what scripted answers come from.
func testModel() *ai.Model { return &ai.Model{ID: "m1", Provider: "script", API: "script"} }

// clock gives a time that moves only when it is told to.
func clock() func() time.Time {
	return func() time.Time { return time.UnixMilli(1_700_000_000_000) }
}

// reply is one scripted answer.
type reply func(ctx context.Context, out *ai.Emitter) error

// script is a model that gives its replies in order and keeps what it was
// asked.
type script struct {
	mu       sync.Mutex
	replies  []reply
	requests [][]ai.Message
	models   []string
	options  []ai.Options
}

func (s *script) stream(ctx context.Context, m *ai.Model, req ai.Request, opts ai.Options) *ai.Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.requests)
	s.requests = append(s.requests, slices.Clone(req.Messages))
	s.models = append(s.models, m.ID)
	s.options = append(s.options, opts)
	answer := say("(the script is over)")
	if n < len(s.replies) {
		answer = s.replies[n]
	}
	return ai.NewStream(ctx, ai.StreamInfo{Model: m, Thinking: opts.Thinking, Now: clock()}, answer)
}

// say answers with text.
func say(text string) reply {
	return func(_ context.Context, out *ai.Emitter) error {
		w := out.Text()
		w.Append(text)
		w.End()
		out.Message().StopReason = ai.StopEnd
		return nil
	}
}

// invoke answers with tool calls, each given as "id name arguments".
func invoke(calls ...string) reply { return invokeStop(ai.StopToolUse, calls...) }

func invokeStop(stop ai.StopReason, calls ...string) reply {
	return func(_ context.Context, out *ai.Emitter) error {
		for _, c := range calls {
			part := strings.SplitN(c, " ", 3)
			w := out.ToolCall(part[0], part[1])
			w.Append(part[2])
			w.End()
		}
		out.Message().StopReason = stop
		return nil
	}
}

// echoTool returns its arguments.
func echoTool(name string) *Tool {
	return &Tool{
		Name: name, Description: "Echoes.", Parameters: json.RawMessage(`{"type":"object"}`),
		Execute: func(_ context.Context, call ToolCall, _ func(ToolResult)) (ToolResult, error) {
			return TextResult(string(call.Arguments)), nil
		},
	}
}

// recorder writes events down, one line each.
type recorder struct{ lines []string }

func (r *recorder) emit(ev Event) error {
	r.lines = append(r.lines, describe(ev))
	return nil
}

func describe(ev Event) string {
	line := ev.EventType()
	switch ev := ev.(type) {
	case *MessageStart:
		line += " " + describeMessage(ev.Message)
	case *MessageEnd:
		line += " " + describeMessage(ev.Message)
	case *MessageUpdate:
		line += fmt.Sprintf(" %s %d %q", ev.Stream.Type, ev.Stream.Index, ev.Stream.Delta)
	case *ToolStart:
		line += fmt.Sprintf(" %s %s %s", ev.CallID, ev.Name, ev.Arguments) + under(ev.ParentCallID)
	case *ToolUpdate:
		line += fmt.Sprintf(" %s %s", ev.CallID, describeResult(ev.Partial)) + under(ev.ParentCallID)
	case *ToolEnd:
		line += fmt.Sprintf(" %s %s", ev.CallID, describeResult(ev.Result)) + under(ev.ParentCallID)
	case *TurnEnd:
		line += fmt.Sprintf(" %s results=%d", ev.Message.StopReason, len(ev.ToolResults))
	case *AgentEnd:
		line += fmt.Sprintf(" messages=%d", len(ev.Messages))
		if ev.Err != nil {
			line += fmt.Sprintf(" err=%q", ev.Err)
		}
	}
	return line
}

func under(parent string) string {
	if parent == "" {
		return ""
	}
	return " under " + parent
}

func describeResult(r ToolResult) string {
	text := fmt.Sprintf("%q", ai.TextOf(r.Content, "|"))
	if r.IsError {
		text = "error " + text
	}
	return text
}

func describeMessage(m Message) string {
	switch m := m.(type) {
	case *ai.SystemMessage:
		var added []string
		for _, t := range m.ToolsAdded {
			added = append(added, t.Name)
		}
		return fmt.Sprintf("system %q +%v -%v", m.Text(), added, m.ToolsRemoved)
	case *ai.UserMessage:
		return fmt.Sprintf("user %q", ai.TextOf(m.Content, "|"))
	case *ai.ToolResultMessage:
		text := fmt.Sprintf("toolResult %s %q", m.ToolCallID, ai.TextOf(m.Content, "|"))
		if m.IsError {
			text += " error"
		}
		return text
	case *ai.AssistantMessage:
		text := fmt.Sprintf("assistant %s %q", m.StopReason, m.Text())
		for _, c := range m.ToolCalls() {
			text += fmt.Sprintf(" %s=%s(%s)", c.ID, c.Name, c.Arguments)
		}
		if m.ErrorMessage != "" {
			text += fmt.Sprintf(" error=%q", m.ErrorMessage)
		}
		return text
	}
	return string(m.Role())
}

func describeAll[M Message](messages []M) []string {
	var lines []string
	for _, m := range messages {
		lines = append(lines, describeMessage(m))
	}
	return lines
}

// golden compares lines with a file of testdata.
func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	got := strings.Join(lines, "\n") + "\n"
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to write it)", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, d)
	}
}

func users(texts ...string) []Message {
	var list []Message
	for _, t := range texts {
		list = append(list, ai.UserText(t))
	}
	return list
}

// once gives its messages at the first call.
func once(texts ...string) func() []Message {
	list := users(texts...)
	return func() []Message {
		out := list
		list = nil
		return out
	}
}
