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

// Render gives the lines; where there is little room the second column goes
// below the first.
func (t *table) Render(width int) []string {
	if t.lines != nil && t.width == width {
		return t.lines
	}
	l := t.ui.look
	t.width = width
	t.lines = []string{" " + l.bold("accent", t.title)}
	first := 0
	for _, r := range t.rows {
		first = max(first, text.Width(r[0]))
	}
	first = min(first, max(width/2, 12))
	for _, r := range t.rows {
		key, value := oneLine(r[0]), oneLine(r[1])
		if text.Width(key) > first {
			t.lines = append(t.lines, "   "+l.fg("accent", text.Truncate(key, max(width-3, 1), "…")))
			key = ""
		}
		room := width - first - 5
		if room < 12 {
			t.lines = append(t.lines, "   "+l.fg("accent", key), "     "+l.fg("muted", value))
			continue
		}
		for i, part := range text.Wrap(value, room) {
			if i > 0 {
				key = ""
			}
			t.lines = append(t.lines, "   "+l.fg("accent", text.Pad(key, first))+"  "+l.fg("muted", part))
		}
	}
	t.lines = fit(t.lines, width)
	return t.lines
}

// Invalidate makes it be drawn anew.
func (t *table) Invalidate() { t.lines = nil }
