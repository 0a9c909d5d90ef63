package tuitest

import (
	"slices"
	"strings"

	"github.com/pi-go/pi/tui/text"
)

// Cell is one cell of the screen.
type Cell struct {
	// Text is the cluster that begins here, "" for an empty cell and for the
	// second half of a wide one.
	Text string
	// Width is 1 or 2 for a cluster, 0 for the second half of a wide one.
	Width int
	Style text.Style
	// Link is the address of the link the cell belongs to.
	Link string
}

type row []Cell

func newRow(width int, style text.Style) row {
	r := make(row, width)
	for i := range r {
		r[i] = blank(style)
	}
	return r
}

func blank(style text.Style) Cell {
	return Cell{Width: 1, Style: text.Style{Bg: style.Bg}}
}

// String returns what the row shows, without blanks at its end.
func (r row) String() string {
	var b strings.Builder
	for _, c := range r {
		switch {
		case c.Width == 0:
		case c.Text == "":
			b.WriteByte(' ')
		default:
			b.WriteString(c.Text)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// visible is the part of the cell's style that can be seen: on a blank there is
// no ink, unless a line goes through it.
func (c Cell) visible() text.Style {
	st := c.Style
	if c.Text != "" && c.Text != " " || st.Attr&text.Inverse != 0 {
		return st
	}
	if st.Underline == 0 && st.Attr&(text.Strike|text.Overline) == 0 {
		return text.Style{Bg: st.Bg}
	}
	st.Attr &= text.Strike | text.Overline
	return st
}

// styled returns the row with its colours and links, without blank default cells
// at its end. Rows that look the same give the same strings, however they were
// drawn.
func (r row) styled() string {
	end := len(r)
	for end > 0 {
		c := r[end-1]
		if (c.Text != "" && c.Text != " ") || c.visible() != (text.Style{}) || c.Link != "" || c.Width == 0 {
			break
		}
		end--
	}
	var b []byte
	var style text.Style
	link := ""
	for _, c := range r[:end] {
		if c.Width == 0 {
			continue
		}
		if c.Link != link {
			b = append(b, "\x1b]8;;"+c.Link+"\x1b\\"...)
			link = c.Link
		}
		if v := c.visible(); v != style {
			b = append(b, "\x1b[0m"...)
			b = v.AppendSGR(b)
			style = v
		}
		if c.Text == "" {
			b = append(b, ' ')
		} else {
			b = append(b, c.Text...)
		}
	}
	if style != (text.Style{}) {
		b = append(b, "\x1b[0m"...)
	}
	if link != "" {
		b = append(b, "\x1b]8;;\x1b\\"...)
	}
	return string(b)
}

// Terminal is a terminal of a certain size. It is an io.Writer for what a
// program writes. It belongs to one goroutine; use [Terminal] behind a lock of
// your own where a program writes from another one.
type Terminal struct {
	width, height int
	main, alt     page
	page          *page // one of the two
	scrollback    []row
	modes         map[int]bool // private modes
	title         string
	progress      string
	titles        []string // those that were kept
	clipboard     string
	notes         []string
	kitty         [2][]int // keyboard flags pushed, for the main and the alternate screen
	otherKeys     int      // modifyOtherKeys
	reply         func(string)
	ruler         *text.Ruler
	parser        parser
	last          lastPrinted
	unknown       []string
	bells         int
	clears        int
	size          CellSize
	light         bool
	overflows     int
}

// CellSize is the size of a cell in pixels that the terminal reports.
type CellSize struct{ Width, Height int }

type page struct {
	rows        []row
	x, y        int
	pending     bool // the last column was written: the next cluster wraps
	style       text.Style
	link        string
	top, bottom int // scroll region, [top, bottom)
	saved       savedCursor
}

type savedCursor struct {
	x, y  int
	style text.Style
}

// New returns an empty terminal of a width and height in cells.
func New(width, height int) *Terminal {
	t := &Terminal{size: CellSize{Width: 9, Height: 18}}
	t.width, t.height = max(width, 1), max(height, 1)
	t.reset()
	return t
}

func (t *Terminal) reset() {
	t.main = t.newPage()
	t.alt = t.newPage()
	t.page = &t.main
	t.modes = map[int]bool{modeCursor: true, modeWrap: true}
	t.kitty = [2][]int{}
	t.otherKeys = 0
}

func (t *Terminal) newPage() page {
	p := page{bottom: t.height}
	for range t.height {
		p.rows = append(p.rows, newRow(t.width, text.Style{}))
	}
	return p
}

// OnReply sets the function that gets what the terminal answers to queries: the
// bytes that the program would read as input.
func (t *Terminal) OnReply(f func(reply string)) { t.reply = f }

// SetLight gives the terminal a light background, or a dark one, which it has at
// first, and tells the program if it wants to know (mode 2031).
func (t *Terminal) SetLight(light bool) {
	t.light = light
	if t.modes[modeScheme] {
		t.answer(t.scheme())
	}
}

// scheme is the report of whether the background is dark.
func (t *Terminal) scheme() string {
	if t.light {
		return "\x1b[?997;2n"
	}
	return "\x1b[?997;1n"
}

// Size returns the width and height in cells.
func (t *Terminal) Size() (width, height int) { return t.width, t.height }

// Resize changes the size without moving text to other lines: rows are cut or
// become longer; if the cursor would be below the screen, rows leave the top for
// the scrollback.
func (t *Terminal) Resize(width, height int) {
	width, height = max(width, 1), max(height, 1)
	t.width, t.height = width, height
	for _, p := range []*page{&t.main, &t.alt} {
		for n := p.y - height + 1; n > 0; n-- {
			if p == &t.main {
				t.scrollback = append(t.scrollback, p.rows[0])
			}
			p.rows = p.rows[1:]
			p.y--
		}
		if len(p.rows) > height {
			p.rows = p.rows[:height]
		}
		for i, r := range p.rows {
			if len(r) > width {
				r = r[:width]
				if last := &r[width-1]; last.Width == 2 {
					*last = blank(last.Style)
				}
			}
			for len(r) < width {
				r = append(r, blank(text.Style{}))
			}
			p.rows[i] = r
		}
		for len(p.rows) < height {
			p.rows = append(p.rows, newRow(width, text.Style{}))
		}
		p.x, p.y = min(p.x, width-1), min(p.y, height-1)
		p.top, p.bottom, p.pending = 0, height, false
	}
}

// Screen returns the rows of the screen as text, without blanks at their ends.
func (t *Terminal) Screen() []string { return texts(t.page.rows) }

// Scrollback returns the lines that have scrolled off the main screen, the
// oldest first, without blanks at their ends.
func (t *Terminal) Scrollback() []string { return texts(t.scrollback) }

// All returns the scrollback followed by the screen, without empty rows at the end.
func (t *Terminal) All() []string {
	all := append(t.Scrollback(), t.Screen()...)
	for len(all) > 0 && all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// StyledScreen is [Terminal.Screen] with colours and links. Cells that look the
// same give the same strings, so results can be compared.
func (t *Terminal) StyledScreen() []string { return styledRows(t.page.rows) }

// StyledScrollback is [Terminal.Scrollback] with colours and links.
func (t *Terminal) StyledScrollback() []string { return styledRows(t.scrollback) }

func texts(rows []row) []string {
	s := make([]string, 0, len(rows))
	for _, r := range rows {
		s = append(s, r.String())
	}
	return s
}

func styledRows(rows []row) []string {
	s := make([]string, 0, len(rows))
	for _, r := range rows {
		s = append(s, r.styled())
	}
	return s
}

// String returns the screen in a frame, for messages of tests and golden files.
func (t *Terminal) String() string {
	var b strings.Builder
	line := strings.Repeat("─", t.width)
	b.WriteString("┌" + line + "┐\n")
	for _, r := range t.Screen() {
		b.WriteString("│" + t.ruler.Pad(r, t.width) + "│\n")
	}
	b.WriteString("└" + line + "┘\n")
	return b.String()
}

// Cell returns the cell at column x of row y, counted from 0; an empty cell
// outside the screen.
func (t *Terminal) Cell(x, y int) Cell {
	if y < 0 || y >= t.height || x < 0 || x >= t.width {
		return Cell{}
	}
	return t.page.rows[y][x]
}

// Cursor returns where the cursor is, counted from 0, and whether it shows.
func (t *Terminal) Cursor() (x, y int, visible bool) {
	return t.page.x, t.page.y, t.modes[modeCursor]
}

// Mode reports whether a private mode is set, such as 2004 for bracketed paste.
func (t *Terminal) Mode(n int) bool { return t.modes[n] }

// AltScreen reports whether the alternate screen is shown.
func (t *Terminal) AltScreen() bool { return t.page == &t.alt }

// KittyFlags returns the kitty keyboard flags in force and how many times flags
// were pushed on the current screen and not popped.
func (t *Terminal) KittyFlags() (flags, depth int) {
	s := t.kitty[t.screenIndex()]
	if len(s) == 0 {
		return 0, 0
	}
	return s[len(s)-1], len(s)
}

func (t *Terminal) screenIndex() int {
	if t.AltScreen() {
		return 1
	}
	return 0
}

// OtherKeys returns the level of xterm's modifyOtherKeys, 0 when it is off.
func (t *Terminal) OtherKeys() int { return t.otherKeys }

// Title returns the title that was set last, or the one from before that was kept
// and brought back.
func (t *Terminal) Title() string { return t.title }

// Progress returns the state of progress that is shown (OSC 9;4), such as "1;42" or
// "3"; "" if none is.
func (t *Terminal) Progress() string { return t.progress }

// Clipboard returns what was last put on the clipboard with OSC 52, decoded.
func (t *Terminal) Clipboard() string { return t.clipboard }

// Notes returns the desktop notifications so far.
func (t *Terminal) Notes() []string { return slices.Clone(t.notes) }

// Bells returns how often the bell rang.
func (t *Terminal) Bells() int { return t.bells }

// Clears returns how often the whole screen or the scrollback was erased at once.
func (t *Terminal) Clears() int { return t.clears }

// Overflows returns how many clusters were written beyond the last column while
// lines are not wrapped: lines that were too wide. A test can require that there
// are none.
func (t *Terminal) Overflows() int { return t.overflows }

// Unknown returns the sequences that the terminal did not know, oldest first. A
// test can require that there are none.
func (t *Terminal) Unknown() []string { return slices.Clone(t.unknown) }

// lastPrinted is where the last cluster went, as a mark may follow in the next write.
type lastPrinted struct {
	text string
	x, y int
	page *page
}

// print writes clusters at the cursor.
func (t *Terminal) print(s string) {
	p := t.page
	if l := t.last; l.text != "" && l.page == p && l.y == p.y && (l.x+t.ruler.Width(l.text) == p.x || p.pending) {
		joined := l.text + s
		if n, w := t.ruler.Cluster(joined); n > len(l.text) {
			t.join(joined[:n], w)
			s = joined[n:]
		}
	}
	for s != "" {
		n, w := t.ruler.Cluster(s)
		t.put(s[:n], w)
		s = s[n:]
	}
}

func (t *Terminal) put(cluster string, width int) {
	p := t.page
	if width == 0 {
		return // a mark with nothing before it
	}
	if p.pending || p.x+width > t.width {
		if !t.modes[modeWrap] {
			t.overflows++
		}
		switch {
		case t.modes[modeWrap]:
			p.x, p.pending = 0, false
			t.index()
		case width > t.width:
			return
		default:
			p.x, p.pending = t.width-width, false
		}
	}
	if width > t.width {
		return
	}
	t.set(p, cluster, width)
	t.last = lastPrinted{text: cluster, x: p.x, y: p.y, page: p}
	p.x += width
	if p.x >= t.width {
		p.x, p.pending = t.width-1, true
	}
}

func (t *Terminal) set(p *page, cluster string, width int) {
	r := p.rows[p.y]
	for i := range width {
		p.split(p.y, p.x+i)
	}
	r[p.x] = Cell{Text: cluster, Width: width, Style: p.style, Link: p.link}
	for i := 1; i < width; i++ {
		r[p.x+i] = Cell{Style: p.style, Link: p.link}
	}
}

// split blanks the other half of a wide cluster that is about to be overwritten.
func (p *page) split(y, x int) {
	r := p.rows[y]
	if r[x].Width == 0 && x > 0 {
		r[x-1] = blank(r[x-1].Style)
	}
	if r[x].Width == 2 && x+1 < len(r) {
		r[x+1] = blank(r[x+1].Style)
	}
}

// join makes the last cluster longer, by a mark that came after it.
func (t *Terminal) join(cluster string, width int) {
	p, l := t.page, t.last
	c := &p.rows[l.y][l.x]
	c.Text = cluster
	t.last.text = cluster
	if width <= c.Width || l.x+width > t.width {
		return
	}
	p.split(l.y, l.x+1)
	c.Width = width
	p.rows[l.y][l.x+1] = Cell{Style: c.Style, Link: c.Link}
	if p.x = l.x + width; p.x >= t.width {
		p.x, p.pending = t.width-1, true
	}
}

// index moves down a row, and scrolls at the bottom of the region.
func (t *Terminal) index() {
	p := t.page
	switch {
	case p.y == p.bottom-1:
		t.scrollUp(1)
	case p.y < t.height-1:
		p.y++
	}
}

// scrollUp moves the rows of the region up; rows that leave the top of the main
// screen go to the scrollback.
func (t *Terminal) scrollUp(n int) {
	p := t.page
	for range min(n, p.bottom-p.top) {
		if p == &t.main && p.top == 0 {
			t.scrollback = append(t.scrollback, p.rows[0])
		}
		copy(p.rows[p.top:p.bottom], p.rows[p.top+1:p.bottom])
		p.rows[p.bottom-1] = newRow(t.width, p.style)
	}
}

func (t *Terminal) scrollDown(n int) {
	p := t.page
	for range min(n, p.bottom-p.top) {
		copy(p.rows[p.top+1:p.bottom], p.rows[p.top:p.bottom-1])
		p.rows[p.top] = newRow(t.width, p.style)
	}
}

// erase blanks columns [from, to) of a row.
func (t *Terminal) erase(y, from, to int) {
	p := t.page
	from, to = max(from, 0), min(to, t.width)
	if from >= to {
		return
	}
	p.split(y, from)
	p.split(y, to-1)
	for x := from; x < to; x++ {
		p.rows[y][x] = blank(p.style)
	}
}
