package mermaid

// span is what an event or a fragment takes across: from a lifeline to another, and how
// far beyond them.
type span struct {
	lo, hi      int
	left, right int
	// Of a fragment: where it is drawn, and how often it is within others.
	top, bottom int
	title       string
	parts       []part
	weight      weight
}

// part is what begins with else.
type part struct {
	y     int
	title string
}

func (s *span) add(o *span) {
	if s.lo < 0 || o.lo < s.lo {
		s.lo, s.left = o.lo, o.left
	} else if o.lo == s.lo {
		s.left = max(s.left, o.left)
	}
	if o.hi > s.hi {
		s.hi, s.right = o.hi, o.right
	} else if o.hi == s.hi {
		s.right = max(s.right, o.right)
	}
}

// want is a distance that two lifelines need at least.
type want struct{ lo, hi, room int }

// stage is a sequence while it is drawn.
type stage struct {
	q       *sequence
	t       try
	c       *canvas
	heads   [][]string
	widths  []int
	x       []int // the lifelines
	wants   []want
	margin  int // what is left of the first lifeline
	spans   []*span
	starts  []int // rows in which lifelines begin
	ends    []int
	active  []int
	since   []int
	busy    [][3]int // lifeline, from and to row
	headTop int
}

func (q *sequence) draw(t try) (*canvas, error) {
	if t.turn {
		return nil, ErrTooWide
	}
	s := &stage{q: q, t: t, c: newCanvas(t.o.Ruler)}
	s.headRows()
	s.measure()
	s.spread()
	for i := range q.actors {
		if s.x[i] > t.o.Width {
			return nil, ErrTooWide
		}
	}
	s.play()
	return s.c, nil
}

func (s *stage) headRows() {
	for _, a := range s.q.actors {
		lines := fold(s.t.o.Ruler, a.text, min(s.t.wrap, 20))
		s.heads = append(s.heads, lines)
		s.widths = append(s.widths, widest(s.t.o.Ruler, lines)+4)
	}
}

// wrap is how broad a text of a message is before it is broken.
func (s *stage) wrap() int { return s.t.wrap + s.t.wrap/3 }

// fragmentTitle is what stands at the upper side of a fragment.
func fragmentTitle(e *event) string {
	text := joinWith(" ", e.text...)
	if e.kind == elseEvent {
		if text == "" {
			return " else "
		}
		return " [" + text + "] "
	}
	switch {
	case e.word == "rect":
		return ""
	case text == "":
		return " " + e.word + " "
	}
	return " " + e.word + " [" + text + "] "
}

// measure finds out what each event needs, and how far apart lifelines have to be.
func (s *stage) measure() {
	r := s.t.o.Ruler
	n := len(s.q.actors)
	need := func(lo, hi, room int) { s.wants = append(s.wants, want{lo, hi, room}) }
	beyond := func(p *span) {
		if p.lo > 0 {
			need(p.lo-1, p.lo, p.left+2)
		} else {
			s.margin = max(s.margin, p.left)
		}
		if p.hi+1 < n {
			need(p.hi, p.hi+1, p.right+2)
		}
	}
	for i := range n {
		if i > 0 {
			need(i-1, i, (s.widths[i-1]+1)/2+s.widths[i]/2+choose(s.t.tight, 1, 3))
		}
	}
	s.margin = s.widths[0] / 2
	var open []*span
	leave := func() {
		p := open[len(open)-1]
		open = open[:len(open)-1]
		if p.lo < 0 {
			p.lo, p.hi = 0, 0
		}
		p.left, p.right = p.left+2, p.right+2
		titles := r.Width(p.title)
		for _, one := range p.parts {
			titles = max(titles, r.Width(one.title))
		}
		if room := titles + 4 - p.left - p.right; p.lo < p.hi {
			need(p.lo, p.hi, room)
		} else {
			p.right += max(0, room)
		}
		beyond(p)
		if len(open) > 0 {
			open[len(open)-1].add(p)
		}
	}
	for _, e := range s.q.events {
		var p *span
		switch e.kind {
		case beginEvent:
			e.inside = &span{lo: -1, hi: -1, title: s.cut(fragmentTitle(e)), weight: choose(e.word == "rect", dotted, light)}
			open = append(open, e.inside)
			continue
		case elseEvent:
			top := open[len(open)-1]
			top.parts = append(top.parts, part{title: s.cut(fragmentTitle(e))})
			continue
		case endEvent:
			leave()
			continue
		case messageEvent:
			p = s.messageSpan(e, need)
		case noteEvent:
			p = s.noteSpan(e, need)
		default:
			continue
		}
		beyond(p)
		if len(open) > 0 {
			open[len(open)-1].add(p)
		}
	}
}

func (s *stage) cut(title string) string {
	r := s.t.o.Ruler
	most := 2*s.t.wrap + 10
	if r.Width(title) > most {
		return r.Truncate(title, most, "…") + " "
	}
	return title
}

func (s *stage) messageSpan(e *event, need func(lo, hi, room int)) *span {
	e.text = fold(s.t.o.Ruler, e.text, s.wrap())
	w := widest(s.t.o.Ruler, e.text)
	a, b := e.from.index, e.to.index
	if a == b {
		return &span{lo: a, hi: a, left: 1, right: max(w+6, 4)}
	}
	lo, hi := min(a, b), max(a, b)
	need(lo, hi, max(w+3, 6))
	p := &span{lo: lo, hi: hi, left: 1, right: 1}
	if e.creates {
		half := s.widths[b]/2 + 1
		need(lo, hi, w+3+half)
		if b > a {
			p.right = half
		} else {
			p.left = half
		}
	}
	return p
}

func (s *stage) noteSpan(e *event, need func(lo, hi, room int)) *span {
	e.text = fold(s.t.o.Ruler, e.text, s.wrap())
	w := widest(s.t.o.Ruler, e.text) + 4
	lo, hi := min(e.from.index, e.to.index), max(e.from.index, e.to.index)
	switch {
	case e.place == "left":
		return &span{lo: lo, hi: lo, left: w + 1, right: 1}
	case e.place == "right":
		return &span{lo: hi, hi: hi, left: 1, right: w + 1}
	case lo == hi:
		return &span{lo: lo, hi: lo, left: w/2 + 1, right: w - w/2}
	}
	need(lo, hi, w-5)
	return &span{lo: lo, hi: hi, left: 3, right: 3}
}

// spread gives the lifelines their columns: each as far to the left as all distances allow.
func (s *stage) spread() {
	s.x = make([]int, len(s.q.actors))
	s.x[0] = s.margin
	for i := 1; i < len(s.x); i++ {
		s.x[i] = s.x[i-1] + 1
		for _, w := range s.wants {
			if w.hi == i {
				s.x[i] = max(s.x[i], s.x[w.lo]+w.room)
			}
		}
	}
}

// play goes through the events from above and draws them.
func (s *stage) play() {
	n := len(s.q.actors)
	s.starts, s.ends, s.active, s.since = make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	y := s.drawBoxes()
	s.headTop = y
	rows := 1
	for i, a := range s.q.actors {
		if !a.created {
			rows = max(rows, len(s.heads[i]))
		}
	}
	y += rows + 2
	for i := range n {
		s.starts[i], s.ends[i] = y, -1
	}
	marks := s.rows(y)
	end := marks[len(marks)-1] + 1
	for i := range n {
		if s.active[i] > 0 {
			s.busy = append(s.busy, [3]int{i, s.since[i], end - 1})
		}
		if s.ends[i] < 0 {
			s.ends[i] = end
		}
	}
	for _, p := range s.spans {
		s.drawFragment(p)
	}
	s.drawLifelines()
	for i, a := range s.q.actors {
		if !a.created {
			s.drawHead(i, s.headTop, rows)
		}
	}
	for i, e := range s.q.events {
		switch e.kind {
		case messageEvent:
			s.drawMessage(e, marks[i], i+1)
		case noteEvent:
			s.drawNote(e, marks[i])
		case destroyEvent:
			s.c.sign(s.x[e.from.index], marks[i], "×", Edge)
		}
	}
	for _, p := range s.spans {
		s.drawTitles(p)
	}
}

// rows gives each event its row, and says what is going on in which rows. The last one
// is where all ends.
func (s *stage) rows(y int) []int {
	var open []*span
	marks := make([]int, 0, len(s.q.events)+1)
	busy := func(a *actor, from int) {
		if s.active[a.index]++; s.active[a.index] == 1 {
			s.since[a.index] = from
		}
	}
	idle := func(a *actor, to int) {
		i := a.index
		if s.active[i] == 0 {
			return
		}
		if s.active[i]--; s.active[i] == 0 {
			s.busy = append(s.busy, [3]int{i, s.since[i], to})
		}
	}
	for _, e := range s.q.events {
		marks = append(marks, y)
		switch e.kind {
		case messageEvent:
			y += s.height(e)
			last := y - 1
			if e.creates {
				s.starts[e.to.index] = y
				last--
			}
			if e.on {
				busy(e.to, last)
			}
			if e.off {
				idle(e.from, last)
			}
		case noteEvent:
			y += len(e.text) + 2
		case beginEvent:
			e.inside.top = y
			open = append(open, e.inside)
			s.spans = append(s.spans, e.inside)
			y++
		case elseEvent:
			top := open[len(open)-1]
			for i := range top.parts {
				if top.parts[i].y == 0 {
					top.parts[i].y = y
					break
				}
			}
			y++
		case endEvent:
			open[len(open)-1].bottom = y
			open = open[:len(open)-1]
			y++
		case activateEvent:
			busy(e.from, max(y-1, s.headTop+3))
		case deactivateEvent:
			idle(e.from, y-1)
		case destroyEvent:
			s.ends[e.from.index] = y + 1
			idle(e.from, y)
			y++
		}
	}
	return append(marks, y)
}

// height is how many rows a message takes.
func (s *stage) height(e *event) int {
	switch {
	case e.from == e.to:
		return max(2, len(e.text))
	case e.creates:
		return max(len(e.text)-1, 0) + len(s.heads[e.to.index]) + 2
	}
	return len(e.text) + 1
}

// drawBoxes draws the titles of boxes around actors, and returns the row below them.
func (s *stage) drawBoxes() int {
	y := 0
	for i := 0; i < len(s.q.actors); i++ {
		k := s.q.actors[i].boxed
		if k == 0 {
			continue
		}
		j := i
		for j+1 < len(s.q.actors) && s.q.actors[j+1].boxed == k {
			j++
		}
		left, right := s.x[i]-s.widths[i]/2, s.x[j]+(s.widths[j]-1)/2
		s.c.line([]point{{left, 1}, {left, 0}, {right, 0}, {right, 1}}, light, 1, false, false)
		if t := s.q.actors[i].box; t != "" {
			s.c.write(left+2, 0, s.t.o.Ruler.Truncate(" "+t+" ", max(right-left-3, 1), "…"), Title)
		}
		y, i = 1, j
	}
	return y
}

func (s *stage) drawHead(i, y, rows int) {
	lines := s.heads[i]
	w := s.widths[i]
	x := s.x[i] - w/2
	s.c.clear(x, y, w, rows+2)
	s.c.frame(x, y, w, rows+2, light, s.q.actors[i].person, Frame)
	for j, l := range lines {
		s.c.write(x+(w-s.c.r.Width(l))/2, y+1+(rows-len(lines))/2+j, l, Label)
	}
	if s.ends[i] > y+rows+2 {
		s.c.arm(s.x[i], y+rows+1, down, light, 0, true)
	}
}

func (s *stage) drawLifelines() {
	for i := range s.x {
		top, bottom := s.starts[i], s.ends[i]-1
		for y := top; y <= bottom; y++ {
			s.c.arm(s.x[i], y, up|down, light, i+1_000_000, false)
		}
	}
	for _, b := range s.busy {
		for y := b[1]; y <= b[2]; y++ {
			if cell := s.c.at(s.x[b[0]], y); cell != nil && cell.arms&(up|down) != 0 {
				cell.weight = heavy
			}
		}
	}
}

func (s *stage) drawMessage(e *event, y, net int) {
	a, b := s.x[e.from.index], s.x[e.to.index]
	if a == b {
		h := s.height(e)
		s.c.line([]point{{a, y}, {a + 3, y}, {a + 3, y + h - 1}, {a + 1, y + h - 1}}, e.weight, net, true, false)
		s.c.sign(a+1, y+h-1, choose(e.marks[1] == noMark, "─", e.marks[1].glyph(left)), Edge)
		for i, l := range e.text {
			s.c.write(a+5, y+i, l, EdgeLabel)
		}
		return
	}
	lo, hi := min(a, b), max(a, b)
	row := y + len(e.text)
	dir := sign(b - a)
	end := b - dir
	if e.creates {
		head := len(s.heads[e.to.index])
		top := y + max(len(e.text)-1, 0)
		row = top + 1
		s.drawHead(e.to.index, top, head)
		end = b - dir*(s.widths[e.to.index]/2+1)
		lo, hi = min(a, end), max(a, end)
	}
	for i, l := range e.text {
		w := s.c.r.Width(l)
		s.c.write(lo+1+max(0, (hi-lo-1-w)/2), row-len(e.text)+i, l, EdgeLabel)
	}
	start := a
	if e.marks[0] != noMark {
		start += dir
	}
	last := end
	if e.marks[1] == noMark {
		last = b
	}
	s.c.line([]point{{start, row}, {last, row}}, e.weight, net, true, false)
	ahead := choose(dir > 0, right, left)
	if e.marks[1] != noMark {
		s.c.sign(end, row, e.marks[1].glyph(ahead), Edge)
	}
	if e.marks[0] != noMark {
		s.c.sign(start, row, e.marks[0].glyph(opposite(ahead)), Edge)
	}
}

func (s *stage) drawNote(e *event, y int) {
	w := widest(s.c.r, e.text) + 4
	lo, hi := min(e.from.index, e.to.index), max(e.from.index, e.to.index)
	x := 0
	switch {
	case e.place == "left":
		x = s.x[lo] - w - 1
	case e.place == "right":
		x = s.x[hi] + 2
	case lo == hi:
		x = s.x[lo] - w/2
	default:
		x = s.x[lo] - 2
		w = s.x[hi] + 2 - x + 1
	}
	h := len(e.text) + 2
	s.c.clear(x, y, w, h)
	s.c.frame(x, y, w, h, dotted, false, Frame)
	for i, l := range e.text {
		s.c.write(x+(w-s.c.r.Width(l))/2, y+1+i, l, Label)
	}
}

func (s *stage) drawFragment(p *span) {
	from, to := s.x[p.lo]-p.left, s.x[p.hi]+p.right
	s.c.frame(from, p.top, to-from+1, p.bottom-p.top+1, p.weight, true, Frame)
	for _, one := range p.parts {
		s.c.rule(from, one.y, to-from+1, dotted)
	}
}

func (s *stage) drawTitles(p *span) {
	x := s.x[p.lo] - p.left + 2
	s.c.write(x, p.top, p.title, Title)
	for _, one := range p.parts {
		s.c.write(x, one.y, one.title, Title)
	}
}
