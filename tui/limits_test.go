package tui_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

func TestAProgramRunsOnceAndTheTerminalManyTimes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 20, 5, tui.Options{}, false, func(*tui.Program) {})
		if err := r.Run(t.Context()); err == nil {
			t.Error("it runs while it runs")
		}
		if err := r.finish(); err != nil {
			t.Fatal(err)
		}
		if err := r.Run(t.Context()); err == nil {
			t.Error("it runs again")
		}
		// What would take the terminal does no harm after the end.
		ran := false
		if err := r.HandOver(func() error { ran = true; return nil }); err != nil || !ran {
			t.Errorf("after the end: handed over %v, error %v", ran, err)
		}
		if r.tty.Running() {
			t.Error("the terminal was taken after the end")
		}
		r.Program = tui.New(tui.Options{Terminal: r.Terminal()})
		r.Transcript.Append(tui.NewText("another one"))
		go func() { r.end <- r.Run(t.Context()) }()
		r.settle()
		r.screen("another one")
		if err := r.finish(); err != nil {
			t.Fatal(err)
		}
	})
}

// What is done before Run either takes effect then or does nothing.
func TestCallsBeforeRun(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(p *tui.Program){
		"hand over": func(p *tui.Program) { _ = p.HandOver(func() error { return nil }) },
		"switch":    func(p *tui.Program) { _ = p.SetFullScreen(true) },
		"write":     func(p *tui.Program) { p.Send("x"); _ = p.Copy("x") },
		"quit":      func(p *tui.Program) { p.Quit(nil) },
		"search":    func(p *tui.Program) { p.OpenSearch(); p.Search("x"); p.SearchNext(1); p.CloseSearch() },
		"scroll":    func(p *tui.Program) { p.Scroll(3); p.Scroll(-3); p.ScrollToStop(1); p.TopItem(); p.Redraw() },
		"select":    func(p *tui.Program) { p.Selected(); p.ClearSelection() },
		"overlay":   func(p *tui.Program) { p.ShowOverlay(tui.NewText("x"), tui.OverlayOptions{}).Hide() },
		"no focus":  func(p *tui.Program) { p.SetFocus(nil) },
		"change":    func(p *tui.Program) { p.Change(func(o *tui.Options) { *o = tui.Options{} }) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				if err := run(t, 20, 5, tui.Options{}, false, f).finish(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Functions and slices can not be compared, and lose the focus all the same.
func TestAnOverlayOfAFunctionGivesTheFocusBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]tui.Component{
		"function": tui.Func(func(int) []string { return []string{"wait"} }),
		"lines":    tui.Lines{"wait"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := &echo{}
				r := run(t, 20, 5, tui.Options{}, false, func(p *tui.Program) { p.Bottom.Add(e); p.SetFocus(e) })
				var below, o *tui.Overlay
				r.do(func() { below = r.ShowOverlay(c, tui.OverlayOptions{}); o = r.ShowOverlay(c, tui.OverlayOptions{}) })
				r.tty.Type("lost")
				r.settle()
				r.do(func() {
					if !o.Focused() || below.Focused() {
						t.Error("the upper one has not the focus alone")
					}
					o.Hide()
					if !below.Focused() {
						t.Error("the lower one has not the focus")
					}
					below.Hide()
				})
				r.tty.Type("x")
				r.settle()
				r.screen("> x")
				_ = r.finish()
			})
		})
	}
}

func TestEveryDoesNotMakeUpForWhatItMissed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		r := run(t, 20, 5, tui.Options{}, false, func(*tui.Program) {})
		var stop func()
		r.do(func() { stop = r.Every(50*time.Millisecond, func() { n++ }) })
		n = 0
		r.do(func() {
			_ = r.HandOver(func() error { time.Sleep(time.Hour); return nil })
			if n != 0 {
				t.Error("it ran meanwhile")
			}
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		if n > 10 {
			t.Errorf("it ran %d times in 300 ms", n)
		}
		stop()
		n = 0
		r.settle()
		if n > 0 {
			t.Error("it runs after stop")
		}
		_ = r.finish()
	})
}

// While another program has the terminal, ctrl+c is for that one.
func TestAnInterruptWhileHandedOverIsForTheOther(t *testing.T) {
	tty := tuitest.NewTty(20, 5)
	tm, err := term.Open(term.Options{Tty: tty, Getenv: func(string) string { return "xterm" }})
	if err != nil {
		t.Fatal(err)
	}
	p := tui.New(tui.Options{Terminal: tm, Signals: tui.QuitSignals()})
	end := make(chan error, 1)
	go func() { end <- p.Run(t.Context()) }()
	for range 10 { // the loop takes one of several things that are ready
		done := make(chan error, 1)
		p.Do(func() { done <- p.HandOver(func() error { return interrupt(t) }) })
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case err := <-end:
			t.Fatal(err)
		}
	}
	p.Quit(nil)
	if err := <-end; err != nil {
		t.Error(err)
	}
}

// interrupt sends this process the signal of ctrl+c, and waits until all who asked
// for it have it.
func interrupt(t *testing.T) error {
	t.Helper()
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt)
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Skipf("this system has no such signal: %v", err)
	}
	<-got
	signal.Stop(got) // waits for those who are being told
	return nil
}

func TestAPasteThatWasHandedOverEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := tui.NewEditor(nil)
		r := run(t, 20, 5, tui.Options{}, false, func(p *tui.Program) { p.Bottom.Add(e); p.SetFocus(e) })
		r.tty.Type("\x1b[200~begun ")
		r.settle()
		r.do(func() { _ = r.HandOver(func() error { return nil }) })
		r.tty.Type("x\x7fy") // keys again
		r.settle()
		if got := e.Text(); got != "begun y" {
			t.Errorf("the text is %q", got)
		}
		_ = r.finish()
	})
}

// A paste whose end is lost does not hold the keyboard for ever.
func TestAPasteWithoutAnEndCanBeLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := tui.NewEditor(nil)
		r := run(t, 20, 5, tui.Options{QuitKeys: []string{"ctrl+c"}}, false, func(p *tui.Program) { p.Bottom.Add(e); p.SetFocus(e) })
		r.tty.Type("\x1b[200~begun ")
		time.Sleep(10 * time.Second)
		r.tty.Type("\x03")
		r.settle()
		if got := e.Text(); got != "begun " {
			t.Errorf("the text is %q", got)
		}
		if r.Do(func() {}) {
			t.Error("ctrl+c has not ended the program")
		}
		_ = r.finish()
	})
}

// Panics of a program's own functions end it, with the terminal restored.
func TestAPanicAnywhereRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	oops := func() { panic("oops") }
	for name, set := range map[string]func(p *tui.Program, o *tui.Options){
		"resize":       func(_ *tui.Program, o *tui.Options) { o.OnResize = func(int, int) { oops() } },
		"capabilities": func(_ *tui.Program, o *tui.Options) { o.OnCapabilities = func(term.Capabilities) { oops() } },
		"filter":       func(p *tui.Program, _ *tui.Options) { p.Filter(func(input.Event) bool { panic("oops") }) },
		"every":        func(p *tui.Program, _ *tui.Options) { p.Every(time.Millisecond, oops) },
		"visible": func(p *tui.Program, _ *tui.Options) {
			p.Do(func() {
				p.ShowOverlay(tui.NewText("x"), tui.OverlayOptions{Visible: func(int, int) bool { panic("oops") }})
			})
		},
		"handed over": func(p *tui.Program, _ *tui.Options) {
			p.Do(func() { _ = p.HandOver(func() error { panic("oops") }) })
		},
		"errors": func(p *tui.Program, o *tui.Options) {
			o.OnError = func(error) { oops() }
			p.Bottom.Add(&echo{panics: true})
		},
	} {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " full screen ", full), func(t *testing.T) {
				t.Parallel()
				tty := tuitest.NewTty(20, 5)
				tm, err := term.Open(term.Options{Tty: tty, FullScreen: full, Getenv: func(string) string { return "xterm" }})
				if err != nil {
					t.Fatal(err)
				}
				p := tui.New(tui.Options{Terminal: tm})
				p.Change(func(o *tui.Options) { set(p, o) })
				tty.Type("q")
				if x := panicOf(p); !strings.Contains(fmt.Sprint(x), "oops") {
					t.Errorf("the panic is %v", x)
				}
				tty.With(func(tt *tuitest.Terminal) {
					if tt.AltScreen() || tt.Mode(2004) || tt.Mode(1004) {
						t.Error("modes are left on")
					}
				})
				if tty.Running() {
					t.Error("raw mode is left on")
				}
			})
		}
	}
}

// panicOf runs a program that panics.
func panicOf(p *tui.Program) (x any) {
	defer func() { x = recover() }()
	_ = p.Run(context.Background())
	return nil
}

// A component of the transcript that takes input has the terminal's cursor, and its
// mark is never written.
func TestTheCursorInTheTranscript(t *testing.T) {
	t.Parallel()
	for _, fullScreen := range []bool{false, true} {
		t.Run(fmt.Sprint("full screen ", fullScreen), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tty := &recorder{Tty: tuitest.NewTty(20, 6)}
				tm, err := term.Open(term.Options{Tty: tty, FullScreen: fullScreen, Getenv: func(string) string { return "xterm" }})
				if err != nil {
					t.Fatal(err)
				}
				e := &echo{text: "한"}
				r := &running{Program: tui.New(tui.Options{Terminal: tm, ShowCursor: true}), t: t, tty: tty.Tty, end: make(chan error, 1)}
				r.Transcript.Append(tui.Lines{"one", "two"})
				r.Transcript.Append(&tui.Frame{Child: e})
				r.Bottom.Add(tui.Lines{"status"})
				r.SetFocus(e)
				go func() { r.end <- r.Run(t.Context()) }()
				r.settle()
				tty.With(func(tt *tuitest.Terminal) {
					if x, y, on := tt.Cursor(); x != 5 || y != 3 || !on {
						t.Errorf("the cursor is at %d, %d, visible %v", x, y, on)
					}
				})
				r.do(func() { r.Transcript.Append(numbered(20)) })
				tty.With(func(tt *tuitest.Terminal) {
					if _, _, on := tt.Cursor(); on {
						t.Error("the cursor is out of view and yet visible")
					}
				})
				_ = r.finish()
				if strings.Contains(tty.written(), tui.CursorMarker) {
					t.Error("the mark is written")
				}
			})
		})
	}
}

// Items can go between a frame and the key that scrolls.
func TestScrollingWhereItemsHaveGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 20, 5, tui.Options{}, true, func(p *tui.Program) {
			for i := range 30 {
				p.Transcript.Append(tui.Lines{fmt.Sprint("line ", i)})
			}
		})
		r.do(func() { r.Scroll(-5) })
		r.do(func() {
			for r.Transcript.Len() > 8 {
				r.Transcript.Item(8).Remove()
			}
			r.Scroll(-1)
		})
		r.screen("line 3", "line 4", "line 5", "line 6", "line 7")
		r.do(func() { r.Transcript.Clear(); r.Scroll(-1); r.Scroll(1); r.ScrollToStop(-1) })
		r.screen()
		_ = r.finish()
	})
}

// A component that panics at a key is told of, and the program goes on.
func TestAKeyThatBreaksAComponentDoesNotBreakTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var errs []string
		l := tui.NewSelectList(nil, tui.ListItem{Value: "one"})
		l.OnSelect = func(tui.ListItem) { panic("oh no") }
		r := run(t, 20, 5, tui.Options{OnError: func(err error) { errs = append(errs, err.Error()) }}, false, func(p *tui.Program) {
			p.Bottom.Add(l)
			p.SetFocus(l)
		})
		r.tty.Type("\r")
		r.settle()
		r.tty.Type("\r")
		r.settle()
		if len(errs) != 1 || !strings.Contains(errs[0], "oh no") {
			t.Errorf("errors %q, want the panic, once", errs)
		}
		r.screen("→ one")
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

// deaf is a device that can not be read from, as when its window was closed.
type deaf struct {
	*tuitest.Tty
	reads atomic.Int64
	fails int64 // so many times; -1 for always
}

func (d *deaf) Read(b []byte) (int, error) {
	if n := d.reads.Add(1); d.fails < 0 || n <= d.fails {
		return 0, errors.New("input/output error")
	}
	return d.Tty.Read(b)
}

func TestADeviceThatCanNotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, fails := range []int64{-1, 2} {
			d := &deaf{Tty: tuitest.NewTty(20, 5), fails: fails}
			tm, err := term.Open(term.Options{Tty: d, Getenv: func(string) string { return "xterm" }})
			if err != nil {
				t.Fatal(err)
			}
			p := tui.New(tui.Options{Terminal: tm})
			end := make(chan error, 1)
			go func() { end <- p.Run(t.Context()) }()
			time.Sleep(time.Second)
			synctest.Wait()
			p.Quit(nil)
			err = <-end
			if fails < 0 && (err == nil || !strings.Contains(err.Error(), "read from the terminal: input/output error")) {
				t.Errorf("a device that is gone: %v", err)
			}
			if fails > 0 && err != nil {
				t.Errorf("a device that comes back: %v", err)
			}
			if d.Running() || d.reads.Load() > 10 {
				t.Errorf("raw mode on %v, %d reads", d.Running(), d.reads.Load())
			}
		}
	})
}

// What was read before another program got the terminal is not lost.
func TestKeysFromBeforeAHandOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		r := run(t, 20, 5, tui.Options{}, false, func(p *tui.Program) { p.Bottom.Add(e); p.SetFocus(e) })
		r.do(func() {
			r.tty.Type("early")
			time.Sleep(time.Millisecond) // of the bubble's clock: it is read, but can not be passed on
			_ = r.HandOver(func() error { return nil })
		})
		r.screen("> early")
		_ = r.finish()
	})
}

func TestFocusPutsAnOverlayAboveTheOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 20, 3, tui.Options{}, true, func(*tui.Program) {})
		var one *tui.Overlay
		r.do(func() {
			one = r.ShowOverlay(&echo{text: "one"}, tui.OverlayOptions{Anchor: tui.AnchorTopLeft})
			r.ShowOverlay(&echo{text: "two"}, tui.OverlayOptions{Anchor: tui.AnchorTopLeft})
		})
		r.screen("> two")
		r.do(one.Focus)
		r.screen("> one")
		_ = r.finish()
	})
}

// full is a device that takes nothing once it is told so, until it is stopped.
type full struct {
	*tuitest.Tty
	takesNothing atomic.Bool
	stopped      chan struct{}
}

func (f *full) Write(b []byte) (int, error) {
	if f.takesNothing.Load() {
		<-f.stopped
		return 0, os.ErrClosed
	}
	return f.Tty.Write(b)
}

func (f *full) Stop() error {
	close(f.stopped)
	return f.Tty.Stop()
}

// A terminal that takes nothing any more can not hold up the end.
func TestATerminalThatTakesNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	for name, change := range map[string]func(p *tui.Program){
		"in a frame":     func(p *tui.Program) { p.Bottom.Add(tui.Lines{"x"}) },
		"at the end":     func(p *tui.Program) { p.Quit(nil) },
		"in a hand-over": func(p *tui.Program) { _ = p.HandOver(func() error { return nil }) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dev := &full{Tty: tuitest.NewTty(20, 5), stopped: make(chan struct{})}
				tm, err := term.Open(term.Options{Tty: dev, Getenv: func(string) string { return "xterm" }})
				if err != nil {
					t.Fatal(err)
				}
				p := tui.New(tui.Options{Terminal: tm})
				ctx, cancel := context.WithCancelCause(t.Context())
				end := make(chan error, 1)
				go func() { end <- p.Run(ctx) }()
				time.Sleep(time.Second)
				dev.takesNothing.Store(true)
				p.Do(func() { change(p) })
				synctest.Wait()
				cancel(enough)
				began := time.Now()
				if err := <-end; !errors.Is(err, enough) {
					t.Errorf("it ends with %v", err)
				}
				if took := time.Since(began); took > 5*time.Second { // of the bubble's clock
					t.Errorf("it ended after %v", took)
				}
				if dev.Running() {
					t.Error("raw mode is left on")
				}
			})
		})
	}
}

// A program that another one has the terminal of is not stuck.
func TestAnEndWhileHandedOverWaitsForTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 20, 5, tui.Options{}, false, func(*tui.Program) {})
		ran := false
		r.Do(func() {
			if err := r.HandOver(func() error { time.Sleep(time.Minute); return nil }); err != nil {
				t.Error(err)
			}
			ran = r.tty.Running()
		})
		synctest.Wait()
		r.stop()
		if err := <-r.end; !errors.Is(err, context.Canceled) || !ran {
			t.Errorf("it ends with %v; the terminal was taken back: %v", err, ran)
		}
		if r.tty.Running() {
			t.Error("raw mode is left on")
		}
	})
}

// A question that answers itself while it is made is not shown.
func TestAnAnswerAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		r := run(t, 20, 5, tui.Options{}, false, func(p *tui.Program) { p.Bottom.Add(e); p.SetFocus(e) })
		n, ok := tui.Ask(t.Context(), r.Program, tui.OverlayOptions{}, func(answer func(int, bool)) tui.Component {
			answer(7, true)
			return tui.NewText("a question")
		})
		if n != 7 || !ok {
			t.Errorf("the answer is %d, %v", n, ok)
		}
		r.tty.Type("x")
		r.settle()
		r.screen("> x")
		_ = r.finish()
	})
}

func TestNewWithoutATerminalSaysSo(t *testing.T) {
	t.Parallel()
	defer func() {
		if x := recover(); !strings.Contains(fmt.Sprint(x), "Terminal") {
			t.Errorf("the panic is %v", x)
		}
	}()
	tui.New(tui.Options{})
}

// fickle is a component that can not be compared.
type fickle struct {
	got *[]input.Event
	_   []int
}

func (fickle) Render(int) []string     { return []string{"fickle"} }
func (fickle) WantsKeyRelease() bool   { return true }
func (fickle) CapturesScrolling() bool { return true }

func (f fickle) HandleInput(ev input.Event) bool {
	if _, ok := ev.(input.Key); ok {
		*f.got = append(*f.got, ev)
	}
	return true
}

func TestAnOverlayThatCanNotBeComparedGetsItsKeys(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got []input.Event
		r := run(t, 20, 5, tui.Options{}, true, func(*tui.Program) {})
		r.do(func() { r.ShowOverlay(fickle{got: &got}, tui.OverlayOptions{}) })
		r.tty.Type("\x1b[97u\x1b[97;1:3u\x1b[5~") // a press, a release, and a key that scrolls
		r.settle()
		if len(got) != 3 {
			t.Errorf("it got %v", got)
		}
		_ = r.finish()
	})
}
