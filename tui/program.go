package tui

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/render"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
)

// Options are the settings of a [Program]. Only Terminal is needed.
type Options struct {
	Terminal *term.Terminal
	// Ruler measures text; nil is the default one.
	Ruler *text.Ruler
	// Bindings are the keys of the program. Nil stands for [StandardBindings].
	Bindings *input.Bindings
	// ShowCursor shows the terminal's own cursor at the place of the focused
	// component's. It always stands there, for input methods, but is hidden
	// otherwise, as components draw a cursor of their own.
	ShowCursor bool
	// KeepScrollback never clears the terminal's scrollback, so that after a
	// resize it can hold lines in their old form.
	KeepScrollback bool
	// ClearOnShrink writes everything again, in regular mode, when what is shown
	// has become shorter and rows at the bottom are empty. Without it they stay
	// empty until there is something to show.
	ClearOnShrink bool
	// Scrollbar draws a scrollbar in full-screen mode, in these two forms of a
	// cell. The zero value draws none.
	ScrollbarTrack, ScrollbarThumb string
	// ScrollbarAlways draws it when all is in view, too.
	ScrollbarAlways bool
	// Selection is the style of text that is selected with the mouse in
	// full-screen mode, Match that of what a search found, CurrentMatch that of the
	// match the view is at. The zero Style stands for swapped colours.
	Selection, Match, CurrentMatch text.Style
	// OnCopy gets text that was selected. Nil puts it on the clipboard by way of
	// the terminal.
	OnCopy func(string)
	// QuitKeys are the names of keys that end the program when nothing else takes
	// them; Run then returns nil. While the program runs ctrl+c is a key like any
	// other and sends no signal, so most programs want it here. New panics for a
	// name that is no key's.
	QuitKeys []string
	// Signals are the signals that end the program; Run then returns a
	// [SignalError]. Nil leaves signals alone. With any, the program also paints
	// the screen again when the process goes on after it was stopped.
	Signals []os.Signal
	// OnError gets errors of components, which do not end the program.
	OnError func(error)
	// OnResize is called on the program's goroutine when it begins and after the
	// size has changed, before the next frame.
	OnResize func(width, height int)
	// OnCapabilities is called when the terminal has told something about itself.
	OnCapabilities func(term.Capabilities)
}

// SignalError is what Run returns when a signal has ended the program.
type SignalError struct{ Signal os.Signal }

// Error names the signal.
func (e SignalError) Error() string { return "ended by signal: " + e.Signal.String() }

// Program runs a user interface: it owns the terminal, reads its input, and
// draws. All components belong to the goroutine of [Program.Run]; others use
// [Program.Do] to get there.
type Program struct {
	// Transcript scrolls; in full-screen mode in a window of its own, else with
	// the terminal.
	Transcript *Transcript
	// Bottom is what stays below it: an editor, a status line.
	Bottom *Container

	opts     Options
	wheel    int // lines that a step of the wheel scrolls; 0 is the usual number
	quitKeys []input.ID
	term     *term.Terminal
	caps     term.Capabilities
	decoder  input.Decoder
	focus    Component
	told     Component // was told that it has the focus
	overlays []*Overlay
	filters  []*filter
	view     view
	selected selection
	search   search

	width, height int
	pixels        image.Point // the size in pixels, if it is known
	inline        *render.Inline
	full          *render.Full
	parked        *render.Inline // what drew the main screen before it became full-screen
	fixed         int            // rows of the last frame in regular mode that are not the transcript's
	buf           []byte
	dirty         bool // something may look different
	lastFrame     time.Time
	staleSince    time.Time // since when the scrollback is not right; zero if it is
	lastChange    time.Time // the last change while it is so
	again         bool      // the next frame writes everything again
	exitLines     []string
	reader        *reader
	running       bool           // the terminal is ours
	signals       chan os.Signal // those of [Options.Signals]
	turns         atomic.Int64   // of the loop: one that does not turn is stuck
	continued     chan os.Signal // the process goes on after it was stopped
	panicked      atomic.Bool    // a goroutine of Go ends the process

	mu    sync.Mutex // guards posts, begun and ended
	posts []func()
	begun bool
	ended bool
	wake  chan struct{}
	over  chan struct{} // closed when Run has ended
	quit  error
	stuck error // why the terminal was given up; guarded by mu
	done  bool  // Quit was called
}

// filter is a function that sees events before components do.
// filter has one of its functions.
type filter struct {
	f       func(input.Event) bool
	rewrite func(input.Event) []input.Event
}

// New returns a program. The terminal is not touched before Run. It panics without
// a terminal.
func New(opts Options) *Program {
	if opts.Terminal == nil {
		panic("tui.New: Options.Terminal is nil; term.Open finds the terminal")
	}
	if opts.Bindings == nil {
		opts.Bindings = input.NewBindings(StandardBindings())
	}
	p := &Program{
		Transcript: NewTranscript(), Bottom: &Container{},
		opts: opts, term: opts.Terminal, wake: make(chan struct{}, 1), over: make(chan struct{}),
	}
	for _, name := range opts.QuitKeys {
		p.quitKeys = append(p.quitKeys, input.MustParse(name))
	}
	reported := map[string]bool{}
	report := func(err error) {
		// A component that panics does so at every frame: tell once.
		if p.opts.OnError != nil && !reported[err.Error()] {
			reported[err.Error()] = true
			p.opts.OnError(err)
		}
	}
	p.Transcript.report, p.Bottom.report = report, report
	p.view.follow = true
	p.caps = term.NewCapabilities(p.term.Facts())
	return p
}

// Change changes settings while the program runs, as a user does who picks
// another theme; see also [Program.Redraw]. The terminal and the signals stay the
// same. It must be called on the program's goroutine, or before Run.
func (p *Program) Change(f func(o *Options)) {
	signals := p.opts.Signals
	f(&p.opts)
	p.opts.Terminal, p.opts.Signals = p.term, signals
	if p.inline != nil {
		p.inline.SetKeepScrollback(p.opts.KeepScrollback)
	}
	p.dirty = true
}

// Bindings returns the keys of the program.
func (p *Program) Bindings() *input.Bindings { return p.opts.Bindings }

// Terminal returns the terminal.
func (p *Program) Terminal() *term.Terminal { return p.term }

// Capabilities returns what the terminal has told about itself so far.
func (p *Program) Capabilities() term.Capabilities { return p.caps }

// Size returns the size of the terminal in cells.
func (p *Program) Size() (width, height int) { return p.width, p.height }

// Do runs f on the program's goroutine and then draws. It may be called from any
// goroutine and does not wait: what f uses must not be changed by others after the
// call. After the end of Run, f is not run; Do returns false then.
func (p *Program) Do(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.posts = append(p.posts, f)
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return true
}

// Update draws again soon. It may be called from any goroutine; many calls make
// one frame.
func (p *Program) Update() { p.Do(func() {}) }

// Restyle makes all components draw anew, as after a change of colours. What looks
// the same is not sent again. It must be called on the program's goroutine.
func (p *Program) Restyle() {
	p.Transcript.Invalidate()
	p.Bottom.Invalidate()
	for _, o := range p.overlays {
		Invalidate(o.component)
	}
	p.dirty = true
}

// Redraw makes all components draw anew, and the whole screen be painted; in
// regular mode the scrollback, too, unless that is to be kept. It must be called
// on the program's goroutine.
func (p *Program) Redraw() {
	p.Restyle()
	switch {
	case p.full != nil:
		p.full.Invalidate()
	case p.inline != nil && p.opts.KeepScrollback:
		p.inline.Invalidate()
	case p.inline != nil:
		p.again = true
	}
	p.dirty = true
}

// Quit ends Run, which returns err. It may be called from any goroutine; the
// first call counts.
func (p *Program) Quit(err error) {
	p.Do(func() {
		if !p.done {
			p.done, p.quit = true, err
		}
	})
}

// Go runs f on a goroutine of its own. If it panics, the terminal is restored
// before the program ends with the stack trace.
func (p *Program) Go(f func()) {
	go func() {
		defer p.restoreOnPanic()
		f()
	}()
}

func (p *Program) restoreOnPanic() {
	if r := recover(); r != nil {
		p.panicked.Store(true)
		_ = p.term.Stop()
		panic(fmt.Sprintf("%v\n\n%s", r, debug.Stack()))
	}
}

// SetFocus gives the focus to a component; nil takes it from all. It must be
// called on the program's goroutine, or before Run.
func (p *Program) SetFocus(c Component) {
	p.focus = c
	p.tellFocus()
	p.dirty = true
}

// Focus returns the component that has the focus.
func (p *Program) Focus() Component { return p.focus }

// Filter adds a function that sees each event before any component. If it
// returns true the event goes no further. The result takes the function away.
func (p *Program) Filter(f func(ev input.Event) (used bool)) (remove func()) {
	return p.addFilter(&filter{f: f})
}

// Rewrite adds a function that puts other events in the place of each, before any
// component and the filters that come later see it: the event itself leaves it, none uses
// it up. The result takes the function away.
func (p *Program) Rewrite(f func(ev input.Event) []input.Event) (remove func()) {
	return p.addFilter(&filter{rewrite: f})
}

func (p *Program) addFilter(fl *filter) (remove func()) {
	p.filters = append(p.filters, fl)
	return func() {
		p.filters = slices.DeleteFunc(p.filters, func(x *filter) bool { return x == fl })
	}
}

// ShowOverlay draws a component over the others and, unless the options say
// otherwise, gives it the focus. It must be called on the program's goroutine, or
// before Run; elsewhere see [Ask].
func (p *Program) ShowOverlay(c Component, opts OverlayOptions) *Overlay {
	c = identified(c)
	o := &Overlay{p: p, component: c, opts: opts, before: p.focus}
	p.overlays = append(p.overlays, o)
	if !opts.NonCapturing {
		p.SetFocus(c)
	}
	p.dirty = true
	return o
}

func (p *Program) removeOverlay(o *Overlay) {
	had := o.Focused()
	p.overlays = slices.DeleteFunc(p.overlays, func(x *Overlay) bool { return x == o })
	// Those that would give the focus back to this one go a step further.
	for _, x := range p.overlays {
		if same(x.before, o.component) {
			x.before = o.before
		}
	}
	if had {
		p.SetFocus(o.before)
	}
	p.dirty = true
}

func (p *Program) raise(o *Overlay) {
	p.overlays = slices.DeleteFunc(p.overlays, func(x *Overlay) bool { return x == o })
	p.overlays = append(p.overlays, o)
}

// Every runs f on the program's goroutine after each interval, until stop is
// called or the program ends. Each call is followed by a frame. The next interval,
// of a millisecond at least, begins when f has run: calls that are missed, as while
// the terminal is handed over, are not made up for. Every may be called from any
// goroutine, and so may stop.
func (p *Program) Every(interval time.Duration, f func()) (stop func()) {
	var mu sync.Mutex
	stopped := false
	var timer *time.Timer
	on := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return !stopped
	}
	interval = max(interval, time.Millisecond)
	tick := func() {
		p.Do(func() {
			if !on() {
				return
			}
			f()
			mu.Lock()
			defer mu.Unlock()
			if !stopped {
				timer.Reset(interval)
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(interval, tick)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

// PrintOnExit sets lines that are printed to the main screen when a full-screen
// program has ended, such as how to come back.
func (p *Program) PrintOnExit(lines ...string) { p.exitLines = lines }

// HandOver gives the terminal to another program, such as an editor, while f
// runs, and then takes it back and paints the screen again. It must be called on
// the program's goroutine, which waits. A ctrl+c meanwhile is for the other program,
// although it reaches this one as well. While the program does not run, f does
// without more ado.
func (p *Program) HandOver(f func() error) error {
	if !p.running {
		return f()
	}
	if p.inline != nil {
		_, _ = p.term.Write(p.inline.Pause(nil))
	}
	if err := p.term.Stop(); err != nil {
		return fmt.Errorf("hand the terminal over: %w", err)
	}
	rest, parked := p.reader.park()
	ferr := f()
	if err := p.term.Start(); err != nil {
		return errors.Join(ferr, fmt.Errorf("take the terminal back: %w", err))
	}
	if parked {
		p.reader.goOn()
	}
	select {
	case <-p.continued: // by a stop of our own
	default:
	}
	p.forgetInterrupts()
	p.resize()
	if p.full != nil {
		p.full.Invalidate()
	}
	p.dirty = true
	p.feed(p.decoder.Feed(rest))
	// The end of what was half here has gone to the other program, or nowhere.
	p.feed(p.decoder.Abandon())
	return ferr
}

// forgetInterrupts drops the signals of ctrl+c that came while the terminal had
// another user. They go to all programs in front.
func (p *Program) forgetInterrupts() {
	for range len(p.signals) {
		if s := <-p.signals; s != os.Interrupt {
			p.signals <- s
		}
	}
}

// Suspend stops the process as ctrl+z does elsewhere, and goes on when the shell
// continues it. No key does that by itself: a program calls it from a function of
// [Program.Filter]. On systems without job control it does nothing. It must be called
// on the program's goroutine.
func (p *Program) Suspend() error {
	if !canSuspend {
		return nil
	}
	return p.HandOver(suspend)
}

// Run runs the program until Quit is called, the context is done, the terminal
// fails, or a signal comes. The terminal is restored on every way out; one that takes
// nothing any more is given up two seconds after a signal or the end of the context,
// and a second signal then has its usual effect. A Program runs once; another one can
// run on the same terminal afterwards.
func (p *Program) Run(ctx context.Context) error {
	p.mu.Lock()
	again := p.begun
	p.begun = true
	p.mu.Unlock()
	if again {
		return errors.New("run the user interface: this program has been run already")
	}
	return p.run(ctx)
}

// Send writes to the terminal outside of a frame: an image, a notification. What
// it writes must not move the cursor. It must be called on the program's
// goroutine.
func (p *Program) Send(s string) { _, _ = p.term.Write([]byte(s)) }
