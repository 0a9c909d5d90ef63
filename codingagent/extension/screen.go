package extension

// MouseHandler is a [Component] that takes what the mouse does over it. Only a program
// that has the whole screen hears of the mouse.
type MouseHandler interface {
	HandleMouse(m Mouse) (used bool)
}

// MouseAction is what the mouse did.
type MouseAction string

// The actions.
const (
	MousePress   MouseAction = "press"
	MouseRelease MouseAction = "release"
	MouseMove    MouseAction = "move" // with a button held
	MouseWheel   MouseAction = "wheel"
)

// Mouse is something that was done with the mouse, over a component.
type Mouse struct {
	Action MouseAction
	// Button is "left", "middle", "right", "back", "forward", or the direction of the
	// wheel: "up", "down", "left", "right".
	Button string
	// X and Y are the cell, counted from the component's own first.
	X, Y             int
	Ctrl, Alt, Shift bool
}

// ThemeInfo tells of a theme.
type ThemeInfo struct {
	Name string
	// Path is the file it is in, "" for one of the program's own.
	Path string
}

// Rect is a part of the screen in cells, counted from 0.
type Rect struct{ X, Y, Width, Height int }

// Overlay is something custom that lies over everything: see [CustomOptions.OnHandle].
// Methods may be called from any goroutine; what they ask for is done soon.
type Overlay interface {
	// SetHidden takes it from the screen, and its keys with it, or brings it back.
	SetHidden(hidden bool)
	Hidden() bool
	// Focus puts it above the others and gives it the keys, Unfocus gives them back to
	// what had them before; it stays on the screen.
	Focus()
	Unfocus()
	Focused() bool
	// Bounds is where it was drawn last; empty if it was not.
	Bounds() Rect
	// Close ends it: [Screen.Custom] fails with [ErrDismissed]. The usual end is done.
	Close()
}

// Editor is the program's own editor, for a component that stands in its place: what is
// written stays in it, with its history, its completion and what becomes of the text.
// Methods may be called from any goroutine; those of a component may call them too, but
// must not be called by them.
type Editor interface {
	// Lines are as it would be drawn, the list of suggestions included.
	Lines(width int) []string
	Text() string
	SetText(text string)
	// Insert puts a text at the cursor.
	Insert(text string)
	// Press does what a key would do in it, named as in [Key]. The error tells of a name
	// that is none.
	Press(key string) error
	// Submit sends what is written, as the key for that does.
	Submit()
}
