package tui

import (
	"fmt"
	"testing"

	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

// longProgram is a program with many items in its transcript, the last of which
// grows at each step.
func longProgram(tb testing.TB, items int, full bool) (p *Program, step func()) {
	tb.Helper()
	tty := tuitest.NewTty(120, 40)
	tm, err := term.Open(term.Options{Tty: tty, FullScreen: full, Getenv: func(string) string { return "xterm" }})
	if err != nil {
		tb.Fatal(err)
	}
	if err := tm.Start(); err != nil {
		tb.Fatal(err)
	}
	p = New(Options{Terminal: tm, ScrollbarThumb: "#"})
	for i := range items {
		p.Transcript.Append(NewText(fmt.Sprintf("item %d with some words that are \x1b[1mlong\x1b[0m enough", i)))
	}
	last := NewText("")
	item := p.Transcript.Append(last)
	ed := NewEditor(nil)
	p.Bottom.Add(ed)
	p.SetFocus(ed)
	p.begin()
	if err := p.frame(); err != nil {
		tb.Fatal(err)
	}
	p.Transcript.layOutSome(func() bool { return false })
	n := 0
	return p, func() {
		if n++; n%20 == 0 {
			last.SetText("")
		}
		last.SetText(last.Text() + " token")
		item.Touch()
		if err := p.frame(); err != nil {
			tb.Fatal(err)
		}
	}
}

// What a frame costs must not grow with the transcript. Allocations tell, and do
// not depend on the machine.
func TestFrameCostIsFlat(t *testing.T) {
	for _, full := range []bool{false, true} {
		var cost [2]float64
		for i, items := range []int{500, 50000} {
			_, step := longProgram(t, items, full)
			cost[i] = testing.AllocsPerRun(100, step)
		}
		if cost[1] > cost[0]*1.2+5 {
			t.Errorf("full screen %v: a frame makes %.0f allocations with 500 items, %.0f with 50,000", full, cost[0], cost[1])
		}
	}
}

// Lines that have scrolled off are not even looked at, unless their items have
// changed: one that is changed behind the program's back is not seen.
func TestAFrameDoesNotLookAtWhatHasNotChanged(t *testing.T) {
	p, step := longProgram(t, 100, false)
	step()
	p.Transcript.items[3].lines = []string{"nobody was told"}
	step()
	if p.inline.Stale() {
		t.Error("lines in the scrollback are compared at each frame")
	}
	p.Transcript.items[3].component.(*Text).SetText("told")
	p.Transcript.items[3].Touch()
	step()
	if !p.inline.Stale() {
		t.Error("a change in the scrollback is not seen")
	}
}

func BenchmarkProgramFrame(b *testing.B) {
	for _, full := range []bool{false, true} {
		for _, items := range []int{500, 5000, 50000} {
			b.Run(fmt.Sprintf("full=%v/items=%d", full, items), func(b *testing.B) {
				_, step := longProgram(b, items, full)
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
			})
		}
	}
}
