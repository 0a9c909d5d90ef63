package execenv_test

import (
	"errors"
	"io"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/execenv/execenvtest"
)

func mounted() execenv.Env {
	return execenv.Memory(nil).WithMount("docs:", fstest.MapFS{
		"index.md": {Data: []byte("# Docs\n")}, "guide/start.md": {Data: []byte("Start here.\n")},
	})
}

func TestMount(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, windows := range []bool{false, true} {
		env := mounted()
		env.Windows = windows
		for name, want := range map[string]string{
			"docs:/guide/../index.md": "docs:/index.md", "docs:": "docs:/", "docs:/../../x": "docs:/x", "docs:/": "docs:/",
		} {
			if got := env.Abs(name); got != want {
				t.Errorf("Abs(%s) = %s, want %s", name, got, want)
			}
		}
		if got := env.In("docs:/guide").Abs("start.md"); got != "docs:/guide/start.md" {
			t.Errorf("below a mounted directory: %s", got)
		}
		if dir, top := env.ParentDir("docs:/guide/start.md"), env.ParentDir("docs:/"); dir != "docs:/guide" || top != "docs:/" {
			t.Errorf("parents %s and %s", dir, top)
		}
		if base := env.BaseName("docs:/guide/start.md"); base != "start.md" {
			t.Errorf("base name %s", base)
		}
		if rel, ok := env.Rel("docs:/", "docs:/guide/start.md"); rel != "guide/start.md" || !ok {
			t.Errorf("relative name %s, %v", rel, ok)
		}
		if env.IsAbs("docs.md") || env.IsAbs("docs:x") {
			t.Error("other names are taken for mounted ones")
		}
	}
	env := mounted()
	data, err := env.FS.ReadFile(ctx, "docs:/guide/start.md")
	f, err2 := env.FS.Open(ctx, "docs:/index.md")
	if err := errors.Join(err, err2); err != nil || string(data) != "Start here.\n" {
		t.Fatalf("%q, %v", data, err)
	}
	defer f.Close()
	if data, err = io.ReadAll(f); string(data) != "# Docs\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	entries, err := env.FS.ReadDir(ctx, "docs:/")
	if err != nil || len(entries) != 2 || entries[0].Name() != "guide" || !entries[0].IsDir() {
		t.Errorf("%v, %v", entries, err)
	}
	if real, err := env.FS.RealPath(ctx, "docs:/guide/../index.md"); real != "docs:/index.md" || err != nil {
		t.Errorf("real path %s, %v", real, err)
	}
	info, err := env.FS.Lstat(ctx, "docs:/guide")
	if err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
	_, missing := env.FS.Stat(ctx, "docs:/none")
	if !errors.Is(missing, fs.ErrNotExist) || missing.Error() != "open docs:/none: file does not exist" {
		t.Errorf("missing: %v", missing)
	}
	_, temp := env.FS.CreateTemp(ctx, "docs:/", "x")
	for what, err := range map[string]error{
		"write":  env.FS.WriteFile(ctx, "docs:/index.md", nil, 0o644),
		"mkdir":  env.FS.MkdirAll(ctx, "docs:/new", 0o755),
		"remove": env.FS.Remove(ctx, "docs:/index.md"),
		"rename": env.FS.Rename(ctx, "/work", "docs:/x"),
		"temp":   temp,
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := env.FS.Open(ctx, "docs:/guide"); err == nil {
		t.Error("a directory was opened")
	}
}

// What is not mounted works as before.
func TestFilesBesideMount(t *testing.T) {
	t.Parallel()
	execenvtest.FileSystem(t, func(t *testing.T) execenvtest.Files {
		env := execenv.Memory(nil)
		m := env.FS.(*execenv.MemoryFS)
		return execenvtest.Files{
			FS: env.WithMount("docs:", fstest.MapFS{}).FS, Root: "/work", Symlink: m.Symlink, Chmod: m.Chmod, Obeyed: true,
		}
	})
}
