package search_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools/search"
)

// both runs a test on this machine and in memory, with the same files.
func both(t *testing.T, files map[string]string, links map[string]string, test func(t *testing.T, env execenv.Env)) {
	t.Helper()
	t.Run("memory", func(t *testing.T) {
		env := execenv.Memory(nil)
		m := env.FS.(*execenv.MemoryFS)
		for name, content := range files {
			m.Put("/work/"+name, content)
		}
		for name, target := range links {
			if err := m.Symlink(target, "/work/"+name); err != nil {
				t.Fatal(err)
			}
		}
		test(t, env)
	})
	t.Run("local", func(t *testing.T) {
		env, err := execenv.Local(t.TempDir(), execenv.LocalOptions{Home: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range files {
			write(t, env, name, content)
		}
		for name, target := range links {
			if err := os.Symlink(target, filepath.Join(env.Dir, name)); err != nil {
				t.Skip("no symbolic links here:", err)
			}
		}
		test(t, env)
	})
}

func write(t testing.TB, env execenv.Env, name, content string) {
	t.Helper()
	path := filepath.Join(env.Dir, name)
	if strings.HasSuffix(name, "/") {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func tree(env execenv.Env) search.Tree {
	return search.Tree{Env: env, Root: env.Dir, RequireGit: true, IgnoreFiles: []string{".rgignore", ".ignore"}}
}

// found lists what Find finds.
func found(t testing.TB, tr search.Tree, pattern string) string {
	t.Helper()
	res, err := search.Find(t.Context(), tr, search.Names{Pattern: pattern, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(res.Paths, " ")
}

// grepped lists the lines that Grep finds.
func grepped(t testing.TB, tr search.Tree, q search.Query) string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 1000
	}
	res, err := search.Grep(t.Context(), tr, q)
	if err != nil {
		t.Fatal(err)
	}
	return shown(res)
}

func shown(m search.Matches) string {
	var b strings.Builder
	for _, f := range m.Files {
		for _, l := range f.Lines {
			sep := "-"
			if l.Match {
				sep = ":"
			}
			fmt.Fprintf(&b, "%s%s%d%s%s\n", f.Path, sep, l.Number, sep, l.Text)
		}
	}
	if m.More {
		b.WriteString("more\n")
	}
	return b.String()
}

// Ignore rules with negation, and a repository in a repository.
func TestIgnoreRules(t *testing.T) {
	t.Parallel()
	both(t, map[string]string{
		".git/HEAD": "ref: x\n", ".git/config": "x\n", ".gitignore": "*.log\nbuild/\n", "sub/.gitignore": "!keep.log\n",
		"a.log": "x\n", "sub/keep.log": "x\n", "sub/other.log": "x\n", "build/x.txt": "x\n", ".hidden": "x\n", "top.txt": "x\n",
		"nested/.git/HEAD": "ref: x\n", "nested/.gitignore": "tmp/\n", "nested/ok.txt": "x\n", "nested/tmp/no.txt": "x\n", "nested/b.log": "x\n",
	}, nil, func(t *testing.T, env execenv.Env) {
		for _, requireGit := range []bool{true, false} {
			tr := tree(env)
			tr.RequireGit = requireGit
			want := ".gitignore .hidden nested/ nested/.gitignore nested/b.log nested/ok.txt sub/ sub/.gitignore sub/keep.log top.txt"
			if got := found(t, tr, "*"); got != want {
				t.Errorf("found %s\nwant  %s", got, want)
			}
			want = ".hidden:1:x\nnested/b.log:1:x\nnested/ok.txt:1:x\nsub/keep.log:1:x\ntop.txt:1:x\n"
			if got := grepped(t, tr, search.Query{Pattern: "^x"}); got != want {
				t.Errorf("grepped %s\nwant %s", got, want)
			}
		}
		// A search that begins further down obeys the rules from above.
		tr := tree(env)
		tr.Root = env.Abs("sub")
		if got := found(t, tr, "*"); got != ".gitignore keep.log" {
			t.Errorf("from sub: %s", got)
		}
		tr.Root = env.Abs("nested")
		if got := found(t, tr, "*"); got != ".gitignore b.log ok.txt" {
			t.Errorf("from nested: %s", got)
		}
		// What is asked for by its path is searched.
		tr.Root = env.Abs("build")
		if got := found(t, tr, "*"); got != "x.txt" {
			t.Errorf("from build: %s", got)
		}
	})
}

// Without a repository .gitignore counts for find only, and other ignore files
// for both.
func TestIgnoreFilesWithoutGit(t *testing.T) {
	t.Parallel()
	both(t, map[string]string{
		".gitignore": "a\n", ".ignore": "b\n!c\n", ".rgignore": "c\n", "d/.ignore": "!b\n", "a": "", "b": "", "c": "", "d/b": "", "d/e": "",
	}, nil, func(t *testing.T, env execenv.Env) {
		tr := tree(env)
		if got, want := found(t, tr, "?"), "a d/ d/b d/e"; got != want {
			t.Errorf("found %s, want %s", got, want)
		}
		tr.RequireGit, tr.IgnoreFiles = false, []string{".fdignore", ".ignore"}
		if got, want := found(t, tr, "?"), "c d/ d/b d/e"; got != want {
			t.Errorf("found %s, want %s", got, want)
		}
	})
}

// The excludes files of a repository, of a work tree and of the user.
func TestExcludes(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"repo/.git/info/exclude": "a\n", "repo/a": "", "repo/b": "", "repo/c": "", "repo/d": "",
		"repo/.git/worktrees/w/commondir": "../..\n",
		"work/.git":                       "gitdir: ../repo/.git/worktrees/w\n", "work/a": "", "work/b": "",
		"home/.gitconfig": "[user]\n\texcludesfile = no\n[core]\n\tExcludesFile = \"~/mine\"\n", "home/mine": "/b\n", "home/.config/git/ignore": "c\n",
		"xdg/.config/git/ignore": "c\n",
	}
	both(t, files, nil, func(t *testing.T, env execenv.Env) {
		for _, c := range []struct{ home, dir, want string }{
			{"none", "repo", "b c d"}, {"home", "repo", "c d"}, {"xdg", "repo", "b d"}, {"none", "work", "b"}, {"home", "work", ""},
		} {
			tr := tree(env.In(c.dir))
			tr.Env.Home = env.Abs(c.home)
			if got := found(t, tr, "?"); got != c.want {
				t.Errorf("%s with %s: %s, want %s", c.dir, c.home, got, c.want)
			}
		}
	})
}

func TestLinks(t *testing.T) {
	t.Parallel()
	both(t, map[string]string{"t/a.txt": "x\n", "real/b.txt": "x\n"}, map[string]string{
		"t/loop": "..", "t/self": "self", "t/broken": "nowhere", "t/d": "../real", "t/link.txt": "a.txt",
	}, func(t *testing.T, env execenv.Env) {
		if got, want := found(t, tree(env), "*.txt"), "real/b.txt t/a.txt t/link.txt"; got != want {
			t.Errorf("found %s, want %s", got, want)
		}
		if got, want := found(t, tree(env.In("t")), "*"), "a.txt broken d link.txt loop self"; got != want {
			t.Errorf("found %s, want %s", got, want)
		}
		if got, want := grepped(t, tree(env), search.Query{Pattern: "x"}), "real/b.txt:1:x\nt/a.txt:1:x\n"; got != want {
			t.Errorf("grepped %s, want %s", got, want)
		}
		// A link that is itself the root is followed.
		if got, want := grepped(t, tree(env.In("t/d")), search.Query{Pattern: "x"}), "b.txt:1:x\n"; got != want {
			t.Errorf("grepped %s, want %s", got, want)
		}
	})
}

func TestFind(t *testing.T) {
	t.Parallel()
	both(t, map[string]string{
		"README.md": "", "src/main.go": "", "src/main_test.go": "", "src/app/view.tsx": "", "src/app/": "", "a b.txt": "", "é.txt": "", ".git": "no repository",
	}, nil, func(t *testing.T, env execenv.Env) {
		root := strings.ReplaceAll(env.Dir, `\`, "/")
		for pattern, want := range map[string]string{
			"*":                "README.md a b.txt src/ src/app/ src/app/view.tsx src/main.go src/main_test.go é.txt",
			"readme*":          "README.md",
			"Readme*":          "",
			"*.GO":             "",
			"*.{go,tsx}":       "src/app/view.tsx src/main.go src/main_test.go",
			"./src/*":          "src/app/ src/main.go src/main_test.go",
			"src/**":           "src/app/ src/app/view.tsx src/main.go src/main_test.go",
			"**/*_test.go":     "src/main_test.go",
			"main.go":          "src/main.go",
			"app/view.tsx":     "",
			"app":              "src/app/",
			"app/":             "src/app/",
			"main.go/":         "",
			"?.txt":            "é.txt",
			root + "/src/*.go": "src/main.go src/main_test.go",
		} {
			if got := found(t, tree(env), pattern); got != want {
				t.Errorf("%s: %s, want %s", pattern, got, want)
			}
		}
		res, err := search.Find(t.Context(), tree(env), search.Names{Pattern: "*.go", Limit: 1})
		if err != nil || len(res.Paths) != 1 || !res.More {
			t.Errorf("limit 1: %+v, %v", res, err)
		}
		res, err = search.Find(t.Context(), tree(env), search.Names{Pattern: "*.go", Limit: 2})
		if err != nil || len(res.Paths) != 2 || res.More {
			t.Errorf("limit 2: %+v, %v", res, err)
		}
		if _, err := search.Find(t.Context(), tree(env), search.Names{Pattern: "[a", Limit: 1}); err == nil {
			t.Error("a malformed pattern was taken")
		}
		if _, err := search.Find(t.Context(), tree(env.In("gone")), search.Names{Pattern: "a", Limit: 1}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("missing root: %v", err)
		}
	})
}

func TestGlobs(t *testing.T) {
	t.Parallel()
	both(t, map[string]string{
		".git/HEAD": "", ".gitignore": "*.gen.ts\nout/\n",
		"a.ts": "x\n", "a.gen.ts": "x\n", "b.js": "x\n", "sub/a.ts": "x\n", "sub/deep/c.tsx": "x\n", "out/a.ts": "x\n", "sub/b.js": "x\n",
	}, nil, func(t *testing.T, env execenv.Env) {
		for pattern, want := range map[string]string{
			"":             "a.ts b.js sub/a.ts sub/b.js sub/deep/c.tsx",
			"*.ts":         "a.gen.ts a.ts sub/a.ts", // asked for by name, so not ignored
			"*.{ts,tsx}":   "a.gen.ts a.ts sub/a.ts sub/deep/c.tsx",
			"!*.ts":        "b.js sub/b.js sub/deep/c.tsx",
			"!sub":         "a.ts b.js",
			"!sub/":        "a.ts b.js",
			"sub/*.ts":     "sub/a.ts",
			"./sub/**":     "sub/a.ts sub/b.js sub/deep/c.tsx",
			"/a.ts":        "a.ts",
			"**/a.ts":      "a.ts sub/a.ts",
			"sub/deep/**":  "sub/deep/c.tsx",
			"nothing here": "",
		} {
			tr := tree(env)
			if pattern != "" {
				f, err := search.NewFilter(pattern)
				if err != nil {
					t.Fatal(err)
				}
				tr.Only = f
			}
			var got []string
			for line := range strings.Lines(grepped(t, tr, search.Query{Pattern: "x"})) {
				got = append(got, strings.TrimSuffix(line, ":1:x\n"))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %s, want %s", pattern, strings.Join(got, " "), want)
			}
		}
		if _, err := search.NewFilter("*.{ts"); err == nil {
			t.Error("a malformed glob was taken")
		}
	})
}

func TestGrepLines(t *testing.T) {
	t.Parallel()
	utf16le := func(s string) string {
		out := []byte("\xff\xfe")
		for _, u := range utf16.Encode([]rune(s)) {
			out = append(out, byte(u), byte(u>>8))
		}
		return string(out)
	}
	long := strings.Repeat("y", 499) + "\U0001F9ED" + strings.Repeat("z", 1<<20) + "hit"
	both(t, map[string]string{
		"a.txt": "one\nhit two\nthree\nfour\nhit five\nsix\nseven\neight\nhit nine\nten",
		"crlf":  "hit one\r\ntwo\r\nlone\rhit\r\n", "mark": "\uFEFFhit\n", "latin": "hit caf\xe9\n",
		"binary": "hit\x00\n", "late": strings.Repeat("text\n", 20_000) + "hit before\n" + strings.Repeat("text\n", 14_000) + "\x00\nhit after\n",
		"utf16": utf16le("one\nhit ü\n"), "long": long, "empty": "", "nl": "\n", "no": "nothing",
	}, nil, func(t *testing.T, env execenv.Env) {
		all := grepped(t, tree(env), search.Query{Pattern: "hit"})
		cut := strings.Repeat("y", 499) + "... [line cut]"
		want := "a.txt:2:hit two\na.txt:5:hit five\na.txt:9:hit nine\ncrlf:1:hit one\ncrlf:3:lone\rhit\nlate:20001:hit before\n" +
			"latin:1:hit caf\uFFFD\nlong:1:" + cut + "\nmark:1:hit\nutf16:2:hit ü\n"
		if d := cmp.Diff(want, all); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		only := func(q search.Query) string {
			res, err := search.GrepFile(t.Context(), env, env.Abs("a.txt"), "a.txt", q)
			if err != nil {
				t.Fatal(err)
			}
			return shown(res)
		}
		for _, c := range []struct {
			q    search.Query
			want string
		}{
			{search.Query{Pattern: "hit", Limit: 9, Context: 1}, "a.txt-1-one\na.txt:2:hit two\na.txt-3-three\na.txt-4-four\na.txt:5:hit five\na.txt-6-six\na.txt-8-eight\na.txt:9:hit nine\na.txt-10-ten\n"},
			{search.Query{Pattern: "hit", Limit: 1}, "a.txt:2:hit two\nmore\n"},
			{search.Query{Pattern: "hit", Limit: 3}, "a.txt:2:hit two\na.txt:5:hit five\na.txt:9:hit nine\n"},
			{search.Query{Pattern: "hit", Limit: 1, Context: 3}, "a.txt-1-one\na.txt:2:hit two\na.txt-3-three\na.txt-4-four\na.txt-5-hit five\nmore\n"},
			{search.Query{Pattern: "HIT N", Limit: 1, IgnoreCase: true}, "a.txt:9:hit nine\n"},
			{search.Query{Pattern: "t.o", Limit: 1, Literal: true}, ""},
			{search.Query{Pattern: "ten$", Limit: 1}, "a.txt:10:ten\n"},
		} {
			if got := only(c.q); got != c.want {
				t.Errorf("%+v:\n%s\nwant\n%s", c.q, got, c.want)
			}
		}
		// A file that is named is searched even if it is binary.
		res, err := search.GrepFile(t.Context(), env, env.Abs("binary"), "binary", search.Query{Pattern: "hit", Limit: 9})
		if err != nil || shown(res) != "binary:1:hit\uFFFD\n" {
			t.Errorf("binary: %q, %v", shown(res), err)
		}
		res, err = search.GrepFile(t.Context(), env, env.Abs("long"), "long", search.Query{Pattern: "hit", Limit: 9})
		if err != nil || !res.Cut {
			t.Errorf("long: cut is %v, %v", res.Cut, err)
		}
		if _, err := search.Grep(t.Context(), tree(env), search.Query{Pattern: "(", Limit: 1}); err == nil {
			t.Error("a malformed pattern was taken")
		}
	})
}

// The limit holds over all files, in their order, whoever is searched first.
func TestGrepOrder(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	var want strings.Builder
	for i := range 500 {
		name := fmt.Sprintf("d%02d/f%02d", i/20, i%20)
		files[name] = strings.Repeat("filler\n", i%7*500) + "hit\nhit\n"
		if i < 60 {
			fmt.Fprintf(&want, "%s:%d:hit\n%s:%d:hit\n", name, i%7*500+1, name, i%7*500+2)
		}
	}
	want.WriteString("more\n")
	both(t, files, nil, func(t *testing.T, env execenv.Env) {
		for range 20 {
			if d := cmp.Diff(want.String(), grepped(t, tree(env), search.Query{Pattern: "hit", Limit: 120})); d != "" {
				t.Fatalf("(-want +got):\n%s", d)
			}
		}
		if got := grepped(t, tree(env), search.Query{Pattern: "hit", Limit: 1000}); strings.Count(got, "\n") != 1000 {
			t.Errorf("%d lines", strings.Count(got, "\n"))
		}
	})
}

func TestGrepEnds(t *testing.T) {
	files := map[string]string{}
	for i := range 2000 {
		files[fmt.Sprintf("f%04d", i)] = "hit\n"
	}
	before := runtime.NumGoroutine()
	both(t, files, nil, func(t *testing.T, env execenv.Env) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if _, err := search.Grep(ctx, tree(env), search.Query{Pattern: "hit", Limit: 1}); !errors.Is(err, why) {
			t.Errorf("ended context: %v", err)
		}
		if _, err := search.Find(ctx, tree(env), search.Names{Pattern: "*", Limit: 1}); !errors.Is(err, why) {
			t.Errorf("ended context: %v", err)
		}
		for _, limit := range []int{1, 40, 5000} {
			if _, err := search.Grep(t.Context(), tree(env), search.Query{Pattern: "hit", Limit: limit}); err != nil {
				t.Error(err)
			}
		}
		if _, err := search.Grep(t.Context(), tree(env.In("gone")), search.Query{Pattern: "hit", Limit: 1}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("missing root: %v", err)
		}
	})
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	env := execenv.Memory(nil)
	m := env.FS.(*execenv.MemoryFS)
	m.Put("/work/a", "hit\n")
	m.Put("/work/b", "hit\n")
	m.Put("/work/d/c", "hit\n")
	if err := errors.Join(m.Chmod("/work/b", 0), m.Chmod("/work/d", 0)); err != nil {
		t.Fatal(err)
	}
	res, err := search.Grep(t.Context(), tree(env), search.Query{Pattern: "hit", Limit: 9})
	if err != nil || res.Unreadable != 2 || shown(res) != "a:1:hit\n" {
		t.Errorf("%+v, %v", res, err)
	}
}

// git lists the same files, for random ignore files all over a tree.
func TestAgainstGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "search")
		if err != nil {
			rt.Fatal(err)
		}
		defer os.RemoveAll(dir)
		git := func(args ...string) string {
			cmd := exec.Command("git", append([]string{"-C", dir, "-c", "core.quotePath=false"}, args...)...)
			cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir+"/none", "GIT_CONFIG_NOSYSTEM=1")
			out, err := cmd.CombinedOutput()
			if err != nil {
				rt.Fatalf("git %v: %v: %s", args, err, out)
			}
			return string(out)
		}
		git("init", "-q")
		env, err := execenv.Local(dir, execenv.LocalOptions{Home: "/nonexistent"})
		if err != nil {
			rt.Fatal(err)
		}
		line := rapid.SampledFrom([]string{
			"a", "*.o", "/a", "b/", "!a", "!b/", "!*.o", "sub", "sub/*", "!sub/a", "**/b", "a/**", "*", "!*/", "/sub/b", "c/a", "?", "[ab].o", "sub/**/c",
		})
		elem := rapid.SampledFrom([]string{"a", "b", "c", "sub", "a.o", "x.o"})
		dirs := map[string]bool{"": true}
		for range 25 {
			path := rapid.SliceOfN(elem, 1, 4).Draw(rt, "path")
			full := filepath.Join(dir, filepath.Join(path...))
			if os.MkdirAll(filepath.Dir(full), 0o755) != nil {
				continue // there is a file in its way
			}
			if info, err := os.Stat(full); err == nil && info.IsDir() {
				continue
			}
			if err := os.WriteFile(full, nil, 0o644); err != nil {
				rt.Fatal(err)
			}
			dirs[filepath.Join(path[:len(path)-1]...)] = true
		}
		for _, d := range slices.Sorted(maps.Keys(dirs)) {
			if d == "" || rapid.IntRange(0, 3).Draw(rt, "ignore "+d) == 0 {
				rules := strings.Join(rapid.SliceOfN(line, 0, 4).Draw(rt, "rules "+d), "\n")
				if err := os.WriteFile(filepath.Join(dir, d, ".gitignore"), []byte(rules), 0o644); err != nil {
					rt.Fatal(err)
				}
			}
		}
		exclude := strings.Join(rapid.SliceOfN(line, 0, 2).Draw(rt, "exclude"), "\n")
		if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte(exclude), 0o644); err != nil {
			rt.Fatal(err)
		}
		want := strings.Fields(git("ls-files", "--others", "--exclude-standard"))
		var got []string
		tr := search.Tree{Env: env, Root: dir, RequireGit: true}
		if _, err := tr.Walk(t.Context(), func(e search.Entry) bool {
			if e.Kind == search.File {
				got = append(got, e.Path)
			}
			return true
		}); err != nil {
			rt.Fatal(err)
		}
		slices.Sort(want)
		slices.Sort(got)
		if d := cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n")); d != "" {
			rt.Fatalf("(-git +ours):\n%s", d)
		}
	})
}

func ExampleGrep() {
	env := execenv.Memory(nil)
	files := env.FS.(*execenv.MemoryFS)
	files.Put("/work/main.go", "package main\n\n// TODO: everything\n")
	files.Put("/work/notes.txt", "TODO: nothing\n")
	only, _ := search.NewFilter("*.go")
	res, err := search.Grep(context.Background(), search.Tree{Env: env, Root: "/work", Only: only},
		search.Query{Pattern: "TODO", Limit: 100})
	if err != nil {
		fmt.Println(err)
	}
	for _, f := range res.Files {
		for _, l := range f.Lines {
			fmt.Printf("%s:%d: %s\n", f.Path, l.Number, l.Text)
		}
	}
	// Output: main.go:3: // TODO: everything
}
