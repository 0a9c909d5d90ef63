package house

import (
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/internal/tools/fixture"
)

func TestPagesNameWhatThereIs(t *testing.T) {
	root, _ := fixture.Repo(t, "testdata/rules.txtar")
	fixture.Write(t, root, "docs/page.md", "[map](../ARCHITECTURE.md#places), [gone](gone.md), [there](https://example.org/x)\n")
	fixture.Write(t, root, mapFile, "`agentcore/{execenv,gone}`, `tui/…`, `ai/vX.Y.Z`, `a/b`, `ai/auth`, `storage/sqlite`, `codingagent/{extension,internal,settings}`\n`tui/<any>.go`, `ai/<any>.c`\n")
	got, err := Check(fixture.Open(t, root))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range got {
		if strings.Contains(f.Where, ".md") || strings.Contains(f.What, mapFile) {
			lines = append(lines, f.String())
		}
	}
	want := []string{
		"ARCHITECTURE.md:1: names agentcore/gone, which does not exist",
		"ARCHITECTURE.md:2: names ai/*.c, which does not exist",
		"docs/page.md:1: links to gone.md, which does not exist",
		"codingagent/helper/helper.go:1: ARCHITECTURE.md does not tell of this package; add it to the table of places",
	}
	if !slices.Equal(want, lines) {
		t.Errorf("want\n%s\ngot\n%s", strings.Join(want, "\n"), strings.Join(lines, "\n"))
	}
}
