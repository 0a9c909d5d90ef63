package tui_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/pi-go/pi/tui"
)

// slow is a component that counts how often it is made.
type slow struct {
	n     int
	made  *int
	lines []string
}

func (s *slow) Estimate(int) int { return 4 }

func (s *slow) Render(int) []string {
	if s.lines == nil {
		*s.made++
		s.lines = []string{fmt.Sprintf("item %d", s.n), "second line"}
	}
	return s.lines
}

// Deferred components are drawn when they come into view, or are searched on the way
// to what is found; the scrollbar knows their estimates.
func TestDeferredComponents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		r := run(t, 20, 6, tui.Options{ScrollbarThumb: "#", ScrollbarTrack: "|"}, true, func(p *tui.Program) {
			for i := range 1000 {
				p.Transcript.Append(&slow{n: i, made: &made})
			}
		})
		r.screen("item 997           |", "second line        |", "item 998           |", "second line        |", "item 999           |", "second line        #")
		if made != 3 {
			t.Errorf("%d components were drawn for the end", made)
		}
		r.do(func() { r.Search("item 990") })
		r.screen("item 989           |", "second line        |", "item 990           |", "second line        |", "item 991           #", "second line        |")
		if made > 12 {
			t.Errorf("%d components were drawn to find the tenth from the end", made)
		}
		r.do(func() { r.Search("") })
		r.tty.Type("\x1b[1;5H") // ctrl+home
		r.settle()
		r.screen("item 0             #", "second line        |", "item 1             |", "second line        |", "item 2             |", "second line        |")
		if made > 20 {
			t.Errorf("%d components were drawn to show the beginning", made)
		}
		r.do(func() {
			if err := r.SetFullScreen(false); err != nil {
				t.Error(err)
			}
		})
		if n := len(r.all()); n != 2000 {
			t.Errorf("%d lines in the scrollback and on the screen, want 2000", n)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

// What a deferred component draws in parts is drawn again when a part changes.
func TestPartsOfItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := tui.NewText("before")
		var part *tui.Item
		r := run(t, 20, 3, tui.Options{}, true, func(p *tui.Program) {
			inner := tui.NewContainer(tui.NewText("above"), text)
			part = p.Transcript.Append(inner).Part(text)
		})
		r.screen("above", "before")
		r.do(func() { text.SetText("after"); part.Touch() })
		r.screen("above", "after")
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}
