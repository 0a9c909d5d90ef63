package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
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

// Prompt adds a message to the conversation, a *ai.UserMessage mostly, and works
// on it until everything is settled. The error says why the prompt could not be worked on: the
// harness was busy, the session could not be written, a hook or a listener
// failed. A failure of the model is no error of Prompt but in the answer.
func (h *Harness) Prompt(ctx context.Context, message agentcore.Message, o PromptOptions) (Result, error) {
	h.mu.Lock()
	switch {
	case h.phase == PhaseClosed || h.closing:
		h.mu.Unlock()
		return Result{}, ErrClosed
	case h.exclusive || h.seized:
		h.mu.Unlock()
		return Result{}, ErrCompacting
	case h.phase != PhaseIdle:
		err := h.queueLocked(message, o.WhenBusy)
		h.mu.Unlock()
		if err != nil {
			return Result{}, err
		}
		h.tellQueue(ctx)
		return Result{Queued: true}, nil
	}
	if h.model == nil {
		h.mu.Unlock()
		return Result{}, ErrNoModel
	}
	working := h.startLocked(ctx)
	h.mu.Unlock()
	return h.work(ctx, working, message, o)
}

// startLocked makes the harness busy with a prompt. The lock is held.
func (h *Harness) startLocked(ctx context.Context) context.Context {
	if h.cfg.Env != nil {
		ctx = execenv.NewContext(ctx, *h.cfg.Env)
	}
	ctx, cancel := context.WithCancel(ctx)
	h.phase, h.cancel, h.done, h.aborted, h.attempt, h.deferred = PhaseRunning, cancel, make(chan struct{}), false, 0, false
	return ctx
}

// queueLocked queues a message for the prompt that is under way, or for after
// it. The lock is held, so that it does not end meanwhile.
func (h *Harness) queueLocked(message agentcore.Message, d Delivery) error {
	switch d {
	case DeliverSteer:
		h.agent.Steer(message)
	case DeliverFollowUp:
		h.agent.FollowUp(message)
	default:
		return ErrBusy
	}
	h.deferred = h.deferred || h.phase == PhaseSettling
	return nil
}

// work runs a prompt to its end and settles; what came while it settled is
// worked on like a prompt of its own. caller is the context of the call, ctx
// the one that an abort ends.
func (h *Harness) work(caller, ctx context.Context, message agentcore.Message, o PromptOptions) (result Result, err error) {
	rested := false
	defer func() {
		if !rested { // a callback of the caller panics
			_ = h.settle(ctx, &result, true)
			h.mu.Lock()
			defer h.mu.Unlock()
			h.cancel()
			h.rest()
		}
	}()
	if o.Accepted != nil {
		o.Accepted()
	}
	err = h.begun(ctx, message, o.Started, &result)
	err = errors.Join(err, h.settle(ctx, &result, err != nil))
	for {
		next, more, err2 := h.restOrGoOn(caller)
		err = errors.Join(err, err2)
		if !more {
			rested = true
			return result, err
		}
		ctx = next
		h.recovered = false
		var late Result // of another prompt: it does not change this one's
		answer, err2 := h.agent.Continue(ctx)
		err2 = h.run(ctx, answer, err2, &late)
		err = errors.Join(err, err2, h.settle(ctx, &late, err2 != nil))
	}
}

// restOrGoOn ends a prompt that has settled. If a message came meanwhile,
// another begins at once, before anybody else's.
func (h *Harness) restOrGoOn(caller context.Context) (ctx context.Context, more bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.waiting) > 0 {
		err = h.addWaitingLocked(context.WithoutCancel(caller))
		h.session.StartSync()
	}
	steering, followUp := h.agent.Queued()
	more = h.deferred && len(steering)+len(followUp) > 0 && caller.Err() == nil && !h.seized && !h.closing
	h.cancel()
	h.rest()
	if more {
		ctx = h.startLocked(caller)
	}
	return ctx, more, err
}

// begun makes room, asks the hook, and runs.
func (h *Harness) begun(ctx context.Context, message agentcore.Message, started func(), result *Result) error {
	h.recovered = false
	if err := h.makeRoomForPrompt(ctx, message); err != nil {
		return err
	}
	decision, err := h.allowPrompt(ctx, message)
	if err != nil {
		return err
	}
	if started != nil {
		started()
	}
	messages := make([]agentcore.Message, 0, 2)
	if system := h.systemPatch(); system != nil {
		messages = append(messages, system)
	}
	messages = slices.Concat(messages, decision.Before, []agentcore.Message{decision.Message}, decision.After)
	answer, err := h.agent.Prompt(ctx, messages...)
	return h.run(ctx, answer, err, result)
}

// allowPrompt asks the hook what is to be said.
func (h *Harness) allowPrompt(ctx context.Context, message agentcore.Message) (PromptDecision, error) {
	var d *PromptDecision
	if hook := h.cfg.Hooks.BeforePrompt; hook != nil {
		err := h.ask("BeforePrompt", func() (err error) {
			d, err = hook(ctx, BeforePrompt{Message: message})
			return err
		})
		if err != nil {
			return PromptDecision{}, err
		}
	}
	if d == nil {
		return PromptDecision{Message: message}, nil
	}
	if d.Cancel {
		return PromptDecision{}, ErrCancelled
	}
	allowed := *d
	if allowed.Message == nil {
		allowed.Message = message
	}
	return allowed, nil
}

// run goes on after a run of the agent until nothing is left to do.
func (h *Harness) run(ctx context.Context, answer *ai.AssistantMessage, err error, result *Result) error {
	for {
		result.Answer = answer
		if err := ours(err, answer); err != nil {
			return err
		}
		if err2 := h.takeEdits(ctx); err2 != nil {
			return err2
		}
		again, err2 := h.goOn(ctx, answer)
		if err2 != nil {
			return err2
		}
		if again {
			answer, err = h.agent.Continue(ctx)
			continue
		}
		more, err2 := h.beforeSettle(ctx, answer)
		if err2 != nil {
			return err2
		}
		switch {
		case len(more.Messages) > 0:
			answer, err = h.agent.Prompt(ctx, more.Messages...)
			continue
		case more.Continue:
			answer, err = h.agent.Continue(ctx)
			continue
		}
		// From here on a message that is queued says so itself.
		h.setPhase(PhaseSettling)
		if !h.leftover(ctx, answer) {
			return nil
		}
		h.setPhase(PhaseRunning)
		answer, err = h.agent.Continue(ctx)
	}
}

// beforeSettle asks the hook what is left to do.
func (h *Harness) beforeSettle(ctx context.Context, answer *ai.AssistantMessage) (SettleDecision, error) {
	hook := h.cfg.Hooks.BeforeSettle
	if hook == nil || ctx.Err() != nil {
		return SettleDecision{}, nil
	}
	var d *SettleDecision
	err := h.ask("BeforeSettle", func() (err error) {
		d, err = hook(ctx, BeforeSettle{Answer: answer})
		return err
	})
	if err != nil || d == nil {
		return SettleDecision{}, err
	}
	if err := h.appendEntries(ctx, d.Entries); err != nil {
		return SettleDecision{}, err
	}
	if err := h.takeEdits(ctx); err != nil {
		return SettleDecision{}, err
	}
	more := *d
	more.Continue = more.Continue && h.Answerable(h.agent.State().Messages)
	return more, nil
}

// Answerable reports whether a model has something to answer: what it sees of the
// messages does not end with its own.
func (h *Harness) Answerable(messages []agentcore.Message) bool {
	for i := range slices.Backward(messages) {
		for _, m := range slices.Backward(h.cfg.Loop.ConvertToLLM(messages[i : i+1])) {
			if role := m.Role(); role != ai.RoleSystem {
				return role != ai.RoleAssistant
			}
		}
	}
	return false
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
func (h *Harness) makeRoomForPrompt(ctx context.Context, message agentcore.Message) error {
	compacted, err := h.makeRoom(ctx, h.cfg.Policy.Tokens(message))
	if err != nil || !compacted {
		return err
	}
	return h.reload(ctx)
}

// ours gives the errors of a run that are not in its answer: those of the
// session, of hooks and of listeners.
func ours(err error, answer *ai.AssistantMessage) error {
	var api *ai.APIError
	own, isOwn := errors.AsType[*Error](err)
	switch {
	case isOwn:
		return own // whatever became of the answer
	case err == nil, errors.As(err, &api) && answer != nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return nil
	}
	return err
}

// leftover reports whether a message was queued after the run's last look at
// the queues.
func (h *Harness) leftover(ctx context.Context, answer *ai.AssistantMessage) bool {
	if ctx.Err() != nil || answer == nil {
		return false
	}
	switch answer.StopReason {
	case ai.StopError, ai.StopAborted, ai.StopDeferred: // the last comes later: nothing can be said before
		return false
	}
	steering, followUp := h.agent.Queued()
	return len(steering)+len(followUp) > 0
}

// Add puts a message into the conversation without asking the model: what a
// person did beside the agent, say. While a prompt is under way it waits until
// the prompt has settled, so that it does not come between calls and results.
func (h *Harness) Add(ctx context.Context, m agentcore.Message) error {
	// The lock is held while the message is written, so that no prompt begins
	// meanwhile.
	h.mu.Lock()
	defer h.mu.Unlock()
	switch h.phase {
	case PhaseClosed:
		return ErrClosed
	case PhaseIdle:
		return h.add(ctx, m)
	}
	h.waiting = append(h.waiting, m)
	return nil
}

// AddTold is like Add, for a message that people should see: listeners hear of
// it once it is in the session.
func (h *Harness) AddTold(ctx context.Context, m agentcore.Message) error {
	if err := h.Add(ctx, m); err != nil {
		return err
	}
	h.bus.post(ctx, &agentcore.MessageStart{Message: m})
	h.bus.post(ctx, &agentcore.MessageEnd{Message: m})
	return nil
}

// AddEntry appends an entry that is no message to the session, at once, and tells it
// ([EntryAppended]). It may be called at any time, by hooks too; what the entry
// changes of the context counts from the next prompt on.
func (h *Harness) AddEntry(ctx context.Context, e session.Entry) error {
	if _, err := h.session.Append(ctx, e); err != nil {
		return &Error{Code: CodeSave, Doing: fmt.Sprintf("save %s entry", e.Type()), Err: err}
	}
	h.bus.post(ctx, &EntryAppended{Entry: e})
	return nil
}

func (h *Harness) add(ctx context.Context, m agentcore.Message) error {
	if _, err := h.session.AppendMessage(ctx, m); err != nil {
		return notSaved(m, err)
	}
	return h.agent.SetMessages(append(h.agent.State().Messages, m))
}

// addWaiting adds what was said while the prompt was under way.
func (h *Harness) addWaiting(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.addWaitingLocked(ctx)
}

func (h *Harness) addWaitingLocked(ctx context.Context) error {
	var errs []error
	for _, m := range h.waiting {
		errs = append(errs, h.add(ctx, m))
	}
	h.waiting = nil
	return errors.Join(errs...)
}

// settle ends the prompt, which may have failed: the session is synced,
// listeners are told. The harness stays busy.
func (h *Harness) settle(ctx context.Context, result *Result, failed bool) error {
	h.setPhase(PhaseSettling)
	aborted := ctx.Err() != nil
	// Neither an abort nor a deadline may lose what was received.
	ctx = context.WithoutCancel(ctx)
	errs := []error{h.agree(ctx, failed), h.addWaiting(ctx)}
	if err := h.session.Sync(ctx); err != nil {
		errs = append(errs, &Error{Code: CodeSave, Doing: "sync session", Err: err})
	}
	h.mu.Lock()
	result.Aborted = aborted || h.aborted
	h.ending = true
	h.mu.Unlock()
	return errors.Join(append(errs, h.bus.send(ctx, &Settled{Aborted: result.Aborted}))...)
}

// notSaved is the error of a message that could not be written.
func notSaved(m agentcore.Message, err error) error {
	return &Error{Code: CodeSave, Doing: fmt.Sprintf("save %s message", m.Role()), Err: err}
}

// agree takes the transcript from the session after a failure: what could not
// be written is forgotten, and what a failure kept from being read is read.
func (h *Harness) agree(ctx context.Context, failed bool) error {
	if !h.unsaved && !failed {
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
			return notSaved(ev.Message, err)
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
