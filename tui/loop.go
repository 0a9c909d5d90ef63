package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/render"
	"github.com/pi-go/pi/tui/term"
)

const (
	frameTime = 16 * time.Millisecond  // at most one frame in this time
	echoTime  = 2 * time.Millisecond   // a frame after a key may come sooner
	quietTime = 100 * time.Millisecond // how long the size must be still before everything is written again
	parkTime  = 500 * time.Millisecond // how long to wait for a read to end
	staleTime = time.Second            // how long the scrollback may be wrong while things change
	stuckTime = 2 * time.Second        // how long the loop may stand still when it is to end
	idleSlice = 3 * time.Millisecond   // how long to lay out what is out of view, at a time
)

func (p *Program) run(ctx context.Context) (err error) {
	defer func() {
		p.mu.Lock()
		p.ended = true
		p.posts = nil
		p.mu.Unlock()
		close(p.over)
	}()
	if err := p.term.Start(); err != nil {
		return fmt.Errorf("run the user interface: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		// The one way back, also while panicking.
		r := recover()
		p.running = false
		p.finishFrame()
		serr := p.term.StopWith(p.farewell(r != nil))
		p.mu.Lock()
		stuck := p.stuck
		p.mu.Unlock()
		cancel()
		if r != nil {
			panic(r)
		}
		if p.panicked.Load() {
			// Only the terminal that was taken away ended the loop. Whoever called Run
			// would leave before the reason is told.
			select {}
		}
		select {
		case <-p.reader.done:
		case <-time.After(parkTime): // a device that does not let go of a reader
		}
		if err = errors.Join(err, serr); stuck != nil {
			err = stuck
		}
	}()
	p.reader = newReader()
	go p.reader.run(ctx, p.term)
	resized := make(chan struct{}, 1)
	p.term.OnResize(func() {
		select {
		case resized <- struct{}{}:
		default:
		}
	})
	p.signals = make(chan os.Signal, 4)
	if len(p.opts.Signals) > 0 {
		signal.Notify(p.signals, p.opts.Signals...)
		defer signal.Stop(p.signals)
	}

	go p.watch(ctx, p.opts.Signals) // the options may be changed meanwhile
	p.continued = make(chan os.Signal, 1)
	if len(p.opts.Signals) > 0 {
		notifyContinued(p.continued)
		defer signal.Stop(p.continued)
	}
	p.begin()
	if _, err := p.term.Write([]byte(term.Queries(p.term.Facts()))); err != nil {
		return fmt.Errorf("run the user interface: %w", err)
	}
	var escape, frame, quiet, idle, queries timer
	defer escape.stop()
	defer frame.stop()
	defer quiet.stop()
	defer idle.stop()
	defer queries.stop()
	queries.set(term.QueryTime)
	typed, failed := false, 0
	read := func(b []byte) {
		p.feed(p.decoder.Feed(b))
		typed, failed = true, 0
		escape.stop()
		if wait, ok := p.decoder.Wait(); ok {
			escape.set(wait)
		}
	}
	for {
		p.turns.Add(1)
		// Draw when it is time; otherwise come back when it is.
		if p.dirty {
			wait := frameTime
			if typed {
				wait = echoTime
			}
			if since := time.Since(p.lastFrame); since >= wait {
				typed = false
				if err := p.frame(); err != nil {
					return err
				}
				if !p.staleSince.IsZero() {
					quiet.set(time.Until(p.reemitAt()))
				}
				if p.full != nil {
					idle.set(frameTime)
				}
			} else {
				if typed {
					frame.stop() // it may be set for a frame that nobody waits for
				}
				frame.set(wait - since)
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case s := <-p.signals:
			return SignalError{s}
		case err := <-p.reader.parked:
			if failed++; failed > 3 {
				return fmt.Errorf("read from the terminal: %w", err)
			}
			p.reader.goOn()
		case <-resized:
			if !p.resize() {
				p.cameBack()
			}
		case <-p.continued:
			// Something else has stopped the process, and the shell has used the
			// terminal meanwhile.
			if err := p.HandOver(func() error { return nil }); err != nil {
				return err
			}
		case b := <-p.reader.bytes:
			read(b)
		case <-escape.c():
			escape.fired()
			select {
			case b := <-p.reader.bytes: // the rest came while the program was busy
				read(b)
			default:
				p.feed(p.decoder.Flush())
				typed = true
			}
		case <-queries.c():
			queries.fired()
			p.learned()
		case <-frame.c():
			frame.fired()
		case <-quiet.c():
			quiet.fired()
			if !p.staleSince.IsZero() {
				if rest := time.Until(p.reemitAt()); rest > 0 {
					quiet.set(rest)
				} else {
					p.reemit()
				}
			}
		case <-idle.c():
			idle.fired()
			end, height := time.Now().Add(idleSlice), p.Transcript.height()
			if p.Transcript.layOutSome(func() bool { return time.Now().After(end) }) {
				idle.set(idleSlice)
			}
			if p.Transcript.height() != height {
				p.dirty = true // the scrollbar
			}
		case <-p.wake:
			p.runPosts()
		}
		if p.done {
			// A last frame, so that what was said at the end is seen, and each line
			// once.
			p.dirty = true
			if !p.staleSince.IsZero() {
				p.reemit()
			}
			if err := p.frame(); err != nil && p.quit == nil {
				return err
			}
			return p.quit
		}
	}
}

// watch gives the terminal up when the loop is to end and stands still: the terminal
// takes nothing, or a component does not return.
func (p *Program) watch(ctx context.Context, heeded []os.Signal) {
	signals := make(chan os.Signal, 1)
	if len(heeded) > 0 {
		signal.Notify(signals, heeded...)
		defer signal.Stop(signals)
	}
	for {
		var why error
		select {
		case <-p.over:
			return
		case <-ctx.Done():
			why = context.Cause(ctx)
		case s := <-signals:
			why = SignalError{s}
		}
		turns := p.turns.Load()
		select {
		case <-p.over:
			return
		case <-time.After(stuckTime):
		}
		if p.turns.Load() != turns {
			continue
		}
		p.mu.Lock()
		was, err := p.term.Abandon()
		if was {
			p.stuck = errors.Join(why, err)
		}
		p.mu.Unlock()
		if was {
			signal.Stop(p.signals)
			return
		}
	}
}

// timer is a time.Timer that may be off.
type timer struct{ t *time.Timer }

func (t *timer) c() <-chan time.Time {
	if t.t == nil {
		return nil
	}
	return t.t.C
}

func (t *timer) set(d time.Duration) {
	if t.t == nil {
		t.t = time.NewTimer(max(d, 0))
	}
}

func (t *timer) fired() { t.t = nil }

func (t *timer) stop() {
	if t.t != nil {
		t.t.Stop()
		t.t = nil
	}
}

// reader passes on what the terminal sends. When a read ends with an error, it
// parks until it is told to go on: the terminal may have been handed over.
type reader struct {
	bytes  chan []byte
	parked chan error
	resume chan struct{}
	done   chan struct{}
}

func newReader() *reader {
	return &reader{make(chan []byte), make(chan error), make(chan struct{}), make(chan struct{})}
}

func (r *reader) run(ctx context.Context, from io.Reader) {
	defer close(r.done)
	for {
		buf := make([]byte, 4096)
		n, err := from.Read(buf)
		if n > 0 {
			select {
			case r.bytes <- buf[:n]:
			case <-ctx.Done():
				return
			}
		}
		if err == nil {
			continue
		}
		select {
		case r.parked <- err:
		case <-ctx.Done():
			return
		}
		select {
		case <-r.resume:
		case <-ctx.Done():
			return
		}
	}
}

// goOn lets a reader that is parked read again, unless it has ended meanwhile.
func (r *reader) goOn() {
	select {
	case r.resume <- struct{}{}:
	case <-r.done:
	}
}

// park waits until the reader does not read any more, and returns what it had
// read until then.
func (r *reader) park() (rest []byte, parked bool) {
	limit := time.NewTimer(parkTime)
	defer limit.Stop()
	for {
		select {
		case b := <-r.bytes:
			rest = append(rest, b...)
		case <-r.parked:
			return rest, true
		case <-r.done:
			return rest, false
		case <-limit.C:
			return rest, false
		}
	}
}

func (p *Program) runPosts() {
	p.mu.Lock()
	posts := p.posts
	p.posts = nil
	p.mu.Unlock()
	for _, f := range posts {
		f()
	}
	p.dirty = true
}

// begin takes the screen.
func (p *Program) begin() {
	p.running = true
	p.width, p.height = p.term.Size()
	p.pixels.X, p.pixels.Y = p.term.PixelSize()
	p.newRenderer()
	p.dirty = true
	p.lastFrame = time.Time{}
	p.resized()
}

func (p *Program) newRenderer() {
	opts := render.Options{Ruler: p.opts.Ruler, KeepScrollback: p.opts.KeepScrollback, NoSync: p.caps.SyncKnown && !p.caps.Sync}
	switch on := p.term.FullScreen(); {
	case on:
		p.inline, p.full, p.parked = nil, render.NewFull(p.width, p.height, opts), p.inline
	case p.parked != nil:
		// The main screen has what it had: it is painted again and not written below it.
		p.inline, p.full, p.parked = p.parked, nil, nil
		p.inline.Resize(p.width, p.height)
		p.inline.SetKeepScrollback(opts.KeepScrollback)
		if opts.NoSync {
			p.inline.SetNoSync()
		}
	default:
		p.inline, p.full = render.NewInline(p.width, p.height, opts), nil
	}
	p.Transcript.keep = 0
	p.again = false
}

// SetFullScreen switches between full-screen and regular mode. It must be called
// on the program's goroutine.
func (p *Program) SetFullScreen(on bool) error {
	if p.term.FullScreen() == on {
		return nil
	}
	if p.inline != nil {
		_, _ = p.term.Write(p.inline.Pause(nil))
	}
	if err := p.term.SetFullScreen(on); err != nil {
		return err
	}
	p.newRenderer()
	if !on {
		// All lines go to the scrollback, those that were never in view, too.
		p.Transcript.refresh(p.width, false)
		p.Transcript.layOutAll()
	}
	p.view = view{follow: true}
	p.dirty = true
	return nil
}

// resize looks whether the size is another one.
func (p *Program) resize() (changed bool) {
	w, h := p.term.Size()
	if w == p.width && h == p.height {
		return false
	}
	p.width, p.height = w, h
	p.pixels.X, p.pixels.Y = p.term.PixelSize()
	if p.inline != nil {
		p.inline.Resize(w, h)
	}
	if p.full != nil {
		p.full.Resize(w, h)
	}
	p.lastChange = time.Now()
	p.dirty = true
	p.resized()
	return true
}

// cameBack is for a change of the size that was undone before anybody looked. The
// terminal has moved its text about all the same, and what was drawn meanwhile was
// drawn for another size. A window that was made larger by less than a cell has
// done nothing of the kind.
func (p *Program) cameBack() {
	before := p.pixels
	p.pixels.X, p.pixels.Y = p.term.PixelSize()
	if p.pixels != before {
		return
	}
	if p.inline != nil {
		p.inline.Invalidate()
	}
	if p.full != nil {
		p.full.Invalidate()
	}
	p.lastChange = time.Now()
	p.dirty = true
}

func (p *Program) resized() {
	if p.opts.OnResize != nil {
		p.opts.OnResize(p.width, p.height)
	}
}

// reemitAt is when a scrollback that is not right is written again: when nothing
// changes for a while, or something has changed for long.
func (p *Program) reemitAt() time.Time {
	at := p.lastChange.Add(quietTime)
	if limit := p.staleSince.Add(staleTime); at.After(limit) {
		return limit
	}
	return at
}

// reemit makes the next frame write everything again. Only that frame lays
// everything out, as the size can be another one by then.
func (p *Program) reemit() { p.again, p.dirty = true, true }

func (p *Program) feed(events []input.Event) {
	for _, ev := range events {
		p.handle(ev)
	}
	if len(events) > 0 {
		p.dirty = true
	}
}

func (p *Program) handle(ev input.Event) {
	if p.caps.Learn(ev) {
		p.learned()
	}
	if _, ok := ev.(input.ColorScheme); ok && p.caps.Done {
		p.Send(term.ColorQueries()) // it is no answer: the user has changed the colours
	}
	if f, ok := ev.(input.Focus); ok && f.In {
		p.resize() // a resize signal can be lost while another program is in front
	}
	focus := p.target()
	if k, ok := ev.(input.Key); ok && k.Action == input.Release {
		// Most would take a release for a second press.
		if w, ok := focus.(ReleaseWanter); !ok || !w.WantsKeyRelease() {
			return
		}
	}
	p.offer(ev, slices.Clone(p.filters))
}

// offer passes an event through filters, and gives what comes through to a component.
func (p *Program) offer(ev input.Event, filters []*filter) {
	for i, f := range filters {
		if f.rewrite != nil {
			for _, other := range f.rewrite(ev) {
				p.offer(other, filters[i+1:])
			}
			return
		}
		if f.f(ev) {
			return
		}
	}
	focus := p.target() // a filter may have moved it
	capture := false
	if c, ok := focus.(Capturer); ok {
		capture = c.CapturesScrolling()
	}
	if !capture && p.full != nil && p.scrollKey(ev) {
		return
	}
	if h, ok := focus.(Handler); ok && p.pass(h, ev) {
		return
	}
	if p.full != nil && p.scrollKey(ev) {
		return
	}
	if k, ok := ev.(input.Key); ok && k.Action != input.Release && slices.ContainsFunc(p.quitKeys, k.Is) {
		p.Quit(nil)
	}
}

// pass gives an event to a component. One that panics does not take the program
// with it.
func (p *Program) pass(h Handler, ev input.Event) (used bool) {
	defer func() {
		if r := recover(); r != nil {
			used = true
			if p.Bottom.report != nil {
				p.Bottom.report(fmt.Errorf("input for %T: panic: %v", h, r))
			}
		}
	}()
	return h.HandleInput(ev)
}

// learned takes note of what the terminal told about itself.
func (p *Program) learned() {
	if p.caps.Done && !p.caps.Kitty {
		_ = p.term.UseOtherKeys()
	}
	if p.caps.SyncKnown && !p.caps.Sync {
		if p.inline != nil {
			p.inline.SetNoSync()
		}
		if p.full != nil {
			p.full.SetNoSync()
		}
	}
	if p.opts.OnCapabilities != nil {
		p.opts.OnCapabilities(p.caps)
	}
	p.dirty = true
}
