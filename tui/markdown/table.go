package markdown

import (
	"strings"

	"github.com/pi-go/pi/tui/text"
	xast "github.com/yuin/goldmark/extension/ast"
)

// table draws a table with lines around its cells. Columns that are too wide are
// made narrower, the widest ones most, and their text is wrapped.
func (d *drawer) table(n *xast.Table, width int) []string {
	var rows [][]string
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		st := d.t.Text
		if _, head := r.(*xast.TableHeader); head {
			st.Attr |= text.Bold
		}
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, d.inline(c, st))
		}
		rows = append(rows, row)
	}
	columns := len(n.Alignments)
	if columns == 0 {
		return nil
	}
	widths, ok := d.widths(rows, columns, width)
	if !ok {
		return d.records(rows, width)
	}
	line := func(left, middle, right string) string {
		var b strings.Builder
		b.WriteString(left)
		for i, w := range widths {
			if i > 0 {
				b.WriteString(middle)
			}
			b.WriteString(strings.Repeat("─", w+2))
		}
		return d.t.TableBorder.Render(b.String() + right)
	}
	bar := d.t.TableBorder.Render("│")
	out := []string{line("┌", "┬", "┐")}
	for i, row := range rows {
		cells := make([][]string, columns)
		height := 1
		for c := range cells {
			if c < len(row) {
				cells[c] = d.r.Wrap(row[c], widths[c])
			}
			height = max(height, len(cells[c]))
		}
		for y := range height {
			var b strings.Builder
			for c := range cells {
				s := ""
				if y < len(cells[c]) {
					s = cells[c][y]
				}
				b.WriteString(bar + " " + d.align(s, widths[c], n.Alignments[c]) + " ")
			}
			out = append(out, b.String()+bar)
		}
		if i == 0 && len(rows) > 1 {
			out = append(out, line("├", "┼", "┤"))
		}
	}
	return append(out, line("└", "┴", "┘"))
}

func (d *drawer) align(s string, width int, a xast.Alignment) string {
	room := width - d.r.Width(s)
	if room <= 0 {
		return s
	}
	switch a {
	case xast.AlignRight:
		return text.Blanks(room) + s
	case xast.AlignCenter:
		return text.Blanks(room/2) + s + text.Blanks(room-room/2)
	}
	return s + text.Blanks(room)
}

// minColumn is the width below which a table is no longer readable.
const minColumn = 3

// widths divides the width among columns. It is not ok if there is no room.
func (d *drawer) widths(rows [][]string, columns, width int) ([]int, bool) {
	want := make([]int, columns)
	for _, row := range rows {
		for c, cell := range row[:min(len(row), columns)] {
			for l := range strings.SplitSeq(cell, "\n") {
				want[c] = max(want[c], d.r.Width(l))
			}
		}
	}
	total := 0
	for c := range want {
		want[c] = max(want[c], 1)
		total += want[c]
	}
	room := width - 3*columns - 1
	if room < minColumn*columns && total > room {
		return nil, false
	}
	// Take from the widest until it fits.
	for total > room {
		widest, second := 0, 0
		for c, w := range want {
			if w > want[widest] {
				widest = c
			}
		}
		for c, w := range want {
			if c != widest && w > second {
				second = w
			}
		}
		cut := max(1, min(want[widest]-second, total-room))
		if want[widest]-cut < minColumn {
			cut = want[widest] - minColumn
		}
		if cut <= 0 {
			return nil, false
		}
		want[widest] -= cut
		total -= cut
	}
	return want, true
}

// records draws a table as one paragraph for each row, where there is no room
// for columns.
func (d *drawer) records(rows [][]string, width int) []string {
	var out []string
	for i, row := range rows {
		if i == 0 && len(rows) > 1 {
			continue
		}
		if len(out) > 0 {
			out = append(out, "")
		}
		for c, cell := range row {
			if len(rows) > 1 && c < len(rows[0]) && i > 0 {
				cell = rows[0][c] + ": " + cell
			}
			out = append(out, d.r.Wrap(cell, width)...)
		}
	}
	return out
}
