package session

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// tree is the index of a session: its entries in the order in which they were
// appended, and for each the place of its parent.
type tree struct {
	nodes  []node
	byID   map[string]int32 // the last one of an id counts
	leaf   int              // place of the leaf, -1 at the root
	hidden int              // number of hidden nodes
}

type node struct {
	Stub
	parent int32 // -1 for a root
	gap    bool  // a root although the entry names a parent
	entry  Entry // decoded, while it is in use
}

// hidden says that the entry only records a move of the leaf.
func (n *node) hidden() bool { return n.Type == TypeCustom && n.CustomType == LeafType }

// grow makes room for n entries.
func (t *tree) grow(n int) {
	t.nodes = make([]node, 0, n+n/16)
	t.byID = make(map[string]int32, n)
	t.leaf = -1
}

// add puts an entry behind the others. Its parent is linked separately.
func (t *tree) add(s Stub) int {
	if t.byID == nil {
		t.byID = make(map[string]int32)
		t.leaf = -1
	}
	i := len(t.nodes)
	t.nodes = append(t.nodes, node{Stub: s, parent: -1})
	t.byID[s.ID] = int32(i)
	if t.nodes[i].hidden() {
		t.hidden++
	}
	return i
}

func (t *tree) has(id string) bool {
	_, ok := t.byID[id]
	return ok
}

func (t *tree) find(id string) (int, bool) {
	i, ok := t.byID[id]
	return int(i), ok
}

func (t *tree) id(i int) string {
	if i < 0 || i >= len(t.nodes) {
		return ""
	}
	return t.nodes[i].ID
}

func (t *tree) parent(i int) int { return int(t.nodes[i].parent) }

// visible is the nearest node at or above i that is not hidden, -1 for none.
func (t *tree) visible(i int) int {
	for i >= 0 && t.nodes[i].hidden() {
		i = t.parent(i)
	}
	return i
}

// link finds the parents of all nodes.
func (t *tree) link(problem func(pos int64, id, text string)) {
	if t.byID == nil {
		t.leaf = -1
	}
	t.linkFrom(0, problem)
}

// linkFrom finds the parents of the nodes from a place on. A parent that is
// not there makes the entry a root. Where parents go round in a circle, the
// first entry of the circle becomes a root.
func (t *tree) linkFrom(from int, problem func(pos int64, id, text string)) {
	for i := from; i < len(t.nodes); i++ {
		n := &t.nodes[i]
		if other := t.byID[n.ID]; int(other) != i {
			problem(n.Pos, n.ID, "a later entry has the same id and counts instead")
		}
		if n.Parent == "" {
			continue
		}
		p, ok := t.byID[n.Parent]
		switch {
		case !ok:
			n.gap = true
			problem(n.Pos, n.ID, fmt.Sprintf("the entry before it, %q, is missing; the branch begins here", n.Parent))
		case int(p) == i: // its own parent
			n.gap = true
			problem(n.Pos, n.ID, "the entry is its own parent; the branch begins here")
		default:
			n.parent = p
		}
	}
	t.cutCircles(from, problem)
}

// cutCircles looks for circles with a colour per node: the walk that last
// came by.
func (t *tree) cutCircles(from int, problem func(pos int64, id, text string)) {
	ordered := true // parents before children: no circle possible
	for i := from; i < len(t.nodes) && ordered; i++ {
		ordered = t.parent(i) < i
	}
	if ordered {
		return
	}
	walk := make([]int32, len(t.nodes)) // 0: not visited
	for i := range t.nodes {
		if walk[i] != 0 {
			continue
		}
		colour := int32(i + 1)
		j := i
		for j >= 0 && walk[j] == 0 {
			walk[j] = colour
			j = t.parent(j)
		}
		if j < 0 || walk[j] != colour {
			continue
		}
		first := j
		for k := t.parent(j); k != j; k = t.parent(k) {
			first = min(first, k)
		}
		n := &t.nodes[first]
		n.parent, n.gap = -1, true
		problem(n.Pos, n.ID, "the entries before it go round in a circle; the branch begins here")
	}
}

// path lists the places from the root to i, hidden ones left out.
func (t *tree) path(i int) []int {
	n := 0
	for j := i; j >= 0; j = t.parent(j) {
		if !t.nodes[j].hidden() {
			n++
		}
	}
	out := make([]int, n)
	for j := i; j >= 0; j = t.parent(j) {
		if !t.nodes[j].hidden() {
			n--
			out[n] = j
		}
	}
	return out
}

// Node is an entry in its tree.
type Node struct {
	Stub
	// Gap says that the entry names a parent that is not there, or is part of
	// a circle, and stands as a root for that reason.
	Gap bool
	// Label is the entry's label, "" if none, and LabelTime when it was set.
	Label     string
	LabelTime time.Time
	// Children are in order of time.
	Children []*Node
}

// Tree gives the roots in the order in which they were appended. It reads no
// entry but the labels. A tree can be as deep as the session is long: walk it
// with a loop, or use [Session.Rows].
func (s *Session) Tree(ctx context.Context) ([]*Node, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.loadLabels(ctx); err != nil {
		return nil, err
	}
	t := &s.tree
	nodes := make([]Node, len(t.nodes))
	var roots []*Node
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.hidden() {
			continue
		}
		l := s.labels[n.ID]
		nodes[i] = Node{Stub: n.Stub, Gap: n.gap, Label: l.text, LabelTime: l.at}
	}
	for i := range t.nodes {
		if t.nodes[i].hidden() {
			continue
		}
		n := &nodes[i]
		p := t.visible(t.parent(i))
		if p < 0 {
			n.Parent = ""
			roots = append(roots, n)
			continue
		}
		n.Parent = t.nodes[p].ID
		nodes[p].Children = append(nodes[p].Children, n)
	}
	for i := range nodes {
		if len(nodes[i].Children) > 1 {
			slices.SortStableFunc(nodes[i].Children, func(a, b *Node) int { return int(min(max(a.At-b.At, -1), 1)) })
		}
	}
	return roots, nil
}

// Row is an entry of a tree in flat form.
type Row struct {
	*Node
	// Depth is the number of entries above it.
	Depth int
	// Active says that it is on the way from the root to the leaf.
	Active bool
}

// Rows gives the tree as a list: each entry, then what is below each of its
// children in turn.
func (s *Session) Rows(ctx context.Context) ([]Row, error) {
	roots, err := s.Tree(ctx)
	if err != nil {
		return nil, err
	}
	active := make(map[string]bool)
	s.mu.Lock()
	for _, i := range s.tree.path(s.tree.leaf) {
		active[s.tree.id(i)] = true
	}
	s.mu.Unlock()
	var rows []Row
	type item struct {
		n     *Node
		depth int
	}
	var stack []item
	push := func(nodes []*Node, depth int) {
		for _, n := range slices.Backward(nodes) {
			stack = append(stack, item{n, depth})
		}
	}
	push(roots, 0)
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		rows = append(rows, Row{it.n, it.depth, active[it.n.ID]})
		push(it.n.Children, it.depth+1)
	}
	return rows, nil
}
