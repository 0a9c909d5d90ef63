package extension

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

// handled asks the handlers of an event, in load order. got learns of each
// answer and may end it; failed, if not nil, learns of errors and may end it,
// after they were reported.
func handled[E, R any](ctx context.Context, r *Runner, name string, pick func(*Events) *Hook[E, R], ev *E,
	got func(a *API, answer *R) (stop bool), failed func(err error) (stop bool),
) {
	asked(ctx, r, name, func(a *API) *Context {
		if a.phase.Load() != phaseActive {
			return nil
		}
		return &Context{api: a}
	}, pick, ev, got, failed)
}

// asked is handled for those extensions for which who gives a context. Each handler
// gets an event of its own, which is not looked at any more when it was left behind.
func asked[E, R any](ctx context.Context, r *Runner, name string, who func(a *API) *Context, pick func(*Events) *Hook[E, R], ev *E,
	got func(a *API, answer *R) (stop bool), failed func(err error) (stop bool),
) {
	for _, a := range r.apis {
		x := who(a)
		if x == nil {
			continue
		}
		for _, h := range pick(&a.Events).handlers() {
			type turn struct {
				ev     E
				answer *R
			}
			t := &turn{ev: *ev}
			err := r.bounded(ctx, func(ctx context.Context) (err error) {
				t.answer, err = h.f(ctx, x, &t.ev)
				return err
			})
			gone := leftBehind(err)
			if !gone {
				*ev = t.ev
			}
			switch {
			case err != nil:
				r.report(a, name, err)
				if failed != nil && failed(err) {
					return
				}
				if _, told := any(t.answer).(*struct{}); gone && !told {
					return // what it was asked about may still be in its hands
				}
			case t.answer != nil && got != nil:
				if got(a, t.answer) {
					return
				}
			}
		}
	}
}

// tell tells listeners of an event.
func tell[E any](ctx context.Context, r *Runner, name string, pick func(*Events) *Topic[E], ev *E) {
	handled(ctx, r, name, func(e *Events) *Hook[E, struct{}] { return &pick(e).hook }, ev, nil, nil)
}

// wanted reports whether any extension handles an event.
func wanted[E, R any](r *Runner, pick func(*Events) *Hook[E, R]) bool {
	return slices.ContainsFunc(r.apis, func(a *API) bool {
		return a.phase.Load() == phaseActive && len(pick(&a.Events).handlers()) > 0
	})
}

// last keeps the last answer, and ends with the first that stops.
func last[R any](to **R, stops func(*R) bool) func(*API, *R) bool {
	return func(_ *API, answer *R) bool {
		*to = answer
		return stops != nil && stops(answer)
	}
}

// DecideTrust asks whether a project's files may be used; the answer is nil when
// nobody has decided.
func (r *Runner) DecideTrust(ctx context.Context, mode Mode, ui UI, env execenv.Env) *TrustDecision {
	limited := &limitedHost{mode: mode, ui: ui, env: env}
	var decision *TrustDecision
	asked(ctx, r, "project_trust", func(a *API) *Context {
		if a.origin.Scope == ScopeProject {
			return nil
		}
		return &Context{api: a, limited: limited}
	}, func(e *Events) *Hook[ProjectTrust, TrustDecision] { return &e.ProjectTrust }, &ProjectTrust{Dir: env.Dir},
		func(_ *API, d *TrustDecision) bool {
			if d.Trusted == Trusted || d.Trusted == Untrusted {
				decision = d
			}
			return decision != nil
		}, nil)
	return decision
}

// Discovered are resources that an extension adds.
type Discovered struct {
	Origin Origin
	ResourcePaths
}

// Resources asks for further resources.
func (r *Runner) Resources(ctx context.Context, ev ResourcesDiscover) []Discovered {
	var out []Discovered
	handled(ctx, r, "resources_discover", func(e *Events) *Hook[ResourcesDiscover, ResourcePaths] { return &e.ResourcesDiscover }, &ev,
		func(a *API, p *ResourcePaths) bool { out = append(out, Discovered{a.origin, *p}); return false }, nil)
	return out
}

// Start tells that the session begins.
func (r *Runner) Start(ctx context.Context, ev SessionStart) {
	tell(ctx, r, "session_start", func(e *Events) *Topic[SessionStart] { return &e.SessionStart }, &ev)
	r.startMCP(ctx)
}

// Shutdown tells that the session ends. It takes some seconds at most.
func (r *Runner) Shutdown(ctx context.Context, ev SessionShutdown) {
	ctx, cancel := context.WithTimeout(ctx, farewell)
	defer cancel()
	tell(ctx, r, "session_shutdown", func(e *Events) *Topic[SessionShutdown] { return &e.SessionShutdown }, &ev)
}

// MaySwitch reports whether the session may be replaced by another one.
func (r *Runner) MaySwitch(ctx context.Context, ev BeforeSwitch) bool {
	var answer *Cancel
	handled(ctx, r, "session_before_switch", func(e *Events) *Hook[BeforeSwitch, Cancel] { return &e.SessionBeforeSwitch }, &ev,
		last(&answer, func(c *Cancel) bool { return c.Cancel }), nil)
	return answer == nil || !answer.Cancel
}

// MayFork reports whether the session may be replaced by a copy.
func (r *Runner) MayFork(ctx context.Context, ev BeforeFork) bool {
	var answer *Cancel
	handled(ctx, r, "session_before_fork", func(e *Events) *Hook[BeforeFork, Cancel] { return &e.SessionBeforeFork }, &ev,
		last(&answer, func(c *Cancel) bool { return c.Cancel }), nil)
	return answer == nil || !answer.Cancel
}

// BeforeCompact asks about a compaction.
func (r *Runner) BeforeCompact(ctx context.Context, ev BeforeCompact) *CompactDecision {
	var answer *CompactDecision
	handled(ctx, r, "session_before_compact", func(e *Events) *Hook[BeforeCompact, CompactDecision] { return &e.SessionBeforeCompact }, &ev,
		last(&answer, func(d *CompactDecision) bool { return d.Cancel }), nil)
	return answer
}

// HasBeforeCompact reports whether somebody wants to be asked about compactions.
func (r *Runner) HasBeforeCompact() bool {
	return wanted(r, func(e *Events) *Hook[BeforeCompact, CompactDecision] { return &e.SessionBeforeCompact })
}

// Compacted tells of a compaction.
func (r *Runner) Compacted(ctx context.Context, ev Compacted) {
	tell(ctx, r, "session_compact", func(e *Events) *Topic[Compacted] { return &e.SessionCompact }, &ev)
}

// CompactFailed tells of a compaction that was not made.
func (r *Runner) CompactFailed(ctx context.Context, ev CompactFailed) {
	tell(ctx, r, "session_compact_failed", func(e *Events) *Topic[CompactFailed] { return &e.SessionCompactFailed }, &ev)
}

// BeforeTree asks about a move to another branch.
func (r *Runner) BeforeTree(ctx context.Context, ev BeforeTree) *TreeDecision {
	var answer *TreeDecision
	handled(ctx, r, "session_before_tree", func(e *Events) *Hook[BeforeTree, TreeDecision] { return &e.SessionBeforeTree }, &ev,
		last(&answer, func(d *TreeDecision) bool { return d.Cancel }), nil)
	return answer
}

// TreeMoved tells of a move.
func (r *Runner) TreeMoved(ctx context.Context, ev TreeMoved) {
	tell(ctx, r, "session_tree", func(e *Events) *Topic[TreeMoved] { return &e.SessionTree }, &ev)
}

// Input passes on what was said; handled is true when nothing more is to be
// done.
func (r *Runner) Input(ctx context.Context, ev Input) (_ Input, done bool) {
	handled(ctx, r, "input", func(e *Events) *Hook[Input, InputDecision] { return &e.Input }, &ev,
		func(_ *API, d *InputDecision) bool {
			if d.Text != nil {
				ev.Text = *d.Text
			}
			if d.Images != nil {
				ev.Images = d.Images
			}
			done = d.Handled
			return done
		}, nil)
	return ev, done
}

// AgentStart asks what is to be added to a run, and gives its prompt: the
// sections, changed by handlers or replaced by one text.
func (r *Runner) AgentStart(ctx context.Context, ev BeforeAgentStart) (add []agentcore.Message, sections []ai.Section) {
	lost := false
	sections = slices.Clone(ev.Sections) // without what a handler does that is left behind
	handled(ctx, r, "before_agent_start", func(e *Events) *Hook[BeforeAgentStart, StartDecision] { return &e.BeforeAgentStart }, &ev,
		func(_ *API, d *StartDecision) bool {
			if d.Message != nil {
				add = append(add, d.Message)
			}
			if d.SystemPrompt != nil {
				ev.Sections = []ai.Section{{Name: "preamble", Text: d.SystemPrompt}}
			}
			return false
		}, func(err error) bool { lost = leftBehind(err); return lost })
	if lost {
		return add, sections
	}
	return add, ev.Sections
}

// MessageEnd gives the message to store.
func (r *Runner) MessageEnd(ctx context.Context, m agentcore.Message) agentcore.Message {
	ev := MessageEnd{Message: m}
	handled(ctx, r, "message_end", func(e *Events) *Hook[MessageEnd, MessageDecision] { return &e.MessageEnd }, &ev,
		func(a *API, d *MessageDecision) bool {
			switch {
			case d.Message == nil:
			case d.Message.Role() != m.Role():
				r.report(a, "message_end", fmt.Errorf("a %s message can not take the place of a %s message", d.Message.Role(), m.Role()))
			default:
				ev.Message = d.Message
			}
			return false
		}, nil)
	return ev.Message
}

// HasContext reports whether somebody wants to change what models are told.
func (r *Runner) HasContext() bool {
	return wanted(r, func(e *Events) *Hook[ModelContext, ModelContext] { return &e.Context }) ||
		wanted(r, func(e *Events) *Hook[ModelContext, ModelContext] { return &e.ContextWithSystem })
}

// ModelContext gives what one request is to tell the model.
func (r *Runner) ModelContext(ctx context.Context, messages []agentcore.Message) []agentcore.Message {
	if pick := func(e *Events) *Hook[ModelContext, ModelContext] { return &e.Context }; wanted(r, pick) {
		isSystem := func(m agentcore.Message) bool { return m.Role() == ai.RoleSystem }
		ev := ModelContext{slices.DeleteFunc(slices.Clone(messages), isSystem)}
		changed := false
		handled(ctx, r, "context", pick, &ev, func(_ *API, d *ModelContext) bool {
			ev.Messages, changed = slices.Clone(d.Messages), true
			return false
		}, nil)
		if changed {
			system := ai.ReplaySystem(session.ModelMessages(messages))
			if messages = ev.Messages; system.Text != "" || len(system.Tools) > 0 {
				messages = append([]agentcore.Message{system.Message}, messages...)
			}
		}
	}
	pick := func(e *Events) *Hook[ModelContext, ModelContext] { return &e.ContextWithSystem }
	if !wanted(r, pick) {
		return messages
	}
	ev, lost := ModelContext{slices.Clone(messages)}, false
	handled(ctx, r, "context_with_system", pick, &ev, func(a *API, d *ModelContext) bool {
		if hadSystem := len(ev.Messages) > 0 && ev.Messages[0].Role() == ai.RoleSystem; hadSystem &&
			(len(d.Messages) == 0 || d.Messages[0].Role() != ai.RoleSystem) {
			r.report(a, "context_with_system", errors.New("the system message at the beginning is gone; the model is asked without one"))
		}
		ev.Messages = slices.Clone(d.Messages)
		return false
	}, func(err error) bool { lost = leftBehind(err); return lost })
	if lost {
		return messages
	}
	return ev.Messages
}

// Warm decides whether a prompt cache is kept alive.
func (r *Runner) Warm(ctx context.Context, ev CacheWarming) bool {
	answer := &WarmingDecision{ev.Warm}
	handled(ctx, r, "cache_warming_decision", func(e *Events) *Hook[CacheWarming, WarmingDecision] { return &e.CacheWarming }, &ev, last(&answer, nil), nil)
	return answer.Warm
}

// UserBash asks whether somebody runs a person's command. The error is that of
// a handler: the command fails then.
func (r *Runner) UserBash(ctx context.Context, ev UserBash) (answer *UserBashDecision, err error) {
	handled(ctx, r, "user_bash", func(e *Events) *Hook[UserBash, UserBashDecision] { return &e.UserBash }, &ev,
		func(a *API, d *UserBashDecision) bool {
			if (d.Shell == nil) == (d.Result == nil) {
				err = fmt.Errorf("extension %s: answer with exactly one of Shell and Result", a)
				r.report(a, "user_bash", err)
				return true
			}
			answer = d
			if d.Shell != nil {
				answer = &UserBashDecision{Shell: &boundedShell{a, d.Shell}}
			}
			return true
		},
		func(failure error) bool { err = failure; return true })
	return answer, err
}
