package resource

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pi-go/pi/agentcore/execenv"
)

// tree makes files in a fresh directory; a name that ends in / is a directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		dir := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "/") {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}

func load(t *testing.T, dir, agentDir, home string) (paths []string, contents []string, notes []Diagnostic) {
	t.Helper()
	env, err := execenv.Local(dir, execenv.LocalOptions{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	files, notes := ContextFiles(t.Context(), env, agentDir, home)
	for _, f := range files {
		paths = append(paths, f.Path)
		contents = append(contents, f.Content)
	}
	return paths, contents, notes
}

func TestContextFilesFromTheRepositoryRootDown(t *testing.T) {
	root := tree(t, map[string]string{
		"AGENTS.md": "outside", "repo/.git/": "", "repo/AGENTS.md": "root", "repo/CLAUDE.md": "hidden by AGENTS.md",
		"repo/a/CLAUDE.md": "middle", "repo/a/b/AGENTS.override.md": "own", "repo/a/b/AGENTS.md": "overridden", "agent/AGENTS.md": "user",
	})
	_, contents, notes := load(t, filepath.Join(root, "repo/a/b"), filepath.Join(root, "agent"), "/nowhere")
	if got := strings.Join(contents, ","); got != "user,root,middle,own" || len(notes) != 0 {
		t.Errorf("got %s, notes %v", got, notes)
	}
}

func TestContextFilesWithoutRepositoryStopBelowHome(t *testing.T) {
	root := tree(t, map[string]string{"AGENTS.md": "home", "w/AGENTS.md": "work", "w/x/": ""})
	_, contents, _ := load(t, filepath.Join(root, "w/x"), "", root)
	if got := strings.Join(contents, ","); got != "work" {
		t.Errorf("got %s", got)
	}
}

func TestContextFilesPassOverPublicDirectories(t *testing.T) {
	root := tree(t, map[string]string{"pub/AGENTS.md": "stray", "pub/w/AGENTS.md": "own"})
	if err := os.Chmod(filepath.Join(root, "pub"), 0o777); err != nil {
		t.Fatal(err)
	}
	_, contents, _ := load(t, filepath.Join(root, "pub/w"), "", root)
	if got := strings.Join(contents, ","); got != "own" {
		t.Errorf("got %s", got)
	}
}

func TestContextFilesThatAreNone(t *testing.T) {
	root := tree(t, map[string]string{
		"dir/.git/": "", "dir/AGENTS.md/": "", "dir/CLAUDE.md": "fallback",
		"bad/.git/": "", "bad/AGENTS.md": "a\xffb",
		"big/.git/": "", "big/AGENTS.md": strings.Repeat("x", 20<<20),
		"link/.git/": "",
	})
	if err := os.Symlink("nowhere", filepath.Join(root, "link/AGENTS.md")); err != nil {
		t.Fatal(err)
	}
	cases := []struct{ dir, want, note string }{
		{"dir", "fallback", "not a regular file"},
		{"bad", "a\uFFFDb", "not valid UTF-8"},
		{"big", strings.Repeat("x", MaxContextFile), "only the first"},
		{"link", "", "leads nowhere"},
	}
	for _, c := range cases {
		_, contents, notes := load(t, filepath.Join(root, c.dir), "", root)
		if got := strings.Join(contents, ","); got != c.want || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes of context", c.dir, len(got))
		}
		if len(notes) != 1 || !strings.Contains(notes[0].Message, c.note) || !strings.Contains(notes[0].Path, c.dir) {
			t.Errorf("%s: notes %v", c.dir, notes)
		}
	}
	if os.Getuid() != 0 { // root reads everything
		path := filepath.Join(root, "dir/CLAUDE.md")
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		if _, _, notes := load(t, filepath.Join(root, "dir"), "", root); len(notes) != 2 {
			t.Errorf("an unreadable file: notes %v", notes)
		}
	}
}
