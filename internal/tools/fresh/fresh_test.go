package fresh

import (
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/internal/tools/fixture"
)

// repo has one generator, which writes a table next to it.
func repo(t *testing.T, generator string) string {
	t.Helper()
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, ".gitignore", "/ignored/\n")
	fixture.Write(t, root, "ai/catalog/catalog.go", "// Package catalog has the facts.\npackage catalog\n\n//go:generate go run gen.go\n")
	fixture.Write(t, root, "ai/catalog/gen.go", "//go:build ignore\n\npackage main\n\nimport \"os\"\n\nfunc main() {\n"+generator+"\n}\n")
	fixture.Write(t, root, "ai/catalog/table.txt", "one\n")
	fixture.Write(t, root, "ignored/large.txt", "not copied\n")
	fixture.Commit(t, root)
	return root
}

func check(t *testing.T, root string) Report {
	t.Helper()
	report, err := Check(t.Context(), fixture.Open(t, root))
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestCheckAcceptsFreshFiles(t *testing.T) {
	report := check(t, repo(t, "\tos.WriteFile(\"table.txt\", []byte(\"one\\n\"), 0o644)"))
	if !slices.Equal(report.Generators, []string{"ai/catalog"}) || len(report.Stale) > 0 {
		t.Errorf("got %+v", report)
	}
}

func TestCheckFindsChangedNewAndRemovedFiles(t *testing.T) {
	root := repo(t, "\tos.WriteFile(\"table.txt\", []byte(\"two\\n\"), 0o644)\n\tos.WriteFile(\"more.txt\", nil, 0o644)\n\tos.Remove(\"gone.txt\")")
	fixture.Write(t, root, "ai/catalog/gone.txt", "left over\n") // not committed, but git would add it
	report := check(t, root)
	if want := []string{"ai/catalog/gone.txt", "ai/catalog/more.txt", "ai/catalog/table.txt"}; !slices.Equal(report.Stale, want) {
		t.Errorf("want %v, got %v", want, report.Stale)
	}
	if got := fixture.Read(t, root, "ai/catalog/table.txt"); got != "one\n" {
		t.Errorf("the tree itself was changed: %q", got)
	}
}

func TestCheckReportsAGeneratorThatDoesNotRun(t *testing.T) {
	_, err := Check(t.Context(), fixture.Open(t, repo(t, "\tos.Exit(7)")))
	if err == nil || !strings.Contains(err.Error(), "go generate ./ai/catalog") {
		t.Errorf("want an error that names the generator, got %v", err)
	}
}

func TestCheckWithoutGeneratorsNeedsNothing(t *testing.T) {
	root, _ := fixture.Repo(t, "") // not even a git repository
	if report := check(t, root); len(report.Generators) > 0 || len(report.Stale) > 0 {
		t.Errorf("got %+v", report)
	}
}
