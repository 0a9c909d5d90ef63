package extension

import (
	"context"
	"errors"
	"time"
)

// Mode says how the program talks.
type Mode string

// The modes.
const (
	ModeTUI   Mode = "tui"
	ModeRPC   Mode = "rpc"
	ModeJSON  Mode = "json"
	ModePrint Mode = "print"
)

// UI is how an extension talks to a person. All methods may be called from any
// goroutine. Where nobody can be asked, questions are answered with their
// default at once: nothing chosen, not confirmed.
type UI interface {
	// Select asks for one of some options; ok is false when nothing was chosen.
	Select(ctx context.Context, title string, options []string, o DialogOptions) (choice string, ok bool)
	// Confirm asks a question that is answered by yes or no.
	Confirm(ctx context.Context, title, message string, o DialogOptions) bool
	// Input asks for one line, Editor for a text; ok is false when it was
	// cancelled.
	Input(ctx context.Context, title, placeholder string, o DialogOptions) (text string, ok bool)
	Editor(ctx context.Context, title, prefill string) (text string, ok bool)

	Notify(message string, level Level)
	// SetStatus shows a text in the footer under a key; "" removes it.
	SetStatus(key, text string)
	// SetWidget shows lines, or a component, beside the editor under a key; the
	// zero Widget removes it.
	SetWidget(key string, w Widget)
	SetTitle(title string)
	// SetEditorText replaces what the person has typed, PasteToEditor adds to it.
	SetEditorText(text string)
	PasteToEditor(text string)
	// EditorText gives what the person has typed, "" where that is not known.
	EditorText() string

	// Screen gives what only a program with a screen of its own can do; nil
	// without one.
	Screen() Screen
}

// Attributed is a [UI] that wants to know whose requests it gets, for what it says
// of them.
type Attributed interface {
	// For gives the UI of one extension.
	For(name string, o Origin) UI
}

// DialogOptions tune a question. It ends with its context as well.
type DialogOptions struct {
	// Timeout answers it with its default; 0 waits for ever.
	Timeout time.Duration
}

// Level is how much a notice matters.
type Level string

// The levels. The zero value means Info.
const (
	Info    Level = "info"
	Warning Level = "warning"
	Error   Level = "error"
)

// Placement says where a widget is.
type Placement string

// The placements. The zero value means AboveEditor.
const (
	AboveEditor Placement = "aboveEditor"
	BelowEditor Placement = "belowEditor"
)

// Widget is something shown beside the editor.
type Widget struct {
	// Lines are shown as they are, at most ten.
	Lines []string
	// Component, where there is a screen, is shown instead.
	Component func(Theme) Component
	Placement Placement
}

// Screen is a program's own screen.
type Screen interface {
	// Custom shows a component that takes the place of the editor, or lies over
	// everything, until done is called; it gives what that was called with. It
	// fails with the cause of ctx, with [ErrNoScreen] when the screen or the session
	// ends, and with [ErrDismissed] when the person cancels it with a key that the
	// component does not use. show is called on the caller's goroutine; the
	// component's methods are called one at a time, on a goroutine that changes.
	Custom(ctx context.Context, show func(s Surface, done func(result any)) Component, o CustomOptions) (any, error)
	// SetEditor shows a component in the place of the editor that people write in; nil
	// brings back the program's own. Keys that the component does not use go to own, or
	// mean what they usually do; those that empty the editor, end and suspend the program
	// never reach it.
	SetEditor(show func(s Surface, own Editor) Component)
	// EditorShown gives what SetEditor was given last in this session, by any extension,
	// for one that wants to dress it; nil while the program's own editor is shown.
	EditorShown() func(s Surface, own Editor) Component
	// SetHeader and SetFooter replace those of the program; nil brings them back.
	SetHeader(show func(s Surface) Component)
	SetFooter(show func(s Surface, facts FooterFacts) Component)
	// SetWorking changes what is shown while the agent works; the zero value
	// brings back the program's own.
	SetWorking(w Working)
	// SetHiddenThinkingLabel is shown in the place of hidden thinking; "" brings
	// back the program's own.
	SetHiddenThinkingLabel(label string)
	// AddCompletion adds suggestions to the editor's; the returned function
	// removes them.
	AddCompletion(c Completion) (remove func())
	// OnKey sees the keys before the program does, and may use them up; the
	// returned function ends that.
	OnKey(f func(k Key) (used bool)) (remove func())
	// RewriteKeys puts other keys in the place of each that is typed, before the program
	// and what came later with OnKey or RewriteKeys see it: the key itself leaves it, none
	// uses it up. A function that panics, or is not done within a moment, leaves the key.
	// The returned function ends that.
	RewriteKeys(f func(k Key) []Key) (remove func())
	// Theme is the theme in force, whichever that is when it is used.
	Theme() Theme
	Themes() []ThemeInfo
	// NamedTheme gives the theme of a name of Themes; ok is false if there is none.
	NamedTheme(name string) (t Theme, ok bool)
	// ParseTheme makes a theme of the text of a theme file.
	ParseTheme(file []byte) (Theme, error)
	// SetTheme chooses a theme by its name, and keeps the choice. UseTheme puts one in
	// force that this screen has given, until another is chosen or the session ends; it
	// fails for a theme from elsewhere.
	SetTheme(name string) error
	UseTheme(t Theme) error
	ToolsExpanded() bool
	SetToolsExpanded(expanded bool)
}

// Surface is where a component is shown.
type Surface interface {
	// Size is that of the terminal, in cells.
	Size() (columns, rows int)
	// Redraw asks for the component to be drawn again. It returns at once.
	Redraw()
	Theme() Theme
}

// Component is something that is drawn as lines of text for a width in columns.
// Styles are written as escape sequences, each line ends in the default style,
// none is wider than width. The components of the terminal library are such.
//
// Methods are called one at a time, on goroutines of the program. The screen
// waits for one for a moment only; a component that takes longer is shown as it
// was until it is done, and its keys go elsewhere. So do no work in a method that
// can be done before: keep its result, and ask for a redraw.
//
// Components may further have the methods HandleKey(Key) (used bool) to take
// keys while they have the focus, HandleMouse(Mouse) (used bool), Invalidate() to forget
// what they have drawn, SetFocused(bool), and Close() to end what they have running.
type Component interface {
	Render(width int) []string
}

// Lines makes a component of a function.
type Lines func(width int) []string

// Render calls the function.
func (f Lines) Render(width int) []string { return f(width) }

// KeyHandler is a [Component] that takes keys.
type KeyHandler interface {
	HandleKey(k Key) (used bool)
}

// Key is something that was typed.
type Key struct {
	// ID names a key as key bindings do, such as "ctrl+shift+p"; "" for text that
	// is no key, as from a paste.
	ID string
	// Text is what it types, if it types something.
	Text string
	// Released says that it was let go; only handlers that want it learn of it,
	// and only some terminals tell.
	Released bool
}

// Theme colours text. Tokens are those of theme files; unknown ones are the
// terminal's own colour.
type Theme interface {
	Name() string
	Dark() bool
	// Foreground and Background paint a text in a colour.
	Foreground(token, text string) string
	Background(token, text string) string
	Bold(text string) string
	Italic(text string) string
	Underline(text string) string
	Strikethrough(text string) string
}

// CustomOptions say how a component is shown.
type CustomOptions struct {
	// Overlay lays it over everything, otherwise it stands in the editor's place.
	Overlay bool
	// Title tells what the person is asked, for those that watch.
	Title string
	// Blocked, if not nil, says that the program can not go on without the person: the
	// terminal shows it as paused beside its title or in the task bar, an overlay until it
	// ends, the others while they are seen. Listeners of [Events.UIPromptStart] learn why.
	Blocked *Blocked
	// Width and Height limit an overlay, in cells or per cent ("80%"); "" is the
	// component's own size.
	Width, Height string
	// Anchor is where an overlay lies, such as "center", "top-right"; "" means the
	// center.
	Anchor string
	// MinWidth is the least width. OffsetX and OffsetY move it away from its anchor; Row
	// and Column place its corner instead, in cells or per cent of the room there is.
	MinWidth         string
	OffsetX, OffsetY int
	Row, Column      string
	// Margin keeps it away from the edges; 0 means 1, negative none.
	Margin int
	// Visible says whether it is shown on a terminal of a size; nil always does. It is
	// called while the screen is drawn, and must return at once.
	Visible func(columns, rows int) bool
	// NonCapturing leaves the keys where they are until [Overlay.Focus].
	NonCapturing bool
	// OnHandle gets a handle on an overlay, before it is shown.
	OnHandle func(Overlay)
}

// BlockedKind says what the program waits for.
type BlockedKind string

// The kinds of what the program waits for.
const (
	BlockedByQuestion   BlockedKind = "question"
	BlockedByPermission BlockedKind = "permission"
	BlockedByAuth       BlockedKind = "auth" // a sign-in
)

// Blocked says that the program waits for the person, and for what.
type Blocked struct {
	Kind    BlockedKind
	Message string // one line
}

// Working is what is shown while the agent works.
type Working struct {
	Message string // "" is the program's own
	Hidden  bool
	// Frames are shown one after the other, each for Interval; nil is the
	// program's own, an empty list shows none.
	Frames   []string
	Interval time.Duration
}

// FooterFacts tell a footer what it can show.
type FooterFacts interface {
	// Branch is the git branch, "" if there is none. The program looks for it when a
	// session begins and at the end of each turn.
	Branch() string
	// OnBranchChange has f called when Branch has changed, one call at a time; the
	// returned function ends that, and so does another footer.
	OnBranchChange(f func()) (remove func())
	// Statuses are the texts of [UI.SetStatus] by key.
	Statuses() map[string]string
	// Providers counts the vendors of models that can be used.
	Providers() int
}

// Completion suggests how to go on with what is typed.
type Completion struct {
	// Triggers are characters behind which suggestions are asked for.
	Triggers string
	// Suggest gives suggestions for what is written, and the end of the text before the
	// cursor that they take the place of; none leaves it to those that were there before.
	// ctx ends when the text has changed.
	Suggest func(ctx context.Context, w Written) (prefix string, list []Suggestion)
	// Apply, if not nil, puts the suggestion that was chosen into the text, and gives what
	// is then written; one step of undo takes it back. nil puts Value in the place of the
	// prefix, and so does an Apply that panics or is not done within a moment.
	Apply func(w Written, prefix string, s Suggestion) Written
}

// Written is what the person has typed so far.
type Written struct {
	// Lines are at least one. A paste that is shown as one mark is one character in them;
	// do not change them.
	Lines []string
	// Row and Column are where the cursor is: a line, and an offset in bytes in it.
	Row, Column int
}

// Before is the line of the cursor up to there.
func (w Written) Before() string {
	if w.Row < 0 || w.Row >= len(w.Lines) {
		return ""
	}
	line := w.Lines[w.Row]
	return line[:min(max(w.Column, 0), len(line))]
}

// Suggestion is one of a [Completion], or of the arguments of a command.
type Suggestion struct {
	Value       string
	Label       string // shown instead of Value, if not ""
	Description string
}

// ErrNoScreen is the error of what needs a screen.
var ErrNoScreen = errors.New("there is no screen to show it on")

// ErrDismissed is the error of something custom that the person has sent away.
var ErrDismissed = errors.New("the person has sent it away")

// NoUI is the [UI] where nobody can be asked.
type NoUI struct{}

// Select chooses nothing.
func (NoUI) Select(context.Context, string, []string, DialogOptions) (string, bool) { return "", false }

// Confirm is not confirmed.
func (NoUI) Confirm(context.Context, string, string, DialogOptions) bool { return false }

// Input is cancelled.
func (NoUI) Input(context.Context, string, string, DialogOptions) (string, bool) { return "", false }

// Editor is cancelled.
func (NoUI) Editor(context.Context, string, string) (string, bool) { return "", false }

// Notify does nothing.
func (NoUI) Notify(string, Level) {}

// SetStatus does nothing.
func (NoUI) SetStatus(string, string) {}

// SetWidget does nothing.
func (NoUI) SetWidget(string, Widget) {}

// SetTitle does nothing.
func (NoUI) SetTitle(string) {}

// SetEditorText does nothing.
func (NoUI) SetEditorText(string) {}

// PasteToEditor does nothing.
func (NoUI) PasteToEditor(string) {}

// EditorText is "".
func (NoUI) EditorText() string { return "" }

// Screen is nil.
func (NoUI) Screen() Screen { return nil }
