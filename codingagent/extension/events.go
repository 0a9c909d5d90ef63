package extension

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools"
)

// Events are all events that an extension can handle. Handlers run in the order
// in which extensions were loaded, then in that of their registration.
type Events struct {
	// ProjectTrust asks whether the files of a project may be used, before the
	// project has been looked at: only extensions of the user and of the command
	// line are asked, and their context can do no more than talk to a person. The
	// first answer that is not Undecided counts.
	ProjectTrust Hook[ProjectTrust, TrustDecision]
	// ResourcesDiscover asks for further skills, templates and themes. All answers
	// are added up.
	ResourcesDiscover Hook[ResourcesDiscover, ResourcePaths]

	SessionStart       Topic[SessionStart]
	SessionInfoChanged Topic[SessionInfoChanged]
	// SessionBeforeSwitch and SessionBeforeFork may keep the session from being
	// replaced: the first answer that cancels ends it.
	SessionBeforeSwitch Hook[BeforeSwitch, Cancel]
	SessionBeforeFork   Hook[BeforeFork, Cancel]
	// SessionBeforeCompact may cancel a compaction or supply its summary. The last
	// answer counts, the first that cancels ends it.
	SessionBeforeCompact Hook[BeforeCompact, CompactDecision]
	SessionCompact       Topic[Compacted]
	SessionCompactFailed Topic[CompactFailed]
	// SessionBeforeTree may cancel a move to another branch, or change how what is
	// left is summed up. The last answer counts, the first that cancels ends it.
	SessionBeforeTree Hook[BeforeTree, TreeDecision]
	SessionTree       Topic[TreeMoved]
	// SessionShutdown comes before the session is closed, which waits for it.
	SessionShutdown Topic[SessionShutdown]

	// Input is what a person, a program or an extension says, before skills and
	// templates are put in. The first answer that has handled it ends it; texts
	// that handlers change are passed on.
	Input Hook[Input, InputDecision]
	// BeforeAgentStart comes before a run. Messages of all answers are added, and
	// what a handler changes of the prompt is seen by the next.
	BeforeAgentStart Hook[BeforeAgentStart, StartDecision]
	AgentStart       Topic[AgentStart]
	AgentEnd         Topic[AgentEnd]
	// AgentBeforeSettle comes when nothing is left to do; it is not asked after an
	// abort. Each handler sees what those before it proposed.
	AgentBeforeSettle Hook[BeforeSettle, BoundaryDecision]
	// AgentSettled is the end. What a handler says now is worked on after it.
	AgentSettled Topic[AgentSettled]
	TurnStart    Topic[TurnStart]
	// TurnEnd comes when a turn and its tool results are stored. An answer adds
	// entries, or asks for one more request; after a turn that failed it counts
	// for nothing.
	TurnEnd       Hook[TurnEnd, BoundaryDecision]
	MessageStart  Topic[MessageStart]
	MessageUpdate Topic[MessageUpdate]
	// MessageEnd may put another message of the same role in the place of one that
	// is about to be stored.
	MessageEnd Hook[MessageEnd, MessageDecision]

	// Context may change what one request tells the model, without its system
	// messages; ContextWithSystem sees these too, and is asked afterwards.
	Context           Hook[ModelContext, ModelContext]
	ContextWithSystem Hook[ModelContext, ModelContext]
	// CacheWarming may change whether the vendor's prompt cache is kept alive. The
	// last answer counts.
	CacheWarming Hook[CacheWarming, WarmingDecision]

	ModelSelect         Topic[ModelSelect]
	ThinkingLevelSelect Topic[ThinkingLevelSelect]
	// BeforeProviderHeaders may change the headers of a request in place.
	BeforeProviderHeaders Topic[ProviderHeaders]
	// BeforeProviderRequest may put another body in the place of a request's.
	BeforeProviderRequest Hook[ProviderRequest, ProviderRequest]
	AfterProviderResponse Topic[ProviderResponse]
	ProviderStreamEvent   Topic[ProviderStreamEvent]

	ToolExecutionStart Topic[ToolExecutionStart]
	// ToolCall may block a call or change its arguments, which are not validated
	// again. The first answer that blocks ends it, and a handler that fails blocks
	// the call too.
	ToolCall            Hook[ToolCall, ToolCallDecision]
	ToolExecutionUpdate Topic[ToolExecutionUpdate]
	// ToolResult may change a result, field by field. Results of calls that run
	// side by side come one at a time.
	ToolResult       Hook[ToolResult, ToolResultPatch]
	ToolExecutionEnd Topic[ToolExecutionEnd]
	// UserBash may run a person's own command elsewhere, or answer in its place.
	// The first answer counts; a handler that fails, fails the command.
	UserBash Hook[UserBash, UserBashDecision]

	// UIPromptStart and UIPromptEnd tell that a person is being asked something.
	// Of prompts within prompts only the outermost is told. Nothing waits for the
	// listeners.
	UIPromptStart Topic[UIPrompt]
	UIPromptEnd   Topic[UIPrompt]
	// MCPServersChange gives the servers that extensions want connected. An
	// extension that listens is the one that connects them.
	MCPServersChange Topic[MCPServers]
}

// Cancel stops what is about to happen.
type Cancel struct{ Cancel bool }

// Trust says whether a project is trusted.
type Trust string

// The verdicts.
const (
	Trusted   Trust = "yes"
	Untrusted Trust = "no"
	Undecided Trust = "undecided"
)

// ProjectTrust is a project that nobody has decided about.
type ProjectTrust struct{ Dir string }

// TrustDecision answers [ProjectTrust].
type TrustDecision struct {
	Trusted Trust
	// Remember keeps the decision for later runs.
	Remember bool
}

// ResourcesDiscover asks for resources.
type ResourcesDiscover struct {
	Dir    string
	Reason string // "startup" or "reload"
}

// ResourcePaths are files or directories, absolute or relative to the
// session's directory.
type ResourcePaths struct{ Skills, Prompts, Themes []string }

// Reason says why a session begins or ends.
type Reason string

// The reasons. Startup is one to begin, Quit one to end, the others are both.
const (
	Startup Reason = "startup"
	Quit    Reason = "quit"
	Reload  Reason = "reload"
	New     Reason = "new"
	Resume  Reason = "resume"
	Fork    Reason = "fork"
)

// SessionStart is a session that begins.
type SessionStart struct {
	Reason Reason
	// PreviousFile is the file of the session it replaces, "" if there is none.
	PreviousFile string
}

// SessionInfoChanged gives the session's new name, "" when it has none.
type SessionInfoChanged struct{ Name string }

// BeforeSwitch is a session that is about to be replaced by another one.
type BeforeSwitch struct {
	Reason Reason // New or Resume
	// TargetFile names the session to resume.
	TargetFile string
}

// BeforeFork is a session that is about to be replaced by a copy.
type BeforeFork struct {
	EntryID string
	// Before says that the copy ends before the entry, otherwise with it.
	Before bool
}

// BeforeCompact is a compaction that is about to be made.
type BeforeCompact struct {
	Preparation *compaction.Preparation
	// Branch is what is in sight of the model.
	Branch    []session.Entry
	Focus     string
	Reason    harness.Reason
	WillRetry bool
}

// CompactDecision changes a compaction.
type CompactDecision struct {
	Cancel bool
	// Entry is used instead of asking a model.
	Entry *session.CompactionEntry
}

// Compacted is a compaction that was made.
type Compacted struct {
	Entry         *session.CompactionEntry
	FromExtension bool
	Reason        harness.Reason
	WillRetry     bool
}

// CompactFailed is a compaction that was not made.
type CompactFailed struct {
	Reason       harness.Reason
	ErrorMessage string
	Aborted      bool
	WillRetry    bool
}

// BeforeTree is a move to another branch that is about to be made.
type BeforeTree struct {
	TargetID, OldLeafID string
	// CommonAncestorID is the newest entry that stays: the one before Left, or the old leaf
	// if nothing is left behind; "" is the root.
	CommonAncestorID string
	// Left is what the move leaves behind, oldest first.
	Left    []session.Entry
	Options harness.NavigateOptions
}

// TreeDecision changes a move.
type TreeDecision struct {
	Cancel bool
	// Summary is used instead of asking a model, if one is wanted.
	Summary *session.BranchSummaryEntry
	// Options, if not nil, replace those of the move.
	Options *harness.NavigateOptions
}

// TreeMoved is a move that was made.
type TreeMoved struct {
	NewLeafID, OldLeafID string
	Summary              *session.BranchSummaryEntry
	FromExtension        bool
}

// SessionShutdown is a session that ends.
type SessionShutdown struct {
	Reason Reason
	// TargetFile names the session that follows, if it has a file.
	TargetFile string
}

// Source says who speaks.
type Source string

// The sources.
const (
	FromPerson    Source = "interactive"
	FromRPC       Source = "rpc"
	FromExtension Source = "extension"
)

// Input is something that was said.
type Input struct {
	Text   string
	Images []*ai.Image
	Source Source
	// Delivery says how it is queued while a run is under way, "" when none is.
	Delivery harness.Delivery
}

// InputDecision answers an [Input]; the zero value leaves it.
type InputDecision struct {
	// Handled says that nothing more is to be done.
	Handled bool
	// Text, if not nil, takes the place of the text; Images, if not nil, that of
	// the images.
	Text   *string
	Images []*ai.Image
}

// BeforeAgentStart is a run that is about to begin. What a handler sets in
// Sections holds for this run and is seen by the handlers after it.
type BeforeAgentStart struct {
	// Message is what was said: a *ai.UserMessage, or a *session.CustomMessage that
	// an extension sent.
	Message agentcore.Message
	// Sections are those of the prompt. [Context.PromptParts] is what they were made of, and
	// [PromptParts.Sections] makes others.
	Sections []ai.Section
}

// StartDecision adds to a run.
type StartDecision struct {
	// Message, if not nil, is added behind what was said.
	Message *session.CustomMessage
	// SystemPrompt, if not nil, is the whole prompt of this run.
	SystemPrompt *string
}

// AgentStart begins a run.
type AgentStart struct{}

// AgentEnd ends a run; another may follow at once.
type AgentEnd struct {
	Messages  []agentcore.Message // those the run added
	WillRetry bool
}

// Outcome says how a run ended.
type Outcome string

// The outcomes.
const (
	Completed Outcome = "completed"
	Aborted   Outcome = "aborted"
	Failed    Outcome = "error"
)

// Boundary is a moment at which entries can be added. Handlers see what those
// before them proposed.
type Boundary struct {
	// Entries are *session.CustomEntry, *session.CustomMessageEntry,
	// *session.ContextEditEntry or *session.CompactionEntry, in order.
	Entries []session.Entry
	// Continue asks for one more request.
	Continue bool
	Outcome  Outcome
	// Messages is the transcript without the proposed entries.
	Messages []agentcore.Message
	// Preview gives what the model would see with some entries added: Entries are what is
	// proposed so far, nil shows things as they are. It fails for entries that can not be
	// added; an answer with them is reported and not used. It may be called until the
	// handler returns, and may be nil in a program that is not pi.
	Preview func(ctx context.Context, entries []session.Entry) (BoundaryContext, error)
}

// BoundaryContext is what the model would see at a [Boundary].
type BoundaryContext struct {
	// Entries are those in sight of the model, in its order: a compaction first, if there
	// is one, then what it kept. Those that are not stored yet are copies; an id they were
	// not given is none to keep. [session.Project] gives the messages of each.
	Entries []session.Entry
	// Messages are all messages of Entries, ModelMessages those that a request would have.
	Messages      []agentcore.Message
	ModelMessages []ai.Message
	// Pending are messages that wait: what is queued, and what extensions said during the
	// turn and wanted to be stored behind it.
	Pending []agentcore.Message
	// CanContinue says that one more request would have something to answer.
	CanContinue bool
}

// BoundaryDecision replaces the proposal of a [Boundary].
type BoundaryDecision struct {
	Entries []session.Entry // all of them, those seen included; nil keeps them
	// Continue asks for one more request, which is made if it has something to answer; nil
	// keeps what was proposed.
	Continue *bool
}

// BeforeSettle is a prompt with nothing left to do.
type BeforeSettle struct{ Boundary }

// AgentSettled is the end of a prompt.
type AgentSettled struct{ Aborted bool }

// TurnStart begins a turn.
type TurnStart struct {
	Index int // within the run, from 0
	Time  time.Time
}

// TurnEnd ends a turn.
type TurnEnd struct {
	Boundary
	Index       int // within the run, from 0
	Message     *ai.AssistantMessage
	ToolResults []*ai.ToolResultMessage
	// MessageEntry and ResultEntries are the ids of the entries that keep them, such as for
	// a *[session.ContextEditEntry]; empty for what is not kept.
	MessageEntry  string
	ResultEntries []string
}

// MessageStart is a message that enters the transcript.
type MessageStart struct{ Message agentcore.Message }

// MessageUpdate is a piece of an answer. Both fields change once the listener
// has returned.
type MessageUpdate struct {
	Message *ai.AssistantMessage
	Stream  ai.Event
}

// MessageEnd is a message that is whole, before it is stored.
type MessageEnd struct{ Message agentcore.Message }

// MessageDecision puts another message in the place of one.
type MessageDecision struct{ Message agentcore.Message }

// ModelContext is what a request tells the model.
type ModelContext struct{ Messages []agentcore.Message }

// CacheWarming is a decision to be made on the vendor's prompt cache.
type CacheWarming struct {
	// WarmCost and MissCost are in US dollars, ContinuationProbability is how
	// likely another request is.
	WarmCost, MissCost, ContinuationProbability float64
	// Warm is what is going to happen.
	Warm bool
}

// WarmingDecision answers [CacheWarming].
type WarmingDecision struct{ Warm bool }

// ModelSelect is a model that was chosen.
type ModelSelect struct {
	Model, Previous *ai.Model
	Source          string // "set" or "cycle"
}

// ThinkingLevelSelect is a thinking level that was chosen.
type ThinkingLevelSelect struct{ Level, Previous ai.ThinkingLevel }

// ProviderHeaders are the headers of a request.
type ProviderHeaders struct{ Headers http.Header }

// ProviderRequest is the body of a request.
type ProviderRequest struct {
	Payload json.RawMessage
	Model   *ai.Model
}

// ProviderResponse is an answer of a vendor, before its body is read.
type ProviderResponse struct {
	Status  int
	Headers http.Header
	Model   *ai.Model
}

// ProviderStreamEvent is one event of a vendor's stream.
type ProviderStreamEvent struct {
	Model *ai.Model
	Data  json.RawMessage
}

// ToolExecutionStart is a call that is about to be prepared.
type ToolExecutionStart struct {
	CallID, Name string
	Arguments    json.RawMessage
	ParentCallID string
}

// ToolCall is a call that is about to run.
type ToolCall struct {
	CallID, Name string
	// Arguments are validated. A handler that wants others answers with them.
	Arguments    json.RawMessage
	ParentCallID string
}

// ToolCallDecision answers a [ToolCall]; the zero value lets it run.
type ToolCallDecision struct {
	Block bool
	// Reason tells the model why.
	Reason string
	// Terminate, with Block, ends the run if all results of the batch do.
	Terminate bool
	// Arguments, if not nil, take the place of the arguments.
	Arguments json.RawMessage
}

// ToolExecutionUpdate is the progress of a tool.
type ToolExecutionUpdate struct {
	CallID, Name string
	Arguments    json.RawMessage
	Partial      agentcore.ToolResult
	ParentCallID string
}

// ToolResult is a tool that has returned.
type ToolResult struct {
	ToolCall
	Result agentcore.ToolResult
}

// ToolResultPatch changes a result; see [agentcore.ToolResultPatch].
type ToolResultPatch = agentcore.ToolResultPatch

// ToolExecutionEnd is a call that is over.
type ToolExecutionEnd struct {
	CallID, Name string
	Result       agentcore.ToolResult
	DurationMS   *int64 // nil when the tool never ran
	ParentCallID string
}

// UserBash is a command that a person runs.
type UserBash struct {
	Command string
	// Hidden keeps it from the model.
	Hidden bool
	Dir    string
}

// UserBashDecision answers a [UserBash]: exactly one field is set.
type UserBashDecision struct {
	// Shell runs the command.
	Shell execenv.Shell
	// Result stands for having run it.
	Result *tools.UserResult
}

// UIPrompt is a question to a person.
type UIPrompt struct {
	Kind  string // "select", "confirm", "input", "editor" or "custom"
	Title string
	// Blocked is that of [CustomOptions], nil for everything else.
	Blocked *Blocked
}

// MCPServers are the servers that extensions registered.
type MCPServers struct{ Servers []MCPServer }

// MCPServer is one of them.
type MCPServer struct {
	Name   string
	Config json.RawMessage // as in mcp.json
	// Extension registered it.
	Extension string
}
