package render

// Screen is what [Full] should show.
type Screen struct {
	// Rows are the rows from the top; missing ones are empty.
	Rows []string
	// ScrollTop and ScrollBottom bound the rows [top, bottom) that scroll
	// together, such as a transcript. An empty range means that nothing scrolls.
	ScrollTop, ScrollBottom int
	// Scrolled is by how many rows they have moved up (down if negative) since
	// the last frame, if ScrollKnown. Otherwise the renderer finds out itself.
	Scrolled    int
	ScrollKnown bool
	// Bar is drawn in the last column of the rows that scroll, one cell for each,
	// as a scrollbar; those rows are then one column narrower. Nil means none.
	Bar    []string
	Cursor Cursor
}

// Full draws on the alternate screen of a terminal, all of which it owns.
type Full struct {
	opts          Options
	width, height int

	shown  []string // fitted rows, always height of them once begun
	given  []string // the same as they were given
	bar    []string // cells of the scrollbar by row; "" where there is none
	row    int      // where the terminal's cursor is, or -1 if not known
	col    int
	hidden bool
	begun  bool // the screen is as shown says
	key    bool // the cursor's visibility is as hidden says
}

// NewFull returns a renderer for a terminal of a size in columns and rows. The
// caller has switched to the alternate screen.
func NewFull(width, height int, opts Options) *Full {
	return &Full{opts: opts, width: max(width, 1), height: max(height, 1)}
}

// SetNoSync leaves out the marks of synchronized output from now on.
func (r *Full) SetNoSync() { r.opts.NoSync = true }

// Resize tells the new size of the terminal. The next Draw paints everything.
func (r *Full) Resize(width, height int) {
	r.width, r.height = max(width, 1), max(height, 1)
	r.begun = false
}

// Invalidate tells that something else has written to the terminal. The next
// Draw paints everything.
func (r *Full) Invalidate() { r.begun, r.key = false, false }

// Draw appends to dst what brings the terminal to s. It returns dst as it was
// when there is nothing to do.
func (r *Full) Draw(dst []byte, s Screen) []byte {
	p := &painter{b: dst, start: len(dst), opts: &r.opts}
	p.begin()
	if s.ScrollTop < 0 || s.ScrollBottom > r.height || s.ScrollTop >= s.ScrollBottom {
		s.ScrollTop, s.ScrollBottom, s.Bar = 0, 0, nil
	}
	if !r.begun {
		r.clear(p)
	} else if !r.opts.NoScroll {
		if k := r.shift(s); k != 0 {
			r.scroll(p, s.ScrollTop, s.ScrollBottom, k)
		}
	}
	for i := range r.height {
		line := ""
		if i < len(s.Rows) {
			line = s.Rows[i]
		}
		cell := ""
		if len(s.Bar) > 0 && i >= s.ScrollTop && i < s.ScrollBottom && i-s.ScrollTop < len(s.Bar) && r.width > 1 {
			cell = s.Bar[i-s.ScrollTop]
		}
		r.change(p, i, line, cell)
	}
	r.place(p, s.Cursor)
	return p.end()
}

func (r *Full) clear(p *painter) {
	r.hide(p)
	p.str("\x1b[r\x1b[H\x1b[2J")
	r.row, r.col = 0, 0
	r.shown = resized(r.shown, r.height)
	r.given = resized(r.given, r.height)
	r.bar = resized(r.bar, r.height)
	r.begun = true
}

// resized returns n empty strings, in the memory of s if it is large enough.
func resized(s []string, n int) []string {
	if cap(s) < n {
		return make([]string, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// shift returns by how many rows the scrolling rows have moved, 0 if it is not
// worth a scroll.
func (r *Full) shift(s Screen) int {
	n := s.ScrollBottom - s.ScrollTop
	if s.ScrollKnown {
		if s.Scrolled >= n || -s.Scrolled >= n {
			return 0
		}
		return s.Scrolled
	}
	if n < 4 {
		return 0
	}
	row := func(i int) string {
		if i < len(s.Rows) {
			return s.Rows[i]
		}
		return ""
	}
	old := r.given[s.ScrollTop:s.ScrollBottom]
	matches := func(k, limit int) int { // equal rows at a shift; gives up below limit
		count := 0
		from, to := max(0, -k), min(n, n-k)
		for i := from; i < to; i++ {
			if o := old[i+k]; o != "" && o == row(s.ScrollTop+i) {
				count++
			} else if count+to-i-1 < limit {
				return 0
			}
		}
		return count
	}
	best, at := matches(0, 0)+2, 0 // a scroll must spare more than two rows
	if best >= n {
		return 0
	}
	for k := 1; k < n-1; k++ {
		if n-k <= best {
			break
		}
		if c := matches(k, best+1); c > best {
			best, at = c, k
		}
		if c := matches(-k, best+1); c > best {
			best, at = c, -k
		}
	}
	return at
}

func (r *Full) scroll(p *painter, top, bottom, k int) {
	r.hide(p)
	whole := top == 0 && bottom == r.height
	if !whole {
		p.str("\x1b[")
		p.num(top + 1)
		p.str(";")
		p.num(bottom)
		p.str("r")
	}
	if k > 0 {
		p.b = appendCSI(p.b, k, 'S')
	} else {
		p.b = appendCSI(p.b, -k, 'T')
	}
	if !whole {
		p.str("\x1b[r")
		r.row, r.col = -1, -1
	}
	for _, rows := range [...][]string{r.shown[top:bottom], r.given[top:bottom], r.bar[top:bottom]} {
		if k > 0 {
			copy(rows, rows[k:])
			clear(rows[len(rows)-k:])
		} else {
			copy(rows[-k:], rows)
			clear(rows[:-k])
		}
	}
}

// change brings one row, and the scrollbar's cell in it, up to date.
func (r *Full) change(p *painter, i int, line, cell string) {
	width := r.width
	if cell != "" {
		width--
	}
	if (cell == "") != (r.bar[i] == "") {
		// The room for the row changes: begin it again.
		r.hide(p)
		r.move(p, i, 0)
		p.str(eraseEnd)
		r.shown[i], r.given[i], r.bar[i] = "", "", ""
	}
	if line != r.given[i] {
		r.given[i] = line
		line = fit(r.opts.Ruler, line, width)
		if d, same := diffRow(r.opts.Ruler, r.shown[i], line); !same {
			r.shown[i] = line
			r.hide(p)
			r.move(p, i, d.col)
			p.diff(d, cell == "")
			if plain := len(d.text) < 32 && d.clear == 0 && !IsImage(d.text); plain {
				// Worth knowing: the next token of a stream goes right here.
				r.col = d.col + r.opts.Ruler.Width(d.text)
			} else {
				r.col = -1
			}
			if r.col >= width {
				r.col = -1 // at the edge the cursor waits on the last cell
			}
		}
	}
	if cell != r.bar[i] {
		r.bar[i] = cell
		r.hide(p)
		r.move(p, i, r.width-1)
		p.str(fit(r.opts.Ruler, cell, 1))
		r.col = -1
	}
}

func (r *Full) move(p *painter, row, col int) {
	switch {
	case r.row == row && r.col == col:
		return
	case row > 0 && r.row >= 0 && row == r.row+1 && col == 0:
		p.str("\r\n") // never at the last row, so it does not scroll
	case r.row == row && col == 0:
		p.str("\r")
	case r.row == row:
		p.b = appendCSI(p.b, col+1, 'G')
	case col == 0:
		p.b = appendCSI(p.b, row+1, 'H')
	default:
		p.str("\x1b[")
		p.num(row + 1)
		p.str(";")
		p.num(col + 1)
		p.str("H")
	}
	r.row, r.col = row, col
}

func (r *Full) hide(p *painter) {
	if p.opts.NoSync && (!r.hidden || !r.key) {
		p.str(hideCur)
		r.hidden, r.key = true, true
	}
}

func (r *Full) place(p *painter, c Cursor) {
	visible := c.Set && !c.Hidden && c.Row >= 0 && c.Row < r.height
	if c.Set && c.Row >= 0 && c.Row < r.height {
		r.move(p, c.Row, min(max(c.Col, 0), r.width-1))
	}
	if !r.key || visible == r.hidden {
		if visible {
			p.str(showCur)
		} else {
			p.str(hideCur)
		}
		r.hidden, r.key = !visible, true
	}
}
