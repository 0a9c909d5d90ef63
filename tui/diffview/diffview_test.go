package diffview

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/highlight"
	"github.com/pi-go/pi/tui/text"
	"pgregory.net/rapid"
)

func short(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString([]string{" ", "+", "-", "~", "i"}[l.Kind] + l.Text + "\n")
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, a, b string
		context    int
		want       string
	}{
		{"same", "a\nb\n", "a\nb\n", 3, ""},
		{"change", "a\nb\nc\n", "a\nB\nc\n", 3, " a\n-b\n+B\n c\n"},
		{"context", "1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\n5\n6\nx\n", 1, " 6\n-7\n+x\n"},
		{"gap", "1\n2\n3\n4\n5\n6\n7\n", "x\n2\n3\n4\n5\n6\ny\n", 1, "-1\n+x\n 2\n~3\n 6\n-7\n+y\n"},
		{"from nothing", "", "a\nb\n", 3, "+a\n+b\n"},
		{"to nothing", "a\n", "", 3, "-a\n"},
		{"line ends do not count", "a\r\nb\r\n", "a\nb\n", 3, ""},
		{"insert in the middle", "a\nb\n", "a\nx\nb\n", 0, "+x\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, short(Compare(tc.a, tc.b, tc.context))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The kept and removed lines are the old text, the kept and added the new one,
// and no diff is longer than the simple one by dynamic programming.
func TestCompareIsADiffAndAShortestOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 12)
		a, b := lines.Draw(t, "a"), lines.Draw(t, "b")
		text := func(l []string) string {
			if len(l) == 0 {
				return ""
			}
			return strings.Join(l, "\n") + "\n"
		}
		var was, is []string
		cost := 0
		for _, l := range Compare(text(a), text(b), -1) {
			if l.Kind != Added {
				was = append(was, l.Text)
				if l.Old != len(was) {
					t.Fatalf("line %d of the old text has the number %d", len(was), l.Old)
				}
			}
			if l.Kind != Removed {
				is = append(is, l.Text)
				if l.New != len(is) {
					t.Fatalf("line %d of the new text has the number %d", len(is), l.New)
				}
			}
			if l.Kind != Same {
				cost++
			}
		}
		if text(was) != text(a) || text(is) != text(b) {
			t.Fatalf("the diff of %q and %q is of %q and %q", a, b, was, is)
		}
		lcs := make([][]int, len(a)+1)
		for i := range lcs {
			lcs[i] = make([]int, len(b)+1)
			for j := range lcs[i] {
				switch {
				case i == 0 || j == 0:
				case a[i-1] == b[j-1]:
					lcs[i][j] = lcs[i-1][j-1] + 1
				default:
					lcs[i][j] = max(lcs[i-1][j], lcs[i][j-1])
				}
			}
		}
		if best := len(a) + len(b) - 2*lcs[len(a)][len(b)]; cost != best {
			t.Fatalf("the diff of %q and %q has %d lines, the shortest %d", a, b, cost, best)
		}
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	patch := "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@ func\n a\n-b\n+B\n c\n\\ No newline at end of file\n@@ -9 +9,2 @@\n-- minus\n+++ plus\n+\n"
	want := []Line{
		{Kind: Info, Text: "diff --git a/x b/x"},
		{Kind: Info, Text: "--- a/x"},
		{Kind: Info, Text: "+++ b/x"},
		{Same, 1, 1, "a"},
		{Removed, 2, 0, "b"},
		{Added, 0, 2, "B"},
		{Same, 3, 3, "c"},
		{Kind: Gap},
		{Removed, 9, 0, "- minus"},
		{Added, 0, 9, "++ plus"},
		{Added, 0, 10, ""},
	}
	if diff := cmp.Diff(want, Parse(patch)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func strip(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(text.Strip(l), " ")
	}
	return out
}

func TestView(t *testing.T) {
	t.Parallel()
	lines := Compare("one\nold value = 1\nthree\n4\n5\n6\n7\n8\n", "one\nnew value = 1\nthree\n4\n5\n6\n7\neight is long enough to wrap\n", 1)
	v := New(lines, Options{})
	want := []string{"1   one", "2 - old value = 1", "2 + new value = 1", "3   three", "⋯ 3 lines", "7   7", "8 - 8", "8 + eight is long", "    enough to wrap"}
	if diff := cmp.Diff(want, strip(v.Render(20))); diff != "" {
		t.Errorf("unified (-want +got):\n%s", diff)
	}
	v = New(lines, Options{Split: true, SplitWidth: 40})
	want = []string{
		"1   one            │1   one",
		"2 - old value = 1  │2 + new value = 1",
		"3   three          │3   three",
		"⋯ 3 lines",
		"7   7              │7   7",
		"8 - 8              │8 + eight is long",
		"                   │    enough to wrap",
	}
	if diff := cmp.Diff(want, strip(v.Render(40))); diff != "" {
		t.Errorf("beside each other (-want +got):\n%s", diff)
	}
}

func TestWordsAreMarked(t *testing.T) {
	t.Parallel()
	th := Theme{AddedWord: text.Style{Attr: text.Bold}, RemovedWord: text.Style{Attr: text.Inverse}}
	v := New(Compare("a := f(x, 1)\n", "a := g(x, 1)\n", 3), Options{Theme: th, NoNumbers: true})
	want := []string{"- a := \x1b[7mf\x1b[0m(x, 1)", "+ a := \x1b[1mg\x1b[0m(x, 1)"}
	if diff := cmp.Diff(want, v.Render(40)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	v = New(Compare("completely other\n", "nothing in common\n", 3), Options{Theme: th, NoNumbers: true})
	if got := strings.Join(v.Render(40), ""); strings.Contains(got, "\x1b") {
		t.Errorf("lines that have nothing in common are marked: %q", got)
	}
}

func FuzzView(f *testing.F) {
	f.Add("a\nb\x1b[2J\n", "a\tc\n한\n", 20, true)
	f.Add("@@ -1,2 +1 @@\n-a\n+b\n", "", 3, false)
	f.Fuzz(func(t *testing.T, a, b string, width int, split bool) {
		width, a, b = 1+int(uint(width)%200), a[:min(len(a), 1500)], b[:min(len(b), 1500)]
		th := Theme{Added: text.Style{Bg: text.Indexed(2)}, AddedWord: text.Style{Attr: text.Bold}, RemovedWord: text.Style{Attr: text.Bold}}
		for _, lines := range [][]Line{Compare(a, b, 2), Parse(a)} {
			for _, l := range New(lines, Options{Theme: th, File: "x.go", Split: split, SplitWidth: 30}).Render(width) {
				if w := text.Width(l); w > width && width > 8 {
					t.Fatalf("line %q is %d columns wide, more than %d", l, w, width)
				}
				if c := text.Truncate(l, width+9, ""); c != l {
					t.Fatalf("line %q is not clean", l)
				}
			}
		}
	})
}

// Old and new text are two texts: a comment that only one of them begins does not
// reach the lines of the other, and what is left out ends all.
func TestHighlightingGoesOnInItsOwnText(t *testing.T) {
	t.Parallel()
	comment := text.Style{Fg: text.Indexed(1)}
	theme := Theme{}
	theme.Syntax[highlight.Comment] = comment
	draw := func(lines ...Line) string {
		return strings.Join(New(lines, Options{File: "x.go", Theme: theme}).Render(60), "\n")
	}
	marked := func(s string) string { return comment.Render(s) }
	for name, tc := range map[string]struct {
		lines []Line
		in    bool
	}{
		"a comment in both":           {[]Line{{Same, 1, 1, "/* a"}, {Removed, 2, 0, "word"}}, true},
		"begun by what was added":     {[]Line{{Added, 0, 1, "/* a"}, {Removed, 1, 0, "word"}}, false},
		"begun by what was removed":   {[]Line{{Removed, 1, 0, "/* a"}, {Added, 0, 1, "word"}}, false},
		"begun and gone on, new":      {[]Line{{Added, 0, 1, "/* a"}, {Added, 0, 2, "word"}}, true},
		"before what is left out":     {[]Line{{Same, 1, 1, "/* a"}, {Gap, 0, 0, "9"}, {Same, 11, 11, "word"}}, false},
		"kept lines are the new text": {[]Line{{Added, 0, 1, "/* a"}, {Same, 1, 2, "word"}}, true},
	} {
		if out := draw(tc.lines...); strings.Contains(out, marked("word")) != tc.in {
			t.Errorf("%s: %q", name, out)
		}
	}
}
