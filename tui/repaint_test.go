package tui_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/tuitest"
)

// state is all that a random program can change, and so all that a program from
// scratch needs to look the same.
type state struct {
	items   []string
	editor  string
	overlay string
	status  string
}

// page is a program that shows a state.
type page struct {
	*running
	items   []*tui.Item
	editor  *tui.Editor
	status  *tui.Text
	overlay *tui.Overlay
	box     *tui.Text
}

func newPage(t *testing.T, width, height int, full bool, s state) *page {
	pg := &page{editor: tui.NewEditor(nil), status: tui.NewText(s.status), box: tui.NewText("")}
	pg.running = run(t, width, height, tui.Options{ScrollbarThumb: "#", ShowCursor: true}, full, func(p *tui.Program) {
		for _, it := range s.items {
			pg.items = append(pg.items, p.Transcript.Append(tui.NewText(it)))
		}
		pg.editor.SetText(s.editor)
		p.Bottom.Add(pg.editor, pg.status)
		p.SetFocus(pg.editor)
	})
	if s.overlay != "" {
		pg.do(func() { pg.show(s.overlay) })
	}
	return pg
}

func (pg *page) show(s string) {
	pg.box.SetText(s)
	pg.overlay = pg.ShowOverlay(&tui.Frame{Child: pg.box}, tui.OverlayOptions{Width: tui.Percent(50), NonCapturing: true})
}

// TestProgramsAgainstARepaint changes a program at random, and then compares it
// with one that begins with what it ended with.
func TestProgramsAgainstARepaint(t *testing.T) {
	t.Parallel()
	for seed := range uint64(120) {
		for _, full := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) { againstARepaint(t, seed, full) })
		}
		if t.Failed() {
			t.Fatalf("program %d failed", seed)
		}
	}
}

func againstARepaint(t *testing.T, seed uint64, full bool) {
	r := rand.New(rand.NewPCG(seed, 5))
	width, height := 8+r.IntN(40), 5+r.IntN(12)
	var s state
	pg := newPage(t, width, height, full, s)
	some := func() string {
		words := make([]string, r.IntN(25))
		for i := range words {
			words[i] = []string{"word", "한국어", "\x1b[1mbold\x1b[0m", "longerthanmost", "\n", "👩\u200d🚀", "x"}[r.IntN(7)]
		}
		return strings.Join(words, " ")
	}
	for range 30 {
		switch n := r.IntN(100); {
		case n < 30:
			s.items = append(s.items, some())
			it := s.items[len(s.items)-1]
			pg.Do(func() { pg.items = append(pg.items, pg.Transcript.Append(tui.NewText(it))) })
		case n < 50 && len(s.items) > 0:
			i := len(s.items) - 1
			if r.IntN(3) == 0 {
				i = r.IntN(len(s.items))
			}
			s.items[i] += " more"
			it := s.items[i]
			pg.Do(func() {
				pg.items[i].Component().(*tui.Text).SetText(it)
				pg.items[i].Touch()
			})
		case n < 55 && len(s.items) > 0:
			i := r.IntN(len(s.items))
			s.items = append(s.items[:i:i], s.items[i+1:]...)
			pg.Do(func() {
				pg.items[i].Remove()
				pg.items = append(pg.items[:i:i], pg.items[i+1:]...)
			})
		case n < 70:
			keys := []string{"a", " typed words ", "\n", "\x7f", "\x17", "한"}[r.IntN(6)]
			pg.tty.Type(keys)
			time.Sleep(50 * time.Millisecond)
		case n < 78:
			pg.Do(func() {
				if pg.overlay != nil {
					pg.overlay.Hide()
					pg.overlay = nil
				}
			})
			s.overlay = ""
		case n < 86 && s.overlay == "":
			over := "over " + some()
			s.overlay = over
			pg.Do(func() { pg.show(over) })
		case n < 90:
			status := some()
			s.status = status
			pg.Do(func() { pg.status.SetText(status) })
		case n < 95:
			width, height = 8+r.IntN(40), 5+r.IntN(12)
			pg.tty.Resize(width, height)
		default:
			pg.tty.Type("\x1b[5~") // page up
		}
		if r.IntN(2) == 0 {
			time.Sleep(time.Duration(r.IntN(200)) * time.Millisecond)
		}
	}
	pg.tty.Type("\x1b[1;5F") // to the end
	pg.settle()
	pg.do(pg.Redraw)
	pg.do(func() { s.editor = pg.editor.Text() })
	fresh := newPage(t, width, height, full, s)
	fresh.do(func() { fresh.editor.Buffer().MoveTo(pg.editor.Buffer().Cursor()) })
	if fresh.editor.Text() != s.editor {
		t.Fatal("the text of the editor is another one")
	}
	both := func(pg *page) (out []string) {
		pg.tty.With(func(tt *tuitest.Terminal) {
			out = append(tt.StyledScrollback(), "── screen ──")
			out = append(out, tt.StyledScreen()...)
			cursor := "no cursor"
			if x, y, visible := tt.Cursor(); visible {
				cursor = fmt.Sprint("cursor ", x, y)
			}
			out = append(out, cursor, fmt.Sprintf("unknown %q", tt.Unknown()))
		})
		return out
	}
	if diff := cmp.Diff(both(fresh), both(pg)); diff != "" {
		t.Errorf("program %d, full screen %v, %dx%d (-from scratch +changed):\n%s", seed, full, width, height, diff)
	}
	for _, p := range []*page{pg, fresh} {
		if err := p.finish(); err != nil {
			t.Error(err)
		}
	}
}
