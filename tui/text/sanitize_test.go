package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSanitize(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, s, plain, styled string }{
		{"plain", "a\tb\n", "a\tb\n", "a\tb\n"},
		{"unicode", "naïve 東京", "naïve 東京", "naïve 東京"},
		{"style", "\x1b[31mred\x1b[0m", "red", "\x1b[31mred\x1b[0m"},
		{"cursor moves and erasing", "a\x1b[2J\x1b[1A\x1b[Hb", "ab", "ab"},
		{"title and clipboard", "\x1b]0;t\a\x1b]52;c;aGk=\x1b\\x", "x", "x"},
		{"device strings", "\x1bP1$r\x1b\\\x1b_G\x1b\\x", "x", "x"},
		{"private SGR is no style", "\x1b[>4;2mx\x1b[?4mx", "xx", "xx"},
		{"lone ESC", "a\x1b", "a␛", "a␛"},
		{"cut-off sequence", "a\x1b[3", "a␛[3", "a␛[3"},
		{"cut-off string", "a\x1b]0;title", "a␛]0;title", "a␛]0;title"},
		{"C0", "a\x00\x01\x07\x7f", "a␀␁␇␡", "a␀␁␇␡"},
		{"C1", "a\u009b31mb", "a\ufffd31mb", "a\ufffd31mb"},
		{"invalid bytes", "ok\xff\xfeend", "ok\ufffd\ufffdend", "ok\ufffd\ufffdend"},
		{"CRLF", "a\r\nb\r\r\n", "a\nb\n", "a\nb\n"},
		{"progress", "a 10%\ra 50%\ra 100%\ndone", "a 100%\ndone", "a 100%\ndone"},
		{"progress at the end", "x\n10%\r20%\r", "x\n20%", "x\n20%"},
		{"progress with style", "\x1b[1m10%\r20%", "20%", "\x1b[0m\x1b[1m20%"},
		{"backspace", "abc\b\bd", "ad", "ad"},
		{"backspace at the start", "\b\nx", "\nx", "\nx"},
		{"separators", "a\u2028b\u2029c", "a\nb\nc", "a\nb\nc"},
		{"direction", "a\u202eb\u2066c", "a\ufffdb\ufffdc", "a\ufffdb\ufffdc"},
		{"soft hyphen, BOM", "\ufeffa\u00adb", "ab", "ab"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := Sanitize(tc.s); got != tc.plain {
				t.Errorf("Sanitize(%q) = %q, want %q", tc.s, got, tc.plain)
			}
			if got := SanitizeWith(tc.s, SanitizeOptions{KeepStyles: true}); got != tc.styled {
				t.Errorf("with styles: %q, want %q", got, tc.styled)
			}
		})
	}
}

func TestSanitizeKeepsLinks(t *testing.T) {
	t.Parallel()
	const open, end = "\x1b]8;;http://a\x1b\\", "\x1b]8;;\x1b\\"
	for _, tc := range []struct{ name, s, want string }{
		{"a link", open + "x" + end, open + "x" + end},
		{"ended by a bell", "\x1b]8;id=1;http://a\ax\x1b]8;;\a", "\x1b]8;id=1;http://a\ax\x1b]8;;\a"},
		{"styles are not kept", "\x1b[31m" + open + "x", open + "x"},
		{"other strings are not kept", "\x1b]0;t\a\x1b]52;c;aGk=\x1b\\x\x1b_Ga=d\x1b\\", "x"},
		{"C1 in the address", "\x1b]8;;http://a\u009c\u009b2J\x1b\\x", "x"},
		{"a line feed in the address", "\x1b]8;;http://a\n\x1b\\x", "x"},
		{"bytes that are not UTF-8 in the address", "\x1b]8;;http://a\x9c\x1b\\x", "x"},
		{"a carriage return keeps what is open", open + "10%\r20%", end + open + "20%"},
		{"a carriage return keeps what is closed", open + "a" + end + "\rb", end + "b"},
		{"a backspace does not break it", "a" + open + "\b\bx", "a" + open + "x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := SanitizeWith(tc.s, SanitizeOptions{KeepLinks: true}); got != tc.want {
				t.Errorf("SanitizeWith(%q) = %q, want %q", tc.s, got, tc.want)
			}
		})
	}
	if got, want := SanitizeWith("\x1b[31mroom\bx", SanitizeOptions{KeepStyles: true}), "\x1b[31mroox"; got != want {
		t.Errorf("a backspace after a letter m: %q, want %q", got, want)
	}
}

// What a line may hold, wherever it is cut.
func TestControlStringsInLines(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\": "a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\",
		"a\x1b_pi:c\ab":                          "a\x1b_pi:c\ab",
		"a\x1b_Ga=p,i=1\x1b\\b":                  "a\x1b_Ga=p,i=1\x1b\\b",
		"a\x1b]1337;File=inline=1:QQ==\ab":       "a\x1b]1337;File=inline=1:QQ==\ab",
		"a\x1b]1337;SetUserVar=x=y\ab":           "ab",
		"a\x1b]2;title\ab":                       "ab",
		"a\x1b]52;c;QQ==\x1b\\b":                 "ab",
		"a\x1bPtmux;x\x1b\\b":                    "ab",
		"a\x1b_title\x1b\\b":                     "ab",
		"a\x1b]8;;http://x\u009c\u009b2J\x1b\\b": "ab",
		"a\x1b_Ga=p\u009c\u009b2J\x1b\\b":        "ab",
		"a\x1b]8;;http://x\x00\x1b\\b":           "ab",
	} {
		if got := Truncate(s, 10, ""); got != want {
			t.Errorf("Truncate(%q) = %q, want %q", s, got, want)
		}
		if got := strings.Join(Wrap(s, 10), "|"); got != want {
			t.Errorf("Wrap(%q) = %q, want %q", s, got, want)
		}
	}
}

func FuzzSanitize(f *testing.F) {
	f.Add("a 10%%\ra 50%%\ra 100%%\n\x1b[1A\x1b[2Kdone\t|\x1b[31mred\x1b[0m\n")
	f.Add("\x1b\x1b]\x1b[\u009d\xc2")
	f.Add("\x1b[31m\b\b\r\x1b[m")
	f.Add("\x1b]8;;http://a\x1b\\x\r\x1b[1my\x1b]8;;\a\b\bz\x1b]8;;\u009c\a")
	f.Fuzz(func(t *testing.T, s string) {
		clean := Sanitize(s)
		if !utf8.ValidString(clean) {
			t.Fatalf("Sanitize(%q) = %q is not UTF-8", s, clean)
		}
		for _, r := range clean {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				t.Fatalf("Sanitize(%q) = %q has the control character %U", s, clean, r)
			}
		}
		if again := Sanitize(clean); again != clean {
			t.Fatalf("Sanitize twice: %q, then %q", clean, again)
		}
		styled := SanitizeWith(s, SanitizeOptions{KeepStyles: true})
		for rest := styled; ; {
			i := strings.IndexByte(rest, escape)
			if i < 0 {
				break
			}
			rest = rest[i:]
			n := sequenceLen(rest)
			if !isSGR(rest[:n]) {
				t.Fatalf("%q has %q, which is no style", styled, rest[:n])
			}
			rest = rest[n:]
		}
		linked := SanitizeWith(s, SanitizeOptions{KeepStyles: true, KeepLinks: true})
		for rest := linked; ; {
			i := strings.IndexByte(rest, escape)
			if i < 0 {
				break
			}
			rest = rest[i:]
			n := sequenceLen(rest)
			if _, _, link := linkTarget(rest[:n]); !link && !isSGR(rest[:n]) {
				t.Fatalf("%q has %q, which is no style and no link", linked, rest[:n])
			}
			rest = rest[n:]
		}
		if again := SanitizeWith(linked, SanitizeOptions{KeepStyles: true, KeepLinks: true}); again != linked {
			t.Fatalf("with links twice: %q, then %q", linked, again)
		}
		if !utf8.ValidString(styled) {
			t.Fatalf("%q is not UTF-8", styled)
		}
	})
}
