package harness

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// Reason says why a conversation is compacted.
type Reason string

// The reasons.
const (
	ReasonManual    Reason = "manual"    // somebody asked
	ReasonThreshold Reason = "threshold" // too little room is left
	ReasonOverflow  Reason = "overflow"  // the model refused, or cut, what it got
)

// CompactionResult says what a compaction did.
type CompactionResult struct {
	Summary     string
	FirstKeptID string
	// TokensBefore and TokensAfter estimate the context.
	TokensBefore, TokensAfter int64
	Usage                     *ai.Usage
	Entry                     *session.CompactionEntry
}

// CompactionStart says that a compaction has begun.
type CompactionStart struct{ Reason Reason }

// CompactionEnd says how it went; Result is nil when nothing was compacted.
type CompactionEnd struct {
	Reason    Reason
	Result    *CompactionResult
	Aborted   bool
	WillRetry bool // the attempt that did not fit is made again
	// ErrorMessage says why it failed.
	ErrorMessage string
}

// SummaryRetry says that a request for a summary failed and will be made
// again.
type SummaryRetry struct {
	Attempt, MaxAttempts int
	Delay                time.Duration
	ErrorMessage         string
}

// SummaryAttempt says that a request for a summary is made again.
type SummaryAttempt struct {
	// Source is "compaction" or "branchSummary".
	Source string
	Reason Reason // of a compaction
}

// SummaryRetryEnd says that trying again is over.
type SummaryRetryEnd struct{}

// EventType is "compaction_start".
func (*CompactionStart) EventType() string { return "compaction_start" }

// EventType is "compaction_end".
func (*CompactionEnd) EventType() string { return "compaction_end" }

// EventType is "summarization_retry_scheduled".
func (*SummaryRetry) EventType() string { return "summarization_retry_scheduled" }

// EventType is "summarization_retry_attempt_start".
func (*SummaryAttempt) EventType() string { return "summarization_retry_attempt_start" }

// EventType is "summarization_retry_finished".
func (*SummaryRetryEnd) EventType() string { return "summarization_retry_finished" }

// Compact sums up the older part of the conversation. It aborts a prompt that
// is under way first. focus, if not empty, says what matters above all. The
// error is [compaction.ErrNothing] or [compaction.ErrAlready] when there is
// nothing to do.
func (h *Harness) Compact(ctx context.Context, focus string) (CompactionResult, error) {
	return h.CompactWith(ctx, CompactOptions{Focus: focus})
}

// CompactOptions tune a compaction that somebody asked for.
type CompactOptions struct {
	// Focus, if not empty, says what matters above all.
	Focus string
	// Accepted, if not nil, is called as soon as the harness is taken: from
	// then on prompts are refused.
	Accepted func()
}

// CompactWith is [Harness.Compact] with options.
func (h *Harness) CompactWith(ctx context.Context, o CompactOptions) (_ CompactionResult, failed error) {
	ctx, done, err := h.seize(ctx, &failed)
	if err != nil {
		return CompactionResult{}, err
	}
	defer done()
	if o.Accepted != nil {
		o.Accepted()
	}
	var result *CompactionResult
	if err = h.bus.send(ctx, &CompactionStart{Reason: ReasonManual}); err == nil {
		result, err = h.compact(ctx, ReasonManual, o.Focus, "", h.limits())
	}
	err = errors.Join(err, h.reload(ctx)) // it may have failed with the summary written
	if err := errors.Join(err, h.compactionEnded(ctx, ReasonManual, result, err, false)); err != nil {
		return CompactionResult{}, err
	}
	return *result, nil
}

func (h *Harness) compactionEnded(ctx context.Context, why Reason, result *CompactionResult, err error, retry bool) error {
	end := &CompactionEnd{Reason: why, Result: result, WillRetry: retry && err == nil}
	if err != nil {
		end.Aborted = ctx.Err() != nil
		if !end.Aborted {
			end.ErrorMessage = fmt.Sprintf("compaction failed: %v", err)
		}
	}
	return h.bus.send(context.WithoutCancel(ctx), end)
}

// limits gives the model whose limits count now.
func (h *Harness) limits() *ai.Model { return h.limitsOf(h.Model()) }

// limitsOf gives the model whose limits count while m is selected.
func (h *Harness) limitsOf(m *ai.Model) *ai.Model {
	if m != nil && h.cfg.Limits != nil {
		if l := h.cfg.Limits(m); l != nil {
			return l
		}
	}
	return m
}

// compactionSettings are those of a model; nil has the general ones.
func (h *Harness) compactionSettings(m *ai.Model) compaction.Settings {
	if h.cfg.Compaction == nil {
		return compaction.Settings{}
	}
	if m == nil {
		m = &ai.Model{}
	}
	s := h.cfg.Compaction(m).For(m.ContextWindow)
	h.mu.Lock()
	defer h.mu.Unlock()
	s.Enabled = s.Enabled && !h.noCompaction
	return s
}

// SetAutoCompaction switches compaction without being asked on or off.
func (h *Harness) SetAutoCompaction(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.noCompaction = !on
}

// AutoCompaction reports whether the conversation is compacted without being
// asked.
func (h *Harness) AutoCompaction() bool { return h.compactionSettings(h.limits()).Enabled }

// compact plans a compaction, has the summary made, and appends it. An
// attempt that failed because the context was too large is named by failed
// and left out of the plan. What stays is to fit into the window of m.
func (h *Harness) compact(ctx context.Context, why Reason, focus, failed string, m *ai.Model) (*CompactionResult, error) {
	entries, err := h.session.Visible(ctx)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	leaf := h.session.Leaf()
	if failed != "" {
		entries = without(entries, failed)
	}
	settings := h.compactionSettings(m)
	if settings.KeepRecent == 0 {
		window := int64(0)
		if m != nil {
			window = m.ContextWindow
		}
		settings.KeepRecent = compaction.DefaultSettings().For(window).KeepRecent
	}
	plan, err := compaction.Prepare(entries, leaf, settings, h.cfg.Policy)
	if err != nil {
		return nil, err
	}
	entry, err := h.summary(ctx, why, focus, plan)
	if err != nil {
		return nil, err
	}
	if prompt := ai.ReplaySystem(h.modelMessages()); prompt.Text != "" || len(prompt.Tools) > 0 {
		entry.System = prompt.Message
		entry.System.Timestamp = h.cfg.Loop.Now().UnixMilli()
	}
	saving := context.WithoutCancel(ctx)
	if _, err := h.session.Append(saving, entry); err != nil {
		return nil, &Error{Code: CodeSave, Doing: "save compaction", Err: err}
	}
	for _, edit := range plan.Edits {
		if err := h.edit(ctx, edit); err != nil {
			return nil, err
		}
	}
	h.mu.Lock()
	h.counted = false
	h.mu.Unlock()
	c, err := h.session.Context(saving)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	result := &CompactionResult{
		Summary: entry.Summary, FirstKeptID: entry.FirstKept, Usage: entry.Usage, Entry: entry,
		TokensBefore: entry.TokensBefore, TokensAfter: h.cfg.Policy.Tokens(c.Messages...),
	}
	h.mu.Lock()
	h.floor = result.TokensAfter
	h.mu.Unlock()
	if after := h.cfg.Hooks.AfterCompact; after != nil {
		// The compaction has happened: that a hook panics does not undo it.
		_ = h.ask("AfterCompact", func() error { after(ctx, *result); return nil })
	}
	return result, nil
}

// summary makes the entry: a hook's, or the model's.
func (h *Harness) summary(ctx context.Context, why Reason, focus string, plan *compaction.Preparation) (*session.CompactionEntry, error) {
	if hook := h.cfg.Hooks.BeforeCompact; hook != nil {
		var d *CompactDecision
		err := h.ask("BeforeCompact", func() (err error) {
			d, err = hook(ctx, BeforeCompact{Reason: why, Preparation: plan, Focus: focus})
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case d == nil:
		case d.Cancel:
			return nil, ErrCancelled
		case d.Entry != nil:
			fromHook := true
			d.Entry.FromHook = &fromHook
			return d.Entry, nil
		}
	}
	g := h.generator(ctx, "compaction", why)
	s, err := g.Summarize(ctx, plan, focus)
	if err != nil {
		return nil, err
	}
	return plan.Entry(s), nil
}

// generator asks the model in use for summaries.
func (h *Harness) generator(ctx context.Context, source string, why Reason) *compaction.Generator {
	g := &compaction.Generator{
		Stream: h.cfg.Loop.Stream, Model: h.Model(), Thinking: h.Thinking(), Options: h.cfg.Loop.Options, Policy: h.cfg.Policy,
		Retry: h.retryPolicy(), Wait: h.cfg.Wait, Random: h.cfg.Random,
	}
	g.OnRetry = func(r ai.Retry) {
		h.bus.post(ctx, &SummaryRetry{Attempt: r.Attempt, MaxAttempts: r.Max, Delay: r.Delay, ErrorMessage: r.Err.Error()})
	}
	g.OnAttempt = func() { h.bus.post(ctx, &SummaryAttempt{Source: source, Reason: why}) }
	g.OnFinished = func() { h.bus.post(ctx, &SummaryRetryEnd{}) }
	return g
}

func without(entries []session.Entry, id string) []session.Entry {
	out := make([]session.Entry, 0, len(entries))
	for _, e := range entries {
		if e.Head().ID != id {
			out = append(out, e)
		}
	}
	return out
}

// modelMessages are the transcript as the model sees it.
func (h *Harness) modelMessages() []ai.Message {
	return h.cfg.Loop.ConvertToLLM(h.agent.State().Messages)
}

// ContextTokens estimates the size of the context; known is false when no
// answer has counted it since it was last changed.
func (h *Harness) ContextTokens() (tokens int64, known bool) {
	h.mu.Lock()
	known = h.counted
	h.mu.Unlock()
	if known {
		return ai.EstimateContext(h.modelMessages()), true
	}
	return h.cfg.Policy.Tokens(h.agent.State().Messages...), false
}

// counted reports whether the newest usable answer in sight has counted the
// context as it is: nothing was compacted or edited since.
func counted(ctx context.Context, s *session.Session) (bool, error) {
	entries, err := s.Visible(ctx)
	if err != nil {
		return false, err
	}
	var answer, change time.Time
	for _, e := range entries {
		switch e := e.(type) {
		case *session.CompactionEntry, *session.ContextEditEntry:
			change = e.Head().Time
		case *session.MessageEntry:
			if a, ok := e.Message.(*ai.AssistantMessage); ok && a.Err() == nil && a.Usage.ContextTokens() > 0 {
				answer = e.Time
			}
		}
	}
	return !answer.IsZero() && answer.After(change), nil
}

// makeRoom compacts if too little room is left, extra tokens included. That
// it fails is told and stops nothing: the model may still accept what it gets.
func (h *Harness) makeRoom(ctx context.Context, extra int64) (compacted bool, err error) {
	return h.makeRoomFor(ctx, extra, h.limits())
}

func (h *Harness) makeRoomFor(ctx context.Context, extra int64, m *ai.Model) (compacted bool, err error) {
	if m == nil {
		return false, nil
	}
	s := h.compactionSettings(m)
	tokens, _ := h.ContextTokens()
	h.mu.Lock()
	floor := h.floor
	h.mu.Unlock()
	// Where compacting does not get below the threshold, doing it again after
	// every turn would not either.
	if !s.Exceeded(tokens+extra, m.ContextWindow) || floor > 0 && tokens+extra <= floor+s.KeepRecent/2 {
		return false, nil
	}
	return h.autoCompact(ctx, ReasonThreshold, "", false, m)
}

// MakeRoom is for a PrepareRequest hook that lets another model answer than the one
// that is selected: it compacts if the context leaves too little room in that one's
// window, and gives what the run goes on with, nil when nothing was compacted.
func (h *Harness) MakeRoom(ctx context.Context, m *ai.Model) (*agentcore.ContextUpdate, error) {
	compacted, err := h.makeRoomFor(ctx, 0, m)
	if err != nil || !compacted {
		return nil, err
	}
	c, err := h.session.Context(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	return &agentcore.ContextUpdate{Messages: c.Messages}, nil
}

// autoCompact compacts without being asked.
func (h *Harness) autoCompact(ctx context.Context, why Reason, failed string, retry bool, m *ai.Model) (bool, error) {
	h.setPhase(PhaseCompacting)
	defer h.setPhase(PhaseRunning)
	if err := h.bus.send(ctx, &CompactionStart{Reason: why}); err != nil {
		return false, errors.Join(err, h.compactionEnded(ctx, why, nil, err, false))
	}
	ctx, cancel := context.WithCancel(ctx)
	h.mu.Lock()
	h.cancelSummary = cancel
	h.mu.Unlock()
	defer func() {
		cancel()
		h.mu.Lock()
		h.cancelSummary = nil
		h.mu.Unlock()
	}()
	result, err := h.compact(ctx, why, "", failed, m)
	if end := h.compactionEnded(ctx, why, result, err, retry); end != nil {
		return false, end
	}
	return err == nil, nil
}

// compactBetweenTurns is the loop's chance to go on with a shorter context.
func (h *Harness) compactBetweenTurns(ctx context.Context, t agentcore.Turn) (*agentcore.ContextUpdate, error) {
	var update *agentcore.ContextUpdate
	if own := h.cfg.Loop.PrepareNextTurn; own != nil {
		var err error
		if update, err = own(ctx, t); err != nil {
			return nil, err
		}
	}
	compacted, err := h.makeRoom(ctx, 0)
	if err != nil || !compacted && !h.edited {
		return update, err
	}
	h.edited = false
	c, err := h.session.Context(ctx)
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	if update == nil {
		update = &agentcore.ContextUpdate{}
	}
	update.Messages = c.Messages
	return update, nil
}

// overflowed reports whether an answer failed, or was cut, because the
// context was too large.
func overflowed(a *ai.AssistantMessage, m *ai.Model) bool {
	if a == nil || a.StopReason == ai.StopAborted {
		return false
	}
	if ai.IsOverflow(a, m) {
		return true
	}
	// An answer that was cut far below the model's own limit had no room left.
	return a.StopReason == ai.StopLength && m != nil && m.ContextWindow > 0 && a.Usage.Output < m.MaxTokens &&
		a.Usage.ContextTokens() >= m.ContextWindow-m.ContextWindow/10
}

// recoverOverflow compacts after an answer that did not fit, and reports
// whether to try again. The attempt is taken out of sight only when there is
// something better: a failure that nothing can be done about stays to be seen.
func (h *Harness) recoverOverflow(ctx context.Context, a *ai.AssistantMessage) (again bool, err error) {
	m := h.limits()
	if ctx.Err() != nil || a != h.last.answer || !h.compactionSettings(m).Enabled || !overflowed(a, m) {
		return false, nil
	}
	if a.StopReason == ai.StopEnd {
		_, err := h.autoCompact(ctx, ReasonOverflow, "", false, m)
		return false, errors.Join(err, h.reload(ctx))
	}
	if h.recovered {
		return false, h.compactionEnded(ctx, ReasonOverflow, nil, errors.New("the conversation is still too large for the model after a compaction; shorten the last message, or choose a model with a larger context window"), false)
	}
	h.recovered = true
	failed := h.last.id
	compacted, err := h.autoCompact(ctx, ReasonOverflow, failed, true, m)
	if err != nil || !compacted {
		return false, err
	}
	return true, h.hide(ctx, failed)
}

// reload takes the transcript from the session.
func (h *Harness) reload(ctx context.Context) error {
	c, err := h.session.Context(context.WithoutCancel(ctx))
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	return h.agent.SetMessages(c.Messages)
}
