package packages

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRecoverSwaps(t *testing.T) {
	root := t.TempDir()
	write := func(dir, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, "f"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(dir string) string {
		data, err := os.ReadFile(filepath.Join(root, dir, "f"))
		if err != nil {
			return err.Error()
		}
		return string(data)
	}
	rel := filepath.Join("node_modules", "@s", "a")
	// Killed between the two steps: the old one comes back.
	write(rel, "old")
	if _, err := moveAside(root, rel); err != nil {
		t.Fatal(err)
	}
	if err := recoverSwaps(root); err != nil || read(rel) != "old" {
		t.Errorf("%v, %s", err, read(rel))
	}
	// Killed after both: the new one stays.
	if _, err := moveAside(root, rel); err != nil {
		t.Fatal(err)
	}
	write(rel, "new")
	write(filepath.Join(stageDir, "123"), "half")
	if err := recoverSwaps(root); err != nil || read(rel) != "new" {
		t.Errorf("%v, %s", err, read(rel))
	}
	for _, dir := range []string{stageDir, asideDir} {
		if _, err := os.Lstat(filepath.Join(root, dir)); err == nil {
			t.Errorf("there is %s", dir)
		}
	}
	// In place of a link, too.
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	dir, err := stage(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := put(root, "link", dir); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(filepath.Join(root, "link")); err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Error(err)
	}
}

func TestNPMKind(t *testing.T) {
	for want, argv := range map[string][]string{
		"npm": {"npm"}, "pnpm": {"mise", "exec", "--", "pnpm"}, "bun": {"/usr/local/bin/bun"},
	} {
		if got := npmKind(argv); got != want {
			t.Errorf("%v is %s", argv, got)
		}
	}
	if got := npmKind([]string{"wrapper", "npm.cmd", "--flag"}); got != "npm" {
		t.Error(got)
	}
	if got := npmKind([]string{"my-tool"}); got != "npm" {
		t.Error(got)
	}
}
