package tuitest

import (
	"fmt"
	"testing"
)

type lines []string

func (l lines) Render(int) []string { return l }

// recorder notes what a test would report.
type recorder []string

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { *r = append(*r, fmt.Sprintf(format, args...)) }

func TestDraw(t *testing.T) {
	t.Parallel()
	term := Draw(t, lines{"one", "\x1b[1m한글\x1b[0m"}, 4)
	if got := term.Screen(); len(got) != 2 || got[0] != "one" || got[1] != "한글" {
		t.Errorf("screen %q", got)
	}
	for _, bad := range []string{"too wide", "1234567", "\x1b[1mx", "a\tb", "a\x1b[2J"} {
		var r recorder
		Draw(&r, lines{bad}, 6)
		if len(r) == 0 {
			t.Errorf("nothing is said about %q", bad)
		}
	}
	Draw(t, lines{}, 3)
}
