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

// sample is a text of a language with its parts marked.
type sample struct{ lang, src, want string }

// samples has at least one for each language.
func samples() []sample {
	return []sample{
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
		{
			"ini", "; c\n[core]\nname = \"x\" # c\non=yes",
			"⟨c ; c⟩\n⟨t [core]⟩\n⟨v name⟩ = ⟨s \"x\"⟩ ⟨c # c⟩\n⟨v on⟩=⟨n yes⟩",
		},
		{
			"cpp", "#define X 1\ntemplate <typename T> class A final { std::vector<int> v = {1, 0x2}; char c = '\\''; }; // c",
			"⟨k #define⟩ ⟨t X⟩ ⟨n 1⟩\n⟨k template⟩ <⟨k typename⟩ ⟨t T⟩> ⟨k class⟩ ⟨t A⟩ ⟨k final⟩ { std::⟨t vector⟩<⟨t int⟩> v = {⟨n 1⟩, ⟨n 0x2⟩}; ⟨t char⟩ c = ⟨s '\\''⟩; }; ⟨c // c⟩",
		},
		{
			"csharp", "[Test] public async Task<int> F(string s) => @\"a\\\" + \"b\\\"c\"; // c",
			"[⟨t Test⟩] ⟨k public⟩ ⟨k async⟩ ⟨t Task⟩<⟨t int⟩> ⟨f F⟩(⟨t string⟩ s) => ⟨s @\"a\\\"⟩ + ⟨s \"b\\\"c\"⟩; ⟨c // c⟩",
		},
		{
			"kotlin", "data class A(val x: Int = 1) /* a /* b */ c */\nval s = \"\"\"raw\n\\\"\"\"",
			"⟨k data⟩ ⟨k class⟩ ⟨f A⟩(⟨k val⟩ x: ⟨t Int⟩ = ⟨n 1⟩) ⟨c /* a /* b */ c */⟩\n⟨k val⟩ s = ⟨s \"\"\"raw⟩\n⟨s \\\"\"\"⟩",
		},
		{
			"swift", "@main struct A { let x: Int? = nil // c\n}\nlet s = \"\"\"\na\n\"\"\"",
			"⟨f @main⟩ ⟨k struct⟩ ⟨t A⟩ { ⟨k let⟩ x: ⟨t Int⟩? = ⟨n nil⟩ ⟨c // c⟩\n}\n⟨k let⟩ s = ⟨s \"\"\"⟩\n⟨s a⟩\n⟨s \"\"\"⟩",
		},
		{
			"xml", "<?xml version=\"1.0\"?>\n<a:b c='d'><!-- x\n--><![CDATA[y]]></a:b>",
			"<?⟨k xml⟩ ⟨v version⟩=⟨s \"1.0\"⟩?>\n<⟨k a:b⟩ ⟨v c⟩=⟨s 'd'⟩>⟨c <!-- x⟩\n⟨c -->⟩<![CDATA[y]]></⟨k a:b⟩>",
		},
		{
			"perl", "my $x = 'a'; # c\nif ($x =~ /a#b/) { print \"$x\\n\"; }",
			"⟨k my⟩ ⟨v $x⟩ = ⟨s 'a'⟩; ⟨c # c⟩\n⟨k if⟩ (⟨v $x⟩ =~ ⟨s /a#b/⟩) { ⟨k print⟩ ⟨s \"$x\\n\"⟩; }",
		},
		{
			"r", "f <- function(x) { # c\n  if (is.na(x)) NULL else 'a' }",
			"f <- ⟨k function⟩(x) { ⟨c # c⟩\n  ⟨k if⟩ (⟨f is.na⟩(x)) ⟨n NULL⟩ ⟨k else⟩ ⟨s 'a'⟩ }",
		},
		{
			"scala", "case class A(x: Int) extends B // c\nval s = \"\"\"a\nb\"\"\"",
			"⟨k case⟩ ⟨k class⟩ ⟨f A⟩(x: ⟨t Int⟩) ⟨k extends⟩ ⟨t B⟩ ⟨c // c⟩\n⟨k val⟩ s = ⟨s \"\"\"a⟩\n⟨s b\"\"\"⟩",
		},
		{
			"elixir", "@doc \"x\"\ndef f?(a) do # c\n  :ok\nend",
			"⟨f @doc⟩ ⟨s \"x\"⟩\n⟨k def⟩ ⟨f f?⟩(a) ⟨k do⟩ ⟨c # c⟩\n  :ok\n⟨k end⟩",
		},
		{
			"dart", "@override Future<int> f() async => await g('a'); // c",
			"⟨f @override⟩ ⟨t Future⟩<⟨t int⟩> ⟨f f⟩() ⟨k async⟩ => ⟨k await⟩ ⟨f g⟩(⟨s 'a'⟩); ⟨c // c⟩",
		},
		{
			"zig", "const std = @import(\"std\"); // c\nfn f(a: u8) !void {}",
			"⟨k const⟩ std = ⟨f @import⟩(⟨s \"std\"⟩); ⟨c // c⟩\n⟨k fn⟩ ⟨f f⟩(a: ⟨t u8⟩) !⟨t void⟩ {}",
		},
		{
			"powershell", "<# c\n#> function Get-A { param($x) if ($x -eq 1) { \"a`\"b\" } } # c",
			"⟨c <# c⟩\n⟨c #>⟩ ⟨k function⟩ Get-A { ⟨k param⟩(⟨v $x⟩) ⟨k if⟩ (⟨v $x⟩ -eq ⟨n 1⟩) { ⟨s \"a`\"b\"⟩ } } ⟨c # c⟩",
		},
		{
			"objectivec", "#import <F/F.h>\n@interface A : NSObject // c\n- (id)f:(int)x; NSString *s = @\"a\\\"b\";",
			"⟨k #import⟩ ⟨s <F/F.h>⟩\n⟨f @interface⟩ ⟨t A⟩ : ⟨t NSObject⟩ ⟨c // c⟩\n- (⟨t id⟩)f:(⟨t int⟩)x; ⟨t NSString⟩ *s = ⟨s @\"a\\\"b\"⟩;",
		},
		{
			"protobuf", "syntax = \"proto3\"; // c\nmessage A { repeated int32 x = 1; }",
			"⟨k syntax⟩ = ⟨s \"proto3\"⟩; ⟨c // c⟩\n⟨k message⟩ ⟨t A⟩ { ⟨k repeated⟩ ⟨t int32⟩ x = ⟨n 1⟩; }",
		},
		{
			"graphql", "query Q($a: Int) { b(c: $a) @include { d } } # c",
			"⟨k query⟩ ⟨f Q⟩(⟨v $a⟩: ⟨t Int⟩) { ⟨f b⟩(c: ⟨v $a⟩) ⟨f @include⟩ { d } } ⟨c # c⟩",
		},
		{
			"hcl", "resource \"a\" \"b\" { # c\n  x = var.y\n  t = true\n}",
			"⟨k resource⟩ ⟨s \"a\"⟩ ⟨s \"b\"⟩ { ⟨c # c⟩\n  x = var.y\n  t = ⟨n true⟩\n}",
		},
		{
			"nix", "let x = 1; # c\nin ''a\nb'' /* d */",
			"⟨k let⟩ x = ⟨n 1⟩; ⟨c # c⟩\n⟨k in⟩ ⟨s ''a⟩\n⟨s b''⟩ ⟨c /* d */⟩",
		},
		{
			"clike", "class A { def x = null // c\n /* d */ }",
			"⟨k class⟩ ⟨t A⟩ { ⟨k def⟩ x = ⟨k null⟩ ⟨c // c⟩\n ⟨c /* d */⟩ }",
		},
		{
			"script", "function f # c\n  echo \"$x\" $y\nend",
			"⟨k function⟩ f ⟨c # c⟩\n  echo ⟨s \"$x\"⟩ ⟨v $y⟩\n⟨k end⟩",
		},
		{
			"typescript", "type A<T> = readonly T[]; /* c\n*/ let x: unknown = `a${1}`;",
			"⟨k type⟩ ⟨t A⟩<⟨t T⟩> = ⟨k readonly⟩ ⟨t T⟩[]; ⟨c /* c⟩\n⟨c */⟩ ⟨k let⟩ x: ⟨t unknown⟩ = ⟨s `a${1}`⟩;",
		},
	}
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	tried := map[*Language]bool{}
	for _, tc := range samples() {
		tried[Find(tc.lang)] = true
		t.Run(tc.lang, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, marked(Find(tc.lang), tc.src)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, l := range languages() {
		if !tried[l] {
			t.Errorf("%s has no sample", l.Name)
		}
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

// BenchmarkLine measures a line of each language: samples made longer, to about
// 70 bytes a line.
func BenchmarkLine(b *testing.B) {
	for _, s := range samples() {
		b.Run(s.lang, func(b *testing.B) {
			var lines []string
			size := 0
			for line := range strings.SplitSeq(s.src, "\n") {
				if n := 70 / (len(line) + 1); n > 1 {
					line = strings.Repeat(line+" ", n)
				}
				lines = append(lines, line)
				size += len(line)
			}
			l := Find(s.lang)
			var spans []Span
			b.SetBytes(int64(size))
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
