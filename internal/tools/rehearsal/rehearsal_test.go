package rehearsal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pi-go/pi/internal/tools/fixture"
)

// The fixture's modules require nothing from elsewhere, so no network is needed.
func rehearse(t *testing.T, root string) (string, error) {
	t.Helper()
	t.Setenv("GOPROXY", "off")
	var out bytes.Buffer
	err := Run(t.Context(), fixture.Open(t, root), &out)
	return out.String(), err
}

func TestRunInstallsAndImportsEverything(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "LICENSE", "Do as you like.\n")
	fixture.Commit(t, root)
	out, err := rehearse(t, root)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		"packed example.test/p/ai v0.3.0, 3 files", // go.mod, ai.go and the licence
		"go install example.test/p/codingagent/cmd/pi@v0.3.0",
		"a foreign module imports 9 public packages",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in:\n%s", want, out)
		}
	}
	for _, private := range []string{"examples", "internal/tools"} {
		if strings.Contains(out, private) {
			t.Errorf("%s was packed:\n%s", private, out)
		}
	}
}

// Each of these builds and passes its tests in the workspace, and would fail only
// once it is published.
func TestRunFindsWhatTheWorkspaceHides(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"replace in a go.mod": {
			map[string]string{"codingagent/go.mod": "module example.test/p/codingagent\n\ngo 1.26.0\n\nrequire (\n\texample.test/p/agentcore v0.3.0\n\texample.test/p/ai v0.3.0\n\texample.test/p/tui v0.3.0\n)\n\nreplace example.test/p/ai => ../ai\n"},
			"install commands at v0.3.0",
		},
		"sibling at a version that never was": {
			map[string]string{"storage/go.mod": "module example.test/p/storage\n\ngo 1.26.0\n\nrequire example.test/p/agentcore v0.9.0\n"},
			"import packages at v0.3.0",
		},
		"embedded file that git ignores": {
			map[string]string{
				".gitignore":    "secret.txt\n",
				"ai/embed.go":   "package ai\n\nimport _ \"embed\"\n\n//go:embed secret.txt\nvar secret string\n",
				"ai/secret.txt": "x",
			},
			"secret.txt",
		},
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := fixture.Repo(t, "")
			for file, content := range c.files {
				fixture.Write(t, root, file, content)
			}
			fixture.Commit(t, root)
			out, err := rehearse(t, root)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, got %v\n%s", c.want, err, out)
			}
		})
	}
}
