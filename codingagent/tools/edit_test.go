package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	env := memory(nil, map[string]string{"a.txt": "one\r\ntwo\r\nthree\r\n"})
	if err := env.FS.(*execenv.MemoryFS).Chmod("/work/a.txt", 0o750); err != nil {
		t.Fatal(err)
	}
	r := call(t.Context(), t, tools.Options{Env: env}, "edit", args{"path": "./a.txt", "edits": []args{
		{"oldText": "one", "newText": "1"}, {"oldText": "three\n", "newText": ""},
	}})
	if r.IsError || text(r) != "Replaced 2 blocks in ./a.txt." || r.Structured != nil {
		t.Errorf("got %q, %v", text(r), r.Structured)
	}
	if got := textOf(t, env, "a.txt"); got != "1\r\ntwo\r\n" {
		t.Errorf("file has %q", got)
	}
	if info, err := env.FS.Stat(t.Context(), "/work/a.txt"); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	want := `{"diff":"-1 one\n+1 1\n 2 two\n-3 three","patch":"--- ./a.txt\n+++ ./a.txt\n@@ -1,3 +1,2 @@\n-one\n+1\n two\n-three\n","firstChangedLine":1}`
	if d := cmp.Diff(want, jsonOf(t, r.Details)); d != "" {
		t.Errorf("details (-want +got):\n%s", d)
	}
}

// The ways in which models write edits.
func TestEditArguments(t *testing.T) {
	t.Parallel()
	d, _ := tools.Find(tools.New(tools.Options{}), "edit")
	for _, c := range []struct{ given, want string }{
		{`{"path":"f","edits":[{"oldText":"a","newText":"b"}]}`, `{"path":"f","edits":[{"oldText":"a","newText":"b"}]}`},
		{`{"path":"f","edits":{"oldText":"a","newText":"b"}}`, `{"edits":[{"oldText":"a","newText":"b"}],"path":"f"}`},
		{`{"path":"f","edits":"[{\"oldText\":\"a\",\"newText\":\"b\"}]"}`, `{"edits":[{"oldText":"a","newText":"b"}],"path":"f"}`},
		{`{"path":"f","edits":" {\"oldText\":\"a\",\"newText\":\"b\"} "}`, `{"edits":[{"oldText":"a","newText":"b"}],"path":"f"}`},
		{`{"path":"f","oldText":"a","newText":"b"}`, `{"edits":[{"oldText":"a","newText":"b"}],"path":"f"}`},
		{`{"path":"f","edits":null,"oldText":"a","newText":"b"}`, `{"edits":[{"oldText":"a","newText":"b"}],"path":"f"}`},
		{
			`{"path":"f","edits":[{"oldText":"x","newText":"y"}],"oldText":"a","newText":"b"}`,
			`{"edits":[{"oldText":"x","newText":"y"},{"oldText":"a","newText":"b"}],"path":"f"}`,
		},
		{`{"path":"f","edits":"no json"}`, `{"path":"f","edits":"no json"}`},
		{`{"path":"f","oldText":"a"}`, `{"path":"f","oldText":"a"}`},
		{`[1]`, `[1]`},
	} {
		got, err := d.PrepareArguments([]byte(c.given))
		if err != nil || string(got) != c.want {
			t.Errorf("%s became %s, %v; want %s", c.given, got, err, c.want)
		}
	}
}

func TestEditFails(t *testing.T) {
	t.Parallel()
	env := memory(nil, map[string]string{"f.txt": "x = 1\ny = 2\nx = 1\n", "main.go": "", "d/": "", "shut": "a"})
	files := env.FS.(*execenv.MemoryFS)
	if err := files.Chmod("/work/shut", 0o444); err != nil {
		t.Fatal(err)
	}
	before, err := files.Stat(t.Context(), "/work/f.txt")
	if err != nil {
		t.Fatal(err)
	}
	one := func(old, text string) []args { return []args{{"oldText": old, "newText": text}} }
	for _, c := range []struct {
		args args
		want string
	}{
		{
			args{"path": "f.txt", "edits": one("x = 1", "x = 3")},
			"cannot edit f.txt: oldText was found 2 times, on lines 1, 3; give more of the text around the one that is meant",
		},
		{args{"path": "f.txt", "edits": []args{}}, "cannot edit f.txt: there are no edits; give at least one pair of oldText and newText"},
		{args{"path": "f.txt", "edits": one("y = 2", "y = 2")}, "cannot edit f.txt: nothing would change: oldText and newText are the same"},
		{args{"path": "man.go", "edits": one("a", "b")}, "cannot edit man.go: file does not exist (ENOENT): /work/man.go. Similar names there: main.go"},
		{args{"path": "d", "edits": one("a", "b")}, "cannot edit d: it is a directory (EISDIR)"},
		{args{"path": "shut", "edits": one("a", "b")}, "cannot edit shut: permission denied (EACCES): /work/shut"},
		{args{"path": "", "edits": one("a", "b")}, "path is empty; name the file to change"},
	} {
		r := call(t.Context(), t, tools.Options{Env: env}, "edit", c.args)
		if !r.IsError || text(r) != c.want {
			t.Errorf("%v: %q\nwant %q", c.args, text(r), c.want)
		}
	}
	after, err := files.Stat(t.Context(), "/work/f.txt")
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("a refused edit touched the file: %v, %v", after.ModTime(), err)
	}
}

// If another program writes the file between reading and writing, the edit is
// made on what that wrote.
func TestEditOfMovingTarget(t *testing.T) {
	t.Parallel()
	env := memory(nil, map[string]string{"f.txt": "a\nb\n"})
	files := env.FS.(*execenv.MemoryFS)
	env.FS = &changing{MemoryFS: files, next: "more\na\nb\n"}
	r := call(t.Context(), t, tools.Options{Env: env}, "edit", args{"path": "f.txt", "edits": []args{{"oldText": "b", "newText": "B"}}})
	if got := textOf(t, env, "f.txt"); r.IsError || got != "more\na\nB\n" {
		t.Errorf("%q, file has %q", text(r), got)
	}
}

// changing is a file system in which the first file that is read changes right
// after.
type changing struct {
	*execenv.MemoryFS
	next string
}

func (c *changing) ReadFile(ctx context.Context, name string) ([]byte, error) {
	data, err := c.MemoryFS.ReadFile(ctx, name)
	if c.next != "" {
		c.Put(name, c.next)
		c.next = ""
	}
	return data, err
}

func TestDiskFull(t *testing.T) {
	t.Parallel()
	env := memory(nil, map[string]string{"f.txt": "a\n"})
	full := errors.New("no space left on device")
	env.FS.(*execenv.MemoryFS).Fault = func(op, name string) error {
		if op == "writefile" {
			return full
		}
		return nil
	}
	for tool, a := range map[string]args{
		"edit":  {"path": "f.txt", "edits": []args{{"oldText": "a", "newText": "b"}}},
		"write": {"path": "f.txt", "content": "b"},
	} {
		r := call(t.Context(), t, tools.Options{Env: env}, tool, a)
		if want := "cannot " + tool + " f.txt: no space left on device: /work/f.txt"; !r.IsError || text(r) != want {
			t.Errorf("%s: %q, want %q", tool, text(r), want)
		}
	}
	if got := textOf(t, env, "f.txt"); got != "a\n" {
		t.Errorf("file has %q", got)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	env := memory(nil, map[string]string{"old.txt": "before", "d/x": "", "Shot 9\u202fPM.txt": "look-alike", "shut": ""})
	files := env.FS.(*execenv.MemoryFS)
	if err := errors.Join(files.Chmod("/work/old.txt", 0o600), files.Chmod("/work/shut", 0o444)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, content, want string
		file                string
		fails               bool
	}{
		{"old.txt", "\uFEFFa\r\nb\x00", "Wrote 8 bytes to old.txt.", "/work/old.txt", false},
		{"new/sub/dir/f.txt", "é", "Wrote 2 bytes to new/sub/dir/f.txt.", "/work/new/sub/dir/f.txt", false},
		{"empty", "", "Wrote 0 bytes to empty.", "/work/empty", false},
		{"Shot 9 PM.txt", "x", "Wrote 1 byte to Shot 9 PM.txt.", "/work/Shot 9 PM.txt", false},
		{"d", "x", "cannot write d: it is a directory (EISDIR)", "", true},
		{"old.txt/x", "x", "cannot write old.txt/x: not a directory (ENOTDIR): /work/old.txt/x", "", true},
		{"shut", "x", "cannot write shut: permission denied (EACCES): /work/shut", "", true},
		{"", "x", "path is empty; name the file to write", "", true},
	} {
		r := call(t.Context(), t, tools.Options{Env: env}, "write", args{"path": c.path, "content": c.content})
		if r.IsError != c.fails || text(r) != c.want || r.Details != nil {
			t.Errorf("%s: %q, %v; want %q", c.path, text(r), r.Details, c.want)
		}
		if c.fails {
			continue
		}
		if got := textOf(t, env, c.file); got != c.content {
			t.Errorf("%s: file has %q", c.path, got)
		}
	}
	if info, err := files.Stat(t.Context(), "/work/old.txt"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got := textOf(t, env, "Shot 9\u202fPM.txt"); got != "look-alike" {
		t.Errorf("the look-alike has %q", got)
	}
}

func TestLs(t *testing.T) {
	t.Parallel()
	env := memory(nil, map[string]string{
		"t/b.txt": "", "t/A": "", "t/a": "", "t/.gitignore": "", "t/10": "", "t/é.txt": "", "t/f": "", "t/sub/x": "", "t/_x": "", "t/B/x": "",
		"t/zeta": "", "none/": "",
	})
	files := env.FS.(*execenv.MemoryFS)
	if err := errors.Join(files.Symlink("sub", "/work/t/d"), files.Symlink("nowhere", "/work/t/broken"), files.Symlink("self", "/work/t/self")); err != nil {
		t.Fatal(err)
	}
	for i := range 600 {
		files.Put("/work/many/"+strings.Repeat("n", 10)+string(rune('a'+i/26))+string(rune('a'+i%26)), "")
	}
	for i := range 300 {
		files.Put("/work/thick/"+strings.Repeat("n", 200)+string(rune('a'+i/26))+string(rune('a'+i%26)), "")
	}
	all := "_x\n.gitignore\n10\nA\na\nB/\nb.txt\nbroken\nd/\né.txt\nf\nself\nsub/\nzeta"
	for _, c := range []struct {
		args          args
		want, details string
	}{
		{args{"path": "t"}, all, "null"},
		{args{"path": "t", "limit": 14}, all, "null"},
		{args{"path": "t", "limit": 2.9}, "_x\n.gitignore\n\n[2 of 14 entries shown. More with limit=4.]", `{"entryLimitReached":2}`},
		{args{"path": "t", "limit": 0}, "_x\n\n[1 of 14 entries shown. More with limit=2.]", `{"entryLimitReached":1}`},
		{args{}, "many/\nnone/\nt/\nthick/", "null"},
		{args{"path": "none"}, "(empty directory)", "null"},
	} {
		r := call(t.Context(), t, tools.Options{Env: env}, "ls", c.args)
		if d := cmp.Diff(c.want, text(r)); r.IsError || d != "" || jsonOf(t, r.Details) != c.details {
			t.Errorf("%v: details %s (-want +got):\n%s", c.args, jsonOf(t, r.Details), d)
		}
	}
	r := call(t.Context(), t, tools.Options{Env: env}, "ls", args{"path": "many"})
	if !strings.HasSuffix(text(r), "\n\n[500 of 600 entries shown. More with limit=600.]") || jsonOf(t, r.Details) != `{"entryLimitReached":500}` {
		t.Errorf("many: %q", text(r)[len(text(r))-100:])
	}
	r = call(t.Context(), t, tools.Options{Env: env}, "ls", args{"path": "thick"})
	d := r.Details.(tools.ListDetails)
	if !strings.HasSuffix(text(r), "\n\n[50.0KB limit reached.]") || d.EntryLimitReached != 0 || d.Truncation.OutputLines != 252 ||
		d.Truncation.TotalLines != 300 || d.Truncation.Content != "" || d.Truncation.MaxLines != 9007199254740991 {
		t.Errorf("thick: %q, %s", text(r)[len(text(r))-60:], jsonOf(t, r.Details))
	}
	for path, want := range map[string]string{
		"missing": "cannot list missing: file does not exist (ENOENT): /work/missing",
		"t/f":     "cannot list t/f: it is not a directory (ENOTDIR)",
		"t/self":  "cannot list t/self: too many levels of symbolic links (ELOOP): /work/t/self",
	} {
		if r := call(t.Context(), t, tools.Options{Env: env}, "ls", args{"path": path}); !r.IsError || text(r) != want {
			t.Errorf("%s: %q, want %q", path, text(r), want)
		}
	}
}
