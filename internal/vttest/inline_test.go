package vttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/tui/render"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/tuitest"
)

// inlineProgram is a program that draws on the main screen, and a model of what
// the terminal must show after each frame. The model knows nothing of how a
// frame is drawn: only that lines scroll off the top in order, each as it was in
// the frame in which it did.
type inlineProgram struct {
	rand          *rand.Rand
	width, height int
	renderer      *render.Inline
	oracle        *Oracle
	own           *tuitest.Terminal
	shape         *shape

	shell     []string // what was on the screen before
	lines     []string
	fixed     []string // an editor below the lines
	past      []string // what must be in the scrollback of ours
	top       int      // lines that have scrolled off
	rows      int      // rows the program has taken
	stale     bool     // the scrollback is not what it should be
	prev      []string
	drawn     bool
	fixedSize bool   // the size does not change
	log       []byte // all that was written
}

func TestInlinePrograms(t *testing.T) {
	t.Parallel()
	shapes := newShape(t)
	runPrograms(t, "inline", func(seed uint64) error { return runInline(seed, shapes, render.Options{NoSync: seed%3 == 0}) })
}

func runInline(seed uint64, shapes *shape, opts render.Options) error {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &inlineProgram{rand: r, width: 4 + r.IntN(30), height: 2 + r.IntN(9), shape: shapes}
	if r.IntN(20) == 0 {
		p.width, p.height = 1+r.IntN(3), 1+r.IntN(2)
	}
	return p.run(opts)
}

func (p *inlineProgram) run(opts render.Options) error {
	r := p.rand
	p.oracle = NewOracle(p.width, p.height)
	defer p.oracle.Close()
	p.own = tuitest.New(p.width, p.height)
	p.renderer = render.NewInline(p.width, p.height, opts)
	for i := range r.IntN(p.height) {
		p.shell = append(p.shell, text.Slice(fmt.Sprintf("sh%d", i), 0, p.width))
	}
	p.write([]byte(strings.Join(append(slices.Clone(p.shell), ""), "\r\n") + "\x1b[?7l"))
	for step := range 40 {
		what := p.step()
		if err := p.draw(); err != nil {
			return fmt.Errorf("step %d, %s, %dx%d: %w", step, what, p.width, p.height, err)
		}
	}
	p.renderer.Reemit()
	p.reset()
	if err := p.draw(); err != nil {
		return fmt.Errorf("the last frame, from scratch: %w", err)
	}
	return p.sameAsFresh(opts)
}

func (p *inlineProgram) write(b []byte) {
	p.log = append(p.log, b...)
	_, _ = p.oracle.Write(b)
	_, _ = p.own.Write(b)
}

// reset tells the model that everything is written again.
func (p *inlineProgram) reset() {
	p.shell, p.past, p.top, p.rows, p.stale = nil, nil, 0, 0, false
}

func (p *inlineProgram) line() string { return randomLine(p.rand, p.width) }

func (p *inlineProgram) step() string {
	r := p.rand
	switch n := r.IntN(100); {
	case n < 25:
		k := 1 + r.IntN(3)
		if r.IntN(8) == 0 {
			k += p.height
		}
		for range k {
			p.lines = append(p.lines, p.line())
		}
		return "append"
	case n < 45:
		if len(p.lines) == 0 {
			return "nothing"
		}
		p.lines[len(p.lines)-1] += words[r.IntN(len(words))]
		return "token"
	case n < 55:
		if visible := len(p.lines) - p.top; visible > 0 {
			i := p.top + r.IntN(visible)
			p.lines[i] = changeLine(r, p.lines[i], p.width)
		}
		return "edit"
	case n < 65:
		p.fixed = p.fixed[:0]
		for range r.IntN(p.height + 1) {
			p.fixed = append(p.fixed, p.line())
		}
		return "editor height"
	case n < 72:
		if len(p.fixed) > 0 {
			i := r.IntN(len(p.fixed))
			p.fixed[i] = changeLine(r, p.fixed[i], p.width)
		}
		return "editor text"
	case n < 80:
		k := min(len(p.lines), r.IntN(4))
		p.lines = p.lines[:len(p.lines)-k]
		return "shrink"
	case n < 84:
		if visible := len(p.lines) - p.top; visible > 0 {
			p.lines = slices.Insert(p.lines, p.top+r.IntN(visible), p.line())
		}
		return "insert"
	case n < 87:
		if len(p.lines) > 0 {
			i := r.IntN(len(p.lines))
			p.lines[i] = changeLine(r, p.lines[i], p.width)
		}
		return "edit anywhere"
	case n < 89:
		if len(p.lines) > 0 {
			i := r.IntN(len(p.lines))
			p.lines = slices.Delete(p.lines, i, min(len(p.lines), i+r.IntN(5)))
		}
		return "delete anywhere"
	case n < 91:
		p.lines = nil
		return "clear"
	case n < 95 && p.drawn && !p.fixedSize:
		if r.IntN(2) == 0 {
			p.width = 1 + r.IntN(34)
		}
		if r.IntN(2) == 0 {
			p.height = 1 + r.IntN(11)
		}
		p.resize()
		return "resize"
	case n < 98 && p.drawn:
		p.renderer.Reemit()
		p.reset()
		return "reemit"
	}
	return "nothing"
}

func (p *inlineProgram) resize() {
	w, h := p.own.Size()
	if w == p.width && h == p.height {
		return
	}
	p.oracle.Resize(p.width, p.height)
	p.own.Resize(p.width, p.height)
	p.renderer.Resize(p.width, p.height)
	p.stale, p.rows, p.shell = true, p.height, nil
}

func (p *inlineProgram) draw() error {
	all := slices.Concat(p.lines, p.fixed)
	keep := 0
	for keep < min(len(all), len(p.prev)) && all[keep] == p.prev[keep] {
		keep++
	}
	if p.rand.IntN(3) == 0 {
		keep = p.rand.IntN(keep + 1)
	}
	pastChanged := len(all) < p.top || len(all) == p.top && p.top > 0
	for i := 0; i < p.top && !pastChanged; i++ {
		pastChanged = all[i] != p.prev[i]
	}
	p.prev = all
	cursor := render.Cursor{Set: len(p.fixed) > 0 && p.rand.IntN(4) > 0}
	if cursor.Set {
		cursor.Row, cursor.Col = len(all)-1, p.rand.IntN(p.width)
	}
	out := p.renderer.Draw(nil, render.Frame{Lines: render.Slice(all), Keep: keep, Cursor: cursor})
	p.write(out)
	p.drawn = true

	if again := p.renderer.Draw(nil, render.Frame{Lines: render.Slice(all), Keep: 0, Cursor: cursor}); len(again) > 0 {
		return fmt.Errorf("the same frame again writes %q", again)
	}
	pastChanged = pastChanged && !p.stale // a stale scrollback is not looked at
	p.stale = p.stale || pastChanged
	if p.renderer.Stale() != p.stale {
		return fmt.Errorf("Stale() = %v, want %v", p.renderer.Stale(), p.stale)
	}
	top := max(p.top, len(all)-p.height)
	if p.stale {
		top = p.renderer.Top()
		if top > len(all) || len(all)-top > p.height || pastChanged && len(all)-top < min(len(all), p.height) {
			return fmt.Errorf("row %d is at the top of %d rows; there are %d lines", top, p.height, len(all))
		}
	} else {
		for i := p.top; i < top; i++ {
			p.past = append(p.past, p.shape.of(all[i], p.width))
		}
	}
	p.top = top
	p.rows = min(max(p.rows, len(all)-top), p.height)
	if err := p.check(all); err != nil {
		return err
	}
	if cursor.Set {
		off := min(len(p.shell), p.height-p.rows)
		x, y := p.oracle.Cursor()
		if wantX, wantY := cursor.Col, off+cursor.Row-top; x != wantX || y != wantY {
			return fmt.Errorf("the cursor is at %d,%d, want %d,%d", x, y, wantX, wantY)
		}
	}
	if n := p.own.Overflows(); n > 0 {
		return fmt.Errorf("%d characters were written beyond the last column", n)
	}
	if u := p.own.Unknown(); len(u) > 0 {
		return fmt.Errorf("sequences that our own terminal does not know: %q", u)
	}
	return nil
}

func (p *inlineProgram) check(all []string) error {
	shellLeft := min(len(p.shell), p.height-p.rows)
	screen := p.shape.all(p.shell[len(p.shell)-shellLeft:], p.width)
	screen = append(screen, p.shape.all(all[p.top:], p.width)...)
	for len(screen) < p.height {
		screen = append(screen, "")
	}
	if err := differ("the screen", p.oracle.Screen(), screen); err != nil {
		return err
	}
	if !p.stale {
		want := p.shape.all(p.shell[:len(p.shell)-shellLeft], p.width)
		want = append(want, p.past...)
		if err := differ("the scrollback", p.oracle.Scrollback(), want); err != nil {
			return err
		}
	}
	// Our own emulator must agree with the oracle.
	own := make([]string, 0, p.height)
	for _, l := range p.own.StyledScreen() {
		own = append(own, p.shape.of(l, p.width))
	}
	if err := differ("our own terminal", own, screen); err != nil {
		return err
	}
	if !p.stale {
		return differ("our own scrollback", plain(p.own.StyledScrollback()), plainShapes(p.oracle.Scrollback()))
	}
	return nil
}

// plain strips styles, of which the two emulators use different forms.
func plain(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = strings.TrimRight(text.Strip(r), " ")
	}
	return out
}

func plainShapes(rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		var b strings.Builder
		for r != "" {
			if r[0] == '{' {
				_, r, _ = strings.Cut(r, "}")
				continue
			}
			b.WriteByte(r[0])
			r = r[1:]
		}
		out[i] = strings.TrimRight(b.String(), " ")
	}
	return out
}

// sameAsFresh compares with a terminal on which only the last frame was drawn.
func (p *inlineProgram) sameAsFresh(opts render.Options) error {
	fresh := NewOracle(p.width, p.height)
	defer fresh.Close()
	_, _ = fresh.Write([]byte("\x1b[?7l"))
	all := slices.Concat(p.lines, p.fixed)
	r := render.NewInline(p.width, p.height, opts)
	_, _ = fresh.Write(r.Draw(nil, render.Frame{Lines: render.Slice(all)}))
	if err := differ("the screen beside one from scratch", p.oracle.Screen(), fresh.Screen()); err != nil {
		return err
	}
	return differ("the scrollback beside one from scratch", p.oracle.Scrollback(), fresh.Scrollback())
}
