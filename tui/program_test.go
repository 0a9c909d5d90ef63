package tui_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

// running is a program on a terminal of ours, inside a bubble of synctest.
type running struct {
	*tui.Program
	t    *testing.T
	tty  *tuitest.Tty
	end  chan error
	stop context.CancelFunc
}

func run(t *testing.T, width, height int, opts tui.Options, full bool, setup func(p *tui.Program)) *running {
	t.Helper()
	r := &running{t: t, tty: tuitest.NewTty(width, height), end: make(chan error, 1)}
	tm, err := term.Open(term.Options{Tty: r.tty, FullScreen: full, Getenv: func(name string) string {
		return map[string]string{"TERM": "xterm-256color"}[name]
	}})
	if err != nil {
		t.Fatal(err)
	}
	opts.Terminal = tm
	r.Program = tui.New(opts)
	setup(r.Program)
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() { r.end <- r.Run(ctx) }()
	r.settle()
	return r
}

// settle lets time pass until nothing is left to draw.
func (r *running) settle() {
	time.Sleep(300 * time.Millisecond) // of the bubble's clock
	synctest.Wait()
}

// do runs f on the program's goroutine and waits for what comes of it.
func (r *running) do(f func()) {
	r.Do(f)
	r.settle()
}

func (r *running) finish() error {
	r.t.Helper()
	r.Quit(nil)
	err := <-r.end
	r.tty.With(func(t *tuitest.Terminal) {
		if n := t.Overflows(); n > 0 {
			r.t.Errorf("%d characters were written beyond the last column", n)
		}
	})
	return err
}

func (r *running) screen(want ...string) {
	r.t.Helper()
	got := r.tty.Screen()
	for len(got) > 0 && got[len(got)-1] == "" {
		got = got[:len(got)-1]
	}
	if len(want)+len(got) == 0 {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("screen (-want +got):\n%s", diff)
	}
}

func (r *running) all() (lines []string) {
	r.tty.With(func(t *tuitest.Terminal) { lines = t.All() })
	return lines
}

// echo is a component that shows what was typed.
type echo struct {
	text    string
	focused bool
	panics  bool
	events  []input.Event
}

func (e *echo) Render(width int) []string {
	if e.panics {
		panic("oh no")
	}
	mark := ""
	if e.focused {
		mark = tui.CursorMarker
	}
	return []string{"> " + e.text + mark}
}

func (e *echo) SetFocused(on bool) { e.focused = on }

func (e *echo) HandleInput(ev input.Event) bool {
	e.events = append(e.events, ev)
	switch k := ev.(type) {
	case input.Key:
		e.text += k.Text
		return k.Text != ""
	case input.Paste:
		e.text += "[" + k.Text + "]"
		return true
	}
	return false
}

func numbered(n int) tui.Lines {
	lines := make(tui.Lines, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %03d", i)
	}
	return lines
}

func TestRegularModeScrollsIntoTheScrollback(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		r := run(t, 20, 5, tui.Options{ShowCursor: true}, false, func(p *tui.Program) {
			p.Bottom.Add(e)
			p.SetFocus(e)
		})
		r.screen(">")
		r.do(func() { r.Transcript.Append(numbered(8)) })
		r.tty.Type("hi한")
		r.settle()
		r.screen("line 004", "line 005", "line 006", "line 007", "> hi한")
		r.tty.With(func(tt *tuitest.Terminal) {
			if x, y, visible := tt.Cursor(); x != 6 || y != 4 || !visible {
				t.Errorf("cursor at %d,%d, visible %v; want 6,4", x, y, visible)
			}
			if n := tt.Clears(); n > 0 {
				t.Errorf("the screen was cleared %d times", n)
			}
		})
		if err := r.finish(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(append(slices.Clone([]string(numbered(8))), "> hi한"), r.all()); diff != "" {
			t.Errorf("after the end (-want +got):\n%s", diff)
		}
		if r.tty.Running() {
			t.Error("the terminal is not restored")
		}
	})
}

func TestResizeInRegularModeSettles(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		wide := tui.Func(func(width int) []string {
			return []string{strings.Repeat("=", width)}
		})
		r := run(t, 20, 6, tui.Options{}, false, func(p *tui.Program) {
			p.Bottom.Add(wide, e)
			p.SetFocus(e)
			p.Transcript.Append(numbered(30))
			p.Transcript.Append(wide)
		})
		for _, size := range [][2]int{{30, 6}, {10, 4}, {25, 9}} {
			r.tty.Resize(size[0], size[1])
			time.Sleep(20 * time.Millisecond)
		}
		r.settle()
		want := append(slices.Clone([]string(numbered(30))), strings.Repeat("=", 25), strings.Repeat("=", 25), ">")
		if diff := cmp.Diff(want, r.all()); diff != "" {
			t.Errorf("scrollback and screen (-want +got):\n%s", diff)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestFullScreenScrollsAndFollows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		r := run(t, 20, 5, tui.Options{ScrollbarThumb: "#", ScrollbarTrack: "."}, true, func(p *tui.Program) {
			p.Bottom.Add(e)
			p.SetFocus(e)
			p.Transcript.Append(numbered(10))
			p.PrintOnExit("bye")
		})
		bar := func(text string, cell string) string { return fmt.Sprintf("%-19s%s", text, cell) }
		r.screen(bar("line 006", "."), bar("line 007", "."), bar("line 008", "."), bar("line 009", "#"), ">")
		r.tty.Type("\x1b[<64;1;1M") // wheel up
		r.settle()
		r.screen(bar("line 003", "."), bar("line 004", "#"), bar("line 005", "."), bar("line 006", "."), ">")
		r.do(func() { r.Transcript.Append(tui.Lines{"new"}) })
		r.screen(bar("line 003", "."), bar("line 004", "#"), bar("line 005", "."), bar("line 006", "."), ">")
		r.tty.Type("\x1b[6~\x1b[6~") // page down, twice
		r.settle()
		r.screen(bar("line 007", "."), bar("line 008", "."), bar("line 009", "."), bar("new", "#"), ">")
		if !r.Following() {
			t.Error("at the end the view does not follow")
		}
		r.tty.Type("\x1b[1;5H") // ctrl+home
		r.settle()
		r.screen(bar("line 000", "#"), bar("line 001", "."), bar("line 002", "."), bar("line 003", "."), ">")
		if err := r.finish(); err != nil {
			t.Error(err)
		}
		r.screen("bye")
	})
}

func TestOverlaysTakeTheFocusAndGiveItBack(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			e, box := &echo{}, &echo{}
			r := run(t, 20, 6, tui.Options{}, full, func(p *tui.Program) {
				p.Bottom.Add(e)
				p.SetFocus(e)
				p.Transcript.Append(numbered(9))
			})
			var o *tui.Overlay
			r.do(func() {
				o = r.ShowOverlay(box, tui.OverlayOptions{Width: tui.Cells(8), Anchor: tui.AnchorTopLeft, OffsetX: 2, OffsetY: 1})
			})
			r.tty.Type("x")
			r.settle()
			r.screen("line 004", "li> x", "line 006", "line 007", "line 008", ">")
			if diff := cmp.Diff(tui.Rect{X: 2, Y: 1, Width: 8, Height: 1}, o.Bounds()); diff != "" {
				t.Error(diff)
			}
			r.do(func() { r.Transcript.Append(numbered(1)) })
			r.screen("line 005", "li> x", "line 007", "line 008", "line 000", ">")
			r.do(o.Hide)
			r.tty.Type("y")
			r.settle()
			r.screen("line 005", "line 006", "line 007", "line 008", "line 000", "> y")
			if err := r.finish(); err != nil {
				t.Error(err)
			}
			if !full {
				want := append(slices.Clone([]string(numbered(9))), "line 000", "> y")
				if diff := cmp.Diff(want, r.all()); diff != "" {
					t.Errorf("the overlay left something (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestAComponentThatBreaksDoesNotBreakTheProgram(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		bad := &echo{panics: true}
		var errs []string
		r := run(t, 5, 4, tui.Options{OnError: func(err error) { errs = append(errs, err.Error()) }}, false, func(p *tui.Program) {
			p.Transcript.Append(tui.Func(func(width int) []string { return []string{strings.Repeat("w", width+1)} }))
			p.Transcript.Append(tui.Func(func(int) []string { return nil }))
			p.Bottom.Add(bad, e)
			p.SetFocus(e)
		})
		r.tty.Type("ab")
		r.settle()
		r.tty.Type("c")
		r.settle()
		r.screen("wwwww", "[*tu…", "> abc")
		if len(errs) != 1 || !strings.Contains(errs[0], "oh no") {
			t.Errorf("errors %q, want the panic, once", errs)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestEscapeNeedsTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		r := run(t, 20, 5, tui.Options{}, false, func(p *tui.Program) { p.Bottom.Add(e); p.SetFocus(e) })
		e.events = nil
		r.tty.Type("\x1b")
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		if len(e.events) > 0 {
			t.Errorf("after 10 ms there are events: %v", e.events)
		}
		r.tty.Type("[A")
		r.settle()
		r.tty.Type("\x1b")
		time.Sleep(40 * time.Millisecond)
		synctest.Wait()
		var names []string
		for _, ev := range e.events {
			if k, ok := ev.(input.Key); ok {
				names = append(names, k.ID.String())
			}
		}
		if diff := cmp.Diff([]string{"up", "escape"}, names); diff != "" {
			t.Error(diff)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestFramesArePaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		var line string
		var item *tui.Item
		r := run(t, 80, 5, tui.Options{}, false, func(p *tui.Program) {
			p.Bottom.Add(e)
			item = p.Transcript.Append(tui.Func(func(int) []string { return []string{line} }))
		})
		before, _ := r.tty.Writes()
		for range 160 { // one token a millisecond
			r.Do(func() { line = line[:len(line)%40] + "t"; item.Touch() })
			time.Sleep(time.Millisecond)
		}
		r.settle()
		if after, _ := r.tty.Writes(); after-before > 12 {
			t.Errorf("160 ms of tokens made %d writes, more than one in 16 ms", after-before)
		}
		before, _ = r.tty.Writes()
		time.Sleep(time.Minute)
		if after, _ := r.tty.Writes(); after != before {
			t.Errorf("%d writes while nothing happens", after-before)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestEveryWayOutRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	cause := errors.New("the cause")
	for name, leave := range map[string]struct {
		how  func(r *running)
		want error
	}{
		"quit":            {func(r *running) { r.Quit(cause) }, cause},
		"context":         {func(r *running) { r.stop() }, context.Canceled},
		"the terminal":    {func(r *running) { r.tty.Fail(cause); r.Do(func() { r.Bottom.Add(tui.Lines{"x"}) }) }, cause},
		"a closed device": {func(r *running) { _ = r.tty.Close() }, nil},
		"twice":           {func(r *running) { r.Quit(cause); r.Quit(nil); r.stop() }, cause},
		"while handed over": {func(r *running) {
			r.Do(func() { _ = r.HandOver(func() error { return nil }); r.Quit(cause) })
		}, cause},
	} {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, full screen %v", name, full), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					e := &echo{}
					r := run(t, 20, 5, tui.Options{}, full, func(p *tui.Program) { p.Bottom.Add(e) })
					leave.how(r)
					err := <-r.end
					if leave.want != nil && !errors.Is(err, leave.want) || leave.want == nil && err == nil {
						t.Errorf("Run: %v, want %v", err, leave.want)
					}
					if r.tty.Running() {
						t.Error("the device is in raw mode")
					}
					r.tty.With(func(tt *tuitest.Terminal) {
						if name == "the terminal" {
							return // nothing can be written to it
						}
						if tt.AltScreen() || tt.Mode(2004) || !tt.Mode(25) {
							t.Error("a mode is still set")
						}
						if _, depth := tt.KittyFlags(); depth > 0 {
							t.Error("keyboard flags are still pushed")
						}
					})
					if r.Do(func() {}) {
						t.Error("Do takes functions after the end")
					}
				})
			})
		}
	}
}

func TestHandOver(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			e := &echo{}
			r := run(t, 20, 5, tui.Options{}, full, func(p *tui.Program) {
				p.Bottom.Add(e)
				p.SetFocus(e)
				p.Transcript.Append(numbered(8))
			})
			r.do(func() {
				err := r.HandOver(func() error {
					if r.tty.Running() {
						t.Error("the other program gets a terminal in raw mode")
					}
					_, err := r.tty.Write([]byte("output of the other program\r\nmore\r\n"))
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
			r.tty.Type("z")
			r.settle()
			r.screen("line 004", "line 005", "line 006", "line 007", "> z")
			if err := r.finish(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{"start", "stop", "start", "stop"}, r.tty.Log()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestQuitKeysAreForTheProgramIfNobodyTakesThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in := tui.NewInput(nil)
		cancelled := false
		in.OnCancel = func() { cancelled = true }
		r := run(t, 20, 5, tui.Options{QuitKeys: []string{"ctrl+c", "f10"}}, false, func(p *tui.Program) {
			p.Bottom.Add(in)
			p.SetFocus(in)
		})
		r.tty.Type("\x03")
		r.settle()
		if !cancelled || !r.Do(func() { in.OnCancel = nil }) {
			t.Fatal("a key that the input takes ends the program")
		}
		r.tty.Type("\x03")
		if err := <-r.end; err != nil {
			t.Error(err)
		}
	})
	defer func() {
		if recover() == nil {
			t.Error("a name that is no key's is taken")
		}
	}()
	tm, err := term.Open(term.Options{Tty: tuitest.NewTty(9, 9), Getenv: func(string) string { return "xterm" }})
	if err != nil {
		t.Fatal(err)
	}
	tui.New(tui.Options{Terminal: tm, QuitKeys: []string{"ctrl+everything"}})
}

func TestEvery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 20, 5, tui.Options{}, false, func(*tui.Program) {})
		n := 0
		stop := r.Every(100*time.Millisecond, func() { n++ })
		time.Sleep(1050 * time.Millisecond)
		stop()
		time.Sleep(time.Second)
		synctest.Wait()
		if n != 10 {
			t.Errorf("called %d times in 1.05 s, want 10", n)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestReleasesAreForThoseThatWantThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		filtered := 0
		r := run(t, 20, 5, tui.Options{}, false, func(p *tui.Program) {
			p.Bottom.Add(e)
			p.SetFocus(e)
			p.Filter(func(ev input.Event) bool {
				if k, ok := ev.(input.Key); ok && k.Action == input.Release {
					filtered++
				}
				return false
			})
		})
		r.tty.Type("\x1b[97;1:1u\x1b[97;1:2u\x1b[97;1:3u")
		r.settle()
		r.screen("> aa")
		if filtered > 0 {
			t.Error("a filter gets the release of a key")
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestTinyTerminals(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {2, 1}, {1, 5}, {3, 2}, {5, 3}} {
		for _, full := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				ed := tui.NewEditor(nil)
				r := run(t, size[0], size[1], tui.Options{ScrollbarThumb: "#", OnError: func(err error) { t.Error(err) }}, full, func(p *tui.Program) {
					p.Transcript.Append(numbered(10))
					p.Transcript.Append(tui.NewText("한글 and words"))
					p.Bottom.Add(ed, &tui.ProgressBar{Label: "x"})
					p.SetFocus(ed)
				})
				r.do(func() {
					r.ShowOverlay(&tui.Frame{Child: list("a|b", "c"), Title: "t"}, tui.OverlayOptions{Margin: 2})
				})
				for _, keys := range []string{"x", "\x1b[B", "\x1b[5~", "\x1b", "한글", "\n", "\x1b[200~" + strings.Repeat("long\n", 30) + "\x1b[201~"} {
					r.tty.Type(keys)
					r.settle()
				}
				r.tty.Resize(40, 10)
				r.settle()
				r.tty.Resize(size[0], size[1])
				r.settle()
				r.tty.With(func(tt *tuitest.Terminal) {
					if u := tt.Unknown(); len(u) > 0 {
						t.Errorf("unknown sequences %q", u)
					}
				})
				if err := r.finish(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestClearOnShrink(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := run(t, 20, 5, tui.Options{ClearOnShrink: on}, false, func(p *tui.Program) {
				p.Transcript.Append(numbered(9))
				p.Bottom.Add(tui.Lines{"a", "b", "c"})
			})
			r.do(func() {
				r.Bottom.Clear()
				r.Bottom.Add(tui.Lines{"a"})
			})
			if on {
				r.screen("line 005", "line 006", "line 007", "line 008", "a")
				if diff := cmp.Diff(append(slices.Clone([]string(numbered(9))), "a"), r.all()); diff != "" {
					t.Error(diff)
				}
			} else {
				r.screen("line 007", "line 008", "a")
			}
			if err := r.finish(); err != nil {
				t.Error(err)
			}
		})
	}
}
