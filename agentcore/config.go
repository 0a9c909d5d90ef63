package agentcore

import (
	"context"
	"encoding/json"
	"time"

	"github.com/pi-go/pi/agentcore/schema"
	"github.com/pi-go/pi/ai"
)

// StreamFunc asks a model. [ai.Models.Stream] is one. It never fails: what
// goes wrong is in the stream's result.
type StreamFunc func(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) *ai.Stream

// Context is what a run starts from and works on.
type Context struct {
	// Messages is the transcript so far. A *ai.SystemMessage at its start
	// carries the prompt; later ones carry changes.
	Messages []Message
	// Tools are those that can be executed. What of them the model has not
	// been told yet is declared by the run (see [Run]).
	Tools []*Tool
	// Model and Thinking are what to ask with.
	Model    *ai.Model
	Thinking ai.ThinkingLevel
}

// QueueMode says how many queued messages are delivered at a time.
type QueueMode string

// The queue modes. The zero value means QueueOneAtATime.
const (
	QueueOneAtATime QueueMode = "one-at-a-time"
	QueueAll        QueueMode = "all"
)

// ExecutionMode says how the calls of one answer are run.
type ExecutionMode string

// The execution modes. The zero value means ExecuteParallel.
const (
	ExecuteParallel   ExecutionMode = "parallel"
	ExecuteSequential ExecutionMode = "sequential"
)

// LoopConfig is everything that is policy. Only Stream is required. Hooks are
// called on the run's goroutine unless they say otherwise, one at a time, and
// must return soon after ctx is cancelled. An error or a panic in a tool hook
// becomes that call's error result, in another hook the end of the run with an
// error answer.
type LoopConfig struct {
	Stream StreamFunc
	// Options are passed to each request. Thinking is overwritten.
	Options ai.Options
	// Execution is how the calls of one answer are run.
	Execution ExecutionMode
	// ToolGrace is how long a cancelled tool may go on before the run stops
	// waiting for it; 0 means 250 ms, negative does not wait.
	ToolGrace time.Duration
	// Now is the clock; nil means [time.Now]. It is called on tools'
	// goroutines too.
	Now func() time.Time
	// OnPanic learns of each panic of a tool, a hook or a listener, with its
	// stack; nil drops the stack. It may be called on a tool's goroutine.
	OnPanic func(*PanicError)

	// TransformContext may replace the messages of one request; the
	// transcript stays as it is.
	TransformContext func(ctx context.Context, messages []Message) ([]Message, error)
	// ConvertToLLM turns the transcript into what the model sees; nil means
	// [ModelMessages].
	ConvertToLLM func(messages []Message) []ai.Message
	// APIKey may give the key for a request; "" leaves it to Stream.
	APIKey func(ctx context.Context, provider string) (string, error)

	// PrepareRequest is called immediately before every request, the first
	// included, after pending messages were appended. What it returns stays
	// in force for the rest of the run.
	PrepareRequest func(ctx context.Context, c Context) (*ContextUpdate, error)
	// PrepareNextTurn is called after TurnEnd when another turn follows.
	PrepareNextTurn func(ctx context.Context, t Turn) (*ContextUpdate, error)
	// FinishTurn is called after the tool results of a turn, before TurnEnd.
	// It is not called for a turn that failed or was aborted.
	FinishTurn func(ctx context.Context, t Turn) (TurnAction, error)

	// FinishMessage is called with each message that is about to enter the
	// transcript, before its MessageEnd. It may return another one of the same
	// role to stand in its place; nil keeps it.
	FinishMessage func(ctx context.Context, m Message) (Message, error)

	// BeforeToolCall is called after validation, in the order of the calls.
	BeforeToolCall func(ctx context.Context, c BeforeToolCall) (*BeforeToolCallResult, error)
	// AfterToolCall is called when a tool has returned, before ToolEnd; with
	// parallel execution possibly on several goroutines at once.
	AfterToolCall func(ctx context.Context, c AfterToolCall) (*ToolResultPatch, error)

	// SteeringMessages gives messages to add before the next request: asked
	// at the start of the run, after each turn, and after PrepareNextTurn if
	// there were none.
	SteeringMessages func() []Message
	// FollowUpMessages gives messages to go on with when the run would end.
	FollowUpMessages func() []Message
	// ReturnMessages takes back messages that SteeringMessages and
	// FollowUpMessages gave and that the run ended without adding, in order;
	// nil loses them.
	ReturnMessages func(steering, followUp []Message)

	// refresh is called at the start of each turn and again before
	// PrepareRequest; an agent puts what its setters changed into c.
	refresh func(c *Context)
	// replaced learns of a transcript that a hook replaced.
	replaced func(messages []Message)
	// schemas keeps compiled schemas from run to run.
	schemas *schema.Cache
}

// ContextUpdate changes what the run works on; zero fields change nothing.
type ContextUpdate struct {
	// Messages replaces the transcript.
	Messages []Message
	// Append adds messages to the transcript, with events: at the start of the
	// turn that follows, or at once when PrepareRequest gave them.
	Append   []Message
	Tools    []*Tool // nil keeps the tools; an empty list removes all
	Model    *ai.Model
	Thinking ai.ThinkingLevel
}

// Turn is a turn that is about to end or has ended.
type Turn struct {
	Message     *ai.AssistantMessage
	ToolResults []*ai.ToolResultMessage
	Context     Context
	NewMessages []Message // all messages of this run so far
}

// TurnAction says how the run goes on after a turn.
type TurnAction int

// The turn actions.
const (
	TurnNormal   TurnAction = iota // go on as tool calls and queues demand
	TurnEndRun                     // end the run; queues are not asked
	TurnContinue                   // make at least one further request
)

// BeforeToolCall is a call that is about to run.
type BeforeToolCall struct {
	Assistant *ai.AssistantMessage
	Call      *ai.ToolCall
	Arguments json.RawMessage // validated and coerced
	Context   Context
	// ParentCallID is the call whose tool makes this one, if a tool does.
	ParentCallID string
}

// BeforeToolCallResult may stop or change a call; nil and zero let it run.
type BeforeToolCallResult struct {
	Block     bool
	Reason    string // tells the model why it was blocked
	Terminate bool   // with Block: the result asks to end the run
	// Arguments replaces the arguments; they are not validated again.
	Arguments json.RawMessage
}

// AfterToolCall is a call whose tool has returned.
type AfterToolCall struct {
	BeforeToolCall
	Result ToolResult
}

// ToolResultPatch overrides fields of a result; nil fields keep them. When
// Content is replaced and Structured is not, Structured is dropped.
type ToolResultPatch struct {
	Content    []ai.Block
	Details    any
	Structured any
	IsError    *bool
	Usage      *ai.Usage
	Terminate  *bool
}
