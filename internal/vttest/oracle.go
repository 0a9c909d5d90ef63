package vttest

import (
	"io"
	"strings"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/vt"
)

// Oracle is a terminal that shares no code with package tui: the second opinion
// on what a person would see.
type Oracle struct {
	emu    *vt.Emulator
	reader sync.WaitGroup
}

// NewOracle returns an empty terminal of a width and height in cells. Call Close.
func NewOracle(width, height int) *Oracle {
	o := &Oracle{emu: vt.NewEmulator(width, height)}
	// The emulator's replies go through a pipe without a buffer: a write with a
	// query in it would wait for ever if nobody read.
	o.reader.Go(func() { _, _ = io.Copy(io.Discard, o.emu) })
	return o
}

// Close ends the goroutine that reads the replies.
func (o *Oracle) Close() {
	// The emulator's own Close races with its Read, so the pipe is closed first.
	if p, ok := o.emu.InputPipe().(io.Closer); ok {
		_ = p.Close()
	} else {
		_ = o.emu.Close()
	}
	o.reader.Wait()
	_ = o.emu.Close()
}

// Write takes what a program writes.
func (o *Oracle) Write(b []byte) (int, error) { return o.emu.Write(b) }

// Resize changes the size of the terminal.
func (o *Oracle) Resize(width, height int) { o.emu.Resize(width, height) }

// Cursor returns where the cursor is, counted from 0.
func (o *Oracle) Cursor() (x, y int) {
	p := o.emu.CursorPosition()
	return p.X, p.Y
}

// Screen returns the rows of the screen with their styles and links, in a form
// that is equal for rows that look equal.
func (o *Oracle) Screen() []string {
	rows := make([]string, o.emu.Height())
	for y := range rows {
		rows[y] = line(o.emu.Width(), func(x int) *uv.Cell { return o.emu.CellAt(x, y) })
	}
	return rows
}

// Scrollback returns the lines that have left the top of the screen, in the form
// of [Oracle.Screen].
func (o *Oracle) Scrollback() []string {
	rows := make([]string, o.emu.ScrollbackLen())
	for y := range rows {
		rows[y] = line(1<<10, func(x int) *uv.Cell { return o.emu.ScrollbackCellAt(x, y) })
	}
	return rows
}

// visible is the part of a cell's style that can be seen: a blank has no ink,
// unless a line goes through it.
func visible(c *uv.Cell) *uv.Style {
	st := c.Style
	if c.Content == " " || c.Content == "" {
		switch {
		case st.Attrs&uv.AttrReverse != 0:
		case st.Underline == uv.UnderlineNone && st.Attrs&uv.AttrStrikethrough == 0:
			st = uv.Style{Bg: st.Bg}
		default:
			st.Attrs &= uv.AttrStrikethrough
		}
	}
	return &st
}

func line(width int, at func(x int) *uv.Cell) string {
	var b strings.Builder
	style, link := "", ""
	for x := 0; x < width; x++ {
		c := at(x)
		if c == nil {
			break
		}
		if c.Width == 0 && c.Content == "" {
			continue // the second half of a wide cell
		}
		s := visible(c).String()
		if s == "\x1b[m" {
			s = ""
		}
		if s != style || c.Link.URL != link {
			style, link = s, c.Link.URL
			b.WriteString("{" + strings.TrimPrefix(style, "\x1b") + link + "}")
		}
		if c.Content == "" {
			b.WriteByte(' ')
		} else {
			b.WriteString(c.Content)
		}
	}
	// Blank cells of the default style at the end are no different from none.
	s := strings.TrimRight(b.String(), " ")
	for strings.HasSuffix(s, "{}") {
		s = strings.TrimRight(strings.TrimSuffix(s, "{}"), " ")
	}
	return s
}
