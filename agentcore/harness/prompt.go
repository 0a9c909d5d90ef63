package harness

import (
	"context"
	"errors"
	"fmt"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// Delivery says what becomes of a message that comes while the agent works.
type Delivery string

// The deliveries. The zero value refuses it with [ErrBusy].
const (
	DeliverSteer    Delivery = "steer"    // before the next request
	DeliverFollowUp Delivery = "followUp" // when the agent is done
)

// PromptOptions tune one prompt.
type PromptOptions struct {
	// WhenBusy says what to do while another prompt is under way.
	WhenBusy Delivery
	// Accepted, if not nil, is called as soon as the harness is taken by this
	// prompt: from then on others are queued or refused. A compaction may come
	// before the prompt itself.
	Accepted func()
	// Started, if not nil, is called before the first event of the run.
	Started func()
}

// Result says how a prompt ended.
type Result struct {
	// Queued says that the message was queued; nothing else is set then.
	Queued bool
	// Answer is the last answer, nil if there was none.
	Answer *ai.AssistantMessage
	// Aborted says that the prompt was aborted.
	Aborted bool
}

// Prompt adds a message to the conversation and works on it until everything
// is settled. The error says why the prompt could not be worked on: the
// harness was busy, the session could not be written, a hook or a listener
// failed. A failure of the model is no error of Prompt but in the answer.
func (h *Harness) Prompt(ctx context.Context, message *ai.UserMessage, o PromptOptions) (Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h.mu.Lock()
	switch {
	case h.phase == closed:
		h.mu.Unlock()
		return Result{}, ErrClosed
	case h.exclusive || h.seized:
		h.mu.Unlock()
		return Result{}, ErrCompacting
	case h.phase != idle:
		h.mu.Unlock()
		return h.queue(ctx, message, o)
	}
	if h.model == nil {
		h.mu.Unlock()
		return Result{}, ErrNoModel
	}
	h.phase, h.cancel, h.done, h.aborted, h.attempt = running, cancel, make(chan struct{}), false, 0
	h.mu.Unlock()
	if o.Accepted != nil {
		o.Accepted()
	}
	return h.work(ctx, message, o.Started)
}

func (h *Harness) queue(ctx context.Context, message *ai.UserMessage, o PromptOptions) (Result, error) {
	switch o.WhenBusy {
	case DeliverSteer:
		h.Steer(ctx, message)
	case DeliverFollowUp:
		h.FollowUp(ctx, message)
	default:
		return Result{}, ErrBusy
	}
	return Result{Queued: true}, nil
}

// work runs a prompt to its end and settles.
func (h *Harness) work(ctx context.Context, message *ai.UserMessage, started func()) (result Result, err error) {
	defer func() {
		settleErr := h.settle(ctx, &result)
		err = errors.Join(err, settleErr)
	}()
	h.recovered = false
	if err := h.makeRoomForPrompt(ctx, message); err != nil {
		return result, err
	}
	if started != nil {
		started()
	}
	messages := make([]agentcore.Message, 0, 2)
	if system := h.systemPatch(); system != nil {
		messages = append(messages, system)
	}
	answer, err := h.agent.Prompt(ctx, append(messages, message)...)
	for {
		result.Answer = answer
		if err := ours(err, answer); err != nil {
			return result, err
		}
		again, err2 := h.goOn(ctx, answer)
		if err2 != nil || !again {
			return result, err2
		}
		answer, err = h.agent.Continue(ctx)
	}
}

// goOn decides what follows a run: a recovery, a retry, what was queued
// meanwhile, or nothing.
func (h *Harness) goOn(ctx context.Context, answer *ai.AssistantMessage) (bool, error) {
	if again, err := h.recoverOverflow(ctx, answer); again || err != nil {
		return again, err
	}
	if again, err := h.retryAfter(ctx, answer); again || err != nil {
		return again, err
	}
	if h.leftover(ctx, answer) {
		return true, nil
	}
	if ctx.Err() == nil && answer != nil && answer.Err() == nil {
		compacted, err := h.makeRoom(ctx, 0)
		if err != nil || !compacted {
			return false, err
		}
		return false, h.reload(ctx)
	}
	return false, nil
}

// makeRoomForPrompt compacts before a message that would not fit.
func (h *Harness) makeRoomForPrompt(ctx context.Context, message *ai.UserMessage) error {
	compacted, err := h.makeRoom(ctx, ai.EstimateMessage(message))
	if err != nil || !compacted {
		return err
	}
	return h.reload(ctx)
}

// ours gives the errors of a run that are not in its answer: those of the
// session, of hooks and of listeners.
func ours(err error, answer *ai.AssistantMessage) error {
	var api *ai.APIError
	var save *saveError
	switch {
	case errors.As(err, &save):
		return save
	case err == nil, errors.As(err, &api) && answer != nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil
	}
	return err
}

// leftover reports whether a message was queued after the run's last look at
// the queues.
func (h *Harness) leftover(ctx context.Context, answer *ai.AssistantMessage) bool {
	if ctx.Err() != nil || answer == nil || answer.StopReason == ai.StopError || answer.StopReason == ai.StopAborted {
		return false
	}
	steering, followUp := h.agent.Queued()
	return len(steering)+len(followUp) > 0
}

// Add puts a message into the conversation without asking the model: what a
// person did beside the agent, say. While a prompt is under way it waits until
// the prompt has settled, so that it does not come between calls and results.
func (h *Harness) Add(ctx context.Context, m agentcore.Message) error {
	h.mu.Lock()
	switch h.phase {
	case closed:
		h.mu.Unlock()
		return ErrClosed
	case idle:
	default:
		h.waiting = append(h.waiting, m)
		h.mu.Unlock()
		return nil
	}
	h.mu.Unlock()
	return h.add(ctx, m)
}

func (h *Harness) add(ctx context.Context, m agentcore.Message) error {
	if _, err := h.session.AppendMessage(ctx, m); err != nil {
		return fmt.Errorf("save %s message: %w", m.Role(), err)
	}
	return h.agent.SetMessages(append(h.agent.State().Messages, m))
}

// addWaiting adds what was said while the prompt was under way.
func (h *Harness) addWaiting(ctx context.Context) error {
	h.mu.Lock()
	waiting := h.waiting
	h.waiting = nil
	h.mu.Unlock()
	var errs []error
	for _, m := range waiting {
		errs = append(errs, h.add(ctx, m))
	}
	return errors.Join(errs...)
}

// settle ends the prompt: the session is synced, listeners are told.
func (h *Harness) settle(ctx context.Context, result *Result) error {
	aborted := ctx.Err() != nil
	// Neither an abort nor a deadline may lose what was received.
	ctx = context.WithoutCancel(ctx)
	errs := []error{h.forgetUnsaved(ctx), h.addWaiting(ctx)}
	if err := h.session.Sync(ctx); err != nil {
		errs = append(errs, fmt.Errorf("sync session: %w", err))
	}
	h.mu.Lock()
	result.Aborted = aborted || h.aborted
	h.mu.Unlock()
	errs = append(errs, h.bus.send(ctx, &Settled{Aborted: result.Aborted}))
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rest()
	return errors.Join(errs...)
}

// saveError says that a message could not be written.
type saveError struct {
	role ai.Role
	err  error
}

func (e *saveError) Error() string { return fmt.Sprintf("save %s message: %v", e.role, e.err) }

func (e *saveError) Unwrap() error { return e.err }

// forgetUnsaved takes what could not be written out of the transcript: what
// the model sees and what the session holds stay the same.
func (h *Harness) forgetUnsaved(ctx context.Context) error {
	if !h.unsaved {
		return nil
	}
	h.unsaved = false
	c, err := h.session.Context(ctx)
	if err != nil {
		return fmt.Errorf("read the session back: %w", err)
	}
	return h.agent.SetMessages(c.Messages)
}

// hear is the first to get the events of the agent: it writes finished
// messages into the session, then passes the event on.
func (h *Harness) hear(ctx context.Context, ev agentcore.Event) error {
	// A message that was received must be kept although the run was aborted.
	saving := context.WithoutCancel(ctx)
	switch ev := ev.(type) {
	case *agentcore.MessageStart:
		if ev.Message.Role() == ai.RoleUser {
			h.tellQueueAfterDelivery(ctx)
		}
	case *agentcore.MessageEnd:
		if h.unsaved {
			return nil // what follows a hole is not kept
		}
		id, err := h.session.AppendMessage(saving, ev.Message)
		if err != nil {
			h.unsaved = true
			return &saveError{ev.Message.Role(), err}
		}
		if a, ok := ev.Message.(*ai.AssistantMessage); ok {
			h.last = entryOf{a, id}
			h.countedBy(a)
			if err := h.bus.send(ctx, ev); err != nil {
				return err
			}
			return h.retrySucceeded(ctx, a)
		}
	case *agentcore.TurnEnd:
		h.session.StartSync()
	case *agentcore.AgentEnd:
		ev.WillRetry = h.willRetry(ctx)
	}
	return h.bus.send(ctx, ev)
}

// countedBy notes that an answer has counted the context.
func (h *Harness) countedBy(a *ai.AssistantMessage) {
	if a.StopReason == ai.StopError || a.StopReason == ai.StopAborted || a.Usage.Unknown || a.Usage.ContextTokens() == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counted = true
}

// systemPatch gives the system message that brings what the conversation
// says of the prompt up to date, nil when nothing changed. The loop adds the
// tools to it.
func (h *Harness) systemPatch() *ai.SystemMessage {
	if h.cfg.System == nil {
		return nil
	}
	have := ai.ReplaySystem(session.ModelMessages(h.agent.State().Messages)).Message
	patch := &ai.SystemMessage{Sections: sectionChanges(have.Sections, h.cfg.System())}
	if len(patch.Sections) == 0 {
		return nil
	}
	return patch
}

// sectionChanges lists the sections to set, and to remove, to get from one
// prompt to the other.
func sectionChanges(from, to []ai.Section) []ai.Section {
	find := func(list []ai.Section, name string) *string {
		for _, s := range list {
			if s.Name == name {
				return s.Text
			}
		}
		return nil
	}
	var out []ai.Section
	for _, s := range to {
		if old := find(from, s.Name); old == nil || *old != *s.Text {
			out = append(out, s)
		}
	}
	for _, s := range from {
		if s.Text != nil && find(to, s.Name) == nil {
			out = append(out, ai.Section{Name: s.Name})
		}
	}
	return out
}
