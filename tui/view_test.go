package tui_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/tuitest"
)

// scrolling is a full-screen program of a number of lines in a window of ten rows.
func scrolling(t *testing.T, lines int, opts tui.Options) *running {
	t.Helper()
	opts.Bindings = input.NewBindings(tui.StandardBindings())
	if errs := opts.Bindings.Set(map[string][]string{
		"tui.altScreen.halfPageUp": {"alt+u"}, "tui.altScreen.halfPageDown": {"alt+d"},
		"tui.altScreen.lineUp": {"alt+k"}, "tui.altScreen.lineDown": {"alt+j"},
	}); len(errs) > 0 {
		t.Fatal(errs)
	}
	return run(t, 30, 10, opts, true, func(p *tui.Program) {
		for i := range lines {
			p.Transcript.Append(tui.Lines{fmt.Sprintf("line %03d", i)})
		}
	})
}

func (r *running) top() string {
	return strings.TrimRight(strings.TrimRight(r.tty.Screen()[0], ".#"), " ")
}

func TestKeysThatScroll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := scrolling(t, 100, tui.Options{})
		for i, step := range []struct {
			keys, top string
			follows   bool
		}{
			{"\x1bk", "line 089", false},
			{"\x1bj", "line 090", true}, // just at the end
			{"\x1bu", "line 086", false},
			{"\x1b[5~", "line 077", false},
			{"\x1b[6~", "line 086", false},
			{"\x1bd", "line 090", true},
			{"\x1b[1;5H", "line 000", false},
			{"\x1bk", "line 000", false},
			{"\x1bd", "line 004", false},
			{"\x1b[<65;1;1M", "line 007", false},
			{"\x1b[<64;1;1M", "line 004", false},
			{"\x1b[1;5F", "line 090", true},
		} {
			r.tty.Type(step.keys)
			r.settle()
			if r.top() != step.top || r.Following() != step.follows {
				t.Errorf("step %d, %q: %q is at the top, follows %v; want %q, %v", i, step.keys, r.top(), r.Following(), step.top, step.follows)
			}
		}
		_ = r.finish()
	})
}

func TestTheScrollbarTellsWhereAndHowMuch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := scrolling(t, 40, tui.Options{ScrollbarThumb: "#", ScrollbarTrack: "."})
		bar := func() (s string) {
			for _, row := range r.tty.Screen() {
				s += row[len(row)-1:]
			}
			return s
		}
		for _, step := range []struct{ keys, want string }{
			{"", "........##"},
			{"\x1bk", ".......##."},
			{"\x1b[1;5H", "##........"},
			{"\x1b[6~\x1b[6~", "....##...."},
		} {
			r.tty.Type(step.keys)
			r.settle()
			if got := bar(); got != step.want {
				t.Errorf("after %q the bar is %q, want %q", step.keys, got, step.want)
			}
		}
		r.do(func() { r.Transcript.Clear(); r.Transcript.Append(tui.Lines{"x"}) })
		r.screen("x")
		_ = r.finish()
	})
}

// What is out of view is drawn when there is nothing else to do, so that the
// scrollbar is right.
func TestWhatIsOutOfViewIsDrawnInTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		drawn := 0
		r := run(t, 30, 10, tui.Options{ScrollbarThumb: "#"}, true, func(p *tui.Program) {
			for range 200 {
				p.Transcript.Append(tui.Func(func(int) []string { drawn++; return []string{"a", "b"} }))
			}
		})
		r.settle()
		if drawn != 200 {
			t.Errorf("%d of 200 are drawn", drawn)
		}
		_ = r.finish()
	})
}

func TestThePromptAboveIsItsOwnWhereItIsCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 20, 3, tui.Options{}, true, func(p *tui.Program) {
			for i := range 6 {
				p.Transcript.Append(tui.Lines{fmt.Sprint("prompt ", i), "more", "more", "more"}).SetStop(true)
			}
		})
		for _, want := range []string{"prompt 5", "prompt 4"} {
			r.tty.Type("\x1b[1;5A")
			r.settle()
			if r.top() != want {
				t.Errorf("%q is at the top, want %q", r.top(), want)
			}
		}
		_ = r.finish()
	})
}

// A selection goes on beyond the window.
func TestSelectingBeyondTheEdgeScrolls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 20, 6, tui.Options{}, true, func(p *tui.Program) {
			p.Transcript.Append(numbered(50))
			p.Bottom.Add(tui.Lines{"bottom"})
		})
		drag := func(from, to, times int) string {
			r.tty.Type(fmt.Sprintf("\x1b[<0;1;%dM", from))
			for range times {
				r.tty.Type(fmt.Sprintf("\x1b[<32;3;%dM", to))
				r.settle()
			}
			r.tty.Type(fmt.Sprintf("\x1b[<0;3;%dm", to))
			r.settle()
			copied := ""
			r.tty.With(func(tt *tuitest.Terminal) { copied = tt.Clipboard() })
			return copied
		}
		up := drag(3, 1, 4)
		if !strings.HasPrefix(up, "ne 0") || strings.Count(up, "\n") != 2+3 {
			t.Errorf("up: copied %q", up)
		}
		r.tty.Type("\x1b[1;5H")
		r.settle()
		time.Sleep(time.Second) // so that it is no double click
		down := drag(4, 6, 4)
		if want := "line 003\nline 004\nline 005\nline 006\nlin"; down != want {
			t.Errorf("down: copied %q, want %q", down, want)
		}
		_ = r.finish()
	})
}

func TestSearchMarksTheMatchItIsAt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 40, 5, tui.Options{Match: text.Style{Fg: text.Indexed(3)}, CurrentMatch: text.Style{Fg: text.Indexed(5)}}, true, func(p *tui.Program) {
			p.Transcript.Append(tui.Lines{"İ one needle", "two NEEDLE needle"})
		})
		r.do(func() { r.Search("needle") })
		marked := func() (s []string) {
			r.tty.With(func(tt *tuitest.Terminal) { s = tt.StyledScreen()[:2] })
			return s
		}
		want := []string{"İ one \x1b[0m\x1b[33mneedle\x1b[0m", "two \x1b[0m\x1b[33mNEEDLE\x1b[0m \x1b[0m\x1b[35mneedle\x1b[0m"}
		if diff := cmp.Diff(want, marked()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		r.do(func() { r.SearchNext(-1); r.SearchNext(-1) })
		want = []string{"İ one \x1b[0m\x1b[35mneedle\x1b[0m", "two \x1b[0m\x1b[33mNEEDLE\x1b[0m \x1b[0m\x1b[33mneedle\x1b[0m"}
		if diff := cmp.Diff(want, marked()); diff != "" {
			t.Errorf("two before (-want +got):\n%s", diff)
		}
		r.do(func() { r.Change(func(o *tui.Options) { o.Match, o.CurrentMatch = text.Style{}, text.Style{} }) })
		if got := marked(); got[0] == strings.ReplaceAll(want[0], "35", "7") || !strings.Contains(got[0], "1;7") {
			t.Errorf("without styles the match it is at looks like the others: %q", got)
		}
		_ = r.finish()
	})
}

// Regular mode, full screen, and back: each line is there once.
func TestComingBackFromFullScreenWritesNothingTwice(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r := run(t, 20, 6, tui.Options{KeepScrollback: keep}, false, func(p *tui.Program) {
				p.Transcript.Append(tui.NewText("one"))
				p.Bottom.Add(tui.NewText("bottom"))
			})
			for _, line := range []string{"two", "three"} {
				r.do(func() { _ = r.SetFullScreen(true) })
				r.do(func() { r.Transcript.Append(tui.NewText(line)) })
				r.do(func() { _ = r.SetFullScreen(false) })
			}
			want := []string{"one", "two", "three", "bottom"}
			r.screen(want...)
			if got := strings.Fields(strings.Join(r.all(), " ")); !slices.Equal(got, want) {
				t.Errorf("keep %v: all lines are %q", keep, got)
			}
			_ = r.finish()
		})
	}
}

// A program that began in regular mode and ends in full screen leaves what was said
// on the main screen, and not the prompt it had there.
func TestLeavingFullScreenTakesTheOldPromptAway(t *testing.T) {
	t.Parallel()
	for _, lines := range []int{1, 20} { // less and more than a screen
		synctest.Test(t, func(t *testing.T) {
			r := run(t, 20, 6, tui.Options{}, false, func(p *tui.Program) {
				p.Transcript.Append(numbered(lines))
				p.Bottom.Add(tui.NewText("prompt"))
				p.Bottom.Add(tui.NewText("footer"))
				p.PrintOnExit("bye")
			})
			r.do(func() { _ = r.SetFullScreen(true) })
			_ = r.finish()
			all := r.all()
			for len(all) > 0 && all[len(all)-1] == "" {
				all = all[:len(all)-1]
			}
			if len(all) != lines+1 || all[0] != "line 000" || all[lines-1] != fmt.Sprintf("line %03d", lines-1) || all[lines] != "bye" {
				t.Errorf("left behind: %q", all)
			}
		})
	}
}
