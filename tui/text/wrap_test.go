package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	const red, off, bold = "\x1b[31m", "\x1b[0m", "\x1b[1m"
	const link, unlink = "\x1b]8;;https://go.dev\x1b\\", "\x1b]8;;\x1b\\"
	for _, tc := range []struct {
		name  string
		s     string
		width int
		want  []string
	}{
		{"empty", "", 10, []string{""}},
		{"fits", "one two", 7, []string{"one two"}},
		{"at a blank", "one two", 6, []string{"one", "two"}},
		{"several words", "aa bb cc dd", 5, []string{"aa bb", "cc dd"}},
		{"line feeds", "a\n\nb\n", 5, []string{"a", "", "b", ""}},
		{"long word", "abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"long word after a short one", "a bcdefgh", 4, []string{"a", "bcde", "fgh"}},
		{"indent is kept", "  ab cd", 5, []string{"  ab", "cd"}},
		{"blanks at the break vanish", "ab    cd", 3, []string{"ab", "cd"}},
		{"blanks over the edge vanish", "abc   ", 3, []string{"abc"}},
		{"trailing blanks that fit stay", "ab  ", 5, []string{"ab  "}},
		{"only blanks", "     ", 2, []string{"  ", "  ", " "}},
		{"wide", "한국어", 4, []string{"한국", "어"}},
		{"wide, odd width", "한국어", 5, []string{"한국", "어"}},
		{"wide after a word", "ab한국어", 5, []string{"ab한", "국어"}},
		{"closing mark stays", "中文。好", 4, []string{"中", "文。", "好"}},
		{"width one, wide", "한a", 1, []string{"한", "a"}},
		{"width zero", "ab", 0, []string{"a", "b"}},
		{"cluster is whole", "a👩\u200d🚀b", 2, []string{"a", "👩\u200d🚀", "b"}},
		{"combining at the edge", "abe\u0301f", 3, []string{"abe\u0301", "f"}},
		{"style goes on", red + "one two" + off, 4, []string{red + "one" + off, red + "two" + off}},
		{"styles nest", red + "one " + bold + "two", 4, []string{red + "one" + off, red + bold + "two" + off}},
		{"style over a line feed", red + "a\nb" + off + "c", 9, []string{red + "a" + off, red + "b" + off + "c"}},
		{"reset at the break", red + "one" + off + " two", 4, []string{red + "one" + off, "two"}},
		{"style changes in blanks at a break", "one " + red + " two" + off, 4, []string{"one", red + "two" + off}},
		{"style ends in blanks at a break", red + "one " + off + " two", 4, []string{red + "one" + off, "two"}},
		{"link begins in blanks at a break", "one " + link + " two" + unlink, 4, []string{"one", link + "two" + unlink}},
		{"link goes on", link + "one two" + unlink, 4, []string{link + "one" + unlink, link + "two" + unlink}},
		{"tab", "a\tb", 10, []string{"a    b"}},
		{"tab at a break", "aaa\tb", 4, []string{"aaa", "b"}},
		{"control characters vanish", "a\rb\x07\x1b[2Jc", 10, []string{"abc"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, Wrap(tc.s, tc.width)); diff != "" {
				t.Errorf("Wrap(%q, %d) (-want +got):\n%s", tc.s, tc.width, diff)
			}
		})
	}
}

// pieces draws text of what makes wrapping hard.
func pieces() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", "word", "longerword", " ", "  ", "\n", "\t", "한", "中文。", "「引", "e\u0301", "👩\u200d🚀", "🇯🇵", "❄\ufe0f", "1\ufe0f\u20e3",
		"\u200b", "ก\u0e49", "ｱ", "\x1b[31m", "\x1b[1;48;5;7m", "\x1b[4:3m", "\x1b[0m", "\x1b[m", "\x1b[38;2;1;2;3m",
		"\x1b]8;;http://x\x1b\\", "\x1b]8;;\x1b\\", "\x1b[2J", "\x07", "\xff", "\u009b",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
	})
}

// inked is what a person reads: the text with its styles, without blanks.
func inked(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		var p pen
		for l != "" {
			t := (*Ruler)(nil).next(l)
			switch unit := l[:t.size]; {
			case t.kind == kindSequence:
				p.take(unit)
			case t.kind == kindText && unit != " " && t.width > 0:
				b.Write(p.open(nil))
				b.WriteString(strings.ToValidUTF8(unit, "\ufffd"))
			}
			l = l[t.size:]
		}
	}
	return b.String()
}

// checkLine fails unless line is fit to be written to a terminal of a width. Only
// a single cluster may be too wide.
func checkLine(t interface{ Fatalf(string, ...any) }, line string, width int) {
	clusters := 0
	for rest := line; rest != ""; {
		tok := (*Ruler)(nil).next(rest)
		if tok.kind == kindControl || tok.kind == kindTab {
			t.Fatalf("line %q has the control character %q", line, rest[:tok.size])
		}
		if tok.width > 0 {
			clusters++
		}
		rest = rest[tok.size:]
	}
	if w := Width(line); w > width && clusters > 1 {
		t.Fatalf("line %q is %d columns wide, more than %d", line, w, width)
	}
	var p pen
	p.follow(line)
	if !p.isDefault() {
		t.Fatalf("line %q leaves %+v in force", line, p)
	}
}

func checkWrap(t interface{ Fatalf(string, ...any) }, s string, width int) {
	lines := Wrap(s, width)
	for _, l := range lines {
		checkLine(t, l, width)
	}
	// The pen goes on over line feeds, so the whole is one line of ink.
	if got, want := inked(lines), inked([]string{strings.ReplaceAll(s, "\n", " ")}); got != want {
		t.Fatalf("Wrap(%q, %d) = %q changed the text:\ngot  %q\nwant %q", s, width, lines, got, want)
	}
}

func TestWrapProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkWrap(t, pieces().Draw(t, "text"), rapid.IntRange(1, 12).Draw(t, "width"))
	})
}

func FuzzWrap(f *testing.F) {
	f.Add("one two \x1b[31mthree\x1b[0m 한국어", 5)
	f.Add("\x1b]8;;x\atext\x1b]8;;\a e\u0301", 1)
	f.Add("\u0600\t\xff\x1b[", 3)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 1 + int(uint(width)%200)
		for _, l := range Wrap(s, width) {
			checkLine(t, l, width)
		}
		// A control character between a base and its mark parts them; when it
		// vanishes they join, which is another text.
		if isClean(s) {
			checkWrap(t, s, width)
		}
	})
}

func BenchmarkWrap(b *testing.B) {
	for name, s := range map[string]string{
		"ascii":  strings.Repeat("the quick brown fox jumps over the lazy dog ", 20),
		"styled": strings.Repeat("\x1b[1mthe quick\x1b[0m brown fox jumps over the lazy dog ", 20),
		"cjk":    strings.Repeat("가나다라마 ", 60),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				Wrap(s, 80)
			}
		})
	}
}
