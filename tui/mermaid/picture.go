package mermaid

// picture draws a level that has been laid out.
func (l *level) picture() *picture {
	for _, it := range l.everything() {
		it.v += l.side()
	}
	breadth := l.breadth + 2*l.side()
	title, at := "", 0
	if l.framed() {
		title = l.title()
		breadth, at = l.roomForTitle(title, breadth)
	}
	if l.framed() && len(l.layers) == 0 {
		l.length = choose(l.dir.level(), max(6, 0), 3)
	}
	p := &picture{c: newCanvas(l.t.o.Ruler), w: breadth, h: l.length}
	if l.dir.level() {
		p.w, p.h = l.length, breadth
		if need := l.t.o.Ruler.Width(title) + 6; l.framed() && p.w < need {
			p.w = need
		}
	}
	if l.framed() {
		p.c.frame(0, 0, p.w, p.h, l.s.weight, true, Frame)
	}
	// A frame that its title made longer is longer at its end.
	l.length = choose(l.dir.level(), p.w, p.h)
	for _, q := range l.ports {
		q.at = q.item.v
		if n := len(l.layers); q.high && n > 0 {
			// The port is where the frame is now.
			q.item.u = l.length - 1
		}
	}
	for _, it := range l.items {
		l.drawItem(p.c, it)
	}
	l.drawEdges(p.c)
	for _, it := range l.everything() {
		if it.kind == labelItem {
			l.drawLabel(p.c, it)
		}
	}
	if title != "" {
		p.c.write(at, 0, title, Title)
	}
	return p
}

// title is the title of a frame, with room on both sides.
func (l *level) title() string {
	t := joinWith(" ", l.s.title...)
	if t == "" {
		return ""
	}
	return " " + l.t.o.Ruler.Truncate(t, max(l.t.wrap+10, 12), "…") + " "
}

// roomForTitle finds a part of the upper side that no edge goes through, and makes the
// frame broader if there is none.
func (l *level) roomForTitle(title string, breadth int) (int, int) {
	w := l.t.o.Ruler.Width(title)
	if l.dir.level() {
		return breadth, 2
	}
	if w == 0 {
		return breadth, 2
	}
	at := 2
	var ports []int
	for _, q := range l.ports {
		if q.high == (l.dir == bottomUp) {
			ports = append(ports, q.item.v)
		}
	}
	for moved := true; moved; {
		moved = false
		for _, v := range ports {
			if v >= at-1 && v <= at+w {
				at, moved = v+2, true
			}
		}
	}
	return max(breadth, at+w+2), at
}

// place is where something of a size is on the canvas.
func (l *level) at(u, v, length, breadth int) (x, y, w, h int) {
	switch l.dir {
	case bottomUp:
		return v, l.length - u - length, breadth, length
	case leftRight:
		return u, v, length, breadth
	case rightLeft:
		return l.length - u - length, v, length, breadth
	}
	return v, u, breadth, length
}

// point is a cell on the canvas.
func (l *level) point(u, v int) point {
	x, y, _, _ := l.at(u, v, 1, 1)
	return point{x, y}
}

func (l *level) drawItem(c *canvas, it *item) {
	x, y, w, h := l.at(it.u, it.v, it.length, it.breadth)
	if it.sub != nil {
		c.paste(x, y, it.sub.c)
	} else {
		it.box.draw(c, x, y, w, h)
		c.fill(x, y, w, h)
	}
	for _, p := range it.loops {
		l.drawLoop(c, p, x, y, w, h)
	}
}

// drawLoop draws an edge from an item to itself.
func (l *level) drawLoop(c *canvas, p loop, x, y, w, h int) {
	*l.nets++
	var points []point
	var ahead arms
	if l.dir.level() {
		from, to, below := x+p.at+p.size-2, x+p.at, y+h
		points = []point{{from, below}, {from, below + 1}, {to, below + 1}, {to, below}}
		ahead = up
		for i, s := range p.lines {
			c.write(to, below+2+i, s, EdgeLabel)
		}
	} else {
		side, row := x+w, y+p.at
		last := row + max(p.size-1, 1)
		points = []point{{side, row}, {side + 2, row}, {side + 2, last}, {side, last}}
		ahead = left
		for i, s := range p.lines {
			c.write(side+4, row+i, s, EdgeLabel)
		}
	}
	first, last := points[0], points[len(points)-1]
	dx, dy := choose(l.dir.level(), 0, -1), choose(l.dir.level(), -1, 0)
	// Without a sign the line goes on to the frame.
	if p.e.fromMark == noMark {
		points = append([]point{{first.x + dx, first.y + dy}}, points...)
	}
	if p.e.toMark == noMark {
		points = append(points, point{last.x + dx, last.y + dy})
	}
	c.line(points, p.e.weight, *l.nets, p.e.fromMark == noMark, p.e.toMark == noMark)
	if p.e.fromMark != noMark {
		c.sign(first.x, first.y, p.e.fromMark.glyph(ahead), Edge)
	}
	if p.e.toMark != noMark {
		c.sign(last.x, last.y, p.e.toMark.glyph(ahead), Edge)
	}
}

// drawEdges draws all links, channel by channel.
func (l *level) drawEdges(c *canvas) {
	for i := range l.channels {
		for _, n := range l.channels[i].nets {
			if n.first != nil {
				continue
			}
			*l.nets++
			for _, s := range n.segs {
				if !s.link.e.hidden {
					l.drawSegment(c, i, n, s)
				}
			}
		}
	}
}

func (l *level) drawSegment(c *canvas, i int, n *net, s *segment) {
	top, bottom := s.top.at(), s.bottom.at()
	a, b := s.link.marks()
	// Where it begins and ends along u: at the frame of a box, or before it if there is a
	// mark, or at the end of the layer if it only passes.
	start, end := l.to[i]-1, l.to[i+1]-1
	joinsStart, joinsEnd := false, false
	if s.from.kind == boxItem {
		start = s.from.u + s.from.length - 1
		joinsStart = s.link.passA == nil
		if s.first && a != noMark {
			start++
		}
	}
	if s.to.kind == boxItem {
		end = s.to.u
		joinsEnd = s.link.passB == nil
		if s.last && b != noMark {
			end--
		}
	}
	if s.to.kind == portItem {
		end = s.to.u
	}
	p := []point{l.point(start, top)}
	if !n.straight {
		u := l.trackAt(i, n.track)
		x := bottom
		if n.second != nil {
			x = n.second.tops[0] + l.side()
		}
		p = append(p, l.point(u, top), l.point(u, x))
		if n.second != nil {
			u = l.trackAt(i, n.second.track)
			p = append(p, l.point(u, x), l.point(u, bottom))
		}
	}
	p = append(p, l.point(end, bottom))
	c.line(p, s.link.e.weight, *l.nets, joinsStart, joinsEnd)
	ahead := l.ahead()
	if s.first && a != noMark && s.from.kind == boxItem {
		q := l.point(start, top)
		c.sign(q.x, q.y, a.glyph(opposite(ahead)), Edge)
	}
	if s.last && b != noMark && s.to.kind == boxItem {
		q := l.point(end, bottom)
		c.sign(q.x, q.y, b.glyph(ahead), Edge)
	}
}

// ahead is where the layers lead to on the canvas.
func (l *level) ahead() arms {
	switch l.dir {
	case bottomUp:
		return up
	case leftRight:
		return right
	case rightLeft:
		return left
	}
	return down
}

func opposite(a arms) arms {
	switch a {
	case up:
		return down
	case down:
		return up
	case left:
		return right
	}
	return left
}

// drawLabel puts the text of an edge over it.
func (l *level) drawLabel(c *canvas, it *item) {
	x, y, w, _ := l.at(it.u, it.v, it.length, it.breadth)
	for i, s := range it.lines {
		for at := s; at != ""; {
			// Pieces of lines between texts are lines.
			n, _ := c.r.Cluster(at)
			if at[:n] != "│" && at[:n] != "─" {
				break
			}
			at = at[n:]
			if at == "" {
				s = ""
			}
		}
		if s != "" {
			c.write(x+(w-c.r.Width(s))/2, y+i, s, EdgeLabel)
		}
	}
}
