package mermaid

import (
	"regexp"
	"strings"
	"sync"

	"github.com/pi-go/pi/tui/text"
)

// entities reads the statements of an entity relationship diagram.
type entities struct {
	g    *graph
	open *node
	rows map[*node][][]string
}

func readER(s *source) (drawing, error) {
	r := &entities{g: newGraph(topDown), rows: map[*node][][]string{}}
	for _, l := range s.lines[1:] {
		if !r.statement(strings.TrimRight(l.text, "; ")) {
			return nil, unknown(l)
		}
	}
	if r.open != nil && !s.partial {
		return nil, unknown(line{text: "entity without }"})
	}
	for n, rows := range r.rows {
		if len(rows) > 0 {
			n.parts = [][]string{columns(rows)}
		}
	}
	return r.g, r.g.check()
}

// columns puts the words of rows below each other.
func columns(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, s := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], text.Width(s))
		}
	}
	out := make([]string, len(rows))
	for i, row := range rows {
		for j, s := range row {
			if widths[j] > 0 {
				out[i] += text.Pad(s, widths[j]) + " "
			}
		}
		out[i] = strings.TrimRight(out[i], " ")
	}
	return out
}

const entityName = `("[^"]+"|[^\s"|{}\[\]]+)`

var (
	entityLinks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^` + entityName + `\s*(\|o|\|\||\}o|\}\|)\s*(--|\.\.)\s*(o\||\|\||o\{|\|\{)\s*` + entityName + `\s*(?::\s*(.*))?$`)
	})
	entityHeads = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^` + entityName + `\s*(?:\[\s*("[^"]*"|[^\]]*)\s*\])?\s*(?::::\w+)?\s*(\{\s*\}?)?$`)
	})
	attributes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([^\s"]+)\s+([^\s"]+)\s*((?:(?:PK|FK|UK)\s*,?\s*)*)("[^"]*")?$`)
	})
)

func (r *entities) statement(s string) bool {
	if r.open != nil {
		return r.attribute(s)
	}
	word, rest, _ := strings.Cut(s, " ")
	switch word {
	case "":
		return true
	case "direction":
		dir, ok := directionOf(strings.TrimSpace(rest))
		r.g.root.dir = dir
		return ok
	case "classDef", "class", "style":
		return rest != ""
	}
	if m := entityLinks().FindStringSubmatch(s); m != nil {
		e := &edge{from: r.entity(m[1]), to: r.entity(m[5]), fromSays: cardinality(m[2]), toSays: cardinality(m[4]), length: 1}
		if m[3] == ".." {
			e.weight = dotted
		}
		if t := clean(m[6]); t[0] != "" {
			e.text = t
		}
		r.g.edges = append(r.g.edges, e)
		return true
	}
	m := entityHeads().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	n := r.entity(m[1]).node
	if m[2] != "" {
		n.text = clean(m[2])
	}
	if m[3] != "" && !strings.HasSuffix(m[3], "}") {
		r.open = n
	}
	return true
}

func (r *entities) entity(name string) end {
	name = strings.Trim(name, `"`)
	n := r.g.node(name, r.g.root)
	if n.text[0] == name {
		n.text = clean(name)
	}
	return end{node: n}
}

// attribute reads a line of an entity: a type, a name, keys, a remark.
func (r *entities) attribute(s string) bool {
	if s == "}" {
		r.open = nil
		return true
	}
	m := attributes().FindStringSubmatch(s)
	if m == nil {
		return false
	}
	keys := strings.Join(strings.FieldsFunc(m[3], func(c rune) bool { return c == ' ' || c == ',' }), ",")
	r.rows[r.open] = append(r.rows[r.open], []string{oneLine(m[1]), oneLine(m[2]), keys, oneLine(m[4])})
	return true
}

// cardinality says how many there are at an end that is written as a crow's foot.
func cardinality(s string) string {
	switch s {
	case "||":
		return "1"
	case "|o", "o|":
		return "0..1"
	case "}|", "|{":
		return "1..n"
	}
	return "0..n"
}
