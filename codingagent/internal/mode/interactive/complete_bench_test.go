package interactive

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools/search"
)

// manyNames are the names of a large project.
func manyNames(n int) []string {
	words := []string{"server", "client", "handler", "model", "view", "test", "util", "session", "router", "config"}
	exts := []string{".go", ".ts", ".md", ".json"}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s/%s%d/%s_%s%d%s", words[i%10], words[i/10%10], i/1000, words[i/100%10], words[i%7], i, exts[i%4])
	}
	return names
}

// BenchmarkRankFiles is what a key costs while a file is being named, among 100,000.
func BenchmarkRankFiles(b *testing.B) {
	names := manyNames(100_000)
	for _, query := range []string{"", "s", "ser", "serverhandler", "router/view", "no such file"} {
		b.Run(query, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var l fileList
				best(l.narrow(names, query), query)
			}
		})
	}
}

// BenchmarkListFiles is what the first key costs: the walk over 100,000 files.
func BenchmarkListFiles(b *testing.B) {
	dir := b.TempDir()
	made := map[string]bool{}
	for _, n := range manyNames(100_000) {
		path := filepath.Join(dir, n)
		if d := filepath.Dir(path); !made[d] {
			made[d] = true
			if err := os.MkdirAll(d, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	env, err := execenv.Local(dir, execenv.LocalOptions{Home: dir})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		found, err := search.Find(b.Context(), search.Tree{Env: env, Root: dir}, search.Names{Pattern: "*", Limit: maxFiles})
		if err != nil || len(found.Paths) < 100_000 {
			b.Fatal(len(found.Paths), err)
		}
	}
}
