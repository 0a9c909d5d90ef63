package harness

import (
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// Settled says that a prompt is over: no retry, no queued message and no
// write is outstanding. It is the last event of a prompt.
type Settled struct{ Aborted bool }

// QueueUpdate gives the texts of all queued user messages.
type QueueUpdate struct{ Steering, FollowUp []string }

// EntryAppended says that an entry was added that is no message: an edit that hides
// a failed attempt, or what [Harness.AddEntry] added.
type EntryAppended struct{ Entry session.Entry }

// InfoChanged gives the new name of the session, "" when it has none.
type InfoChanged struct{ Name string }

// ThinkingChanged gives the new thinking level.
type ThinkingChanged struct{ Level ai.ThinkingLevel }

// RetryStart says that a failed attempt will be made again after Delay.
type RetryStart struct {
	Attempt      int // of the coming try, from 1
	MaxAttempts  int
	Delay        time.Duration
	ErrorMessage string
}

// RetryEnd says how retrying ended.
type RetryEnd struct {
	Success bool
	Attempt int
	// FinalError is why it was given up.
	FinalError string
}

// EventType is "agent_settled".
func (*Settled) EventType() string { return "agent_settled" }

// EventType is "queue_update".
func (*QueueUpdate) EventType() string { return "queue_update" }

// EventType is "entry_appended".
func (*EntryAppended) EventType() string { return "entry_appended" }

// EventType is "session_info_changed".
func (*InfoChanged) EventType() string { return "session_info_changed" }

// EventType is "thinking_level_changed".
func (*ThinkingChanged) EventType() string { return "thinking_level_changed" }

// EventType is "auto_retry_start".
func (*RetryStart) EventType() string { return "auto_retry_start" }

// EventType is "auto_retry_end".
func (*RetryEnd) EventType() string { return "auto_retry_end" }
