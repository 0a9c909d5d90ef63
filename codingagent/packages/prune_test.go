package packages

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestPrune(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"package.json":                               `{"dependencies":{"a":"1","@s/b":"1","gone":"1"}}`,
		"package-lock.json":                          `{"packages":{"":{},"node_modules/a":{},"node_modules/@s/b":{},"node_modules/c":{},"node_modules/d":{},"node_modules/old":{},"node_modules/@s/old":{},"node_modules/a/node_modules/d":{},"node_modules/../x":{},"node_modules/not-there":{}}}`,
		"node_modules/a/package.json":                `{"name":"a","dependencies":{"c":"1","d":"2"},"optionalDependencies":{"not-there":"1"}}`,
		"node_modules/a/node_modules/d/package.json": `{"name":"d","version":"2.0.0"}`,
		"node_modules/@s/b/package.json":             `{"name":"@s/b"}`,
		"node_modules/c/package.json":                `{"name":"c","dependencies":{"d":"1","a":"1"}}`,
		"node_modules/d/package.json":                `{"name":"d","version":"1.0.0"}`,
		"node_modules/old/package.json":              `{"name":"old","dependencies":{"@s/old":"1"}}`,
		"node_modules/@s/old/package.json":           `{"name":"@s/old","dependencies":{"old":"1"}}`,
		"node_modules/mine/package.json":             `{"name":"mine"}`,
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := prune(root); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, dir := range []string{"node_modules", "node_modules/@s"} {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			left = append(left, e.Name())
		}
	}
	slices.Sort(left)
	if got := strings.Join(left, " "); got != "@s a b c d mine" {
		t.Errorf("left are %s", got)
	}
	lock, err := os.ReadFile(filepath.Join(root, "package-lock.json"))
	if err != nil || strings.Contains(string(lock), "old") || !strings.Contains(string(lock), "node_modules/a/node_modules/d") {
		t.Errorf("the lock file: %s, %v", lock, err)
	}
}
