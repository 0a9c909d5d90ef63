package agentcore

import (
	"encoding/json"

	"github.com/pi-go/pi/ai"
)

// Event is one step of a run. The set is open: harnesses add their own. Switch
// on the pointer type. The order within a run is fixed; the package comment
// says how.
type Event interface {
	// EventType is the wire name of the event, such as "turn_start".
	EventType() string
}

// AgentStart begins a run.
type AgentStart struct{}

// AgentEnd ends a run.
type AgentEnd struct {
	Messages []Message // those the run added
	// Err is the error that [Run] returns: nil when the run ended well.
	Err error
	// WillRetry is set by a run controller that is going to try again.
	WillRetry bool
}

// TurnStart begins a turn: one request and the tools it asks for.
type TurnStart struct{}

// TurnEnd ends a turn.
type TurnEnd struct {
	Message     *ai.AssistantMessage
	ToolResults []*ai.ToolResultMessage
}

// MessageStart says that a message enters the transcript. For an answer the
// message is the one in the making: StopReason is pending and it changes with
// each update.
type MessageStart struct{ Message Message }

// MessageUpdate is one stream event of an answer. The event and the message
// are only valid while the listener runs; use Stream.Snapshot to keep the
// message.
type MessageUpdate struct {
	Message *ai.AssistantMessage
	Stream  ai.Event
}

// MessageEnd says that a message is whole and stands in the transcript.
type MessageEnd struct{ Message Message }

// ToolStart says that a call is about to be prepared and run. All starts of a
// batch come in the order of the calls.
type ToolStart struct {
	CallID string
	Name   string
	// Arguments are those the model sent, before coercion.
	Arguments json.RawMessage
	// ParentCallID is the call whose tool made this one, if a tool did.
	ParentCallID string
}

// ToolUpdate shows the progress of a tool; it replaces the former one.
type ToolUpdate struct {
	CallID       string
	Name         string
	Arguments    json.RawMessage
	Partial      ToolResult
	ParentCallID string
}

// ToolEnd says that a call is over. Ends come in the order of completion.
type ToolEnd struct {
	CallID string
	Name   string
	Result ToolResult
	// DurationMS is how long the tool ran; nil when it never ran.
	DurationMS   *int64
	ParentCallID string
}

// EventType is "agent_start".
func (*AgentStart) EventType() string { return "agent_start" }

// EventType is "agent_end".
func (*AgentEnd) EventType() string { return "agent_end" }

// EventType is "turn_start".
func (*TurnStart) EventType() string { return "turn_start" }

// EventType is "turn_end".
func (*TurnEnd) EventType() string { return "turn_end" }

// EventType is "message_start".
func (*MessageStart) EventType() string { return "message_start" }

// EventType is "message_update".
func (*MessageUpdate) EventType() string { return "message_update" }

// EventType is "message_end".
func (*MessageEnd) EventType() string { return "message_end" }

// EventType is "tool_execution_start".
func (*ToolStart) EventType() string { return "tool_execution_start" }

// EventType is "tool_execution_update".
func (*ToolUpdate) EventType() string { return "tool_execution_update" }

// EventType is "tool_execution_end".
func (*ToolEnd) EventType() string { return "tool_execution_end" }
