package tui

import (
	"strings"
	"time"

	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
)

// spot is a cell of a transcript.
type spot struct {
	place
	col int
}

// selection is text that is selected with the mouse.
type selection struct {
	from, to spot // where it began and where the mouse is
	active   bool
	held     bool
	clicks   int // of the same cell, one after the other
	clicked  time.Time
}

// clickTime is how soon a second click must follow to be a double click.
const clickTime = 400 * time.Millisecond

// selectWith begins, extends or ends a selection.
func (p *Program) selectWith(m input.Mouse) bool {
	s := &p.selected
	switch {
	case m.Action == input.MousePress && m.Button == input.LeftButton:
		at, ok := p.spotAt(m.X, m.Y)
		if !ok {
			p.ClearSelection()
			return false
		}
		if s.clicks > 0 && at == s.from && time.Since(s.clicked) < clickTime {
			s.clicks = s.clicks%3 + 1
		} else {
			s.clicks = 1
		}
		s.from, s.to, s.held, s.clicked = at, at, true, time.Now()
		s.active = s.clicks > 1
	case m.Action == input.MouseMove && m.Button == input.LeftButton && s.held:
		// Beyond an edge the transcript scrolls.
		if m.Y < 0 || m.Y == 0 && p.view.rows > 1 {
			p.Scroll(-1)
		} else if m.Y >= p.view.rows {
			p.Scroll(1)
		}
		if at, ok := p.spotAt(m.X, min(max(m.Y, 0), len(p.view.shown)-1)); ok {
			s.to, s.active = at, true
		}
	case m.Action == input.MouseRelease && s.held:
		s.held = false
		if s.active {
			p.copyText(p.Selected())
		}
	default:
		return false
	}
	p.dirty = true
	return true
}

// spotAt returns what is at a cell of the screen.
func (p *Program) spotAt(x, y int) (spot, bool) {
	if y < 0 || y >= len(p.view.shown) {
		return spot{}, false
	}
	return spot{p.view.shown[y], x}, true
}

// ClearSelection ends the selection.
func (p *Program) ClearSelection() {
	if p.selected.active {
		p.dirty = true
	}
	p.selected = selection{clicks: p.selected.clicks, clicked: p.selected.clicked, from: p.selected.from}
}

func (a spot) before(b spot) bool {
	switch {
	case a.item != b.item:
		return a.item.index < b.item.index
	case a.line != b.line:
		return a.line < b.line
	}
	return a.col < b.col
}

// ends returns the first and the last cell of the selection, widened to words
// or lines for double and triple clicks.
func (s *selection) ends() (from, to spot) {
	from, to = s.from, s.to
	if to.before(from) {
		from, to = to, from
	}
	switch s.clicks {
	case 2:
		from.col, _ = wordAround(from.text(), from.col)
		_, to.col = wordAround(to.text(), to.col)
	case 3:
		from.col, to.col = 0, 1<<30
	}
	return from, to
}

func (a spot) text() string {
	if a.line >= len(a.item.lines) {
		return ""
	}
	return text.Strip(a.item.lines[a.line])
}

// wordAround returns the first and last column of the word at a column.
func wordAround(line string, col int) (first, last int) {
	at, begin := 0, 0
	before := -1
	for i := 0; i < len(line); {
		n, w := text.Cluster(line[i:])
		class := 0
		if strings.ContainsAny(line[i:i+n], " \t()[]{}<>\"'`,;|│") {
			class = 1
		}
		if class != before {
			if at > col {
				return begin, at - 1
			}
			begin, before = at, class
		}
		i += n
		at += w
	}
	return begin, max(at-1, begin)
}

// columns returns the columns of a line that are selected.
func (s *selection) columns(at place) (from, to int, ok bool) {
	if !s.active || s.from.item == nil || s.from.item.t == nil || s.to.item.t == nil {
		return 0, 0, false
	}
	a, b := s.ends()
	line := spot{place: at}
	if line.before(spot{place: a.place}) || (spot{place: b.place}).before(line) {
		return 0, 0, false
	}
	from, to = 0, 1<<30
	if at == a.place {
		from = a.col
	}
	if at == b.place {
		to = b.col + 1
	}
	return from, to, true
}

// Selected returns the text that is selected, without styles and without blanks
// at the ends of lines.
func (p *Program) Selected() string {
	s := &p.selected
	if !s.active || s.from.item.t == nil || s.to.item.t == nil {
		return ""
	}
	a, b := s.ends()
	var out []string
	for i := a.item.index; i <= b.item.index && i < len(p.Transcript.items); i++ {
		it := p.Transcript.items[i]
		p.Transcript.layOut(it)
		for line := range it.lines {
			if from, to, ok := s.columns(place{it, line}); ok {
				out = append(out, strings.TrimRight(text.Strip(p.opts.Ruler.Slice(it.lines[line], from, min(to, p.width))), " "))
			}
		}
	}
	return strings.Join(out, "\n")
}

func (p *Program) copyText(s string) {
	switch {
	case s == "":
	case p.opts.OnCopy != nil:
		p.opts.OnCopy(s)
	default:
		_ = p.Copy(s)
	}
}

// Copy puts text on the clipboard by way of the terminal.
func (p *Program) Copy(s string) error {
	_, err := p.term.Write([]byte(term.Copy(s)))
	return err
}

func (p *Program) drawSelection(rows []string, width int) {
	for y, at := range p.view.shown {
		if from, to, ok := p.selected.columns(at); ok && y < len(rows) {
			rows[y] = p.highlight(rows[y], from, min(to, width), p.opts.Selection)
		}
	}
}

// highlight lays a style over columns of a row.
func (p *Program) highlight(row string, from, to int, st text.Style) string {
	r := p.opts.Ruler
	to = min(to, r.Width(row))
	if to <= from {
		return row
	}
	if st == (text.Style{}) {
		st.Attr = text.Inverse
	}
	part := text.Strip(r.Slice(row, from, to))
	return r.Slice(row, 0, from) + st.Render(part) + r.Slice(row, to, r.Width(row))
}
