package tuitest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/text"
)

func TestWhatAPersonSees(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, in   string
		want       []string
		scrollback []string
	}{
		{"text", "ab\r\ncd", []string{"ab", "cd", ""}, []string{}},
		{"wrap", "abcdefghij", []string{"abcdefgh", "ij", ""}, []string{}},
		{"no wrap", "\x1b[?7labcdefghij", []string{"abcdefgj", "", ""}, []string{}},
		{"a full row does not wrap yet", "abcdefgh\r\nx", []string{"abcdefgh", "x", ""}, []string{}},
		{"wide at the edge", "abcdefg한", []string{"abcdefg", "한", ""}, []string{}},
		{"wide half overwritten", "한글\rx", []string{"x 글", "", ""}, []string{}},
		{"scroll", "1\r\n2\r\n3\r\n4\r\n5", []string{"3", "4", "5"}, []string{"1", "2"}},
		{"position", "\x1b[2;3Hx\x1b[Hy\x1b[3dz", []string{"y", "  x", " z"}, []string{}},
		{"moves", "abc\x1b[2Dx\x1b[By\x1b[Az\x1b[5Gw", []string{"axczw", "  y", ""}, []string{}},
		{"erase to the end", "abcdef\x1b[3G\x1b[K", []string{"ab", "", ""}, []string{}},
		{"erase some", "abcdef\x1b[2G\x1b[2X", []string{"a  def", "", ""}, []string{}},
		{"erase below", "a\r\nb\r\nc\x1b[2H\x1b[J", []string{"a", "", ""}, []string{}},
		{"erase all and the scrollback", "1\r\n2\r\n3\r\n4\x1b[2J\x1b[3J", []string{"", "", ""}, []string{}},
		{"region", "a\r\nb\r\nc\x1b[1;2r\x1b[S\x1b[r", []string{"b", "", "c"}, []string{"a"}},
		{"region down", "a\r\nb\r\nc\x1b[2;3r\x1b[T\x1b[r", []string{"a", "", "b"}, []string{}},
		{"insert lines", "a\r\nb\r\nc\x1b[2H\x1b[L", []string{"a", "", "b"}, []string{}},
		{"delete lines", "a\r\nb\r\nc\x1b[1H\x1b[M", []string{"b", "c", ""}, []string{}},
		{"alternate screen", "a\x1b[?1049hb\x1b[?1049lc", []string{"ac", "", ""}, []string{}},
		{"save and restore", "a\x1b7\x1b[3Hx\x1b8b", []string{"ab", "", "x"}, []string{}},
		{"reverse index", "a\x1bMb", []string{" b", "a", ""}, []string{}},
		{"backspace and tab", "ab\bc\td", []string{"ac     d", "", ""}, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			// Whole, and byte by byte.
			for _, size := range []int{len(tc.in), 1} {
				term := New(8, 3)
				for in := tc.in; in != ""; in = in[min(size, len(in)):] {
					fmt.Fprint(term, in[:min(size, len(in))])
				}
				if diff := cmp.Diff(tc.want, term.Screen()); diff != "" {
					t.Errorf("screen, %d bytes a write (-want +got):\n%s", size, diff)
				}
				if diff := cmp.Diff(tc.scrollback, term.Scrollback()); diff != "" {
					t.Errorf("scrollback, %d bytes a write (-want +got):\n%s", size, diff)
				}
				if u := term.Unknown(); len(u) > 0 {
					t.Errorf("unknown sequences %q", u)
				}
			}
		})
	}
}

func TestMarksJoinWhatWasWrittenBefore(t *testing.T) {
	t.Parallel()
	term := New(10, 1)
	for _, part := range []string{"e", "\u0301", "❄", "\ufe0f", "👩", "\u200d", "🚀", "!"} {
		fmt.Fprint(term, part)
	}
	if got := term.Screen()[0]; got != "e\u0301❄\ufe0f👩\u200d🚀!" {
		t.Errorf("screen %q", got)
	}
	if x, _, _ := term.Cursor(); x != 6 {
		t.Errorf("the cursor is in column %d, want 6", x)
	}
}

func TestStylesAndLinks(t *testing.T) {
	t.Parallel()
	term := New(10, 2)
	fmt.Fprint(term, "\x1b[1;31mab\x1b[0m\x1b]8;;http://x\x1b\\cd\x1b]8;;\x1b\\\x1b[44m \x1b[0m")
	if c := term.Cell(1, 0); c.Text != "b" || c.Style != (text.Style{Fg: text.Indexed(1), Attr: text.Bold}) {
		t.Errorf("cell 1 = %+v", c)
	}
	if c := term.Cell(3, 0); c.Link != "http://x" {
		t.Errorf("cell 3 = %+v", c)
	}
	other := New(10, 2)
	fmt.Fprint(other, "\x1b[31;1ma\x1b[31mb\x1b[m\x1b]8;;http://x\acd\x1b]8;;\a\x1b[44m\x1b[K\x1b[0m\x1b[6G\x1b[K")
	if diff := cmp.Diff(term.StyledScreen(), other.StyledScreen()); diff != "" {
		t.Errorf("the same picture, drawn in two ways (-first +second):\n%s", diff)
	}
}

func TestQueriesAreAnswered(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"\x1b[c":                        "\x1b[?62;22;52c",
		"\x1b[6n":                       "\x1b[1;1R",
		"\x1b[?2026$p":                  "\x1b[?2026;2$y",
		"\x1b[>5u\x1b[?u":               "\x1b[?5u",
		"\x1b]11;?\x1b\\":               "\x1b]11;rgb:1111/2222/3333\x1b\\",
		"\x1b[16t":                      "\x1b[6;18;9t",
		"\x1b[18t":                      "\x1b[8;4;20t",
		"\x1b[>q":                       "\x1bP>|tuitest 1\x1b\\",
		"\x1b[?996n":                    "\x1b[?997;1n",
		"\x1b]52;c;aGk=\a\x1b]52;c;?\a": "\x1b]52;c;aGk=\x1b\\",
	} {
		term := New(20, 4)
		var got strings.Builder
		term.OnReply(func(s string) { got.WriteString(s) })
		fmt.Fprint(term, query)
		if got.String() != want {
			t.Errorf("%q is answered with %q, want %q", query, got.String(), want)
		}
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	term := New(20, 4)
	fmt.Fprint(term, "\x1b[?2004h\x1b[?25l\x1b[>1u\x1b[?1049h\x1b[>7u\x1b]2;title\a\x1b]52;c;aGk=\a\a\x1b]9;done\x1b\\\x1b[>4;2m")
	if !term.Mode(2004) || !term.AltScreen() || term.Title() != "title" || term.Clipboard() != "hi" || term.Bells() != 1 || term.OtherKeys() != 2 {
		t.Error("a mode, the title, the clipboard or the bell is wrong")
	}
	if _, _, visible := term.Cursor(); visible {
		t.Error("the cursor shows")
	}
	if flags, depth := term.KittyFlags(); flags != 7 || depth != 1 {
		t.Errorf("kitty flags on the alternate screen %d, pushed %d times", flags, depth)
	}
	fmt.Fprint(term, "\x1b[<u\x1b[?1049l")
	if flags, depth := term.KittyFlags(); flags != 1 || depth != 1 {
		t.Errorf("kitty flags on the main screen %d, pushed %d times", flags, depth)
	}
	if diff := cmp.Diff([]string{"done"}, term.Notes()); diff != "" {
		t.Error(diff)
	}
}

func TestResizeMovesRowsToTheScrollback(t *testing.T) {
	t.Parallel()
	term := New(6, 4)
	fmt.Fprint(term, "one\r\ntwo\r\nthree\r\nfour")
	term.Resize(3, 2)
	if diff := cmp.Diff([]string{"one", "two", "thr", "fou"}, term.All()); diff != "" {
		t.Error(diff)
	}
	term.Resize(6, 3)
	fmt.Fprint(term, "\r\nx")
	if diff := cmp.Diff([]string{"thr", "fou", "x"}, term.Screen()); diff != "" {
		t.Error(diff)
	}
}

func TestLinesThatAreTooWideAreCounted(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{
		"abcde": 0, "abc한": 0, "abcdef": 1, "abcd한": 1, "abcdefgh": 3, "abcde\u0301": 0, "abcde\r\nx": 0, "abcde\x1b[3Gx": 0,
	} {
		term := New(5, 3)
		fmt.Fprint(term, "\x1b[?7l"+s)
		if got := term.Overflows(); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
	term := New(5, 3)
	if fmt.Fprint(term, "abcdefgh"); term.Overflows() != 0 {
		t.Error("a line that is wrapped is too wide")
	}
}

func FuzzWrite(f *testing.F) {
	f.Add("abc\x1b[2;3H한\x1b[1;2r\x1b[S\x1b[3L\x1b[2M", 10, 3)
	f.Add("\x1b]8;;x\x1b\\\x1b[?1049h\x1b[999;999H\x1b[99X\x1b[-1;0r", 2, 1)
	f.Fuzz(func(t *testing.T, in string, width, height int) {
		width, height = min(width, 200), min(height, 100)
		whole, parts := New(width, height), New(width, height)
		fmt.Fprint(whole, in)
		for i := range len(in) {
			fmt.Fprint(parts, in[i:i+1])
		}
		for _, r := range whole.page.rows {
			if w, _ := whole.Size(); len(r) != w {
				t.Fatalf("a row has %d cells, want %d", len(r), w)
			}
		}
		_ = whole.String()
		_ = parts.All()
	})
}
