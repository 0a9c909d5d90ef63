package term

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/gdamore/tcell/v2"
	xterm "golang.org/x/term"
)

// ErrNoTerminal is returned when there is no terminal to draw on.
var ErrNoTerminal = errors.New("no terminal")

// ErrStopped is returned for writes to a terminal that is not started.
var ErrStopped = errors.New("the terminal is stopped")

// Options say how to use a terminal. The zero value draws on the main screen of
// the process's own terminal, without the mouse.
type Options struct {
	// Tty is the device; nil opens the terminal of the process.
	Tty tcell.Tty
	// FullScreen uses the alternate screen.
	FullScreen bool
	// Mouse asks for mouse events. The terminal's own selection then needs a
	// modifier key, shift in most.
	Mouse bool
	// ASCII writes the signs that interfaces are drawn with in ASCII, see [ASCII].
	// It is on in locales that have nothing else, whatever is given here.
	ASCII bool
	// Output is the program's standard output, for programs that draw only if that
	// is a terminal: Open then fails where it is a file or a pipe. Nil draws on the
	// terminal of the process in any case, as a program does that lets the user
	// choose something and prints the choice for another program.
	Output *os.File
	// Getenv reads the environment; nil is os.Getenv.
	Getenv func(string) string
}

// Terminal is a terminal that is in use, or ready to be. Its methods may be
// called from several goroutines.
type Terminal struct {
	tty   tcell.Tty
	facts Facts

	device sync.Mutex // guards raw, and not the writes: those can wait for long
	raw    bool       // the device is started

	mu         sync.Mutex
	ascii      bool
	running    bool
	fullScreen bool
	mouse      bool
	otherKeys  bool   // xterm's modifyOtherKeys is on
	title      string // "" for that of before
	progress   string // the sequence that shows it, "" for none
	resized    func()
}

// Open finds the terminal. It changes nothing yet. The error is [ErrNoTerminal],
// with a reason, if there is none that can be drawn on.
func Open(opts Options) (*Terminal, error) {
	getenv := opts.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	t := &Terminal{tty: opts.Tty, facts: FactsOf(getenv), fullScreen: opts.FullScreen, mouse: opts.Mouse}
	t.ascii = opts.ASCII || t.facts.ASCII
	if t.facts.Dumb {
		return nil, fmt.Errorf("%w: TERM=%q can not move the cursor", ErrNoTerminal, getenv("TERM"))
	}
	if t.tty == nil {
		if opts.Output != nil && !xterm.IsTerminal(int(opts.Output.Fd())) {
			return nil, fmt.Errorf("%w: %s is a file or a pipe", ErrNoTerminal, opts.Output.Name())
		}
		tty, err := tcell.NewDevTty()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoTerminal, err)
		}
		t.tty = newDevice(tty)
	}
	return t, nil
}

// Facts returns what the environment says about the terminal.
func (t *Terminal) Facts() Facts { return t.facts }

// Start puts the terminal into raw mode and switches on what a user interface
// needs. It may be called again after Stop.
func (t *Terminal) Start() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running {
		return nil
	}
	if err := t.tty.Start(); err != nil {
		return fmt.Errorf("start the terminal: %w", err)
	}
	t.device.Lock()
	t.raw = true
	t.device.Unlock()
	t.running = true
	t.tty.NotifyResize(t.resized)
	if _, err := t.tty.Write([]byte(t.enter())); err != nil {
		err = fmt.Errorf("set up the terminal: %w", err)
		return errors.Join(err, t.stop(""))
	}
	return nil
}

// Stop brings the terminal back to the state it was in, on one path for every
// way out. Calls after the first do nothing.
func (t *Terminal) Stop() error { return t.StopWith("") }

// StopWith is [Terminal.Stop] with last words: text that is written to the main
// screen once it is shown again, with CR LF at the end of its lines.
func (t *Terminal) StopWith(text string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stop(text)
}

func (t *Terminal) stop(text string) error {
	if !t.running {
		return nil
	}
	t.running = false
	if t.ascii {
		text = string(ASCII([]byte(text)))
	}
	_, werr := t.tty.Write([]byte(t.leave() + text))
	if werr != nil {
		werr = fmt.Errorf("reset the terminal: %w", werr)
	}
	t.tty.NotifyResize(nil)
	_, err := t.letGo()
	return errors.Join(werr, err)
}

// letGo stops the device, if it is started.
func (t *Terminal) letGo() (was bool, _ error) {
	t.device.Lock()
	defer t.device.Unlock()
	if !t.raw {
		return false, nil
	}
	t.raw = false
	derr := t.tty.Drain()
	if err := t.tty.Stop(); err != nil {
		return true, fmt.Errorf("restore the terminal: %w", errors.Join(derr, err))
	}
	return true, nil // Drain fails where there is nothing to drain
}

// Abandon restores the device and writes nothing, for a terminal that takes nothing
// any more. A write that waits, and Stop while it does, end then, with an error. It
// reports whether the terminal was in use.
func (t *Terminal) Abandon() (was bool, err error) { return t.letGo() }

// Close stops the terminal and lets go of the device. A program that ran on it has
// stopped it already, and some devices are closed by that.
func (t *Terminal) Close() error {
	err := t.Stop()
	if cerr := t.tty.Close(); !errors.Is(cerr, os.ErrClosed) {
		err = errors.Join(err, cerr)
	}
	return err
}

// The modes that are switched on, in this order; they are left in the reverse.
const (
	altScreenOn  = "\x1b[?1049h"
	altScreenOff = "\x1b[?1049l"
	modesOn      = "\x1b[?7l" + // no wrap: a row that is too long can not push others away
		"\x1b[?2004h" + // bracketed paste
		"\x1b[?1004h" + // focus
		"\x1b[?2031h" + // changes of the colour scheme
		"\x1b[>7u" // kitty keyboard: disambiguate, event types, alternate keys
	modesOff = "\x1b[?2026l" + // a frame that was cut off must not freeze the screen
		"\x1b[<u\x1b[?2031l\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[0m\x1b[?25h"
	mouseOn      = "\x1b[?1002h\x1b[?1006h"
	mouseOff     = "\x1b[?1006l\x1b[?1002l"
	otherKeysOn  = "\x1b[>4;2m"
	otherKeysOff = "\x1b[>4;0m"
	pushTitle    = "\x1b[22;2t"
	popTitle     = "\x1b[23;2t"
)

func (t *Terminal) enter() string {
	s := ""
	// The alternate screen comes first: keyboard flags belong to a screen.
	if t.fullScreen {
		s += altScreenOn
	}
	s += modesOn
	if t.mouse {
		s += mouseOn
	}
	if t.otherKeys {
		s += otherKeysOn
	}
	if t.title != "" {
		s += pushTitle + Title(t.title)
	}
	return s + t.progress
}

func (t *Terminal) leave() string {
	s := ""
	if t.otherKeys {
		s += otherKeysOff
	}
	if t.mouse {
		s += mouseOff
	}
	s += modesOff
	if t.title != "" {
		s += popTitle
	}
	if t.progress != "" {
		s += Progress(ProgressNone, 0)
	}
	if t.fullScreen {
		s += altScreenOff
	}
	return s
}

// FullScreen reports whether the alternate screen is in use.
func (t *Terminal) FullScreen() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fullScreen
}

// SetFullScreen switches between the screens.
func (t *Terminal) SetFullScreen(on bool) error {
	return t.change(func() string {
		if t.fullScreen == on {
			return ""
		}
		s := t.leave()
		t.fullScreen = on
		return s + t.enter()
	})
}

// SetMouse switches mouse events on or off.
func (t *Terminal) SetMouse(on bool) error {
	return t.change(func() string {
		if t.mouse == on {
			return ""
		}
		t.mouse = on
		if on {
			return mouseOn
		}
		return mouseOff
	})
}

// UseOtherKeys switches xterm's modifyOtherKeys on, for terminals that do not
// know the kitty keyboard protocol.
func (t *Terminal) UseOtherKeys() error {
	return t.change(func() string {
		if t.otherKeys {
			return ""
		}
		t.otherKeys = true
		return otherKeysOn
	})
}

// SetTitle sets the title of the terminal's window; "" brings the title back
// that was there before, as Stop does until the next Start.
func (t *Terminal) SetTitle(title string) error {
	return t.change(func() string {
		before := t.title
		t.title = title
		switch {
		case title == before:
			return ""
		case title == "":
			return popTitle
		case before == "":
			return pushTitle + Title(title)
		}
		return Title(title)
	})
}

// SetProgress shows progress beside the title or in the task bar, see [Progress],
// until it is set to [ProgressNone] or the terminal is stopped.
func (t *Terminal) SetProgress(state ProgressState, percent int) error {
	return t.change(func() string {
		before := t.progress
		t.progress = Progress(state, percent)
		if t.progress == before {
			return ""
		}
		if state == ProgressNone {
			t.progress = ""
			if before == "" {
				return ""
			}
			return Progress(ProgressNone, 0)
		}
		return t.progress
	})
}

// change writes what f returns, if the terminal is running; if it is not, the
// change takes effect with the next Start.
func (t *Terminal) change(f func() string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := f()
	if s == "" || !t.running {
		return nil
	}
	if t.ascii {
		s = string(ASCII([]byte(s)))
	}
	if _, err := t.tty.Write([]byte(s)); err != nil {
		return fmt.Errorf("change a mode of the terminal: %w", err)
	}
	return nil
}

// Read reads what the terminal sends. It returns with an error when the terminal
// is stopped.
func (t *Terminal) Read(b []byte) (int, error) { return t.tty.Read(b) }

// Write writes to the terminal. It fails with [ErrStopped] before Start and
// after Stop.
func (t *Terminal) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.running {
		return 0, ErrStopped
	}
	out := b
	if t.ascii {
		out = ASCII(b)
	}
	n, err := t.tty.Write(out)
	if err != nil {
		return min(n, len(b)), fmt.Errorf("write to the terminal: %w", err)
	}
	return len(b), nil
}

// Size returns the size of the terminal in cells; 80 by 24 if it is not known.
func (t *Terminal) Size() (width, height int) {
	s, err := t.tty.WindowSize()
	if err != nil || s.Width <= 0 || s.Height <= 0 {
		return 80, 24
	}
	return s.Width, s.Height
}

// PixelSize returns the size of the terminal in pixels; 0 by 0 where the device
// does not tell.
func (t *Terminal) PixelSize() (width, height int) {
	s, err := t.tty.WindowSize()
	if err != nil {
		return 0, 0
	}
	return s.PixelWidth, s.PixelHeight
}

// OnResize sets the function that is called, on a goroutine of its own, after
// the size has changed.
func (t *Terminal) OnResize(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resized = f
	if t.running {
		t.tty.NotifyResize(f)
	}
}
