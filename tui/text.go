package tui

import (
	"slices"

	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// Text is a Component of wrapped text. Colours and links in it are kept, and no other
// sequence: what must not have those either is cleaned with text.Sanitize first.
type Text struct {
	// PadX and PadY are columns left free on both sides and lines above and below.
	PadX, PadY int
	// Background is painted under the whole width.
	Background text.Style
	// Ruler measures; nil is the default one.
	Ruler *text.Ruler

	content string
	width   int
	lines   []string
}

// NewText returns a Text without padding.
func NewText(s string) *Text { return &Text{content: s} }

// SetText changes the text.
func (t *Text) SetText(s string) {
	if s != t.content {
		t.content = s
		t.Invalidate()
	}
}

// Text returns the text.
func (t *Text) Text() string { return t.content }

// Invalidate makes the next Render wrap anew.
func (t *Text) Invalidate() { t.width = 0 }

// Render returns the wrapped text. An empty text has no lines at all.
func (t *Text) Render(width int) []string {
	if t.width == width {
		return t.lines
	}
	t.width, t.lines = width, nil
	if t.content == "" {
		return nil
	}
	padX := min(max(t.PadX, 0), (width-1)/2)
	inner := t.Ruler.Wrap(cleaned(t.content), width-2*padX)
	t.lines = padded(t.Ruler, inner, width, padX, t.PadY, t.Background)
	return t.lines
}

// padded puts lines onto a background with room around them.
func padded(r *text.Ruler, lines []string, width, padX, padY int, background text.Style) []string {
	out := make([]string, 0, len(lines)+2*max(padY, 0))
	plain := background == (text.Style{})
	empty := ""
	if !plain {
		empty = background.Paint(text.Blanks(width))
	}
	for range padY {
		out = append(out, empty)
	}
	margin := text.Blanks(padX)
	for _, l := range lines {
		if padX > 0 {
			l = margin + l
		}
		if !plain {
			l = background.Paint(r.Pad(l, width))
		}
		out = append(out, l)
	}
	for range padY {
		out = append(out, empty)
	}
	return out
}

// Box is a Container with room around its components and a background under them.
type Box struct {
	Container
	PadX, PadY int
	Background text.Style
	Ruler      *text.Ruler

	inner []string
	width int
	lines []string
}

// NewBox returns a box of components.
func NewBox(padX, padY int, background text.Style, children ...Component) *Box {
	b := &Box{PadX: padX, PadY: padY, Background: background}
	b.Add(children...)
	return b
}

// Render returns the components' lines with what is around them; nothing if they
// have no lines.
func (b *Box) Render(width int) []string {
	padX := min(max(b.PadX, 0), (width-1)/2)
	inner := b.Container.Render(width - 2*padX)
	if b.width == width && sameLines(inner, b.inner) {
		return b.lines
	}
	b.inner, b.width, b.lines = inner, width, nil
	if len(inner) > 0 {
		b.lines = padded(b.Ruler, inner, width, padX, b.PadY, b.Background)
	}
	return b.lines
}

// SetBackground changes the background.
func (b *Box) SetBackground(st text.Style) {
	b.Background = st
	b.width = 0
}

// Invalidate makes the box and all in it draw anew.
func (b *Box) Invalidate() {
	b.width = 0
	b.Container.Invalidate()
}

// Rule is a Component of one horizontal line.
type Rule struct {
	Style text.Style
	// Line is the character the line is made of, "─" if empty.
	Line string
	// Title stands in the line, near its beginning.
	Title string

	width int
	drawn ruleKey
	lines []string
}

// ruleKey is what a drawn rule depends on.
type ruleKey struct {
	style       text.Style
	line, title string
}

// Render returns the line.
func (r *Rule) Render(width int) []string {
	key := ruleKey{r.Style, r.Line, r.Title}
	if r.width == width && r.drawn == key {
		return r.lines
	}
	r.width, r.drawn = width, key
	line := r.Line
	if line == "" {
		line = "─"
	}
	unit := max(text.Width(line), 1)
	rule := func(columns int) string {
		b := make([]byte, 0, columns*len(line))
		for range columns / unit {
			b = append(b, line...)
		}
		return string(b)
	}
	s := r.Style.Render(rule(width))
	if r.Title != "" && width > 6 {
		title := text.Truncate(oneLine(r.Title), width-6, "…")
		s = r.Style.Render(rule(2)) + " " + title + " " + r.Style.Render(rule(width-4-text.Width(title)))
	}
	r.lines = []string{s}
	return r.lines
}

// Frame draws a border around a component.
type Frame struct {
	Child Component
	Style text.Style
	Title string
	Ruler *text.Ruler
}

// Render returns the component's lines with the border around them. If there is
// no room for a border there is none.
func (f *Frame) Render(width int) []string {
	if width < 3 {
		return f.Child.Render(width)
	}
	inner := f.Child.Render(width - 2)
	top := Rule{Style: f.Style, Title: f.Title}
	out := make([]string, 0, len(inner)+2)
	out = append(out, f.Style.Render("╭")+top.Render(width - 2)[0]+f.Style.Render("╮"))
	side := f.Style.Render("│")
	for _, l := range inner {
		out = append(out, side+f.Ruler.Pad(l, width-2)+side)
	}
	bottom := Rule{Style: f.Style}
	return append(out, f.Style.Render("╰")+bottom.Render(width - 2)[0]+f.Style.Render("╯"))
}

// HandleInput passes input on to the component.
func (f *Frame) HandleInput(ev input.Event) bool {
	h, ok := f.Child.(Handler)
	return ok && h.HandleInput(ev)
}

// SetFocused passes the focus on to the component.
func (f *Frame) SetFocused(on bool) {
	if c, ok := f.Child.(Focusable); ok {
		c.SetFocused(on)
	}
}

// CapturesScrolling asks the component.
func (f *Frame) CapturesScrolling() bool {
	c, ok := f.Child.(Capturer)
	return ok && c.CapturesScrolling()
}

// Invalidate makes the component draw anew.
func (f *Frame) Invalidate() { Invalidate(f.Child) }

// Columns puts two components beside each other, or below each other where there
// is no room.
type Columns struct {
	Left, Right Component
	// Split is the width of the left component; half of all if not set.
	Split Size
	// Gap is the room between them.
	Gap   int
	Ruler *text.Ruler
}

// Render returns the lines of both.
func (c *Columns) Render(width int) []string {
	left := min(max(c.Split.of(width, width/2), 1), width)
	right := width - left - c.Gap
	if right < 1 {
		return slices.Concat(c.Left.Render(width), c.Right.Render(width))
	}
	l, r := c.Left.Render(left), c.Right.Render(right)
	out := make([]string, max(len(l), len(r)))
	for i := range out {
		a, b := "", ""
		if i < len(l) {
			a = l[i]
		}
		if i < len(r) {
			b = r[i]
		}
		if b == "" {
			out[i] = a
			continue
		}
		out[i] = c.Ruler.Pad(a, left+c.Gap) + b
	}
	return out
}
