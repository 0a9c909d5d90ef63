package markdown

import (
	"slices"
	"strings"

	"github.com/pi-go/pi/tui/highlight"
	"github.com/pi-go/pi/tui/mermaid"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
)

// Theme is how the parts of a text look. The zero Theme has no colours.
type Theme struct {
	Text                                 text.Style
	Heading, Link, LinkURL, Code         text.Style
	CodeBlock, CodeBlockBorder           text.Style
	Quote, QuoteBorder, Rule, ListBullet text.Style
	TableBorder                          text.Style
	Syntax                               highlight.Styles
	Diagram                              mermaid.Styles
}

// ThemeOf returns the look of documents in a theme.
func ThemeOf(th *theme.Theme) Theme {
	return Theme{
		Text: th.Fg("text"), Heading: th.Fg("mdHeading"), Link: th.Fg("mdLink"), LinkURL: th.Fg("mdLinkUrl"), Code: th.Fg("mdCode"),
		CodeBlock: th.Fg("mdCodeBlock"), CodeBlockBorder: th.Fg("mdCodeBlockBorder"), Quote: th.Fg("mdQuote"), QuoteBorder: th.Fg("mdQuoteBorder"),
		Rule: th.Fg("mdHr"), ListBullet: th.Fg("mdListBullet"), TableBorder: th.Fg("border"), Syntax: th.Syntax(),
		Diagram: DiagramOf(th),
	}
}

// DiagramOf returns the look of diagrams in a theme.
func DiagramOf(th *theme.Theme) mermaid.Styles {
	title := th.Fg("accent")
	title.Attr |= text.Bold
	return mermaid.Styles{mermaid.Frame: th.Fg("borderMuted"), mermaid.Label: th.Fg("text"), mermaid.Edge: th.Fg("accent"), mermaid.EdgeLabel: th.Fg("muted"), mermaid.Title: title}
}

// Diagrams says when code blocks of the language mermaid are shown as diagrams.
type Diagrams uint8

const (
	// DiagramsOff shows them as code.
	DiagramsOff Diagrams = iota
	// DiagramsFinal shows them as diagrams when they are complete.
	DiagramsFinal
	// DiagramsStreaming does so while they arrive, too, line by line.
	DiagramsStreaming
)

// Options are the settings of a [Markdown]. The zero value is usable.
type Options struct {
	Theme Theme
	// PadX is how many columns are left free on both sides, PadY how many lines
	// above and below.
	PadX, PadY int
	// Background is painted under the whole width.
	Background text.Style
	// HideURLs leaves out the address behind the text of a link, for terminals
	// that are known to show links.
	HideURLs bool
	// NoLinks writes links as text alone, for terminals that garble them.
	NoLinks bool
	// CodeIndent stands before each line of a code block; nil means two spaces.
	CodeIndent *string
	// Mermaid says when code of the language mermaid is drawn. What can not be drawn
	// in the width there is stays code.
	Mermaid Diagrams
	// PlainSigns draws diagrams with ASCII characters.
	PlainSigns bool
	// Ruler measures text.
	Ruler *text.Ruler
}

// Markdown is a component that shows a text.
type Markdown struct {
	opts      Options
	source    string
	streaming bool

	blocks []*block // the finished ones
	at     int      // where the live block begins in source
	live   *block
	refs   []definition // of finished blocks
	used   []definition // that blocks were drawn with

	width int
	lines []string
	valid bool
}

// New returns a component without text.
func New(opts Options) *Markdown { return &Markdown{opts: opts} }

// SetText changes the text. It is cheap if the text only got longer.
func (m *Markdown) SetText(s string) {
	if s == m.source {
		return
	}
	if !strings.HasPrefix(s, m.source[:m.at]) {
		m.blocks, m.at, m.live, m.refs, m.used = nil, 0, nil, nil, nil
	}
	m.source = s
	m.valid = false
	m.advance()
}

// Text returns the text.
func (m *Markdown) Text() string { return m.source }

// SetStreaming tells whether more text is to come.
func (m *Markdown) SetStreaming(on bool) {
	if on != m.streaming {
		m.streaming = on
		m.valid = false
		for _, b := range m.blocks {
			if b.tall > 0 {
				b.forget()
			}
		}
		if m.live != nil {
			m.live.forget()
		}
	}
}

// SetTheme changes how the text looks.
func (m *Markdown) SetTheme(t Theme) { m.Change(func(o *Options) { o.Theme = t }) }

// Change changes the options, and makes the next Render draw everything anew.
func (m *Markdown) Change(f func(o *Options)) {
	f(&m.opts)
	m.Invalidate()
}

// Invalidate makes the next Render draw everything anew.
func (m *Markdown) Invalidate() {
	m.valid = false
	for _, b := range m.blocks {
		b.forget()
	}
	if m.live != nil {
		m.live.forget()
	}
}

// advance moves blocks that are finished out of the live part.
func (m *Markdown) advance() {
	rest := m.source[m.at:]
	for {
		n := cut(rest)
		if n == 0 {
			break
		}
		m.add(rest[:n])
		m.at += n
		rest = rest[n:]
		m.live = nil
	}
	if m.live == nil {
		m.live = &block{}
	}
	m.live.set(rest)
}

func (m *Markdown) add(src string) {
	if strings.TrimSpace(src) == "" {
		return
	}
	b := m.live
	if b == nil {
		b = &block{}
	}
	b.set(src)
	b.drop()
	m.blocks = append(m.blocks, b)
	m.refs = define(m.refs, src)
}

// resolve makes blocks be drawn anew when there are new definitions for their links.
func (m *Markdown) resolve() {
	refs := m.refs
	if !m.streaming && m.live != nil {
		refs = define(slices.Clip(refs), m.live.source)
	}
	same := 0
	for same < min(len(refs), len(m.used)) && refs[same] == m.used[same] {
		same++
	}
	changed := slices.Concat(refs[same:], m.used[same:])
	if m.used = refs; len(changed) == 0 {
		return
	}
	for _, b := range m.blocks {
		if len(named(b.source, changed)) > 0 {
			b.drop()
		}
	}
	if m.live != nil {
		m.live.drop()
	}
}

// Render returns the lines.
func (m *Markdown) Render(width int) []string {
	if m.valid && m.width == width {
		return m.lines
	}
	if m.width != width {
		m.Invalidate()
	}
	m.width, m.valid = width, true
	m.resolve()
	padX := min(max(m.opts.PadX, 0), max((width-1)/2, 0))
	inner := max(width-2*padX, 1)

	var out []string
	for _, b := range m.blocks {
		out = m.append(out, b.render(m, inner, false), width, padX)
	}
	if m.live != nil && strings.TrimSpace(m.live.source) != "" {
		out = m.append(out, m.live.render(m, inner, m.streaming), width, padX)
	}
	if len(out) == 0 {
		m.lines = nil
		return nil
	}
	empty := m.opts.Background.Paint(text.Blanks(width))
	if m.opts.Background == (text.Style{}) {
		empty = ""
	}
	lines := make([]string, 0, len(out)+2*max(m.opts.PadY, 0))
	for range m.opts.PadY {
		lines = append(lines, empty)
	}
	lines = append(lines, out...)
	for range m.opts.PadY {
		lines = append(lines, empty)
	}
	m.lines = lines
	return lines
}

// append adds the lines of a block, after an empty line.
func (m *Markdown) append(out, lines []string, width, padX int) []string {
	if len(lines) == 0 {
		return out
	}
	if len(out) > 0 {
		out = append(out, m.onBackground("", width, padX))
	}
	if padX == 0 && m.opts.Background == (text.Style{}) {
		return append(out, lines...)
	}
	for _, l := range lines {
		out = append(out, m.onBackground(l, width, padX))
	}
	return out
}

func (m *Markdown) onBackground(line string, width, padX int) string {
	if padX > 0 && line != "" {
		line = text.Blanks(padX) + line
	}
	if m.opts.Background == (text.Style{}) {
		return line
	}
	return m.opts.Background.Paint(m.opts.Ruler.Pad(line, width))
}
