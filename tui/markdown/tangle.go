package markdown

import "strings"

// The parser's time grows with the square of what may open something in one
// paragraph, and of how many quotes and lists a line begins. No text of a person
// comes near these.
const (
	mostOpenings = 2000
	deepest      = 100
)

// tangled says that a block would take the parser longer than a frame may take.
func tangled(src string) bool {
	if fenceOf(strings.TrimLeft(src, " ")) != "" {
		return false // code is not parsed
	}
	openings := 0
	for line := range strings.Lines(src) {
		line = strings.Trim(line, " \t\r\n")
		if line == "" || line[0] == '|' || isItem(line) {
			openings = 0 // another paragraph
		}
		openings += strings.Count(line, "[") + strings.Count(line, "*") + strings.Count(line, "_")
		if openings > mostOpenings || depth(line) > deepest {
			return true
		}
	}
	return false
}

// depth tells how many quotes and lists a line begins.
func depth(line string) (n int) {
	for ; ; n++ {
		line = strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(line, ">"):
			line = line[1:]
		case isItem(line):
			_, line, _ = strings.Cut(line, " ")
		default:
			return n
		}
	}
}

// plain lays out a text as it is written.
func plain(m *Markdown, src string, width int) []string {
	var out []string
	for line := range strings.Lines(src) {
		out = append(out, m.opts.Ruler.Wrap(m.opts.Theme.Text.Render(strings.TrimRight(line, "\r\n")), width)...)
	}
	return out
}
