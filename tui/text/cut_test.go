package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTruncate(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, s string
		width   int
		tail    string
		want    string
	}{
		{"fits", "abc", 3, "…", "abc"},
		{"cut", "abcd", 3, "…", "ab…"},
		{"no tail", "abcd", 3, "", "abc"},
		{"wide at the edge", "a한b", 2, "", "a"},
		{"wide fits with tail", "한국어", 5, "…", "한국…"},
		{"tail wider", "abcdef", 2, "...", ".."},
		{"zero", "abc", 0, "…", ""},
		{"negative", "abc", -1, "", ""},
		{"style closes", "\x1b[31mabcdef\x1b[0m", 3, "…", "\x1b[31mab…\x1b[0m"},
		{"fits but open", "\x1b[31mab", 5, "…", "\x1b[31mab\x1b[0m"},
		{"link closes", "\x1b]8;;x\x1b\\abcdef\x1b]8;;\x1b\\", 3, "", "\x1b]8;;x\x1b\\abc\x1b]8;;\x1b\\"},
		{"tab", "a\tb", 3, "", "a"},
		{"tab fits", "a\tb", 9, "", "a    b"},
		{"mark at the edge stays", "abe\u0301", 3, "", "abe\u0301"},
		{"control characters vanish", "a\nb\x1b[5Ac", 9, "", "abc"},
		{"cut-off sequence vanishes", "ab\x1b[31", 9, "", "ab"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := Truncate(tc.s, tc.width, tc.tail); got != tc.want {
				t.Errorf("Truncate(%q, %d, %q) = %q, want %q", tc.s, tc.width, tc.tail, got, tc.want)
			}
		})
	}
}

func TestSlice(t *testing.T) {
	t.Parallel()
	const red, off = "\x1b[31m", "\x1b[0m"
	for _, tc := range []struct {
		name, s  string
		from, to int
		want     string
	}{
		{"plain", "abcdef", 2, 4, "cd"},
		{"beyond the end", "abc", 2, 9, "c"},
		{"after the end", "abc", 5, 9, ""},
		{"nothing", "abc", 2, 2, ""},
		{"wide inside", "a한b", 1, 3, "한"},
		{"wide across the left", "한ab", 1, 3, " a"},
		{"wide across the right", "ab한", 1, 3, "b "},
		{"wide around", "한", 1, 1, ""},
		{"style before", red + "abcd" + off, 2, 3, red + "c" + off},
		{"style inside", "ab" + red + "cd" + off + "e", 1, 4, "b" + red + "cd" + off},
		{"mark goes with its base", "ae\u0301b", 1, 2, "e\u0301"},
		{"tab across", "a\tb", 2, 6, "   b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := Slice(tc.s, tc.from, tc.to); got != tc.want {
				t.Errorf("Slice(%q, %d, %d) = %q, want %q", tc.s, tc.from, tc.to, got, tc.want)
			}
		})
	}
}

func TestCutProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := pieces().Draw(t, "text")
		width := rapid.IntRange(0, 20).Draw(t, "width")
		cut := Truncate(s, width, rapid.SampledFrom([]string{"", "…", "...", "한"}).Draw(t, "tail"))
		checkLine(t, cut, width)
		if again := Truncate(cut, width, "…"); inked([]string{again}) != inked([]string{cut}) {
			t.Fatalf("Truncate twice: %q, then %q", cut, again)
		}
		line := Truncate(strings.ReplaceAll(s, "\n", ""), 1000, "")
		w := Width(line)
		at := rapid.IntRange(0, w+2).Draw(t, "at")
		left, right := Slice(line, 0, at), Slice(line, at, w)
		if Width(left) != min(at, w) || Width(right) != max(0, w-at) {
			t.Fatalf("Slice(%q) at %d gives %q and %q", line, at, left, right)
		}
		checkLine(t, left, 1000)
		checkLine(t, right, 1000)
	})
}

func FuzzTruncate(f *testing.F) {
	f.Add("abc\x1b[31mdef", 3)
	f.Add("한국어\t\x1b]8;;x\a", 2)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = min(width, 500)
		checkLine(t, Truncate(s, width, "…"), max(width, 0))
		checkLine(t, Slice(s, width/2, width), max(width, 0))
	})
}

func TestStrip(t *testing.T) {
	t.Parallel()
	if got := Strip("a\x1b[1mb\x1b]8;;u\x1b\\c\x1b_x\ad\x1b"); got != "abcd" {
		t.Errorf("Strip = %q", got)
	}
}

func TestPadAndBlanks(t *testing.T) {
	t.Parallel()
	if got := Pad("한", 4); got != "한  " {
		t.Errorf("Pad = %q", got)
	}
	if got := Pad("abc", 2); got != "abc" {
		t.Errorf("Pad = %q", got)
	}
	if n := len(Blanks(300)); n != 300 {
		t.Errorf("Blanks(300) has %d", n)
	}
	if Blanks(-1) != "" {
		t.Error("Blanks(-1) is not empty")
	}
}
