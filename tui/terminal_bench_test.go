package tui

import (
	"strings"
	"sync"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/pi-go/pi/tui/term"
)

// silentTty is a terminal that shows nothing, as drawing is not what is measured.
type silentTty struct {
	mu    sync.Mutex
	size  tcell.WindowSize
	bytes int
}

// Start is for the program that is measured, as are the others.
func (*silentTty) Start() error             { return nil }
func (*silentTty) Stop() error              { return nil }
func (*silentTty) Drain() error             { return nil }
func (*silentTty) NotifyResize(func())      { /* it is told by hand */ }
func (*silentTty) Read([]byte) (int, error) { select {} }
func (*silentTty) Close() error             { return nil }
func (t *silentTty) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes += len(b)
	return len(b), nil
}

func (t *silentTty) WindowSize() (tcell.WindowSize, error) { return t.size, nil }

// benchProgram is a whole program, whose frames are drawn by hand.
type benchProgram struct {
	*Program
	tty    *silentTty
	editor *Editor
}

// benchLine is a line of the transcript: about 90 columns, some of them coloured.
// The programs of other libraries have the same.
func benchLine(i int) string {
	words := strings.Fields("the agent reads a file then edits one line and runs every test again before it answers with what it found")
	var b strings.Builder
	for j := 0; b.Len() < 90; j++ {
		w := words[(i+j)%len(words)]
		switch j % 7 {
		case 3:
			w = "\x1b[36m" + w + "\x1b[0m"
		case 5:
			w = "\x1b[1m" + w + "\x1b[0m"
		}
		b.WriteString(w + " ")
	}
	return b.String()
}

func newBenchProgram(b *testing.B, lines []string, full bool) *benchProgram {
	b.Helper()
	tty := &silentTty{size: tcell.WindowSize{Width: 120, Height: 40}}
	tm, err := term.Open(term.Options{Tty: tty, FullScreen: full, Getenv: func(string) string { return "xterm" }})
	if err != nil {
		b.Fatal(err)
	}
	if err := tm.Start(); err != nil {
		b.Fatal(err)
	}
	p := &benchProgram{New(Options{Terminal: tm, ScrollbarThumb: "#"}), tty, NewEditor(nil)}
	for _, l := range lines {
		p.Transcript.Append(NewText(l))
	}
	p.Bottom.Add(p.editor)
	p.SetFocus(p.editor)
	p.begin()
	p.draw(b)
	return p
}

func (p *benchProgram) draw(b *testing.B) {
	b.Helper()
	if err := p.frame(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkTerminal does what the programs in internal/tools/bench/testdata do
// with other libraries: the bench command sets the figures beside each other.
func BenchmarkTerminal(b *testing.B) {
	lines := make([]string, 5000)
	for i := range lines {
		lines[i] = benchLine(i)
	}
	frames := func(b *testing.B, p *benchProgram, step func(i int)) {
		b.Helper()
		before, n := p.tty.bytes, 0
		b.ReportAllocs()
		for b.Loop() {
			step(n)
			p.draw(b)
			n++
		}
		b.ReportMetric(float64(p.tty.bytes-before)/float64(n), "bytes/frame")
	}
	for _, full := range []bool{true, false} {
		mode := map[bool]string{true: "full", false: "main"}[full]
		b.Run("token/"+mode, func(b *testing.B) {
			p := newBenchProgram(b, lines, full)
			p.Transcript.layOutAll() // as is done while nothing happens
			live := NewText("")
			item := p.Transcript.Append(live)
			p.draw(b)
			frames(b, p, func(i int) {
				if i%18 == 0 {
					live.SetText("")
				}
				live.SetText(live.Text() + " token")
				item.Touch()
			})
		})
		b.Run("line/"+mode, func(b *testing.B) {
			p := newBenchProgram(b, lines, full)
			p.Transcript.layOutAll()
			frames(b, p, func(i int) { p.Transcript.Append(NewText(lines[i%len(lines)])) })
		})
		b.Run("resize/"+mode, func(b *testing.B) {
			p := newBenchProgram(b, lines, full)
			frames(b, p, func(i int) {
				p.tty.size.Width = 120 - 40*((i+1)%2)
				p.resize()
				if p.inline != nil {
					p.draw(b)
					p.reemit()
				}
			})
		})
		b.Run("paint/"+mode, func(b *testing.B) {
			for b.Loop() {
				newBenchProgram(b, lines, full)
			}
		})
	}
	b.Run("paste", func(b *testing.B) {
		in := []byte("\x1b[200~" + strings.Repeat(strings.Repeat("some pasted text of a line,", 4)[:107]+"\r", 1<<20/108) + "\x1b[201~")
		p := newBenchProgram(b, nil, true)
		frames(b, p, func(int) {
			p.editor.SetText("")
			for rest := in; len(rest) > 0; rest = rest[min(4096, len(rest)):] {
				p.feed(p.decoder.Feed(rest[:min(4096, len(rest))]))
			}
			if len(p.editor.Text()) < 1<<20-200 {
				b.Fatal("the paste is not in the editor")
			}
		})
	})
	b.Run("key", func(b *testing.B) {
		p := newBenchProgram(b, nil, true)
		p.editor.SetText(strings.Repeat("a line of the text that is being edited, some words long\n", 2000))
		p.draw(b)
		frames(b, p, func(i int) {
			if i%80 == 79 {
				p.feed(p.decoder.Feed([]byte("\r")))
				p.editor.SetText(strings.Repeat("a line of the text that is being edited, some words long\n", 2000))
			}
			p.feed(p.decoder.Feed([]byte("x")))
		})
	})
}
