package tui

import (
	"unicode/utf8"

	"github.com/pi-go/pi/tui/edit"
	"github.com/pi-go/pi/tui/text"
)

// layout divides lines into rows.
type layout struct {
	width int
	ruler *text.Ruler
	buf   *edit.Buffer
	lines []string // what was laid out
	rows  [][]int  // for each line, the offsets at which its rows begin
	first []int    // for each line, the number of its first row
	total int
}

// update lays out the lines that have changed.
func (l *layout) update(b *edit.Buffer, r *text.Ruler, width int) {
	lines := b.Lines()
	if l.width != width || l.ruler != r || l.buf != b {
		*l = layout{width: width, ruler: r, buf: b}
	}
	old := l.rows
	oldLines := l.lines
	// Lines at the beginning and at the end are mostly the same ones.
	head := 0
	for head < min(len(lines), len(oldLines)) && lines[head] == oldLines[head] {
		head++
	}
	tail := 0
	for tail < min(len(lines), len(oldLines))-head && lines[len(lines)-1-tail] == oldLines[len(oldLines)-1-tail] {
		tail++
	}
	if head == len(lines) && head == len(oldLines) {
		return
	}
	rows := make([][]int, 0, len(lines))
	rows = append(rows, old[:head]...)
	for _, line := range lines[head : len(lines)-tail] {
		rows = append(rows, l.wrap(line))
	}
	rows = append(rows, old[len(old)-tail:]...)
	l.rows = rows
	l.lines = append(l.lines[:0], lines...)
	l.first = l.first[:0]
	l.total = 0
	for _, r := range rows {
		l.first = append(l.first, l.total)
		l.total += len(r)
	}
}

// unit is what is drawn together.
type unit struct {
	size  int // bytes in the line
	shown string
	width int
	paste bool
}

// next returns the first unit of a text that is not empty.
func (l *layout) next(s string) unit {
	r, n := utf8.DecodeRuneInString(s)
	if label, ok := l.buf.PasteLabel(r); ok {
		if l.width > 0 {
			label = text.Truncate(label, l.width, "…")
		}
		return unit{size: n, shown: label, width: text.Width(label), paste: true}
	}
	switch {
	case s[0] == '\t':
		return unit{size: 1, shown: text.Blanks(l.ruler.Tab()), width: l.ruler.Tab()}
	case r < 0x20:
		return unit{size: 1, shown: string(rune(0x2400) + r), width: 1}
	case r >= 0x7f && r < 0xa0:
		return unit{size: n, shown: "\ufffd", width: 1}
	}
	size, width := l.ruler.Cluster(s)
	if size > 1 {
		// A cluster must not swallow a paste that stands behind it.
		for i, r := range s[:size] {
			if _, ok := l.buf.Paste(r); ok && i > 0 {
				size = i
				width = l.ruler.Width(s[:i])
				break
			}
		}
	}
	if width == 0 {
		return unit{size: size, shown: "\ufffd", width: 1} // what can not be seen must be seen here
	}
	return unit{size: size, shown: s[:size], width: width}
}

// wrap returns the offsets at which the rows of a line begin.
func (l *layout) wrap(line string) []int {
	starts := []int{0}
	if len(line) <= l.width && isPrintable(line) {
		return starts
	}
	start, col := 0, 0
	brk, brkCol := 0, 0 // after the last blank
	for i := 0; i < len(line); {
		u := l.next(line[i:])
		if col+u.width > l.width && i > start {
			at := i
			if brk > start {
				at = brk
				col -= brkCol
			} else {
				col = 0
			}
			starts = append(starts, at)
			start, brk = at, at
			if col+u.width > l.width && i > start {
				// Still too long: the word is longer than a row.
				starts = append(starts, i)
				start, brk, col = i, i, 0
			}
		}
		i += u.size
		col += u.width
		if u.shown == " " || i < len(line) && u.width == 2 {
			brk, brkCol = i, col
		}
	}
	return starts
}

func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i]-0x20 >= 0x5f {
			return false
		}
	}
	return true
}

// span returns the line and the part of it that row i shows.
func (l *layout) span(i int) (line, from, to int) {
	lo, hi := 0, len(l.first)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; l.first[mid] <= i {
			lo = mid
		} else {
			hi = mid
		}
	}
	k := i - l.first[lo]
	starts := l.rows[lo]
	to = len(l.lines[lo])
	if k+1 < len(starts) {
		to = starts[k+1]
	}
	return lo, starts[k], to
}

// units returns what row i shows.
func (l *layout) units(i int) []unit {
	line, from, to := l.span(i)
	var out []unit
	for s := l.lines[line][from:to]; s != ""; {
		u := l.next(s)
		out = append(out, u)
		s = s[min(u.size, len(s)):]
	}
	return out
}

// find returns the row and column of a place in the text.
func (l *layout) find(p edit.Pos) (row, col int) {
	if p.Row >= len(l.rows) {
		return 0, 0
	}
	starts := l.rows[p.Row]
	k := 0
	for k+1 < len(starts) && starts[k+1] <= p.Col {
		k++
	}
	s := l.lines[p.Row]
	for i := starts[k]; i < min(p.Col, len(s)); {
		u := l.next(s[i:])
		i += u.size
		col += u.width
	}
	return l.first[p.Row] + k, col
}

// pos returns the place in the text that is nearest to a column of a row.
func (l *layout) pos(row, col int) edit.Pos {
	line, from, to := l.span(row)
	at, c := from, 0
	for at < to {
		u := l.next(l.lines[line][at:])
		if c+u.width > col {
			break
		}
		if at+u.size >= to && to < len(l.lines[line]) {
			break // the place after it belongs to the next row
		}
		at += u.size
		c += u.width
	}
	return edit.Pos{Row: line, Col: at}
}
