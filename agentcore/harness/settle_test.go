package harness_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// atSettled calls f when the first prompt has settled.
func (r *rig) atSettled(f func(ctx context.Context)) {
	once := false
	r.Subscribe(func(ctx context.Context, ev agentcore.Event) error {
		if _, ok := ev.(*harness.Settled); ok && !once {
			once = true
			f(ctx)
		}
		return nil
	})
}

// Messages that come when a prompt is told to be over are worked on at once,
// after everybody was told.
func TestPromptsWhileSettling(t *testing.T) {
	for _, d := range []harness.Delivery{harness.DeliverSteer, harness.DeliverFollowUp} {
		t.Run(string(d), func(t *testing.T) {
			r := newRig(t, nil)
			r.model.Queue(faux.Say("one"), faux.Say("two"))
			r.atSettled(func(ctx context.Context) {
				if got := r.Phase(); got != harness.PhaseSettling {
					t.Errorf("phase %s", got)
				}
				if _, err := r.Prompt(ctx, ai.UserText("no"), harness.PromptOptions{}); !errors.Is(err, harness.ErrBusy) {
					t.Errorf("a prompt without delivery: %v", err)
				}
				got, err := r.Prompt(ctx, ai.UserText("more"), harness.PromptOptions{WhenBusy: d})
				if err != nil || !got.Queued {
					t.Errorf("%+v %v", got, err)
				}
			})
			if got := r.prompt("hi"); got.Answer.Text() != "one" {
				t.Errorf("answer %+v", got.Answer)
			}
			expect(t, "asked", r.asked(1), `user hi|assistant stop "one" 0 calls |user more`)
			var order []string
			for _, l := range r.log {
				if strings.HasPrefix(l, "agent_") || strings.HasPrefix(l, "settled") {
					order = append(order, l)
				}
			}
			expect(t, "events", order, "agent_start|agent_end retry=false|settled aborted=false|agent_start|agent_end retry=false|settled aborted=false")
			if r.Phase() != harness.PhaseIdle {
				t.Errorf("phase %s", r.Phase())
			}
		})
	}
}

// After an abort a prompt that somebody makes runs; what is merely queued
// waits.
func TestQueuedWhileAnAbortSettles(t *testing.T) {
	for _, prompts := range []bool{true, false} {
		t.Run(fmt.Sprintf("prompts=%v", prompts), func(t *testing.T) {
			r := newRig(t, nil)
			begun := make(chan struct{})
			r.model.Queue(faux.Response{Steps: []faux.Step{faux.Do(func() { close(begun) }), faux.Hang()}}, faux.Say("two"))
			r.atSettled(func(ctx context.Context) {
				if !prompts {
					r.Steer(ctx, ai.UserText("more"))
					return
				}
				if _, err := r.Prompt(ctx, ai.UserText("more"), harness.PromptOptions{WhenBusy: harness.DeliverSteer}); err != nil {
					t.Error(err)
				}
			})
			go func() {
				<-begun
				if err := r.Abort(context.Background()); err != nil {
					t.Error(err)
				}
			}()
			if got := r.prompt("hi"); !got.Aborted {
				t.Errorf("result %+v", got)
			}
			want := 1
			if prompts {
				want = 2
			}
			if n := len(r.model.Requests()); n != want {
				t.Errorf("%d requests, want %d", n, want)
			}
			if s, _ := r.Queued(); len(s) != 2-want {
				t.Errorf("queued %v", s)
			}
		})
	}
}

// Whatever moment a message is queued at, it is delivered by the prompt that
// is under way, or waits: it never gets stuck in a harness that said "queued".
func TestQueuedMessagesAreNeverStuck(t *testing.T) {
	for round := range 200 {
		r := newRig(t, nil)
		r.model.Respond(func(faux.Request) faux.Response { return faux.Say("fine") })
		done := make(chan struct{})
		go func() {
			defer close(done)
			for {
				got, err := r.Prompt(context.Background(), ai.UserText("second"), harness.PromptOptions{WhenBusy: harness.DeliverFollowUp})
				if err != nil {
					t.Error(err)
				}
				if got.Queued || err != nil || got.Answer != nil {
					return
				}
			}
		}()
		if _, err := r.Prompt(t.Context(), ai.UserText("first"), harness.PromptOptions{WhenBusy: harness.DeliverFollowUp}); err != nil {
			t.Fatal(err)
		}
		<-done
		if err := r.WaitIdle(t.Context()); err != nil {
			t.Fatal(err)
		}
		users := 0
		for _, l := range r.stored() {
			if l == "user" {
				users++
			}
		}
		if s, f := r.Queued(); users != 2 || len(s)+len(f) > 0 {
			t.Fatalf("round %d: %d messages in the session, %v %v queued", round, users, s, f)
		}
	}
}

func TestCloseWhileSettling(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Say("one"), faux.Say("two"))
	closed := make(chan error)
	r.atSettled(func(ctx context.Context) {
		go func() { closed <- r.Close(context.Background()) }()
		// Close cannot be over before this listener returns; when it has begun,
		// prompts are refused.
		for {
			_, err := r.Prompt(ctx, ai.UserText("more"), harness.PromptOptions{})
			if errors.Is(err, harness.ErrClosed) {
				return
			}
			time.Sleep(time.Millisecond) // there is nothing to wait on
		}
	})
	r.prompt("hi")
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if n := len(r.model.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// What is added while nothing can be written between calls and results, or
// while a summary is made, is in the session before anybody can go on.
func TestAddedAtOddTimesIsNotLost(t *testing.T) {
	t.Run("settling", func(t *testing.T) {
		r := newRig(t, nil)
		r.model.Queue(faux.Say("one"))
		r.atSettled(func(ctx context.Context) {
			if err := r.Add(ctx, ai.UserText("by the way")); err != nil {
				t.Error(err)
			}
		})
		r.prompt("hi")
		expect(t, "entries", r.stored(), "model_change|thinking_level_change|user|assistant:stop|user")
	})
	t.Run("compacting", func(t *testing.T) {
		r := newRig(t, nil)
		r.model.Queue(faux.Say("one"))
		r.prompt("hi")
		_, _ = r.CompactWith(t.Context(), harness.CompactOptions{Accepted: func() {
			if err := r.Add(t.Context(), ai.UserText("by the way")); err != nil {
				t.Error(err)
			}
		}})
		expect(t, "entries", r.stored(), "model_change|thinking_level_change|user|assistant:stop|user")
	})
}

// An answer that the vendor gives later ends the prompt: it is stored with its
// handle, and what was queued waits.
func TestDeferredAnswerEndsThePrompt(t *testing.T) {
	r := newRig(t, nil)
	r.model.Respond(func(faux.Request) faux.Response {
		r.FollowUp(context.Background(), ai.UserText("more"))
		return faux.Response{Deferred: json.RawMessage(`{"id":"d1"}`)}
	})
	if got := r.prompt("hi"); got.Answer.StopReason != ai.StopDeferred || string(got.Answer.Deferred) != `{"id":"d1"}` {
		t.Errorf("answer %+v", got.Answer)
	}
	expect(t, "entries", r.stored(), "model_change|thinking_level_change|user|assistant:deferred")
	expect(t, "the end", r.log[len(r.log)-2:], "agent_end retry=false|settled aborted=false")
	if _, f := r.Queued(); len(f) != 1 || len(r.model.Requests()) != 1 {
		t.Errorf("queued %v, %d requests", f, len(r.model.Requests()))
	}
}

func TestQueueModes(t *testing.T) {
	tests := []struct {
		name            string
		steer, followUp agentcore.QueueMode
		want            []string // user messages that each request brings
	}{
		{"default", "", "", []string{"go", "s1", "s2", "f1", "f2"}},
		{"steering at once", agentcore.QueueAll, "", []string{"go", "s1 s2", "f1", "f2"}},
		{"follow-ups at once", "", agentcore.QueueAll, []string{"go", "s1", "s2", "f1 f2"}},
		{"all at once", agentcore.QueueAll, agentcore.QueueAll, []string{"go", "s1 s2", "f1 f2"}},
	}
	for _, tt := range tests {
		for _, later := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, set later=%v", tt.name, later), func(t *testing.T) {
				r := newRig(t, func(c *harness.Config) {
					if !later {
						c.SteeringMode, c.FollowUpMode = tt.steer, tt.followUp
					}
				})
				var got []string
				known := 0
				r.model.Respond(func(q faux.Request) faux.Response {
					var users []string
					for _, m := range q.Call.Messages {
						if u, ok := m.(*ai.UserMessage); ok {
							users = append(users, ai.TextOf(u.Content, ""))
						}
					}
					got = append(got, strings.Join(users[known:], " "))
					if known == 0 {
						if later {
							r.SetSteeringMode(tt.steer)
							r.SetFollowUpMode(tt.followUp)
						}
						for _, text := range []string{"1", "2"} {
							r.FollowUp(context.Background(), ai.UserText("f"+text))
							r.Steer(context.Background(), ai.UserText("s"+text))
						}
					}
					known = len(users)
					return faux.Say("fine")
				})
				r.prompt("go")
				if !slices.Equal(got, tt.want) {
					t.Errorf("requests brought %q, want %q", got, tt.want)
				}
			})
		}
	}
}

// Who acts on what a listener has passed on is not refused because other listeners are
// still being told.
func TestPromptWhileOthersAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.model.Queue(faux.Say("one"), faux.Say("two"))
		second := make(chan error, 1)
		r.atSettled(func(ctx context.Context) {
			go func() {
				err := r.WaitSettled(t.Context())
				if err == nil {
					_, err = r.Prompt(t.Context(), ai.UserText("again"), harness.PromptOptions{})
				}
				second <- err
			}()
			synctest.Wait() // it prompts, or waits, before this listener returns
		})
		r.prompt("hi")
		if err := <-second; err != nil {
			t.Error(err)
		}
		if n := len(r.model.Requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}
