package vttest

import (
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
)

// Snapshot is what a terminal shows at one moment.
type Snapshot struct {
	// Rows are the cells of the screen, all rows of one length.
	Rows [][]Cell
	// CursorX and CursorY say where the cursor is, counted from 0; CursorShown
	// that it is to be seen.
	CursorX, CursorY int
	CursorShown      bool
}

// Cell is one cell of a screen.
type Cell struct {
	// Text is the cluster that begins here, "" for an empty cell and for the
	// second half of a wide one.
	Text string
	// Width is how many cells the cluster takes, 0 for the second half of a wide
	// one.
	Width int
	// Foreground and Background are nil for the terminal's own colours. Those of
	// the palette are values of ansi.BasicColor and ansi.IndexedColor.
	Foreground, Background                          color.Color
	Bold, Faint, Italic, Underline, Strike, Swapped bool
}

// Snapshot returns what the terminal shows now.
func (o *Oracle) Snapshot() Snapshot {
	s := Snapshot{Rows: make([][]Cell, o.emu.Height()), CursorShown: !o.emu.CursorHidden()}
	s.CursorX, s.CursorY = o.Cursor()
	for y := range s.Rows {
		s.Rows[y] = make([]Cell, o.emu.Width())
		for x := range s.Rows[y] {
			s.Rows[y][x] = cellOf(o.emu.CellAt(x, y))
		}
	}
	return s
}

func cellOf(c *uv.Cell) Cell {
	if c == nil {
		return Cell{Width: 1}
	}
	has := func(attr uint8) bool { return c.Style.Attrs&attr != 0 }
	return Cell{
		Text: c.Content, Width: c.Width, Foreground: c.Style.Fg, Background: c.Style.Bg,
		Bold: has(uv.AttrBold), Faint: has(uv.AttrFaint), Italic: has(uv.AttrItalic), Strike: has(uv.AttrStrikethrough),
		Swapped: has(uv.AttrReverse), Underline: c.Style.Underline != uv.UnderlineNone,
	}
}

// Text returns what a person can read: the rows without blanks at their ends and
// without empty rows at the end.
func (s Snapshot) Text() string {
	var b strings.Builder
	for _, row := range s.Rows {
		var line strings.Builder
		for _, c := range row {
			switch {
			case c.Width == 0 && c.Text == "":
			case c.Text == "":
				line.WriteByte(' ')
			default:
				line.WriteString(c.Text)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	if text := strings.TrimRight(b.String(), "\n"); text != "" {
		return text + "\n"
	}
	return ""
}
