package edit

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pi-go/pi/tui/text"
)

// press gives a Vi keys: characters, and names in angle brackets. In insert mode
// characters are typed.
func press(v *Vi, b *Buffer, keys string) {
	for keys != "" {
		n, _ := text.Cluster(keys)
		key := keys[:n]
		if end := strings.IndexByte(keys, '>'); key == "<" && end > 1 {
			key, n = keys[1:end], end+1
		}
		keys = keys[n:]
		if !v.Key(b, key) && !v.Normal() {
			b.Insert(key)
		}
	}
}

func TestVi(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, from, keys, want string }{
		{"the cursor stays on a character", "abc|", "", "ab|c"},
		{"left and right", "abc|d", "hhl", "ab|cd"},
		{"not over the line end", "|ab\nc", "9l", "a|b\nc"},
		{"clusters", "|e\u0301👩\u200d🚀x", "ll", "e\u0301👩\u200d🚀|x"},
		{"down and up", "ab|c\nde\nfgh", "jjk", "abc\nd|e\nfgh"},
		{"word", "|one, two", "w", "one|, two"},
		{"words", "|one, two", "2w", "one, |two"},
		{"big word", "|one, two", "W", "one, |two"},
		{"word to the next line", "|one\ntwo", "w", "one\n|two"},
		{"end of word", "|one two", "ee", "one tw|o"},
		{"back", "one two|", "bb", "|one two"},
		{"line start, ink, end", "  ab|c", "0^$", "  ab|c"},
		{"first ink", "  ab|c", "^", "  |abc"},
		{"to the top and to a line", "a\nb\n|c", "gg2G", "a\n|b\nc"},
		{"find", "|a,b,c", "f,;", "a,b|,c"},
		{"find before", "|a,b,c", "t,;", "a,|b,c"},
		{"find back", "a,b,|c", "F,;,", "a,b|,c"},
		{"find what is not there", "|abc", "fx", "|abc"},
		{"partner", "f|(a[1])", "%", "f(a[1]|)"},
		{"partner back", "f(a[1]|)", "%", "f|(a[1])"},
		{"paragraph", "|a\nb\n\nc", "}", "a\nb\n|\nc"},
		{"delete a character", "|abc", "x", "|bc"},
		{"delete characters", "|abc", "2x", "|c"},
		{"delete at the end", "ab|c", "x", "a|b"},
		{"delete a word", "|one two", "dw", "|two"},
		{"delete the last word of a line", "one |two\nthree", "dw", "one| \nthree"},
		{"delete words", "|one two three", "d2w", "|three"},
		{"counts are multiplied", "|a b c d e f", "2d2w", "|e f"},
		{"delete to a character", "|a(b)c", "df)", "|c"},
		{"delete before a character", "|a(b)c", "dt)", "|)c"},
		{"delete back", "one two|", "db", "one |o"},
		{"delete to the end", "ab|cd", "D", "a|b"},
		{"delete a line", "a\n|b\nc", "dd", "a\n|c"},
		{"delete the last line", "a\n|b", "dd", "|a"},
		{"delete the only line", "a|b", "dd", "|"},
		{"delete lines", "|a\nb\nc", "2dd", "|c"},
		{"delete down", "|a\nb\nc", "dj", "|c"},
		{"delete to the top", "a\nb|b\nc", "dgg", "|c"},
		{"delete with a partner", "f|(a)b", "d%", "f|b"},
		{"change a word", "|one two", "cwsix<escape>", "si|x two"},
		{"change a word of one letter", "|a b", "cwx<escape>", "|x b"},
		{"change a line", "a\n|b\nc", "ccx<escape>", "a\n|x\nc"},
		{"change to the end", "a|bc", "Cx<escape>", "a|x"},
		{"substitute", "|abc", "sx<escape>", "|xbc"},
		{"change in quotes", `say "he|llo" now`, `ci"bye<escape>`, `say "by|e" now`},
		{"change in the next quotes", `|say "hello"`, `ci"x<escape>`, `say "|x"`},
		{"delete around quotes", `a "|b" c`, `da"`, `a | c`},
		{"in brackets", "f(a, |b)", "di(", "f(|)"},
		{"in nested brackets", "f(a(1), |b)", "di(", "f(|)"},
		{"around brackets over lines", "f{\n |a\n}g", "daB", "f|g"},
		{"in a word", "one tw|o three", "diw", "one | three"},
		{"around a word", "one tw|o three", "daw", "one |three"},
		{"around the last word", "one tw|o", "daw", "on|e"},
		{"insert", "a|c", "ib<escape>", "a|bc"},
		{"append", "|ac", "ab<escape>", "a|bc"},
		{"insert at the ink", "  b|c", "Ia<escape>", "  |abc"},
		{"append at the end", "|ab", "Ac<escape>", "ab|c"},
		{"open below", "|a\nc", "ob<escape>", "a\n|b\nc"},
		{"open above", "a\n|c", "Ob<escape>", "a\n|b\nc"},
		{"replace", "|abc", "rx", "|xbc"},
		{"replace several", "|abc", "2rx", "x|xc"},
		{"replace more than there are", "|abc", "9rx", "|abc"},
		{"other case", "|aBc", "3~", "Ab|C"},
		{"join", "|a\n  b", "J", "a| b"},
		{"put after", "|ab", "xp", "b|a"},
		{"put before", "a|b", "xP", "|ba"},
		{"put a line below", "|a\nb", "ddp", "b\n|a"},
		{"put a line above", "a\n|b", "ddP", "|b\na"},
		{"copy a line", "|a\nb", "yyp", "a\n|a\nb"},
		{"copy a word", "|ab c", "yw$p", "ab cab| "},
		{"put several times", "|ab", "x3p", "baa|a"},
		{"undo and redo", "|abc", "xxuu<ctrl+r>", "|bc"},
		{"again", "|a b c", "dw.", "|c"},
		{"again with what was typed", "|a b c", "cwx<escape>w.", "x |x c"},
		{"again with a count", "|abcdef", "x3.", "|ef"},
		{"again after a copy", "|a b c", "dwyw.", "|c"},
		{"escape ends a command", "|ab c", "d<escape>w", "ab |c"},
		{"what is no command", "|ab", "dqx", "|b"},
		{"zero is a motion and a digit", "abcdefghijk|l", "010l", "abcdefghij|kl"},
		{"backspace goes left", "ab|c", "<backspace>", "a|bc"},
		{"nothing to work on", "|", "xdwp~Jr.gg%;", "|"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b, v := at(tc.from), &Vi{}
			// Escape moves left; begin where the case says.
			if start := b.Cursor(); start.Col < len(b.Lines()[start.Row]) {
				b.Right()
				if b.Cursor().Row != start.Row {
					b.MoveTo(start)
				}
			}
			press(v, b, "<escape>"+tc.keys)
			if got := mark(b); got != tc.want {
				t.Errorf("%s on %q gives %q, want %q", tc.keys, tc.from, got, tc.want)
			}
			if v.Pending() != "" {
				t.Errorf("%q is left over", v.Pending())
			}
		})
	}
}

func TestViKeepsPastes(t *testing.T) {
	t.Parallel()
	b, v := &Buffer{}, &Vi{}
	b.Insert("a ")
	b.InsertPaste("many\nlines")
	press(v, b, "<escape>xggP")
	if got, want := b.Text(), "many\nlinesa "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestViKillsAreYankedInInsertMode(t *testing.T) {
	t.Parallel()
	b, v := at("one |two"), &Vi{}
	press(v, b, "<escape>ldwI")
	b.Yank()
	if got, want := b.Text(), "twoone "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Whatever is pressed, the cursor is at a cluster, on a character in normal mode,
// and undoing everything gives back the text.
func TestViProperties(t *testing.T) {
	t.Parallel()
	keys := []string{
		"h", "j", "k", "l", "w", "b", "e", "W", "B", "E", "0", "^", "$", "g", "G", "f", "F", "t", "T", ";", ",", "{", "}", "%", "d", "c", "y",
		"D", "C", "Y", "x", "X", "s", "S", "i", "a", "I", "A", "o", "O", "r", "~", "J", "p", "P", ".", "1", "2", "3", "(", "\"", "ab", "é",
		"<escape>", "<escape>", "👩\u200d🚀", "\u0301", " ", "u", "<ctrl+r>",
	}
	rapid.Check(t, func(t *rapid.T) {
		b, v := &Buffer{}, &Vi{}
		from := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", " ", "\n", "(b)", "\"", "文", "e\u0301", "👩\u200d🚀", ".", "{", "}"}), 0, 30).Draw(t, "text"), "")
		b.Reset(from)
		press(v, b, "<escape>")
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			press(v, b, rapid.SampledFrom(keys).Draw(t, "key"))
			if len(b.Text()) > 10000 {
				return
			}
			p := b.Cursor()
			line := b.Lines()[p.Row]
			if b.clamp(p) != p {
				t.Fatalf("the cursor %v is inside a cluster of %q", p, line)
			}
			if v.Normal() && p.Col == len(line) && p.Col > 0 {
				t.Fatalf("the cursor is behind %q in normal mode", line)
			}
			if !utf8.ValidString(b.Text()) {
				t.Fatalf("%q is not UTF-8", b.Text())
			}
		}
		for b.Undo() {
		}
		if got := b.Text(); got != from {
			t.Fatalf("undone to %q, want %q", got, from)
		}
	})
}
