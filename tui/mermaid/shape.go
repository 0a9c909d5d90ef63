package mermaid

// shape is the form of a box.
type shape uint8

const (
	rectangle shape = iota
	rounded
	stadium
	circle
	doubleCircle
	diamond
	hexagon
	subroutine
	cylinder
	slanted   // a parallelogram or trapezoid
	notched   // with a notch at its left
	cardShape // an outline of heavy lines
	startDot
	endDot
	choice
	bar
	bare // a text without an outline
	noteBox
)

// box is a node as it is drawn.
type box struct {
	n     *node
	lines []string
	parts [][]string
	w, h  int
}

// measure makes the box of a node.
func (n *node) measure(t try) *box {
	b := &box{n: n}
	switch n.shape {
	case startDot, endDot, choice:
		b.w, b.h = 3, 1
		return b
	case bar:
		b.w, b.h = 9, 1
		return b
	}
	r := t.o.Ruler
	b.lines = fold(r, n.text, t.wrap)
	inner := widest(r, b.lines)
	rows := len(b.lines)
	for _, p := range n.parts {
		p = foldMembers(r, p, max(2*t.wrap-20, 24))
		b.parts = append(b.parts, p)
		inner = max(inner, widest(r, p))
		rows += len(p) + 1
	}
	pad := 1
	switch n.shape {
	case stadium, circle, doubleCircle, diamond, hexagon, notched:
		pad = 2
	case cylinder:
		rows++
	case subroutine:
		pad = 2
	}
	if t.tight {
		pad = 1
	}
	b.w, b.h = max(inner, 1)+2*pad+2, rows+2
	return b
}

// draw puts a box on a canvas, in the room that it was given in the end.
func (b *box) draw(c *canvas, x, y, w, h int) {
	switch b.n.shape {
	case startDot, endDot, choice:
		b.dot(c, x, y, w, h)
		return
	case bar:
		for j := range h {
			for i := range w {
				c.sign(x+i, y+j, "█", Frame)
			}
		}
		return
	case bare:
		b.write(c, x, y, w, y, y+h, b.lines)
		return
	}
	b.outline(c, x, y, w, h)
	top := y + 1
	if b.n.shape == cylinder {
		c.rule(x, y+1, w, light)
		top++
	}
	if len(b.parts) == 0 {
		b.write(c, x, y, w, top, y+h-1, b.lines)
		return
	}
	b.write(c, x, y, w, top, top+len(b.lines), b.lines)
	at := top + len(b.lines)
	for _, p := range b.parts {
		c.rule(x, at, w, light)
		for i, l := range p {
			c.write(x+2, at+1+i, l, Label)
		}
		at += len(p) + 1
	}
}

// dot draws a sign; between brackets if more edges lead to it than have room at one.
func (b *box) dot(c *canvas, x, y, w, h int) {
	s := "●"
	switch b.n.shape {
	case endDot:
		s = "◉"
	case choice:
		s = "◇"
	}
	c.sign(x+w/2, y+h/2, s, Edge)
	if w > 3 {
		c.sign(x, y+h/2, "(", Frame)
		c.sign(x+w-1, y+h/2, ")", Frame)
	}
	for j := 1; h > 1 && j <= h/2; j++ {
		c.sign(x+w/2, y+h/2-j, "│", Frame)
		if h/2+j < h {
			c.sign(x+w/2, y+h/2+j, "│", Frame)
		}
	}
}

// isDot reports whether a box is only a sign.
func (b *box) isDot() bool {
	return b.n.shape == startDot || b.n.shape == endDot || b.n.shape == choice
}

// outline draws the frame of a box.
func (b *box) outline(c *canvas, x, y, w, h int) {
	wt, round := light, false
	switch b.n.shape {
	case rounded, stadium, circle, cylinder:
		round = true
	case doubleCircle:
		wt = double
	case cardShape:
		wt = heavy
	case noteBox:
		wt = dotted
	}
	c.frame(x, y, w, h, wt, round, Frame)
	corners := func(nw, ne, sw, se string) {
		for _, k := range []struct {
			x, y int
			s    string
		}{{x, y, nw}, {x + w - 1, y, ne}, {x, y + h - 1, sw}, {x + w - 1, y + h - 1, se}} {
			if k.s != "" {
				c.sign(k.x, k.y, k.s, Frame)
			}
		}
	}
	sides := func(l, r string) {
		for j := 1; j < h-1; j++ {
			c.sign(x, y+j, l, Frame)
			c.sign(x+w-1, y+j, r, Frame)
		}
	}
	switch b.n.shape {
	case circle:
		sides("(", ")")
	case stadium:
		sides("(", ")")
	case diamond:
		corners("╱", "╲", "╲", "╱")
		sides("<", ">")
	case hexagon:
		corners("╱", "╲", "╲", "╱")
	case slanted:
		corners("╱", "", "", "╱")
	case notched:
		corners("╲", "", "╱", "")
		sides(">", "│")
	case subroutine:
		for j := 1; j < h-1; j++ {
			c.sign(x+1, y+j, "│", Frame)
		}
		for j := 1; j < h-1; j++ {
			c.sign(x+w-2, y+j, "│", Frame)
		}
	}
}

// write puts lines into the middle of a room.
func (b *box) write(c *canvas, x, _, w, top, bottom int, lines []string) {
	y := top + max(0, (bottom-top-len(lines))/2)
	for i, l := range lines {
		c.write(x+(w-c.r.Width(l))/2, y+i, l, Label)
	}
}
