package harness_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// rig is a harness on a session in memory, with a scripted model and a log of
// its events.
type rig struct {
	*harness.Harness
	t     *testing.T
	model *faux.Provider
	log   []string
}

func newRig(t *testing.T, change func(*harness.Config)) *rig {
	t.Helper()
	p := faux.New(faux.Config{})
	s, err := session.Create(t.Context(), session.NewMemory(), session.Header{}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := harness.Config{
		Session: s, Model: p.Model(),
		Loop:  agentcore.LoopConfig{Stream: ai.NewModels(p).Stream},
		Retry: ai.RetryPolicy{Enabled: true, Max: 2, BaseDelay: time.Second},
		Wait:  func(context.Context, time.Duration) error { return nil },
	}
	if change != nil {
		change(&cfg)
	}
	h, err := harness.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil && !errors.Is(err, session.ErrClosed) {
			t.Error(err)
		}
	})
	r := &rig{Harness: h, t: t, model: p}
	h.Subscribe(func(_ context.Context, ev agentcore.Event) error {
		if line := describe(ev); line != "" {
			r.log = append(r.log, line)
		}
		return nil
	})
	return r
}

func describe(ev agentcore.Event) string {
	switch ev := ev.(type) {
	case *agentcore.MessageUpdate:
		return ""
	case *agentcore.MessageStart:
		return fmt.Sprintf("start %s", ev.Message.Role())
	case *agentcore.MessageEnd:
		return fmt.Sprintf("end %s", ev.Message.Role())
	case *agentcore.AgentEnd:
		return fmt.Sprintf("agent_end retry=%v", ev.WillRetry)
	case *harness.Settled:
		return fmt.Sprintf("settled aborted=%v", ev.Aborted)
	case *harness.QueueUpdate:
		return fmt.Sprintf("queue %v %v", ev.Steering, ev.FollowUp)
	case *harness.RetryStart:
		return fmt.Sprintf("retry %d/%d %s", ev.Attempt, ev.MaxAttempts, ev.Delay)
	case *harness.RetryEnd:
		return fmt.Sprintf("retried %d success=%v %s", ev.Attempt, ev.Success, ev.FinalError)
	}
	return ev.EventType()
}

func (r *rig) prompt(text string) harness.Result {
	r.t.Helper()
	result, err := r.Prompt(r.t.Context(), ai.UserText(text), harness.PromptOptions{})
	if err != nil {
		r.t.Fatalf("prompt %q: %v", text, err)
	}
	return result
}

// stored lists the entries of the session in short.
func (r *rig) stored() []string {
	r.t.Helper()
	var out []string
	for e, err := range r.Session().Entries(r.t.Context()) {
		if err != nil {
			r.t.Fatal(err)
		}
		switch e := e.(type) {
		case *session.MessageEntry:
			line := string(e.Message.Role())
			if a, ok := e.Message.(*ai.AssistantMessage); ok {
				line += ":" + string(a.StopReason)
			}
			out = append(out, line)
		default:
			out = append(out, string(e.Type()))
		}
	}
	return out
}

func expect(t *testing.T, what string, got []string, want string) {
	t.Helper()
	if g := strings.Join(got, "|"); g != want {
		t.Errorf("%s:\n got %s\nwant %s", what, g, want)
	}
}

func TestPromptIsStoredAndSettled(t *testing.T) {
	r := newRig(t, func(c *harness.Config) {
		c.System = func() []ai.Section { s := "be kind"; return []ai.Section{{Name: "preamble", Text: &s}} }
	})
	r.model.Queue(faux.Say("hello"))
	if got := r.prompt("hi"); got.Answer.Text() != "hello" || got.Aborted {
		t.Errorf("result %+v", got)
	}
	expect(t, "entries", r.stored(), "model_change|thinking_level_change|system|user|assistant:stop")
	expect(t, "events", r.log, "agent_start|turn_start|start system|end system|start user|end user|start assistant|end assistant|turn_end|agent_end retry=false|settled aborted=false")
}

func TestMessageIsStoredBeforeListenersHearOfIt(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("hello"))
	r.Subscribe(func(_ context.Context, ev agentcore.Event) error {
		if ev, ok := ev.(*agentcore.MessageEnd); ok {
			stored := r.stored()
			if last := stored[len(stored)-1]; !strings.HasPrefix(last, string(ev.Message.Role())) {
				t.Errorf("heard of %s while the session ends with %s", ev.Message.Role(), last)
			}
		}
		return nil
	})
	r.prompt("hi")
}

func TestOnlyChangesOfThePromptAreDeclared(t *testing.T) {
	text, extra := "be kind", "be brief"
	sections := []ai.Section{{Name: "a", Text: &text}, {Name: "b", Text: &extra}}
	r := newRig(t, func(c *harness.Config) { c.System = func() []ai.Section { return sections } })
	r.model.Queue(faux.Say("1"), faux.Say("2"), faux.Say("3"))
	r.prompt("one")
	r.prompt("two")
	changed := "be very kind"
	sections = []ai.Section{{Name: "a", Text: &changed}}
	r.prompt("three")
	expect(t, "entries", r.stored(), "model_change|thinking_level_change|system|user|assistant:stop|user|assistant:stop|system|user|assistant:stop")
	got := ai.ReplaySystem(r.model.Requests()[2].Call.Messages)
	if got.Text != "be very kind" {
		t.Errorf("the model's prompt is %q", got.Text)
	}
}

func TestFailedAnswersAreTriedAgain(t *testing.T) {
	r := newRig(t, nil)
	busy := faux.Failure(&ai.APIError{Kind: ai.KindOverloaded, Message: "busy"})
	r.model.Queue(busy, busy, faux.Say("at last"))
	if got := r.prompt("hi"); got.Answer.Text() != "at last" {
		t.Errorf("answer %+v", got.Answer)
	}
	expect(t, "events", r.log, "agent_start|turn_start|start user|end user|start assistant|end assistant|turn_end|agent_end retry=true|retry 1/2 1s|entry_appended|"+
		"agent_start|turn_start|start assistant|end assistant|turn_end|agent_end retry=true|retry 2/2 2s|entry_appended|"+
		"agent_start|turn_start|start assistant|end assistant|retried 2 success=true |turn_end|agent_end retry=false|settled aborted=false")
	for _, m := range r.model.Requests()[2].Call.Messages {
		if a, ok := m.(*ai.AssistantMessage); ok {
			t.Errorf("the model sees the failed attempt %s", a.ErrorMessage)
		}
	}
}

func TestRetriesEnd(t *testing.T) {
	r := newRig(t, nil)
	for range 3 {
		r.model.Queue(faux.Failure(&ai.APIError{Kind: ai.KindServer, Message: "down"}))
	}
	got := r.prompt("hi")
	if got.Answer.Err() == nil || got.Answer.ErrorMessage != "down" {
		t.Errorf("answer %+v", got.Answer)
	}
	if want := "retried 2 success=false down"; !slices.Contains(r.log, want) {
		t.Errorf("events lack %q: %v", want, r.log)
	}
	if last := r.stored(); last[len(last)-1] != "assistant:error" {
		t.Errorf("the last failure is not kept: %v", last)
	}
}

func TestRefusalsAreNotTriedAgain(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Failure(&ai.APIError{Kind: ai.KindAuth, Message: "no"}))
	if got := r.prompt("hi"); got.Answer.Err() == nil || len(r.model.Requests()) != 1 {
		t.Errorf("%d requests, answer %+v", len(r.model.Requests()), got.Answer)
	}
}

func TestAbortDuringTheWaitForARetry(t *testing.T) {
	waiting := make(chan struct{})
	r := newRig(t, func(c *harness.Config) {
		c.Wait = func(ctx context.Context, _ time.Duration) error {
			close(waiting)
			<-ctx.Done()
			return context.Cause(ctx)
		}
	})
	r.model.Queue(faux.Failure(&ai.APIError{Kind: ai.KindServer, Message: "down"}))
	go func() {
		<-waiting
		if !r.Retrying() {
			t.Error("not retrying")
		}
		if err := r.Abort(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if got := r.prompt("hi"); !got.Aborted {
		t.Errorf("result %+v", got)
	}
	expect(t, "the end", r.log[len(r.log)-2:], "retried 1 success=false Retry cancelled|settled aborted=true")
}

func TestAbortKeepsWhatCame(t *testing.T) {
	r := newRig(t, nil)
	begun := make(chan struct{})
	r.model.Queue(faux.Response{Steps: []faux.Step{faux.Text("the first half"), faux.Do(func() { close(begun) }), faux.Hang()}})
	go func() {
		<-begun
		if err := r.Abort(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	got := r.prompt("hi")
	if !got.Aborted || got.Answer.Text() != "the first half" {
		t.Errorf("result %+v", got)
	}
	if s := r.stored(); s[len(s)-1] != "assistant:aborted" {
		t.Errorf("entries %v", s)
	}
}

func TestBusyHarnessQueuesOrRefuses(t *testing.T) {
	r := newRig(t, nil)
	begun, release := make(chan struct{}), make(chan struct{})
	r.model.Queue(
		faux.Response{Steps: []faux.Step{faux.Do(func() { close(begun) }), faux.Wait(release), faux.Text("one")}},
		faux.Say("two"), faux.Say("three"),
	)
	done := make(chan harness.Result)
	go func() { done <- r.prompt("first") }()
	<-begun
	ctx := t.Context()
	if _, err := r.Prompt(ctx, ai.UserText("no"), harness.PromptOptions{}); !errors.Is(err, harness.ErrBusy) {
		t.Errorf("a second prompt: %v", err)
	}
	for _, d := range []harness.Delivery{harness.DeliverFollowUp, harness.DeliverSteer} {
		got, err := r.Prompt(ctx, ai.UserText(string(d)), harness.PromptOptions{WhenBusy: d})
		if err != nil || !got.Queued {
			t.Errorf("%s: %+v %v", d, got, err)
		}
	}
	close(release)
	<-done
	var asked []string
	for _, m := range r.model.Requests()[2].Call.Messages {
		if u, ok := m.(*ai.UserMessage); ok {
			asked = append(asked, ai.TextOf(u.Content, ""))
		}
	}
	expect(t, "questions", asked, "first|steer|followUp")
	var queues []string
	for _, l := range r.log {
		if strings.HasPrefix(l, "queue") {
			queues = append(queues, l)
		}
	}
	expect(t, "queue events", queues, "queue [] [followUp]|queue [steer] [followUp]|queue [] [followUp]|queue [] []")
}

func TestAbortLeavesTheQueue(t *testing.T) {
	r := newRig(t, nil)
	begun := make(chan struct{})
	r.model.Queue(faux.Response{Steps: []faux.Step{faux.Do(func() { close(begun) }), faux.Hang()}}, faux.Say("a"), faux.Say("b"))
	done := make(chan harness.Result)
	go func() { done <- r.prompt("first") }()
	<-begun
	r.Steer(t.Context(), ai.UserText("s"))
	r.FollowUp(t.Context(), ai.UserText("f"))
	if err := r.Abort(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-done
	if s, f := r.Queued(); len(s) != 1 || len(f) != 1 {
		t.Errorf("queued %v %v", s, f)
	}
	r.prompt("second")
	if n := len(r.model.Requests()); n != 3 {
		t.Errorf("%d requests, want 3", n)
	}
}

func TestListenersMayQueue(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("one"), faux.Say("two"))
	once := false
	r.Subscribe(func(ctx context.Context, ev agentcore.Event) error {
		if _, ok := ev.(*agentcore.TurnStart); ok && !once {
			once = true
			r.FollowUp(ctx, ai.UserText("more"))
		}
		return nil
	})
	r.prompt("hi")
	if n := len(r.model.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestAddedMessagesDoNotComeBetween(t *testing.T) {
	r := newRig(t, nil)
	begun, release := make(chan struct{}), make(chan struct{})
	r.model.Queue(faux.Response{Steps: []faux.Step{faux.Do(func() { close(begun) }), faux.Wait(release), faux.Text("one")}}, faux.Say("two"))
	if err := r.Add(t.Context(), ai.UserText("before")); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); r.prompt("first") }()
	<-begun
	if err := r.Add(t.Context(), ai.UserText("meanwhile")); err != nil {
		t.Fatal(err)
	}
	close(release)
	<-done
	r.prompt("second")
	var texts []string
	for _, m := range r.model.Requests()[1].Call.Messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			texts = append(texts, ai.TextOf(m.Content, ""))
		case *ai.AssistantMessage:
			texts = append(texts, m.Text())
		}
	}
	expect(t, "the model sees", texts, "before|first|one|meanwhile|second")
}

func TestModelChangeIsRecordedAndFitsTheLevel(t *testing.T) {
	thinker := &ai.Model{ID: "thinker", API: faux.APIID, Reasoning: true}
	plain := &ai.Model{ID: "plain", API: faux.APIID}
	p := faux.New(faux.Config{Models: []*ai.Model{thinker, plain}})
	r := newRig(t, func(c *harness.Config) {
		c.Model, c.Thinking = p.Models()[0], ai.ThinkingHigh
		c.Loop.Stream = ai.NewModels(p).Stream
	})
	p.Queue(faux.Say("x"))
	if err := r.SetModel(t.Context(), p.Models()[1]); err != nil {
		t.Fatal(err)
	}
	if r.Thinking() != ai.ThinkingOff {
		t.Errorf("level %s", r.Thinking())
	}
	r.prompt("hi")
	expect(t, "entries", r.stored(), "model_change|thinking_level_change|model_change|thinking_level_change|user|assistant:stop")
	if got := p.Requests()[0].Call.Model.ID; got != "plain" {
		t.Errorf("asked %s", got)
	}
}

func TestSessionThatCanNotBeWrittenEndsThePrompt(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("x"))
	if err := r.Session().Close(); err != nil {
		t.Fatal(err)
	}
	_, err := r.Prompt(t.Context(), ai.UserText("hi"), harness.PromptOptions{})
	if err == nil || !strings.Contains(err.Error(), "save user message") {
		t.Errorf("prompt: %v", err)
	}
	if r.Busy() {
		t.Error("the harness is still busy")
	}
}

func TestClosedHarnessRefuses(t *testing.T) {
	r := newRig(t, nil)
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Prompt(t.Context(), ai.UserText("hi"), harness.PromptOptions{}); !errors.Is(err, harness.ErrClosed) {
		t.Errorf("prompt: %v", err)
	}
}
