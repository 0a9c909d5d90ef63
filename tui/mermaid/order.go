package mermaid

import (
	"cmp"
	"slices"
)

// sort orders the items of each layer so that few edges cross: again and again each
// item goes to the middle of those that it is connected to, downwards and upwards, and
// the best order seen is kept.
func (l *level) sort() {
	l.connect()
	l.number()
	best, fewest := l.remember(), l.crossings()
	for round := 0; round < 12 && fewest > 0; round++ {
		if round%2 == 0 {
			for i := 1; i < len(l.layers); i++ {
				l.arrange(l.layers[i], upsOf)
			}
		} else {
			for i := len(l.layers) - 2; i >= 0; i-- {
				l.arrange(l.layers[i], downsOf)
			}
		}
		if n := l.crossings(); n < fewest {
			best, fewest = l.remember(), n
		}
		if !l.step(len(l.all)) {
			break
		}
	}
	for i, layer := range best {
		copy(l.layers[i], layer)
	}
	l.number()
	l.swap()
}

func (l *level) number() {
	for _, layer := range l.layers {
		for i, it := range layer {
			it.index = i
		}
	}
}

func (l *level) remember() [][]*item {
	kept := make([][]*item, len(l.layers))
	for i, layer := range l.layers {
		kept[i] = slices.Clone(layer)
	}
	return kept
}

// connect tells each item of the segments that lead to it from the layer before, and from
// it to the next.
func (l *level) connect() {
	l.gaps = make([][]*segment, max(len(l.layers)-1, 0))
	for _, k := range l.links {
		for _, s := range k.segs {
			s.from.downs = append(s.from.downs, s)
			s.to.ups = append(s.to.ups, s)
			l.gaps[s.from.layer] = append(l.gaps[s.from.layer], s)
		}
	}
	for _, layer := range l.layers {
		for _, it := range layer {
			it.both = append(slices.Clone(it.ups), it.downs...)
		}
	}
}

func upsOf(it *item) []*segment   { return it.ups }
func downsOf(it *item) []*segment { return it.downs }
func bothOf(it *item) []*segment  { return it.both }

// order is where in its layer a segment ends: the item, and the port of it.
func (s *segment) order(upper bool) float64 {
	it, pass := s.to, s.link.passB
	ends := s.last
	if upper {
		it, pass, ends = s.from, s.link.passA, s.first
	}
	at := float64(it.index)
	if pass != nil && ends {
		at += float64(pass.at)/float64(it.breadth+1) - 0.5
	}
	return at
}

// arrange sorts a layer by where its edges lead to. Items without any stay in place.
func (l *level) arrange(layer []*item, segs func(*item) []*segment) {
	type wish struct {
		it *item
		at float64
	}
	var movable []wish
	var places []int
	for i, it := range layer {
		list := segs(it)
		if len(list) == 0 {
			continue
		}
		sum := 0.0
		for _, s := range list {
			sum += s.order(s.to == it)
		}
		movable = append(movable, wish{it, sum / float64(len(list))})
		places = append(places, i)
	}
	slices.SortStableFunc(movable, func(a, b wish) int { return cmp.Compare(a.at, b.at) })
	for i, w := range movable {
		layer[places[i]] = w.it
	}
	for i, it := range layer {
		it.index = i
	}
}

// crossings counts the pairs of edges that cross.
func (l *level) crossings() (n int) {
	for _, segs := range l.gaps {
		ends := l.ends[:0]
		for _, s := range segs {
			ends = append(ends, [2]float64{s.order(true), s.order(false)})
		}
		l.ends = ends
		for i, a := range ends {
			for _, b := range ends[i+1:] {
				if a[0] < b[0] && a[1] > b[1] || a[0] > b[0] && a[1] < b[1] {
					n++
				}
			}
		}
		if !l.step(len(segs) * len(segs) / 4) {
			return 0
		}
	}
	return n
}

func crossed(a *segment, others []*segment) (n int) {
	top, bottom := a.order(true), a.order(false)
	for _, b := range others {
		if d, e := top-b.order(true), bottom-b.order(false); d > 0 && e < 0 || d < 0 && e > 0 {
			n++
		}
	}
	return n
}

// swap exchanges neighbours in a layer as long as that leaves fewer crossings.
func (l *level) swap() {
	cost := func(a, b *item) (n int) {
		for _, s := range a.ups {
			n += crossed(s, b.ups)
		}
		for _, s := range a.downs {
			n += crossed(s, b.downs)
		}
		l.step(len(a.ups)*len(b.ups) + len(a.downs)*len(b.downs))
		return n
	}
	for range 4 {
		better := false
		for _, layer := range l.layers {
			for i := 1; i < len(layer) && l.step(1); i++ {
				a, b := layer[i-1], layer[i]
				before := cost(a, b)
				a.index, b.index = i, i-1
				if cost(a, b) < before {
					layer[i-1], layer[i] = b, a
					better = true
				} else {
					a.index, b.index = i-1, i
				}
			}
		}
		if !better {
			return
		}
	}
}
