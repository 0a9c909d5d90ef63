package render

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/tuitest"
)

// FuzzRow turns one row into another: the screen must be as if only the other
// one had ever been drawn.
func FuzzRow(f *testing.F) {
	f.Add("one two", "one 2 two", 20, false)
	f.Add("\x1b[31mab\x1b[0mc", "\x1b[32mab\x1b[0mc", 20, true)
	f.Add("e한", "e\u0301한", 3, false)
	f.Add("\x1b]8;;http://a\x1b\\x\x1b]8;;\x1b\\y", "xy", 9, true)
	f.Add("👩\u200d🚀a", "👩a", 5, false)
	f.Fuzz(func(t *testing.T, before, after string, width int, bar bool) {
		width, before, after = 1+int(uint(width)%60), before[:min(len(before), 150)], after[:min(len(after), 150)]
		var cells []string
		if bar {
			cells = []string{"│", "│"}
		}
		screen := func(rows ...string) Screen {
			return Screen{Rows: rows, ScrollBottom: 2, Bar: cells}
		}
		changed, fresh := tuitest.New(width, 3), tuitest.New(width, 3)
		fmt.Fprint(changed, "\x1b[?7l")
		fmt.Fprint(fresh, "\x1b[?7l")
		r := NewFull(width, 3, Options{})
		_, _ = changed.Write(r.Draw(nil, screen(before, after, before)))
		_, _ = changed.Write(r.Draw(nil, screen(after, before, after)))
		_, _ = fresh.Write(NewFull(width, 3, Options{}).Draw(nil, screen(after, before, after)))
		if diff := cmp.Diff(fresh.StyledScreen(), changed.StyledScreen()); diff != "" {
			t.Fatalf("%q became %q at %d, with a bar %v (-fresh +changed):\n%s", before, after, width, bar, diff)
		}
		in, other := tuitest.New(width, 3), tuitest.New(width, 3)
		fmt.Fprint(in, "\x1b[?7l")
		fmt.Fprint(other, "\x1b[?7l")
		ri := NewInline(width, 3, Options{})
		_, _ = in.Write(ri.Draw(nil, Frame{Lines: Slice{before, after}}))
		_, _ = in.Write(ri.Draw(nil, Frame{Lines: Slice{after, before}}))
		_, _ = other.Write(NewInline(width, 3, Options{}).Draw(nil, Frame{Lines: Slice{after, before}}))
		if diff := cmp.Diff(other.StyledScreen(), in.StyledScreen()); diff != "" {
			t.Fatalf("inline: %q became %q at %d (-fresh +changed):\n%s", before, after, width, diff)
		}
	})
}
