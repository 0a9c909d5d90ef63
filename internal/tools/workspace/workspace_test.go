package workspace_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/internal/tools/fixture"
	"github.com/pi-go/pi/internal/tools/workspace"
)

func TestOpenReadsMembersFromGoWork(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	w := fixture.Open(t, root)
	if w.Prefix != "example.test/p" || w.Version != "0.3.0" {
		t.Errorf("prefix %q version %q", w.Prefix, w.Version)
	}
	var published, workspaceOnly []string
	for _, m := range w.Modules {
		if m.Published() {
			published = append(published, m.Dir)
		} else {
			workspaceOnly = append(workspaceOnly, m.Dir)
		}
	}
	if want := []string{"agentcore", "ai", "codingagent", "evals", "server", "storage", "tui"}; !slices.Equal(published, want) {
		t.Errorf("published: want %v, got %v", want, published)
	}
	if want := []string{"examples", "internal/tools"}; !slices.Equal(workspaceOnly, want) {
		t.Errorf("workspace only: want %v, got %v", want, workspaceOnly)
	}
}

func TestFindLooksUpwards(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	deep := filepath.Join(root, "codingagent", "internal", "mode")
	if got, err := workspace.Find(deep); err != nil || got != root {
		t.Errorf("want %s, got %s, %v", root, got, err)
	}
	if got, err := workspace.Find(t.TempDir()); err == nil {
		t.Errorf("found %s where there is no go.work", got)
	}
}

func TestInDependencyOrderPutsRequirementsFirst(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	w := fixture.Open(t, root)
	ordered, err := w.InDependencyOrder()
	if err != nil || len(ordered) != len(w.Modules) {
		t.Fatalf("%d of %d modules, %v", len(ordered), len(w.Modules), err)
	}
	seen := map[string]bool{}
	for _, m := range ordered {
		for _, r := range w.Siblings(m) {
			if !seen[r.Mod.Path] {
				t.Errorf("%s comes before %s, which it requires", m.Dir, r.Mod.Path)
			}
		}
		seen[m.Path] = true
	}
}

func TestInDependencyOrderReportsACircle(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "ai/go.mod", "module example.test/p/ai\n\ngo 1.26.0\n\nrequire example.test/p/agentcore v0.3.0\n")
	_, err := fixture.Open(t, root).InDependencyOrder()
	if err == nil || !strings.Contains(err.Error(), "agentcore, ai") {
		t.Errorf("want an error that names agentcore and ai, got %v", err)
	}
}

func TestOpenRejectsWhatDoesNotFit(t *testing.T) {
	for name, c := range map[string]struct{ file, content, want string }{
		"path and directory": {"ai/go.mod", "module example.test/p/llm\n\ngo 1.26.0\n", "does not end in its directory /ai"},
		"two prefixes":       {"tui/go.mod", "module elsewhere.test/tui\n\ngo 1.26.0\n", "does not start with example.test/p"},
		"no module line":     {"tui/go.mod", "go 1.26.0\n", "no module line"},
		"broken go.work":     {"go.work", "use (\n", "parse workspace"},
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := fixture.Repo(t, "")
			fixture.Write(t, root, c.file, c.content)
			if _, err := workspace.Open(root); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, got %v", c.want, err)
			}
		})
	}
}

func TestGoFilesSkipsWhatTheGoCommandSkips(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	for _, name := range []string{"ai/testdata/a.go", "ai/_old/a.go", "ai/.hidden/a.go", "ai/vendor/v/a.go", "ai/_a.go", "ai/nested/a.go"} {
		fixture.Write(t, root, name, "package a\n")
	}
	fixture.Write(t, root, "ai/nested/go.mod", "module nested.test\n")
	fixture.Write(t, root, "ai/ai_windows.go", "package ai\n")
	fixture.Write(t, root, "ai/ai_test.go", "package ai_test\n")
	w := fixture.Open(t, root)
	files, err := w.GoFiles()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		if f.Module.Dir == "ai" {
			got = append(got, f.Path)
		}
		if f.Test != strings.HasSuffix(f.Path, "_test.go") {
			t.Errorf("%s: Test is %v", f.Path, f.Test)
		}
	}
	if want := []string{"ai/ai.go", "ai/ai_test.go", "ai/ai_windows.go"}; !slices.Equal(got, want) {
		t.Errorf("want %v, got %v", want, got)
	}
	unlisted, err := w.UnlistedModules()
	if err != nil || !slices.Equal(unlisted, []string{"ai/nested"}) {
		t.Errorf("want ai/nested as unlisted module, got %v, %v", unlisted, err)
	}
}

func TestOwnerIsTheDeepestModule(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	w := fixture.Open(t, root)
	for rel, want := range map[string]string{
		"ai": "ai", "ai/auth": "ai", "aid": "", "internal/tools/cmd": "internal/tools", "internal": "", "README.md": "",
	} {
		if m, ok := w.Owner(rel); m.Dir != want || ok != (want != "") {
			t.Errorf("Owner(%q) = %q, %v; want %q", rel, m.Dir, ok, want)
		}
	}
}

func TestOpenNamesTheMissingFile(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	if err := os.Remove(filepath.Join(root, "VERSION")); err != nil {
		t.Fatal(err)
	}
	if _, err := workspace.Open(root); err == nil || !strings.Contains(err.Error(), "VERSION") {
		t.Errorf("want an error that names VERSION, got %v", err)
	}
}
