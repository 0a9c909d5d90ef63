package render

import (
	"hash/maphash"
	"slices"
	"strconv"
)

// Lines is a sequence of lines that can be read at random. Only the lines that
// are needed for a frame are read.
type Lines interface {
	Len() int
	// Line returns line i, 0 ≤ i < Len.
	Line(i int) string
}

// Slice makes [Lines] of a slice.
type Slice []string

// Len returns the number of lines.
func (s Slice) Len() int { return len(s) }

// Line returns line i.
func (s Slice) Line(i int) string { return s[i] }

// Frame is what [Inline] should show: all lines there are, of which the last
// ones are on the screen and the others in the scrollback.
type Frame struct {
	Lines Lines
	// Keep promises that the first Keep lines are the same as in the frame
	// before. 0 is always right; a true number spares work that grows with the
	// length of the transcript.
	Keep   int
	Cursor Cursor
}

// Inline draws on the main screen of a terminal. It begins at the row where the
// cursor is, which must be in column 0, and takes rows below as it needs them;
// when there are none left the terminal scrolls, and lines that leave the top
// are in the scrollback for good: each once, as it was last drawn.
type Inline struct {
	opts          Options
	width, height int
	seed          maphash.Seed

	top    int      // index of the line in the first row of the region
	past   []uint64 // hashes of lines 0 to top-1 as they are in the scrollback
	shown  []string // what the rows of the region show, beginning at line top
	given  []string // the same lines as they were given, before they were made to fit
	rows   int      // rows of the screen that belong to the region; at least len(shown)
	last   int      // number of lines in the last frame
	row    int      // row of the region where the terminal's cursor is
	col    int      // its column, or -1 if not known
	hidden bool     // the terminal's cursor is hidden
	begun  bool

	unknown bool // the size has changed: what the screen shows is not known
	stale   bool // the scrollback differs from the frame
	reemit  bool // clear screen and scrollback with the next frame
}

// NewInline returns a renderer for a terminal of a size in columns and rows.
func NewInline(width, height int, opts Options) *Inline {
	return &Inline{opts: opts, width: max(width, 1), height: max(height, 1), seed: maphash.MakeSeed()}
}

// SetNoSync leaves out the marks of synchronized output from now on.
func (r *Inline) SetNoSync() { r.opts.NoSync = true }

// SetKeepScrollback changes [Options].KeepScrollback.
func (r *Inline) SetKeepScrollback(keep bool) { r.opts.KeepScrollback = keep }

// Resize tells the new size of the terminal. Terminals move text about when
// their size changes, each in its own way, so the next Draw paints the whole
// screen again. The scrollback is then [Inline.Stale].
func (r *Inline) Resize(width, height int) {
	width, height = max(width, 1), max(height, 1)
	if width == r.width && height == r.height {
		return
	}
	r.width, r.height = width, height
	if r.begun {
		r.unknown = true
	}
}

// Invalidate tells that something else has written to the terminal. The next
// Draw paints the whole screen again.
func (r *Inline) Invalidate() { r.unknown = r.begun }

// Stale reports whether the scrollback does not match the lines of the last
// frame: after a resize, or when lines changed that had scrolled off. Callers
// wait until things are quiet (100 ms is a good time) and then Reemit.
func (r *Inline) Stale() bool { return r.stale && !r.opts.KeepScrollback }

// Reemit makes the next Draw clear the screen and the scrollback and write all
// lines again. What the shell wrote before goes, too.
func (r *Inline) Reemit() { r.reemit = r.begun }

// Top returns the index of the line in the first row of the region: so many
// lines are in the scrollback.
func (r *Inline) Top() int { return r.top }

// Draw appends to dst what brings the terminal to the frame. It returns dst as
// it was when there is nothing to do.
func (r *Inline) Draw(dst []byte, f Frame) []byte {
	p := &painter{b: dst, start: len(dst), opts: &r.opts}
	p.begin()
	switch {
	case r.reemit:
		r.clear(p)
		f.Keep = 0
	case r.unknown:
		r.repaint(p, f)
		f.Keep = 0
	}
	r.update(p, f)
	r.place(p, f)
	r.begun = true
	return p.end()
}

// clear begins again on an empty screen.
func (r *Inline) clear(p *painter) {
	r.hide(p)
	p.str("\x1b[H\x1b[2J\x1b[3J")
	r.top, r.past, r.rows, r.last = 0, r.past[:0], 0, 0
	r.keep(0)
	r.row, r.col = 0, 0
	r.reemit, r.unknown, r.stale = false, false, false
}

// repaint takes over the whole screen after a resize. Rows are erased one by
// one: a terminal would push a screen that is erased at once to the scrollback.
func (r *Inline) repaint(p *painter, f Frame) {
	r.hide(p)
	n := f.Lines.Len()
	r.setTop(max(0, n-r.height))
	r.last = n
	p.str("\x1b[H")
	r.keep(0)
	for i := range r.height {
		if i > 0 {
			p.str("\r\n")
		}
		p.str(eraseEnd)
		if r.top+i < n {
			p.str(r.push(f.Lines.Line(r.top + i)))
		}
	}
	r.rows, r.row, r.col = r.height, r.height-1, -1
	r.unknown = false
}

// keep forgets all rows but the first n.
func (r *Inline) keep(n int) {
	clear(r.shown[n:])
	clear(r.given[n:])
	r.shown, r.given = r.shown[:n], r.given[:n]
}

// push notes a line for the next row and returns it as it is to be written.
func (r *Inline) push(line string) string {
	shown := fit(r.opts.Ruler, line, r.width)
	r.shown = append(r.shown, shown)
	r.given = append(r.given, line)
	return shown
}

// setTop makes line top the first of the region. What the scrollback holds is
// then not known; those lines are not read, as they may not even be laid out.
func (r *Inline) setTop(top int) {
	r.top, r.past, r.stale = top, r.past[:0], true
}

func (r *Inline) hash(line string) uint64 { return maphash.String(r.seed, line) }

func (r *Inline) update(p *painter, f Frame) {
	n := f.Lines.Len()
	grown := n - r.last
	if r.pastChanged(f, n) {
		grown = 0
		// What is on the screen keeps its place: the change was above it, and
		// the scrollback can not be rewritten now.
		top := min(max(r.top+n-r.last, 0), n)
		if n-top < min(n, r.height) {
			top = max(0, n-r.height)
		}
		r.setTop(top)
		f.Keep = 0 // rows may show other lines now, even if those are the same
	}
	r.last = n

	if tail := r.tail(f, n, grown); tail > 0 {
		r.insert(p, f, tail, grown)
		return
	}
	r.rewrite(p, f, min(len(r.shown), n-r.top))
	// Rows that are no longer needed stay in the region, empty.
	if extra := max(n-r.top, 0); extra < len(r.shown) {
		r.erase(p, extra)
		r.keep(extra)
	}
	for r.top+len(r.shown) < n {
		r.add(p, f.Lines.Line(r.top+len(r.shown)))
	}
}

// rewrite brings the first rows of the region up to date.
func (r *Inline) rewrite(p *painter, f Frame, rows int) {
	for i := max(0, f.Keep-r.top); i < rows; i++ {
		r.change(p, i, f.Lines.Line(r.top+i))
	}
}

// tail returns how many rows at the end can move down unchanged to make room for
// as many lines as the frame has grown by, 0 if that is not the way. It is the
// common case of a transcript that grows above an editor and a status line.
func (r *Inline) tail(f Frame, n, grown int) int {
	shown := len(r.shown)
	if grown <= 0 || r.opts.NoScroll || shown == 0 {
		return 0
	}
	tail := 0
	for tail < shown && f.Lines.Line(n-1-tail) == r.given[shown-1-tail] {
		tail++
	}
	// What scrolls off must not be of the tail, nor of what is inserted.
	if grown+tail > r.height {
		return 0
	}
	return tail
}

// insert adds lines above the last rows, which stay as they are.
func (r *Inline) insert(p *painter, f Frame, tail, lines int) {
	shown := len(r.shown)
	r.rewrite(p, f, shown-tail)
	r.hide(p)
	for range lines - (r.rows - shown) {
		r.move(p, r.rows-1)
		p.str("\r\n")
		r.down()
	}
	at := len(r.shown) - tail
	r.move(p, at)
	p.str("\r")
	p.b = appendCSI(p.b, lines, 'L')
	end := slices.Clone(r.shown[at:])
	endGiven := slices.Clone(r.given[at:])
	r.keep(at)
	for i := range lines {
		if i > 0 {
			p.str("\r\n")
			r.row++
		}
		p.str(r.push(f.Lines.Line(r.top + at + i)))
	}
	r.col = -1
	r.shown = append(r.shown, end...)
	r.given = append(r.given, endGiven...)
}

// down notes that the cursor went from the last row to the next one: the region
// has a row more, or its top row has scrolled off.
func (r *Inline) down() {
	if r.rows < r.height {
		r.rows++
		r.row = r.rows - 1
		return
	}
	r.row = r.rows - 1
	if !r.stale {
		r.past = append(r.past, r.hash(r.given[0]))
	}
	r.top++
	copy(r.shown, r.shown[1:])
	copy(r.given, r.given[1:])
	r.keep(len(r.shown) - 1)
}

// erase empties the rows of the region from row on. The first row of a screen is
// not erased together with all others, as tmux takes that for a clear and moves
// everything to its scrollback.
func (r *Inline) erase(p *painter, row int) {
	r.move(p, row)
	p.str("\r")
	r.col = 0
	if row == 0 {
		p.str(eraseEnd)
		if row = 1; row >= len(r.shown) {
			return
		}
		r.move(p, row)
	}
	p.str("\x1b[J")
}

// pastChanged reports whether lines that have scrolled off are now others.
func (r *Inline) pastChanged(f Frame, n int) bool {
	if n < r.top || n == r.top && n > 0 { // nothing would be left on the screen
		return true
	}
	for i := f.Keep; i < len(r.past) && !r.stale; i++ {
		if r.past[i] != r.hash(f.Lines.Line(i)) {
			return true
		}
	}
	return false
}

func (r *Inline) change(p *painter, i int, line string) {
	if line == r.given[i] {
		return
	}
	r.given[i] = line
	line = fit(r.opts.Ruler, line, r.width)
	d, same := diffRow(r.opts.Ruler, r.shown[i], line)
	if same {
		return
	}
	r.shown[i] = line
	r.hide(p)
	r.move(p, i)
	if r.col != d.col {
		if d.col == 0 {
			p.str("\r")
		} else {
			p.b = appendCSI(p.b, d.col+1, 'G')
		}
	}
	p.diff(d, true)
	r.col = -1
}

// add writes a line below the last one.
func (r *Inline) add(p *painter, line string) {
	r.hide(p)
	at := len(r.shown)
	switch {
	case at < r.rows:
		r.move(p, at)
		p.str("\r")
	case at == 0: // the very first row of all
		r.rows = 1
		p.str("\r")
	default:
		r.move(p, at-1)
		p.str("\r\n")
		r.down()
	}
	p.str(r.push(line))
	r.col = -1
}

// move goes to a row of the region; the column is not defined.
func (r *Inline) move(p *painter, row int) {
	switch d := row - r.row; {
	case d < 0:
		p.b = appendCSI(p.b, -d, 'A')
	case d > 0:
		p.b = appendCSI(p.b, d, 'B')
	}
	r.row = row
}

// hide keeps the cursor from being seen on its way over the screen. A terminal
// with synchronized output shows nothing of the way.
func (r *Inline) hide(p *painter) {
	if p.opts.NoSync && !r.hidden {
		p.str(hideCur)
		r.hidden = true
	}
}

// place puts the cursor where the frame wants it.
func (r *Inline) place(p *painter, f Frame) {
	row := f.Cursor.Row - r.top
	if !f.Cursor.Set || row < 0 || row >= r.rows {
		if !r.hidden {
			p.str(hideCur)
			r.hidden = true
		}
		return
	}
	col := min(max(f.Cursor.Col, 0), r.width-1)
	if r.row != row || r.col != col {
		r.move(p, row)
		if col == 0 {
			p.str("\r")
		} else {
			p.b = appendCSI(p.b, col+1, 'G')
		}
		r.col = col
	}
	if r.hidden != f.Cursor.Hidden {
		if f.Cursor.Hidden {
			p.str(hideCur)
		} else {
			p.str(showCur)
		}
		r.hidden = f.Cursor.Hidden
	}
}

// Finish appends to dst what leaves the cursor, visible, at the start of the row
// below the region, as a program does before it exits. The renderer then begins
// again below.
func (r *Inline) Finish(dst []byte) []byte {
	dst = r.leave(dst)
	*r = Inline{opts: r.opts, width: r.width, height: r.height, seed: r.seed}
	return dst
}

// Pause is [Inline.Finish] for a program that comes back: what is drawn next
// paints the screen again, as after [Inline.Invalidate].
func (r *Inline) Pause(dst []byte) []byte {
	dst = r.leave(dst)
	r.hidden = false
	r.Invalidate()
	return dst
}

// Withdraw appends to dst what erases the last n rows of a region that was left with
// [Inline.Pause] and puts the cursor to where they began. It is for a terminal where
// nothing was written since, and appends nothing if its size is another one by now.
func (r *Inline) Withdraw(dst []byte, n, width, height int) []byte {
	n = min(n, len(r.shown), height-1)
	if n <= 0 || width != r.width || height != r.height {
		return dst
	}
	return append(appendCSI(dst, n, 'A'), "\r\x1b[J"...)
}

func (r *Inline) leave(dst []byte) []byte {
	if !r.begun {
		return dst
	}
	p := &painter{b: dst, start: len(dst), opts: &r.opts}
	if n := len(r.shown); n > 0 {
		r.move(p, n-1)
		p.str("\r\n")
	} else {
		p.str("\r")
	}
	if r.hidden {
		p.str(showCur)
	}
	return p.b
}

// painter collects the bytes of one frame.
type painter struct {
	b     []byte
	start int // where the frame begins in b
	body  int // where it begins after the marks
	opts  *Options
}

func (p *painter) str(s string) { p.b = append(p.b, s...) }

func (p *painter) begin() {
	if !p.opts.NoSync {
		p.str(syncBegin)
	}
	p.body = len(p.b)
}

func (p *painter) end() []byte {
	if len(p.b) == p.body {
		return p.b[:p.start]
	}
	if !p.opts.NoSync {
		p.str(syncEnd)
	}
	return p.b
}

// diff writes a changed part at the cursor; toEnd tells that nothing but blanks
// is right of the row.
func (p *painter) diff(d rowDiff, toEnd bool) {
	p.str(d.link)
	p.b = d.style.AppendSGR(p.b)
	p.str(d.text)
	if d.clear > 0 {
		if toEnd {
			p.str(eraseEnd)
		} else {
			p.b = appendCSI(p.b, d.clear, 'X')
		}
	}
}

func (p *painter) num(n int) { p.b = strconv.AppendInt(p.b, int64(n), 10) }
