package harness

import (
	"context"
	"errors"
	"fmt"

	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// NavigateOptions say how to move to another branch.
type NavigateOptions struct {
	// Summarize puts a summary of what is left behind into the branch that
	// goes on. Instructions are added to what the model is asked, or replace
	// it.
	Summarize    bool
	Instructions string
	Replace      bool
	// Label, if not empty, names the summary, or else the target.
	Label string
}

// NavigateResult says what a move did.
type NavigateResult struct {
	// EditorText is the text of a user message that was moved to: it can be
	// changed and sent again.
	EditorText string
	// Summary is the summary of the branch that was left, nil if none was made.
	Summary *session.BranchSummaryEntry
	// Moved says that the leaf is elsewhere now.
	Moved bool
}

// Navigate goes on from another entry of the tree. A user message is gone
// back behind, so that it can be said differently; any other entry becomes
// the leaf. It is refused while a prompt is under way.
func (h *Harness) Navigate(ctx context.Context, target string, o NavigateOptions) (_ NavigateResult, failed error) {
	ctx, done, err := h.begin(ctx, &failed)
	if err != nil {
		return NavigateResult{}, err
	}
	defer done()
	entry, err := h.session.Entry(ctx, target)
	if err != nil {
		return NavigateResult{}, fmt.Errorf("go to another branch: %w", err)
	}
	var result NavigateResult
	leaf := target
	if text, ok := editorText(entry); ok {
		leaf, result.EditorText = entry.Head().Parent, text
	}
	if leaf == h.session.Leaf() {
		return result, nil
	}
	left, err := h.session.Left(ctx, leaf)
	if err != nil {
		return NavigateResult{}, fmt.Errorf("go to another branch: %w", err)
	}
	if result.Summary, err = h.branchSummary(ctx, target, left, &o); err != nil {
		return NavigateResult{}, err
	}
	// It may fail with the leaf moved already: the transcript follows the
	// session.
	err = h.move(ctx, leaf, target, o, &result)
	if err = errors.Join(err, h.reload(ctx)); err != nil {
		return NavigateResult{}, &Error{Code: CodeSave, Doing: "go to another branch", Err: err}
	}
	h.mu.Lock()
	h.counted = false
	h.mu.Unlock()
	if after := h.cfg.Hooks.AfterNavigate; after != nil {
		// The move has happened: that a hook panics does not undo it.
		_ = h.ask("AfterNavigate", func() error { after(ctx, result); return nil })
	}
	return result, nil
}

// editorText gives the text of an entry that can be said again.
func editorText(e session.Entry) (string, bool) {
	switch e := e.(type) {
	case *session.MessageEntry:
		if m, ok := e.Message.(*ai.UserMessage); ok {
			return ai.TextOf(m.Content, "\n"), true
		}
	case *session.CustomMessageEntry:
		return ai.TextOf(e.Content, "\n"), true
	}
	return "", false
}

// branchSummary makes the summary of what is left: a hook's, the model's, or
// none.
func (h *Harness) branchSummary(ctx context.Context, target string, left []session.Entry, o *NavigateOptions) (*session.BranchSummaryEntry, error) {
	if hook := h.cfg.Hooks.BeforeNavigate; hook != nil {
		var d *NavigateDecision
		err := h.ask("BeforeNavigate", func() (err error) {
			d, err = hook(ctx, BeforeNavigate{Target: target, Left: left, Options: *o})
			return err
		})
		switch {
		case err != nil:
			return nil, err
		case d == nil:
		case d.Cancel:
			return nil, ErrCancelled
		case d.Summary != nil:
			fromHook := true
			d.Summary.FromHook = &fromHook
			return d.Summary, nil
		case d.Options != nil:
			*o = *d.Options
		}
	}
	if !o.Summarize {
		return nil, nil
	}
	if h.Model() == nil {
		return nil, fmt.Errorf("sum up the branch: %w", ErrNoModel)
	}
	g := h.generator(ctx, "branchSummary", "")
	if h.cfg.Compaction != nil {
		g.Reserve = h.cfg.Compaction(h.Model()).BranchReserve
	}
	s, files, err := g.SummarizeBranch(ctx, left, o.Instructions, o.Replace)
	if err != nil {
		return nil, fmt.Errorf("sum up the branch: %w", err)
	}
	return compaction.BranchEntry(s, files, ""), nil
}

// move moves the leaf, puts the summary and the label there.
func (h *Harness) move(ctx context.Context, leaf, target string, o NavigateOptions, result *NavigateResult) error {
	result.Moved = true
	labelled := target
	if result.Summary != nil {
		id, err := h.session.MoveWithSummary(ctx, leaf, result.Summary)
		if err != nil {
			return err
		}
		labelled = id
	} else if err := h.session.MoveTo(ctx, leaf); err != nil {
		return err
	}
	if o.Label == "" {
		return nil
	}
	return h.session.SetLabel(ctx, labelled, o.Label)
}
