package harness_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// asked gives what the model was shown in its n-th request, in short.
func (r *rig) asked(n int) (out []string) {
	for _, m := range r.model.Requests()[n].Call.Messages {
		out = append(out, whole(m))
	}
	return out
}

func TestHookBeforeAPrompt(t *testing.T) {
	tests := []struct {
		name     string
		decision *harness.PromptDecision
		err      error
		asked    string
	}{
		{"nothing", nil, nil, "user hi"},
		{"zero", &harness.PromptDecision{}, nil, "user hi"},
		{"stop", &harness.PromptDecision{Cancel: true}, harness.ErrCancelled, ""},
		{"change", &harness.PromptDecision{Message: ai.UserText("hello")}, nil, "user hello"},
		{
			"add", &harness.PromptDecision{Before: []agentcore.Message{ai.UserText("context")}, After: []agentcore.Message{ai.UserText("hint")}}, nil,
			"user context|user hi|user hint",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, func(c *harness.Config) {
				c.Hooks.BeforePrompt = func(_ context.Context, b harness.BeforePrompt) (*harness.PromptDecision, error) {
					if got := whole(b.Message); got != "user hi" {
						t.Errorf("asked about %s", got)
					}
					return tt.decision, nil
				}
			})
			r.model.Queue(faux.Say("fine"))
			if _, err := r.Prompt(t.Context(), ai.UserText("hi"), harness.PromptOptions{}); !errors.Is(err, tt.err) {
				t.Fatalf("err %v, want %v", err, tt.err)
			}
			if tt.err != nil {
				if n := len(r.model.Requests()); n != 0 {
					t.Errorf("%d requests", n)
				}
				expect(t, "entries", r.stored(), "model_change|thinking_level_change")
				expect(t, "events", r.log, "settled aborted=false")
				return
			}
			expect(t, "asked", r.asked(0), tt.asked)
		})
	}
}

func TestHookBeforeARetry(t *testing.T) {
	var waited []time.Duration
	var asked []int
	soon := time.Millisecond
	r := newRig(t, func(c *harness.Config) {
		c.Wait = func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }
		c.Hooks.BeforeRetry = func(_ context.Context, b harness.BeforeRetry) (*harness.RetryDecision, error) {
			asked = append(asked, b.Attempt)
			if b.Attempt == 1 {
				return &harness.RetryDecision{Delay: &soon}, nil
			}
			return &harness.RetryDecision{Cancel: true}, nil
		}
	})
	for range 2 {
		r.model.Queue(faux.Failure(&ai.APIError{Kind: ai.KindServer, Message: "down"}))
	}
	if got := r.prompt("hi"); got.Answer.ErrorMessage != "down" {
		t.Errorf("answer %+v", got.Answer)
	}
	if !slices.Equal(waited, []time.Duration{soon}) || !slices.Equal(asked, []int{1, 2}) {
		t.Errorf("waited %v, asked %v", waited, asked)
	}
	expect(t, "the end", r.log[len(r.log)-2:], "retried 1 success=false down|settled aborted=false")
	if last := r.stored(); last[len(last)-1] != "assistant:error" {
		t.Errorf("the last failure is not kept: %v", last)
	}
}

func TestHookBeforeSettling(t *testing.T) {
	asked := 0
	r := newRig(t, func(c *harness.Config) {
		c.Hooks.BeforeSettle = func(_ context.Context, b harness.BeforeSettle) (*harness.SettleDecision, error) {
			switch asked++; asked {
			case 1:
				if b.Answer.Text() != "one" {
					t.Errorf("asked about %+v", b.Answer)
				}
				return &harness.SettleDecision{
					Entries:  []session.Entry{&session.CustomMessageEntry{CustomType: "note", Content: []ai.Block{&ai.Text{Text: "a note"}}, Display: true}},
					Messages: []agentcore.Message{ai.UserText("check it")},
				}, nil
			case 2:
				return &harness.SettleDecision{Entries: []session.Entry{&session.CustomEntry{CustomType: "done"}}}, nil
			}
			return nil, nil
		}
	})
	r.model.Queue(faux.Say("one"), faux.Say("two"))
	if got := r.prompt("hi"); got.Answer.Text() != "two" {
		t.Errorf("answer %+v", got.Answer)
	}
	expect(t, "entries", r.stored(), "model_change|thinking_level_change|user|assistant:stop|custom_message|user|assistant:stop|custom")
	expect(t, "asked", r.asked(1), `user hi|assistant stop "one" 0 calls |user a note|user check it`)
	expect(t, "the end", r.log[len(r.log)-3:], "agent_end retry=false|entry_appended|settled aborted=false")
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestHookIsNotAskedAfterAnAbort(t *testing.T) {
	r := newRig(t, func(c *harness.Config) {
		c.Hooks.BeforeSettle = func(context.Context, harness.BeforeSettle) (*harness.SettleDecision, error) {
			t.Error("asked")
			return nil, nil
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	r.model.Queue(faux.Response{Steps: []faux.Step{faux.Do(cancel), faux.Hang()}})
	if got, err := r.Prompt(ctx, ai.UserText("hi"), harness.PromptOptions{}); err != nil || !got.Aborted {
		t.Errorf("%+v %v", got, err)
	}
}

func TestCodes(t *testing.T) {
	r := newRig(t, nil)
	_, navigateErr := r.Navigate(t.Context(), "nowhere", harness.NavigateOptions{})
	_, compactErr := r.Compact(t.Context(), "")
	tests := []struct {
		err  error
		want harness.Code
	}{
		{nil, ""},
		{errors.New("x"), harness.CodeUnknown},
		{harness.ErrBusy, harness.CodeBusy},
		{errors.Join(errors.New("x"), harness.ErrClosed), harness.CodeClosed},
		{navigateErr, harness.CodeNotFound},
		{compactErr, harness.CodeNothing},
		{&session.LockedError{Ref: "a"}, harness.CodeLocked},
		{context.DeadlineExceeded, harness.CodeAborted},
	}
	for _, tt := range tests {
		if got := harness.CodeOf(tt.err); got != tt.want {
			t.Errorf("%v has code %q, want %q", tt.err, got, tt.want)
		}
	}
}
