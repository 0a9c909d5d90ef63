package ai

import (
	"context"
	"strings"
	"time"
)

// IsOverflow reports whether an answer shows that the conversation is larger
// than the model's window: by its error, or silently, as some vendors do when
// they cut the prompt or leave no room for an answer. model may be nil; then
// silent overflow is not recognised.
func IsOverflow(m *AssistantMessage, model *Model) bool {
	switch m.StopReason {
	case StopError:
		return errorKind(m, model) == KindOverflow
	case StopEnd, StopLength:
		if model == nil || model.ContextWindow <= 0 || m.Usage.Unknown {
			return false
		}
		prompt := m.Usage.Input + m.Usage.CacheRead
		if m.StopReason == StopEnd {
			return prompt > model.ContextWindow
		}
		return m.Usage.Output == 0 && prompt*100 >= model.ContextWindow*99
	}
	return false
}

// IsRetryable reports whether asking again a little later may help. Overflow
// never does: look at [IsOverflow] first.
func IsRetryable(m *AssistantMessage) bool {
	if m.StopReason != StopError {
		return false
	}
	return (&APIError{Kind: errorKind(m, nil)}).Retryable()
}

// errorKind is the kind of a failed answer: that of its typed error, or what
// its text says when the error is gone or knows nothing better.
func errorKind(m *AssistantMessage, model *Model) ErrorKind {
	kind, text := KindUnknown, m.ErrorMessage
	if m.Failure != nil {
		kind = m.Failure.Kind
		if text == "" {
			text = m.Failure.Error()
		}
	}
	provider := m.Provider
	if model != nil {
		provider = model.Provider
	}
	// Cerebras refuses a prompt that is too long with a bare status.
	if provider == "cerebras" && strings.Contains(text, "(no body)") && (strings.HasPrefix(text, "400") || strings.HasPrefix(text, "413")) {
		return KindOverflow
	}
	if kind != KindUnknown {
		return kind
	}
	return classifyText(text)
}

// RetryPolicy says how often and when a failed answer is asked for again. It is
// about whole answers; retries before an answer has begun are those of
// [Options].MaxRetries.
type RetryPolicy struct {
	Enabled bool
	// Max is how many further tries there are.
	Max int
	// BaseDelay is the wait before the first; it doubles from try to try.
	BaseDelay time.Duration
	// MaxDelay caps the wait; 0 means 60 s. A vendor that asks for more than
	// that gets no further try.
	MaxDelay time.Duration
}

// DefaultRetryPolicy is three further tries after 2, 4 and 8 seconds.
func DefaultRetryPolicy() RetryPolicy {
	return RetryPolicy{Enabled: true, Max: 3, BaseDelay: 2 * time.Second, MaxDelay: time.Minute}
}

func (p RetryPolicy) cap() time.Duration {
	if p.MaxDelay <= 0 {
		return time.Minute
	}
	return p.MaxDelay
}

// Delay gives the wait before a further try, counted from 1: BaseDelay doubled
// each time and capped, or what the vendor asked for if that is longer. random
// gives numbers in [0,1) and takes up to a quarter off our own waits, so that
// many clients do not come back at once; nil takes nothing off.
func (p RetryPolicy) Delay(attempt int, retryAfter time.Duration, random func() float64) time.Duration {
	d := p.BaseDelay
	for i := 1; i < attempt && d < p.cap(); i++ {
		d *= 2
	}
	d = min(d, p.cap())
	if random != nil {
		d -= time.Duration(random() * 0.25 * float64(d))
	}
	return max(d, retryAfter)
}

// Next decides about a further try, counted from 1, after a failed answer. It
// is false when the policy is off or used up, when trying again can not help
// (see [IsRetryable]), and when the vendor asks for a longer wait than MaxDelay.
func (p RetryPolicy) Next(m *AssistantMessage, model *Model, attempt int, random func() float64) (delay time.Duration, again bool) {
	if !p.Enabled || attempt > p.Max || IsOverflow(m, model) || !IsRetryable(m) {
		return 0, false
	}
	var asked time.Duration
	if m.Failure != nil {
		asked = m.Failure.RetryAfter
	}
	if asked > p.cap() {
		return 0, false
	}
	return p.Delay(attempt, asked, random), true
}

// Wait waits, or returns the cause when ctx ends first.
func Wait(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
