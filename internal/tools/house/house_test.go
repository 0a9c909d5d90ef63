package house

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/internal/tools/fixture"
)

func TestCheckFindsWhatBreaksTheRules(t *testing.T) {
	root, comment := fixture.Repo(t, "testdata/rules.txtar")
	fixture.Write(t, root, "tui/long.go", "package tui\n"+strings.Repeat("\n", maxLines))
	fixture.Write(t, root, "tui/full.go", "package tui\n"+strings.Repeat("\n", maxLines-1))
	fixture.Write(t, root, "tui/table.go", "package tui\n\nvar large = keep(\n\tmap[int]int{"+entries(maxMapEntries+1)+"})\n\nvar small = map[int]int{"+entries(maxMapEntries)+"}\n")

	got, err := Check(fixture.Open(t, root))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(comment) {
		if rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "want "); ok {
			want = append(want, rest)
		}
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("not found: %s", want[i])
		case i >= len(want):
			t.Errorf("found, but should not be: %s", got[i])
		default:
			where, words, _ := strings.Cut(want[i], ": ")
			if got[i].Where != where || !strings.Contains(got[i].String(), words) {
				t.Errorf("want %s: ... %s ...\ngot  %s", where, words, got[i])
			}
		}
	}
}

func entries(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d: 0, ", i)
	}
	return b.String()
}
