package markdown

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/highlight"
	"github.com/pi-go/pi/tui/text"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files")

func sample(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile("testdata/sample.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func colorful() Theme {
	c := func(n uint8) text.Style { return text.Style{Fg: text.Indexed(n)} }
	return Theme{
		Heading: c(1), Link: c(2), LinkURL: c(3), Code: c(4), CodeBlock: c(5), CodeBlockBorder: c(6), Quote: c(7), QuoteBorder: c(8),
		Rule: c(9), ListBullet: c(10), TableBorder: c(11), Syntax: highlight.Styles{highlight.Keyword: c(12), highlight.Comment: c(13), highlight.String: c(14)},
	}
}

// show makes control characters readable.
func show(lines []string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(lines, "\n"), "\x1b]8;;", "⟦link "), "\x1b", "␛") + "\n"
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		width int
		opts  Options
	}{
		{"plain-80", 80, Options{}},
		{"plain-30", 30, Options{}},
		{"color-60", 60, Options{Theme: colorful(), PadX: 1, PadY: 1, HideURLs: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			m := New(tc.opts)
			m.SetText(sample(t))
			lines := m.Render(tc.width)
			got := show(lines)
			if tc.name != "color-60" {
				plain := make([]string, len(lines))
				for i, l := range lines {
					plain[i] = text.Strip(l)
				}
				got = strings.Join(plain, "\n") + "\n"
			}
			file := filepath.Join("testdata", tc.name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			check(t, lines, tc.width)
		})
	}
}

// check fails if a line breaks the rules for lines.
func check(t interface{ Fatalf(string, ...any) }, lines []string, width int) {
	for _, l := range lines {
		if w := text.Width(l); w > width && width >= 8 {
			t.Fatalf("line %q is %d columns wide, more than %d", l, w, width)
		}
		if c := text.Truncate(l, width+8, ""); c != l {
			t.Fatalf("line %q is not clean: %q", l, c)
		}
	}
}

// Cutting a text into blocks must not change what it looks like.
func TestBlocksAreWhatTheWholeIs(t *testing.T) {
	t.Parallel()
	src := sample(t)
	for _, width := range []int{20, 60} {
		m := New(Options{Theme: colorful()})
		m.SetText(src)
		if diff := cmp.Diff(draw(m, src, width, false), m.Render(width)); diff != "" {
			t.Errorf("width %d (-whole +blocks):\n%s", width, diff)
		}
	}
}

// fragments are pieces that texts are made of, in every order.
var fragments = []string{
	"word ", "**bold** ", "`code`", "*it*", "\n", "\n\n", "- item\n", "  more\n", "1. one\n", "> quote\n", "# head\n", "```go\nx := 1\n```\n",
	"```\nopen\n", "~~~\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "| a |", "[l](http://x) ", "[l](htt", "---\n", "    code\n", "한국어", "<b>", "\t", "\\", "&amp;", "***", "``",
	"```mermaid\ngraph TD\nA --> B & C\nB -->|x| C\n```\n", "```mermaid\nsequenceDiagram\nA->>B: hi\n", "~~~ mermaid\nnothing\n~~~\n", "> ```mermaid\n> graph LR\n> A --> B\n> ```\n",
}

// A text that arrives in pieces ends up as one that was there at once, and never
// breaks the rules on its way.
func TestStreamingEndsInTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 14).Draw(t, "parts")
		width := rapid.IntRange(8, 50).Draw(t, "width")
		opts := Options{Mermaid: Diagrams(rapid.IntRange(0, 2).Draw(t, "diagrams"))}
		streamed := New(opts)
		streamed.SetStreaming(true)
		src := ""
		for _, p := range parts {
			for len(p) > 0 {
				n := rapid.IntRange(1, len(p)).Draw(t, "n")
				for n < len(p) && !utf8.RuneStart(p[n]) {
					n++
				}
				src += p[:n]
				p = p[n:]
				streamed.SetText(src)
				check(t, streamed.Render(width), width)
			}
		}
		streamed.SetStreaming(false)
		whole := New(opts)
		whole.SetText(src)
		if diff := cmp.Diff(whole.Render(width), streamed.Render(width)); diff != "" {
			t.Fatalf("%q at %d (-whole +streamed):\n%s", src, width, diff)
		}
	})
}

func TestStreamingShowsWhatIsToCome(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ arriving, done string }{
		{"some **bold wor", "some **bold wor**"},
		{"some *ital", "some *ital*"},
		{"some `cod", "some `cod`"},
		{"a [link](https://exam", "a [link](https://exam)"},
		{"text\n\n``", "text"},
		{"text\n\n```", "text\n\n```\n"},
		{"text\n\n##", "text"},
		{"text\n\n-", "text"},
		{"| a | b |", "| a | b |\n|---|---|"},
		{"| a | b |\n|-", "| a | b |\n|---|---|"},
		{"| a | b |\n|---|---|\n| 1", "| a | b |\n|---|---|\n| 1"},
		{"~~stru", "~~stru~~"},
		{"snake_case_nam", "snake_case_nam"},
		{"2 * 3", "2 * 3"},
		{"`a*b`", "`a*b`"},
		{"**bold *and ital", "**bold *and ital***"},
	} {
		a, d := New(Options{HideURLs: true}), New(Options{HideURLs: true})
		a.SetStreaming(true)
		a.SetText(tc.arriving)
		d.SetStreaming(true)
		d.SetText(tc.done)
		// An address that has not come whole is another one, but not another text.
		strip := func(lines []string) (out []string) {
			for _, l := range lines {
				out = append(out, text.Strip(strings.ReplaceAll(l, "\x1b[", "␛")))
			}
			return out
		}
		if diff := cmp.Diff(strip(d.Render(60)), strip(a.Render(60))); diff != "" {
			t.Errorf("%q is shown unlike %q (-want +got):\n%s", tc.arriving, tc.done, diff)
		}
	}
}

func TestFinishedBlocksAreNotDrawnAgain(t *testing.T) {
	m := New(Options{})
	src := strings.Repeat("A paragraph of some words.\n\n", 50) + "```go\n" + strings.Repeat("x := 1\n", 500)
	m.SetText(src)
	m.Render(60)
	first := m.blocks[0].lines
	allocs := testing.AllocsPerRun(20, func() {
		src += "y"
		m.SetText(src)
		m.Render(60)
	})
	if &m.blocks[0].lines[0] != &first[0] {
		t.Error("a finished block was drawn again")
	}
	if allocs > 100 {
		t.Errorf("a token made %.0f allocations", allocs)
	}
}

func TestContentCanNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	m.SetText("a\x1b[2Jb \x1b]0;t\x07 [x](http://a\x1b]8;;\x07b) `c\x1bc`\n\n```go\x1b[5m\n\x1b[Hx\n```\n")
	for _, l := range m.Render(40) {
		if strings.Contains(l, "\x1b[2J") || strings.Contains(l, "\x1b[H") || strings.Contains(l, "\x1b]0") || strings.Contains(l, "\x1b[5m") {
			t.Errorf("line %q", l)
		}
	}
	check(t, m.Render(40), 40)
}

func FuzzMarkdown(f *testing.F) {
	f.Add(strings.Join(fragments, ""), 20, true)
	f.Add("- a\n\n\t- b\n> ```\n> x\n[a]: b\n[a]", 9, false)
	f.Fuzz(func(t *testing.T, src string, width int, streaming bool) {
		width, src = 1+int(uint(width)%120), src[:min(len(src), 4000)]
		m := New(Options{Theme: colorful(), Mermaid: DiagramsStreaming})
		m.SetStreaming(streaming)
		m.SetText(src[:len(src)/2])
		check(t, m.Render(width), width)
		m.SetText(src)
		check(t, m.Render(width), width)
	})
}

func BenchmarkToken(b *testing.B) {
	for name, head := range map[string]string{
		"paragraph": strings.Repeat("A paragraph of some **words** that is a bit long and wraps.\n\n", 400),
		"code":      "```go\n" + strings.Repeat("\tfor i := range 10 { fmt.Println(i) } // comment\n", 500),
	} {
		b.Run(name, func(b *testing.B) {
			m := New(Options{Theme: colorful()})
			m.SetStreaming(true)
			src := head
			m.SetText(src)
			m.Render(100)
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				if n++; n%60 == 0 {
					src = head
				}
				src += fmt.Sprintf(" tok%d", n%10)
				m.SetText(src)
				m.Render(100)
			}
		})
	}
}

// A definition counts for the whole text, wherever it is and however it came.
func TestLinksAreDefinedAnywhere(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"before": "[a]: http://example.org\n\nsee [a]\n\nend\n",
		"after":  "see [a]\n\nmore\n\n[a]: http://example.org\n\nend\n",
		"last":   "see [a]\n\n[a]: http://example.org",
	} {
		whole, grown := New(Options{}), New(Options{})
		whole.SetText(s)
		grown.SetStreaming(true)
		for i := range len(s) {
			grown.SetText(s[:i+1])
			grown.Render(60)
		}
		grown.SetStreaming(false)
		for how, m := range map[string]*Markdown{"whole": whole, "grown": grown} {
			if out := strings.Join(m.Render(60), "\n"); !strings.Contains(out, "\x1b]8;;http://example.org") {
				t.Errorf("%s, %s: there is no link: %q", name, how, out)
			}
		}
	}
}

// A block is parsed with the definitions that it names, and drawn anew only when one
// of those is new: many definitions do not make a text slow.
func TestDefinitionsConcernOnlyWhatNamesThem(t *testing.T) {
	t.Parallel()
	defs := define(nil, "[A  b]: http://one\n[c]: http://two\n[a B]: http://three\n")
	if len(defs) != 2 || defs[0].line != "[A  b]: http://one\n" {
		t.Errorf("definitions %q: the first of a name counts", defs)
	}
	for src, want := range map[string]int{"see [ a\nB ]": 1, "see [x][C] and [a b]": 2, "[d]": 0, "c": 0} {
		if got := named(src, defs); len(got) != want {
			t.Errorf("%q is parsed with %q, want %d", src, got, want)
		}
	}
	m := New(Options{})
	m.SetText("see [a]\n\nsee [b]\n\n[a]: http://one\n\nend")
	m.Render(40)
	m.SetText(m.Text() + "\n\n[b]: http://two\n\nend")
	m.resolve()
	if !m.blocks[0].drawn || m.blocks[1].drawn {
		t.Errorf("after a new definition the first is kept: %v, the second: %v", m.blocks[0].drawn, m.blocks[1].drawn)
	}
}
