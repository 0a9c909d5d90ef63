package session

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// The roles of the messages this package adds to a transcript.
const (
	RoleCustom            ai.Role = "custom"
	RoleCompactionSummary ai.Role = "compactionSummary"
	RoleBranchSummary     ai.Role = "branchSummary"
)

// Convertible is a message that is not one of package ai and knows what a
// model should see of it.
type Convertible interface {
	agentcore.Message
	// ModelMessage gives what the model sees; nil for nothing.
	ModelMessage() ai.Message
}

// ModelMessages turns a transcript into what a model sees: messages of
// package ai as they are, a [Convertible] converted, others dropped. It fits
// the ConvertToLLM hook of an agent.
func ModelMessages(messages []agentcore.Message) []ai.Message {
	out := make([]ai.Message, 0, len(messages))
	for _, m := range messages {
		switch m := m.(type) {
		case ai.Message:
			out = append(out, m)
		case Convertible:
			if c := m.ModelMessage(); c != nil {
				out = append(out, c)
			}
		}
	}
	return out
}

// CustomMessage is a message that a program put into the conversation. A
// model sees it as said by the user.
type CustomMessage struct {
	CustomType string
	Content    []ai.Block // *ai.Text and *ai.Image
	// Plain stores a content of one text as a string.
	Plain bool
	// Display says whether people should see it.
	Display bool
	// Details is for programs; any JSON, nil stores none.
	Details   json.RawMessage
	Timestamp int64 // Unix milliseconds
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// CompactionSummary stands for the part of a conversation that a model no
// longer sees.
type CompactionSummary struct {
	Summary      string
	TokensBefore int64
	Timestamp    int64 // Unix milliseconds
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// BranchSummary tells what happened on a branch that was left.
type BranchSummary struct {
	Summary   string
	FromID    string // the leaf that was left, or "root"
	Timestamp int64  // Unix milliseconds
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// Role gives [RoleCustom].
func (*CustomMessage) Role() ai.Role { return RoleCustom }

// Role gives [RoleCompactionSummary].
func (*CompactionSummary) Role() ai.Role { return RoleCompactionSummary }

// Role gives [RoleBranchSummary].
func (*BranchSummary) Role() ai.Role { return RoleBranchSummary }

// Time gives the timestamp.
func (m *CustomMessage) Time() time.Time { return time.UnixMilli(m.Timestamp) }

// Time gives the timestamp.
func (m *CompactionSummary) Time() time.Time { return time.UnixMilli(m.Timestamp) }

// Time gives the timestamp.
func (m *BranchSummary) Time() time.Time { return time.UnixMilli(m.Timestamp) }

// Entry gives the entry that stores the message.
func (m *CustomMessage) Entry() *CustomMessageEntry {
	return &CustomMessageEntry{CustomType: m.CustomType, Content: m.Content, Plain: m.Plain, Display: m.Display, Details: m.Details}
}

// ModelMessage gives a user message of the same content.
func (m *CustomMessage) ModelMessage() ai.Message {
	return &ai.UserMessage{Content: m.Content, Timestamp: m.Timestamp}
}

// ModelMessage gives a user message that holds the summary.
func (m *CompactionSummary) ModelMessage() ai.Message {
	return summaryText("To save room, the conversation up to here was replaced by this summary of it:", m.Summary, m.Timestamp)
}

// ModelMessage gives a user message that holds the summary; nil when the
// summary is empty.
func (m *BranchSummary) ModelMessage() ai.Message {
	if m.Summary == "" {
		return nil
	}
	return summaryText("The conversation went another way from here first and then came back. What happened there, in short:", m.Summary, m.Timestamp)
}

func summaryText(intro, summary string, at int64) *ai.UserMessage {
	m := ai.UserText(intro + "\n\n<summary>\n" + summary + "\n</summary>")
	m.Timestamp = at
	return m
}

// AppendJSON appends {"role":"custom",…}.
func (m *CustomMessage) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"role":"custom"`...)
	dst = appendText(dst, "customType", m.CustomType)
	dst = appendContent(dst, m.Content, m.Plain)
	dst = appendBool(dst, "display", &m.Display)
	dst = appendRaw(dst, "details", m.Details)
	return appendExtra(appendStamp(dst, m.Timestamp), m.Extra)
}

// AppendJSON appends {"role":"compactionSummary",…}.
func (m *CompactionSummary) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"role":"compactionSummary"`...)
	dst = appendText(dst, "summary", m.Summary)
	dst = append(dst, `,"tokensBefore":`...)
	dst = strconv.AppendInt(dst, m.TokensBefore, 10)
	return appendExtra(appendStamp(dst, m.Timestamp), m.Extra)
}

// AppendJSON appends {"role":"branchSummary",…}.
func (m *BranchSummary) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"role":"branchSummary"`...)
	dst = appendText(dst, "summary", m.Summary)
	dst = appendText(dst, "fromId", m.FromID)
	return appendExtra(appendStamp(dst, m.Timestamp), m.Extra)
}

func appendStamp(dst []byte, ms int64) []byte {
	dst = append(dst, `,"timestamp":`...)
	return strconv.AppendInt(dst, ms, 10)
}

// MarshalJSON implements [json.Marshaler].
func (m *CustomMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (m *CompactionSummary) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (m *BranchSummary) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (m *CustomMessage) UnmarshalJSON(data []byte) error {
	*m = CustomMessage{}
	return jsonobj.Walk(data, func(key string, v json.RawMessage) error {
		var err error
		switch key {
		case "role":
		case "customType":
			err = lenient(v, &m.CustomType)
		case "content":
			m.Content, err = ai.DecodeBlocks(v)
			m.Plain = isString(v)
		case "display":
			err = lenient(v, &m.Display)
		case "details":
			err = anyJSON(v, &m.Details)
		case "timestamp":
			err = integer(v, &m.Timestamp)
		default:
			err = keep(&m.Extra, key, v)
		}
		return err
	})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *CompactionSummary) UnmarshalJSON(data []byte) error {
	*m = CompactionSummary{}
	return jsonobj.Walk(data, func(key string, v json.RawMessage) error {
		switch key {
		case "role":
			return nil
		case "summary":
			return lenient(v, &m.Summary)
		case "tokensBefore":
			return integer(v, &m.TokensBefore)
		case "timestamp":
			return integer(v, &m.Timestamp)
		}
		return keep(&m.Extra, key, v)
	})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *BranchSummary) UnmarshalJSON(data []byte) error {
	*m = BranchSummary{}
	return jsonobj.Walk(data, func(key string, v json.RawMessage) error {
		switch key {
		case "role":
			return nil
		case "summary":
			return lenient(v, &m.Summary)
		case "fromId":
			return lenient(v, &m.FromID)
		case "timestamp":
			return integer(v, &m.Timestamp)
		}
		return keep(&m.Extra, key, v)
	})
}
