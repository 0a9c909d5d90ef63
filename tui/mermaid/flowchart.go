package mermaid

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// flowchart reads the statements of a flowchart.
type flowchart struct {
	g      *graph
	at     *group
	groups map[string]*group
	opened map[*group]bool
	named  map[string]bool // the names of edges
}

func readFlowchart(s *source) (drawing, error) {
	head := strings.Fields(strings.TrimRight(s.lines[0].text, "; "))
	dir := topDown
	if len(head) > 1 {
		var ok bool
		if dir, ok = directionOf(head[1]); !ok || len(head) > 2 {
			return nil, unknown(s.lines[0])
		}
	}
	f := &flowchart{g: newGraph(dir), groups: map[string]*group{}, opened: map[*group]bool{}, named: map[string]bool{}}
	f.at = f.g.root
	for _, l := range s.lines[1:] {
		if rest, ok := cutWord(l.text, "subgraph"); ok {
			if id, title := groupName(rest); f.groups[id] == nil {
				f.groups[id] = &group{id: id, title: title}
			}
		}
	}
	for _, l := range s.lines[1:] {
		for _, st := range statements(l.text) {
			if !f.statement(st) {
				return nil, unknown(l)
			}
		}
	}
	if f.at != f.g.root && !s.partial {
		return nil, unknown(line{text: "subgraph without end"})
	}
	return f.g, f.g.check()
}

// draw makes a graph a drawing.
func (g *graph) draw(t try) (*canvas, error) { return g.layout(t) }

// cutWord takes a word from the front of a text, if that is what it begins with.
func cutWord(s, word string) (string, bool) {
	rest, ok := strings.CutPrefix(s, word)
	if !ok || rest != "" && rest[0] != ' ' {
		return s, false
	}
	return strings.TrimSpace(rest), true
}

// statements cuts a line at semicolons that are not in a text.
func statements(s string) []string {
	if !strings.Contains(s, ";") {
		return []string{s}
	}
	var out []string
	quoted, depth, from := false, 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case strings.IndexByte("[({", c) >= 0:
			depth++
		case strings.IndexByte("])}", c) >= 0:
			depth = max(0, depth-1)
		case c == ';' && depth == 0 && !codes().MatchString(s[max(0, i-12):i+1]):
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	return append(out, s[from:])
}

func (f *flowchart) statement(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" {
		return true
	}
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case "classDef", "class", "style", "linkStyle", "click", "href":
		if !strings.HasPrefix(strings.TrimSpace(rest), "-") {
			return rest != ""
		}
	case "subgraph":
		return f.open(strings.TrimSpace(rest))
	case "end":
		if f.at == f.g.root || rest != "" {
			return false
		}
		f.at = f.at.in
		return true
	case "direction":
		dir, ok := directionOf(strings.TrimSpace(rest))
		f.at.dir, f.at.ownDir = dir, true
		return ok
	}
	if name, rest, ok := strings.Cut(s, "@{"); ok && f.named[name] {
		return strings.HasSuffix(rest, "}") // how an edge looks
	}
	return f.chain(s)
}

// groupName reads what stands behind the word subgraph: an id, a title, or both.
func groupName(s string) (id string, title []string) {
	if at := strings.IndexByte(s, '['); at > 0 && strings.HasSuffix(s, "]") {
		return strings.TrimSpace(s[:at]), clean(s[at+1 : len(s)-1])
	}
	title = clean(s)
	return strings.Trim(s, `"`), title
}

func (f *flowchart) open(s string) bool {
	id, title := groupName(s)
	in := f.groups[id]
	if in == nil || f.opened[in] || id == "" {
		in = &group{id: id, title: title}
	}
	f.opened[in] = true
	in.in, in.dir = f.at, f.at.dir
	f.at.ends = append(f.at.ends, end{group: in})
	f.at = in
	return true
}

// chain reads nodes that are connected: A --> B & C --> D.
func (f *flowchart) chain(s string) bool {
	var before []end
	var link *edge
	for {
		ends, rest, ok := f.ends(s)
		if !ok {
			return false
		}
		for _, a := range before {
			for _, b := range ends {
				e := *link
				e.from, e.to = a, b
				f.g.edges = append(f.g.edges, &e)
			}
		}
		if len(f.g.edges) > 4*maxEdges {
			return false
		}
		s = strings.TrimSpace(rest)
		if s == "" {
			return true
		}
		if name, _, ok := strings.Cut(s, "@"); ok && idLength(name) == len(name) {
			f.named[name] = true
		}
		if link, s, ok = readLink(s); !ok {
			return false
		}
		before = ends
	}
}

// ends reads nodes with & between them.
func (f *flowchart) ends(s string) (ends []end, rest string, ok bool) {
	for {
		e, rest, ok := f.end(strings.TrimSpace(s))
		if !ok {
			return nil, "", false
		}
		ends = append(ends, e)
		t := strings.TrimSpace(rest)
		if !strings.HasPrefix(t, "&") {
			return ends, rest, true
		}
		s = t[1:]
	}
}

// end reads a node with what is said of it, or the name of a group.
func (f *flowchart) end(s string) (end, string, bool) {
	n := idLength(s)
	if n == 0 {
		return end{}, "", false
	}
	id, rest := s[:n], s[n:]
	if g := f.groups[id]; g != nil {
		return end{group: g}, dropClass(rest), true
	}
	node := f.g.node(id, f.at)
	if f.at != f.g.root && node.in == f.g.root {
		f.g.move(node, f.at)
	}
	rest = dropClass(rest)
	if strings.HasPrefix(rest, "@{") {
		inner, after, ok := strings.Cut(rest[2:], "}")
		return end{node: node}, dropClass(after), ok && node.describe(inner)
	}
	text, sh, after, ok := readShape(rest)
	if !ok {
		return end{}, "", false
	}
	if text != nil {
		node.text, node.shape = text, sh
	}
	return end{node: node}, dropClass(after), true
}

// idLength is how long the name at the beginning of a text is. A dash belongs to it if
// no link begins with it.
func idLength(s string) int {
	for i, r := range s {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '_', unicode.IsMark(r), r == '/' || r == '#' || r == '$' || r == '%' || r == '*' || r == '!' || r == '?':
			continue
		case r == '-' || r == '.' || r == ':':
			next, _ := utf8.DecodeRuneInString(s[i+1:])
			if i > 0 && (unicode.IsLetter(next) || unicode.IsDigit(next)) {
				continue
			}
		case r > 0x7f:
			continue
		}
		return i
	}
	return len(s)
}

// dropClass leaves out the name of a style behind a node.
func dropClass(s string) string {
	if rest, ok := strings.CutPrefix(s, ":::"); ok {
		return rest[idLength(rest):]
	}
	return s
}

// brackets are what the shapes of nodes are written with.
var brackets = [...]struct {
	open, close string
	shape       shape
}{
	{"(((", ")))", doubleCircle},
	{"((", "))", circle},
	{"([", "])", stadium},
	{"(-", "-)", circle},
	{"[[", "]]", subroutine},
	{"[(", ")]", cylinder},
	{"[/", "/]", slanted},
	{"[/", `\]`, slanted},
	{`[\`, `\]`, slanted},
	{`[\`, "/]", slanted},
	{"{{", "}}", hexagon},
	{"[|", "|]", rectangle},
	{"(", ")", rounded},
	{"[", "]", rectangle},
	{"{", "}", diamond},
	{">", "]", notched},
}

// readShape reads the text of a node. Without any, text is nil.
func readShape(s string) (text []string, sh shape, rest string, ok bool) {
	for _, b := range brackets {
		inner, found := strings.CutPrefix(s, b.open)
		if !found {
			continue
		}
		n := closing(inner, b.open, b.close)
		if n < 0 {
			continue
		}
		return clean(inner[:n]), b.shape, inner[n+len(b.close):], true
	}
	return nil, 0, s, s == "" || strings.IndexByte("[({>", s[0]) < 0
}

// closing is where a text in brackets ends. Brackets within belong to it if it is
// quoted, or if they are closed as well.
func closing(s, open, end string) int {
	if t := strings.TrimLeft(s, " "); strings.HasPrefix(t, `"`) {
		from := len(s) - len(t) + 1
		if n := strings.IndexByte(s[from:], '"'); n >= 0 {
			after := s[from+n+1:]
			if strings.HasPrefix(strings.TrimLeft(after, " "), end) {
				return len(s) - len(strings.TrimLeft(after, " "))
			}
		}
		return -1
	}
	depth := 0
	for i := range len(s) {
		if depth == 0 && strings.HasPrefix(s[i:], end) {
			return i
		}
		if len(end) == 1 {
			switch s[i] {
			case open[0]:
				depth++
			case end[0]:
				depth--
			}
		}
	}
	return -1
}

// describe reads the form of a node that is written with names: shape: x, label: "y".
func (n *node) describe(s string) bool {
	for _, m := range pairs().FindAllStringSubmatch(s, -1) {
		value := strings.Trim(m[2], `"' `)
		switch m[1] {
		case "label":
			n.text = clean(value)
		case "shape":
			n.shape = shapeNamed(value)
		}
	}
	return true
}

var pairs = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\w+)\s*:\s*("[^"]*"|'[^']*'|[^,]*)`) })

func shapeNamed(name string) shape {
	switch name {
	case "rounded", "event":
		return rounded
	case "stadium", "terminal", "pill":
		return stadium
	case "subproc", "subprocess", "subroutine", "fr-rect", "framed-rectangle":
		return subroutine
	case "cyl", "cylinder", "database", "db", "disk", "lin-cyl", "das", "h-cyl":
		return cylinder
	case "circle", "circ", "sm-circ", "start":
		return circle
	case "dbl-circ", "double-circle", "fr-circ", "stop":
		return doubleCircle
	case "diam", "diamond", "decision", "question":
		return diamond
	case "hex", "hexagon", "prepare":
		return hexagon
	case "odd":
		return notched
	case "lean-r", "lean-l", "trap-t", "trap-b", "lean-right", "lean-left", "in-out", "out-in", "manual", "priority", "sl-rect":
		return slanted
	case "text":
		return bare
	case "fork", "join":
		return bar
	}
	return rectangle
}

var links = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[\w-]+@)?([<xo]?)(?:(-{2,})([->xo])|(={2,})([=>xo])|-(\.+)-([>xo]?)|(~{3,}))`)
})

var linksWithText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[\w-]+@)?([<xo]?)(?:--\s*("[^"]*"|[^-\s"|>](?:[^-]|-[^-])*?)\s*(-{2,})([->xo])|==\s*("[^"]*"|[^=\s"|>](?:[^=]|=[^=])*?)\s*(={2,})([=>xo])|-\.\s*("[^"]*"|[^-.\s"|>][^"]*?)\s*(\.+)-([>xo]?))`)
})

// readLink reads a connection with its text.
func readLink(s string) (*edge, string, bool) {
	e := &edge{length: 1}
	m := links().FindStringSubmatch(s)
	if m != nil {
		switch {
		case m[2] != "":
			e.length, e.toMark = len(m[2])-1, markOf(m[3])
		case m[4] != "":
			e.weight, e.length, e.toMark = heavy, len(m[4])-1, markOf(m[5])
		case m[6] != "":
			e.weight, e.length, e.toMark = dotted, len(m[6]), markOf(m[7])
		default:
			e.hidden, e.length = true, len(m[8])-2
		}
	} else if m = linksWithText().FindStringSubmatch(s); m != nil {
		switch {
		case m[3] != "":
			e.text, e.length, e.toMark = clean(m[2]), len(m[3])-1, markOf(m[4])
		case m[6] != "":
			e.weight, e.text, e.length, e.toMark = heavy, clean(m[5]), len(m[6])-1, markOf(m[7])
		default:
			e.weight, e.text, e.length, e.toMark = dotted, clean(m[8]), len(m[9]), markOf(m[10])
		}
	} else {
		return nil, "", false
	}
	e.fromMark = markOf(m[1])
	e.length = min(e.length, 6)
	s = strings.TrimLeft(s[len(m[0]):], " ")
	if strings.HasPrefix(s, "|") {
		text, rest, ok := cutQuoted(s[1:], '|')
		if !ok {
			return nil, "", false
		}
		e.text, s = clean(text), rest
	}
	if len(e.text) == 1 && e.text[0] == "" {
		e.text = nil
	}
	return e, s, true
}

// cutQuoted cuts a text at a sign that is not in quotes.
func cutQuoted(s string, sep byte) (before, after string, found bool) {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == sep && !quoted:
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

func markOf(s string) mark {
	switch s {
	case ">", "<":
		return arrow
	case "x":
		return cross
	case "o":
		return circleMark
	}
	return noMark
}
