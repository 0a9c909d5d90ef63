package agentcore

import (
	"time"

	"github.com/pi-go/pi/ai"
)

// Message is one entry of a transcript. The messages of package ai satisfy
// it; a program may add its own kinds, and ConvertToLLM decides what the model
// sees of them. A message is not changed after it has entered a transcript.
type Message interface {
	// Role says what kind of message it is. Roles other than those of package
	// ai never reach a model unless they are converted.
	Role() ai.Role
	// Time is when the message was made.
	Time() time.Time
}

// ModelMessages is the default conversion for the model: it keeps the
// messages of package ai and drops all others.
func ModelMessages(messages []Message) []ai.Message {
	out := make([]ai.Message, 0, len(messages))
	for _, m := range messages {
		if m, ok := m.(ai.Message); ok {
			out = append(out, m)
		}
	}
	return out
}
