package tui_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/markdown"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

// A program that many goroutines change while it is resized, suspended, and ended
// leaves the terminal as it was, and nothing behind. The race detector watches.
func TestManyGoroutinesChangeResizeHandOverAndEnd(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var note *tui.Loader
			r := run(t, 40, 10, tui.Options{}, full, func(p *tui.Program) {
				note = tui.NewLoader(p, "at work")
				p.Bottom.Add(note)
			})
			r.do(func() { note.Start() })
			var all sync.WaitGroup
			for g := range 8 {
				all.Go(func() {
					for i := range 200 {
						r.Do(func() { r.Transcript.Append(tui.NewText(fmt.Sprint("line ", g, " ", i))) })
						r.Update()
						if i%20 == g {
							time.Sleep(time.Millisecond)
						}
					}
				})
			}
			all.Go(func() {
				for i := range 60 {
					r.tty.Resize(1+i%50, 1+i%13)
					time.Sleep(time.Millisecond)
				}
			})
			all.Go(func() {
				for range 10 {
					time.Sleep(5 * time.Millisecond)
					r.Do(func() {
						// The size changes while another program has the terminal.
						if err := r.HandOver(func() error { r.tty.Resize(33, 7); return nil }); err != nil {
							t.Error(err)
						}
					})
				}
			})
			all.Go(func() {
				for range 100 {
					r.tty.Type("x\x1b[A\x1b[200~paste\x1b[201~\x1b[<64;1;1M")
					time.Sleep(time.Millisecond)
				}
			})
			time.Sleep(40 * time.Millisecond)
			r.stop() // in the middle of it all
			if err := <-r.end; !errors.Is(err, context.Canceled) {
				t.Errorf("the program ended with %v", err)
			}
			all.Wait()
			if r.tty.Running() {
				t.Error("the device is still in raw mode")
			}
			if r.Do(func() { t.Error("something ran after the end") }) {
				t.Error("Do takes functions after the end")
			}
			// The bubble itself fails if a goroutine is left.
		})
	}
}

// An hour of streaming: a long transcript costs what it holds, and what is drawn
// over and over costs nothing more.
func TestManyUpdatesDoNotGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("it draws many frames")
	}
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m := markdown.New(markdown.Options{})
			var bar *tui.ProgressBar
			r := run(t, 80, 24, tui.Options{}, full, func(p *tui.Program) {
				for i := range 200 {
					p.Transcript.Append(tui.NewText(fmt.Sprint("line ", i)))
				}
				bar = &tui.ProgressBar{Total: 1e6}
				p.Bottom.Add(bar)
			})
			var item *tui.Item
			r.do(func() { item = r.Transcript.Append(m) })
			updates := func(n int) {
				for i := range n {
					r.Do(func() {
						bar.Done++
						m.SetText("An *answer* of " + strings.Repeat("words ", i%50))
						item.Touch()
					})
					if i%100 == 99 {
						time.Sleep(20 * time.Millisecond)
						synctest.Wait()
					}
				}
				r.settle()
			}
			heap := func() uint64 {
				runtime.GC()
				var s runtime.MemStats
				runtime.ReadMemStats(&s)
				return s.HeapAlloc
			}
			updates(20_000)
			before := heap()
			updates(100_000)
			if after := heap(); after > before+1<<20 {
				t.Errorf("full screen %v: 100,000 updates left %d KB", full, (after-before)>>10)
			}
			if err := r.finish(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Terminals that answer nothing but nonsense, at any time.
func TestATerminalThatAnswersNonsense(t *testing.T) {
	t.Parallel()
	answers := []string{
		"\x1b[?", "\x1b[?62;c\x1b[?1u\x1b[?2026;9$y", "\x1b[?2026;1$y\x1b[?2026;0$y\x1b[?99999999999999999999999;1$y",
		"\x1b]11;rgb:zz/zz/zz\x1b\\\x1b]11;\x1b\\\x1b]11;rgb:ffffffffff/0/0\a", "\x1b]4;999;rgb:1/2/3\a\x1b]4;;\a\x1b]4\a",
		"\x1b[6;0;0t\x1b[6;-1;99999999t\x1b[6t\x1b[4;1;1;1;1t", "\x1bP>|" + strings.Repeat("x", 100_000) + "\x1b\\",
		"\x1bP>|evil\x1b]2;x\a\x1b\\", "\x1b_Gi=1;OK\x1b\\\x1b_G\x1b\\\x1b_Gi=;\x1b\\", "\x1b]11;" + strings.Repeat("?", 1<<20),
		"\xff\xfe\x9b1u\x9d11;rgb:0/0/0\x9c", "\x1b[?1u\x1b[?31u\x1b[?999u\x1b[200~never ended", "\x1b[<0;0;0M\x1b[<0;99999;99999M\x1b[<-1;;M\x1b[<64;1;1M\x1b[M\x00\x00\x00",
		"\x1b[99999999999999999999u\x1b[0u\x1b[1114112u\x1b[55296u\x1b[97;0u\x1b[97;999:9u\x1b[27;0;0~\x1b[27;;~",
	}
	for _, full := range []bool{false, true} {
		for _, answer := range answers {
			synctest.Test(t, func(t *testing.T) {
				in := tui.NewInput(nil)
				r := run(t, 20, 4, tui.Options{}, full, func(p *tui.Program) {
					p.Bottom.Add(in)
					p.SetFocus(in)
				})
				for range 2 {
					r.tty.Type(answer)
					r.settle()
				}
				r.tty.Type("\x1b\\\a\x1b[201~") // whatever was open ends
				r.settle()
				in.SetValue("")
				r.tty.Type("ok")
				r.settle()
				if got := in.Value(); got != "ok" {
					t.Errorf("%.60q: then ok makes %q", answer, got)
				}
				if err := r.finish(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Lines of a megabyte are cut; nothing waits for them for long.
func TestALineOfAMegabyte(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it is slow under the race detector")
	}
	for name, unit := range map[string]string{"letters": "abcdefg ", "no blanks": "x", "wide": "漢字", "marks": "e\u0301\u0302", "controls": "\x01\x1b[2J\u009b", "invalid": "\xff"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := strings.Repeat(unit, 1<<20/len(unit))
			for _, c := range []tui.Component{
				tui.Lines{s},
				&tui.Rule{Title: s},
				tui.NewLoader(nil, s),
				tui.NewSelectList(nil, tui.ListItem{Value: s}),
				tui.NewText(s),
			} {
				for _, l := range c.Render(80)[:1] {
					// Marks take no columns; lines of a program's own are cleaned as they
					// are written.
					if len(l) > 1<<16 && name != "marks" && name != "controls" {
						t.Errorf("%T draws a line of %d bytes", c, len(l))
					}
				}
			}
		})
	}
}

// The end of a device in the middle of a frame, and a component that panics in the
// function of Do, restore what can be restored.
func TestAPanicInDoRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			tty := tuitest.NewTty(20, 5)
			tm, err := term.Open(term.Options{Tty: tty, FullScreen: full, Getenv: func(string) string { return "xterm" }})
			if err != nil {
				t.Fatal(err)
			}
			p := tui.New(tui.Options{Terminal: tm})
			got := make(chan any, 1)
			go func() {
				defer func() { got <- recover() }()
				_ = p.Run(context.Background())
			}()
			p.Do(func() { panic("oh no") })
			if r := <-got; r != "oh no" {
				t.Errorf("the panic is %v", r)
			}
			synctest.Wait()
			if tty.Running() {
				t.Error("the device is still in raw mode")
			}
			tty.With(func(tt *tuitest.Terminal) {
				if !tt.Mode(25) || tt.AltScreen() || tt.Mode(2004) {
					t.Errorf("cursor %v, alternate screen %v, paste %v", tt.Mode(25), tt.AltScreen(), tt.Mode(2004))
				}
			})
		})
	}
}
