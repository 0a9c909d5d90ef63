package mermaid

import (
	"cmp"
	"math"
	"slices"
)

// makePins decides which edges share a pin. Edges that leave a node in the same way
// leave it together, and those that enter it in the same way enter it together; but
// no edge does both between the same layers, because then nobody could tell who is
// connected to whom.
func (l *level) makePins() {
	type way struct {
		mark   mark
		weight weight
		back   bool
		hidden bool
		pass   *crossing
	}
	shared := map[*segment]bool{}
	attach := func(it *item, segs []*segment, upper bool) (pins []*pin) {
		ways := map[way]*pin{}
		for _, s := range segs {
			k := s.link
			a, b := k.marks()
			m, pass, ends := b, k.passB, s.last
			if upper {
				m, pass, ends = a, k.passA, s.first
			}
			w := way{m, k.e.weight, k.back, k.e.hidden, nil}
			if pass != nil && ends {
				w = way{pass: pass}
			}
			p := ways[w]
			apart := it.kind != boxItem || !ends || w.pass == nil && (k.shares || !upper && shared[s])
			if p == nil || apart {
				p = &pin{item: it}
				pins = append(pins, p)
				if !apart {
					ways[w] = p
				}
				if w.pass != nil {
					p.off, p.fixed = pass.at, true
				}
			}
			p.segs = append(p.segs, s)
			if upper {
				s.top = p
			} else {
				s.bottom = p
			}
		}
		for _, p := range pins {
			for _, s := range p.segs {
				shared[s] = shared[s] || len(p.segs) > 1
			}
		}
		return pins
	}
	for _, it := range l.all {
		it.high = attach(it, it.downs, true)
	}
	for _, layer := range l.layers {
		for _, it := range layer {
			if it.kind == dummyItem || it.kind == labelItem {
				it.high = attach(it, it.downs, true)
				it.low = attach(it, it.ups, false)
			} else {
				it.low = attach(it, it.ups, false)
			}
		}
	}
	for _, layer := range l.layers {
		for _, it := range layer {
			l.widen(it)
			l.spread(it, it.low, true)
			l.spread(it, it.high, false)
		}
	}
}

// widen makes an item broad enough for its pins.
func (l *level) widen(it *item) {
	if it.kind != boxItem || it.sub != nil {
		return
	}
	n := max(len(it.low), len(it.high))
	if l.dir.level() {
		it.breadth = max(it.breadth, n+2)
	} else if n > 1 {
		it.breadth = max(it.breadth, 2*n+1)
	}
	if it.box.isDot() && n < 2 {
		it.breadth = choose(l.dir.level(), 1, 3)
	}
}

// spread gives the pins of a side their places, in the order of where they lead to.
func (l *level) spread(it *item, pins []*pin, low bool) {
	slices.SortStableFunc(pins, func(a, b *pin) int { return cmp.Compare(a.leads(low), b.leads(low)) })
	var free []*pin
	taken := map[int]bool{}
	for _, p := range pins {
		if p.fixed {
			taken[p.off] = true
		} else {
			free = append(free, p)
		}
	}
	n := len(free)
	if n == 0 {
		return
	}
	room := max(it.breadth-2, 1)
	gap := min(room/n, choose(l.dir.level(), 2, 8))
	at := (it.breadth - choose(l.dir.level(), 0, 1) - gap*(n-1)) / 2
	for i, p := range free {
		p.off = at + i*gap
		for d := 0; taken[p.off] && d < it.breadth; d++ {
			p.off = 1 + p.off%max(room, 1)
		}
		taken[p.off] = true
	}
}

// leads is where the edges of a pin lead to, on the average.
func (p *pin) leads(low bool) float64 {
	sum := 0.0
	for _, s := range p.segs {
		other := s.bottom
		if low {
			other = s.top
		}
		if other == nil {
			return s.order(low)
		}
		sum += other.item.x + float64(other.off) + s.order(low)/1000
	}
	return sum / float64(len(p.segs))
}

// gap is the room between two items of a layer.
func (l *level) gap(a, b *item) int {
	thin := func(it *item) bool { return it.kind != boxItem }
	switch {
	case a.kind == labelItem && b.kind == labelItem:
		return choose(l.dir.level(), 1, 2)
	case l.dir.level():
		return choose(thin(a) && thin(b), choose(l.t.tight, 0, 1), 1)
	case thin(a) && thin(b):
		return choose(l.t.tight, 1, 2)
	case thin(a) || thin(b):
		return choose(l.t.tight, 1, 2)
	}
	return choose(l.t.tight, 2, 4)
}

// extent is the room that an item takes.
func (it *item) extent() int { return it.breadth + it.margin }

// place gives all items their place across the edges: near to what they are connected
// to, and edges that pass layers as straight as can be.
func (l *level) place() {
	for _, layer := range l.layers {
		at := 0
		for i, it := range layer {
			if i > 0 {
				at += l.gap(layer[i-1], it)
			}
			it.x = float64(at)
			at += it.extent()
		}
	}
	for round := range 14 {
		use := bothOf
		if round < 8 {
			use = choose(round%2 == 0, upsOf, downsOf)
		}
		for i := range l.layers {
			if round%2 == 1 {
				i = len(l.layers) - 1 - i
			}
			l.settle(l.layers[i], use)
		}
		if !l.step(len(l.links)) {
			break
		}
	}
	l.align()
	for range 2 {
		for _, layer := range l.layers {
			for _, it := range layer {
				l.spread(it, it.low, true)
				l.spread(it, it.high, false)
			}
		}
	}
	l.align()
	l.straighten()
}

// settle moves the items of a layer as near as possible to where their edges want them,
// without touching each other: neighbours that would are moved together.
func (l *level) settle(layer []*item, segs func(*item) []*segment) {
	type cluster struct {
		sum, weight float64
		n           int
	}
	var (
		stack   []cluster
		offsets = make([]float64, len(layer))
		offset  = 0.0
	)
	for i, it := range layer {
		if i > 0 {
			offset += float64(layer[i-1].extent() + l.gap(layer[i-1], it))
		}
		offsets[i] = offset
		wish, weight := it.wish(segs(it))
		c := cluster{(wish - offset) * weight, weight, 1}
		for len(stack) > 0 {
			top := stack[len(stack)-1]
			if top.sum/top.weight <= c.sum/c.weight {
				break
			}
			c = cluster{c.sum + top.sum, c.weight + top.weight, c.n + top.n}
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, c)
	}
	i := 0
	for _, c := range stack {
		for range c.n {
			layer[i].x = c.sum/c.weight + offsets[i]
			i++
		}
	}
	l.step(len(layer) * 4)
}

// wish is where an item wants to be.
func (it *item) wish(segs []*segment) (at, weight float64) {
	if len(segs) == 0 {
		return it.x, 0.05
	}
	sum := 0.0
	for _, s := range segs {
		w := s.weight()
		own, other := s.bottom, s.top
		if s.from == it {
			own, other = s.top, s.bottom
		}
		sum += w * (other.item.x + float64(other.off-own.off))
		weight += w
	}
	return sum / weight, weight
}

// weight is how much it matters that a segment is straight: most where an edge only
// passes, and least where one goes back.
func (s *segment) weight() float64 {
	w := 2.0
	switch thin := choose(s.from.kind == boxItem, 0, 1) + choose(s.to.kind == boxItem, 0, 1); {
	case thin == 2:
		return 8
	case s.link.back:
		return 0.5
	case thin == 0:
		w = 3
	}
	if s.top != nil && len(s.top.segs) > 1 || s.bottom != nil && len(s.bottom.segs) > 1 {
		w /= 4 // not all of them can be straight
	}
	return w
}

// align puts items into whole columns, and where there is room into those of what they
// are connected to.
func (l *level) align() {
	for _, layer := range l.layers {
		at := math.MinInt
		for i, it := range layer {
			v := int(math.Round(it.x))
			if i > 0 {
				v = max(v, at+l.gap(layer[i-1], it))
			}
			it.v = v
			at = v + it.extent()
		}
	}
	for range 3 {
		if l.dir.level() {
			l.shear()
		}
		l.alignChains()
		for _, layer := range l.layers {
			for i, it := range layer {
				l.nudge(layer, i, it.both)
			}
		}
		for j := len(l.layers) - 1; j >= 0; j-- {
			for i, it := range l.layers[j] {
				l.nudge(l.layers[j], i, it.both)
			}
		}
	}
	for _, it := range l.everything() {
		it.x = float64(it.v)
	}
}

// shear moves all layers behind a gap together a little, to where more edges in the gap
// are straight: that changes nothing between any others. Beside each other boxes are only
// a few rows high, and a step of one row is what is seen first.
func (l *level) shear() {
	for i, segs := range l.gaps {
		cost := func(by int) (sum float64) {
			for _, s := range segs {
				if d := s.bottom.at() + by - s.top.at(); d != 0 {
					sum += s.weight() * (12 + math.Abs(float64(d)))
				}
			}
			return sum
		}
		best, least := 0, cost(0)
		for _, s := range segs {
			if by := s.top.at() - s.bottom.at(); by != 0 && by != best && by >= -2 && by <= 2 {
				if c := cost(by); c < least {
					best, least = by, c
				}
			}
		}
		l.step(len(segs) * len(segs))
		if best == 0 {
			continue
		}
		for _, layer := range l.layers[i+1:] {
			for _, it := range layer {
				it.v += best
			}
		}
	}
}

// alignChains puts all places of an edge in the layers that it passes into one column, if
// there is one that is free in all of them.
func (l *level) alignChains() {
	for _, k := range l.links {
		pins := k.passing()
		if len(pins) == 0 {
			continue
		}
		lo, hi := math.MinInt, math.MaxInt
		var at []int
		for _, p := range pins {
			from, to := l.slack(p.item)
			if from != math.MinInt {
				lo = max(lo, from+p.off)
			}
			if to != math.MaxInt {
				hi = min(hi, to+p.off)
			}
			at = append(at, p.at())
		}
		if lo > hi {
			continue
		}
		slices.Sort(at)
		x := at[len(at)/2]
		for _, end := range [2]*pin{k.segs[len(k.segs)-1].bottom, k.segs[0].top} {
			if v := end.at(); end.item.kind == boxItem && v >= lo && v <= hi {
				x = v
			}
		}
		x = min(max(x, lo), hi)
		for _, p := range pins {
			p.item.v = x - p.off
		}
		l.step(4 * len(pins))
	}
}

// passing are the pins of a link at all that is not a box.
func (k *link) passing() (pins []*pin) {
	if k.a.kind == portItem {
		pins = append(pins, k.segs[0].top)
	}
	for _, s := range k.segs {
		if s.to.kind != boxItem {
			pins = append(pins, s.bottom)
		}
	}
	return pins
}

// slack is how far an item can move to both sides.
func (l *level) slack(it *item) (from, to int) {
	from, to = math.MinInt, math.MaxInt
	layer, i := l.layers[it.layer], it.index
	if i > 0 {
		from = layer[i-1].v + layer[i-1].extent() + l.gap(layer[i-1], it)
	}
	if i+1 < len(layer) {
		to = layer[i+1].v - l.gap(it, layer[i+1]) - it.extent()
	}
	return from, to
}

func (l *level) everything() (all []*item) {
	for _, layer := range l.layers {
		all = append(all, layer...)
	}
	return all
}

// nudge moves an item to where more of its edges are straight.
func (l *level) nudge(layer []*item, i int, segs []*segment) {
	it := layer[i]
	from, to := l.slack(it)
	cost := func(v int) (sum float64) {
		for _, s := range segs {
			own, other := s.bottom, s.top
			if s.from == it {
				own, other = s.top, s.bottom
			}
			if d := v + own.off - other.at(); d != 0 {
				sum += s.weight() * (12 + math.Abs(float64(d)))
			}
		}
		return sum
	}
	best, least := it.v, cost(it.v)
	for _, s := range segs {
		own, other := s.bottom, s.top
		if s.from == it {
			own, other = s.top, s.bottom
		}
		if v := other.at() - own.off; v >= from && v <= to {
			if c := cost(v); c < least {
				best, least = v, c
			}
		}
	}
	it.v = best
	l.step(len(segs) * len(segs))
}

// straighten moves pins along the sides of their boxes to where their edges are straight.
// Edges that go back are served last.
func (l *level) straighten() {
	for _, back := range [2]bool{false, true} {
		for _, k := range l.links {
			for _, s := range k.segs {
				if k.back == back && s.top.at() != s.bottom.at() {
					l.meet(s)
				}
			}
		}
	}
}

// meet brings the pins of a segment into one column, if there is one that both can be in.
// One that several edges share is moved only a little.
func (l *level) meet(s *segment) {
	top, bottom := s.top.at(), s.bottom.at()
	near := top-bottom <= 3 && bottom-top <= 3
	aLo, aHi, bLo, bHi := top, top, bottom, bottom
	if len(s.top.segs) == 1 && (len(s.bottom.segs) == 1 || near) {
		aLo, aHi = l.reach(s.top, s.top.item.high)
	}
	if len(s.bottom.segs) == 1 && (len(s.top.segs) == 1 || near) {
		bLo, bHi = l.reach(s.bottom, s.bottom.item.low)
	}
	lo, hi := max(aLo, bLo), min(aHi, bHi)
	if lo > hi {
		return
	}
	x := min(max((top+bottom)/2, lo), hi)
	s.top.off = x - s.top.item.v
	s.bottom.off = x - s.bottom.item.v
}

// reach is where on its side a pin can be without passing its neighbours.
func (l *level) reach(p *pin, side []*pin) (lo, hi int) {
	it := p.item
	if p.fixed || it.kind != boxItem || it.sub != nil || it.box.isDot() && it.breadth <= 3 {
		return p.at(), p.at()
	}
	apart := choose(l.dir.level(), 1, 2)
	lo, hi = 1, it.breadth-2
	for _, q := range side {
		switch {
		case q == p:
		case q.off <= p.off:
			lo = max(lo, q.off+apart)
		default:
			hi = min(hi, q.off-apart)
		}
	}
	if lo > hi {
		return p.at(), p.at()
	}
	return it.v + lo, it.v + hi
}
