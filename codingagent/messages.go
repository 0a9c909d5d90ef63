package codingagent

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// RoleBashExecution is the role of a command that a person ran themselves.
const RoleBashExecution ai.Role = "bashExecution"

// BashExecution is a command that a person ran in the session, and what came
// of it.
type BashExecution struct {
	Command string `json:"command"`
	Output  string `json:"output"`
	// ExitCode is nil when the command was cancelled.
	ExitCode       *int   `json:"exitCode,omitempty"`
	Cancelled      bool   `json:"cancelled"`
	Truncated      bool   `json:"truncated"`
	FullOutputPath string `json:"fullOutputPath,omitempty"`
	// ExcludeFromContext keeps it from the model.
	ExcludeFromContext bool  `json:"excludeFromContext,omitempty"`
	Timestamp          int64 `json:"timestamp"` // Unix milliseconds
}

// Role gives [RoleBashExecution].
func (*BashExecution) Role() ai.Role { return RoleBashExecution }

// Time gives the timestamp.
func (m *BashExecution) Time() time.Time { return time.UnixMilli(m.Timestamp) }

// MarshalJSON implements [json.Marshaler].
func (m *BashExecution) MarshalJSON() ([]byte, error) {
	type plain BashExecution
	return json.Marshal(struct {
		Role ai.Role `json:"role"`
		*plain
	}{RoleBashExecution, (*plain)(m)})
}

// Codec reads the product's own kinds of messages from sessions.
func Codec() session.Codec {
	return session.Codec{
		RoleBashExecution: func(data json.RawMessage) (agentcore.Message, error) {
			m := new(BashExecution)
			if err := json.Unmarshal(data, m); err != nil {
				return nil, fmt.Errorf("decode %s message: %w", RoleBashExecution, err)
			}
			return m, nil
		},
	}
}

// ModelMessage tells the model what the person ran, nil when it is none of
// its business.
func (m *BashExecution) ModelMessage() ai.Message {
	if m.ExcludeFromContext {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "I ran `%s`", m.Command)
	if strings.TrimSpace(m.Output) == "" {
		b.WriteString(" and it printed nothing.")
	} else {
		fence := "```"
		for strings.Contains(m.Output, fence) {
			fence += "`"
		}
		fmt.Fprintf(&b, ":\n%s\n%s\n%s", fence, strings.TrimRight(m.Output, "\n"), fence)
	}
	switch {
	case m.Cancelled:
		b.WriteString("\nI stopped it before it ended.")
	case m.ExitCode != nil && *m.ExitCode != 0:
		fmt.Fprintf(&b, "\nIt ended with exit code %d.", *m.ExitCode)
	}
	if m.Truncated && m.FullOutputPath != "" {
		fmt.Fprintf(&b, "\nThe whole output is in %s.", m.FullOutputPath)
	}
	return &ai.UserMessage{Content: []ai.Block{&ai.Text{Text: b.String()}}, Timestamp: m.Timestamp}
}
