package harness

import (
	"context"
	"errors"

	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/session"
)

// ErrCancelled says that a hook stopped what was asked for.
var ErrCancelled = errors.New("cancelled by a hook")

// Hooks let a program stop, change or replace what the harness does. They are
// called one at a time on the goroutine of the operation; nil ones are not
// called. Hooks of the run itself are those of the loop.
type Hooks struct {
	// BeforeCompact may cancel a compaction or supply its summary.
	BeforeCompact func(ctx context.Context, b BeforeCompact) (*CompactDecision, error)
	// AfterCompact learns of a finished compaction.
	AfterCompact func(ctx context.Context, r CompactionResult)
	// BeforeNavigate may cancel a move to another branch, supply the summary
	// of the one that is left, or change how it is asked for.
	BeforeNavigate func(ctx context.Context, b BeforeNavigate) (*NavigateDecision, error)
	// AfterNavigate learns of a finished move.
	AfterNavigate func(ctx context.Context, r NavigateResult)
}

// BeforeCompact is a compaction that is about to be made.
type BeforeCompact struct {
	Reason      Reason
	Preparation *compaction.Preparation
	Focus       string
}

// CompactDecision changes a compaction; the zero value lets it happen.
type CompactDecision struct {
	Cancel bool
	// Entry is used instead of asking a model.
	Entry *session.CompactionEntry
}

// BeforeNavigate is a move to another branch that is about to be made.
type BeforeNavigate struct {
	Target string
	// Left is what the move leaves behind, oldest first.
	Left    []session.Entry
	Options NavigateOptions
}

// NavigateDecision changes a move; the zero value lets it happen.
type NavigateDecision struct {
	Cancel bool
	// Summary is used instead of asking a model.
	Summary *session.BranchSummaryEntry
	// Options, if not nil, replace those of the move.
	Options *NavigateOptions
}
