package agentcore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

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

// TestFaultyParts lets each foreign part of a run fail and panic: the run ends
// in order and says which part it was.
func TestFaultyParts(t *testing.T) {
	boom := errors.New("boom")
	var fail func() error
	parts := map[string]func(*LoopConfig){
		"TransformContext": func(c *LoopConfig) {
			c.TransformContext = func(_ context.Context, ms []Message) ([]Message, error) { return ms, fail() }
		},
		"APIKey": func(c *LoopConfig) { c.APIKey = func(context.Context, string) (string, error) { return "", fail() } },
		"PrepareRequest": func(c *LoopConfig) {
			c.PrepareRequest = func(context.Context, Context) (*ContextUpdate, error) { return nil, fail() }
		},
		"PrepareNextTurn": func(c *LoopConfig) {
			c.PrepareNextTurn = func(context.Context, Turn) (*ContextUpdate, error) { return &ContextUpdate{Append: users("x")}, fail() }
		},
		"FinishTurn": func(c *LoopConfig) {
			c.FinishTurn = func(context.Context, Turn) (TurnAction, error) { return 0, fail() }
		},
		"FinishMessage": func(c *LoopConfig) {
			c.FinishMessage = func(_ context.Context, m Message) (Message, error) {
				if m.Role() == ai.RoleToolResult {
					return nil, fail()
				}
				return nil, nil
			}
		},
	}
	for name, set := range parts {
		for _, how := range []string{"fails", "panics"} {
			t.Run(name+" "+how, func(t *testing.T) {
				fail = func() error { return boom }
				if how == "panics" {
					fail = func() error { panic(boom) }
				}
				model := &script{replies: []reply{invoke("a echo {}"), say("never")}}
				cfg := LoopConfig{Stream: model.stream, Now: clock()}
				set(&cfg)
				var panics int
				cfg.OnPanic = func(*PanicError) { panics++ }
				rec := new(recorder)
				_, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, rec.emit)
				checkShape(t, rec.lines)
				if !errors.Is(err, boom) || !strings.Contains(err.Error(), name) {
					t.Errorf("Run = %v, want boom of %s", err, name)
				}
				if (panics == 1) != (how == "panics") {
					t.Errorf("%d panics were told", panics)
				}
				messages := endedMessages(rec.lines)
				if last := messages[len(messages)-1]; !strings.HasPrefix(last, "assistant error") || !strings.Contains(last, "boom") {
					t.Errorf("last message %s, want an error answer", last)
				}
			})
		}
	}
	t.Run("ConvertToLLM panics", func(t *testing.T) {
		cfg := LoopConfig{Stream: new(script).stream, ConvertToLLM: func([]Message) []ai.Message { panic(boom) }}
		if _, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, nil); !errors.Is(err, boom) {
			t.Errorf("Run = %v", err)
		}
	})
	t.Run("no stream", func(t *testing.T) {
		cfg := LoopConfig{Stream: func(context.Context, *ai.Model, ai.Request, ai.Options) *ai.Stream { return nil }}
		if _, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, nil); err == nil || !strings.Contains(err.Error(), "returned no stream") {
			t.Errorf("Run = %v", err)
		}
	})
	t.Run("Stream panics", func(t *testing.T) {
		cfg := LoopConfig{Stream: func(context.Context, *ai.Model, ai.Request, ai.Options) *ai.Stream { panic(boom) }}
		if _, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, nil); !errors.Is(err, boom) {
			t.Errorf("Run = %v", err)
		}
	})
}

// TestListenerFails lets the listener fail or panic at each event of a run.
func TestListenerFails(t *testing.T) {
	boom := errors.New("boom")
	for n := 1; ; n++ {
		model := &script{replies: []reply{invoke("a echo {}", "b echo {}"), say("done")}}
		cfg := LoopConfig{Stream: model.stream, Now: clock()}
		rec := new(recorder)
		at := ""
		_, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, func(ev Event) error {
			_ = rec.emit(ev)
			if len(rec.lines) == n {
				at = describe(ev)
				if n%2 == 0 {
					panic(boom)
				}
				return boom
			}
			return nil
		})
		if at == "" {
			if err != nil || n < 20 {
				t.Fatalf("the undisturbed run has %d events and ends with %v", n-1, err)
			}
			return
		}
		checkShape(t, rec.lines)
		if !errors.Is(err, boom) {
			t.Errorf("failure at %q: Run = %v", at, err)
		}
	}
}

// TestAbortAtEveryEvent cancels the context at each event of a run.
func TestAbortAtEveryEvent(t *testing.T) {
	for n := 1; ; n++ {
		model := &script{replies: []reply{invoke("a echo {}", "b echo {}"), say("done")}}
		cfg := LoopConfig{Stream: model.stream, Now: clock(), FollowUpMessages: once("f")}
		ctx, cancel := context.WithCancel(t.Context())
		rec := new(recorder)
		at, requests := "", 0
		added, err := Run(ctx, users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, func(ev Event) error {
			_ = rec.emit(ev)
			if len(rec.lines) == n {
				at, requests = describe(ev), len(model.requests)
				cancel()
			}
			return nil
		})
		cancel()
		if at == "" {
			if err != nil || n < 30 {
				t.Fatalf("the undisturbed run has %d events and ends with %v", n-1, err)
			}
			return
		}
		checkShape(t, rec.lines)
		if len(model.requests) != requests {
			t.Errorf("abort at %q: a request was made afterwards", at)
		}
		if d := cmp.Diff(describeAll(added), endedMessages(rec.lines)); d != "" {
			t.Errorf("abort at %q: returned and told messages differ:\n%s", at, d)
		}
		if !errors.Is(err, context.Canceled) && !strings.HasPrefix(at, "agent_end") {
			t.Errorf("abort at %q: Run = %v", at, err)
		}
		aborted := 0
		for _, l := range endedMessages(rec.lines) {
			if strings.HasPrefix(l, "assistant aborted") {
				aborted++
			}
		}
		if aborted > 1 {
			t.Errorf("abort at %q: %d aborted answers", at, aborted)
		}
	}
}

// TestHookThatFailsBecauseOfAnAbort is an abort, not a failure.
func TestHookThatFailsBecauseOfAnAbort(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := LoopConfig{
		Stream: new(script).stream, Now: clock(),
		TransformContext: func(ctx context.Context, ms []Message) ([]Message, error) {
			cancel()
			return nil, errors.New("signal: killed")
		},
	}
	added, err := Run(ctx, users("go"), Context{Model: testModel()}, cfg, nil)
	if !errors.Is(err, context.Canceled) || len(added) != 2 {
		t.Fatalf("Run = %v, %v", describeAll(added), err)
	}
	if got, want := describeMessage(added[1]), `assistant aborted "" error="request was aborted"`; got != want {
		t.Errorf("last message %s, want %s", got, want)
	}
}

func TestFinishTurnIsNotCalledAfterAnAbort(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tool := echoTool("t")
	tool.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
		cancel()
		return TextResult("done"), nil
	}
	model := &script{replies: []reply{invoke("a t {}")}}
	cfg := LoopConfig{Stream: model.stream, Now: clock(), FinishTurn: func(context.Context, Turn) (TurnAction, error) {
		t.Error("FinishTurn was called")
		return TurnContinue, nil
	}}
	added, err := Run(ctx, users("go"), Context{Model: testModel(), Tools: []*Tool{tool}}, cfg, nil)
	if !errors.Is(err, context.Canceled) || len(model.requests) != 1 {
		t.Errorf("Run = %v after %d requests", err, len(model.requests))
	}
	// The tool did its work in time: its own result counts.
	if got, want := describeMessage(added[3]), `toolResult a "done"`; got != want {
		t.Errorf("result %s, want %s", got, want)
	}
}

// TestListenerErrorAfterAnAbortIsNotLost, for instance that of a full disk.
func TestListenerErrorAfterAnAbortIsNotLost(t *testing.T) {
	full := errors.New("disk full")
	for _, kind := range []string{"message_end", "agent_end"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := Run(ctx, users("go"), Context{Model: testModel()}, LoopConfig{Stream: new(script).stream, Now: clock()}, func(ev Event) error {
			if ev.EventType() == kind {
				return full
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || !errors.Is(err, full) {
			t.Errorf("listener of %s fails after an abort: Run = %v, want both", kind, err)
		}
	}
	_, err := Run(t.Context(), users("go"), Context{Model: testModel()}, LoopConfig{Stream: new(script).stream, Now: clock()}, func(ev Event) error {
		if ev.EventType() == "agent_end" {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) {
		t.Errorf("listener of agent_end fails: Run = %v", err)
	}
}

// TestRequestsAreNotShared: what a stream function appends to its request must
// not show in the next one, nor the other way round.
func TestRequestsAreNotShared(t *testing.T) {
	model := &script{replies: []reply{invoke("a echo {}"), invoke("b echo {}"), invoke("c echo {}"), say("done")}}
	var kept [][]ai.Message
	cfg := LoopConfig{Now: clock(), Stream: func(ctx context.Context, m *ai.Model, req ai.Request, opts ai.Options) *ai.Stream {
		kept = append(kept, append(req.Messages, ai.UserText(fmt.Sprint("mark ", len(kept)))))
		return model.stream(ctx, m, req, opts)
	}}
	if _, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, nil); err != nil {
		t.Fatal(err)
	}
	for i, req := range kept {
		if got, want := describeMessage(req[len(req)-1]), fmt.Sprintf("user \"mark %d\"", i); got != want {
			t.Errorf("request %d now ends with %s, want %s", i, got, want)
		}
		for _, m := range model.requests[i] {
			if strings.Contains(describeMessage(m), "mark") {
				t.Errorf("request %d holds what was appended to another: %s", i, describeMessage(m))
			}
		}
	}
}

// TestTranscriptDoesNotHoldTheStream: the answer of MessageEnd is a copy, so
// that the stream with its buffers and connection state can be freed.
func TestTranscriptDoesNotHoldTheStream(t *testing.T) {
	var making, whole Message
	_, err := Run(t.Context(), users("go"), Context{Model: testModel()}, LoopConfig{Stream: (&script{replies: []reply{say("x")}}).stream, Now: clock()}, func(ev Event) error {
		switch ev := ev.(type) {
		case *MessageStart:
			making = ev.Message
		case *MessageEnd:
			whole = ev.Message
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if making == whole {
		t.Error("the stream's own message entered the transcript")
	}
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	model := &script{}
	rec := new(recorder)
	_, err := Run(ctx, users("go"), Context{Model: testModel()}, LoopConfig{Stream: model.stream, Now: clock()}, rec.emit)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run = %v", err)
	}
	if last := endedMessages(rec.lines); !strings.HasPrefix(last[len(last)-1], "assistant error") {
		t.Errorf("last message %s: a deadline is an error, no abort", last)
	}
}

func TestOwnDeclarationsInPendingMessages(t *testing.T) {
	echo, other := echoTool("echo"), echoTool("other")
	gone := ai.Tool{Name: "gone"}
	foreign := echo.Declaration()
	foreign.Extra = map[string]json.RawMessage{"x": json.RawMessage("1")}
	changed := echo.Declaration()
	changed.Description = "Said it differently."
	cases := []struct {
		name           string
		before, prompt []Message
		want           []string // system messages that enter
	}{
		{"right already", nil, []Message{&ai.SystemMessage{Content: "p", ToolsAdded: []ai.Tool{echo.Declaration(), other.Declaration()}}},
			[]string{`system "p" +[echo other] -[]`}},
		{"known before", []Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{foreign, other.Declaration()}}}, users("x"), nil},
		{"too many", []Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{gone}}}, []Message{&ai.SystemMessage{Content: "p", ToolsAdded: []ai.Tool{gone}}},
			[]string{`system "p" +[echo other] -[gone]`}},
		{"changed words", []Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{changed, other.Declaration()}}}, users("x"),
			[]string{`system "" +[echo] -[echo]`}},
		{"last of several", nil, []Message{&ai.SystemMessage{Content: "p", ToolsAdded: []ai.Tool{gone}}, &ai.SystemMessage{Content: "q"}},
			[]string{`system "p" +[gone] -[]`, `system "q" +[echo other] -[gone]`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			model := &script{}
			added, err := Run(t.Context(), append(c.prompt, users("go")...), Context{Model: testModel(), Messages: c.before, Tools: []*Tool{echo, other, echo}}, LoopConfig{Stream: model.stream, Now: clock()}, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, m := range added {
				if m.Role() == ai.RoleSystem {
					got = append(got, describeMessage(m))
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("system messages (-want +got):\n%s", d)
			}
			var names []string
			for _, tool := range ai.ReplaySystem(model.requests[0]).Tools {
				names = append(names, tool.Name)
			}
			if d := cmp.Diff([]string{"echo", "other"}, names); d != "" {
				t.Errorf("declared in the request (-want +got):\n%s", d)
			}
		})
	}
}

// TestSteeredDeclarationIsCorrected: a system message may come late, when the
// run has long compared the tools.
func TestSteeredDeclarationIsCorrected(t *testing.T) {
	model := &script{replies: []reply{say("one"), say("two")}}
	n := 0
	cfg := LoopConfig{Stream: model.stream, Now: clock(), SteeringMessages: func() []Message {
		if n++; n == 2 {
			return []Message{&ai.SystemMessage{Content: "late", ToolsAdded: []ai.Tool{{Name: "gone"}}}}
		}
		return nil
	}}
	added, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := describeMessage(added[2]), `system "late" +[] -[]`; got != want {
		t.Errorf("%s, want %s", got, want)
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
