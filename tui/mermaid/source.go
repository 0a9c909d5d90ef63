package mermaid

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/pi-go/pi/tui/text"
)

// line is a line of a source without comments. indent counts the columns before it.
type line struct {
	text   string
	indent int
}

// source is what a diagram is read from: its lines, the first of which names the
// kind. Comments, front matter and directives are left out.
type source struct {
	lines   []line
	partial bool
	title   string
}

func newSource(src string, partial bool) *source {
	s := &source{partial: partial}
	src = strings.ReplaceAll(text.Sanitize(src), "\t", "    ")
	if rest, ok := strings.CutPrefix(strings.TrimLeft(src, " \n"), "---\n"); ok {
		head, body, closed := strings.Cut("\n"+rest, "\n---")
		if !closed {
			return s
		}
		s.frontMatter(head)
		src = body
	}
	inDirective := false
	for l := range strings.Lines(src) {
		l = strings.TrimRight(l, "\n ")
		t := strings.TrimLeft(l, " ")
		switch {
		case inDirective:
			inDirective = !strings.Contains(t, "}%%")
			continue
		case strings.HasPrefix(t, "%%{"):
			inDirective = !strings.Contains(t, "}%%")
			continue
		case t == "", strings.HasPrefix(t, "%%"):
			continue
		}
		if cut, _, ok := strings.Cut(l, " %%"); ok && strings.Count(cut, `"`)%2 == 0 {
			l = strings.TrimRight(cut, " ")
		}
		s.lines = append(s.lines, line{strings.TrimLeft(l, " "), len(l) - len(t)})
	}
	s.joinQuotes()
	s.dropDescription()
	return s
}

// frontMatter takes the title out of the block before a diagram.
func (s *source) frontMatter(head string) {
	for l := range strings.Lines(head) {
		if t, ok := strings.CutPrefix(l, "title:"); ok {
			s.title = oneLine(t)
		}
	}
}

// joinQuotes makes one line of those that a quoted text goes over.
func (s *source) joinQuotes() {
	out := s.lines[:0]
	open := false
	for _, l := range s.lines {
		if open {
			last := &out[len(out)-1]
			last.text += "<br>" + l.text
		} else {
			out = append(out, l)
		}
		if strings.Contains(l.text, "\"`") || open {
			open = strings.Count(out[len(out)-1].text, `"`)%2 == 1
		}
	}
	s.lines = out
}

// dropDescription leaves out what is said for those who can not see a drawing.
func (s *source) dropDescription() {
	out := s.lines[:0]
	block := false
	for i, l := range s.lines {
		switch {
		case block:
			block = !strings.Contains(l.text, "}")
		case i > 0 && strings.HasPrefix(l.text, "accDescr") && strings.HasSuffix(l.text, "{"):
			block = true
		case i > 0 && (strings.HasPrefix(l.text, "accTitle") || strings.HasPrefix(l.text, "accDescr")) && strings.Contains(l.text, ":"):
		default:
			out = append(out, l)
		}
	}
	s.lines = out
}

// unknown is the error for a statement that is not understood.
func unknown(l line) error {
	return fmt.Errorf("the statement %q: %w", text.Truncate(l.text, 60, "…"), ErrUnknown)
}

// titled puts the title above a drawing.
func (s *source) titled(c *canvas, o Options) *canvas {
	if s.title == "" {
		return c
	}
	out := newCanvas(o.Ruler)
	title := o.Ruler.Truncate(s.title, max(o.Width, 1), "…")
	out.write(max(0, (c.width()-o.Ruler.Width(title))/2), 0, title, Title)
	out.paste(0, 2, c)
	return out
}

// oneLine is a text as it is shown in one line.
func oneLine(s string) string { return strings.Join(clean(s), " ") }

// clean makes of a text in a source the lines that are shown: quotes, marks of HTML and
// Markdown and codes for characters are taken for what they stand for.
func clean(s string) []string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = s[1 : len(s)-1]
	}
	if len(s) >= 2 && s[0] == '`' && s[len(s)-1] == '`' {
		s = strings.NewReplacer("**", "", "__", "").Replace(s[1 : len(s)-1])
	}
	s = tags().ReplaceAllStringFunc(s, func(tag string) string {
		if strings.HasPrefix(strings.ToLower(tag), "<br") {
			return "\n"
		}
		return ""
	})
	s = strings.ReplaceAll(s, `\n`, "\n")
	s = codes().ReplaceAllStringFunc(s, decode)
	s = strings.ReplaceAll(text.Sanitize(s), "\t", " ")
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	for len(lines) > 1 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

var tags = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)</?(br|b|i|u|s|em|strong|small|sub|sup|code|span|div|p|center|font)(\s[^<>]*)?/?>`)
})

var codes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[#&]#?[0-9a-zA-Z]{1,10};`)
})

// decode gives the character that a code stands for.
func decode(code string) string {
	name := strings.TrimLeft(code[:len(code)-1], "#&")
	base := 10
	if n, ok := strings.CutPrefix(name, "x"); ok {
		name, base = n, 16
	}
	if n, err := strconv.ParseInt(name, base, 32); err == nil && n > 0 && utf8.ValidRune(rune(n)) {
		return string(rune(n))
	}
	switch name {
	case "quot":
		return `"`
	case "amp":
		return "&"
	case "lt":
		return "<"
	case "gt":
		return ">"
	case "apos":
		return "'"
	case "nbsp":
		return " "
	case "semi":
		return ";"
	case "colon":
		return ":"
	case "comma":
		return ","
	case "hash", "num":
		return "#"
	case "lpar":
		return "("
	case "rpar":
		return ")"
	case "lbrack", "lsqb":
		return "["
	case "rbrack", "rsqb":
		return "]"
	case "lbrace", "lcub":
		return "{"
	case "rbrace", "rcub":
		return "}"
	case "infin":
		return "∞"
	case "hearts":
		return "♥"
	case "copy":
		return "©"
	case "euro":
		return "€"
	case "rarr":
		return "→"
	case "larr":
		return "←"
	case "check":
		return "✓"
	}
	return code
}

// fold breaks the lines of a text that are too long.
func fold(r *text.Ruler, lines []string, width int) []string {
	var out []string
	for _, l := range lines {
		if r.Width(l) <= width {
			out = append(out, l)
			continue
		}
		out = append(out, r.Wrap(l, max(width, 2))...)
	}
	return out
}

// widest is the width of the widest line.
func widest(r *text.Ruler, lines []string) (w int) {
	for _, l := range lines {
		w = max(w, r.Width(l))
	}
	return w
}

// foldMembers breaks lines that are too long, and moves what goes on in a following one.
func foldMembers(r *text.Ruler, lines []string, width int) []string {
	var out []string
	for _, l := range lines {
		if r.Width(l) <= width {
			out = append(out, l)
			continue
		}
		for i, part := range r.Wrap(l, max(width-2, 2)) {
			out = append(out, choose(i > 0, "  ", "")+part)
		}
	}
	return out
}
