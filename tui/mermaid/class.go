package mermaid

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// classes reads the statements of a class diagram.
type classes struct {
	g    *graph
	at   *group
	open *node // whose members are read
}

func readClass(s *source) (drawing, error) {
	r := &classes{g: newGraph(topDown)}
	r.at = r.g.root
	for _, l := range s.lines[1:] {
		if !r.statement(strings.TrimRight(l.text, "; ")) {
			return nil, unknown(l)
		}
	}
	if (r.open != nil || r.at != r.g.root) && !s.partial {
		return nil, unknown(line{text: "class without }"})
	}
	for _, n := range r.g.nodes {
		n.dropEmptyParts()
	}
	return r.g, r.g.check()
}

// dropEmptyParts leaves out compartments that nothing is in.
func (n *node) dropEmptyParts() {
	var kept [][]string
	for _, p := range n.parts {
		if len(p) > 0 {
			kept = append(kept, p)
		}
	}
	n.parts = kept
}

const className = "([^\\s\"`:<>*{}\\[\\]-]+|`[^`]+`)"

var (
	classLinks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^` + className + `\s*("[^"]*")?\s*(<\||\*|o|<|\(\))?(--|\.\.)(\|>|\*|o|>|\(\))?\s*("[^"]*")?\s*` + className + `\s*(?::\s*(.*))?$`)
	})
	classHeads = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^class\s+` + className + `\s*(?:\["([^"]*)"\])?\s*(?::::\w+)?\s*(?:<<([^>]+)>>)?\s*(\{.*)?$`)
	})
	classNotes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^note\s+(?:for\s+(\S+)\s+)?"(.*)"$`)
	})
)

func (r *classes) statement(s string) bool {
	if r.open != nil {
		if s == "}" {
			r.open = nil
			return true
		}
		return r.open.member(s)
	}
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case "}":
		if r.at == r.g.root {
			return false
		}
		r.at = r.at.in
		return true
	case "":
		return true
	case "direction":
		dir, ok := directionOf(strings.TrimSpace(rest))
		r.at.dir, r.at.ownDir = dir, true
		return ok
	case "classDef", "style", "cssClass", "click", "callback", "link":
		return rest != ""
	case "namespace":
		name, ok := strings.CutSuffix(strings.TrimSpace(rest), "{")
		r.at = r.g.group(name, clean(name), r.at)
		return ok
	case "class":
		return r.head(s)
	case "note":
		return r.remark(s)
	}
	if strings.HasPrefix(s, "<<") {
		kind, name, ok := strings.Cut(s[2:], ">>")
		n := r.class(strings.TrimSpace(name))
		n.text = append([]string{"<<" + oneLine(kind) + ">>"}, n.text...)
		return ok && name != ""
	}
	if m := classLinks().FindStringSubmatch(s); m != nil {
		return r.link(m)
	}
	name, member, ok := strings.Cut(s, ":")
	name = strings.TrimSpace(name)
	if !ok || name == "" || strings.ContainsAny(name, " <>*-.\"") {
		return false
	}
	if rest, ok := strings.CutPrefix(member, "::"); ok {
		r.class(name)
		return rest != ""
	}
	return r.class(name).member(strings.TrimSpace(member))
}

// class is the class of a name.
func (r *classes) class(name string) *node {
	name = strings.Trim(name, "`")
	id, _, _ := strings.Cut(name, "~")
	_, known := r.g.byID[id]
	n := r.g.node(id, r.at)
	if !known || strings.Contains(name, "~") {
		n.text = []string{generics(name)}
	}
	if n.parts == nil {
		n.parts = [][]string{nil, nil}
	}
	return n
}

// generics writes List~int~ as it is meant: List<int>.
func generics(s string) string {
	for range 8 { // no type is nested deeper
		if strings.Count(s, "~") < 2 {
			break
		}
		first, last := strings.IndexByte(s, '~'), strings.LastIndexByte(s, '~')
		s = s[:first] + "<" + s[first+1:last] + ">" + s[last+1:]
	}
	return oneLine(s)
}

// member adds an attribute or a method.
func (n *node) member(s string) bool {
	if kind, ok := strings.CutPrefix(s, "<<"); ok {
		n.text = append([]string{"<<" + oneLine(strings.TrimSuffix(kind, ">>")) + ">>"}, n.text...)
		return true
	}
	which := choose(strings.Contains(s, "("), 1, 0)
	s = strings.NewReplacer(")*", ")", ")$", ")").Replace(strings.TrimRight(s, "*$"))
	if s = memberText(s); s != "" {
		n.parts[which] = append(n.parts[which], s)
	}
	return true
}

func memberText(s string) string {
	package_ := strings.HasPrefix(s, "~")
	if package_ {
		s = s[1:]
	}
	s = generics(s)
	if package_ {
		s = "~" + s
	}
	return s
}

func (r *classes) head(s string) bool {
	m := classHeads().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	n := r.class(m[1])
	if r.at != r.g.root {
		r.g.move(n, r.at)
	}
	if m[2] != "" {
		n.text = clean(m[2])
	}
	if m[3] != "" {
		n.text = append([]string{"<<" + oneLine(m[3]) + ">>"}, n.text...)
	}
	if m[4] == "" {
		return true
	}
	body, closed := strings.CutSuffix(strings.TrimSpace(m[4][1:]), "}")
	if !closed {
		r.open = n
	}
	for _, one := range strings.Split(body, ";") {
		if one = strings.TrimSpace(one); one != "" && !n.member(one) {
			return false
		}
	}
	return true
}

func (r *classes) link(m []string) bool {
	e := &edge{from: end{node: r.class(m[1])}, to: end{node: r.class(m[7])}, length: 1, fromSays: oneLine(m[2]), toSays: oneLine(m[6])}
	e.fromMark, e.toMark = classMark(m[3]), classMark(m[5])
	if m[4] == ".." {
		e.weight = dotted
	}
	if m[8] != "" {
		e.text = clean(m[8])
	}
	r.g.edges = append(r.g.edges, e)
	return true
}

func classMark(s string) mark {
	switch s {
	case "<|", "|>":
		return triangle
	case "*":
		return fullDiamond
	case "o":
		return openDiamond
	case "()":
		return circleMark
	case "<", ">":
		return arrow
	}
	return noMark
}

func (r *classes) remark(s string) bool {
	m := classNotes().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	n := r.g.node(" note "+strconv.Itoa(len(r.g.nodes)), r.at)
	n.shape, n.text = noteBox, clean(m[2])
	if m[1] != "" {
		of := r.class(m[1])
		r.g.move(n, of.in)
		r.g.edges = append(r.g.edges, &edge{from: end{node: of}, to: end{node: n}, weight: dotted, length: 1})
	}
	return true
}
