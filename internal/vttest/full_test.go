package vttest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pi-go/pi/tui/render"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/tuitest"
)

// fullProgram scrolls a transcript above a few fixed rows, as a full-screen
// program does, and compares each frame with the rows it asked for.
type fullProgram struct {
	rand          *rand.Rand
	width, height int
	renderer      *render.Full
	oracle        *Oracle
	own           *tuitest.Terminal
	shape         *shape

	lines  []string
	fixed  []string
	header int // fixed rows at the top
	offset int // first line of the transcript that is shown
	bar    bool

	noise     bool   // something else has written to the terminal
	fixedSize bool   // the size does not change
	log       []byte // all that was written
}

func TestFullPrograms(t *testing.T) {
	t.Parallel()
	shapes := newShape(t)
	runPrograms(t, "full", func(seed uint64) error {
		return runFull(seed, shapes, render.Options{NoSync: seed%3 == 0, NoScroll: seed%5 == 0})
	})
}

func runFull(seed uint64, shapes *shape, opts render.Options) error {
	r := rand.New(rand.NewPCG(seed, 2))
	p := &fullProgram{rand: r, width: 4 + r.IntN(30), height: 3 + r.IntN(12), shape: shapes, header: r.IntN(3)}
	if r.IntN(20) == 0 {
		p.width, p.height = 1+r.IntN(3), 1+r.IntN(2)
	}
	return p.run(opts)
}

func (p *fullProgram) run(opts render.Options) error {
	r := p.rand
	p.oracle = NewOracle(p.width, p.height)
	defer p.oracle.Close()
	p.own = tuitest.New(p.width, p.height)
	p.renderer = render.NewFull(p.width, p.height, opts)
	p.write([]byte("\x1b[?1049h\x1b[?7l"))
	for range r.IntN(40) {
		p.lines = append(p.lines, randomLine(r, p.width))
	}
	for step := range 40 {
		what, known, by := p.step()
		if err := p.draw(known, by); err != nil {
			return fmt.Errorf("step %d, %s, %dx%d: %w", step, what, p.width, p.height, err)
		}
	}
	return nil
}

func (p *fullProgram) write(b []byte) {
	p.log = append(p.log, b...)
	_, _ = p.oracle.Write(b)
	_, _ = p.own.Write(b)
}

// window is the range of rows that scroll.
func (p *fullProgram) window() (top, bottom int) {
	top = min(p.header, p.height)
	return top, max(top, p.height-len(p.fixed))
}

func (p *fullProgram) step() (what string, known bool, by int) {
	r := p.rand
	top, bottom := p.window()
	end := max(0, len(p.lines)-(bottom-top))
	follow := p.offset >= end-1
	before := p.offset
	switch n := r.IntN(100); {
	case n < 25:
		what = "append"
		for range 1 + r.IntN(6) {
			p.lines = append(p.lines, randomLine(r, p.width))
		}
	case n < 45:
		what = "token"
		if len(p.lines) > 0 {
			p.lines[len(p.lines)-1] += words[r.IntN(len(words))]
		}
	case n < 60:
		what = "edit"
		if len(p.lines) > 0 {
			i := max(0, len(p.lines)-1-r.IntN(20))
			p.lines[i] = changeLine(r, p.lines[i], p.width)
		}
	case n < 66:
		what = "remove"
		p.lines = p.lines[:len(p.lines)-min(len(p.lines), r.IntN(7))]
	case n < 80:
		what = "scroll"
		p.offset = min(max(p.offset+r.IntN(15)-7, 0), max(0, len(p.lines)-1))
		return what, r.IntN(2) == 0, p.offset - before
	case n < 86:
		what = "bar"
		p.bar = !p.bar
	case n < 92:
		what = "fixed part"
		p.fixed = p.fixed[:0]
		for range r.IntN(4) {
			p.fixed = append(p.fixed, randomLine(r, p.width))
		}
	case n < 95 && !p.fixedSize:
		what = "resize"
		p.width, p.height = 1+r.IntN(34), 1+r.IntN(15)
		p.oracle.Resize(p.width, p.height)
		p.own.Resize(p.width, p.height)
		p.renderer.Resize(p.width, p.height)
	case n < 97:
		what = "invalidate"
		p.noise = true
		p.write([]byte("\x1b[31mnoise\x1b[0m\x1b[5;5Hnoise"))
		p.renderer.Invalidate()
	default:
		what = "nothing"
	}
	top, bottom = p.window()
	if follow {
		p.offset = max(0, len(p.lines)-(bottom-top))
	}
	p.offset = min(p.offset, len(p.lines))
	return what, false, 0
}

func (p *fullProgram) draw(known bool, by int) error {
	top, bottom := p.window()
	rows := make([]string, p.height)
	for i := range top {
		rows[i] = fmt.Sprintf("head %d", i)
	}
	for i := top; i < bottom; i++ {
		if at := p.offset + i - top; at < len(p.lines) {
			rows[i] = p.lines[at]
		}
	}
	for i := bottom; i < p.height && i-bottom < len(p.fixed); i++ {
		rows[i] = p.fixed[i-bottom]
	}
	s := render.Screen{Rows: rows, ScrollTop: top, ScrollBottom: bottom, ScrollKnown: known, Scrolled: by}
	if p.bar && bottom > top {
		s.Bar = make([]string, bottom-top)
		thumb := p.rand.IntN(len(s.Bar))
		for i := range s.Bar {
			s.Bar[i] = "│"
			if i == thumb {
				s.Bar[i] = "\x1b[7m \x1b[0m"
			}
		}
	}
	s.Cursor = render.Cursor{Set: p.rand.IntN(2) == 0, Row: p.rand.IntN(p.height), Col: p.rand.IntN(p.width)}
	p.write(p.renderer.Draw(nil, s))

	want := make([]string, p.height)
	for i, l := range rows {
		if s.Bar != nil && p.width > 1 && i >= top && i < bottom {
			l = text.Pad(text.Truncate(l, p.width-1, ""), p.width-1) + s.Bar[i-top]
		}
		want[i] = p.shape.of(l, p.width)
	}
	if err := differ("the screen", p.oracle.Screen(), want); err != nil {
		return err
	}
	own := make([]string, 0, p.height)
	for _, l := range p.own.StyledScreen() {
		own = append(own, p.shape.of(l, p.width))
	}
	if err := differ("our own terminal", own, want); err != nil {
		return err
	}
	if s.Cursor.Set {
		if x, y := p.oracle.Cursor(); x != s.Cursor.Col || y != s.Cursor.Row {
			return fmt.Errorf("the cursor is at %d,%d, want %d,%d", x, y, s.Cursor.Col, s.Cursor.Row)
		}
	}
	if n := len(p.own.Scrollback()); n > 0 {
		return fmt.Errorf("the alternate screen left %d lines in the scrollback", n)
	}
	if n := p.own.Overflows(); n > 0 && !p.noise {
		return fmt.Errorf("%d characters were written beyond the last column", n)
	}
	if u := p.own.Unknown(); len(u) > 0 {
		return fmt.Errorf("sequences that our own terminal does not know: %q", u)
	}
	again := p.renderer.Draw(nil, render.Screen{Rows: rows, ScrollTop: top, ScrollBottom: bottom, Bar: s.Bar, Cursor: s.Cursor})
	if len(again) > 0 {
		return fmt.Errorf("the same frame again writes %q", again)
	}
	return nil
}
