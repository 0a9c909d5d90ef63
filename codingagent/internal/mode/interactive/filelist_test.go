package interactive

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/tui/fuzzy"
)

func inBackground(f func()) { go f() }

func listOf(t *testing.T, files map[string]string) (*fileList, execenv.Env, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env, err := execenv.Local(dir, execenv.LocalOptions{Home: dir})
	if err != nil {
		t.Fatal(err)
	}
	l := &fileList{}
	l.setRoot(dir)
	return l, env, dir
}

func TestFilesThatAreOffered(t *testing.T) {
	l, env, dir := listOf(t, map[string]string{
		".gitignore": "*.log\nbuild/\n", "src/Main.go": "", "src/other.go": "", "main/readme.md": "", "a.log": "", "build/main.go": "", "deep/er/main_test.go": "",
	})
	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"main", []string{"main/", "src/Main.go", "deep/er/main_test.go", "main/readme.md"}},
		{"N.GO", []string{"src/Main.go", "deep/er/main_test.go"}},
		{"src/m", []string{"src/Main.go"}},
		{"dmt", []string{"deep/er/main_test.go"}},
		{"log", nil},
		{"build", nil},
	} {
		got, err := l.find(t.Context(), env, inBackground, tc.query)
		if err != nil || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(tc.want))) {
			t.Errorf("%q gives %q, %v; want %q", tc.query, got, err, tc.want)
		}
	}
	if got, err := l.find(t.Context(), env, inBackground, ""); err != nil || len(got) < 6 {
		t.Errorf("nothing typed gives %q, %v", got, err)
	}
	l.setRoot(filepath.Join(dir, "src"))
	if got, err := l.find(t.Context(), env, inBackground, "go"); err != nil || len(got) != 2 {
		t.Errorf("another directory gives %q, %v", got, err)
	}
	l.setRoot(filepath.Join(dir, "gone"))
	if _, err := l.find(t.Context(), env, inBackground, "go"); err == nil {
		t.Error("a directory that is not there gives no error")
	}
}

// An old list is used while the new one is read.
func TestAnOldListDoesNotWait(t *testing.T) {
	l, env, _ := listOf(t, map[string]string{"one.go": ""})
	if got, err := l.find(t.Context(), env, inBackground, "one"); err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	l.mu.Lock()
	l.read = l.read.Add(-2 * fileListTime)
	l.mu.Unlock()
	var later []func()
	got, err := l.find(t.Context(), env, func(f func()) { later = append(later, f) }, "one")
	if err != nil || len(got) != 1 || len(later) != 1 {
		t.Errorf("got %q, %v and %d walks", got, err, len(later))
	}
	// Without any list a key that is followed by another waits for nothing.
	l.setRoot(env.Dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := l.find(ctx, env, func(func()) {}, "one"); len(got) != 0 || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

// Typing on gives what typing all at once gives, and all that is given matches.
func TestNarrowing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[abAB/.]{1,12}`), 0, 60).Draw(t, "names")
		query := rapid.StringMatching(`[abAB/]{1,5}`).Draw(t, "query")
		l := &fileList{}
		var typed []string
		for i := range query {
			typed = best(l.narrow(names, query[:i+1]), query[:i+1])
		}
		if at := best((&fileList{}).narrow(names, query), query); !slices.Equal(typed, at) {
			t.Fatalf("typed %q, at once %q", typed, at)
		}
		for _, n := range typed {
			if _, ok := fuzzy.Match(query, n); !ok {
				t.Fatalf("%q does not match %q", n, query)
			}
		}
	})
}

func TestVeryManyMatches(t *testing.T) {
	names := make([]string, 0, 3*manyMatches)
	for i := range 3 * manyMatches {
		names = append(names, fmt.Sprintf("dir/some_server_%04d.go", i))
	}
	names = append(names, "x/Server.go")
	got := best(names, "server")
	if len(got) != maxSuggestions || got[0] != "x/Server.go" || !strings.Contains(got[1], "_server_") {
		t.Errorf("got %d, first %q", len(got), got[0])
	}
}
