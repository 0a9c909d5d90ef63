package agentcore

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

// TestHooksAtTheirPoints writes hooks and events into one trace: the points at
// which hooks are called are part of the contract.
func TestHooksAtTheirPoints(t *testing.T) {
	rec := new(recorder)
	note := func(format string, args ...any) {
		rec.lines = append(rec.lines, "** "+fmt.Sprintf(format, args...))
	}
	steering, followUp := 0, 0
	model := &script{replies: []reply{invoke("a echo {}"), say("second"), say("third")}}
	cfg := LoopConfig{
		Now: clock(), Execution: ExecuteSequential, // AfterToolCall writes to the trace too
		Stream: func(ctx context.Context, m *ai.Model, req ai.Request, opts ai.Options) *ai.Stream {
			note("Stream: %d messages, key %q", len(req.Messages), opts.APIKey)
			return model.stream(ctx, m, req, opts)
		},
		TransformContext: func(_ context.Context, ms []Message) ([]Message, error) {
			note("TransformContext: %d messages", len(ms))
			return ms[1:], nil
		},
		ConvertToLLM: func(ms []Message) []ai.Message {
			note("ConvertToLLM: %d messages", len(ms))
			return ModelMessages(ms)
		},
		APIKey: func(_ context.Context, provider string) (string, error) {
			note("APIKey: %s", provider)
			return "k", nil
		},
		PrepareRequest: func(_ context.Context, c Context) (*ContextUpdate, error) {
			note("PrepareRequest: %d messages", len(c.Messages))
			return nil, nil
		},
		PrepareNextTurn: func(_ context.Context, turn Turn) (*ContextUpdate, error) {
			note("PrepareNextTurn: after %s, %d results, %d new", turn.Message.StopReason, len(turn.ToolResults), len(turn.NewMessages))
			return nil, nil
		},
		FinishTurn: func(_ context.Context, turn Turn) (TurnAction, error) {
			note("FinishTurn: %s, %d results, %d in the context", turn.Message.StopReason, len(turn.ToolResults), len(turn.Context.Messages))
			return TurnNormal, nil
		},
		FinishMessage: func(_ context.Context, m Message) (Message, error) {
			note("FinishMessage: %s", m.Role())
			return nil, nil
		},
		BeforeToolCall: func(_ context.Context, c BeforeToolCall) (*BeforeToolCallResult, error) {
			note("BeforeToolCall: %s", c.Call.ID)
			return nil, nil
		},
		AfterToolCall: func(_ context.Context, c AfterToolCall) (*ToolResultPatch, error) {
			note("AfterToolCall: %s", c.Call.ID)
			return nil, nil
		},
		SteeringMessages: func() []Message {
			steering++
			note("SteeringMessages %d", steering)
			if steering == 3 { // after PrepareNextTurn of the first turn
				return users("steered")
			}
			return nil
		},
		FollowUpMessages: func() []Message {
			followUp++
			note("FollowUpMessages %d", followUp)
			if followUp == 1 {
				return users("followed")
			}
			return nil
		},
	}
	if _, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, rec.emit); err != nil {
		t.Fatal(err)
	}
	golden(t, "hooks", rec.lines)
}

func TestPrepareRequestSticks(t *testing.T) {
	other := &ai.Model{ID: "m2", Provider: "script"}
	model := &script{replies: []reply{invoke("a echo {}"), invoke("b late {}")}}
	n := 0
	cfg := LoopConfig{
		Stream: model.stream, Now: clock(),
		PrepareRequest: func(_ context.Context, c Context) (*ContextUpdate, error) {
			if n++; n == 2 {
				if c.Model.ID != "m1" || c.Thinking != "" || len(c.Tools) != 1 {
					t.Errorf("the hook sees %v, %q, %d tools", c.Model, c.Thinking, len(c.Tools))
				}
				return &ContextUpdate{
					Messages: append(users("summary"), c.Messages[len(c.Messages)-2:]...), Append: users("appended"),
					Model: other, Thinking: ai.ThinkingLow, Tools: []*Tool{echoTool("late")},
				}, nil
			}
			if n == 3 && (c.Model != other || c.Thinking != ai.ThinkingLow || c.Tools[0].Name != "late") {
				t.Errorf("the update did not stick: %v, %q, %v", c.Model, c.Thinking, c.Tools[0].Name)
			}
			return nil, nil
		},
	}
	added, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"m1", "m2", "m2"}, model.models); d != "" {
		t.Errorf("models (-want +got):\n%s", d)
	}
	want := []string{
		`user "summary"`, `assistant toolUse "" a=echo({})`, `toolResult a "{}"`, `user "appended"`,
		`system "" +[late] -[]`, `assistant toolUse "" b=late({})`, `toolResult b "{}"`,
	}
	if d := cmp.Diff(want, describeAll(model.requests[2])); d != "" {
		t.Errorf("third request (-want +got):\n%s", d)
	}
	// What Run added does not depend on the replaced transcript.
	if got := describeMessage(added[0]); got != `system "" +[echo] -[]` {
		t.Errorf("first new message %s", got)
	}
}

func TestAgentFollowsReplacedTranscript(t *testing.T) {
	model := &script{replies: []reply{invoke("a echo {}"), say("done")}}
	a := New(AgentConfig{
		Model: testModel(), Tools: []*Tool{echoTool("echo")},
		Loop: LoopConfig{Stream: model.stream, Now: clock(), PrepareNextTurn: func(context.Context, Turn) (*ContextUpdate, error) {
			return &ContextUpdate{Messages: users("short")}, nil
		}},
	})
	if _, err := a.Prompt(t.Context(), ai.UserText("go")); err != nil {
		t.Fatal(err)
	}
	want := []string{`system "" +[echo] -[]`, `user "short"`, `assistant stop "done"`}
	got := describeAll(a.State().Messages)
	want[0], want[1] = want[1], want[0] // the declaration follows what replaced it
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("transcript (-want +got):\n%s", d)
	}
}

func TestFinishMessageReplaces(t *testing.T) {
	model := &script{replies: []reply{say("secret"), say("never")}}
	cfg := LoopConfig{Stream: model.stream, Now: clock(), FinishMessage: func(_ context.Context, m Message) (Message, error) {
		switch m := m.(type) {
		case *ai.AssistantMessage:
			c := m.Clone()
			c.Content = []ai.Block{&ai.Text{Text: "[redacted]"}}
			return c, nil
		case *ai.UserMessage:
			return ai.UserText(strings.ToUpper(ai.TextOf(m.Content, ""))), nil
		}
		return nil, nil
	}}
	rec := new(recorder)
	added, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, rec.emit)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{`user "GO"`, `assistant stop "[redacted]"`}
	if d := cmp.Diff(want, describeAll(added)); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want, endedMessages(rec.lines)); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	cfg.FinishMessage = func(_ context.Context, m Message) (Message, error) {
		if m.Role() == ai.RoleUser {
			return &ai.AssistantMessage{}, nil
		}
		return nil, nil
	}
	if _, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, nil); err == nil || !strings.Contains(err.Error(), "the role must stay") {
		t.Errorf("another role: %v", err)
	}
}

func TestFinishTurnContinueIsSatisfied(t *testing.T) {
	cases := []struct {
		name     string
		replies  []reply
		cfg      func(*LoopConfig)
		requests int
	}{
		{"by nothing", []reply{say("a")}, nil, 2},
		{"by tool results", []reply{invoke("a echo {}"), say("b")}, nil, 2},
		{"by a follow-up", []reply{say("a"), say("b")}, func(c *LoopConfig) { c.FollowUpMessages = once("f") }, 2},
		{"by steering", []reply{say("a"), say("b")}, func(c *LoopConfig) {
			n := 0
			c.SteeringMessages = func() []Message {
				if n++; n == 2 {
					return users("s")
				}
				return nil
			}
		}, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			model := &script{replies: c.replies}
			n := 0
			cfg := LoopConfig{Stream: model.stream, Now: clock(), FinishTurn: func(context.Context, Turn) (TurnAction, error) {
				if n++; n == 1 {
					return TurnContinue, nil
				}
				return TurnNormal, nil
			}}
			if c.cfg != nil {
				c.cfg(&cfg)
			}
			if _, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, nil); err != nil {
				t.Fatal(err)
			}
			if len(model.requests) != c.requests {
				t.Errorf("%d requests, want %d", len(model.requests), c.requests)
			}
		})
	}
}

func TestDeferredAnswerEndsTheRun(t *testing.T) {
	model := &script{replies: []reply{func(_ context.Context, out *ai.Emitter) error {
		out.Message().StopReason = ai.StopDeferred
		out.Message().Deferred = json.RawMessage(`{"id":"x"}`)
		return nil
	}}}
	followed := false
	cfg := LoopConfig{Stream: model.stream, Now: clock(), FollowUpMessages: func() []Message { followed = true; return nil }}
	added, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, nil)
	if err != nil || followed || len(model.requests) != 1 {
		t.Errorf("err %v, follow-ups asked %v, %d requests", err, followed, len(model.requests))
	}
	if m := added[1].(*ai.AssistantMessage); m.StopReason != ai.StopDeferred || string(m.Deferred) != `{"id":"x"}` {
		t.Errorf("answer %s", describeMessage(m))
	}
}

func TestRunThatCanNotStart(t *testing.T) {
	model := &script{}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	cases := []struct {
		name string
		ctx  context.Context
		c    Context
		cfg  LoopConfig
		in   []Message
		want string
	}{
		{"no stream", t.Context(), Context{Model: testModel()}, LoopConfig{}, users("x"), "LoopConfig.Stream is nil"},
		{"no model", t.Context(), Context{}, LoopConfig{Stream: model.stream}, users("x"), "no model was chosen"},
		{"nothing to do", t.Context(), Context{Model: testModel()}, LoopConfig{Stream: model.stream}, nil, "nothing to continue"},
		{"only nil", t.Context(), Context{Model: testModel()}, LoopConfig{Stream: model.stream}, []Message{nil}, "nothing to continue"},
		{"queue panics", t.Context(), Context{Model: testModel()}, LoopConfig{Stream: model.stream, SteeringMessages: func() []Message { panic("ouch") }}, nil, "SteeringMessages panicked: ouch"},
		{"aborted with nothing to do", cancelled, Context{Model: testModel()}, LoopConfig{Stream: model.stream}, nil, "run aborted: context canceled"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			rec := new(recorder)
			added, err := Run(c.ctx, c.in, c.c, c.cfg, rec.emit)
			if err == nil || !strings.Contains(err.Error(), c.want) || len(added) != 0 || len(rec.lines) != 0 {
				t.Errorf("Run = %v, %v with events %q; want an error with %q and nothing else", added, err, rec.lines, c.want)
			}
		})
	}
}

func TestMessagesGetATime(t *testing.T) {
	prompt := ai.UserText("go")
	added, err := Run(t.Context(), []Message{prompt}, Context{Model: testModel()}, LoopConfig{Stream: new(script).stream, Now: clock()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := added[0].Time(); !got.Equal(clock()()) || prompt.Timestamp != 0 {
		t.Errorf("time %v, the caller's message has %d; want the clock's time and the caller's message unchanged", got, prompt.Timestamp)
	}
	if got := added[1].(*ai.AssistantMessage).ThinkingLevel; got != ai.ThinkingOff {
		t.Errorf("thinking level of the answer %q, want off", got)
	}
}
