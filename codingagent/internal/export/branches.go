package export

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// line is a part of the tree without a fork: the branch of the leaf from the
// root, or another branch from where it parts.
type line struct {
	nodes  []*session.Node
	parent string // the entry that it goes on from, "" for a root
	index  int    // among all lines
	depth  int    // of forks above it

	entries []session.Entry
	forks   map[string][]int // other lines that go on from an entry, by its id
}

// findLines takes a tree apart. The first line is the one of the leaf. Others go on
// from fork to fork with the newest child, and come in the order in which they
// part. Nothing recurses: trees may be as deep as conversations are long.
func findLines(rows []session.Row) []line {
	active := make(map[string]bool)
	var roots []*session.Node
	for _, r := range rows {
		if r.Active {
			active[r.ID] = true
		}
		if r.Depth == 0 {
			roots = append(roots, r.Node)
		}
	}
	type start struct {
		node   *session.Node
		from   int // the line that it parts from, -1 for a root
		parent string
	}
	var todo []start
	for i := len(roots) - 1; i >= 0; i-- {
		todo = append(todo, start{roots[i], -1, ""})
	}
	// The leaf's line comes first: its root is taken first.
	for i := range todo {
		if active[todo[i].node.ID] {
			last := len(todo) - 1
			todo[i], todo[last] = todo[last], todo[i]
			break
		}
	}
	var lines []line
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		here := len(lines)
		l := line{parent: at.parent, index: here, forks: make(map[string][]int)}
		if at.from >= 0 {
			l.depth = lines[at.from].depth + 1
			lines[at.from].forks[at.parent] = append(lines[at.from].forks[at.parent], here)
		}
		var later []start
		onLeaf := active[at.node.ID]
		for n := at.node; n != nil; {
			l.nodes = append(l.nodes, n)
			next := goesOn(n, active, onLeaf)
			for _, c := range n.Children {
				if c != next {
					later = append(later, start{c, here, n.ID})
				}
			}
			n = next
		}
		for i := len(later) - 1; i >= 0; i-- {
			todo = append(todo, later[i])
		}
		lines = append(lines, l)
	}
	return lines
}

// goesOn gives the child with which a line goes on: on the leaf's line the one
// that leads to the leaf, which is its end; elsewhere the newest.
func goesOn(n *session.Node, active map[string]bool, onLeaf bool) *session.Node {
	if onLeaf {
		for _, c := range n.Children {
			if active[c.ID] {
				return c
			}
		}
		return nil
	}
	if len(n.Children) == 0 {
		return nil
	}
	return n.Children[len(n.Children)-1]
}

// load reads the entries of a line.
func (l *line) load(ctx context.Context, s *session.Session) error {
	for _, n := range l.nodes {
		e, err := s.Entry(ctx, n.ID)
		if err != nil {
			return err
		}
		l.entries = append(l.entries, e)
	}
	return nil
}

// title gives the first words that a person said on a line, or else what was said.
func (l *line) title() string {
	first := ""
	for _, e := range l.entries {
		said := session.Said(e)
		m, ok := e.(*session.MessageEntry)
		if ok && m.Message.Role() == ai.RoleUser && said != "" {
			return firstWords(said, 80)
		}
		if first == "" && said != "" && (!ok || m.Message.Role() != ai.RoleSystem) {
			first = said
		}
	}
	if first == "" {
		return "nothing was said"
	}
	return firstWords(first, 80)
}

func anchor(i int) string { return fmt.Sprintf("b-%d", i) }

// line writes the entries of a line: the leaf's as they are, others folded.
func (p *page) line(l *line) {
	first := l.index == 0
	p.results, p.shown = make(map[string]*ai.ToolResultMessage), make(map[string]bool)
	for _, e := range l.entries {
		if m, ok := e.(*session.MessageEntry); ok {
			if r, ok := m.Message.(*ai.ToolResultMessage); ok {
				p.results[r.ToolCallID] = r
			}
		}
	}
	if !first {
		p.raw(`<details class="branch" id="` + anchor(l.index) + `"><summary>Another branch: `)
		p.text(l.title())
		p.raw("</summary>\n")
		if l.parent != "" {
			p.raw(`<p class="mark">It goes on <a href="#e-`)
			p.text(l.parent)
			p.raw("\">from here</a>.</p>\n")
		}
	}
	for i, e := range l.entries {
		if label := l.nodes[i].Label; label != "" {
			p.raw(`<p class="label">`)
			p.text(label)
			p.raw("</p>\n")
		}
		p.entry(e)
		p.fork(l, l.nodes[i].ID)
	}
	if !first {
		p.raw("</details>\n")
	}
}

// fork says which other lines go on from an entry.
func (p *page) fork(l *line, id string) {
	for _, i := range l.forks[id] {
		p.raw(`<p class="mark fork"><a href="#` + anchor(i) + `">Another branch</a> goes on here: `)
		p.text(p.lines[i].title())
		p.raw("</p>\n")
	}
}

// outline writes the tree: of each line what the person said, with links. It is
// folded, and left out where there is nothing to find in it.
func (p *page) outline() {
	said := 0
	for i := range p.lines {
		said += len(p.lines[i].said())
	}
	if said < 2 && len(p.lines) < 2 {
		return
	}
	p.raw("<nav><details><summary>Contents")
	if n := len(p.lines); n > 1 {
		p.text(fmt.Sprintf(" (%d branches)", n))
	}
	p.raw("</summary>\n")
	for i := range p.lines {
		l := &p.lines[i]
		const deepest = 8 // further in there is no room
		p.raw(fmt.Sprintf(`<ul class="d%d">`, min(l.depth, deepest)) + "\n")
		if i > 0 {
			p.raw(`<li class="mark"><a href="#` + anchor(i) + `">Another branch</a>`)
			p.raw("</li>\n")
		}
		for _, m := range l.said() {
			p.raw(`<li><a href="#e-`)
			p.text(m.id)
			p.raw(`">`)
			p.text(m.text)
			p.raw("</a></li>\n")
		}
		p.raw("</ul>\n")
	}
	p.raw("</details></nav>\n")
}

// saying is what a person said.
type saying struct{ id, text string }

func (l *line) said() []saying {
	var out []saying
	for _, e := range l.entries {
		m, ok := e.(*session.MessageEntry)
		if !ok || m.Message.Role() != ai.RoleUser {
			continue
		}
		text := firstWords(session.Said(e), 80)
		if text == "" {
			text = "(an image)"
		}
		out = append(out, saying{e.Head().ID, text})
	}
	return out
}
