package tools

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// cleaned runs bytes through the decoder and a cleaner, in pieces of the given
// size.
func cleaned(c *cleaner, in string, size int) string {
	var d decoder
	var out []byte
	for i := 0; i < len(in); i += size {
		out = c.clean(out, string(d.decode(nil, []byte(in[i:min(i+size, len(in))]))))
	}
	out = c.clean(out, string(d.flush(nil)))
	return string(c.flush(out))
}

func TestClean(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want, progress string }{
		{"plain", "a\n\tb\n", "a\n\tb\n", "="},
		{"no newline", "a", "a", "="},
		{"CRLF", "a\r\nb\r\n", "a\nb\n", "="},
		{"bytes that are no text", "ok\xff\xfe\x00end\n", "ok\uFFFD\uFFFDend\n", "="},
		{"cut character at the end", "a\xe6\x9d", "a\uFFFD\uFFFD", "="},
		{"colours", "\x1b[31mred\x1b[0m \x1b[1;38;5;12mblue\x1b[m\n", "red blue\n", "="},
		{"8-bit control sequence", "\u009b31mred\n", "red\n", "="},
		{"links and titles", "\x1b]8;;http://x\x1b\\link\x1b]8;;\a\x1b]0;title\a\n", "link\n", "="},
		{"device control", "a\x1bP1$r0m\x1b\\b\n", "ab\n", "="},
		{"character sets and keypad", "\x1b(Ba\x1b=\x1b>b\x1b7c\n", "abc\n", "="},
		{"a string that never ends", "a\x1b]not a title\nb\n", "a\nb\n", "="},
		{"escape in a sequence", "\x1b[3\x1b[31mx\n", "x\n", "="},
		{"broken sequence", "\x1b[3\nx\n", "\nx\n", "="},
		{"control characters", "a\a\b\v\f\x7fb\u0085c\ufff9\n", "abc\n", "="},
		{
			"progress bar", "a 10%\ra 50%\ra 100%\n\x1b[1A\x1b[2Kdone\t|\x1b[31mred\x1b[0m\n",
			"a 100%\ndone\t|red\n", "a 10%a 50%a 100%\ndone\t|red\n",
		},
		{"bars and spinners", "[#   ] 1/4 |\r[##  ] 2/4 /\r[####] 4/4 -\nok\n", "[####] 4/4 -\nok\n", "*"},
		{"erased lines", "Load 1%\r\x1b[KLoad 2%\r\x1b[K\n", "Load 2%\n", "*"},
		{"carriage return before the newline", "Load 1%\rLoad 2%\r\r\n", "Load 2%\n", "*"},
		{"open at the end", "Load 1%\rLoad 2%", "Load 2%", "*"},
		{"return at the end", "Load 1%\rLoad 2%\r", "Load 2%", "*"},
		{"different things one over the other", "Resolving\rFetching\rDone\n", "Resolving\nFetching\nDone\n", "ResolvingFetchingDone\n"},
		{"old Macintosh text", "one\rtwo\rthree\r", "one\ntwo\nthree", "onetwothree"},
		{"returns at the start", "\r\r\ra\n", "a\n", "="},
		{
			"a long line is no progress bar", strings.Repeat("x", 5000) + "\rnext\n",
			strings.Repeat("x", 5000) + "\nnext\n", strings.Repeat("x", 5000) + "next\n",
		},
	} {
		for _, size := range []int{1, 2, 3, 7, 1 << 20} {
			if got := cleaned(new(cleaner), c.in, size); got != c.want {
				t.Errorf("%s, by %d: %.80q, want %.80q", c.name, size, got, c.want)
			}
			want := c.progress
			if want == "=" {
				want = c.want
			}
			got := strings.ReplaceAll(cleaned(&cleaner{keepProgress: true}, c.in, size), "\r", "")
			if want != "*" && got != want {
				t.Errorf("%s with progress, by %d: %.80q, want %.80q", c.name, size, got, want)
			}
		}
	}
	if got := cleaned(&cleaner{keepProgress: true}, "a 10%\ra 50%\nb\r\nc\n", 3); got != "a 10%\ra 50%\nb\nc\n" {
		t.Errorf("states of progress are %q", got)
	}
	var c cleaner
	if cleaned(&c, "a 10%\ra 50%\ra 100%\n", 5); c.dropped != 2 {
		t.Errorf("%d states counted as left out, want 2", c.dropped)
	}
}

// pending shows at any time what flush would give.
func TestCleanPending(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringOf(rapid.RuneFrom([]rune("ab12%\r\r\n\x1b[m"))).Draw(t, "in")
		var c cleaner
		out := c.clean(nil, in)
		seen := string(c.pending(append([]byte{}, out...)))
		if again := string(c.pending(append([]byte{}, out...))); again != seen {
			t.Fatalf("asking twice gives %q and %q", seen, again)
		}
		if end := string(c.flush(out)); end != seen {
			t.Fatalf("pending %q, flushed %q", seen, end)
		}
	})
}

func FuzzClean(f *testing.F) {
	f.Add("a\r\n\x1b[31mb\x1b]0;x\x07\r10%\r20%", 3)
	f.Add("\xff\xc3\x1b\x1b\\\x9b\xe2\x80\xa8\r", 1)
	f.Fuzz(func(t *testing.T, in string, size int) {
		size = max(1, size%64)
		got := cleaned(new(cleaner), in, size)
		if got != cleaned(new(cleaner), in, 1<<30) {
			t.Fatal("the pieces make a difference")
		}
		if !utf8.ValidString(got) || strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) >= 0 {
			t.Fatalf("%q is not clean", got)
		}
		if again := cleaned(new(cleaner), got, size); again != got {
			t.Fatalf("cleaning twice: %q, %q", got, again)
		}
		if strings.Count(got, "\n") < strings.Count(in, "\n") {
			t.Fatalf("lines of %q were lost: %q", in, got)
		}
	})
}
