package export

import (
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// markdownParser reads Markdown with the extensions that models use.
var markdownParser = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Linkify, extension.TaskList)).Parser()
})

// maxNesting is how deep blocks may lie in one another; further in, the text is
// shown as it is. Browsers give up as well.
const maxNesting = 64

// markdown writes a text in Markdown. The markup is all ours: each kind of node has
// its tag here, HTML in the text is shown and not obeyed, links lead to the web or
// to mail, and pictures from elsewhere are links, so that reading tells nobody.
func (p *page) markdown(source string) {
	p.raw(`<div class="md">`)
	defer p.raw("</div>\n")
	src := []byte(strings.ToValidUTF8(source, "\uFFFD"))
	doc := parsed(src)
	if doc == nil {
		p.pre(source)
		return
	}
	m := &markdownWriter{page: p, src: src}
	m.children(doc, 0)
}

// parsed reads a text; nil if that can not be done, as the parser is not ours.
func parsed(src []byte) (doc ast.Node) {
	defer func() {
		if recover() != nil {
			doc = nil
		}
	}()
	return markdownParser().Parse(text.NewReader(src))
}

type markdownWriter struct {
	*page
	src []byte
}

func (m *markdownWriter) children(n ast.Node, depth int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		m.node(c, depth+1)
	}
}

// around writes what is in a node between two tags.
func (m *markdownWriter) around(n ast.Node, depth int, open, end string) {
	m.raw(open)
	m.children(n, depth)
	m.raw(end)
}

func (m *markdownWriter) node(n ast.Node, depth int) {
	if depth > maxNesting {
		m.text(m.plain(n))
		return
	}
	switch n := n.(type) {
	case *ast.Paragraph:
		m.around(n, depth, "<p>", "</p>\n")
	case *ast.TextBlock:
		m.around(n, depth, "", "\n")
	case *ast.Heading:
		// Headings of the page are above those of a message.
		level := min(n.Level+2, 6)
		m.around(n, depth, fmt.Sprintf("<h%d>", level), fmt.Sprintf("</h%d>\n", level))
	case *ast.Blockquote:
		m.around(n, depth, "<blockquote>\n", "</blockquote>\n")
	case *ast.List:
		m.list(n, depth)
	case *ast.ListItem:
		m.around(n, depth, "<li>", "</li>\n")
	case *ast.ThematicBreak:
		m.raw("<hr>\n")
	case *ast.FencedCodeBlock:
		m.source(string(n.Language(m.src)), m.lines(n))
	case *ast.CodeBlock:
		m.source("", m.lines(n))
	case *ast.HTMLBlock:
		text := m.lines(n)
		if n.HasClosure() {
			text += string(n.ClosureLine.Value(m.src))
		}
		m.pre(text)
	default:
		m.inline(n, depth)
	}
}

func (m *markdownWriter) inline(n ast.Node, depth int) {
	switch n := n.(type) {
	case *ast.Text:
		m.text(string(n.Segment.Value(m.src)))
		if n.HardLineBreak() {
			m.raw("<br>\n")
		} else if n.SoftLineBreak() {
			m.raw("\n")
		}
	case *ast.String:
		m.text(string(n.Value))
	case *ast.CodeSpan:
		m.raw("<code>")
		m.text(m.plain(n))
		m.raw("</code>")
	case *ast.Emphasis:
		if n.Level == 2 {
			m.around(n, depth, "<strong>", "</strong>")
		} else {
			m.around(n, depth, "<em>", "</em>")
		}
	case *extast.Strikethrough:
		m.around(n, depth, "<s>", "</s>")
	case *extast.TaskCheckBox:
		m.raw(map[bool]string{true: "☑ ", false: "☐ "}[n.IsChecked])
	case *ast.Link:
		m.link(string(n.Destination), func() { m.children(n, depth) })
	case *ast.AutoLink:
		m.link(string(n.URL(m.src)), func() { m.text(string(n.Label(m.src))) })
	case *ast.Image:
		m.link(string(n.Destination), func() { m.text("[" + m.plain(n) + "]") })
	case *ast.RawHTML:
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			m.text(string(s.Value(m.src)))
		}
	case *extast.Table:
		m.around(n, depth, "<table>\n", "</table>\n")
	case *extast.TableHeader:
		m.around(n, depth, "<tr>", "</tr>\n")
	case *extast.TableRow:
		m.around(n, depth, "<tr>", "</tr>\n")
	case *extast.TableCell:
		m.cell(n, depth)
	default:
		m.children(n, depth)
	}
}

func (m *markdownWriter) list(n *ast.List, depth int) {
	if !n.IsOrdered() {
		m.around(n, depth, "<ul>\n", "</ul>\n")
		return
	}
	open := "<ol>\n"
	if n.Start != 1 {
		open = fmt.Sprintf("<ol start=\"%d\">\n", n.Start)
	}
	m.around(n, depth, open, "</ol>\n")
}

func (m *markdownWriter) cell(n *extast.TableCell, depth int) {
	tag := "td"
	if _, ok := n.Parent().(*extast.TableHeader); ok {
		tag = "th"
	}
	class := ""
	switch n.Alignment {
	case extast.AlignRight:
		class = ` class="right"`
	case extast.AlignCenter:
		class = ` class="center"`
	}
	m.around(n, depth, "<"+tag+class+">", "</"+tag+">")
}

// link writes a link where it is one that may be followed, and what it says
// otherwise.
func (m *markdownWriter) link(to string, inside func()) {
	if !followable(to) {
		inside()
		return
	}
	m.raw(`<a rel="noopener noreferrer nofollow" href="`)
	m.text(to)
	m.raw(`">`)
	inside()
	m.raw("</a>")
}

// followable reports whether an address leads to the web or to mail.
func followable(to string) bool {
	u, err := url.Parse(to)
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return true
	}
	return false
}

// lines gives the text of a block of code.
func (m *markdownWriter) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(m.src))
	}
	return b.String()
}

// plain gives the text in a node without its markup.
func (m *markdownWriter) plain(n ast.Node) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // our function gives no error
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				b.Write(n.Segment.Value(m.src))
				if n.SoftLineBreak() || n.HardLineBreak() {
					b.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				b.Write(n.Value)
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
			if entering {
				b.WriteString(m.lines(n))
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
