package tuitest

import (
	"errors"
	"io"
	"sync"

	"github.com/gdamore/tcell/v2"
)

// Tty is a tcell.Tty on a [Terminal], to run a whole program against. It may be
// used from several goroutines.
type Tty struct {
	mu      sync.Mutex
	cond    *sync.Cond
	term    *Terminal
	in      []byte
	running bool
	drained bool
	closed  bool
	resized func()
	pixels  [2]int
	writes  int
	bytes   int
	log     []string // starts and stops, in order
	fail    error
}

// NewTty returns a device of a size whose replies to queries come back as input.
func NewTty(width, height int) *Tty {
	t := &Tty{term: New(width, height)}
	t.cond = sync.NewCond(&t.mu)
	t.term.OnReply(func(s string) { t.in = append(t.in, s...) }) // called by Write, which has the lock
	return t
}

// With calls f with the terminal while nobody writes to it.
func (t *Tty) With(f func(*Terminal)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(t.term)
}

// Screen returns what [Terminal.Screen] does.
func (t *Tty) Screen() (rows []string) {
	t.With(func(term *Terminal) { rows = term.Screen() })
	return rows
}

// Type sends bytes as if they came from the keyboard.
func (t *Tty) Type(s string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.in = append(t.in, s...)
	t.cond.Broadcast()
}

// Resize changes the size of the terminal and tells the program.
func (t *Tty) Resize(width, height int) {
	t.mu.Lock()
	t.term.Resize(width, height)
	f := t.resized
	t.mu.Unlock()
	if f != nil {
		f()
	}
}

// ResizePixels changes the size in pixels, which is not known before, and tells
// the program; the number of cells stays the same.
func (t *Tty) ResizePixels(width, height int) {
	t.mu.Lock()
	t.pixels = [2]int{width, height}
	f := t.resized
	t.mu.Unlock()
	if f != nil {
		f()
	}
}

// SetLight changes the terminal's background, see [Terminal.SetLight].
func (t *Tty) SetLight(light bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.term.SetLight(light)
	t.cond.Broadcast()
}

// Fail makes all later writes return an error, as for a terminal that was closed.
func (t *Tty) Fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fail = err
}

// Writes returns how many writes there were and how many bytes they had.
func (t *Tty) Writes() (writes, bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.writes, t.bytes
}

// Running reports whether the device is in raw mode.
func (t *Tty) Running() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.running
}

// Log returns the starts and stops of the device, in order.
func (t *Tty) Log() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.log...)
}

// Start is for the program under test.
func (t *Tty) Start() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running {
		return errors.New("started twice")
	}
	t.running, t.drained = true, false
	t.log = append(t.log, "start")
	return nil
}

// Stop is for the program under test.
func (t *Tty) Stop() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.running {
		return errors.New("stopped twice")
	}
	t.running = false
	t.log = append(t.log, "stop")
	t.cond.Broadcast()
	return nil
}

// Drain is for the program under test.
func (t *Tty) Drain() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drained = true
	t.cond.Broadcast()
	return nil
}

// NotifyResize is for the program under test.
func (t *Tty) NotifyResize(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.resized = f
}

// WindowSize is for the program under test.
func (t *Tty) WindowSize() (tcell.WindowSize, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w, h := t.term.Size()
	return tcell.WindowSize{Width: w, Height: h, PixelWidth: t.pixels[0], PixelHeight: t.pixels[1]}, nil
}

// Read is for the program under test. It waits for input.
func (t *Tty) Read(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.in) == 0 && !t.closed && t.running && !t.drained {
		t.cond.Wait()
	}
	if len(t.in) == 0 {
		return 0, io.EOF
	}
	n := copy(b, t.in)
	t.in = t.in[n:]
	return n, nil
}

// Write is for the program under test.
func (t *Tty) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fail != nil {
		return 0, t.fail
	}
	t.writes++
	t.bytes += len(b)
	defer t.cond.Broadcast()
	return t.term.Write(b)
}

// Close is for the program under test.
func (t *Tty) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.cond.Broadcast()
	return nil
}

var _ tcell.Tty = (*Tty)(nil)
