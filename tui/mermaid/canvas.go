package mermaid

import (
	"strings"

	"github.com/pi-go/pi/tui/text"
)

// arms are the directions in which a line leaves a cell.
type arms uint8

const (
	up arms = 1 << iota
	right
	down
	left
)

// weight is how a line looks.
type weight uint8

const (
	light weight = iota
	dotted
	heavy
	double
)

// cell is one column of a row. A cluster that is two columns wide has a cell that
// is covered at its right.
type cell struct {
	text    string // what stands there; "" is a line, or nothing
	sign    bool   // text is a sign of the drawing, not of the source
	covered bool
	arms    arms
	weight  weight
	round   bool // corners are
	role    Role
	solid   bool // it belongs to a box that no line may run through
	net     int  // whose line it is: 0 is a frame's
}

// canvas is what is drawn on. It grows as needed.
type canvas struct {
	r    *text.Ruler
	rows [][]cell
	// clashes counts lines that run into others or through boxes. There are none if
	// the layout is right; what has some is not shown.
	clashes int
	// cut says that something was drawn beyond the largest canvas.
	cut bool
}

// The most that a canvas grows to.
const (
	maxColumns = 1000
	maxRows    = 2000
)

func newCanvas(r *text.Ruler) *canvas { return &canvas{r: r} }

// at returns a cell; nil where the canvas ends.
func (c *canvas) at(x, y int) *cell {
	if x < 0 || y < 0 || x >= maxColumns || y >= maxRows {
		c.cut = true
		return nil
	}
	for len(c.rows) <= y {
		c.rows = append(c.rows, nil)
	}
	if row := c.rows[y]; x >= len(row) {
		if x >= cap(row) {
			grown := make([]cell, len(row), min(max(x+1, 2*cap(row), 64), maxColumns))
			copy(grown, row)
			row = grown
		}
		c.rows[y] = row[:x+1]
	}
	return &c.rows[y][x]
}

// peek returns a cell without making the canvas larger.
func (c *canvas) peek(x, y int) cell {
	if y < 0 || y >= len(c.rows) || x < 0 || x >= len(c.rows[y]) {
		return cell{}
	}
	return c.rows[y][x]
}

func (c *canvas) width() (w int) {
	for _, row := range c.rows {
		w = max(w, len(row))
	}
	return w
}

// write puts a text of one line on the canvas, over what is there.
func (c *canvas) write(x, y int, s string, role Role) {
	for s != "" {
		n, w := c.r.Cluster(s)
		if n == 0 {
			return
		}
		if cell := c.at(x, y); cell != nil && w > 0 {
			cell.text, cell.sign, cell.covered, cell.role = s[:n], false, false, role
		}
		for i := 1; i < w; i++ {
			if cell := c.at(x+i, y); cell != nil {
				cell.text, cell.covered, cell.role = "", true, role
			}
		}
		s, x = s[n:], x+w
	}
}

// sign puts one sign of the drawing on the canvas.
func (c *canvas) sign(x, y int, s string, role Role) {
	if cell := c.at(x, y); cell != nil {
		cell.text, cell.sign, cell.covered, cell.role = s, true, false, role
	}
}

// signs puts a text that is part of the drawing, such as a bar, on the canvas.
func (c *canvas) signs(x, y int, s string, role Role) {
	for _, r := range s {
		c.sign(x, y, string(r), role)
		x++
	}
}

// frame draws the outline of a rectangle.
func (c *canvas) frame(x, y, w, h int, wt weight, round bool, role Role) {
	set := func(x, y int, a arms) {
		if cell := c.at(x, y); cell != nil {
			cell.arms, cell.weight, cell.round, cell.role = a, wt, round, role
		}
	}
	for i := x + 1; i < x+w-1; i++ {
		set(i, y, left|right)
		set(i, y+h-1, left|right)
	}
	for i := y + 1; i < y+h-1; i++ {
		set(x, i, up|down)
		set(x+w-1, i, up|down)
	}
	set(x, y, down|right)
	set(x+w-1, y, down|left)
	set(x, y+h-1, up|right)
	set(x+w-1, y+h-1, up|left)
}

// rule draws a line across a box, from side to side.
func (c *canvas) rule(x, y, w int, wt weight) {
	for i := x; i < x+w; i++ {
		a := left | right
		switch i {
		case x:
			a = right
		case x + w - 1:
			a = left
		}
		if cell := c.at(i, y); cell != nil {
			cell.arms |= a
			cell.role = Frame
			if i > x && i < x+w-1 {
				cell.weight = wt
			}
		}
	}
}

// arm adds directions of a line to a cell. A line that ends at a frame joins it;
// one that passes it goes over it. Where the lines of two nets cross, the one that goes
// up and down is drawn whole, so that a crossing does not look like a fork.
func (c *canvas) arm(x, y int, a arms, wt weight, net int, joins bool) {
	cell := c.at(x, y)
	if cell == nil || a == 0 {
		return
	}
	const upright, level = up | down, left | right
	if cell.solid && !joins {
		c.clashes++
	}
	switch {
	case cell.arms == 0:
		cell.arms, cell.weight, cell.net, cell.role = a, wt, net, Edge
	case cell.net == 0 && joins:
		cell.arms |= a
	case cell.net == 0:
		cell.arms, cell.weight, cell.net, cell.role, cell.round = a, wt, net, Edge, false
	case cell.net != net && a&upright == 0 && cell.arms&level == 0 && a == level:
		// It passes below.
	case cell.net != net && a == upright && cell.arms&upright == 0:
		cell.arms, cell.weight, cell.net = a, wt, net
	default:
		if all := cell.arms | a; cell.net != net && (cell.arms&a != 0 || all != upright && all != level) {
			c.clashes++
		}
		cell.arms |= a
		if cell.net > 0 {
			cell.net = net
		}
	}
}

// point is a place on a canvas.
type point struct{ x, y int }

// line draws a line with right angles through points. Its ends join frames as told.
func (c *canvas) line(points []point, wt weight, net int, joinsFirst, joinsLast bool) {
	path := points[:1:1]
	for _, q := range points[1:] {
		for p := path[len(path)-1]; p != q; path = append(path, p) {
			if p.x != q.x {
				p.x += sign(q.x - p.x)
			} else {
				p.y += sign(q.y - p.y)
			}
		}
	}
	for i, p := range path {
		var a arms
		if i > 0 {
			a |= towards(path[i-1].x-p.x, path[i-1].y-p.y)
		}
		if i+1 < len(path) {
			a |= towards(path[i+1].x-p.x, path[i+1].y-p.y)
		}
		c.arm(p.x, p.y, a, wt, net, i == 0 && joinsFirst || i == len(path)-1 && joinsLast)
	}
}

func sign(n int) int {
	switch {
	case n > 0:
		return 1
	case n < 0:
		return -1
	}
	return 0
}

func towards(dx, dy int) arms {
	switch {
	case dx > 0:
		return right
	case dx < 0:
		return left
	case dy > 0:
		return down
	case dy < 0:
		return up
	}
	return 0
}

// paste copies a canvas onto this one.
func (c *canvas) paste(x, y int, from *canvas) {
	c.clashes += from.clashes
	c.cut = c.cut || from.cut
	for j, row := range from.rows {
		for i, cell := range row {
			if cell == cellBlank {
				continue
			}
			if to := c.at(x+i, y+j); to != nil {
				*to = cell
			}
		}
	}
}

var cellBlank = cell{}

// diagram returns what is drawn.
func (c *canvas) diagram(ascii bool) Diagram {
	out := make(Diagram, 0, len(c.rows))
	for _, row := range c.rows {
		out = append(out, spans(row, ascii))
	}
	for len(out) > 0 && len(out[len(out)-1]) == 0 {
		out = out[:len(out)-1]
	}
	for len(out) > 0 && len(out[0]) == 0 {
		out = out[1:]
	}
	return out
}

func spans(row []cell, ascii bool) []Span {
	var (
		list []Span
		b    strings.Builder
		role Role
	)
	flush := func() {
		if b.Len() > 0 {
			list = append(list, Span{b.String(), role})
			b.Reset()
		}
	}
	end := len(row)
	for end > 0 && row[end-1].blank() {
		end--
	}
	for i := range row[:end] {
		cell := &row[i]
		if cell.covered {
			continue
		}
		is := cell.role
		if cell.blank() {
			is = Blank
		}
		if is != role {
			flush()
			role = is
		}
		b.WriteString(cell.glyph(ascii))
	}
	flush()
	return list
}

func (c *cell) blank() bool { return !c.covered && c.arms == 0 && (c.text == "" || c.text == " ") }

// fill says that no line may run through a rectangle.
func (c *canvas) fill(x, y, w, h int) {
	for j := y; j < y+h; j++ {
		for i := x; i < x+w; i++ {
			if cell := c.at(i, j); cell != nil {
				cell.solid = true
			}
		}
	}
}

// clear makes a rectangle empty.
func (c *canvas) clear(x, y, w, h int) {
	for j := y; j < y+h; j++ {
		for i := x; i < x+w; i++ {
			if cell := c.at(i, j); cell != nil {
				*cell = cellBlank
			}
		}
	}
}
