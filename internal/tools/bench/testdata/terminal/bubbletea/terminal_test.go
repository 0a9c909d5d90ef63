// Package bubbletea does with Bubble Tea v2 what BenchmarkTerminal of package tui
// does: its components, and its renderer on a buffer of 120 by 40 cells, driven
// by hand. The transcript is cut to the window by the program, which is the best
// that a program can do; giving all of it to a viewport costs 25 times as much.
package bubbletea

import (
	"strings"
	"testing"

	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

const columns, rows = 120, 40

func line(i int) string {
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

type counter struct{ bytes int }

func (c *counter) Write(b []byte) (int, error) {
	c.bytes += len(b)
	return len(b), nil
}

// screen is what a program of Bubble Tea draws on.
type screen struct {
	out      counter
	renderer *uv.TerminalRenderer
	buffer   uv.ScreenBuffer
}

func newScreen() *screen {
	s := &screen{buffer: uv.NewScreenBuffer(columns, rows)}
	s.renderer = uv.NewTerminalRenderer(&s.out, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	s.renderer.SetFullscreen(true)
	return s
}

func (s *screen) draw(b *testing.B, view string) {
	b.Helper()
	s.buffer.Clear()
	uv.NewStyledString(view).Draw(s.buffer, s.buffer.Bounds())
	s.renderer.Render(s.buffer.RenderBuffer)
	if err := s.renderer.Flush(); err != nil {
		b.Fatal(err)
	}
}

func (s *screen) frames(b *testing.B, step func(i int) string) {
	b.Helper()
	before, n := s.out.bytes, 0
	b.ReportAllocs()
	for b.Loop() {
		s.draw(b, step(n))
		n++
	}
	b.ReportMetric(float64(s.out.bytes-before)/float64(n), "bytes/frame")
}

func tail(lines []string, more ...string) string {
	n := rows - 1 - len(more)
	return strings.Join(append(lines[max(0, len(lines)-n):len(lines):len(lines)], append(more, "footer")...), "\n")
}

func newTextarea() textarea.Model {
	t := textarea.New()
	t.ShowLineNumbers = false
	t.MaxHeight, t.CharLimit = 0, 0
	t.SetWidth(columns)
	t.SetHeight(rows / 3)
	t.Focus()
	return t
}

func BenchmarkTerminal(b *testing.B) {
	lines := make([]string, 5000)
	for i := range lines {
		lines[i] = line(i)
	}
	b.Run("token/full", func(b *testing.B) {
		s, live := newScreen(), ""
		s.draw(b, tail(lines, live))
		s.frames(b, func(i int) string {
			if i%18 == 0 {
				live = ""
			}
			live += " token"
			return tail(lines, live)
		})
	})
	b.Run("line/full", func(b *testing.B) {
		s, all := newScreen(), append([]string(nil), lines...)
		s.draw(b, tail(all))
		s.frames(b, func(i int) string {
			all = append(all, lines[i%len(lines)])
			return tail(all)
		})
	})
	b.Run("resize/full", func(b *testing.B) {
		s := newScreen()
		v := viewport.New(viewport.WithWidth(columns), viewport.WithHeight(rows-1))
		v.SoftWrap = true
		v.SetContentLines(lines)
		v.GotoBottom()
		s.frames(b, func(i int) string {
			width := columns - 40*((i+1)%2)
			s.buffer.Resize(width, rows)
			s.renderer.Resize(width, rows)
			s.renderer.Erase()
			v.SetWidth(width)
			v.GotoBottom()
			return v.View() + "\nfooter"
		})
	})
	b.Run("paint/full", func(b *testing.B) {
		for b.Loop() {
			s := newScreen()
			v := viewport.New(viewport.WithWidth(columns), viewport.WithHeight(rows-1))
			v.SetContentLines(lines)
			v.GotoBottom()
			s.draw(b, v.View()+"\nfooter")
		}
	})
	b.Run("paste", func(b *testing.B) {
		text := strings.Repeat(strings.Repeat("some pasted text of a line,", 4)[:107]+"\n", 1<<20/108)
		s := newScreen()
		s.frames(b, func(int) string {
			t := newTextarea()
			t, _ = t.Update(tea.PasteMsg{Content: text})
			if t.Length() < 1<<20-200 {
				b.Fatalf("%d characters of the paste are there: it holds 10,000 lines", t.Length())
			}
			return t.View()
		})
	})
	b.Run("key", func(b *testing.B) {
		s, t := newScreen(), newTextarea()
		t.SetValue(strings.Repeat("a line of the text that is being edited, some words long\n", 2000))
		s.draw(b, t.View())
		s.frames(b, func(i int) string {
			if i%80 == 79 {
				t.SetValue(strings.Repeat("a line of the text that is being edited, some words long\n", 2000))
			}
			t, _ = t.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
			return t.View()
		})
	})
}
