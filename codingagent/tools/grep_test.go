package tools_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools"
)

func TestGrep(t *testing.T) {
	t.Parallel()
	env := memory(nil, map[string]string{
		".git/HEAD": "hit\n", ".gitignore": "*.log\n", "a.go": "one\nhit 1\nthree\r\n", "b.txt": "hit 2\nhit 3\n", "c.log": "hit\n",
		"sub/long.txt": "hit " + strings.Repeat("x", 600) + "\n", "my file.txt": "Hit 4(\n",
	})
	cut := "hit " + strings.Repeat("x", 496) + "... [line cut]"
	const seeAll = "Lines longer than 500 characters are cut; see them with read"
	for _, c := range []struct {
		args          args
		want, details string
	}{
		{args{"pattern": "hit \\d"}, "a.go:2: hit 1\nb.txt:1: hit 2\nb.txt:2: hit 3", "null"},
		{
			args{"pattern": "hit"},
			"a.go:2: hit 1\nb.txt:1: hit 2\nb.txt:2: hit 3\nsub/long.txt:1: " + cut + "\n\n[" + seeAll + ".]",
			`{"linesTruncated":true}`,
		},
		{args{"pattern": "hit", "path": "a.go", "context": 1.9}, "a.go-1- one\na.go:2: hit 1\na.go-3- three", "null"},
		{args{"pattern": "hit", "path": "c.log"}, "c.log:1: hit", "null"},
		{args{"pattern": "hit 4(", "literal": true, "ignoreCase": true}, "my file.txt:1: Hit 4(", "null"},
		{args{"pattern": "hit", "glob": "*.txt", "path": "@."}, "b.txt:1: hit 2\nb.txt:2: hit 3\nsub/long.txt:1: " + cut + "\n\n[" + seeAll + ".]", `{"linesTruncated":true}`},
		{
			args{"pattern": "hit", "limit": 2},
			"a.go:2: hit 1\nb.txt:1: hit 2\n\n[2 matches shown, there are more. Raise limit to 4 or narrow the pattern.]",
			`{"matchLimitReached":2}`,
		},
		{args{"pattern": "hit", "limit": 3, "glob": "!sub"}, "a.go:2: hit 1\nb.txt:1: hit 2\nb.txt:2: hit 3", "null"},
		{args{"pattern": "nowhere"}, "No matches", "null"},
		{args{"pattern": "x", "path": "sub", "limit": 0}, "long.txt:1: " + cut + "\n\n[" + seeAll + ".]", `{"linesTruncated":true}`},
	} {
		r := call(t.Context(), t, tools.Options{Env: env}, "grep", c.args)
		if r.IsError || text(r) != c.want || jsonOf(t, r.Details) != c.details {
			t.Errorf("%v:\n%s\n%s\nwant\n%s\n%s", c.args, text(r), jsonOf(t, r.Details), c.want, c.details)
		}
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": "("}, `pattern "(": missing closing ): (`},
		{args{"pattern": "a", "path": "gone"}, "cannot search gone: file does not exist (ENOENT): /work/gone"},
		{args{"pattern": "a", "glob": "[a"}, `glob: malformed pattern "[a": a [ is not closed; write \[ for a bracket`},
	} {
		if r := call(t.Context(), t, tools.Options{Env: env}, "grep", c.args); !r.IsError || text(r) != c.want {
			t.Errorf("%v: %q, want %q", c.args, text(r), c.want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	for tool, a := range map[string]args{"grep": {"pattern": "hit"}, "find": {"pattern": "*"}, "ls": {}} {
		if r := call(ctx, t, tools.Options{Env: env}, tool, a); !r.IsError || !strings.Contains(text(r), "enough") {
			t.Errorf("%s after the end of its context: %q", tool, text(r))
		}
	}
}

// All hints of a list at once, in their order.
func TestGrepHints(t *testing.T) {
	t.Parallel()
	files := map[string]string{"shut": "hit\n"}
	for i := range 30 {
		files[fmt.Sprintf("f%02d", i)] = strings.Repeat("hit "+strings.Repeat("x", 600)+"\n", 10)
	}
	env := memory(nil, files)
	if err := env.FS.(*execenv.MemoryFS).Chmod("/work/shut", 0); err != nil {
		t.Fatal(err)
	}
	r := call(t.Context(), t, tools.Options{Env: env}, "grep", args{"pattern": "hit", "limit": 299})
	want := "\n\n[299 matches shown, there are more. Raise limit to 598 or narrow the pattern. 50.0KB limit reached. " +
		"Lines longer than 500 characters are cut; see them with read. 1 file or directory could not be read.]"
	if r.IsError || !strings.HasSuffix(text(r), want) {
		t.Errorf("%q", text(r)[len(text(r))-300:])
	}
	d := r.Details.(tools.ListDetails)
	if d.MatchLimitReached != 299 || !d.LinesTruncated || d.Truncation == nil || d.Truncation.TotalLines != 299 || d.Truncation.Content != "" {
		t.Errorf("details %s", jsonOf(t, d))
	}
	r = call(t.Context(), t, tools.Options{Env: env}, "grep", args{"pattern": "nowhere"})
	if text(r) != "No matches\n\n[1 file or directory could not be read.]" {
		t.Errorf("%q", text(r))
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	env := memory(nil, map[string]string{
		".gitignore": "out/\n", "a.go": "", "b_test.go": "", "out/c.go": "", "sub/d.go": "", ".git/e.go": "", "sub/.hidden": "",
	})
	for _, c := range []struct {
		args          args
		want, details string
	}{
		{args{"pattern": "*.go"}, "a.go\nb_test.go\nsub/d.go", "null"},
		{args{"pattern": "*"}, ".gitignore\na.go\nb_test.go\nsub/\nsub/.hidden\nsub/d.go", "null"},
		{args{"pattern": "*", "path": "sub"}, ".hidden\nd.go", "null"},
		{args{"pattern": "sub/*.go"}, "sub/d.go", "null"},
		{
			args{"pattern": "*.go", "limit": 2},
			"a.go\nb_test.go\n\n[2 results shown, there are more. Raise limit to 4 or narrow the pattern.]",
			`{"resultLimitReached":2}`,
		},
		{args{"pattern": "*.go", "limit": 3}, "a.go\nb_test.go\nsub/d.go", "null"},
		{args{"pattern": "*.rs"}, "Nothing found", "null"},
	} {
		r := call(t.Context(), t, tools.Options{Env: env}, "find", c.args)
		if r.IsError || text(r) != c.want || jsonOf(t, r.Details) != c.details {
			t.Errorf("%v:\n%s\n%s\nwant\n%s\n%s", c.args, text(r), jsonOf(t, r.Details), c.want, c.details)
		}
	}
	for _, c := range []struct {
		args args
		want string
	}{
		{args{"pattern": ""}, "pattern is empty; use * to find everything"},
		{args{"pattern": "{a"}, `malformed pattern "{a": a brace is not closed`},
		{args{"pattern": "a", "path": "a.go"}, "cannot search a.go: it is not a directory (ENOTDIR)"},
		{args{"pattern": "a", "path": "sup"}, "cannot search sup: file does not exist (ENOENT): /work/sup. Similar names there: sub"},
	} {
		if r := call(t.Context(), t, tools.Options{Env: env}, "find", c.args); !r.IsError || text(r) != c.want {
			t.Errorf("%v: %q, want %q", c.args, text(r), c.want)
		}
	}
}

// The tools that only look also work in a mounted tree.
func TestMountedTree(t *testing.T) {
	t.Parallel()
	env := memory(nil, nil).WithMount("pi-docs:", fstest.MapFS{
		"index.md": {Data: []byte("# Manual\n")}, "guide/start.md": {Data: []byte("Start here.\n")},
	})
	o := tools.Options{Env: env}
	for _, c := range []struct {
		tool string
		args args
		want string
	}{
		{"read", args{"path": "pi-docs:/guide/start.md"}, "Start here.\n"},
		{"ls", args{"path": "pi-docs:/"}, "guide/\nindex.md"},
		{"find", args{"path": "pi-docs:/", "pattern": "*.md"}, "guide/start.md\nindex.md"},
		{"grep", args{"path": "pi-docs:/", "pattern": "start", "ignoreCase": true}, "guide/start.md:1: Start here."},
		{"grep", args{"path": "pi-docs:/index.md", "pattern": "Manual"}, "index.md:1: # Manual"},
		{"read", args{"path": "pi-docs:/guid/start.md"}, "cannot read pi-docs:/guid/start.md: file does not exist (ENOENT). The directory pi-docs:/guid does not exist either"},
		{"write", args{"path": "pi-docs:/new.md", "content": "x"}, "cannot write pi-docs:/new.md: read-only file system (EROFS)"},
		{"edit", args{"path": "pi-docs:/index.md", "edits": []args{{"oldText": "#", "newText": "##"}}}, "cannot edit pi-docs:/index.md: read-only file system (EROFS)"},
	} {
		if r := call(t.Context(), t, o, c.tool, c.args); text(r) != c.want {
			t.Errorf("%s %v: %q, want %q", c.tool, c.args, text(r), c.want)
		}
	}
}
