package agentcore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

func testAgent(model *script, tools ...*Tool) *Agent {
	return New(AgentConfig{Loop: LoopConfig{Stream: model.stream, Now: clock()}, Model: testModel(), Tools: tools})
}

func TestAgentKeepsTranscript(t *testing.T) {
	model := &script{replies: []reply{say("one"), say("two")}}
	a := New(AgentConfig{Loop: LoopConfig{Stream: model.stream, Now: clock()}, Model: testModel(), System: "be brief"})
	answer, err := a.Prompt(t.Context(), ai.UserText("first"))
	if err != nil || answer.Text() != "one" {
		t.Fatalf("Prompt = %v, %v; want the answer one", answer, err)
	}
	if _, err := a.Prompt(t.Context(), ai.UserText("second")); err != nil {
		t.Fatal(err)
	}
	want := []string{`system "be brief" +[] -[]`, `user "first"`, `assistant stop "one"`, `user "second"`, `assistant stop "two"`}
	if d := cmp.Diff(want, describeAll(a.State().Messages)); d != "" {
		t.Errorf("transcript (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want[:4], describeAll(model.requests[1])); d != "" {
		t.Errorf("second request (-want +got):\n%s", d)
	}
	if err := a.Reset(); err != nil {
		t.Fatal(err)
	}
	if s := a.State(); len(s.Messages) != 0 || s.Running || s.Err != nil {
		t.Errorf("after Reset: %+v", s)
	}
}

func TestAgentRefusesReentry(t *testing.T) {
	model := &script{replies: []reply{say("one")}}
	a := testAgent(model)
	var errs []error
	a.Subscribe(func(ctx context.Context, ev Event) error {
		if _, ok := ev.(*AgentEnd); ok {
			_, err := a.Prompt(ctx, ai.UserText("again"))
			errs = append(errs, err)
			_, err = a.Continue(ctx)
			errs = append(errs, err, a.Reset(), a.SetMessages(nil))
		}
		return nil
	})
	if _, err := a.Prompt(t.Context(), ai.UserText("go")); err != nil {
		t.Fatal(err)
	}
	if len(errs) != 4 {
		t.Fatalf("%d results, want 4", len(errs))
	}
	for i, err := range errs {
		if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "Steer") {
			t.Errorf("call %d during AgentEnd: %v, want ErrBusy that names Steer", i, err)
		}
	}
	if len(model.requests) != 1 {
		t.Errorf("%d requests, want 1", len(model.requests))
	}
}

func TestAgentIdleAfterListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := testAgent(&script{replies: []reply{say("one")}})
		release := make(chan struct{})
		inEnd := false
		a.Subscribe(func(_ context.Context, ev Event) error {
			if _, ok := ev.(*AgentEnd); ok {
				inEnd = true
				<-release
			}
			return nil
		})
		go func() { _, _ = a.Prompt(t.Context(), ai.UserText("go")) }()
		synctest.Wait()
		if !inEnd || !a.Running() {
			t.Fatal("the agent is not in its last listener, or calls itself idle there")
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := a.WaitIdle(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("WaitIdle with a cancelled context = %v", err)
		}
		waited := false
		go func() { waited = a.WaitIdle(t.Context()) == nil }()
		synctest.Wait()
		if waited {
			t.Error("WaitIdle returned before the listener of AgentEnd was done")
		}
		close(release)
		synctest.Wait()
		if !waited || a.Running() {
			t.Error("the agent did not become idle")
		}
	})
}

func TestAgentListeners(t *testing.T) {
	a := testAgent(&script{replies: []reply{say("one"), say("two"), say("three")}})
	var got []string
	add := func(name string) func() {
		return a.Subscribe(func(_ context.Context, ev Event) error {
			if end, ok := ev.(*MessageEnd); ok {
				// The state is ahead of the listeners.
				if last := a.State().Messages; last[len(last)-1] != end.Message {
					t.Errorf("%s: the transcript does not end with the message of MessageEnd", name)
				}
				got = append(got, name)
			}
			return nil
		})
	}
	removeA := add("a")
	add("b")
	if _, err := a.Prompt(t.Context(), ai.UserText("x")); err != nil {
		t.Fatal(err)
	}
	removeA()
	removeA()
	if _, err := a.Prompt(t.Context(), ai.UserText("y")); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a", "b", "a", "b", "b", "b"}, got); d != "" {
		t.Errorf("calls (-want +got):\n%s", d)
	}
	boom := errors.New("boom")
	a.Subscribe(func(_ context.Context, ev Event) error {
		if _, ok := ev.(*TurnStart); ok {
			return boom
		}
		return nil
	})
	answer, err := a.Prompt(t.Context(), ai.UserText("z"))
	if !errors.Is(err, boom) || answer.StopReason != ai.StopError || !errors.Is(a.State().Err, boom) {
		t.Errorf("Prompt = %v, %v; want an error answer and %v", describeMessage(answer), err, boom)
	}
}

// TestListenersDoNotHideEventsFromEachOther: one that fails or panics ends the
// run, but the others see it end in order.
func TestListenersDoNotHideEventsFromEachOther(t *testing.T) {
	boom := errors.New("boom")
	for _, how := range []string{"fails", "panics"} {
		a := testAgent(&script{replies: []reply{say("one")}})
		panics := 0
		a.loop.OnPanic = func(*PanicError) { panics++; panic("again") }
		a.Subscribe(func(_ context.Context, ev Event) error {
			if ev.EventType() != "message_end" {
				return nil
			}
			if how == "panics" {
				panic(boom)
			}
			return boom
		})
		rec := new(recorder)
		a.Subscribe(func(_ context.Context, ev Event) error { return rec.emit(ev) })
		if _, err := a.Prompt(t.Context(), ai.UserText("go")); !errors.Is(err, boom) {
			t.Errorf("%s: Prompt = %v", how, err)
		}
		checkShape(t, rec.lines)
		if d := cmp.Diff(describeAll(a.State().Messages), endedMessages(rec.lines)); d != "" {
			t.Errorf("%s: transcript and events differ:\n%s", how, d)
		}
		if (panics > 0) != (how == "panics") {
			t.Errorf("%s: %d panics were told", how, panics)
		}
	}
}

// TestSteeringKeepsItsOrder is the case of messages that arrive while two
// sequential tools run. With the mode one-at-a-time s2 waits for one more turn;
// the case's wording, both in the next request, is that of mode all.
func TestSteeringKeepsItsOrder(t *testing.T) {
	for _, mode := range []QueueMode{QueueAll, QueueOneAtATime} {
		t.Run(string(mode), func(t *testing.T) {
			model := &script{replies: []reply{invoke("a work {}", "b work {}")}}
			work := echoTool("work")
			work.Sequential = true
			a := New(AgentConfig{
				Loop: LoopConfig{Stream: model.stream, Now: clock()}, Model: testModel(), Tools: []*Tool{work},
				SteeringMode: mode, FollowUpMode: mode,
			})
			n := 0
			work.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
				if n++; n == 1 {
					a.Steer(users("s1", "s2")...)
					a.FollowUp(users("f1")...)
				}
				return TextResult("ok"), nil
			}
			if _, err := a.Prompt(t.Context(), ai.UserText("go")); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, req := range model.requests[1:] {
				var texts []string
				for _, m := range req[3:] { // after system, user, answer
					switch m := m.(type) {
					case *ai.UserMessage:
						texts = append(texts, ai.TextOf(m.Content, ""))
					case *ai.ToolResultMessage:
						texts = append(texts, m.ToolCallID)
					}
				}
				got = append(got, strings.Join(texts, " "))
			}
			want := []string{"a b s1 s2", "a b s1 s2 f1"}
			if mode == QueueOneAtATime {
				want = []string{"a b s1", "a b s1 s2", "a b s1 s2 f1"}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("requests (-want +got):\n%s", d)
			}
		})
	}
}

// TestAbortKeepsQueues is the other half of the case: an abort after the first
// tool leaves what was queued, in order, for exactly one later delivery.
func TestAbortKeepsQueues(t *testing.T) {
	points := map[string]func(a *Agent) (Listener, func(*LoopConfig)){
		"after the first tool": func(a *Agent) (Listener, func(*LoopConfig)) {
			return func(_ context.Context, ev Event) error {
				if _, ok := ev.(*ToolEnd); ok {
					a.Abort()
				}
				return nil
			}, nil
		},
		"after the queue was polled": func(a *Agent) (Listener, func(*LoopConfig)) {
			return nil, func(c *LoopConfig) {
				c.PrepareNextTurn = func(context.Context, Turn) (*ContextUpdate, error) {
					if s, _ := a.Queued(); len(s) != 0 {
						return nil, errors.New("the queue was not polled yet")
					}
					a.Steer(users("s3")...)
					a.Abort()
					return nil, nil
				}
			}
		},
	}
	for name, point := range points {
		t.Run(name, func(t *testing.T) {
			model := &script{replies: []reply{invoke("a work {}", "b work {}"), say("later")}}
			work := echoTool("work")
			work.Sequential = true
			cfg := AgentConfig{Loop: LoopConfig{Stream: model.stream, Now: clock()}, Model: testModel(), Tools: []*Tool{work}, SteeringMode: QueueAll, FollowUpMode: QueueAll}
			var a *Agent
			// The hook needs the agent and the agent the hook.
			cfg.Loop.PrepareNextTurn = func(ctx context.Context, turn Turn) (*ContextUpdate, error) {
				if _, set := point(a); set != nil {
					var c LoopConfig
					set(&c)
					return c.PrepareNextTurn(ctx, turn)
				}
				return nil, nil
			}
			a = New(cfg)
			if l, _ := point(a); l != nil {
				a.Subscribe(l)
			}
			work.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
				if s, _ := a.Queued(); len(s) == 0 {
					a.Steer(users("s1", "s2")...)
					a.FollowUp(users("f1")...)
				}
				return TextResult("ok"), nil
			}
			if _, err := a.Prompt(t.Context(), ai.UserText("go")); !errors.Is(err, context.Canceled) {
				t.Fatalf("Prompt = %v, want an abort", err)
			}
			s, f := a.Queued()
			want := users("s1", "s2", "f1")
			if name == "after the queue was polled" { // what came later stays behind
				want = users("s1", "s2", "s3", "f1")
			}
			if d := cmp.Diff(describeAll(want), describeAll(slices.Concat(s, f))); d != "" {
				t.Errorf("queued after the abort (-want +got):\n%s", d)
			}
			a.loop.PrepareNextTurn = nil
			if _, err := a.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			var seen []Message
			for _, m := range a.State().Messages {
				if m.Role() == ai.RoleUser {
					seen = append(seen, m)
				}
			}
			if d := cmp.Diff(describeAll(append(users("go"), want...)), describeAll(seen)); d != "" {
				t.Errorf("user messages in the end (-want +got):\n%s", d)
			}
		})
	}
}

func TestContinueRules(t *testing.T) {
	answer := &ai.AssistantMessage{StopReason: ai.StopEnd}
	cases := []struct {
		name     string
		before   []Message
		steering []Message
		followUp []Message
		want     []string // the last request; nil for ErrNothingToContinue
	}{
		{"empty", nil, nil, nil, nil},
		{"only a prompt", []Message{&ai.SystemMessage{Content: "x"}}, nil, nil, nil},
		{"ends with an answer", append(users("q"), answer), nil, nil, nil},
		{"ends with a patch after an answer", append(users("q"), answer, &ai.SystemMessage{}), nil, nil, nil},
		{"ends with a question", users("q"), nil, nil, []string{`user "q"`}},
		{"answer, steering first", append(users("q"), answer), users("s"), users("f"), []string{`user "q"`, `assistant stop ""`, `user "s"`}},
		{"answer, else follow-up", append(users("q"), answer), nil, users("f"), []string{`user "q"`, `assistant stop ""`, `user "f"`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			model := &script{}
			a := testAgent(model)
			if err := a.SetMessages(c.before); err != nil {
				t.Fatal(err)
			}
			a.Steer(c.steering...)
			a.FollowUp(c.followUp...)
			events := 0
			a.Subscribe(func(context.Context, Event) error { events++; return nil })
			_, err := a.Continue(t.Context())
			if c.want == nil {
				if !errors.Is(err, ErrNothingToContinue) || events != 0 {
					t.Errorf("Continue = %v after %d events, want ErrNothingToContinue and none", err, events)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, describeAll(model.requests[0])); d != "" {
				t.Errorf("request (-want +got):\n%s", d)
			}
		})
	}
}

func TestSettersTakeEffectAtTheNextRequest(t *testing.T) {
	model := &script{replies: []reply{invoke("a echo {}"), say("done")}}
	a := testAgent(model, echoTool("echo"))
	a.Subscribe(func(_ context.Context, ev Event) error {
		if _, ok := ev.(*ToolStart); ok {
			other := *testModel()
			other.ID = "m2"
			a.SetModel(&other)
			a.SetThinking(ai.ThinkingHigh)
			a.SetTools(echoTool("fresh"))
		}
		return nil
	})
	if _, err := a.Prompt(t.Context(), ai.UserText("go")); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"m1", "m2"}, model.models); d != "" {
		t.Errorf("models (-want +got):\n%s", d)
	}
	if got := model.options[1].Thinking; got != ai.ThinkingHigh {
		t.Errorf("thinking of the second request = %q", got)
	}
	last := model.requests[1]
	if d := cmp.Diff(`system "" +[fresh] -[echo]`, describeMessage(last[len(last)-1])); d != "" {
		t.Errorf("declaration (-want +got):\n%s", d)
	}
}

// TestHookWinsOverEarlierSetter: a setter counts once, a hook's later choice
// sticks for the rest of the run.
func TestHookWinsOverEarlierSetter(t *testing.T) {
	model := &script{replies: []reply{invoke("a echo {}"), invoke("b echo {}"), say("done")}}
	var a *Agent
	n := 0
	a = New(AgentConfig{
		Model: testModel(), Tools: []*Tool{echoTool("echo")},
		Loop: LoopConfig{Stream: model.stream, Now: clock(), PrepareRequest: func(_ context.Context, c Context) (*ContextUpdate, error) {
			switch n++; n {
			case 1:
				a.SetModel(&ai.Model{ID: "set"})
			case 2:
				if c.Model.ID != "set" {
					t.Errorf("the hook sees model %s, want the one that was set", c.Model.ID)
				}
				return &ContextUpdate{Model: &ai.Model{ID: "hook"}}, nil
			}
			return nil, nil
		}},
	})
	if _, err := a.Prompt(t.Context(), ai.UserText("go")); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"m1", "hook", "hook"}, model.models); d != "" {
		t.Errorf("models (-want +got):\n%s", d)
	}
	if got := a.State().Model.ID; got != "set" {
		t.Errorf("the agent's model is %s", got)
	}
}

// TestStateWhileStreaming reads the state from other goroutines all the time;
// the race detector is the judge, and texts must only grow.
func TestStateWhileStreaming(t *testing.T) {
	const deltas = 500
	model := &script{replies: []reply{func(_ context.Context, out *ai.Emitter) error {
		for _, w := range []*ai.BlockWriter{out.Thinking(), out.Text(), out.ToolCall("a", "echo")} {
			for range deltas {
				w.Append(" ")
			}
			w.End()
		}
		out.Message().StopReason = ai.StopToolUse
		return nil
	}}}
	a := testAgent(model, echoTool("echo"))
	ctx, cancel := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			longest := 0
			for ctx.Err() == nil {
				s := a.State()
				if s.Streaming == nil {
					continue
				}
				n := 0
				for _, b := range s.Streaming.Content {
					switch b := b.(type) {
					case *ai.Text:
						n += len(b.Text)
					case *ai.Thinking:
						n += len(b.Text)
					}
				}
				if len(s.Messages) == 2 && n < longest {
					t.Errorf("the answer shrank from %d to %d", longest, n)
				}
				longest = n
			}
		})
	}
	var last int
	a.Subscribe(func(_ context.Context, ev Event) error {
		if u, ok := ev.(*MessageUpdate); ok && u.Stream.Type == ai.EventTextDelta {
			now := len(a.State().Streaming.Text())
			if want := len(u.Message.Text()); now != want {
				t.Errorf("the state has %d bytes of text at an update with %d", now, want)
			}
			last = max(last, now)
		}
		return nil
	})
	if _, err := a.Prompt(t.Context(), ai.UserText("go")); err != nil {
		t.Fatal(err)
	}
	cancel()
	readers.Wait()
	if last != deltas {
		t.Errorf("the last update had %d bytes, want %d", last, deltas)
	}
}

func TestAbortAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		model := &script{replies: []reply{func(ctx context.Context, out *ai.Emitter) error {
			out.Text().Append("half")
			<-ctx.Done()
			return ctx.Err()
		}}}
		a := testAgent(model)
		a.Abort() // nothing to abort
		go func() {
			time.Sleep(time.Second)
			a.Abort()
		}()
		answer, err := a.Prompt(t.Context(), ai.UserText("go"))
		if !errors.Is(err, context.Canceled) || answer.StopReason != ai.StopAborted || answer.Text() != "half" {
			t.Errorf("Prompt = %v, %v; want the aborted half", describeMessage(answer), err)
		}
	})
}
