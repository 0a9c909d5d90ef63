package mermaid

import (
	"fmt"
	"slices"
)

// direction is where the edges of a graph lead to.
type direction uint8

const (
	topDown direction = iota
	bottomUp
	leftRight
	rightLeft
)

func directionOf(s string) (direction, bool) {
	switch s {
	case "TD", "TB":
		return topDown, true
	case "BT":
		return bottomUp, true
	case "LR":
		return leftRight, true
	case "RL":
		return rightLeft, true
	}
	return 0, false
}

// level reports whether the edges lead to the left or right.
func (d direction) level() bool { return d >= leftRight }

// turned is the direction across.
func (d direction) turned() direction { return d ^ 2 }

// graph is nodes and edges between them, some of them in groups.
type graph struct {
	root  *group
	nodes []*node
	edges []*edge
	byID  map[string]end
}

// node is a box with a text, and perhaps parts below it.
type node struct {
	id    string
	text  []string
	parts [][]string
	shape shape
	in    *group
}

// group is a frame with a title around nodes and other groups. The root has no frame.
type group struct {
	id     string
	title  []string
	in     *group
	dir    direction
	ownDir bool
	ends   []end // what is in it, as written
	weight weight
}

// end is what an edge leads from or to: a node or a group.
type end struct {
	node  *node
	group *group
}

// parent is the group that an end is directly in.
func (e end) parent() *group {
	if e.node != nil {
		return e.node.in
	}
	return e.group.in
}

// mark is what an edge has at an end.
type mark uint8

const (
	noMark mark = iota
	arrow
	triangle
	openDiamond
	fullDiamond
	circleMark
	cross
)

// glyphs are the signs of a mark that points up, right, down and left.
func (m mark) glyph(a arms) string {
	var all [4]string
	switch m {
	case arrow:
		all = [4]string{"▲", "▶", "▼", "◀"}
	case triangle:
		all = [4]string{"△", "▷", "▽", "◁"}
	case openDiamond:
		return "◇"
	case fullDiamond:
		return "◆"
	case circleMark:
		return "○"
	case cross:
		return "×"
	}
	switch a {
	case up:
		return all[0]
	case right:
		return all[1]
	case down:
		return all[2]
	}
	return all[3]
}

// edge leads from one end to another. What is said at its ends stands there.
type edge struct {
	from, to         end
	text             []string
	fromSays, toSays string
	fromMark, toMark mark
	weight           weight
	hidden           bool
	length           int // layers it spans at least
}

func newGraph(dir direction) *graph {
	return &graph{root: &group{dir: dir, ownDir: true}, byID: map[string]end{}}
}

// The most that is laid out.
const (
	maxNodes  = 150
	maxEdges  = 300
	maxGroups = 50
	maxDepth  = 10
	maxDummy  = 1500
)

// node returns the node of an id, a new one in a group if there is none.
func (g *graph) node(id string, in *group) *node {
	if e, ok := g.byID[id]; ok && e.node != nil {
		return e.node
	}
	n := &node{id: id, text: []string{id}, in: in}
	g.nodes = append(g.nodes, n)
	g.byID[id] = end{node: n}
	in.ends = append(in.ends, end{node: n})
	return n
}

// move puts a node into a group.
func (g *graph) move(n *node, to *group) {
	if n.in != to {
		n.in.ends = slices.DeleteFunc(n.in.ends, func(e end) bool { return e.node == n })
		n.in = to
		to.ends = append(to.ends, end{node: n})
	}
}

// group begins a group in another one.
func (g *graph) group(id string, title []string, in *group) *group {
	s := &group{id: id, title: title, in: in, dir: in.dir}
	in.ends = append(in.ends, end{group: s})
	return s
}

// within reports whether an end is a group, or in it at any depth.
func within(e end, g *group) bool {
	if e.group == g {
		return true
	}
	for p := e.parent(); p != nil; p = p.in {
		if p == g {
			return true
		}
	}
	return false
}

// child is the end directly in a group that has e in it, or is it.
func child(e end, g *group) end {
	for e.parent() != g {
		e = end{group: e.parent()}
	}
	return e
}

// check refuses what is too large, and edges between a group and what is in it.
func (g *graph) check() error {
	groups := 0
	var count func(s *group, depth int) bool
	count = func(s *group, depth int) bool {
		groups++
		for _, e := range s.ends {
			if e.group != nil && !count(e.group, depth+1) {
				return false
			}
		}
		return depth <= maxDepth
	}
	if deep := !count(g.root, 0); deep || len(g.nodes) > maxNodes || len(g.edges) > maxEdges || groups > maxGroups {
		return fmt.Errorf("%d nodes, %d edges: %w", len(g.nodes), len(g.edges), ErrTooLarge)
	}
	if len(g.nodes) == 0 && groups <= 1 {
		return ErrEmpty
	}
	for _, e := range g.edges {
		for _, ends := range [2][2]end{{e.from, e.to}, {e.to, e.from}} {
			if s := ends[0].group; s != nil && within(ends[1], s) {
				return fmt.Errorf("an edge between the group %q and itself: %w", s.id, ErrUnknown)
			}
		}
	}
	return nil
}

// settle decides the directions of groups: one that an edge enters has that of
// its parent.
func (g *graph) settle(s *group, dir direction, turn bool) {
	own := s.ownDir
	for _, e := range g.edges {
		in, out := within(e.from, s) && e.from.group != s, within(e.to, s) && e.to.group != s
		own = own && (in == out || s == g.root)
	}
	if own {
		dir = s.dir
		if turn {
			dir = dir.turned()
		}
	}
	s.dir = dir
	for _, e := range s.ends {
		if e.group != nil {
			g.settle(e.group, dir, turn)
		}
	}
}

// lowest is the innermost group that both ends are in.
func lowest(a, b end) *group {
	g := a.parent()
	for g.in != nil && !within(b, g) {
		g = g.in
	}
	return g
}
