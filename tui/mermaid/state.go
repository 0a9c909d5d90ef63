package mermaid

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// states reads the statements of a state diagram.
type states struct {
	g      *graph
	at     *group
	groups map[string]*group
	note   *node // whose lines are read
	said   map[*node]bool
	regons map[*group]bool // groups that are cut into regions
}

func readState(s *source) (drawing, error) {
	r := &states{g: newGraph(topDown), groups: map[string]*group{}, said: map[*node]bool{}, regons: map[*group]bool{}}
	r.at = r.g.root
	for _, l := range s.lines[1:] {
		if m := composites().FindStringSubmatch(l.text); m != nil {
			id := m[2] + m[3]
			title := clean(m[1])
			if m[1] == "" {
				title = []string{id}
			}
			r.groups[id] = &group{id: id, title: title}
		}
	}
	for _, l := range s.lines[1:] {
		if !r.statement(strings.TrimRight(l.text, "; ")) {
			return nil, unknown(l)
		}
	}
	if (r.at != r.g.root || r.note != nil) && !s.partial {
		return nil, unknown(line{text: "state without end"})
	}
	return r.g, r.g.check()
}

var composites = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^state\s+(?:("[^"]*")\s+as\s+([^\s{]+)|([^\s{"]+))\s*\{$`)
})

var (
	stateLinks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(\[\*\]|[^\s:>-][^\s:>]*?)(?::::\w+)?\s*-->\s*(\[\*\]|[^\s:]+)(?::::\w+)?\s*(?::\s*(.*))?$`)
	})
	stateNames = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^state\s+(?:("[^"]*")\s+as\s+(\S+)|([^\s"]+)(?:\s*(?:<<|\[\[)(choice|fork|join)(?:>>|\]\]))?)$`)
	})
	stateNotes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^note\s+(?:left|right)\s+of\s+([^\s:]+)\s*(?::\s*(.*))?$`)
	})
	stateTexts = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([^\s:]+)(?::::\w+)?(?:\s*:\s*(.*))?$`)
	})
)

func (r *states) statement(s string) bool {
	switch {
	case r.note != nil:
		if s == "end note" {
			r.note = nil
		} else {
			r.note.text = append(r.note.text, clean(s)...)
		}
		return true
	case s == "" || s == "hide empty description":
		return true
	case s == "}":
		if r.regons[r.at.in] && r.at.in != nil {
			r.at = r.at.in
		}
		if r.at == r.g.root {
			return false
		}
		r.at = r.at.in
		return true
	case s == "--":
		return r.region()
	}
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case "classDef", "class", "style", "scale", "click":
		return rest != ""
	case "direction":
		dir, ok := directionOf(strings.TrimSpace(rest))
		r.at.dir, r.at.ownDir = dir, true
		return ok
	case "state":
		return r.state(s)
	case "note":
		return r.remark(s)
	}
	if m := stateLinks().FindStringSubmatch(s); m != nil {
		e := &edge{from: r.end(m[1], false), to: r.end(m[2], true), toMark: arrow, length: 1}
		if m[3] != "" {
			e.text = clean(m[3])
		}
		r.g.edges = append(r.g.edges, e)
		return true
	}
	m := stateTexts().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	n := r.end(m[1], false).node
	if n == nil || m[2] == "" {
		return n == nil || !strings.Contains(s, ":") || strings.Contains(s, ":::")
	}
	n.say(clean(m[2]), r.said)
	return true
}

// say gives a state a description: the first is its text, others are below it.
func (n *node) say(lines []string, said map[*node]bool) {
	switch {
	case !said[n]:
		n.text, said[n] = lines, true
	case len(n.parts) == 0:
		n.parts = [][]string{lines}
	default:
		n.parts[0] = append(n.parts[0], lines...)
	}
}

// end is a state, a composite one, or the beginning or end of what it is in.
func (r *states) end(id string, target bool) end {
	if id == "[*]" {
		name, sh := " begin ", startDot
		if target {
			name, sh = " end ", endDot
		}
		n := r.g.node(name+r.at.path(), r.at)
		n.shape, n.text = sh, nil
		return end{node: n}
	}
	if g := r.groups[id]; g != nil {
		return end{group: g}
	}
	if _, known := r.g.byID[id]; !known {
		r.g.node(id, r.at).shape = rounded
	}
	return end{node: r.g.byID[id].node}
}

// path tells groups apart, also those without a name.
func (g *group) path() string {
	if g.in == nil {
		return ""
	}
	for i, e := range g.in.ends {
		if e.group == g {
			return g.in.path() + "/" + strconv.Itoa(i)
		}
	}
	return g.in.path() + "/" + g.id
}

// state declares a state, or begins a composite one.
func (r *states) state(s string) bool {
	if m := composites().FindStringSubmatch(s); m != nil {
		g := r.groups[m[2]+m[3]]
		if g.in != nil {
			return false
		}
		g.in, g.dir = r.at, r.at.dir
		r.at.ends = append(r.at.ends, end{group: g})
		r.at = g
		return true
	}
	m := stateNames().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	n := r.end(m[2]+m[3], false).node
	switch {
	case n == nil:
		return true
	case m[1] != "":
		n.text, r.said[n] = clean(m[1]), true
	case m[4] == "choice":
		n.shape, n.text = choice, nil
	case m[4] != "":
		n.shape, n.text = bar, nil
	}
	return true
}

// remark reads a note at a state.
func (r *states) remark(s string) bool {
	m := stateNotes().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	of := r.end(m[1], false)
	n := r.g.node(" note "+strconv.Itoa(len(r.g.nodes)), of.parentOr(r.at))
	n.shape, n.text = noteBox, nil
	r.g.edges = append(r.g.edges, &edge{from: of, to: end{node: n}, weight: dotted, length: 1})
	if m[2] != "" {
		n.text = clean(m[2])
	} else {
		r.note = n
	}
	return true
}

func (e end) parentOr(g *group) *group {
	if p := e.parent(); p != nil {
		return p
	}
	return g
}

// region begins another region of a composite state: what runs at the same time.
func (r *states) region() bool {
	whole := r.at
	if r.regons[whole.in] && whole.in != nil {
		whole = whole.in
	} else {
		if whole == r.g.root {
			return false
		}
		first := &group{in: whole, dir: whole.dir, weight: dotted, ends: whole.ends}
		for _, e := range first.ends {
			if e.node != nil {
				e.node.in = first
			} else {
				e.group.in = first
			}
		}
		whole.ends = []end{{group: first}}
		r.regons[whole] = true
	}
	r.at = r.g.group("", nil, whole)
	r.at.weight = dotted
	return true
}
