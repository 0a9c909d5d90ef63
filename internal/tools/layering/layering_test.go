package layering

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/internal/tools/fixture"
)

// Each archive in testdata lays files over a repository that obeys every rule.
// Lines of its comment that start with "want " name the violations, in order:
// the place, and words of the explanation.
func TestCheckFindsWhatIsForbidden(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			root, comment := fixture.Repo(t, archive)
			got, err := Check(fixture.Open(t, root))
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for line := range strings.Lines(comment) {
				if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "want "); ok {
					want = append(want, rest)
				}
			}
			if len(got) != len(want) {
				t.Fatalf("want %d violations, got %d:\nwant %s\ngot  %s", len(want), len(got), strings.Join(want, "\n     "), join(got))
			}
			for i, w := range want {
				where, words, _ := strings.Cut(w, ": ")
				if got[i].Where != where || !strings.Contains(got[i].What, words) {
					t.Errorf("want %s: ... %s ...\ngot  %s", where, words, got[i])
				}
			}
		})
	}
}

func join(violations []Violation) string {
	var lines []string
	for _, v := range violations {
		lines = append(lines, v.String())
	}
	return strings.Join(lines, "\n     ")
}

func TestARepositoryThatObeysHasNoViolations(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	got, err := Check(fixture.Open(t, root))
	if err != nil || len(got) > 0 {
		t.Fatalf("err %v, violations:\n     %s", err, join(got))
	}
}

func TestThisRepositoryObeys(t *testing.T) {
	got, err := Check(fixture.Real(t))
	if err != nil || len(got) > 0 {
		t.Fatalf("err %v, violations:\n     %s", err, join(got))
	}
}

func TestArrowsHaveNoCircle(t *testing.T) {
	for module := range moduleArrows {
		// reachable would not end in a circle, so walk with a limit.
		frontier := []string{module}
		for range moduleArrows {
			var next []string
			for _, m := range frontier {
				next = append(next, moduleArrows[m]...)
			}
			frontier = next
		}
		if len(frontier) > 0 {
			t.Errorf("from %s arrows lead on and on: %v", module, frontier)
		}
	}
}

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, pkg string
		want         bool
	}{
		{"ai", "ai", true},
		{"ai", "ai/auth", false},
		{"ai/...", "ai", true},
		{"ai/...", "ai/api/openai", true},
		{"ai/...", "aix", false},
		{"codingagent/cmd/pi/...", "codingagent/cmd/pi", true},
		{"codingagent/cmd/pi/...", "codingagent/cmd/pilot", false},
	} {
		if got := match(c.pattern, c.pkg); got != c.want {
			t.Errorf("match(%q, %q) = %v, want %v", c.pattern, c.pkg, got, c.want)
		}
	}
}

func TestEveryLayerIsReachedByItsOwnPatternOnly(t *testing.T) {
	for i, patterns := range layers {
		for _, p := range patterns {
			if got := layerOf(strings.TrimSuffix(p, "/...")); got != i {
				t.Errorf("pattern %s is of layer %d and is found in layer %d", p, i, got)
			}
		}
	}
	if slices.ContainsFunc(layers, func(patterns []string) bool { return matches(patterns, "codingagent/tools") }) {
		t.Error("codingagent/tools is in a layer; the test for ways through packages in none needs another example")
	}
}
