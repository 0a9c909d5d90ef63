package mermaid

import (
	"math"
	"slices"
)

// channel is the room between a layer and the next, where edges go across. A track is
// a line across that several nets can be on, if they do not touch.
type channel struct {
	nets   []*net
	tracks int
	before int // room before the first track
	after  int // and after the last one
	room   int // all of it
}

// net is the edges of a channel that share a pin. They have one line across, the trunk,
// unless all is in one column.
type net struct {
	segs         []*segment
	tops, bottom []int
	from, to     int // the columns of the trunk
	track        int
	straight     bool
	second       *net // the rest of a net that had to take a detour
	first        *net
}

// route decides which track each net has.
func (l *level) route() {
	l.shiftToZero()
	l.channels = make([]channel, max(len(l.layers)-1, 0))
	for i, segs := range l.gaps {
		c := &l.channels[i]
		c.nets = netsOf(segs)
		l.assign(c)
		l.room(c, i, segs)
	}
}

// shiftToZero makes the smallest v zero, and the breadth what is used.
func (l *level) shiftToZero() {
	low := math.MaxInt
	for _, it := range l.everything() {
		low = min(low, it.v)
	}
	for _, it := range l.everything() {
		it.v -= low
		l.breadth = max(l.breadth, it.v+it.extent())
	}
}

func netsOf(segs []*segment) []*net {
	var nets []*net
	of := map[*pin]*net{}
	for _, s := range segs {
		shared := s.top
		if len(s.bottom.segs) > 1 {
			shared = s.bottom
		}
		n := of[shared]
		if n == nil {
			n = &net{}
			of[shared] = n
			nets = append(nets, n)
		}
		n.segs = append(n.segs, s)
		n.tops = append(n.tops, s.top.at())
		n.bottom = append(n.bottom, s.bottom.at())
	}
	for _, n := range nets {
		n.measure()
	}
	return nets
}

func (n *net) measure() {
	slices.Sort(n.tops)
	slices.Sort(n.bottom)
	n.tops, n.bottom = slices.Compact(n.tops), slices.Compact(n.bottom)
	n.from, n.to = min(n.tops[0], n.bottom[0]), max(n.tops[len(n.tops)-1], n.bottom[len(n.bottom)-1])
	n.straight = n.from == n.to
}

// touches reports whether a net needs the part of a track that another one has.
func (n *net) touches(o *net) bool { return n.from <= o.to && o.from <= n.to }

// above reports whether n must be above o: it comes from above in a column in
// which o goes down.
func (n *net) above(o *net) bool {
	if n.second == o {
		return true
	}
	if o.second == n {
		return false
	}
	for _, x := range n.tops {
		if slices.Contains(o.bottom, x) {
			return true
		}
	}
	return false
}

// cost is how many crossings there are between two nets if n is above o.
func (n *net) cost(o *net) (sum int) {
	for _, x := range n.bottom {
		if x > o.from && x < o.to {
			sum++
		}
	}
	for _, x := range o.tops {
		if x > n.from && x < n.to {
			sum++
		}
	}
	return sum
}

// assign gives the nets of a channel their tracks, from above. One that would have to be
// both above and below another one takes a detour by a column that is free.
func (l *level) assign(c *channel) {
	var left []*net
	for _, n := range c.nets {
		if !n.straight {
			left = append(left, n)
		}
	}
	var placed []*net
	for len(left) > 0 {
		if !l.step(len(left) * len(left) * 4) {
			return
		}
		best, fewest := -1, math.MaxInt
		for i, n := range left {
			if slices.ContainsFunc(left, func(o *net) bool { return o != n && o.above(n) }) {
				continue
			}
			bad := 0
			for _, o := range left {
				if o != n && n.touches(o) {
					bad += n.cost(o) - o.cost(n)
				}
			}
			if bad < fewest {
				best, fewest = i, bad
			}
		}
		if best < 0 {
			rest := l.detour(c, inCycle(left))
			left, c.nets = append(left, rest), append(c.nets, rest)
			continue
		}
		n := left[best]
		left = slices.Delete(left, best, best+1)
		for _, o := range placed {
			if o.track >= n.track && (o.above(n) || n.touches(o) || n.touching(o)) {
				n.track = o.track + 1
			}
		}
		placed = append(placed, n)
		c.tracks = max(c.tracks, n.track+1)
	}
}

// inCycle finds a net that has to be above itself, by way of others.
func inCycle(nets []*net) *net {
	n := nets[0]
	for range nets {
		n = nets[slices.IndexFunc(nets, func(o *net) bool { return o != n && o.above(n) })]
	}
	return n
}

// touching keeps the order that was found to be the best for nets that cross each other.
func (n *net) touching(o *net) bool { return n.first == o || o.first == n }

// detour cuts a net in two that are connected in a column of their own.
func (l *level) detour(c *channel, n *net) *net {
	used := map[int]bool{}
	for _, o := range c.nets {
		for _, x := range o.tops {
			used[x] = true
		}
		for _, x := range o.bottom {
			used[x] = true
		}
	}
	mid := (n.from + n.to) / 2
	at := l.breadth
	for d := range l.breadth {
		if x := mid + d; x < l.breadth && !used[x] {
			at = x
			break
		}
		if x := mid - d; x >= 0 && !used[x] {
			at = x
			break
		}
	}
	for used[at] {
		at++
	}
	l.breadth = max(l.breadth, at+1)
	rest := &net{segs: nil, tops: []int{at}, bottom: n.bottom, first: n}
	n.bottom = []int{at}
	n.second = rest
	n.measure()
	rest.measure()
	// Neither of the two is straight, even if it goes no way across.
	n.straight, rest.straight = false, false
	return rest
}

// room is how much room a channel needs.
func (l *level) room(c *channel, i int, segs []*segment) {
	texts := func(layer []*item) bool {
		return slices.ContainsFunc(layer, func(it *item) bool { return it.kind == labelItem })
	}
	before, after := 0, 0
	for _, s := range segs {
		a, b := s.link.marks()
		if s.first && a != noMark {
			before = 1
		}
		if s.last && b != noMark {
			after = 1
		}
	}
	ports := l.layers[i][0].kind == portItem || l.layers[i+1][0].kind == portItem
	near := texts(l.layers[i]) || texts(l.layers[i+1]) || ports
	if l.dir.level() {
		c.before, c.after = before+1, after+1
		c.room = c.before + c.after + max(0, 2*c.tracks-1)
		if c.tracks == 0 && !near {
			c.room = max(c.room, choose(l.t.tight, 3, 4))
		}
		return
	}
	c.before, c.after = before, after
	c.room = before + after + c.tracks
	if c.tracks == 0 && !ports {
		c.room = max(c.room, choose(near || l.t.tight, 1, 2))
	}
}

// trackAt is where a track is, in u.
func (l *level) trackAt(i int, track int) int {
	c := &l.channels[i]
	return l.to[i] + c.before + track*choose(l.dir.level(), 2, 1)
}

// stack gives all layers their place along the edges.
func (l *level) stack() {
	first, last := l.margins()
	u := first
	if l.framed() && len(l.layers) > 0 && l.layers[0][0].kind == portItem {
		u = 0
	}
	for i, layer := range l.layers {
		length := 1
		for _, it := range layer {
			length = max(length, it.length)
		}
		l.from = append(l.from, u)
		l.to = append(l.to, u+length)
		for _, it := range layer {
			it.u = u
			if it.kind == labelItem {
				it.u = u + (length-it.length)/2
			}
		}
		u += length
		if i < len(l.channels) {
			u += l.channels[i].room
		}
	}
	if n := len(l.layers); l.framed() && n > 0 && l.layers[n-1][0].kind == portItem {
		u--
		last = 1
	}
	l.length = u + last
}

func (l *level) framed() bool { return l.s != l.g.root }

// margins are the room that the frame of a group takes before and after its layers.
func (l *level) margins() (first, last int) {
	switch {
	case !l.framed():
		return 0, 0
	case l.dir.level():
		return 2, 2
	}
	return 1, 1
}

// side is the room that the frame takes beside the layers.
func (l *level) side() int {
	switch {
	case !l.framed():
		return 0
	case l.dir.level(), l.t.tight:
		return 1
	}
	return 2
}
