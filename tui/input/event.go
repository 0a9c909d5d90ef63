package input

// Event is what a terminal can tell: a [Key], [Paste], [Mouse], [Focus], one of
// the answers to queries ([KittyFlags], [Attributes], [Version], [ModeReport],
// [Color], [ColorScheme], [CellSize], [Position], [Clipboard], [Graphics]), or
// [Unknown].
type Event interface{ isEvent() }

// Action is what happened to a key.
type Action uint8

// The actions. Terminals without the kitty protocol tell presses only.
const (
	Press Action = iota
	Repeat
	Release
)

// Key is a key that was pressed, repeated or released.
type Key struct {
	ID
	Action Action
	// Text is what the key types, "" for keys that type nothing. It is one
	// grapheme cluster and can differ from Name: shift+a types "A".
	Text string
	// Raw are the bytes that the terminal sent.
	Raw string
	// also are other names that the same bytes stand for.
	also []ID
}

// Is reports whether the key goes by a name. Some bytes stand for several keys:
// a line feed is ctrl+j, and also what many terminals send for shift+enter.
func (k Key) Is(id ID) bool {
	if k.ID == id {
		return true
	}
	for _, a := range k.also {
		if a == id {
			return true
		}
	}
	return false
}

// Names returns all names the key goes by, the most likely first.
func (k Key) Names() []ID { return append([]ID{k.ID}, k.also...) }

// Paste is a piece of a bracketed paste, byte for byte. A paste of any size
// comes in pieces as it is read; the first one has First set, the last one Last.
type Paste struct {
	Text        string
	First, Last bool
}

// MouseAction is what the mouse did.
type MouseAction uint8

// The actions of a mouse.
const (
	MousePress MouseAction = iota
	MouseRelease
	MouseMove // with a button held, unless Button is NoButton
	MouseWheel
)

// Button is a button of the mouse, or the direction of its wheel.
type Button uint8

// The buttons and directions.
const (
	NoButton Button = iota
	LeftButton
	MiddleButton
	RightButton
	WheelUp
	WheelDown
	WheelLeft
	WheelRight
	BackButton
	ForwardButton
)

// Mouse is an event of the mouse. X and Y count cells from 0.
type Mouse struct {
	Action MouseAction
	Button Button
	X, Y   int
	Mods   Mod
}

// Focus tells that the terminal's window got or lost the keyboard.
type Focus struct{ In bool }

// KittyFlags answers the query for the keyboard protocol's flags.
type KittyFlags struct{ Flags int }

// Attributes answers the query for device attributes (DA1), which every terminal
// answers: once it is there, answers to earlier queries will not come any more.
type Attributes struct{ Params []int }

// Version answers the query for the terminal's name and version (XTVERSION).
type Version struct{ Name string }

// ModeReport answers the query for a private mode (DECRPM): 0 the terminal does
// not know it, 1 set, 2 reset, 3 always set, 4 never set.
type ModeReport struct{ Mode, State int }

// Color answers the query for a colour: an entry of the palette, or one of
// [Foreground], [Background], [CursorColor].
type Color struct {
	Index   int
	R, G, B uint8
}

// What [Color] tells of, other than entries of the palette.
const (
	Foreground  = -1
	Background  = -2
	CursorColor = -3
)

// ColorScheme tells, when asked or when it changes, whether the user prefers
// dark colours.
type ColorScheme struct{ Dark bool }

// CellSize answers the query for the size of a cell in pixels.
type CellSize struct{ Width, Height int }

// TextSize answers the query for the size of the terminal in cells.
type TextSize struct{ Width, Height int }

// Position answers the query for the cursor's place, counted from 0.
type Position struct{ X, Y int }

// Clipboard answers the query for the clipboard (OSC 52).
type Clipboard struct{ Text string }

// Graphics answers a command of the kitty graphics protocol.
type Graphics struct {
	// Keys are the keys of the answer, such as "i=31".
	Keys string
	// Message is "OK" or an error.
	Message string
}

// Unknown is a sequence that is not known. It types nothing.
type Unknown struct{ Raw string }

func (Key) isEvent()         {}
func (Paste) isEvent()       {}
func (Mouse) isEvent()       {}
func (Focus) isEvent()       {}
func (KittyFlags) isEvent()  {}
func (Attributes) isEvent()  {}
func (Version) isEvent()     {}
func (ModeReport) isEvent()  {}
func (Color) isEvent()       {}
func (ColorScheme) isEvent() {}
func (CellSize) isEvent()    {}
func (TextSize) isEvent()    {}
func (Position) isEvent()    {}
func (Clipboard) isEvent()   {}
func (Graphics) isEvent()    {}
func (Unknown) isEvent()     {}
