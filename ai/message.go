package ai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/jsonobj"
)

// Role says who speaks in a message.
type Role string

// The roles a model sees.
const (
	RoleSystem     Role = "system"
	RoleUser       Role = "user"
	RoleAssistant  Role = "assistant"
	RoleToolResult Role = "toolResult"
)

// Message is one message a model can be sent: *[SystemMessage],
// *[UserMessage], *[AssistantMessage] or *[ToolResultMessage]. The set is
// closed. A message that was handed to a stream or a session is not changed
// afterwards.
type Message interface {
	// Role says who speaks.
	Role() Role
	// Time is when the message was made; for an answer, when it was asked for.
	Time() time.Time
	// AppendJSON appends the message in the stored format, unknown fields
	// included.
	AppendJSON(dst []byte) []byte
	isMessage()
}

// SystemMessage sets or patches the instructions and the tools. The first one
// of a conversation carries all of them; later ones carry changes.
type SystemMessage struct {
	Content string
	// Sections are named parts that follow Content, in order. A later message
	// replaces a section of the same name; a nil text removes it.
	Sections []Section
	// ToolsAdded are declared from here on; ToolsRemoved are no longer
	// available. Removal is applied first, so a changed declaration stands in
	// both.
	ToolsAdded   []Tool
	ToolsRemoved []string
	// Timestamp is in Unix milliseconds.
	Timestamp int64
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// Section is one named part of the instructions.
type Section struct {
	Name string
	Text *string // nil removes the section
}

// UserMessage is what a person (or a program in their place) says.
type UserMessage struct {
	Content   []Block // *Text and *Image
	Timestamp int64   // Unix milliseconds
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// ToolResultMessage answers one tool call.
type ToolResultMessage struct {
	ToolCallID string
	ToolName   string
	Content    []Block // *Text and *Image, for the model
	// Details is for people and programs, not for the model; any JSON.
	Details json.RawMessage
	// Usage is what the tool itself spent on models, if it called any.
	Usage *Usage
	// NestedCalls lists tool calls that the tool made; any JSON.
	NestedCalls json.RawMessage
	IsError     bool
	// DurationMS is how long the tool ran; nil when it never ran.
	DurationMS *int64
	Timestamp  int64 // Unix milliseconds
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// Role gives [RoleSystem].
func (*SystemMessage) Role() Role { return RoleSystem }

// Role gives [RoleUser].
func (*UserMessage) Role() Role { return RoleUser }

// Role gives [RoleToolResult].
func (*ToolResultMessage) Role() Role { return RoleToolResult }

// Time gives the timestamp.
func (m *SystemMessage) Time() time.Time { return time.UnixMilli(m.Timestamp) }

// Time gives the timestamp.
func (m *UserMessage) Time() time.Time { return time.UnixMilli(m.Timestamp) }

// Time gives the timestamp.
func (m *ToolResultMessage) Time() time.Time { return time.UnixMilli(m.Timestamp) }

func (*SystemMessage) isMessage()     {}
func (*UserMessage) isMessage()       {}
func (*ToolResultMessage) isMessage() {}

// UserText makes a user message of one text. The timestamp is left zero;
// agents and sessions set it.
func UserText(text string) *UserMessage {
	return &UserMessage{Content: []Block{&Text{Text: text}}}
}

// TextOf joins the text blocks of content with sep. Other blocks are skipped.
func TextOf(content []Block, sep string) string {
	var parts []string
	for _, b := range content {
		if t, ok := b.(*Text); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, sep)
}

// AppendJSON appends {"role":"system",…}.
func (m *SystemMessage) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"role":"system","content":`...)
	dst = jsonobj.AppendString(dst, m.Content)
	if len(m.Sections) > 0 {
		dst = append(dst, `,"sections":{`...)
		for i, s := range m.Sections {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsonobj.AppendString(dst, s.Name)
			dst = append(dst, ':')
			if s.Text == nil {
				dst = append(dst, "null"...)
			} else {
				dst = jsonobj.AppendString(dst, *s.Text)
			}
		}
		dst = append(dst, '}')
	}
	dst = appendTimestamp(dst, m.Timestamp)
	if len(m.ToolsAdded) > 0 {
		dst = append(dst, `,"toolsAdded":[`...)
		for i := range m.ToolsAdded {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = m.ToolsAdded[i].AppendJSON(dst)
		}
		dst = append(dst, ']')
	}
	if len(m.ToolsRemoved) > 0 {
		dst = append(dst, `,"toolsRemoved":[`...)
		for i, name := range m.ToolsRemoved {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"name":`...)
			dst = jsonobj.AppendString(dst, name)
			dst = append(dst, '}')
		}
		dst = append(dst, ']')
	}
	return appendExtra(dst, m.Extra)
}

// AppendJSON appends {"role":"user",…}.
func (m *UserMessage) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"role":"user","content":`...)
	dst = AppendBlocks(dst, m.Content)
	dst = appendTimestamp(dst, m.Timestamp)
	return appendExtra(dst, m.Extra)
}

// AppendJSON appends {"role":"toolResult",…}.
func (m *ToolResultMessage) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"role":"toolResult","toolCallId":`...)
	dst = jsonobj.AppendString(dst, m.ToolCallID)
	dst = append(dst, `,"toolName":`...)
	dst = jsonobj.AppendString(dst, m.ToolName)
	dst = append(dst, `,"content":`...)
	dst = AppendBlocks(dst, m.Content)
	if len(m.Details) > 0 {
		dst = append(dst, `,"details":`...)
		dst = append(dst, m.Details...)
	}
	if m.Usage != nil {
		dst = append(dst, `,"usage":`...)
		dst = m.Usage.AppendJSON(dst)
	}
	if len(m.NestedCalls) > 0 {
		dst = append(dst, `,"nestedCalls":`...)
		dst = append(dst, m.NestedCalls...)
	}
	dst = append(dst, `,"isError":`...)
	dst = strconv.AppendBool(dst, m.IsError)
	if m.DurationMS != nil {
		dst = append(dst, `,"durationMs":`...)
		dst = strconv.AppendInt(dst, *m.DurationMS, 10)
	}
	dst = appendTimestamp(dst, m.Timestamp)
	return appendExtra(dst, m.Extra)
}

func appendTimestamp(dst []byte, ms int64) []byte {
	dst = append(dst, `,"timestamp":`...)
	return strconv.AppendInt(dst, ms, 10)
}

// MarshalJSON implements [json.Marshaler].
func (m *SystemMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (m *UserMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// MarshalJSON implements [json.Marshaler].
func (m *ToolResultMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (m *SystemMessage) UnmarshalJSON(data []byte) error {
	*m = SystemMessage{}
	return decodeFields(data, &m.Extra, fields{
		"role": skip, "timestamp": integer(&m.Timestamp),
		"content": func(v json.RawMessage) error {
			blocks, err := decodeContent(v)
			m.Content = TextOf(blocks, "\n\n")
			return err
		},
		"sections": func(v json.RawMessage) error {
			if string(v) == "null" {
				return nil
			}
			return jsonobj.Walk(v, func(name string, text json.RawMessage) error {
				s := Section{Name: name}
				if string(text) != "null" {
					s.Text = new(string)
					if err := json.Unmarshal(text, s.Text); err != nil {
						return fmt.Errorf("section %q: %w", name, err)
					}
				}
				m.Sections = append(m.Sections, s)
				return nil
			})
		},
		"toolsAdded": value(&m.ToolsAdded),
		"toolsRemoved": func(v json.RawMessage) error {
			var refs []struct{ Name string }
			if err := lenient(v, &refs); err != nil {
				return err
			}
			for _, r := range refs {
				m.ToolsRemoved = append(m.ToolsRemoved, r.Name)
			}
			return nil
		},
	})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *UserMessage) UnmarshalJSON(data []byte) error {
	*m = UserMessage{}
	return decodeFields(data, &m.Extra, fields{
		"role": skip, "timestamp": integer(&m.Timestamp), "content": content(&m.Content),
	})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *ToolResultMessage) UnmarshalJSON(data []byte) error {
	*m = ToolResultMessage{}
	return decodeFields(data, &m.Extra, fields{
		"role": skip, "timestamp": integer(&m.Timestamp), "content": content(&m.Content),
		"toolCallId": str(&m.ToolCallID), "toolName": str(&m.ToolName), "details": raw(&m.Details),
		"isError": boolean(&m.IsError), "usage": value(&m.Usage), "nestedCalls": raw(&m.NestedCalls),
		"durationMs": func(v json.RawMessage) error {
			m.DurationMS = new(int64)
			return integer(m.DurationMS)(v)
		},
	})
}

func content(p *[]Block) decoder {
	return func(v json.RawMessage) error {
		blocks, err := decodeContent(v)
		*p = blocks
		return err
	}
}

// DecodeMessage reads one stored message. A role that is not one of the four
// is reported as an [UnknownRoleError].
func DecodeMessage(data []byte) (Message, error) {
	role, err := memberString(data, "role")
	if err != nil {
		return nil, fmt.Errorf("decode message: %w", err)
	}
	var m interface {
		Message
		json.Unmarshaler
	}
	switch Role(role) {
	case RoleSystem:
		m = new(SystemMessage)
	case RoleUser:
		m = new(UserMessage)
	case RoleAssistant:
		m = new(AssistantMessage)
	case RoleToolResult:
		m = new(ToolResultMessage)
	default:
		return nil, UnknownRoleError(role)
	}
	if err := m.UnmarshalJSON(data); err != nil {
		return nil, fmt.Errorf("decode %s message: %w", role, err)
	}
	return m, nil
}

// UnknownRoleError is the error of [DecodeMessage] for a role no model has;
// the string is the role.
type UnknownRoleError string

// Error says which role it was.
func (e UnknownRoleError) Error() string { return fmt.Sprintf("unknown message role %q", string(e)) }

// Prompt replays system messages into the instructions and tools in force
// after them.
type Prompt struct {
	Text  string // content and sections, joined by blank lines
	Tools []Tool // in order of first declaration
	// Message is the one system message that says the same.
	Message *SystemMessage
}

// ReplaySystem applies the system messages of a conversation in order; other
// messages are skipped. Contents are joined by a blank line; a section that
// is set again keeps its place, one that is removed and set again goes last.
func ReplaySystem(messages []Message) Prompt {
	out := &SystemMessage{}
	var contents []string
	for _, m := range messages {
		s, ok := m.(*SystemMessage)
		if !ok {
			continue
		}
		if s.Content != "" {
			contents = append(contents, s.Content)
		}
		for _, sec := range s.Sections {
			at := slices.IndexFunc(out.Sections, func(o Section) bool { return o.Name == sec.Name })
			switch {
			case sec.Text == nil && at >= 0:
				out.Sections = slices.Delete(out.Sections, at, at+1)
			case sec.Text != nil && at >= 0:
				out.Sections[at] = sec
			case sec.Text != nil:
				out.Sections = append(out.Sections, sec)
			}
		}
		out.ToolsAdded = slices.DeleteFunc(out.ToolsAdded, func(t Tool) bool {
			redeclared := slices.ContainsFunc(s.ToolsAdded, func(a Tool) bool { return a.Name == t.Name })
			return slices.Contains(s.ToolsRemoved, t.Name) && !redeclared
		})
		for _, t := range s.ToolsAdded {
			if at := slices.IndexFunc(out.ToolsAdded, func(o Tool) bool { return o.Name == t.Name }); at >= 0 {
				out.ToolsAdded[at] = t
			} else {
				out.ToolsAdded = append(out.ToolsAdded, t)
			}
		}
		out.Timestamp = s.Timestamp
	}
	out.Content = strings.Join(contents, "\n\n")
	return Prompt{Text: out.Text(), Tools: out.ToolsAdded, Message: out}
}

// Text renders content and sections, joined by blank lines, empty parts left
// out.
func (m *SystemMessage) Text() string {
	var parts []string
	if m.Content != "" {
		parts = append(parts, m.Content)
	}
	for _, s := range m.Sections {
		if s.Text != nil && *s.Text != "" {
			parts = append(parts, *s.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}
