package tui

import (
	"fmt"
	"strings"

	"github.com/pi-go/pi/tui/fuzzy"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// TreeNode is a node of a [Tree]. The tree does not change it, apart from Folded.
type TreeNode struct {
	// ID says which one it is; Label is what is shown, and may have styles.
	ID, Label string
	Children  []*TreeNode
	// Folded hides what is below.
	Folded bool
	// Data is the program's own.
	Data any
}

// TreeStyle is how a [Tree] looks.
type TreeStyle struct {
	Selected, Lines, Hint text.Style
}

// Tree lets one choose a node of a tree. A chain of nodes with one child each is
// drawn without indentation, as a long conversation is a line and not a stair.
type Tree struct {
	// MaxRows is how many nodes are seen at a time, 15 if 0.
	MaxRows  int
	Style    TreeStyle
	OnSelect func(*TreeNode)
	OnCancel func()

	bindings *input.Bindings
	roots    []*TreeNode
	rows     []treeRow
	query    string
	selected int
	top      int
}

// treeRow is a node that is in sight.
type treeRow struct {
	node   *TreeNode
	prefix string // the lines that lead to it
	parent int    // the row of its parent, -1 for roots
}

// NewTree returns a tree. A nil bindings stands for the standard keys.
func NewTree(bindings *input.Bindings, roots ...*TreeNode) *Tree {
	if bindings == nil {
		bindings = input.NewBindings(StandardBindings())
	}
	t := &Tree{bindings: bindings}
	t.SetRoots(roots)
	return t
}

// SetRoots changes what is shown. The node that was marked stays so if it is
// there again.
func (t *Tree) SetRoots(roots []*TreeNode) {
	id := ""
	if n := t.Selected(); n != nil {
		id = n.ID
	}
	t.roots = roots
	t.layOut()
	t.Select(id)
}

// SetFilter shows only nodes that match a query, and those above them.
func (t *Tree) SetFilter(query string) {
	id := ""
	if n := t.Selected(); n != nil {
		id = n.ID
	}
	t.query = query
	t.layOut()
	t.Select(id)
}

// Selected returns the node that is marked, nil if there is none.
func (t *Tree) Selected() *TreeNode {
	if t.selected < 0 || t.selected >= len(t.rows) {
		return nil
	}
	return t.rows[t.selected].node
}

// Select marks a node, and unfolds what hides it.
func (t *Tree) Select(id string) bool {
	for range 2 {
		for i, r := range t.rows {
			if r.node.ID == id {
				t.selected = i
				return true
			}
		}
		for _, root := range t.roots {
			unfoldTo(root, id)
		}
		t.layOut()
	}
	t.selected = min(max(t.selected, 0), max(len(t.rows)-1, 0))
	return false
}

// unfoldTo unfolds all nodes above one. It goes down without recursion: a long
// conversation is a deep tree.
func unfoldTo(root *TreeNode, id string) {
	type step struct {
		node *TreeNode
		next int
	}
	path := []step{{node: root}}
	for len(path) > 0 {
		s := &path[len(path)-1]
		if s.node.ID == id {
			for _, p := range path[:len(path)-1] {
				p.node.Folded = false
			}
			return
		}
		if s.next == len(s.node.Children) {
			path = path[:len(path)-1]
			continue
		}
		s.next++
		path = append(path, step{node: s.node.Children[s.next-1]})
	}
}

// layOut lists the nodes in sight.
func (t *Tree) layOut() {
	t.rows = t.rows[:0]
	keep := t.matching()
	type job struct {
		node   *TreeNode
		indent string // of what is below it
		prefix string
		parent int
	}
	var stack []job
	push := func(nodes []*TreeNode, indent string, parent int) {
		var shown []*TreeNode
		for _, n := range nodes {
			if keep == nil || keep[n] {
				shown = append(shown, n)
			}
		}
		for i := len(shown) - 1; i >= 0; i-- {
			last := i == len(shown)-1
			j := job{node: shown[i], parent: parent, prefix: indent, indent: indent}
			if len(shown) > 1 && parent >= 0 {
				if last {
					j.prefix, j.indent = indent+"└─ ", indent+"   "
				} else {
					j.prefix, j.indent = indent+"├─ ", indent+"│  "
				}
			}
			stack = append(stack, j)
		}
	}
	push(t.roots, "", -1)
	for len(stack) > 0 {
		j := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		t.rows = append(t.rows, treeRow{j.node, j.prefix, j.parent})
		if !j.node.Folded || keep != nil {
			push(j.node.Children, j.indent, len(t.rows)-1)
		}
	}
	t.selected = min(t.selected, max(len(t.rows)-1, 0))
}

// matching returns the nodes that match the query and those above them; nil if
// there is no query.
func (t *Tree) matching() map[*TreeNode]bool {
	if strings.TrimSpace(t.query) == "" {
		return nil
	}
	keep := map[*TreeNode]bool{}
	var path []*TreeNode
	type step struct {
		node  *TreeNode
		depth int
	}
	var stack []step
	for _, r := range t.roots {
		stack = append(stack, step{r, 0})
	}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		path = append(path[:s.depth], s.node)
		if _, ok := fuzzy.Match(t.query, text.Strip(s.node.Label)); ok {
			for i := len(path) - 1; i >= 0 && !keep[path[i]]; i-- {
				keep[path[i]] = true
			}
		}
		for _, c := range s.node.Children {
			stack = append(stack, step{c, s.depth + 1})
		}
	}
	return keep
}

// CapturesScrolling tells that the tree wants the keys that scroll.
func (t *Tree) CapturesScrolling() bool { return true }

// HandleInput moves, folds with left and right, and chooses.
func (t *Tree) HandleInput(ev input.Event) bool {
	k, ok := ev.(input.Key)
	if !ok || k.Action == input.Release {
		return false
	}
	switch t.bindings.First(k, "tui.select.up", "tui.select.down", "tui.select.pageUp", "tui.select.pageDown", "tui.select.confirm", "tui.select.cancel") {
	case "tui.select.up":
		t.selected = max(t.selected-1, 0)
	case "tui.select.down":
		t.selected = min(t.selected+1, max(len(t.rows)-1, 0))
	case "tui.select.pageUp":
		t.selected = max(t.selected-t.height(), 0)
	case "tui.select.pageDown":
		t.selected = min(t.selected+t.height(), max(len(t.rows)-1, 0))
	case "tui.select.confirm":
		if n := t.Selected(); n != nil && t.OnSelect != nil {
			t.OnSelect(n)
		}
	case "tui.select.cancel":
		if t.OnCancel == nil {
			return false
		}
		t.OnCancel()
	default:
		switch {
		case k.Is(input.ID{Name: "left"}):
			t.FoldOrUp()
		case k.Is(input.ID{Name: "right"}):
			t.UnfoldOrDown()
		case k.Is(input.ID{Name: "home"}):
			t.selected = 0
		case k.Is(input.ID{Name: "end"}):
			t.selected = max(len(t.rows)-1, 0)
		default:
			return false
		}
	}
	return true
}

// FoldOrUp folds the marked node, or marks the one above if it is folded already.
func (t *Tree) FoldOrUp() {
	n := t.Selected()
	switch {
	case n == nil:
	case len(n.Children) > 0 && !n.Folded:
		n.Folded = true
		t.layOut()
	case t.rows[t.selected].parent >= 0:
		t.selected = t.rows[t.selected].parent
	}
}

// UnfoldOrDown unfolds the marked node, or marks its first child.
func (t *Tree) UnfoldOrDown() {
	n := t.Selected()
	switch {
	case n == nil || len(n.Children) == 0:
	case n.Folded:
		n.Folded = false
		t.layOut()
	default:
		t.selected = min(t.selected+1, len(t.rows)-1)
	}
}

func (t *Tree) height() int {
	if t.MaxRows <= 0 {
		return 15
	}
	return t.MaxRows
}

// Render returns the nodes around the marked one.
func (t *Tree) Render(width int) []string {
	if len(t.rows) == 0 {
		return []string{text.Truncate("  "+t.Style.Hint.Render("Nothing to show"), width, "…")}
	}
	rows := min(t.height(), len(t.rows))
	if t.selected < t.top {
		t.top = t.selected
	}
	if t.selected >= t.top+rows {
		t.top = t.selected - rows + 1
	}
	t.top = min(max(t.top, 0), len(t.rows)-rows)
	out := make([]string, 0, rows+1)
	for i := t.top; i < t.top+rows; i++ {
		r := t.rows[i]
		prefix := r.prefix
		// Deep branches must leave room for what they say.
		if limit := max(width/2, 4); text.Width(prefix) > limit {
			prefix = "… " + text.Slice(prefix, text.Width(prefix)-limit+2, text.Width(prefix))
		}
		label := oneLine(r.node.Label)
		if r.node.Folded && len(r.node.Children) > 0 {
			label += t.Style.Hint.Render(" ⊞")
		}
		marker := "  "
		if i == t.selected {
			marker, label = "→ ", t.Style.Selected.Render(text.Strip(label))
		}
		out = append(out, text.Truncate(marker+t.Style.Lines.Render(prefix)+label, width, "…"))
	}
	if rows < len(t.rows) {
		out = append(out, text.Truncate(t.Style.Hint.Render(fmt.Sprintf("  (%d/%d)", t.selected+1, len(t.rows))), width, ""))
	}
	return out
}
