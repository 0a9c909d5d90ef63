package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

// longProgram is a program with many items in its transcript, the last of which
// grows at each step.
func longProgram(tb testing.TB, items int, full bool) (step func()) {
	tb.Helper()
	tty := tuitest.NewTty(120, 40)
	tm, err := term.Open(term.Options{Tty: tty, FullScreen: full, Getenv: func(string) string { return "xterm" }})
	if err != nil {
		tb.Fatal(err)
	}
	if err := tm.Start(); err != nil {
		tb.Fatal(err)
	}
	p := New(Options{Terminal: tm, ScrollbarThumb: "#"})
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
	return func() {
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
			step := longProgram(t, items, full)
			cost[i] = testing.AllocsPerRun(100, step)
		}
		if cost[1] > cost[0]*1.2+5 {
			t.Errorf("full screen %v: a frame makes %.0f allocations with 500 items, %.0f with 50,000", full, cost[0], cost[1])
		}
	}
}

func BenchmarkProgramFrame(b *testing.B) {
	for _, full := range []bool{false, true} {
		for _, items := range []int{500, 5000, 50000} {
			b.Run(fmt.Sprintf("full=%v/items=%d", full, items), func(b *testing.B) {
				step := longProgram(b, items, full)
				b.ReportAllocs()
				for b.Loop() {
					step()
				}
			})
		}
	}
}

func BenchmarkResize(b *testing.B) {
	for _, full := range []bool{false, true} {
		b.Run(fmt.Sprintf("full=%v/items=5000", full), func(b *testing.B) {
			tty := tuitest.NewTty(120, 40)
			tm, err := term.Open(term.Options{Tty: tty, FullScreen: full, Getenv: func(string) string { return "xterm" }})
			if err != nil {
				b.Fatal(err)
			}
			p := New(Options{Terminal: tm})
			for i := range 5000 {
				p.Transcript.Append(NewText(fmt.Sprintf("item %d with some words that are \x1b[1mlong\x1b[0m enough to be wrapped on most of the terminals there are", i)))
			}
			p.begin()
			p.drawForBench(b)
			width := 120
			b.ReportAllocs()
			for b.Loop() {
				width = 200 - width
				p.width = width
				if p.inline != nil {
					p.inline.Resize(width, 40)
					p.drawForBench(b)
					p.reemit()
				} else {
					p.full.Resize(width, 40)
				}
				p.drawForBench(b)
			}
		})
	}
}

// drawForBench draws without a terminal, as the emulator would cost more than
// what is measured.
func (p *Program) drawForBench(b *testing.B) {
	b.Helper()
	p.buf = p.buf[:0]
	if p.full != nil {
		p.drawFull()
	} else {
		p.drawInline()
	}
	if len(p.buf) == 0 {
		b.Fatal("nothing is drawn")
	}
}

func BenchmarkPaste(b *testing.B) {
	in := []byte("\x1b[200~" + strings.Repeat("some pasted text of a line\r", 40000) + "\x1b[201~")
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		var d input.Decoder
		e := NewEditor(nil)
		for rest := in; len(rest) > 0; rest = rest[min(4096, len(rest)):] {
			for _, ev := range d.Feed(rest[:min(4096, len(rest))]) {
				e.HandleInput(ev)
			}
		}
		e.Render(80)
	}
}
