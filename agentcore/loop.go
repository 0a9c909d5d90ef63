package agentcore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pi-go/pi/agentcore/schema"
	"github.com/pi-go/pi/ai"
)

// ErrNothingToContinue is the error of a run without prompts whose transcript
// leaves nothing to answer: it is empty or ends with an answer, and no message
// is queued.
var ErrNothingToContinue = errors.New("nothing to continue: the transcript ends with an answer or is empty, and no message is queued; prompt with a message instead")

// Run runs the loop: it adds the prompts to the transcript of c, asks the
// model, runs the tools it calls, and goes on until nothing is left to do.
// Without prompts it continues a transcript that does not end with an answer,
// or else with what SteeringMessages or FollowUpMessages give.
//
// Everything happens through emit, which is called synchronously, in order and
// only on the caller's goroutine; it may be nil. An error of emit ends the run.
// The caller's slices are not changed.
//
// Run returns the messages it added, also when it fails. The error says why
// the run did not end well: the *[ai.APIError] of the answer when the model
// failed, the cause of ctx when it was aborted, or what a hook or emit
// returned. All of these are in the transcript too, as the StopReason of the
// last answer or as error results of tools. If Run can not start at all, it
// returns the reason, no message, and emits nothing.
func Run(ctx context.Context, prompts []Message, c Context, cfg LoopConfig, emit func(Event) error) ([]Message, error) {
	r := &run{parent: ctx, cfg: cfg, c: c, sink: emit, now: cfg.Now, schemas: cfg.schemas}
	if r.now == nil {
		r.now = time.Now
	}
	if r.schemas == nil {
		r.schemas = new(schema.Cache)
	}
	// Appending must never write into the caller's arrays.
	r.c.Messages = slices.Clip(c.Messages)
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	defer r.cancel(nil)
	switch {
	case cfg.Stream == nil:
		return nil, errors.New("run agent: LoopConfig.Stream is nil; set it to the Stream method of a model collection")
	case c.Model == nil && cfg.PrepareRequest == nil && cfg.refresh == nil:
		return nil, errNoModel
	}
	next := pendingOf(prompts, fromCaller)
	if len(next) == 0 {
		var err error
		if next, err = r.resume(); err != nil {
			return nil, err
		}
	} else {
		next = append(next, r.poll(fromSteering)...)
	}
	r.emit(&AgentStart{})
	r.turns(next)
	return r.end()
}

var errNoModel = errors.New("run agent: no model was chosen")

// run is the state of one call of Run. It belongs to the goroutine of that
// call; tools reach it through the channel of their batch only.
type run struct {
	parent context.Context
	ctx    context.Context // cancelled with parent, or by fail
	cancel context.CancelCauseFunc
	cfg    LoopConfig
	sink   func(Event) error
	now    func() time.Time
	c      Context
	added  []Message
	err    error // why the run fails; nil also when it was aborted
	late   error // of a listener, after the end was decided

	last     *ai.AssistantMessage
	told     bool // last tells of err
	declared bool // the model knows exactly c.Tools
	update   MessageUpdate
	llm      []ai.Message // conversion of the first converted messages
	seen     int
	schemas  *schema.Cache
}

// origin is where a message comes from that waits for its turn.
type origin int

const (
	fromCaller origin = iota
	fromSteering
	fromFollowUp
)

// pending is a message that enters at the start of the coming turn.
type pending struct {
	m    Message
	from origin
}

func pendingOf(messages []Message, from origin) []pending {
	var list []pending
	for _, m := range messages {
		if m != nil {
			list = append(list, pending{m, from})
		}
	}
	return list
}

// turns is the loop itself: the inner one goes on while there are tool results
// or steering messages to answer, the outer one while there are follow-ups.
func (r *run) turns(next []pending) {
	for {
		var done turnOutcome
		for {
			done = r.runTurn(next)
			if done.end || r.stopped() {
				return
			}
			next = r.poll(fromSteering)
			if r.stopped() {
				r.giveBack(next)
				return
			}
			if !done.more && len(next) == 0 {
				break
			}
			if next = r.between(done.turn, next); r.stopped() {
				r.close(next)
				return
			}
		}
		next = r.poll(fromFollowUp)
		if r.stopped() {
			r.giveBack(next)
			return
		}
		if len(next) == 0 && !done.again {
			return
		}
		if next = r.between(done.turn, next); r.stopped() {
			r.close(next)
			return
		}
	}
}

// stopped reports that the run was aborted or has failed.
func (r *run) stopped() bool { return r.ctx.Err() != nil }

// fail ends the run with an error: everything that waits for the context
// unwinds as it would for an abort. The first failure counts, and a hook that
// fails after an abort does so because of it.
func (r *run) fail(err error) {
	if r.err == nil && r.parent.Err() == nil {
		r.err = err
		r.cancel(err)
	}
}

// unheard notes that a listener failed. After an abort or a failure the run
// can not end for this reason any more, but the error is not lost.
func (r *run) unheard(err error) {
	if r.err == nil && r.parent.Err() == nil {
		r.fail(err)
	} else if r.late == nil {
		r.late = err
	}
}

// emit tells the caller. The listener's error or panic fails the run.
func (r *run) emit(ev Event) {
	if r.sink == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			r.unheard(r.panicked("event listener", v))
		}
	}()
	if err := r.sink(ev); err != nil {
		r.unheard(fmt.Errorf("event listener: %w", err))
	}
}

// poll asks a queue for messages.
func (r *run) poll(from origin) []pending {
	ask, name := r.cfg.SteeringMessages, "SteeringMessages"
	if from == fromFollowUp {
		ask, name = r.cfg.FollowUpMessages, "FollowUpMessages"
	}
	if ask == nil || r.stopped() {
		return nil
	}
	var messages []Message
	if err := r.contain(name, func() error { messages = ask(); return nil }); err != nil {
		r.fail(err)
	}
	return pendingOf(messages, from)
}

// giveBack returns polled messages that will not be added.
func (r *run) giveBack(list []pending) {
	var steering, followUp []Message
	for _, p := range list {
		switch p.from {
		case fromSteering:
			steering = append(steering, p.m)
		case fromFollowUp:
			followUp = append(followUp, p.m)
		}
	}
	if r.cfg.ReturnMessages == nil || len(steering)+len(followUp) == 0 {
		return
	}
	if err := r.contain("ReturnMessages", func() error { r.cfg.ReturnMessages(steering, followUp); return nil }); err != nil {
		r.fail(err)
	}
}

// resume finds what a run without prompts starts with.
func (r *run) resume() ([]pending, error) {
	next := r.poll(fromSteering)
	if len(next) > 0 || r.err != nil {
		return next, r.err
	}
	for _, m := range slices.Backward(r.c.Messages) {
		if role := m.Role(); role != ai.RoleSystem {
			if role != ai.RoleAssistant {
				return nil, nil
			}
			break
		}
	}
	if next = r.poll(fromFollowUp); len(next) == 0 {
		if r.err != nil {
			return nil, r.err
		}
		if r.stopped() {
			return nil, aborted(r.parent)
		}
		return nil, ErrNothingToContinue
	}
	return next, nil
}

func aborted(ctx context.Context) error { return fmt.Errorf("run aborted: %w", context.Cause(ctx)) }

// between prepares the turn after t: it gives the messages that open it.
func (r *run) between(t Turn, next []pending) []pending {
	if r.cfg.PrepareNextTurn != nil {
		t.Context = r.context()
		t.NewMessages = slices.Clip(r.added)
		var u *ContextUpdate
		err := r.contain("PrepareNextTurn", func() (err error) {
			u, err = r.cfg.PrepareNextTurn(r.ctx, t)
			return err
		})
		if err != nil {
			r.fail(err)
		}
		if u != nil && r.err == nil {
			r.apply(u)
			next = append(pendingOf(u.Append, fromCaller), next...)
		}
	}
	if !slices.ContainsFunc(next, func(p pending) bool { return p.from == fromSteering }) {
		next = append(next, r.poll(fromSteering)...)
	}
	return next
}

// close ends a run that was stopped between two turns. What came from a queue
// goes back to it; what a hook wanted to add is kept nowhere else, so it goes
// into a last turn without a request.
func (r *run) close(next []pending) {
	r.giveBack(next)
	next = slices.DeleteFunc(next, func(p pending) bool { return p.from != fromCaller })
	if len(next) > 0 {
		r.runTurn(next)
	}
}

// context is what hooks see of the run.
func (r *run) context() Context {
	c := r.c
	c.Messages = slices.Clip(c.Messages)
	c.Tools = slices.Clip(c.Tools)
	return c
}

// apply takes over what a hook wants changed, but for Append.
func (r *run) apply(u *ContextUpdate) {
	if u.Messages != nil {
		r.c.Messages = slices.Clip(u.Messages)
		r.llm, r.seen, r.declared = nil, 0, false
		if r.cfg.replaced != nil {
			r.cfg.replaced(r.c.Messages)
		}
	}
	if u.Tools != nil {
		r.c.Tools = u.Tools
		r.declared = false
	}
	if u.Model != nil {
		r.c.Model = u.Model
	}
	if u.Thinking != "" {
		r.c.Thinking = u.Thinking
	}
}

// refresh takes over what was changed from outside since the last request.
func (r *run) refresh() {
	if r.cfg.refresh == nil {
		return
	}
	before := r.c.Tools
	r.cfg.refresh(&r.c)
	if !slices.Equal(before, r.c.Tools) {
		r.declared = false
	}
}

// enter adds a message to the transcript, with its events.
func (r *run) enter(m Message) {
	m = stamped(m, r.now)
	r.emit(&MessageStart{Message: m})
	m = r.finished(m)
	r.keep(m)
	r.emit(&MessageEnd{Message: m})
}

// keep adds a message to the transcript.
func (r *run) keep(m Message) {
	r.c.Messages = append(r.c.Messages, m)
	r.added = append(r.added, m)
	if m.Role() == ai.RoleSystem {
		r.declared = false
	}
}

// finished passes a message through FinishMessage.
func (r *run) finished(m Message) Message {
	if r.cfg.FinishMessage == nil {
		return m
	}
	err := r.contain("FinishMessage", func() error {
		n, err := r.cfg.FinishMessage(r.ctx, m)
		if err != nil || n == nil {
			return err
		}
		if n.Role() != m.Role() {
			return fmt.Errorf("a %s message was returned for a %s message; the role must stay", n.Role(), m.Role())
		}
		m = n
		return nil
	})
	if err != nil {
		r.fail(err)
	}
	return m
}

// stamped gives a message a time if it has none; the message itself is not
// changed, its maker may still hold it.
func stamped(m Message, now func() time.Time) Message {
	switch m := m.(type) {
	case *ai.UserMessage:
		if m.Timestamp == 0 {
			c := *m
			c.Timestamp = now().UnixMilli()
			return &c
		}
	case *ai.SystemMessage:
		if m.Timestamp == 0 {
			c := *m
			c.Timestamp = now().UnixMilli()
			return &c
		}
	}
	return m
}

// end closes the run. A failure that no answer tells of yet gets one, in a
// turn of its own; an abort needs none.
func (r *run) end() ([]Message, error) {
	if r.err != nil && !r.told {
		r.emit(&TurnStart{})
		m := r.failure()
		r.emit(&MessageStart{Message: m})
		r.keep(m)
		r.emit(&MessageEnd{Message: m})
		r.emit(&TurnEnd{Message: m})
	}
	err := r.err
	switch {
	case err != nil:
	case r.last != nil && r.last.Err() != nil:
		err = r.last.Err()
	case r.parent.Err() != nil:
		err = aborted(r.parent)
	}
	before := r.err
	r.emit(&AgentEnd{Messages: slices.Clip(r.added), Err: err})
	switch {
	case r.late != nil:
		err = errors.Join(err, r.late)
	case err == nil:
		err = r.err // of the last listener
	case before == nil && r.err != nil:
		err = errors.Join(err, r.err) // the answer's, and the last listener's
	}
	return r.added, err
}

// failure is the answer that stands for one that could not be had.
func (r *run) failure() *ai.AssistantMessage {
	m := &ai.AssistantMessage{ThinkingLevel: r.thinking(), Timestamp: r.now().UnixMilli()}
	if r.c.Model != nil {
		m.API, m.Provider, m.Model = r.c.Model.API, r.c.Model.Provider, r.c.Model.ID
	}
	r.markFailed(m)
	return m
}

// thinking is the level that requests ask for.
func (r *run) thinking() ai.ThinkingLevel {
	if r.c.Thinking == "" {
		return ai.ThinkingOff
	}
	return r.c.Thinking
}

// markFailed writes into an answer why the run stops.
func (r *run) markFailed(m *ai.AssistantMessage) {
	e := &ai.APIError{Kind: ai.KindAborted, Provider: m.Provider, API: m.API, Message: "request was aborted", Err: context.Cause(r.ctx)}
	m.StopReason = ai.StopAborted
	switch {
	case r.err != nil:
		m.StopReason = ai.StopError
		e.Kind, e.Message, e.Err = ai.KindInternal, r.err.Error(), r.err
		r.told = true
	case errors.Is(context.Cause(r.ctx), context.DeadlineExceeded):
		m.StopReason = ai.StopError
		e.Kind, e.Message = ai.KindTimeout, "deadline exceeded before the request was made"
	}
	m.Failure, m.ErrorMessage = e, e.Message
}
