package mermaid

import (
	"fmt"
	"maps"
	"slices"
)

// rank puts items into layers so that all links lead to later ones, and that they are
// short.
func (l *level) rank() {
	l.all = slices.Clone(l.items)
	low, high := false, false
	for _, p := range l.ports {
		l.all = append(l.all, p.item)
		low, high = low || !p.high, high || p.high
	}
	ins, outs := map[*item][]*link{}, map[*item][]*link{}
	for _, k := range l.links {
		outs[k.a] = append(outs[k.a], k)
		ins[k.b] = append(ins[k.b], k)
	}
	left := map[*item]int{}
	var ready []*item
	for _, it := range l.all {
		it.layer = choose(low && it.kind == boxItem, 1, 0)
		if left[it] = len(ins[it]); left[it] == 0 {
			ready = append(ready, it)
		}
	}
	for i := 0; i < len(ready); i++ {
		for _, k := range outs[ready[i]] {
			k.b.layer = max(k.b.layer, k.a.layer+k.span())
			if left[k.b]--; left[k.b] == 0 {
				ready = append(ready, k.b)
			}
		}
	}
	l.tighten(ready, ins, outs, choose(low, 1, 0))
	last := 0
	for _, it := range l.items {
		last = max(last, it.layer)
	}
	if high {
		for _, p := range l.ports {
			if p.high {
				p.item.layer = last + 1
			}
		}
	}
	l.renumber()
}

// renumber leaves out layers that nothing is in.
func (l *level) renumber() {
	used := map[int]int{}
	for _, it := range l.all {
		used[it.layer] = 0
	}
	for i, at := range slices.Sorted(maps.Keys(used)) {
		used[at] = i
	}
	for _, it := range l.all {
		it.layer = used[it.layer]
	}
}

// span is how many layers a link goes on at least.
func (k *link) span() int {
	if k.a.kind != boxItem || k.b.kind != boxItem {
		return 1
	}
	return max(1, k.e.length)
}

// tighten moves items that more links leave than enter towards where those lead to.
func (l *level) tighten(order []*item, ins, outs map[*item][]*link, first int) {
	for range 4 {
		moved := false
		for i := len(order) - 1; i >= 0; i-- {
			it := order[i]
			if it.kind != boxItem || len(outs[it]) <= len(ins[it]) {
				continue
			}
			latest := -1
			for _, k := range outs[it] {
				if k.b.kind == portItem {
					latest = it.layer
					break
				}
				if at := k.b.layer - k.span(); latest < 0 || at < latest {
					latest = at
				}
			}
			for _, k := range ins[it] {
				if k.a.kind == portItem && len(ins[it]) >= len(outs[it]) {
					latest = it.layer
				}
			}
			if latest > it.layer && latest >= first {
				it.layer, moved = latest, true
			}
		}
		if !moved {
			return
		}
	}
}

// fill makes room for texts of edges, and gives each edge a place in each layer that it
// passes.
func (l *level) fill() error {
	last := 0
	for _, it := range l.all {
		last = max(last, it.layer)
	}
	// A layer for texts is put in below those layers whose edges have any.
	gap := func(k *link) int {
		if k.back {
			return k.b.layer - 1
		}
		return k.a.layer
	}
	texts := make([]bool, last+1)
	for _, k := range l.links {
		if k.text && len(l.says(k.e, k.back)) > 0 {
			texts[gap(k)] = true
		}
	}
	shift := make([]int, last+2)
	for i := range texts {
		shift[i+1] = shift[i] + choose(texts[i], 1, 0)
	}
	labelAt := map[*link]int{}
	for _, k := range l.links {
		if says := l.says(k.e, k.back); k.text && len(says) > 0 {
			g := gap(k)
			labelAt[k] = g + shift[g] + 1
		}
	}
	l.layers = make([][]*item, last+1+shift[last+1])
	for _, it := range l.all {
		it.layer += shift[it.layer]
		l.layers[it.layer] = append(l.layers[it.layer], it)
	}
	dummies := 0
	for _, k := range l.links {
		from := k.a
		for at := k.a.layer + 1; at <= k.b.layer; at++ {
			to := k.b
			if at < k.b.layer {
				to = &item{kind: dummyItem, link: k, layer: at, length: 1, breadth: 1}
				if where, ok := labelAt[k]; ok && where == at {
					l.label(to, k)
				}
				l.layers[at] = append(l.layers[at], to)
				if dummies++; dummies > maxDummy {
					return fmt.Errorf("edges over %d layers: %w", len(l.layers), ErrTooLarge)
				}
			}
			k.segs = append(k.segs, &segment{link: k, from: from, to: to, first: from == k.a, last: to == k.b})
			from = to
		}
	}
	for len(l.layers) > 0 && len(l.layers[len(l.layers)-1]) == 0 {
		l.layers = l.layers[:len(l.layers)-1]
	}
	return nil
}

// label makes an item the text of a link.
func (l *level) label(it *item, k *link) {
	it.kind = labelItem
	it.lines = l.says(k.e, k.back)
	w, h := widest(l.t.o.Ruler, it.lines), len(it.lines)
	it.length, it.breadth = h, w
	if l.dir.level() {
		it.length, it.breadth = w+2, h
	}
	k.labelItem = it
}
