package interactive

import (
	"github.com/pi-go/pi/tui/text"
)

// table shows two columns under a title.
type table struct {
	ui    *ui
	title string
	rows  [][2]string
	lines []string
	width int
}

// Render gives the lines. Where there is little room the second column stands below the
// first, if that takes fewer lines.
func (t *table) Render(width int) []string {
	if t.lines != nil && t.width == width {
		return t.lines
	}
	t.width = width
	rows := t.beside(width)
	if below := t.below(width); len(below) < len(rows) {
		rows = below
	}
	t.lines = fit(append([]string{" " + t.ui.look.bold("accent", t.title)}, rows...), width)
	return t.lines
}

// beside has the second column beside the first.
func (t *table) beside(width int) []string {
	l := t.ui.look
	first := 0
	for _, r := range t.rows {
		first = max(first, text.Width(r[0]))
	}
	first = min(first, max(width/2, 12))
	var lines []string
	for _, r := range t.rows {
		key, value := oneLine(r[0]), oneLine(r[1])
		if text.Width(key) > first {
			lines = append(lines, "   "+l.fg("accent", text.Truncate(key, max(width-3, 1), "…")))
			key = ""
		}
		for i, part := range text.Wrap(value, max(width-first-5, 1)) {
			if i > 0 {
				key = ""
			}
			lines = append(lines, "   "+l.fg("accent", text.Pad(key, first))+"  "+l.fg("muted", part))
		}
	}
	return lines
}

// below has it below.
func (t *table) below(width int) []string {
	l := t.ui.look
	var lines []string
	for _, r := range t.rows {
		lines = append(lines, "   "+l.fg("accent", text.Truncate(oneLine(r[0]), max(width-3, 1), "…")))
		for _, part := range text.Wrap(oneLine(r[1]), max(width-5, 1)) {
			lines = append(lines, "     "+l.fg("muted", part))
		}
	}
	return lines
}

// Invalidate makes it be drawn anew.
func (t *table) Invalidate() { t.lines = nil }
