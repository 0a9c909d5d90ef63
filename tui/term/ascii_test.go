package term

import (
	"testing"
	"unicode/utf8"

	"github.com/pi-go/pi/tui/text"
)

func TestASCII(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain": "plain",
		"┌─┐│x│└─┘ ▰▱ ● ✗ ↑3 ↓2 … “a” −1": "+-+|x|+-+ #. * x ^3 v2 . \"a\" -1",
		"한글 é 🧭":          "한글 é 🧭",
		"\x1b[1m─\x1b[0m": "\x1b[1m-\x1b[0m",
		"a\xff─":          "a\xff-",
	} {
		if got := string(ASCII([]byte(in))); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

// No sign takes another number of columns than what stands for it.
func TestASCIIKeepsWidths(t *testing.T) {
	t.Parallel()
	for r := rune(0x80); r < 0x1ffff; r++ {
		if asciiFor(r) != 0 && text.Width(string(r)) != 1 {
			t.Errorf("%q is %d wide", r, text.Width(string(r)))
		}
	}
}

func TestPlainLocale(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, false},
		{map[string]string{"LANG": "C"}, true},
		{map[string]string{"LC_ALL": "POSIX", "LANG": "de_DE.UTF-8"}, true},
		{map[string]string{"LC_ALL": "C.UTF-8"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "en_US.UTF-8"}, false},
	} {
		if got := FactsOf(func(k string) string { return tc.env[k] }).ASCII; got != tc.want {
			t.Errorf("%v: %v", tc.env, got)
		}
	}
}

func FuzzASCII(f *testing.F) {
	f.Add([]byte("─ \xe2\x94"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := ASCII(b)
		if utf8.Valid(b) && !utf8.Valid(got) || len(got) > len(b) {
			t.Errorf("%q gives %q", b, got)
		}
	})
}
