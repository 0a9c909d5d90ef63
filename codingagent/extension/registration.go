package extension

import (
	"context"
	"time"

	"github.com/pi-go/pi/agentcore/session"
)

// Scope says whose something is.
type Scope string

// The scopes.
const (
	ScopeUser      Scope = "user"
	ScopeProject   Scope = "project"
	ScopeTemporary Scope = "temporary"
)

// Origin says where an extension, a tool or a command is from.
type Origin struct {
	// Path is the file it is in, or a name in angle brackets.
	Path string
	// Source is "builtin" for what ships with the program, "sdk" for what another
	// program gave, otherwise the entry that led to it.
	Source  string
	Scope   Scope
	Package bool // it is from a package
	BaseDir string
}

// Command is something a person can say with a slash before it.
type Command struct {
	Description string
	// Hint shows the arguments, "" if there are none to show.
	Hint string
	// Complete suggests arguments; nil suggests none.
	Complete func(ctx context.Context, prefix string) []Suggestion
	// Run does it. args is what comes behind the first space. It may be called
	// while the agent works.
	Run func(ctx context.Context, x *CommandContext, args string) error
}

// CommandInfo is a command of the session.
type CommandInfo struct {
	// Name is what comes behind the slash: the name it was registered by, with ":1",
	// ":2" and so on behind it if several have that name.
	Name string
	Command
	Origin Origin

	api *API
}

// Shortcut is a key that does something, where there is a screen.
type Shortcut struct {
	Description string
	Run         func(ctx context.Context, x *Context) error
}

// ShortcutInfo is a shortcut of the session.
type ShortcutInfo struct {
	Key string
	Shortcut
	Origin Origin

	api *API
}

// Flag is an option of the command line.
type Flag struct {
	Description string
	// Text says that it takes a value; otherwise it is on or off.
	Text bool
	// Default is the value when it is not given: a bool, or a string with Text;
	// nil means none.
	Default any
}

// FlagInfo is a flag of the session.
type FlagInfo struct {
	Name string
	Flag
	Origin Origin
}

// MessageView is how a message or an entry is to be shown.
type MessageView struct {
	Expanded bool
	// Padding is how many columns the person wants free beside texts.
	Padding int
	Theme   Theme
	// KeyText names the keys of an action of the program such as "app.tools.expand", as the
	// person is to read them; "" if it has none.
	KeyText func(action string) string
}

// MessageRenderer shows messages of an extension's own; nil leaves it to the
// program.
type MessageRenderer func(m *session.CustomMessage, v MessageView) Component

// EntryRenderer shows entries of an extension's own; nil leaves them out.
type EntryRenderer func(e *session.CustomEntry, v MessageView) Component

// ToolRenderers are what [Tool] has to show calls and results.
type ToolRenderers struct {
	Call   func(r ToolView) Component
	Result func(r ToolView, result ToolResult) Component
	// OwnFrame is that of [Tool].
	OwnFrame bool
}

// MarkdownView says what a text is shown for.
type MarkdownView struct {
	MessageType MarkdownType
	Streaming   bool
	Width       int // in columns
	// EntryID is the entry that keeps it, "" for what is shown before it is stored. Time is
	// when the message was made; both are empty for MarkdownChangelog.
	EntryID string
	Time    time.Time
}

// MarkdownType says what sort of text is shown.
type MarkdownType string

// The types. MarkdownCustom are messages of extensions that no renderer of theirs shows,
// MarkdownSummary what compactions and branches that were left are summed up in,
// MarkdownChangelog what is new in the program, as /changelog shows it.
const (
	MarkdownUser      MarkdownType = "user"
	MarkdownAssistant MarkdownType = "assistant"
	MarkdownThinking  MarkdownType = "assistant-thinking"
	MarkdownCustom    MarkdownType = "custom"
	MarkdownSummary   MarkdownType = "summary"
	MarkdownChangelog MarkdownType = "changelog"
)

// markdownTypes are all of them, those first that a transformer gets unless it says so.
var markdownTypes = [...]MarkdownType{MarkdownUser, MarkdownAssistant, MarkdownThinking, MarkdownCustom, MarkdownSummary, MarkdownChangelog}

// usualMarkdown is how many those are.
const usualMarkdown = 3

// MarkdownTransformer changes a text before it is shown. What is stored and what
// the model sees stays.
type MarkdownTransformer func(markdown string, v MarkdownView) string
