package markdown

import (
	"strings"

	"github.com/pi-go/pi/tui/highlight"
	"github.com/pi-go/pi/tui/text"
)

// block is a part of a text that is parsed by itself.
type block struct {
	source string
	lines  []string
	drawn  bool
	code   *codeBlock
	tall   int // the lines of a diagram that has been shown while it arrived
}

func (b *block) set(src string) {
	if src != b.source {
		if b.code != nil && !strings.HasPrefix(src, b.source) {
			b.code = nil
		}
		b.source = src
		b.drawn = false
	}
}

// drop forgets what was drawn.
func (b *block) drop() {
	b.drawn, b.lines, b.code = false, nil, nil
}

// forget drops what was drawn, and how tall it was.
func (b *block) forget() {
	b.drop()
	b.tall = 0
}

func (b *block) render(m *Markdown, width int, streaming bool) []string {
	if b.drawn {
		return b.lines
	}
	b.drawn = true
	src := strings.Trim(b.source, "\r\n")
	if first := strings.TrimLeft(src, " "); fenceOf(firstLine(first)) != "" && len(src)-len(first) < 4 {
		if b.code == nil {
			b.code = &codeBlock{width: width}
		}
		b.code.art.whole = strings.HasSuffix(b.source, "\n")
		b.lines = b.code.render(m, src, streaming)
		b.holdHeight(m)
		return b.lines
	}
	b.code = nil
	clean := text.Sanitize(src)
	if tangled(clean) {
		b.lines = plain(m, clean, width)
		return b.lines
	}
	if streaming {
		clean = foresee(clean)
	}
	b.lines = draw(m, clean, width, streaming)
	return b.lines
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimRight(line, "\r")
}

// codeBlock draws a fenced code block line by line, so that one that grows costs
// only its new lines.
type codeBlock struct {
	width int
	lang  *highlight.Language
	fence string
	head  string
	read  int             // bytes of the source that are drawn for good
	state highlight.State // after them
	out   []string
	art   diagram
}

const codeIndent = "  "

func (c *codeBlock) render(m *Markdown, src string, streaming bool) []string {
	if lines := c.art.render(m, src, c.width, streaming); lines != nil {
		return lines
	}
	t := &m.opts.Theme
	if c.read == 0 {
		first, _, whole := strings.Cut(src, "\n")
		first = strings.TrimSpace(first)
		c.fence = fenceOf(first)
		info := strings.TrimSpace(first[len(c.fence):])
		c.head = m.opts.Ruler.Truncate(t.CodeBlockBorder.Render("```"+text.Sanitize(info)), c.width, "…")
		if !whole {
			return []string{c.head}
		}
		c.lang = highlight.Find(info)
		c.read = strings.IndexByte(src, '\n') + 1
	}
	closed := false
	for c.read < len(src) {
		n := strings.IndexByte(src[c.read:], '\n')
		if n < 0 {
			break
		}
		line := src[c.read : c.read+n]
		if closes(strings.TrimSpace(line), c.fence) {
			closed = true
			break
		}
		c.out, c.state = c.line(m, c.out, line, c.state)
		c.read += n + 1
	}
	lines := append([]string{c.head}, c.out...)
	if rest := src[c.read:]; !closed && rest != "" {
		mark := strings.TrimSpace(rest)
		switch {
		case closes(mark, c.fence):
			closed = true
		case streaming && strings.Trim(mark, c.fence[:1]) == "":
			// The beginning of the closing fence.
		default:
			lines, _ = c.line(m, lines, rest, c.state)
		}
	}
	if closed || !streaming {
		lines = append(lines, m.opts.Ruler.Truncate(t.CodeBlockBorder.Render("```"), c.width, ""))
	}
	return lines
}

// line draws a line of code; one that is too long is broken.
func (c *codeBlock) line(m *Markdown, out []string, line string, st highlight.State) ([]string, highlight.State) {
	t := &m.opts.Theme
	line = text.Sanitize(strings.TrimRight(line, "\r"))
	shown := line
	if c.lang != nil {
		var spans []highlight.Span
		spans, st = c.lang.Line(nil, line, st)
		shown = highlight.Paint(line, spans, &t.Syntax)
	}
	shown = t.CodeBlock.Paint(shown)
	indent := codeIndent
	if m.opts.CodeIndent != nil {
		indent = text.Sanitize(*m.opts.CodeIndent)
	}
	room := m.opts.Ruler.Width(indent)
	if c.width < room+8 {
		indent, room = "", 0
	}
	for _, l := range m.opts.Ruler.Wrap(shown, max(c.width-room, 1)) {
		if l != "" {
			l = indent + l
		}
		out = append(out, l)
	}
	return out, st
}
