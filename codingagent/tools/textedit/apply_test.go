package textedit_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pi-go/pi/codingagent/tools/textedit"
)

func edits(pairs ...string) (list []textedit.Edit) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, textedit.Edit{Old: pairs[i], New: pairs[i+1]})
	}
	return list
}

func TestApply(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		text  string
		edits []textedit.Edit
		want  string
	}{
		{"one word", "a b c\n", edits("b", "x"), "a x c\n"},
		{"several, in any order", "a\nb\nc\nd\n", edits("d", "D", "a", "A"), "A\nb\nc\nD\n"},
		{"edits see the original", "a\nb\n", edits("a", "b2", "b", "c"), "b2\nc\n"},
		{"neighbours", "ab\n", edits("a", "1", "b", "2"), "12\n"},
		{"removal", "a\nb\nc\n", edits("b\n", ""), "a\nc\n"},
		{"insertion", "a\nc\n", edits("a\n", "a\nb\n"), "a\nb\nc\n"},
		{"at the end without newline", "a\nb", edits("b", "b\nc"), "a\nb\nc"},
		{"whole text", "a", edits("a", ""), ""},

		{"CRLF", "a\r\nb\r\nc\r\n", edits("a\nb", "a\nx\ny"), "a\r\nx\r\ny\r\nc\r\n"},
		{"CRLF asked with CRLF", "a\r\nb\r\n", edits("a\r\nb", "x\r\ny"), "x\r\ny\r\n"},
		{"CRLF, last line without", "a\r\nb", edits("b", "b\nc"), "a\r\nb\r\nc"},
		{"lone CR", "a\rb\rc", edits("a\nb", "x\ny\nz"), "x\ry\rz\rc"},
		{"lone CR among LF", "a\rb\nc\n", edits("a", "x\ny"), "x\ny\rb\nc\n"},
		{"mixed, ending of the own line", "a\nb\r\nc\n", edits("b", "b\nb2"), "a\nb\r\nb2\r\nc\n"},
		{"mixed, context keeps its endings", "a\nb\r\nc\nd\r\n", edits("a\nb\nc\nd\n", "a\nb\nC\nd\n"), "a\nb\r\nC\nd\r\n"},
		{"two breaks do not become one", "a\rb\nc\n", edits("b", ""), "a\r\n\nc\n"},
		{"byte order mark", "\uFEFFa\nb\n", edits("a\n", ""), "\uFEFFb\n"},
		{"NUL", "a\x00b\n", edits("a\x00b", "c"), "c\n"},

		{
			"CRLF, BOM and curly quotes at once",
			"\uFEFFlet a = \u201cx\u201d;\r\nlet b = 2;\r\nlet c = 3;\r\n",
			edits("let a = \"x\";\nlet b = 2;", "let a = \"y\";\nlet b = 20;"),
			"\uFEFFlet a = \"y\";\r\nlet b = 20;\r\nlet c = 3;\r\n",
		},
		{
			"the exact place wins over its look-alike",
			"greet = \"hey\"\ngreet = \u201chey\u201d\n",
			edits("greet = \"hey\"", "greet = \"yo\""),
			"greet = \"yo\"\ngreet = \u201chey\u201d\n",
		},
		{
			"a tolerant match touches only its own lines",
			"keep \u2014 this  \n\tdo(1)   \nkeep\u00a0that\n",
			edits("\tdo(1)\n", "\tdo(2)\n"),
			"keep \u2014 this  \n\tdo(2)\nkeep\u00a0that\n",
		},
		{
			"a tolerant match leaves the rest of its line",
			"say(\u201ca\u201d, it\u2019s, 1)  \n", edits("\"a\"", "\"b\""), "say(\"b\", it\u2019s, 1)  \n",
		},
		{
			"context of a tolerant match keeps its bytes",
			"it\u2019s  \r\nx = 1\t\r\n\u201cend\u201d\r\n", edits("it's\nx = 1\n\"end\"", "it's\nx = 2\n\"end\""),
			"it\u2019s  \r\nx = 2\r\n\u201cend\u201d\r\n",
		},
		{"decomposed text", "re\u0301sume\u0301 = 1\n", edits("résumé = 1", "résumé = 2"), "résumé = 2\n"},
		{"ligature", "\uFB01ne\n", edits("fine", "good"), "good\n"},
		{"tolerant and exact edits together", "\u2018a\u2019\nb\n", edits("b", "B", "'a'", "'A'"), "'A'\nB\n"},
		{"blanks at the end of the old text", "foobar\nfoo\n", edits("foo  ", "baz"), "foobar\nbaz\n"},

		{"Latin-1 keeps its bytes", "prix = \"\xe9lev\xe9\"\nn = 1\n", edits("n = 1", "n = 2"), "prix = \"\xe9lev\xe9\"\nn = 2\n"},
		{
			"Latin-1 as context", "prix = \"\xe9lev\xe9\"\nn = 1\n",
			edits("prix = \"\uFFFDlev\uFFFD\"\nn = 1", "prix = \"\uFFFDlev\uFFFD\"\nn = 2"), "prix = \"\xe9lev\xe9\"\nn = 2\n",
		},
	} {
		out, err := textedit.Apply([]byte(c.text), c.edits)
		if err != nil || string(out.Content) != c.want {
			t.Errorf("%s:\n got %q, %v\nwant %q", c.name, out.Content, err, c.want)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		text    string
		edits   []textedit.Edit
		problem textedit.Problem
		message string
	}{
		{"no edits", "a", nil, textedit.NoEdits, "there are no edits; give at least one pair of oldText and newText"},
		{"empty", "a", edits("", "x"), textedit.EmptyOld, "oldText is empty; give the text that is to be replaced"},
		{"empty, of several", "a", edits("a", "b", "", "x"), textedit.EmptyOld, "edits[1].oldText is empty; give the text that is to be replaced"},
		{
			"twice", "x = 1\ny = 2\nx = 1\n", edits("x = 1", "x = 3"), textedit.NotUnique,
			"oldText was found 2 times, on lines 1, 3; give more of the text around the one that is meant",
		},
		{
			"many", strings.Repeat("x\n", 20), edits("x\n", "y\n"), textedit.NotUnique,
			"oldText was found 20 times, on lines 1, 2, 3, 4, 5, 6, ...; give more of the text around the one that is meant",
		},
		{
			"overlapping itself", "aaa", edits("aa", "b"), textedit.NotUnique,
			"oldText was found 2 times, on lines 1, 1; give more of the text around the one that is meant",
		},
		{
			"two look-alikes", "a = \u201cx\u201d\nb\na = \u201ex\u201c\n", edits("a = \"x\"", "a = 1"), textedit.NotUnique,
			"oldText was not found as it is, and 2 places look like it, on lines 1, 3; give more of the text around the one that is meant",
		},
		{
			"indentation", "keep\n\tdo(1)   \nkeep\n", edits("    do(1)\n", "    do(2)\n"), textedit.NotFound,
			`oldText was not found; it must be the same as in the file, with its white space and line breaks. ` +
				`Line 2 of the file differs in white space: the file has "\tdo(1)   ", oldText has "    do(1)"`,
		},
		{
			"one word in a block", "func f() {\n\treturn one\n}\n", edits("func f() {\n\treturn two\n}", "x"), textedit.NotFound,
			`oldText was not found; it must be the same as in the file, with its white space and line breaks. ` +
				`Line 2 of the file is "\treturn one", oldText has "\treturn two"`,
		},
		{
			"a similar line", "package x\n\nvar colour = red\n", edits("var color = red", "x"), textedit.NotFound,
			`oldText was not found; it must be the same as in the file, with its white space and line breaks. ` +
				`The most similar line is line 3: "var colour = red"`,
		},
		{
			"nothing like it", "package x\n", edits("completely different", "x"), textedit.NotFound,
			"oldText was not found; it must be the same as in the file, with its white space and line breaks",
		},
		{
			"half a ligature", "\uFB01ne\n", edits("ine", "x"), textedit.NotFound,
			"oldText was not found; it must be the same as in the file, with its white space and line breaks",
		},
		{"overlap", "abcd", edits("bc", "x", "abc", "y"), textedit.Overlap, "edits[0] and edits[1] overlap; make one edit of them"},
		{"same place twice", "abcd", edits("bc", "x", "a", "A", "bc", "y"), textedit.Overlap, "edits[0] and edits[2] overlap; make one edit of them"},
		{"no change", "a\r\nb", edits("a\nb", "a\r\nb"), textedit.NoChange, "nothing would change: oldText and newText are the same"},
		{"no change, tolerantly", "\u201ca\u201d\n", edits("\"a\"\n", "\"a\"\n"), textedit.NoChange, "nothing would change: oldText and newText are the same"},
		{
			"replacement characters", "prix = \"\xe9lev\xe9\" 1\n", edits("prix = \"\uFFFDlev\uFFFD\" 1", "prix = \"\uFFFDlev\uFFFD\" 2"), textedit.NotText,
			"edit 0 would write the replacement character U+FFFD into a file that is not UTF-8, which would destroy the bytes it stands for; change less of the line, or use a shell command",
		},
		{
			"not UTF-8", "\xe9 one\n", edits("two three", "x"), textedit.NotFound,
			"oldText was not found; it must be the same as in the file, with its white space and line breaks. The file holds bytes that are not UTF-8 text; leave them out of oldText",
		},
	} {
		out, err := textedit.Apply([]byte(c.text), c.edits)
		var me *textedit.MatchError
		if !errors.As(err, &me) || me.Problem != c.problem {
			t.Errorf("%s: got %q, %v", c.name, out.Content, err)
			continue
		}
		if d := cmp.Diff(c.message, err.Error()); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// An exact edit does to the LF form of a text what a plain replacement does, and
// every line outside keeps its bytes.
func TestExactEditsProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SampledFrom([]string{"a", "b", "\u201cq\u201d", "e\u0301", "\xe9", "\t", "  ", "x y", "\u2014"})
		breaks := rapid.SampledFrom([]string{"\n", "\r\n", "\r"})
		var file, lf strings.Builder
		if rapid.Bool().Draw(t, "bom") {
			file.WriteString("\uFEFF")
		}
		var starts []int // of each line in lf
		for i := range rapid.IntRange(1, 8).Draw(t, "lines") {
			line := fmt.Sprintf("%d:%s%s", i, words.Draw(t, "w"), words.Draw(t, "w"))
			starts = append(starts, lf.Len())
			file.WriteString(line + breaks.Draw(t, "break"))
			lf.WriteString(line + "\n")
		}
		// Two CR LF in a row of pieces could merge; the file is what it is.
		view := strings.ReplaceAll(strings.ReplaceAll(strings.TrimPrefix(file.String(), "\uFEFF"), "\r\n", "\n"), "\r", "\n")
		if view != lf.String() {
			t.Skip("breaks merged")
		}
		lo := rapid.IntRange(0, len(starts)-1).Draw(t, "from")
		hi := rapid.IntRange(lo, len(starts)-1).Draw(t, "to")
		end := len(view)
		if hi+1 < len(starts) {
			end = starts[hi+1]
		}
		old := view[starts[lo]:end]
		text := rapid.SampledFrom([]string{"", "new\n", "one\ntwo\n", old + "more\n", "first\n" + old}).Draw(t, "new")
		out, err := textedit.Apply([]byte(file.String()), edits(old, text))
		if err != nil {
			var me *textedit.MatchError
			if errors.As(err, &me) && (me.Problem == textedit.NoChange) == (old == text) {
				return
			}
			t.Fatalf("%q in %q: %v", old, file.String(), err)
		}
		want := view[:starts[lo]] + text + view[end:]
		got := strings.TrimPrefix(string(out.Content), "\uFEFF")
		gotLF := strings.ReplaceAll(strings.ReplaceAll(got, "\r\n", "\n"), "\r", "\n")
		if gotLF != want {
			t.Fatalf("%q in %q\n got %q\nwant %q", old, file.String(), gotLF, want)
		}
		checkChanges(t, []byte(file.String()), out)
	})
}

// checkChanges verifies that the changes of an outcome turn the old lines into
// the new ones, and that the patch says the same.
func checkChanges(t interface{ Fatalf(string, ...any) }, before []byte, out textedit.Outcome) {
	lf := func(b []byte) string {
		s := strings.TrimPrefix(string(b), "\uFEFF")
		return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	split := func(s string) []string {
		lines := strings.SplitAfter(s, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		return lines
	}
	old, want := split(lf(before)), split(lf(out.Content))
	var got []string
	next := 1
	for _, c := range out.Changes.List {
		got = append(got, old[next-1:c.OldLine-1]...)
		if c.NewLine != len(got)+1 {
			t.Fatalf("change %+v begins at new line %d", c, len(got)+1)
		}
		if !cmp.Equal(append([]string{}, c.Old...), append([]string{}, old[c.OldLine-1:c.OldLine-1+len(c.Old)]...)) {
			t.Fatalf("change %+v does not hold the old lines", c)
		}
		got = append(got, c.New...)
		next = c.OldLine + len(c.Old)
	}
	got = append(got, old[next-1:]...)
	if d := cmp.Diff(strings.Join(want, ""), strings.Join(got, "")); d != "" {
		t.Fatalf("changes do not make the new text (-want +got):\n%s", d)
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte("a\r\nb\n"), "a\nb", "x\ny")
	f.Add([]byte("\uFEFF\u201cx\u201d  \r\ny\rz"), "\"x\"\ny", "\"x\"\nw")
	f.Add([]byte("\xe9\uFB01\u0301\u00a0\n"), "fi", "")
	f.Add([]byte("e\u0301\u0301\x80e"), "e\u0301", "\r")
	f.Add([]byte("\u3000\n\u00a8 \n"), " \u0308", "\n")
	f.Fuzz(func(t *testing.T, content []byte, old, text string) {
		before := bytes.Clone(content)
		out, err := textedit.Apply(content, edits(old, text))
		if !bytes.Equal(before, content) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if !utf8.ValidString(err.Error()) && utf8.ValidString(old) {
				t.Fatalf("message is no text: %q", err.Error())
			}
			return
		}
		if bytes.Equal(out.Content, content) {
			t.Fatal("nothing changed, and no error")
		}
		checkChanges(t, content, out)
		// Lines outside the changes keep their bytes: the shared start and end of the
		// two contents cover all of them but for the changed lines.
		changed := 0
		for _, c := range out.Changes.List {
			changed += len(strings.Join(c.Old, "")) + len(c.Old)
		}
		if lost := len(content) - commonEnds(content, out.Content); len(out.Changes.List) == 1 && lost > changed+2 {
			t.Fatalf("%d bytes changed for %d in changed lines: %q to %q", lost, changed, content, out.Content)
		}
	})
}

// commonEnds is how many bytes of a are kept at the start and the end of b.
func commonEnds(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	m := 0
	for m < len(a)-n && m < len(b)-n && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	return n + m
}

func ExampleApply() {
	out, err := textedit.Apply([]byte("let x = 1;\r\nlet y = 2;\r\n"), []textedit.Edit{
		{Old: "let y = 2;", New: "let y = 3;\nlet z = 4;"},
	})
	fmt.Printf("%q %v\n", out.Content, err)
	fmt.Println(out.Changes.Diff())
	// Output:
	// "let x = 1;\r\nlet y = 3;\r\nlet z = 4;\r\n" <nil>
	//  1 let x = 1;
	// -2 let y = 2;
	// +2 let y = 3;
	// +3 let z = 4;
}
