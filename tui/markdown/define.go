package markdown

import (
	"slices"
	"strings"
)

// definition is a line that defines a link, and what stands for the link in a text.
type definition struct{ name, line string }

// define adds the definitions of a block to others. The first one of a name counts.
func define(defs []definition, src string) []definition {
	if !strings.Contains(src, "]:") || fenceOf(strings.TrimLeft(src, " \n")) != "" {
		return defs
	}
	for line := range strings.Lines(src) {
		t := strings.TrimLeft(line, " ")
		label, _, ok := strings.Cut(t, "]: ")
		if !ok || !strings.HasPrefix(t, "[") || len(line)-len(t) >= 4 {
			continue
		}
		name := normal(label + "]")
		if !slices.ContainsFunc(defs, func(d definition) bool { return d.name == name }) {
			defs = append(defs, definition{name, strings.TrimRight(t, "\n") + "\n"})
		}
	}
	return defs
}

// named returns the definitions of links that may be in a text. A block is parsed with
// no others: with all of them, the work would grow with the square of their number.
func named(src string, defs []definition) (found []definition) {
	if len(defs) == 0 || !strings.Contains(src, "[") {
		return nil
	}
	text := normal(src)
	for _, d := range defs {
		if strings.Contains(text, d.name) {
			found = append(found, d)
		}
	}
	return found
}

// normal makes names comparable: case and the kind of blanks do not count.
func normal(s string) string {
	s = strings.ToLower(strings.Join(strings.Fields(s), " "))
	return strings.ReplaceAll(strings.ReplaceAll(s, "[ ", "["), " ]", "]")
}
