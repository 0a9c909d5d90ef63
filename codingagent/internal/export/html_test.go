package export_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/export"
)

const attack = `</div></pre></details><script>alert(1)</script><img src=x onerror="alert(2)">'"&<!-- ` + "\x1b]8;;http://evil\x07\u202e"

func render(t *testing.T, add func(ctx context.Context, s *session.Session)) string {
	t.Helper()
	s, err := session.Create(t.Context(), session.NewMemory(), session.Header{Cwd: "/w/" + attack}, session.Options{Codec: codingagent.Codec()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	add(t.Context(), s)
	var b strings.Builder
	if err := export.HTML(t.Context(), &b, s, export.Options{Highlight: marked}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Whatever is said anywhere, the page has the tags that we wrote and no others.
func TestNothingActsAsMarkup(t *testing.T) {
	args, err := json.Marshal(map[string]string{"command": attack})
	if err != nil {
		t.Fatal(err)
	}
	page := render(t, func(ctx context.Context, s *session.Session) {
		text := attack
		for _, m := range []interface {
			Role() ai.Role
		}{
			&ai.SystemMessage{Sections: []ai.Section{{Name: attack, Text: &text}}},
			&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: attack}, &ai.Image{MIMEType: "image/svg+xml", Data: "PHN2Zz4="}, &ai.Image{MIMEType: `image/png"><script>`, Data: attack}}},
			&ai.AssistantMessage{Content: []ai.Block{&ai.Thinking{Text: attack}, &ai.ToolCall{ID: "c" + attack, Name: attack, Arguments: args}}, StopReason: ai.StopError, ErrorMessage: attack, Model: attack},
			&ai.ToolResultMessage{ToolCallID: "c" + attack, ToolName: attack, Content: []ai.Block{&ai.Text{Text: attack}}, IsError: true},
			&ai.ToolResultMessage{ToolCallID: "orphan", ToolName: attack, Content: []ai.Block{&ai.Text{Text: attack}}},
			&codingagent.BashExecution{Command: attack, Output: attack},
		} {
			var err error
			switch m := m.(type) {
			case *ai.SystemMessage:
				_, err = s.AppendMessage(ctx, m)
			case *ai.UserMessage:
				_, err = s.AppendMessage(ctx, m)
			case *ai.AssistantMessage:
				_, err = s.AppendMessage(ctx, m)
			case *ai.ToolResultMessage:
				_, err = s.AppendMessage(ctx, m)
			case *codingagent.BashExecution:
				_, err = s.AppendMessage(ctx, m)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, e := range []session.Entry{
			&session.ModelEntry{Provider: attack, ModelID: attack}, &session.InfoEntry{Name: attack},
			&session.CustomMessageEntry{Content: []ai.Block{&ai.Text{Text: attack}}},
		} {
			if _, err := s.Append(ctx, e); err != nil {
				t.Fatal(err)
			}
		}
	})
	checkMarkup(t, page)
	for _, bad := range []string{"\x1b", "\x07", "\u202e", "svg+xml;base64"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(page, "&lt;script&gt;"); n < 12 {
		t.Errorf("%d of the texts are in the page", n)
	}
	opened, closed := strings.Count(page, "<details"), strings.Count(page, "</details>")
	if opened != closed || opened == 0 {
		t.Errorf("%d details are opened, %d closed", opened, closed)
	}
}

// marked colours the word func of programs in Go.
func marked(language, source string, piece func(text, kind string)) bool {
	if language != "go" && !strings.HasSuffix(language, ".go") {
		return false
	}
	for i, part := range strings.Split(source, "func") {
		if i > 0 {
			piece("func", "keyword")
		}
		piece(part, "")
	}
	return true
}

// checkMarkup reads a page and fails on everything that we do
// not write: other elements, other attributes, addresses that are no links to the
// web, to mail or within the page, pictures from elsewhere, elements that are not
// closed.
func checkMarkup(t *testing.T, page string) {
	t.Helper()
	allowed := map[string]string{ // attributes of elements
		"html": "lang", "head": "", "meta": "charset name content http-equiv", "title": "", "style": "", "body": "", "header": "", "fieldset": "class",
		"legend": "", "label": "", "input": "type name id checked", "h1": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "", "p": "class id", "code": "",
		"nav": "", "details": "class id", "summary": "", "ul": "class", "ol": "start", "li": "class", "a": "href rel", "main": "", "section": "class id",
		"time": "", "div": "class", "pre": "", "span": "class", "img": "alt src", "blockquote": "", "hr": "", "br": "", "strong": "", "em": "", "s": "",
		"table": "", "tr": "", "td": "class", "th": "class", "del": "", "ins": "",
	}
	void := []string{"meta", "input", "img", "hr", "br"}
	// Nothing that was said has a < of its own left, so that every one begins a tag
	// of ours, in the one way in which we write tags.
	tag := regexp.MustCompile(`^<(/?)([a-z][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*)>`)
	attribute := regexp.MustCompile(` ([a-z-]+)(?:="([^"]*)")?`)
	rest, ok := strings.CutPrefix(page, "<!DOCTYPE html>")
	if !ok {
		t.Fatal("the page has no document type")
	}
	var open []string
	for {
		at := strings.IndexByte(rest, '<')
		if at < 0 {
			break
		}
		rest = rest[at:]
		m := tag.FindStringSubmatch(rest)
		if m == nil {
			t.Fatalf("this is no tag of ours: %.80q", rest)
		}
		rest = rest[len(m[0]):]
		if m[1] != "" {
			if len(open) == 0 || open[len(open)-1] != m[2] {
				t.Fatalf("%s closes %v", m[0], open)
			}
			open = open[:len(open)-1]
			continue
		}
		attributes, ok := allowed[m[2]]
		if !ok {
			t.Fatalf("the page has the element %s", m[0])
		}
		for _, a := range attribute.FindAllStringSubmatch(m[3], -1) {
			switch {
			case !slices.Contains(strings.Fields(attributes), a[1]):
				t.Errorf("the page has the attribute %s", m[0])
			case a[1] == "href" && !strings.HasPrefix(a[2], "#") && !strings.HasPrefix(a[2], "https://") && !strings.HasPrefix(a[2], "http://") && !strings.HasPrefix(a[2], "mailto:"):
				t.Errorf("the page links to %s", a[2])
			case a[1] == "src" && !strings.HasPrefix(a[2], "data:image/png;base64,"):
				t.Errorf("the page shows %s", a[2])
			}
		}
		if !slices.Contains(void, m[2]) {
			open = append(open, m[2])
		}
	}
	if len(open) > 0 {
		t.Errorf("not closed: %v", open)
	}
}

// say gives a page with one answer.
func say(t *testing.T, text string) string {
	t.Helper()
	return render(t, func(ctx context.Context, s *session.Session) {
		if _, err := s.AppendMessage(ctx, &ai.AssistantMessage{Content: []ai.Block{&ai.Text{Text: text}}, StopReason: ai.StopEnd}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestMarkdown(t *testing.T) {
	cases := map[string][]string{
		"# Big\n\nsome *thin* **thick** ~~gone~~ `a<b`": {"<h3>Big</h3>", "<em>thin</em> <strong>thick</strong> <s>gone</s> <code>a&lt;b</code>"},
		"- one\n- [x] two\n\n3. three":                  {"<ul>", "<li>one", "☑ two", `<ol start="3">`},
		"| a | b |\n|---|--:|\n| 1 | 2 |":               {"<th>a</th>", `<td class="right">2</td>`},
		"```go\nfunc main() {}\n```":                    {`<pre><span class="s-keyword">func</span> main() {}`},
		"```\n<b>\n```":                                 {"<pre>&lt;b&gt;"},
		"[web](https://x.example/?a=1&b=2 \"t\")":       {`href="https://x.example/?a=1&amp;b=2">web</a>`},
		"https://y.example/":                            {`href="https://y.example/"`},
		"[bad](javascript:alert(1)) [b](JaVaScRiPt:x) [c](data:text/html,x) [d](vbscript:x) [e](/etc) [f](//host/x) [g](file:///etc)": {"bad b c d e f g"},
		"<javascript:alert(1)> <https://z.example>":   {`href="https://z.example"`},
		"![a picture](https://tracker.example/x.png)": {`href="https://tracker.example/x.png">[a picture]</a>`},
		"![x](data:image/svg+xml;base64,PHN2Zz4=)":    {"[x]"},
		"<script>alert(1)</script>":                   {"<pre>&lt;script&gt;alert(1)&lt;/script&gt;"},
		"a <img src=x onerror=alert(1)> b":            {"a &lt;img src=x onerror=alert(1)&gt; b"},
		"<svg onload=alert(1)><style>*{}</style>":     {"&lt;svg onload=alert(1)&gt;"},
		"</div></section></main></script>":            {"&lt;/div&gt;&lt;/section&gt;"},
		"<!-- a comment\n-->":                         {"&lt;!-- a comment"},
		"[x]: javascript:alert(1)\n\n[x]":             {"<p>x</p>"},
		strings.Repeat("> ", 500) + "deep":            {"deep"},
		strings.Repeat("*", 3000) + "x":               {"x"},
	}
	for source, want := range cases {
		page := say(t, source)
		checkMarkup(t, page)
		for _, w := range want {
			if !strings.Contains(page, w) {
				_, md, _ := strings.Cut(page, `class="md"`)
				t.Errorf("%.80q lacks %q:\n%.600s", source, w, md)
			}
		}
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{attack, "# a\n- b\n\n| a |\n|---|\n| <b> |", "[a](javascript:x)", "```go\nfunc\n```", "<details open ontoggle=alert(1)>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkMarkup(t, say(t, s)) })
}

// All branches are in the page: the leaf's as it is, others folded behind it, with
// links both ways; results stand with their calls.
func TestPage(t *testing.T) {
	page := render(t, func(ctx context.Context, s *session.Session) {
		add := func(m agentcore.Message) string {
			id, err := s.AppendMessage(ctx, m)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		one := add(ai.UserText("one"))
		add(ai.UserText("two"))
		if err := s.MoveTo(ctx, one); err != nil {
			t.Fatal(err)
		}
		add(&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "three"}, &ai.Image{MIMEType: "image/png", Data: "AA\nAA"}}})
		add(&ai.AssistantMessage{StopReason: ai.StopToolUse, Content: []ai.Block{
			&ai.ToolCall{ID: "c1", Name: "write", Arguments: json.RawMessage(`{"path":"a/b.go","content":"func main() {}"}`)},
			&ai.ToolCall{ID: "c2", Name: "edit", Arguments: json.RawMessage(`{"path":"x","edits":[{"oldText":"old","newText":"new"}]}`)},
		}})
		add(&ai.ToolResultMessage{ToolCallID: "c1", ToolName: "write", Content: []ai.Block{&ai.Text{Text: "written"}}})
		four := add(ai.UserText("four"))
		add(ai.UserText("five"))
		if err := s.MoveTo(ctx, four); err != nil {
			t.Fatal(err)
		}
		if err := s.SetLabel(ctx, four, "important"); err != nil {
			t.Fatal(err)
		}
	})
	checkMarkup(t, page)
	for _, want := range []string{
		"3 branches", `src="data:image/png;base64,AAAA"`, "default-src 'none'", "Another branch: two", "Another branch: five",
		`<a href="#b-1">Another branch</a> goes on here: two`, `id="b-1"`, "prefers-color-scheme:dark", "theme-dark",
		`<span class="s-keyword">func</span> main() {}`, "<del>-old</del>", "<ins>+new</ins>", `<p class="label">important`, "5 messages of the user",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	main, others, _ := strings.Cut(page[strings.Index(page, "<main>"):], `<details class="branch"`)
	for text, here := range map[string]bool{">one<": true, ">three<": true, ">four<": true, ">two<": false, ">five<": false} {
		if strings.Contains(main, text) != here || strings.Contains(others, text) == here {
			t.Errorf("%s is in the wrong place", text)
		}
	}
	if strings.Contains(main, "Result of write") || !strings.Contains(main, "<pre>written</pre>") {
		t.Error("the result does not stand with its call")
	}
}

// A tree may be as deep as it is long, and as wide.
func TestManyBranches(t *testing.T) {
	page := render(t, func(ctx context.Context, s *session.Session) {
		for i := range 300 {
			at, err := s.AppendMessage(ctx, ai.UserText(fmt.Sprintf("stem %d", i)))
			if err == nil {
				_, err = s.AppendMessage(ctx, ai.UserText(fmt.Sprintf("twig %d", i)))
			}
			if err == nil {
				err = s.MoveTo(ctx, at)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	checkMarkup(t, page)
	if n := strings.Count(page, `<details class="branch"`); n != 300 {
		t.Errorf("%d branches, want 300", n)
	}
	for _, s := range []string{">stem 0<", ">stem 299<", ">twig 0<", ">twig 299<"} {
		if n := strings.Count(page, s); n < 1 {
			t.Errorf("%s is there %d times", s, n)
		}
	}
}

func FuzzEscape(f *testing.F) {
	f.Add(attack)
	f.Fuzz(func(t *testing.T, s string) {
		if got := export.Escape(s); strings.ContainsAny(got, "<>\"'\x00\x1b\r") {
			t.Errorf("%q becomes %q", s, got)
		}
	})
}
