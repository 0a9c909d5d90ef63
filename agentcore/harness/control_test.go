package harness_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

func TestAbortRetryEndsThePromptWithTheFailure(t *testing.T) {
	waiting := make(chan struct{})
	r := newRig(t, func(c *harness.Config) {
		c.Wait = func(ctx context.Context, _ time.Duration) error {
			close(waiting)
			<-ctx.Done()
			return context.Cause(ctx)
		}
	})
	r.model.Queue(faux.Failure(&ai.APIError{Kind: ai.KindServer, Message: "down"}))
	r.AbortRetry() // nothing waits yet
	go func() { <-waiting; r.AbortRetry() }()
	if got := r.prompt("hi"); got.Aborted || got.Answer.StopReason != ai.StopError {
		t.Errorf("result %+v", got)
	}
	expect(t, "the end", r.log[len(r.log)-2:], "retried 1 success=false Retry cancelled|settled aborted=false")
}

func TestPromptIsAcceptedOnceAndThenStarts(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("hello"))
	var calls []string
	_, err := r.Prompt(t.Context(), ai.UserText("hi"), harness.PromptOptions{
		Accepted: func() {
			calls = append(calls, "accepted")
			_, err := r.Prompt(t.Context(), ai.UserText("me too"), harness.PromptOptions{})
			if !errors.Is(err, harness.ErrBusy) {
				t.Errorf("a second prompt: %v", err)
			}
		},
		Started: func() {
			calls = append(calls, "started")
			if len(r.log) > 0 {
				t.Errorf("events before the start: %v", r.log)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "calls", calls, "accepted|started")
}

func TestPromptDuringACompaction(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("hello"))
	r.prompt("hi")
	_, err := r.CompactWith(t.Context(), harness.CompactOptions{Accepted: func() {
		if !r.Compacting() || r.Running() || !r.Busy() {
			t.Errorf("compacting %v, running %v, busy %v", r.Compacting(), r.Running(), r.Busy())
		}
		for _, when := range []harness.Delivery{"", harness.DeliverSteer} {
			_, err := r.Prompt(t.Context(), ai.UserText("now"), harness.PromptOptions{WhenBusy: when})
			if !errors.Is(err, harness.ErrCompacting) {
				t.Errorf("a prompt with delivery %q: %v", when, err)
			}
		}
	}})
	if err == nil {
		t.Error("there was something to compact")
	}
	if r.Busy() {
		t.Error("still busy")
	}
}

// A compaction that waits for a prompt to settle comes before any other
// prompt.
func TestCompactionTakesThePromptsPlace(t *testing.T) {
	r := newRig(t, nil)
	begun := make(chan struct{})
	r.model.Queue(faux.Response{Steps: []faux.Step{faux.Text("half"), faux.Do(func() { close(begun) }), faux.Hang()}})
	r.Subscribe(func(_ context.Context, ev agentcore.Event) error {
		if _, ok := ev.(*harness.Settled); ok {
			_, err := r.Prompt(context.Background(), ai.UserText("in between"), harness.PromptOptions{WhenBusy: harness.DeliverSteer})
			if !errors.Is(err, harness.ErrCompacting) {
				t.Errorf("a prompt in between: %v", err)
			}
		}
		return nil
	})
	done := make(chan error, 1)
	go func() {
		<-begun
		_, err := r.Compact(context.Background(), "")
		done <- err
	}()
	if got := r.prompt("hi"); !got.Aborted {
		t.Errorf("result %+v", got)
	}
	if err := <-done; err == nil {
		t.Error("there was something to compact")
	}
	expect(t, "the end", r.log[len(r.log)-3:], "settled aborted=true|compaction_start|compaction_end")
}

// Whoever queues a message and waits knows that listeners have heard of it,
// although another event was just being delivered.
func TestDelivered(t *testing.T) {
	r := newRig(t, nil)
	entered, leave, heard := make(chan struct{}), make(chan struct{}), make(chan string, 1)
	r.Subscribe(func(_ context.Context, ev agentcore.Event) error {
		switch ev := ev.(type) {
		case *agentcore.AgentStart:
			close(entered)
			<-leave
		case *harness.QueueUpdate:
			if len(ev.Steering) == 1 {
				heard <- ev.Steering[0]
			}
		}
		return nil
	})
	r.model.Queue(faux.Say("one"), faux.Say("two"))
	prompted := make(chan error, 1)
	go func() {
		_, err := r.Prompt(context.Background(), ai.UserText("hi"), harness.PromptOptions{})
		prompted <- err
	}()
	<-entered
	r.Steer(t.Context(), ai.UserText("also"))
	go close(leave)
	r.Delivered()
	select {
	case got := <-heard:
		if got != "also" {
			t.Errorf("heard %q", got)
		}
	default:
		t.Error("not heard")
	}
	if err := <-prompted; err != nil {
		t.Error(err)
	}
}
