package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/pi-go/pi/tui/render"
)

// frame draws everything and writes what has changed, in one write.
func (p *Program) frame() error {
	p.dirty = false
	p.lastFrame = time.Now()
	p.buf = p.buf[:0]
	p.tellFocus() // an overlay can have come into view, or gone
	if p.full != nil {
		p.drawFull()
	} else {
		p.drawInline()
	}
	if len(p.buf) == 0 {
		return nil
	}
	if _, err := p.term.Write(p.buf); err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	return nil
}

// bottom returns the lines of the fixed part; if it is higher than the terminal,
// the end of it, unless the cursor is further up.
func (p *Program) bottom(height int) []string {
	lines := p.Bottom.Render(p.width)
	if over := len(lines) - height; over > 0 {
		for i, l := range lines[:over] {
			if strings.Contains(l, CursorMarker) {
				over = i
				break
			}
		}
		lines = lines[over : over+height]
	}
	return lines
}

func (p *Program) drawFull() {
	t := p.Transcript
	bottom := p.bottom(p.height)
	rows := p.height - len(bottom)
	width := p.width
	if p.opts.ScrollbarThumb != "" && width > 1 {
		width-- // always left free, so that text does not move when the bar comes
	}
	t.refresh(width, true)
	screen := make([]string, p.height)
	copy(screen, p.view.window(t, rows))
	p.drawMatches(screen[:rows], width)
	p.drawSelection(screen[:rows], width)
	copy(screen[rows:], bottom)
	s := render.Screen{Rows: screen, ScrollBottom: rows, Bar: p.scrollbar(rows)}
	p.drawOverlays(screen, p.height, &s.Cursor)
	if !s.Cursor.Set {
		s.Cursor = p.takeCursor(screen, rows)
	}
	for y, at := range p.view.shown {
		if !s.Cursor.Set && at == at.item.cursor {
			s.Cursor = p.cursorIn(at.item, y)
		}
	}
	p.buf = p.full.Draw(p.buf, s)
}

func (p *Program) drawInline() {
	t := p.Transcript
	t.refresh(p.width, false)
	if p.again {
		p.again = false
		t.layOutAll()
		p.inline.Reemit()
	}
	t.layOutTail(p.height)
	bottom := p.bottom(max(p.height, 1))
	n := t.height() + len(bottom)
	lines := &inlineLines{t: t, above: t.height(), bottom: bottom, n: n}
	f := render.Frame{Lines: lines, Keep: t.takeKeep()}
	if p.visibleOverlays() {
		// Overlays stand on the rows that are on the screen.
		top := max(0, n-p.height)
		rows := make([]string, p.height)
		for i := range rows {
			if top+i < n {
				rows[i] = lines.Line(top + i)
			}
		}
		used := p.drawOverlays(rows, min(n, p.height), &f.Cursor)
		lines.over, lines.overAt = rows[:max(used, n-top)], top
		lines.n = top + len(lines.over)
		f.Cursor.Row += top
		if !f.Cursor.Set && len(bottom) > 0 {
			f.Cursor = p.takeCursor(lines.over, 0)
			f.Cursor.Row += top
		}
		t.keep = min(t.keep, top) // the rows under an overlay are other lines next time
		f.Keep = min(f.Keep, top)
	} else {
		lines.bottom = append([]string(nil), bottom...)
		f.Cursor = p.takeCursor(lines.bottom, 0)
		f.Cursor.Row += lines.above
	}
	row := lines.above
	for i := len(t.items) - 1; i >= 0 && !f.Cursor.Set && row > n-p.height; i-- {
		it := t.items[i]
		if row -= len(it.lines); it.cursor.item != nil {
			f.Cursor = p.cursorIn(it, row+it.cursor.line)
		}
	}
	p.fixed = lines.n - lines.above
	p.buf = p.inline.Draw(p.buf, f)
	gap := p.opts.ClearOnShrink && !p.opts.KeepScrollback && p.inline.Top() > 0 && lines.n-p.inline.Top() < p.height
	switch {
	case !p.inline.Stale() && !gap:
		p.staleSince = time.Time{}
	case p.staleSince.IsZero():
		p.staleSince, p.lastChange = time.Now(), time.Now()
	case len(p.buf) > 0:
		p.lastChange = time.Now()
	}
}

// takeCursor finds the cursor's mark in rows, from the last one up, and takes it
// out of them.
func (p *Program) takeCursor(rows []string, from int) (c render.Cursor) {
	for i := len(rows) - 1; i >= from; i-- {
		at := strings.Index(rows[i], CursorMarker)
		if at < 0 {
			continue
		}
		if !c.Set {
			c = render.Cursor{Row: i, Col: p.opts.Ruler.Width(rows[i][:at]), Set: true, Hidden: !p.opts.ShowCursor}
		}
		rows[i] = strings.ReplaceAll(rows[i], CursorMarker, "")
	}
	return c
}

// cursorIn returns the cursor of a component of the transcript, which is at a row.
func (p *Program) cursorIn(it *Item, row int) render.Cursor {
	return render.Cursor{Row: row, Col: p.opts.Ruler.Width(it.cursorAt), Set: true, Hidden: !p.opts.ShowCursor}
}

func (p *Program) visibleOverlays() bool {
	for _, o := range p.overlays {
		if o.shown(p.width, p.height) {
			return true
		}
	}
	return false
}

func (o *Overlay) shown(width, height int) bool {
	return !o.hidden && (o.opts.Visible == nil || o.opts.Visible(width, height))
}

// drawOverlays draws the overlays over rows, the last one on top, and returns
// how many rows are in use, of which content rows were before.
func (p *Program) drawOverlays(rows []string, content int, cursor *render.Cursor) (used int) {
	used = content
	for _, o := range p.overlays {
		o.bounds = Rect{}
		if !o.shown(p.width, p.height) {
			continue
		}
		at, lines := o.place(p.width, p.height, p.Bottom.report)
		o.bounds = at
		if o.opts.OnPlaced != nil {
			o.opts.OnPlaced(at)
		}
		own := append([]string(nil), lines...)
		if c := p.takeCursor(own, 0); c.Set && o.Focused() {
			c.Row, c.Col = c.Row+at.Y, min(c.Col, at.Width-1)+at.X
			*cursor = c
		}
		compose(p.opts.Ruler, rows, p.width, at, own)
		used = max(used, at.Y+len(lines))
	}
	if cursor.Set {
		p.takeCursor(rows, 0) // the mark of what the overlay covers
	}
	return used
}

// inlineLines are all lines of a program in regular mode.
type inlineLines struct {
	t      *Transcript
	above  int // lines of the transcript
	bottom []string
	n      int
	over   []string // lines under overlays, from overAt on
	overAt int
}

// Len returns the number of lines.
func (l *inlineLines) Len() int { return l.n }

// Line returns line i.
func (l *inlineLines) Line(i int) string {
	if l.over != nil && i >= l.overAt {
		return l.over[i-l.overAt]
	}
	if i < l.above {
		return l.t.line(i)
	}
	return l.bottom[i-l.above]
}

// farewell is what is written to the main screen when the full screen is left for
// good: the fixed part that a program in regular mode had drawn there before is taken
// away, since it tells what was.
func (p *Program) farewell(panics bool) string {
	if !p.term.FullScreen() {
		return ""
	}
	var b []byte
	if p.parked != nil {
		b = p.parked.Withdraw(b, p.fixed, p.width, p.height)
	}
	if len(p.exitLines) > 0 && !panics {
		b = append(b, strings.Join(p.exitLines, "\r\n")+"\r\n"...)
	}
	return string(b)
}

// finishFrame leaves the screen so that what comes next does not write into it.
func (p *Program) finishFrame() {
	if p.inline != nil {
		_, _ = p.term.Write(p.inline.Finish(nil))
	}
}
