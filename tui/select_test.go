package tui_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/tuitest"
)

// inverse returns the text of the cells with swapped colours, row by row.
func (r *running) inverse() (rows []string) {
	r.tty.With(func(tt *tuitest.Terminal) {
		w, h := tt.Size()
		for y := range h {
			s := ""
			for x := range w {
				if c := tt.Cell(x, y); c.Style.Attr&text.Inverse != 0 {
					s += c.Text
				}
			}
			if s != "" {
				rows = append(rows, s)
			}
		}
	})
	return rows
}

func TestSelectWithTheMouse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 20, 6, tui.Options{}, true, func(p *tui.Program) {
			p.Transcript.Append(tui.Lines{"one two", "\x1b[1mthree\x1b[0m 한글 four   "})
			p.Transcript.Append(tui.Lines{"five"})
			p.Bottom.Add(tui.Lines{"bottom"})
		})
		for _, step := range []struct {
			name, bytes, copied string
			marked              []string
		}{
			{"drag", "\x1b[<0;5;1M\x1b[<32;3;3M\x1b[<0;3;3m", "two\nthree 한글 four\nfiv", []string{"two", "three 한글 four   ", "fiv"}},
			{"a click ends it", "\x1b[<0;1;1M\x1b[<0;1;1m", "two\nthree 한글 four\nfiv", nil},
			{"backwards", "\x1b[<0;3;3M\x1b[<32;7;2M\x1b[<0;7;2m", "한글 four\nfiv", []string{"한글 four   ", "fiv"}},
			{"a word", "\x1b[<0;8;2M\x1b[<0;8;2m\x1b[<0;8;2M\x1b[<0;8;2m", "한글", []string{"한글"}},
			{"a line", "\x1b[<0;8;2M\x1b[<0;8;2m", "three 한글 four", []string{"three 한글 four   "}},
		} {
			r.tty.Type(step.bytes)
			synctest.Wait()
			r.Update()
			if step.name != "a word" {
				r.settle()
			} else {
				synctest.Wait()
			}
			r.tty.With(func(tt *tuitest.Terminal) {
				if got := tt.Clipboard(); got != step.copied {
					t.Errorf("%s: the clipboard has %q, want %q", step.name, got, step.copied)
				}
			})
			if step.name == "a word" {
				continue // the next click must follow soon
			}
			if diff := cmp.Diff(step.marked, r.inverse()); diff != "" {
				t.Errorf("%s: marked (-want +got):\n%s", step.name, diff)
			}
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestSearch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &echo{}
		r := run(t, 20, 6, tui.Options{}, true, func(p *tui.Program) {
			for i := range 50 {
				s := fmt.Sprint("item ", i)
				if i%20 == 5 {
					s += " 한 Needle"
				}
				p.Transcript.Append(tui.NewText(s))
			}
			p.Bottom.Add(e)
			p.SetFocus(e)
		})
		r.tty.Type("\x1b[102;6u") // ctrl+shift+f
		r.settle()
		r.tty.Type("needle")
		r.settle()
		if diff := cmp.Diff([]string{"Needle"}, r.inverse()[:1]); diff != "" || r.tty.Screen()[1] != "item 45 한 Needle" {
			t.Errorf("marked %q on the screen %q", r.inverse(), r.tty.Screen())
		}
		for _, want := range []string{"item 5 한 Needle", "item 25 한 Needle", "item 45 한 Needle"} {
			r.tty.Type("\r")
			r.settle()
			found := false
			for _, row := range r.tty.Screen() {
				found = found || row == want
			}
			if !found {
				t.Errorf("%q is not in view: %q", want, r.tty.Screen())
			}
		}
		r.tty.Type("\x1b[13;2u") // shift+enter: back
		r.settle()
		r.tty.Type("x")
		r.settle()
		if got := r.tty.Screen()[4]; got != "Not found: needlex" {
			t.Errorf("the search line is %q", got)
		}
		r.tty.Type("\x1b")
		r.settle()
		r.tty.Type("y")
		r.settle()
		if got := r.tty.Screen()[5]; got != "> y" {
			t.Errorf("after the search the last row is %q", got)
		}
		if rows := r.inverse(); len(rows) > 0 {
			t.Errorf("after the search %q is marked", rows)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := run(t, 20, 3, tui.Options{}, true, func(p *tui.Program) {
			for i := range 20 {
				p.Transcript.Append(tui.NewText(fmt.Sprint("item ", i))).SetStop(i%6 == 0)
			}
		})
		for _, step := range []struct{ key, want string }{
			{"\x1b[1;5A", "item 12"},
			{"\x1b[1;5A", "item 6"},
			{"\x1b[1;5A", "item 0"},
			{"\x1b[1;5A", "item 0"},
			{"\x1b[1;5B", "item 6"},
			{"\x1b[1;5B", "item 12"},
			{"\x1b[1;5B", "item 17"},
		} {
			r.tty.Type(step.key)
			r.settle()
			if got := r.tty.Screen()[0]; got != step.want {
				t.Errorf("at the top is %q, want %q", got, step.want)
			}
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}
