package lockstep

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/internal/tools/fixture"
)

const changelog = "# Changes\n\n## [Unreleased]\n\n## [0.3.0] - 2026-01-01\n"

func TestPlanOrdersPublishedModulesByDependency(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "CHANGELOG.md", changelog)
	fixture.Commit(t, root)
	w := fixture.Open(t, root)
	tags, err := Plan(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(tags) != 7 {
		t.Fatalf("want a tag for each of 7 published modules, got %v", tags)
	}
	for _, pair := range [][2]string{{"ai", "agentcore"}, {"agentcore", "storage"}, {"agentcore", "codingagent"}, {"tui", "codingagent"}, {"codingagent", "server"}} {
		first, second := slices.Index(tags, pair[0]+"/v0.3.0"), slices.Index(tags, pair[1]+"/v0.3.0")
		if first < 0 || second < first {
			t.Errorf("%s should be tagged before %s: %v", pair[0], pair[1], tags)
		}
	}
	if got := gitOutput(t, root, "tag"); got != "" {
		t.Errorf("a plan made tags: %s", got)
	}
	fixture.Git(t, root, "config", "user.name", "Test")
	fixture.Git(t, root, "config", "user.email", "test@example.test")
	if err := Tag(t.Context(), w, tags); err != nil {
		t.Fatal(err)
	}
	made := strings.Fields(gitOutput(t, root, "tag"))
	if want := slices.Sorted(slices.Values(tags)); !slices.Equal(made, want) {
		t.Errorf("want tags %v, got %v", want, made)
	}
	if _, err := Plan(t.Context(), w); err == nil || !strings.Contains(err.Error(), "tag ai/v0.3.0 exists already") {
		t.Errorf("want a refusal to tag twice, got %v", err)
	}
}

func TestPlanSaysAllThatIsNotReady(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "CHANGELOG.md", "# Changes\n\n## [Unreleased]\n")
	fixture.Commit(t, root)
	fixture.Write(t, root, "VERSION", "0.4.0\n")
	_, err := Plan(t.Context(), fixture.Open(t, root))
	if err == nil {
		t.Fatal("a repository that is not ready was accepted")
	}
	for _, want := range []string{"agentcore/go.mod:5: requires", "no section ## [0.4.0]", "uncommitted changes", "M VERSION"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("want %q in:\n%v", want, err)
		}
	}
}

func gitOutput(t *testing.T, root string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	output, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(output))
}

// The fixture's modules require nothing from elsewhere, so this needs no network.
func TestTidyKnowsTheSiblings(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	root, _ := fixture.Repo(t, "")
	// agentcore forgets what it imports; server keeps what nobody imports.
	fixture.Write(t, root, "agentcore/go.mod", "module example.test/p/agentcore\n\ngo 1.26.0\n")
	fixture.Write(t, root, "evals/evals.go", "// Package evals checks the agent.\npackage evals\n\nimport _ \"example.test/p/ai\"\n")
	fixture.Write(t, root, "evals/go.mod", "module example.test/p/evals\n\ngo 1.26.0\n\nrequire (\n\texample.test/p/ai v0.3.0\n\texample.test/p/tui v0.3.0\n)\n")
	before := fixture.Read(t, root, "evals/go.mod")
	results, err := Tidy(t.Context(), fixture.Open(t, root))
	if err != nil {
		t.Fatal(err)
	}
	if got := fixture.Read(t, root, "evals/go.mod"); got != before {
		t.Errorf("Tidy wrote evals/go.mod:\n%s", got)
	}
	changes := map[string][]string{}
	for _, r := range results {
		changes[r.Module.Dir] = r.Changes
		if skip := r.Skipped != ""; skip != (r.Module.Dir == "ai" || r.Module.Dir == "tui" || r.Module.Dir == "internal/tools") {
			t.Errorf("%s: skipped because %q", r.Module.Dir, r.Skipped)
		}
		if strings.Contains(string(r.Mod), "replace") {
			t.Errorf("%s: the tidy go.mod has a replace line:\n%s", r.Module.Dir, r.Mod)
		}
	}
	for dir, want := range map[string][]string{
		"agentcore":   {"+ go.mod: require example.test/p/ai v0.3.0"},
		"codingagent": nil, "server": nil, "storage": nil, "examples": nil,
	} {
		if !slices.Equal(changes[dir], want) {
			t.Errorf("%s: want %q, got %q", dir, want, changes[dir])
		}
	}
	if !slices.Contains(changes["evals"], "- go.mod: example.test/p/tui v0.3.0") {
		t.Errorf("evals: the requirement of tui should go: %q", changes["evals"])
	}

	w := fixture.Open(t, root)
	for _, r := range results {
		if r.Skipped == "" {
			if err := r.Write(w); err != nil {
				t.Fatal(err)
			}
		}
	}
	results, err = Tidy(t.Context(), fixture.Open(t, root))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if len(r.Changes) > 0 {
			t.Errorf("%s: not tidy after tidy: %q", r.Module.Dir, r.Changes)
		}
	}
}
