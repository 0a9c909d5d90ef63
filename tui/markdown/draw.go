package markdown

import (
	"strconv"
	"strings"
	"sync"

	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	xast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
)

// markdownParser is CommonMark with tables, strike-through, task lists and links
// without marks. It is made when first used, and may be shared.
var markdownParser = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
})

// draw parses a clean text and lays it out. While it streams, diagrams in lists and quotes
// are shown as code: nothing tells whether they are complete.
func draw(m *Markdown, src string, width int, streaming bool) []string {
	if defs := named(src, m.used); len(defs) > 0 {
		src += "\n\n"
		for _, d := range defs {
			src += d.line
		}
	}
	source := []byte(src)
	d := &drawer{m: m, t: &m.opts.Theme, r: m.opts.Ruler, src: source, streaming: streaming}
	doc := markdownParser().Parse(gtext.NewReader(source))
	return d.children(doc, width, true)
}

type drawer struct {
	m   *Markdown
	t   *Theme
	r   *text.Ruler
	src []byte

	streaming bool
}

// children lays out the blocks of a node; loose ones have an empty line between
// them.
func (d *drawer) children(n ast.Node, width int, loose bool) []string {
	var out []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		lines := d.block(c, max(width, 1))
		if len(lines) == 0 {
			continue
		}
		if len(out) > 0 && loose {
			out = append(out, "")
		}
		out = append(out, lines...)
	}
	return out
}

func (d *drawer) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return d.heading(n, width)
	case *ast.Paragraph, *ast.TextBlock:
		return d.r.Wrap(d.inline(n, d.t.Text), width)
	case *ast.List:
		return d.list(n, width)
	case *ast.Blockquote:
		return d.quote(n, width)
	case *ast.ThematicBreak:
		return []string{d.t.Rule.Render(strings.Repeat("─", min(width, 80)))}
	case *ast.FencedCodeBlock:
		info := ""
		if n.Info != nil {
			info = string(n.Info.Segment.Value(d.src))
		}
		return d.code(info, n.Lines(), width)
	case *ast.CodeBlock:
		return d.code("", n.Lines(), width)
	case *ast.HTMLBlock:
		var b strings.Builder
		for i := range n.Lines().Len() {
			seg := n.Lines().At(i)
			b.Write(seg.Value(d.src))
		}
		if n.HasClosure() {
			b.Write(n.ClosureLine.Value(d.src))
		}
		return d.r.Wrap(d.t.Text.Render(strings.TrimRight(b.String(), "\n")), width)
	case *xast.Table:
		return d.table(n, width)
	}
	return d.children(n, width, true)
}

func (d *drawer) heading(n *ast.Heading, width int) []string {
	st := d.t.Heading
	st.Attr |= text.Bold
	if n.Level == 1 {
		st.Underline = text.UnderlineSingle
	}
	s := d.inline(n, st)
	if n.Level > 2 {
		s = st.Render(strings.Repeat("#", n.Level)+" ") + s
	}
	return d.r.Wrap(s, width)
}

func (d *drawer) list(n *ast.List, width int) []string {
	number := n.Start
	last := number + n.ChildCount() - 1
	room := 2
	if n.IsOrdered() {
		room = len(strconv.Itoa(last)) + 2
	}
	if room >= width {
		room = 0
	}
	var out []string
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		lines := d.children(item, width-room, !n.IsTight)
		if len(lines) == 0 {
			lines = []string{""}
		}
		if len(out) > 0 && !n.IsTight {
			out = append(out, "")
		}
		for i, l := range lines {
			switch {
			case room == 0:
			case i == 0:
				l = d.t.ListBullet.Render(text.Pad(mark, room)) + l
			case l != "":
				l = text.Blanks(room) + l
			}
			out = append(out, l)
		}
	}
	return out
}

func (d *drawer) quote(n ast.Node, width int) []string {
	if width < 4 {
		return d.children(n, width, true)
	}
	inner := *d.t
	inner.Text = d.t.Quote
	q := &drawer{m: d.m, t: &inner, r: d.r, src: d.src, streaming: d.streaming}
	var out []string
	bar := d.t.QuoteBorder.Render("│") + " "
	for _, l := range q.children(n, width-2, true) {
		if l == "" {
			out = append(out, d.t.QuoteBorder.Render("│"))
			continue
		}
		out = append(out, bar+l)
	}
	return out
}

// code draws a code block inside of a list or quote, or one by indentation.
func (d *drawer) code(info string, lines *gtext.Segments, width int) []string {
	var b strings.Builder
	b.WriteString("```````" + strings.ReplaceAll(info, "\n", " ") + "\n")
	for i := range lines.Len() {
		seg := lines.At(i)
		b.Write(seg.Value(d.src))
	}
	c := &codeBlock{width: width}
	c.art.never = d.streaming
	return c.render(d.m, strings.TrimRight(b.String(), "\n")+"\n", false)
}

// inline returns the text of a node with styles and links.
func (d *drawer) inline(n ast.Node, st text.Style) string {
	w := &inlineWriter{d: d}
	w.children(n, st)
	return w.b.String()
}

type inlineWriter struct {
	d *drawer
	b strings.Builder
}

func (w *inlineWriter) text(s string, st text.Style) {
	w.b.WriteString(st.Render(s))
}

func (w *inlineWriter) children(n ast.Node, st text.Style) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c, st)
	}
}

func (w *inlineWriter) node(n ast.Node, st text.Style) {
	d := w.d
	switch n := n.(type) {
	case *ast.Text:
		w.text(unescape(string(n.Segment.Value(d.src))), st)
		switch {
		case n.HardLineBreak():
			w.b.WriteByte('\n')
		case n.SoftLineBreak():
			w.b.WriteByte(' ')
		}
	case *ast.String:
		w.text(string(n.Value), st)
	case *ast.CodeSpan:
		var code strings.Builder
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if t, ok := c.(*ast.Text); ok {
				code.WriteString(strings.ReplaceAll(string(t.Segment.Value(d.src)), "\n", " "))
			}
		}
		w.text(code.String(), over(d.t.Code, st))
	case *ast.Emphasis:
		if n.Level >= 2 {
			st.Attr |= text.Bold
		} else {
			st.Attr |= text.Italic
		}
		w.children(n, st)
	case *xast.Strikethrough:
		st.Attr |= text.Strike
		w.children(n, st)
	case *ast.Link:
		w.link(n, string(n.Destination), st)
	case *ast.AutoLink:
		label := string(n.Label(d.src))
		w.b.WriteString(d.linked(over(d.t.Link, st).Render(label), string(n.URL(d.src))))
	case *ast.Image:
		w.text("▣ ", st)
		w.link(n, string(n.Destination), st)
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			seg := n.Segments.At(i)
			s := string(seg.Value(d.src))
			if t := strings.ToLower(strings.Trim(s, "</> ")); t == "br" {
				s = "\n"
			}
			w.text(s, st)
		}
	case *xast.TaskCheckBox:
		box := "[ ] "
		if n.IsChecked {
			box = "[x] "
		}
		w.text(box, d.t.ListBullet)
	default:
		w.children(n, st)
	}
}

// linked makes a link of a text, if the terminal is to get any.
func (d *drawer) linked(label, url string) string {
	if d.m.opts.NoLinks {
		return label
	}
	return term.Link(label, url)
}

func (w *inlineWriter) link(n ast.Node, url string, st text.Style) {
	d := w.d
	inner := &inlineWriter{d: d}
	inner.children(n, over(d.t.Link, st))
	label := inner.b.String()
	plain := text.Strip(label)
	if plain == "" {
		label, plain = over(d.t.Link, st).Render(url), url
	}
	w.b.WriteString(d.linked(label, url))
	if !d.m.opts.HideURLs && url != "" && plain != url && "mailto:"+plain != url {
		w.text(" ("+url+")", over(d.t.LinkURL, st))
	}
}

// over lays a style over another one: what it leaves unset comes from below.
func over(st, below text.Style) text.Style {
	if st.Fg.IsDefault() {
		st.Fg = below.Fg
	}
	if st.Bg.IsDefault() {
		st.Bg = below.Bg
	}
	if st.Underline == 0 {
		st.Underline = below.Underline
	}
	st.Attr |= below.Attr
	return st
}

// unescape takes backslashes in front of punctuation, and the commonest
// character references, for what they stand for.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') >= 0 {
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]) {
				i++
			}
			b.WriteByte(s[i])
		}
		s = b.String()
	}
	if strings.IndexByte(s, '&') >= 0 {
		s = references().Replace(s)
	}
	return s
}

var references = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&", "&quot;", `"`, "&#39;", "'", "&nbsp;", " ", "&copy;", "©", "&mdash;", "—", "&ndash;", "–", "&hellip;", "…")
})

func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}
