package highlight

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/text"
)

// marked shows a text with its spans as ⟨letter text⟩.
func marked(l *Language, src string) string {
	letters := []string{"", "c", "k", "f", "v", "s", "n", "t", "o", "p", "+", "-", "h"}
	var out []string
	var st State
	for line := range strings.SplitSeq(src, "\n") {
		var spans []Span
		spans, st = l.Line(nil, line, st)
		var b strings.Builder
		at := 0
		for _, sp := range spans {
			if sp.Kind == Operator || sp.Kind == Punctuation {
				continue // they would hide what matters
			}
			b.WriteString(line[at:sp.Start])
			fmt.Fprintf(&b, "⟨%s %s⟩", letters[sp.Kind], line[sp.Start:sp.End])
			at = sp.End
		}
		out = append(out, b.String()+line[at:])
	}
	return strings.Join(out, "\n")
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ lang, src, want string }{
		{
			"go", "func main() { // x\n\ts := `a\nb` + \"c\\\"d\" /* e\nf */ return 0x1F, nil }",
			"⟨k func⟩ ⟨f main⟩() { ⟨c // x⟩\n\ts := ⟨s `a⟩\n⟨s b`⟩ + ⟨s \"c\\\"d\"⟩ ⟨c /* e⟩\n⟨c f */⟩ ⟨k return⟩ ⟨n 0x1F⟩, ⟨n nil⟩ }",
		},
		{
			"js", "const re = /a[/]b/g, x = a / b / c; let s = `x\n${y}`; new Foo()",
			"⟨k const⟩ re = ⟨s /a[/]b/g⟩, x = a / b / c; ⟨k let⟩ s = ⟨s `x⟩\n⟨s ${y}`⟩; ⟨k new⟩ ⟨f Foo⟩()",
		},
		{"ts", "interface A { b: string; c?: number }", "⟨k interface⟩ ⟨t A⟩ { b: ⟨t string⟩; c?: ⟨t number⟩ }"},
		{
			"python", "@dec\ndef f(x): # c\n    \"\"\"doc\n    '''\"\"\"\n    return None or 1e-5",
			"⟨f @dec⟩\n⟨k def⟩ ⟨f f⟩(x): ⟨c # c⟩\n    ⟨s \"\"\"doc⟩\n⟨s     '''\"\"\"⟩\n    ⟨k return⟩ ⟨n None⟩ ⟨k or⟩ ⟨n 1e-5⟩",
		},
		{
			"bash", "if [ -n \"$x\" ]; then echo ${y#z} $1 # c\ncat <<EOF\n$x\nEOF\nfi",
			"⟨k if⟩ [ -n ⟨s \"$x\"⟩ ]; ⟨k then⟩ ⟨k echo⟩ ⟨v ${y#z}⟩ ⟨v $1⟩ ⟨c # c⟩\ncat <<EOF\n⟨s $x⟩\n⟨k EOF⟩\n⟨k fi⟩",
		},
		{"json", "{\"a\": [\"b\", 1, true]}", "{⟨v \"a\"⟩: [⟨s \"b\"⟩, ⟨n 1⟩, ⟨n true⟩]}"},
		{
			"yaml", "a: b # c\n- k: 1\n  t: |\n    x: y\n\n    z\nd: true",
			"⟨v a⟩: ⟨s b⟩ ⟨c # c⟩\n- ⟨v k⟩: ⟨n 1⟩\n  ⟨v t⟩: |\n    ⟨s x: y⟩\n\n    ⟨s z⟩\n⟨v d⟩: ⟨n true⟩",
		},
		{"toml", "[a.b]\nk = \"v\" # c\nn = 1", "⟨t [a.b]⟩\n⟨v k⟩ = ⟨s \"v\"⟩ ⟨c # c⟩\n⟨v n⟩ = ⟨n 1⟩"},
		{
			"rust", "fn f<'a>(x: &'a str) -> char { println!(\"x\"); 'c' } /* a /* b */ c */ r#\"q\"\nq\"#",
			"⟨k fn⟩ f<⟨t 'a⟩>(x: &⟨t 'a⟩ ⟨t str⟩) -> ⟨t char⟩ { ⟨f println⟩!(⟨s \"x\"⟩); ⟨s 'c'⟩ } ⟨c /* a /* b */ c */⟩ ⟨s r#\"q\"⟩\n⟨s q\"#⟩",
		},
		{"c", "#include <stdio.h>\nint main(void) { return 'a'; }", "⟨k #include⟩ ⟨s <stdio.h>⟩\n⟨t int⟩ ⟨f main⟩(⟨t void⟩) { ⟨k return⟩ ⟨s 'a'⟩; }"},
		{"html", "<!-- c\n--><a href=\"x\" on>&amp; t</a>", "⟨c <!-- c⟩\n⟨c -->⟩<⟨k a⟩ ⟨v href⟩=⟨s \"x\"⟩ ⟨v on⟩>⟨n &amp;⟩ t</⟨k a⟩>"},
		{"css", ".a, #b {\n  color: #fff; /* c */\n}", "⟨t .a, #b ⟩{\n  ⟨v color⟩: ⟨n #fff⟩; ⟨c /* c */⟩\n}"},
		{"sql", "select * FROM t -- c\nwhere a = 'x''y'", "⟨k select⟩ * ⟨k FROM⟩ t ⟨c -- c⟩\n⟨k where⟩ a = ⟨s 'x''y'⟩"},
		{"diff", "@@ -1 +1 @@\n-a\n+b\n c", "⟨f @@ -1 +1 @@⟩\n⟨- -a⟩\n⟨+ +b⟩\n c"},
		{"markdown", "# H\n- a `c` **b** [l](u)\n```go\nx\n```\n> q", "⟨h # H⟩\n- a ⟨s `c`⟩ ⟨k **b**⟩ ⟨f [l]⟩⟨v (u)⟩\n```go\n⟨s x⟩\n```\n⟨c > q⟩"},
		{"makefile", "all: a b # c\n\tgo build $(X)\nV := 1", "⟨f all⟩: a b ⟨c # c⟩\n\tgo build ⟨v $⟩(X)\n⟨v V⟩ := ⟨n 1⟩"},
		{"dockerfile", "FROM a AS b\nRUN x # c", "⟨k FROM⟩ a ⟨k AS⟩ b\n⟨k RUN⟩ x ⟨c # c⟩"},
		{"ruby", "def a?(b) = @b =~ /x/ # c", "⟨k def⟩ ⟨f a?⟩(b) = ⟨v @b⟩ =~ ⟨s /x/⟩ ⟨c # c⟩"},
		{"java", "@Override public void f() { String s = \"a\"; }", "⟨f @Override⟩ ⟨k public⟩ ⟨t void⟩ ⟨f f⟩() { ⟨t String⟩ s = ⟨s \"a\"⟩; }"},
		{"php", "$a = 'b'; // c", "⟨v $a⟩ = ⟨s 'b'⟩; ⟨c // c⟩"},
		{"lua", "local s = [[a\nb]] -- c", "⟨k local⟩ s = ⟨s [[a⟩\n⟨s b]]⟩ ⟨c -- c⟩"},
		{"haskell", "f :: Int -- c\n{- a {- b -}\n-} x' = True", "f :: ⟨t Int⟩ ⟨c -- c⟩\n⟨c {- a {- b -}⟩\n⟨c -}⟩ x' = ⟨n True⟩"},
		{"clojure", "(defn f [x] ; c\n  \"s\")", "(⟨k defn⟩ f [x] ⟨c ; c⟩\n  ⟨s \"s\"⟩)"},
	} {
		t.Run(tc.lang, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, marked(Find(tc.lang), tc.src)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestThereAreThirtyLanguagesAndNoNameIsUsedTwice(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	n := 0
	for _, l := range languages() {
		n++
		names := strings.Fields(l.Name + " " + l.aliases)
		for f := range strings.FieldsSeq(l.files) {
			names = append(names, "file "+f)
		}
		for _, name := range names {
			if other, ok := seen[name]; ok {
				t.Errorf("%q is of %s and of %s", name, other, l.Name)
			}
			seen[name] = l.Name
		}
		if len(l.strings) > 250 {
			t.Errorf("%s has more rules than a state can tell apart", l.Name)
		}
	}
	if n < 30 {
		t.Errorf("%d languages, want 30", n)
	}
	for name, want := range map[string]string{"Go": "go", "sh": "shell", "TSX": "typescript", "c++": "cpp", "json {x}": "json", ".py": "", "rs": "rust"} {
		got := ""
		if l := Find(name); l != nil {
			got = l.Name
		}
		if got != want && want != "" {
			t.Errorf("Find(%q) = %q, want %q", name, got, want)
		}
	}
	for file, want := range map[string]string{"a/b/Main.GO": "go", `c:\x\y.ps1`: "powershell", "Dockerfile": "dockerfile", "src/Makefile": "makefile", "x.unknown": ""} {
		got := ""
		if l := ByFile(file); l != nil {
			got = l.Name
		}
		if got != want {
			t.Errorf("ByFile(%q) = %q, want %q", file, got, want)
		}
	}
}

func TestPaint(t *testing.T) {
	t.Parallel()
	styles := &Styles{Keyword: {Attr: text.Bold}}
	spans, _ := Find("go").Line(nil, "func x", State{})
	if got, want := Paint("func x", spans, styles), "\x1b[1mfunc\x1b[0m x"; got != want {
		t.Errorf("Paint = %q, want %q", got, want)
	}
	if got := Paint("func x", spans, nil); got != "func x" {
		t.Errorf("without styles: %q", got)
	}
}

func FuzzLine(f *testing.F) {
	for i, l := range languages() {
		f.Add(i, "if x == \"a\\\" /* b */ # c // d <a b='c'> @x $y 'z' `q` --[[ ]] \n - k: |\n <<E\n"+l.Name)
	}
	f.Fuzz(func(t *testing.T, lang int, src string) {
		list := languages()
		l := list[((lang%len(list))+len(list))%len(list)]
		var st State
		for line := range strings.SplitSeq(src, "\n") {
			var spans []Span
			spans, st = l.Line(nil, line, st)
			at := 0
			for _, sp := range spans {
				if sp.Start < at || sp.End <= sp.Start || sp.End > len(line) || sp.Kind >= kinds {
					t.Fatalf("%s: %q has the spans %v", l.Name, line, spans)
				}
				at = sp.End
			}
		}
	})
}

func BenchmarkLine(b *testing.B) {
	src := map[string]string{
		"go":     "\tfor i, line := range lines { // walk over what is there\n\t\tout = append(out, strings.ToUpper(line[i:]), \"text\", 42)\n\t}",
		"python": "    for i, line in enumerate(lines):  # walk over what is there\n        out.append(line.upper() + \"text\" + str(42))\n    return None",
		"yaml":   "key: value # comment\n- name: \"quoted\"\n  count: 12",
		"html":   "<a href=\"https://example.org\" class='x'>text &amp; more</a>\n<p>\n</p>",
	}
	for name, s := range src {
		b.Run(name, func(b *testing.B) {
			lines := strings.Split(s, "\n")
			l := Find(name)
			var spans []Span
			b.ReportAllocs()
			for b.Loop() {
				var st State
				for _, line := range lines {
					spans, st = l.Line(spans[:0], line, st)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(lines)), "ns/line")
		})
	}
}
