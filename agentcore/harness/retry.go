package harness

import (
	"context"
	"errors"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// retryCancelled is the final error of retries that were aborted; clients of
// the wire protocol know this text.
const retryCancelled = "Retry cancelled"

// nextTry decides about trying the newest answer again. The lock is held.
func (h *Harness) nextTry(ctx context.Context) (delay time.Duration, again bool) {
	a := h.last.answer
	if ctx.Err() != nil || a == nil || a.StopReason != ai.StopError {
		return 0, false
	}
	return h.policy.Next(a, h.limitsOf(h.model), h.attempt+1, h.cfg.Random)
}

// willRetry reports whether the run that ends now will be tried again.
func (h *Harness) willRetry(ctx context.Context) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, again := h.nextTry(ctx)
	return again
}

// retryAfter decides what to do about a failed answer: it hides the attempt
// from the model, waits, and reports whether to try again.
func (h *Harness) retryAfter(ctx context.Context, answer *ai.AssistantMessage) (bool, error) {
	h.mu.Lock()
	delay, again := h.nextTry(ctx)
	if !again || answer != h.last.answer {
		h.mu.Unlock()
		return false, h.retryGivenUp(ctx, answer)
	}
	h.attempt++
	attempt, most := h.attempt, h.policy.Max
	h.mu.Unlock()
	allowed, err := h.allowRetry(ctx, BeforeRetry{Answer: answer, Attempt: attempt, Delay: delay}, &delay)
	if err != nil || !allowed {
		h.mu.Lock()
		h.attempt--
		h.mu.Unlock()
		return false, errors.Join(err, h.retryGivenUp(ctx, answer))
	}
	h.mu.Lock()
	h.phase = PhaseRetrying
	waiting, cancel := context.WithCancel(ctx)
	h.cancelRetry = cancel
	h.mu.Unlock()
	defer func() {
		cancel()
		h.mu.Lock()
		h.cancelRetry = nil
		if h.phase == PhaseRetrying {
			h.phase = PhaseRunning
		}
		h.mu.Unlock()
	}()
	start := &RetryStart{Attempt: attempt, MaxAttempts: most, Delay: delay, ErrorMessage: answer.ErrorMessage}
	if err := h.bus.send(ctx, start); err != nil {
		return false, err
	}
	if err := h.hide(ctx, h.last.id); err != nil {
		return false, err
	}
	if err := h.cfg.Wait(waiting, delay); err != nil {
		h.mu.Lock()
		h.attempt = 0
		h.mu.Unlock()
		return false, h.bus.send(context.WithoutCancel(ctx), &RetryEnd{Attempt: attempt, FinalError: retryCancelled})
	}
	return true, nil
}

// allowRetry asks the hook.
func (h *Harness) allowRetry(ctx context.Context, b BeforeRetry, delay *time.Duration) (bool, error) {
	hook := h.cfg.Hooks.BeforeRetry
	if hook == nil {
		return true, nil
	}
	var d *RetryDecision
	err := h.ask("BeforeRetry", func() (err error) {
		d, err = hook(ctx, b)
		return err
	})
	if err != nil || d == nil {
		return err == nil, err
	}
	if d.Delay != nil {
		*delay = *d.Delay
	}
	return !d.Cancel, nil
}

// hide takes an entry out of what the model sees, and the agent's transcript
// with it.
func (h *Harness) hide(ctx context.Context, id string) error {
	if err := h.edit(ctx, &session.ContextEditEntry{TargetID: id}); err != nil {
		return err
	}
	return h.reload(ctx)
}

// edit appends a change of what the model sees.
func (h *Harness) edit(ctx context.Context, e *session.ContextEditEntry) error {
	if _, err := h.session.Append(context.WithoutCancel(ctx), e); err != nil {
		return &Error{Code: CodeSave, Doing: "change the context", Err: err}
	}
	return h.bus.send(ctx, &EntryAppended{Entry: e})
}

// retrySucceeded ends a series of retries at the first answer that is none
// of the failures.
func (h *Harness) retrySucceeded(ctx context.Context, a *ai.AssistantMessage) error {
	h.mu.Lock()
	attempt := h.attempt
	if attempt == 0 || a.StopReason == ai.StopError || a.StopReason == ai.StopAborted {
		h.mu.Unlock()
		return nil
	}
	h.attempt = 0
	h.mu.Unlock()
	return h.bus.send(ctx, &RetryEnd{Success: true, Attempt: attempt})
}

// retryGivenUp ends a series of retries that did not help.
func (h *Harness) retryGivenUp(ctx context.Context, a *ai.AssistantMessage) error {
	h.mu.Lock()
	attempt := h.attempt
	h.attempt = 0
	h.mu.Unlock()
	if attempt == 0 || a == nil {
		return nil
	}
	reason := a.ErrorMessage
	if a.StopReason == ai.StopAborted || ctx.Err() != nil {
		reason = retryCancelled
	}
	return h.bus.send(context.WithoutCancel(ctx), &RetryEnd{Attempt: attempt, FinalError: reason})
}
