package rename

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/internal/tools/fixture"
)

func TestPrefixRenamesEverywhere(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, ".gitignore", "/bin/\n")
	fixture.Write(t, root, "README.md", "Install example.test/p/codingagent/cmd/pi, not example.test/pilot or example.test/p-old.\n")
	fixture.Write(t, root, "logo.bin", "\x00example.test/p/ai")
	fixture.Write(t, root, "bin/note.txt", "example.test/p")
	fixture.Write(t, root, "codingagent/sorted.go", "package codingagent\n\nimport (\n\t_ \"example.test/p/tui\"\n\t_ \"os\"\n)\n")
	fixture.Commit(t, root)

	changed, err := Prefix(t.Context(), fixture.Open(t, root), "zeta.example/agent")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(changed, "go.work") || slices.Contains(changed, "logo.bin") || slices.Contains(changed, "VERSION") {
		t.Errorf("changed %v", changed)
	}
	for file, want := range map[string]string{
		"README.md":             "Install zeta.example/agent/codingagent/cmd/pi, not example.test/pilot or example.test/p-old.\n",
		"logo.bin":              "\x00example.test/p/ai",
		"bin/note.txt":          "example.test/p",
		"codingagent/sorted.go": "package codingagent\n\nimport (\n\t_ \"os\"\n\t_ \"zeta.example/agent/tui\"\n)\n",
	} {
		if got := fixture.Read(t, root, file); got != want {
			t.Errorf("%s: want %q, got %q", file, want, got)
		}
	}
	w := fixture.Open(t, root)
	if w.Prefix != "zeta.example/agent" {
		t.Errorf("prefix is now %s", w.Prefix)
	}
	cmd := exec.Command("go", "vet", "./codingagent/...", "./server/...")
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the renamed repository does not build: %v\n%s", err, output)
	}
}

func TestPrefixRefusesWhatIsNoModulePath(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	w := fixture.Open(t, root)
	for to, want := range map[string]string{"": "malformed", "No Path": "malformed", "example.test/p": "already"} {
		if _, err := Prefix(t.Context(), w, to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("rename to %q: want an error with %q, got %v", to, want, err)
		}
	}
}
