package harness

import (
	"context"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// Hooks let a program stop, change or replace what the harness does. They are
// called one at a time on the goroutine of the operation; nil ones are not
// called, and a nil decision lets things happen. Those that decide may fail:
// the operation does not take place then, and its error has [CodeHook]. A panic
// is such a failure.
//
// Steps within a run (requests, tool calls, turns, messages that enter the
// transcript) have their hooks in [agentcore.LoopConfig].
type Hooks struct {
	// BeforePrompt may stop a prompt, change it, or add to it; what had to be
	// compacted to make room has been. It is not asked
	// about messages that are queued: FinishMessage of the loop sees those.
	BeforePrompt func(ctx context.Context, b BeforePrompt) (*PromptDecision, error)
	// BeforeRetry may stop a further try of a failed answer, or change the
	// time to wait. It may choose another model with [Harness.SetModel].
	BeforeRetry func(ctx context.Context, b BeforeRetry) (*RetryDecision, error)
	// BeforeCompact may cancel a compaction or supply its summary.
	BeforeCompact func(ctx context.Context, b BeforeCompact) (*CompactDecision, error)
	// AfterCompact learns of a finished compaction.
	AfterCompact func(ctx context.Context, r CompactionResult)
	// BeforeNavigate may cancel a move to another branch, supply the summary
	// of the one that is left, or change how it is asked for.
	BeforeNavigate func(ctx context.Context, b BeforeNavigate) (*NavigateDecision, error)
	// AfterNavigate learns of a finished move.
	AfterNavigate func(ctx context.Context, r NavigateResult)
	// AfterTurn is asked when a turn and its tool results are stored, before its
	// TurnEnd: it may add entries to the session, and ask for one more request. It
	// is not asked about a turn that failed or was aborted.
	AfterTurn func(ctx context.Context, t agentcore.Turn) (*TurnDecision, error)
	// BeforeSettle is asked when nothing is left to do for a prompt: it may
	// add entries to the session, and messages to go on with. It is asked
	// again after that; it is not asked after an abort or when the prompt
	// ended with an error of the harness.
	BeforeSettle func(ctx context.Context, b BeforeSettle) (*SettleDecision, error)
}

// BeforePrompt is a prompt that is about to begin.
type BeforePrompt struct{ Message agentcore.Message }

// PromptDecision changes a prompt; the zero value lets it happen.
type PromptDecision struct {
	// Cancel stops it: [Harness.Prompt] returns [ErrCancelled], and nothing
	// enters the session.
	Cancel bool
	// Message, if not nil, takes the place of the one that was given.
	Message agentcore.Message
	// Before and After enter the transcript next to it.
	Before, After []agentcore.Message
}

// BeforeRetry is a failed answer that is about to be tried again.
type BeforeRetry struct {
	Answer  *ai.AssistantMessage
	Attempt int // of the coming try, from 1
	Delay   time.Duration
}

// RetryDecision changes a retry; the zero value lets it happen.
type RetryDecision struct {
	// Cancel lets the prompt end with the failure.
	Cancel bool
	// Delay, if not nil, is how long to wait instead.
	Delay *time.Duration
}

// BeforeSettle is a prompt with nothing left to do.
type BeforeSettle struct {
	// Answer is the last one, nil if there was none. It may be a failure.
	Answer *ai.AssistantMessage
}

// SettleDecision adds to a prompt; the zero value lets it settle.
type SettleDecision struct {
	// Entries are appended to the session, and told ([EntryAppended]); what
	// they change of the context, the model sees from then on.
	Entries []session.Entry
	// Messages begin another run of the same prompt.
	Messages []agentcore.Message
	// Continue begins another run without a message, if Entries left something to
	// be answered.
	Continue bool
}

// TurnDecision adds to a turn; the zero value adds nothing.
type TurnDecision struct {
	// Entries are as those of [SettleDecision].
	Entries []session.Entry
	// Continue asks the model at least once more, if there is something to be
	// answered.
	Continue bool
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
