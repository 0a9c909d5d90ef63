package markdown

import (
	"errors"
	"strings"

	"github.com/pi-go/pi/tui/mermaid"
)

// diagram is the drawing of a code block, which is kept as long as no further line of
// the source has come.
type diagram struct {
	never   bool // it is not to be drawn
	whole   bool // the last line that has come is complete
	source  string
	partial bool
	tried   bool
	lines   []string // nil if the source is to be shown
}

// isMermaid reports whether a code block is a diagram by its first line.
func isMermaid(src string) bool {
	first := strings.TrimSpace(firstLine(src))
	info := strings.TrimLeft(first, first[:min(1, len(first))])
	lang, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	return strings.EqualFold(lang, "mermaid")
}

// render returns the lines of a drawing, nil if the code is to be shown.
func (d *diagram) render(m *Markdown, src string, width int, streaming bool) []string {
	if d.never || m.opts.Mermaid == DiagramsOff || !isMermaid(src) {
		return nil
	}
	body, closed := bodyOf(src)
	partial := streaming && !closed
	if partial {
		if m.opts.Mermaid != DiagramsStreaming {
			return nil
		}
		if !d.whole {
			// The last line may be half a statement.
			body = body[:strings.LastIndexByte(body, '\n')+1]
		}
	}
	if d.tried && body == d.source && partial == d.partial {
		return d.lines
	}
	d.tried, d.source, d.partial = true, body, partial
	art, err := mermaid.Render(body, mermaid.Options{Width: width, ASCII: m.opts.PlainSigns, Partial: partial, Ruler: m.opts.Ruler})
	switch {
	case err == nil:
		d.lines = art.Paint(&m.opts.Theme.Diagram)
	case partial && errors.Is(err, mermaid.ErrUnknown):
		// A text in quotes may go over several lines: what was there stays until more comes.
	default:
		d.lines = nil
	}
	return d.lines
}

// bodyOf returns what is between the fences of a code block.
func bodyOf(src string) (body string, closed bool) {
	fence := fenceOf(strings.TrimSpace(firstLine(src)))
	_, rest, _ := strings.Cut(src, "\n")
	at := 0
	for line := range strings.Lines(rest) {
		if closes(strings.TrimSpace(line), fence) {
			return rest[:at], true
		}
		at += len(line)
	}
	return rest, false
}

// holdHeight lets a diagram not get shorter while the text arrives, so that the page does
// not jump.
func (b *block) holdHeight(m *Markdown) {
	if !m.streaming || m.opts.Mermaid != DiagramsStreaming || !isMermaid(strings.TrimLeft(b.source, "\r\n ")) {
		return
	}
	lines := b.lines[:len(b.lines):len(b.lines)]
	for len(lines) < b.tall {
		lines = append(lines, "")
	}
	b.lines, b.tall = lines, len(lines)
}
