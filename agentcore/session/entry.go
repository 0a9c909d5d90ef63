package session

import (
	"encoding/json"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
)

// Type is the stored name of a kind of entry.
type Type string

// The kinds of entries. An entry of any other type is an [UnknownEntry].
const (
	TypeMessage        Type = "message"
	TypeModelChange    Type = "model_change"
	TypeThinkingChange Type = "thinking_level_change"
	TypeUsage          Type = "usage"
	TypeCompaction     Type = "compaction"
	TypeBranchSummary  Type = "branch_summary"
	TypeCustom         Type = "custom"
	TypeCustomMessage  Type = "custom_message"
	TypeContextEdit    Type = "context_edit"
	TypeLabel          Type = "label"
	TypeInfo           Type = "session_info"
)

// LeafType is the custom type of the entry that makes a move of the leaf
// last: its parent is where the leaf went. Such entries are not shown in
// trees, lists and exports.
const LeafType = "pi.leaf"

// Entry is one element of a session: a pointer to one of the Entry structs of
// this package. The set is closed; switch on the type. An entry is not changed
// once it has been appended.
type Entry interface {
	// Type is the stored name of the entry's kind.
	Type() Type
	// Head gives what all entries have.
	Head() *Meta
	// AppendJSON appends the entry in the stored format. It fails only for
	// messages that can not be encoded.
	AppendJSON(dst []byte) ([]byte, error)

	field(key string, v json.RawMessage, codec Codec) (known bool, err error)
}

// Meta is what all entries have. [Session.Append] fills it in.
type Meta struct {
	// ID names the entry within its session. An empty one is made up when the
	// entry is appended.
	ID string
	// Parent is the id of the entry before it, "" for a root.
	Parent string
	// Time is when the entry was appended, in UTC, to the millisecond.
	Time time.Time
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// Head gives m itself.
func (m *Meta) Head() *Meta { return m }

// MessageEntry holds a message of the conversation.
type MessageEntry struct {
	Meta
	Message agentcore.Message
}

// ModelEntry says that another model was chosen.
type ModelEntry struct {
	Meta
	Provider string
	ModelID  string
}

// ThinkingEntry says that another thinking level was chosen.
type ThinkingEntry struct {
	Meta
	Level ai.ThinkingLevel
}

// UsageEntry counts tokens that no message of the session accounts for.
type UsageEntry struct {
	Meta
	// Kind says what the tokens were spent on, such as "cache_warm".
	Kind     string
	Provider string
	Model    string
	Usage    ai.Usage
	Note     string
}

// CompactionEntry replaces what comes before it by a summary, in what a model
// sees; the entries stay.
type CompactionEntry struct {
	Meta
	Summary string
	// FirstKept is the id of the oldest entry that stays in sight. The entry's
	// own id means that none does; so does "" when it is appended.
	FirstKept string
	// TokensBefore is the size of the context before the compaction.
	TokensBefore int64
	// Details is for programs; any JSON.
	Details json.RawMessage
	// Usage is what making the summary cost.
	Usage *ai.Usage
	// FromHook says that an extension made the summary; nil when unknown.
	FromHook *bool
	// System is the prompt and the tools in force at this point; nil in older
	// files.
	System *ai.SystemMessage
}

// BranchSummaryEntry sums up a branch that was left, for the branch that goes
// on. An empty summary is not shown to a model.
type BranchSummaryEntry struct {
	Meta
	// FromID is the leaf that was left, or "root".
	FromID  string
	Summary string
	// Details is for programs; any JSON.
	Details json.RawMessage
	// Usage is what making the summary cost.
	Usage *ai.Usage
	// FromHook says that an extension made the summary; nil when unknown.
	FromHook *bool
}

// CustomEntry holds a program's own state. A model never sees it.
type CustomEntry struct {
	Meta
	CustomType string
	Data       json.RawMessage // any JSON; nil stores none
}

// CustomMessageEntry holds a message that a program put into the
// conversation. A model sees it as said by the user.
type CustomMessageEntry struct {
	Meta
	CustomType string
	Content    []ai.Block // *ai.Text and *ai.Image
	// Plain stores a content of one text as a string.
	Plain bool
	// Display says whether people should see it.
	Display bool
	// Details is for programs; any JSON, nil stores none.
	Details json.RawMessage
}

// ContextEditEntry changes what a model sees of an earlier entry of the same
// branch; the entry itself stays.
type ContextEditEntry struct {
	Meta
	TargetID string
	// Replacement is the content instead; nil leaves the message out.
	Replacement *Replacement
}

// Replacement is the new content of an edited message.
type Replacement struct {
	Content []ai.Block
}

// LabelEntry names an entry, so that people find it again. The last label of
// an entry counts; an empty one removes it.
type LabelEntry struct {
	Meta
	TargetID string
	Label    string
}

// InfoEntry names the session. The last one counts; an empty name removes it.
type InfoEntry struct {
	Meta
	Name string
}

// UnknownEntry is an entry of a type this package does not know, or one whose
// fields it could not read. It is a link in its branch like any other, and is
// not shown to a model.
type UnknownEntry struct {
	Meta
	Kind Type
	// Raw is the entry as it was read.
	Raw json.RawMessage
	// Err says why an entry of a known type could not be read.
	Err error
}

// Type gives [TypeMessage].
func (*MessageEntry) Type() Type { return TypeMessage }

// Type gives [TypeModelChange].
func (*ModelEntry) Type() Type { return TypeModelChange }

// Type gives [TypeThinkingChange].
func (*ThinkingEntry) Type() Type { return TypeThinkingChange }

// Type gives [TypeUsage].
func (*UsageEntry) Type() Type { return TypeUsage }

// Type gives [TypeCompaction].
func (*CompactionEntry) Type() Type { return TypeCompaction }

// Type gives [TypeBranchSummary].
func (*BranchSummaryEntry) Type() Type { return TypeBranchSummary }

// Type gives [TypeCustom].
func (*CustomEntry) Type() Type { return TypeCustom }

// Type gives [TypeCustomMessage].
func (*CustomMessageEntry) Type() Type { return TypeCustomMessage }

// Type gives [TypeContextEdit].
func (*ContextEditEntry) Type() Type { return TypeContextEdit }

// Type gives [TypeLabel].
func (*LabelEntry) Type() Type { return TypeLabel }

// Type gives [TypeInfo].
func (*InfoEntry) Type() Type { return TypeInfo }

// Type gives the type named in the stored entry.
func (e *UnknownEntry) Type() Type { return e.Kind }

// newEntry makes an empty entry of a type.
func newEntry(t Type) Entry {
	switch t {
	case TypeMessage:
		return new(MessageEntry)
	case TypeModelChange:
		return new(ModelEntry)
	case TypeThinkingChange:
		return new(ThinkingEntry)
	case TypeUsage:
		return new(UsageEntry)
	case TypeCompaction:
		return new(CompactionEntry)
	case TypeBranchSummary:
		return new(BranchSummaryEntry)
	case TypeCustom:
		return new(CustomEntry)
	case TypeCustomMessage:
		return new(CustomMessageEntry)
	case TypeContextEdit:
		return new(ContextEditEntry)
	case TypeLabel:
		return new(LabelEntry)
	case TypeInfo:
		return new(InfoEntry)
	}
	return &UnknownEntry{Kind: t}
}
