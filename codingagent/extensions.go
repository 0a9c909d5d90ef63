package codingagent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/resource"
)

// Extensions gives the extensions of the session, to show what they show and
// to learn what they have. A reload puts another one in its place.
func (s *AgentSession) Extensions() *extension.Runner { return s.extensions() }

func (s *AgentSession) extensions() *extension.Runner { return s.shape.Load().extensions }

// Attach tells the session of the program it runs in: who is before it, and how
// it ends. Do it before the session starts.
func (s *AgentSession) Attach(f Front) { s.front.Store(&f) }

// Start tells extensions that the session begins. A session does so itself
// before it works on anything; a program that shows something before that calls
// it as soon as it can show what extensions want shown.
func (s *AgentSession) Start(ctx context.Context) {
	s.startAs(ctx, extension.SessionStart{Reason: extension.Startup})
}

func (s *AgentSession) startAs(ctx context.Context, ev extension.SessionStart) {
	s.start.Do(func() { s.begin(ctx, ev) })
}

// begin tells extensions of the beginning, and takes in the resources they add.
func (s *AgentSession) begin(ctx context.Context, ev extension.SessionStart) {
	s.begun.Store(true)
	r := s.extensions()
	r.Start(ctx, ev)
	reason := "startup"
	if ev.Reason == extension.Reload {
		reason = "reload"
	}
	found := r.Resources(ctx, extension.ResourcesDiscover{Dir: s.env.Dir, Reason: reason})
	if len(found) == 0 {
		return
	}
	more := s.discover(ctx, found)
	s.reshape(func(next *shape) {
		next.resources = next.resources.With(more)
		next.notes = slices.Concat(next.notes, more.Notes)
	})
}

// discover reads the resources that extensions name.
func (s *AgentSession) discover(ctx context.Context, found []extension.Discovered) resource.Set {
	r := resource.Request{Env: s.env, NoSkills: true, NoPrompts: true, NoThemes: true, NoExtensions: true}
	for _, d := range found {
		for _, k := range []struct {
			from []string
			to   *[]string
		}{{d.Skills, &r.Skills}, {d.Prompts, &r.Prompts}, {d.Themes, &r.Themes}} {
			for _, path := range k.from {
				*k.to = append(*k.to, s.env.Abs(path))
			}
		}
	}
	return resource.Load(ctx, r)
}

// shutdown tells extensions of the end; what they hold is stale afterwards.
func (s *AgentSession) shutdown(ctx context.Context, ev extension.SessionShutdown) {
	r := s.extensions()
	if !r.Live() {
		return
	}
	ctx = context.WithoutCancel(ctx)
	s.start.Do(func() {}) // what has not begun does not begin any more
	if s.begun.Load() {
		r.Shutdown(ctx, ev)
	}
	r.Invalidate()
	if clear := s.front.Load().Cleared; clear != nil {
		clear()
	}
	s.lent.giveBack(s.opts.Models, s.opts.ModelRuntime)
}

// running is what is kept about the run under way.
type running struct {
	sections atomic.Pointer[[]ai.Section] // of its prompt, as extensions want it

	// The rest belongs to the goroutine of the run.
	turn  int
	asked bool                // about the end of the turn
	why   harness.Reason      // of the compaction that is made
	hook  bool                // an extension made the summary
	moved extension.TreeMoved // that is being made

	mu       sync.Mutex
	nextTurn []agentcore.Message      // for what is said next
	late     []*session.CustomMessage // for the end of the turn
	ending   bool                     // the program is to end when nothing is under way
}

func (r *running) prompt() []ai.Section {
	if p := r.sections.Load(); p != nil {
		return *p
	}
	return nil
}

// take empties a list.
func take[T any](mu *sync.Mutex, list *[]T) []T {
	mu.Lock()
	defer mu.Unlock()
	out := *list
	*list = nil
	return out
}

// hookLoop lets extensions into runs.
func (s *AgentSession) hookLoop(loop *agentcore.LoopConfig) {
	ask := loop.Stream
	loop.Stream = func(ctx context.Context, m *ai.Model, req ai.Request, o ai.Options) *ai.Stream {
		return ask(ctx, m, req, s.extensions().Requests(ctx, o))
	}
	transform := loop.TransformContext
	loop.TransformContext = func(ctx context.Context, messages []agentcore.Message) ([]agentcore.Message, error) {
		if transform != nil {
			var err error
			if messages, err = transform(ctx, messages); err != nil {
				return nil, err
			}
		}
		if r := s.extensions(); r.HasContext() {
			messages = r.ModelContext(ctx, messages)
		}
		return messages, nil
	}
	finish := loop.FinishMessage
	loop.FinishMessage = func(ctx context.Context, m agentcore.Message) (agentcore.Message, error) {
		if finish != nil {
			other, err := finish(ctx, m)
			if err != nil {
				return nil, err
			}
			if other != nil {
				m = other
			}
		}
		return s.extensions().MessageEnd(ctx, m), nil
	}
	s.hookTools(loop)
}

// hookTools lets extensions see, stop and change calls.
func (s *AgentSession) hookTools(loop *agentcore.LoopConfig) {
	before, after := loop.BeforeToolCall, loop.AfterToolCall
	loop.BeforeToolCall = func(ctx context.Context, c agentcore.BeforeToolCall) (*agentcore.BeforeToolCallResult, error) {
		var own *agentcore.BeforeToolCallResult
		if before != nil {
			var err error
			if own, err = before(ctx, c); err != nil || own != nil && own.Block {
				return own, err
			}
			if own != nil && own.Arguments != nil {
				c.Arguments = own.Arguments
			}
		}
		d := s.extensions().ToolCall(ctx, extension.ToolCall{CallID: c.Call.ID, Name: c.Call.Name, Arguments: c.Arguments, ParentCallID: c.ParentCallID})
		if d == nil {
			return own, nil
		}
		return &agentcore.BeforeToolCallResult{Block: d.Block, Reason: d.Reason, Terminate: d.Terminate, Arguments: d.Arguments}, nil
	}
	loop.AfterToolCall = func(ctx context.Context, c agentcore.AfterToolCall) (*agentcore.ToolResultPatch, error) {
		var own *agentcore.ToolResultPatch
		if after != nil {
			var err error
			if own, err = after(ctx, c); err != nil {
				return nil, err
			}
		}
		patch := s.extensions().ToolResult(ctx, extension.ToolResult{
			ToolCall: extension.ToolCall{CallID: c.Call.ID, Name: c.Call.Name, Arguments: c.Arguments, ParentCallID: c.ParentCallID},
			Result:   own.Apply(c.Result),
		})
		return own.Then(patch), nil
	}
}

// hooks lets extensions into what the run controller does.
func (s *AgentSession) hooks() harness.Hooks {
	return harness.Hooks{
		BeforePrompt: s.beforePrompt, AfterTurn: s.afterTurn, BeforeSettle: s.beforeSettle,
		BeforeCompact: s.beforeCompact, AfterCompact: s.afterCompact,
		BeforeNavigate: s.beforeNavigate, AfterNavigate: s.afterNavigate,
	}
}

func (s *AgentSession) beforePrompt(ctx context.Context, b harness.BeforePrompt) (*harness.PromptDecision, error) {
	s.running.sections.Store(nil)
	add, sections := s.extensions().AgentStart(ctx, extension.BeforeAgentStart{Message: b.Message, Sections: s.ownPrompt()})
	s.running.sections.Store(&sections)
	return &harness.PromptDecision{After: slices.Concat(take(&s.running.mu, &s.running.nextTurn), add)}, nil
}

// lateEntries are what extensions said during the turn and wanted to be stored
// behind it.
func (s *AgentSession) lateEntries() []session.Entry {
	var out []session.Entry
	for _, m := range take(&s.running.mu, &s.running.late) {
		out = append(out, m.Entry())
	}
	return out
}

func (s *AgentSession) afterTurn(ctx context.Context, t agentcore.Turn) (*harness.TurnDecision, error) {
	s.running.asked = true
	entries, again := s.extensions().TurnEnd(ctx, s.turnEnd(t.Message, t.ToolResults, t.Context.Messages, extension.Completed))
	return &harness.TurnDecision{Entries: slices.Concat(entries, s.lateEntries()), Continue: again}, nil
}

func (s *AgentSession) turnEnd(m *ai.AssistantMessage, results []*ai.ToolResultMessage, all []agentcore.Message, o extension.Outcome) extension.TurnEnd {
	ev := extension.TurnEnd{
		Boundary: extension.Boundary{Outcome: o, Messages: all, Preview: s.previewBoundary}, Index: s.running.turn, Message: m, ToolResults: results,
	}
	if s.extensions().HasTurnEnd() {
		ev.MessageEntry, ev.ResultEntries = s.turnEntries()
	}
	return ev
}

// turnEntries gives the ids of the newest answer and of the results of its calls.
func (s *AgentSession) turnEntries() (answer string, results []string) {
	path, err := s.Session().PathTo("")
	if err != nil {
		return "", nil // what can not be read is told where it is needed
	}
	for _, stub := range slices.Backward(path) {
		switch {
		case stub.Type != session.TypeMessage:
		case stub.Role == ai.RoleToolResult:
			results = append(results, stub.ID)
		case stub.Role == ai.RoleAssistant:
			slices.Reverse(results)
			return stub.ID, results
		default:
			return "", nil
		}
	}
	return "", nil
}

// previewBoundary tells what the model would see with some entries added. It is asked
// about runs that were aborted, too.
func (s *AgentSession) previewBoundary(ctx context.Context, entries []session.Entry) (extension.BoundaryContext, error) {
	visible, err := s.Session().Preview(context.WithoutCancel(ctx), entries...)
	if err != nil {
		return extension.BoundaryContext{}, err
	}
	c := extension.BoundaryContext{Entries: visible, Pending: s.harness.Waiting()}
	for _, m := range session.Project(visible) {
		c.Messages = append(c.Messages, m...)
	}
	s.running.mu.Lock()
	for _, m := range s.running.late {
		c.Pending = append(c.Pending, m)
	}
	s.running.mu.Unlock()
	c.ModelMessages = session.ModelMessages(c.Messages)
	c.CanContinue = len(c.Pending) > 0 || s.harness.Answerable(c.Messages)
	return c, nil
}

func (s *AgentSession) beforeSettle(ctx context.Context, b harness.BeforeSettle) (*harness.SettleDecision, error) {
	outcome := extension.Completed
	if b.Answer != nil && b.Answer.StopReason == ai.StopError {
		outcome = extension.Failed
	}
	entries, again := s.extensions().BeforeSettle(ctx, extension.BeforeSettle{
		Boundary: extension.Boundary{Outcome: outcome, Messages: s.State().Messages, Preview: s.previewBoundary},
	})
	return &harness.SettleDecision{Entries: slices.Concat(entries, s.lateEntries()), Continue: again}, nil
}

func (s *AgentSession) beforeCompact(ctx context.Context, b harness.BeforeCompact) (*harness.CompactDecision, error) {
	s.running.why, s.running.hook = b.Reason, false
	r := s.extensions()
	if !r.HasBeforeCompact() {
		return nil, nil
	}
	branch, err := s.Session().Visible(ctx)
	if err != nil {
		return nil, err
	}
	d := r.BeforeCompact(ctx, extension.BeforeCompact{
		Preparation: b.Preparation, Branch: branch, Focus: b.Focus, Reason: b.Reason, WillRetry: b.Reason == harness.ReasonOverflow,
	})
	if d == nil {
		return nil, nil
	}
	s.running.hook = d.Entry != nil
	return &harness.CompactDecision{Cancel: d.Cancel, Entry: d.Entry}, nil
}

func (s *AgentSession) afterCompact(ctx context.Context, c harness.CompactionResult) {
	s.extensions().Compacted(ctx, extension.Compacted{
		Entry: c.Entry, FromExtension: s.running.hook, Reason: s.running.why, WillRetry: s.running.why == harness.ReasonOverflow,
	})
}

func (s *AgentSession) beforeNavigate(ctx context.Context, b harness.BeforeNavigate) (*harness.NavigateDecision, error) {
	old := s.Session().Leaf()
	s.running.moved = extension.TreeMoved{OldLeafID: old}
	ev := extension.BeforeTree{TargetID: b.Target, OldLeafID: old, CommonAncestorID: old, Left: b.Left, Options: b.Options}
	if len(b.Left) > 0 {
		before, _ := s.Session().Stub(b.Left[0].Head().Parent) // none where the file has a gap
		ev.CommonAncestorID = before.ID
	}
	d := s.extensions().BeforeTree(ctx, ev)
	if d == nil {
		return nil, nil
	}
	out := &harness.NavigateDecision{Cancel: d.Cancel, Options: d.Options}
	wanted := b.Options.Summarize
	if d.Options != nil {
		wanted = d.Options.Summarize
	}
	if d.Summary != nil && wanted {
		out.Summary, s.running.moved.FromExtension = d.Summary, true
	}
	return out, nil
}

func (s *AgentSession) afterNavigate(ctx context.Context, n harness.NavigateResult) {
	ev := s.running.moved
	ev.NewLeafID, ev.Summary = s.Session().Leaf(), n.Summary
	s.extensions().TreeMoved(ctx, ev)
}

// hear passes events on to extensions, which are served before all others.
func (s *AgentSession) hear(ctx context.Context, ev agentcore.Event) error {
	r := s.extensions()
	switch ev := ev.(type) {
	case *agentcore.AgentStart:
		s.running.turn = -1
	case *agentcore.TurnStart:
		s.running.turn++
		s.running.asked = false
		r.TurnStart(ctx, extension.TurnStart{Index: s.running.turn, Time: time.Now()})
	case *agentcore.TurnEnd:
		if !s.running.asked { // a turn that failed or was aborted
			outcome := extension.Failed
			if ev.Message != nil && ev.Message.StopReason == ai.StopAborted {
				outcome = extension.Aborted
			}
			r.TurnEnd(ctx, s.turnEnd(ev.Message, ev.ToolResults, s.State().Messages, outcome))
		}
	case *harness.CompactionEnd:
		if ev.Result == nil {
			r.CompactFailed(ctx, extension.CompactFailed{Reason: ev.Reason, ErrorMessage: ev.ErrorMessage, Aborted: ev.Aborted, WillRetry: ev.WillRetry})
		}
	case *harness.Settled:
		defer s.maybeEnd()
		// A run that was aborted has no end of a turn to store them at.
		for _, m := range take(&s.running.mu, &s.running.late) {
			if err := s.harness.Add(ctx, m); err != nil {
				return err
			}
		}
	}
	r.Hear(ctx, ev)
	return nil
}

// maybeEnd ends the program if an extension has asked for it.
func (s *AgentSession) maybeEnd() {
	s.running.mu.Lock()
	ending := s.running.ending
	s.running.mu.Unlock()
	if end := s.front.Load().Shutdown; ending && end != nil {
		end()
	}
}

// lentProviders remembers what providers of extensions took the place of.
type lentProviders struct {
	mu     sync.Mutex
	before []lentProvider // in the order in which they were set
	// virtual are models of extensions that are there.
	virtual []session.ModelRef
}

type lentProvider struct {
	id  string
	own ai.Provider // nil if there was none
}

// set puts a provider in force, and remembers the one it takes the place of.
func (l *lentProviders) set(models *ai.Models, p ai.Provider) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.ContainsFunc(l.before, func(o lentProvider) bool { return o.id == p.ID() }) {
		l.before = append(l.before, lentProvider{p.ID(), models.Provider(p.ID())})
	}
	models.SetProvider(p)
}

// remove brings back what was there before.
func (l *lentProviders) remove(models *ai.Models, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.before = slices.DeleteFunc(l.before, func(o lentProvider) bool {
		if o.id != id {
			return false
		}
		o.restore(models)
		return true
	})
}

func (l *lentProviders) giveBack(all *ai.Models, runtime *models.Runtime) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range slices.Backward(l.before) {
		o.restore(all)
	}
	for _, v := range l.virtual {
		runtime.UnregisterVirtual(v.Provider, v.ModelID)
	}
	l.before, l.virtual = nil, nil
}

// setVirtual adds a virtual model.
func (l *lentProviders) setVirtual(runtime *models.Runtime, v models.VirtualModel) error {
	if runtime == nil {
		return errors.New("this program has no place for virtual models: Options.ModelRuntime is missing")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := runtime.RegisterVirtual(v); err != nil {
		return err
	}
	l.virtual = append(l.virtual, session.ModelRef{Provider: v.Provider, ModelID: v.ID})
	return nil
}

// removeVirtual takes one of ours away.
func (l *lentProviders) removeVirtual(runtime *models.Runtime, provider, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ref := session.ModelRef{Provider: provider, ModelID: id}
	if slices.Contains(l.virtual, ref) {
		runtime.UnregisterVirtual(provider, id)
		l.virtual = slices.DeleteFunc(l.virtual, func(o session.ModelRef) bool { return o == ref })
	}
}

func (o lentProvider) restore(models *ai.Models) {
	if o.own == nil {
		models.DeleteProvider(o.id)
	} else {
		models.SetProvider(o.own)
	}
}
