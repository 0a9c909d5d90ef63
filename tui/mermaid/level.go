package mermaid

import "fmt"

// itemKind is what has a place in a layer.
type itemKind uint8

const (
	boxItem   itemKind = iota
	dummyItem          // where an edge passes a layer
	labelItem          // the text of an edge
	portItem           // where an edge crosses the frame
)

// item has a place in a layer. u counts along the edges, v across them.
type item struct {
	kind  itemKind
	end   end
	box   *box
	sub   *picture // what a group looks like inside
	link  *link
	lines []string
	loops []loop

	layer, index    int
	length, breadth int // its size along u and v
	margin          int // room behind it in v for its loops
	u, v            int
	x               float64
	low, high       []*pin // where edges touch the sides of lower and higher u
	// The segments from the layer before, to the next, and all of them.
	ups, downs, both []*segment
}

// pin is where edges touch an item, counted from its v.
type pin struct {
	item  *item
	off   int
	fixed bool
	segs  []*segment
}

func (p *pin) at() int { return p.item.v + p.off }

// segment is the part of an edge between two layers.
type segment struct {
	link        *link
	top, bottom *pin
	from, to    *item
	first, last bool // it has the beginning, the end of its link
}

// link is an edge, or a part of one, within a level. It leads from a to b, which is in
// a later layer; back says that the edge runs the other way.
type link struct {
	e         *edge
	a, b      *item
	back      bool
	text      bool // the text of the edge stands here
	fromHere  bool // the beginning of the edge is here, not behind a port
	toHere    bool
	passA     *crossing // the port in the group a
	passB     *crossing
	shares    bool // it has a port together with others
	segs      []*segment
	labelItem *item
}

// marks are those at a and at b.
func (k *link) marks() (a, b mark) {
	from, to := noMark, noMark
	if k.fromHere {
		from = k.e.fromMark
	}
	if k.toHere {
		to = k.e.toMark
	}
	if k.back {
		return to, from
	}
	return from, to
}

// crossing is where an edge goes through the frame of a group.
type crossing struct {
	e    *edge
	out  bool // the beginning of the edge is inside
	high bool // it is at the side of higher u
	item *item
	at   int // in v, from the frame's edge
	// links are those that go through it, in the level around the group.
	links []*link
}

// level lays out what is directly in a group.
type level struct {
	g     *graph
	s     *group
	only  []end // what is laid out of the group
	dir   direction
	t     try
	nets  *int
	items []*item // boxes
	all   []*item
	links []*link
	ports []*crossing

	layers   [][]*item
	gaps     [][]*segment // between each layer and the next
	ends     [][2]float64 // room for counting crossings
	channels []channel
	from, to []int // u of layers: where they begin and end
	breadth  int
	length   int
}

// picture is a level that has been drawn.
type picture struct {
	c    *canvas
	w, h int
}

// maxWork bounds the steps of laying out a graph in all forms that are tried. A step takes some nanoseconds.
const maxWork = 3_000_000

// layout draws a graph.
func (g *graph) layout(t try) (*canvas, error) {
	nets := 0
	saved := map[*group]direction{}
	var save func(s *group)
	save = func(s *group) {
		saved[s] = s.dir
		for _, e := range s.ends {
			if e.group != nil {
				save(e.group)
			}
		}
	}
	save(g.root)
	g.settle(g.root, g.root.dir, t.turn)
	defer func() {
		for s, d := range saved {
			s.dir = d
		}
	}()
	var parts []*picture
	for _, ends := range g.parts() {
		l := &level{g: g, s: g.root, only: ends, dir: g.root.dir, t: t, nets: &nets}
		p, err := l.build()
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	c := g.arrange(parts, t)
	if c.clashes > 0 {
		return nil, fmt.Errorf("edges that can not be told apart: %w", ErrTooLarge)
	}
	return c, nil
}

// parts are the nodes and groups of a graph, apart if nothing connects them.
func (g *graph) parts() (parts [][]end) {
	of := map[end]int{}
	for i, e := range g.root.ends {
		of[e] = i
	}
	for _, e := range g.edges {
		if lowest(e.from, e.to) != g.root {
			continue
		}
		a, b := of[child(e.from, g.root)], of[child(e.to, g.root)]
		for e, k := range of {
			if k == max(a, b) {
				of[e] = min(a, b)
			}
		}
	}
	at := map[int]int{}
	for _, e := range g.root.ends {
		k, known := at[of[e]]
		if !known {
			k = len(parts)
			at[of[e]] = k
			parts = append(parts, nil)
		}
		parts[k] = append(parts[k], e)
	}
	return parts
}

// arrange puts the parts of a graph beside each other as far as there is room, and below
// each other where there is none; those that lead to the side always below.
func (g *graph) arrange(parts []*picture, t try) *canvas {
	if len(parts) == 1 {
		return parts[0].c
	}
	c := newCanvas(t.o.Ruler)
	x, y, rows := 0, 0, 0
	for _, p := range parts {
		w := p.c.width()
		if x > 0 && (g.root.dir.level() || x+w > t.o.Width) {
			x, y, rows = 0, y+rows+1, 0
		}
		c.paste(x, y, p.c)
		x += w + choose(t.tight, 2, 4)
		rows = max(rows, len(p.c.rows))
	}
	return c
}

// step counts work, and reports whether there may be more.
func (l *level) step(n int) bool {
	*l.t.work += n
	return *l.t.work < maxWork
}

// build lays out a level and draws it.
func (l *level) build() (*picture, error) {
	of := map[end]*item{}
	for _, e := range l.only {
		it := &item{end: e}
		of[e] = it
		l.items = append(l.items, it)
	}
	l.join(of)
	l.orient()
	for _, it := range l.items {
		if err := l.measure(it); err != nil {
			return nil, err
		}
	}
	l.rank()
	if err := l.fill(); err != nil {
		return nil, err
	}
	if l.leastWidth() > l.t.o.Width {
		return nil, ErrTooWide
	}
	l.sort()
	l.makePins()
	l.place()
	l.route()
	if !l.step(0) {
		return nil, fmt.Errorf("a tangled graph: %w", ErrTooLarge)
	}
	l.stack()
	return l.picture(), nil
}

// leastWidth is what a level takes across the page at least.
func (l *level) leastWidth() (w int) {
	for _, layer := range l.layers {
		sum, longest := 0, 0
		for i, it := range layer {
			sum, longest = sum+it.extent(), max(longest, it.length)
			if i > 0 {
				sum++
			}
		}
		if l.dir.level() {
			w += longest + 2
		} else {
			w = max(w, sum)
		}
	}
	return w - choose(l.dir.level(), 2, 0)
}

// join makes the links of a level: of edges for which it is the innermost group that
// has both ends, and of those that come through its frame.
func (l *level) join(of map[end]*item) {
	for _, e := range l.g.edges {
		if lowest(e.from, e.to) != l.s {
			continue
		}
		from, to := child(e.from, l.s), child(e.to, l.s)
		if of[from] == nil {
			continue
		}
		if from == to {
			of[from].loops = append(of[from].loops, loop{e: e})
			continue
		}
		l.links = append(l.links, &link{e: e, a: of[from], b: of[to], text: true, fromHere: from == e.from, toHere: to == e.to})
	}
	for _, p := range l.ports {
		p.item = &item{kind: portItem, length: 1, breadth: 1}
		inner := p.e.to
		if p.out {
			inner = p.e.from
		}
		k := &link{e: p.e, a: p.item, b: of[child(inner, l.s)]}
		if p.high {
			k.a, k.b = k.b, k.a
		}
		k.back = p.out != p.high
		whole := child(inner, l.s) == inner
		k.fromHere, k.toHere = p.out && whole, !p.out && whole
		l.links = append(l.links, k)
	}
}

// orient turns links around that close a cycle.
func (l *level) orient() {
	outs := map[*item][]*link{}
	ins := map[*item]int{}
	for _, k := range l.links {
		if k.a.kind == boxItem && k.b.kind == boxItem {
			outs[k.a] = append(outs[k.a], k)
			ins[k.b]++
		}
	}
	const (
		unseen = iota
		open
		done
	)
	state := map[*item]int{}
	var visit func(it *item)
	visit = func(it *item) {
		state[it] = open
		for _, k := range outs[it] {
			switch state[k.b] {
			case open:
				k.back = true
			case unseen:
				visit(k.b)
			}
		}
		state[it] = done
	}
	for _, sources := range []bool{true, false} {
		for _, it := range l.items {
			if state[it] == unseen && (!sources || ins[it] == 0) {
				visit(it)
			}
		}
	}
	for _, k := range l.links {
		if k.back && k.a.kind == boxItem && k.b.kind == boxItem {
			k.a, k.b = k.b, k.a
		}
	}
}

// measure gives an item its size. That of a group is known when its inside has been drawn.
func (l *level) measure(it *item) error {
	var w, h int
	if n := it.end.node; n != nil {
		it.box = n.measure(l.t)
		w, h = it.box.w, it.box.h
		switch {
		case n.shape == bar && l.dir.level():
			w, h = 1, 5
		case it.box.isDot() && l.dir.level():
			w = 1
		}
	} else {
		sub := &level{g: l.g, s: it.end.group, only: it.end.group.ends, dir: it.end.group.dir, t: l.t, nets: l.nets}
		for _, k := range l.links {
			for _, isA := range [2]bool{true, false} {
				at, inner := k.a, k.e.from
				if !isA {
					at = k.b
				}
				isFrom := isA != k.back
				if !isFrom {
					inner = k.e.to
				}
				if at != it || inner == it.end {
					continue
				}
				p := sub.port(k, isFrom, isA)
				if isA {
					k.passA = p
				} else {
					k.passB = p
				}
			}
		}
		pic, err := sub.build()
		if err != nil {
			return err
		}
		it.sub = pic
		w, h = pic.w, pic.h
	}
	it.length, it.breadth = h, w
	if l.dir.level() {
		it.length, it.breadth = w, h
	}
	l.makeRoomForLoops(it)
	return nil
}

// port is where a link goes through the frame of a group. Those that lead to the same
// end in the same way share one, unless they share one with others at their other end.
func (l *level) port(k *link, out, high bool) *crossing {
	inner := func(e *edge) end { return choose(out, e.from, e.to) }
	marked := func(e *edge) mark { return choose(out, e.fromMark, e.toMark) }
	for _, p := range l.ports {
		if p.out != out || p.high != high || inner(p.e) != inner(k.e) || marked(p.e) != marked(k.e) || p.e.weight != k.e.weight || p.e.hidden != k.e.hidden {
			continue
		}
		if !k.shares && (len(p.links) > 1 || !p.links[0].shares) {
			p.links = append(p.links, k)
			for _, k := range p.links {
				k.shares = true
			}
			return p
		}
	}
	p := &crossing{e: k.e, out: out, high: high, links: []*link{k}}
	l.ports = append(l.ports, p)
	return p
}

// loop is an edge from an item to itself, and where it is drawn: from which row, or
// column, of the item on.
type loop struct {
	e     *edge
	lines []string
	at    int
	size  int
}

// makeRoomForLoops gives an item what its edges to itself need: they are below each
// other at its right, or beside each other below it.
func (l *level) makeRoomForLoops(it *item) {
	if len(it.loops) == 0 {
		return
	}
	r, at := l.t.o.Ruler, 1
	for i := range it.loops {
		p := &it.loops[i]
		p.lines, p.at = l.says(p.e, false), at
		w, rows := widest(r, p.lines), len(p.lines)
		if l.dir.level() {
			p.size = max(4, w+2)
			it.margin = max(it.margin, 2+rows)
		} else {
			p.size = max(2, rows)
			it.margin = max(it.margin, 4+choose(w > 0, w+1, 0))
		}
		at += p.size
	}
	it.length = max(it.length, at+1)
}

// says is the text of an edge as it stands on it, in the direction of the layers.
func (l *level) says(e *edge, back bool) []string {
	r := l.t.o.Ruler
	first, last := e.fromSays, e.toSays
	if back {
		first, last = last, first
	}
	lines := fold(r, e.text, min(l.t.wrap, 22))
	if e.fromSays == "" && e.toSays == "" {
		return lines
	}
	if l.dir.level() {
		flipped := l.dir == rightLeft
		if flipped {
			first, last = last, first
		}
		if len(lines) == 0 {
			lines = []string{"──"}
		}
		m := len(lines) / 2
		for i := range lines {
			if i == m {
				lines[i] = joinWith("─", first, lines[i], last)
			}
		}
		return lines
	}
	if l.dir == bottomUp {
		first, last = last, first
	}
	if len(lines) == 0 {
		lines = []string{"│"}
	}
	lines = append([]string{orLine(first)}, lines...)
	return append(lines, orLine(last))
}

func orLine(s string) string {
	if s == "" {
		return "│"
	}
	return s
}

func joinWith(sep string, parts ...string) (s string) {
	for _, p := range parts {
		if s != "" && p != "" {
			s += sep
		}
		s += p
	}
	return s
}
