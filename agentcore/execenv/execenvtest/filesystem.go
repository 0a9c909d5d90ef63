// Package execenvtest holds the contract of package execenv as a test suite. An
// implementation of execenv.FileSystem or execenv.Shell is right when it passes.
//
//	func TestMyFS(t *testing.T) {
//		execenvtest.FileSystem(t, func(t *testing.T) execenvtest.Files {
//			return execenvtest.Files{FS: newMyFS(t), Root: "/somewhere"}
//		})
//	}
package execenvtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
)

// Files is a file system under test.
type Files struct {
	FS execenv.FileSystem
	// Root is an existing, empty directory that the test may fill.
	Root string
	// Join puts names together; nil is path.Join.
	Join func(...string) string
	// Symlink makes links; nil skips what needs them.
	Symlink func(target, name string) error
	// Chmod sets modes; nil skips what needs them.
	Chmod func(name string, perm fs.FileMode) error
	// Obeyed says that modes bind the user of the test (false for root and on
	// Windows).
	Obeyed bool
}

func (f Files) at(names ...string) string {
	if f.Join == nil {
		f.Join = path.Join
	}
	return f.Join(append([]string{f.Root}, names...)...)
}

// FileSystem runs the suite; fresh makes a new file system for each test.
func FileSystem(t *testing.T, fresh func(t *testing.T) Files) {
	run := func(name string, test func(*testing.T, Files)) {
		t.Run(name, func(t *testing.T) { test(t, fresh(t)) })
	}
	run("read and write", readAndWrite)
	run("errors", fileErrors)
	run("directories", directories)
	run("rename and remove", renameAndRemove)
	run("temporary files", temporaryFiles)
	run("links", links)
	run("modes", modes)
	run("replacement is atomic", replacementIsAtomic)
	run("a file that is open keeps its content", openFileKeepsContent)
	run("context", endedContext)
}

func readAndWrite(t *testing.T, f Files) {
	ctx := t.Context()
	name := f.at("a.txt")
	for _, content := range []string{"one", "", "longer than before\x00\xff\r\n", "short"} {
		if err := f.FS.WriteFile(ctx, name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := f.FS.ReadFile(ctx, name)
		if err != nil || string(got) != content {
			t.Fatalf("read %q, %v; want %q", got, err, content)
		}
		file, err := f.FS.Open(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		got, err = io.ReadAll(file)
		if err != nil || string(got) != content {
			t.Fatalf("stream %q, %v; want %q", got, err, content)
		}
		info, err := file.Stat()
		if err != nil || info.Size() != int64(len(content)) || info.IsDir() {
			t.Fatalf("open file says %v, %v", info, err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		info, err = f.FS.Stat(ctx, name)
		if err != nil || info.Size() != int64(len(content)) || info.Name() != "a.txt" || !info.Mode().IsRegular() {
			t.Fatalf("stat says %v, %v", info, err)
		}
	}
	entries, err := f.FS.ReadDir(ctx, f.Root)
	if err != nil || len(entries) != 1 {
		t.Fatalf("writing left %v, %v behind; want only a.txt", entries, err)
	}
	data, _ := f.FS.ReadFile(ctx, name)
	copy(data, "XXXXX")
	if again, _ := f.FS.ReadFile(ctx, name); string(again) != "short" {
		t.Fatalf("changing what was read changed the file to %q", again)
	}
}

func fileErrors(t *testing.T, f Files) {
	ctx := t.Context()
	must(t, f.FS.MkdirAll(ctx, f.at("dir"), 0o755))
	must(t, f.FS.WriteFile(ctx, f.at("file"), nil, 0o644))
	_, readMissing := f.FS.ReadFile(ctx, f.at("missing"))
	_, openMissing := f.FS.Open(ctx, f.at("missing"))
	_, statMissing := f.FS.Stat(ctx, f.at("missing"))
	_, lstatMissing := f.FS.Lstat(ctx, f.at("missing"))
	_, realMissing := f.FS.RealPath(ctx, f.at("missing"))
	_, listMissing := f.FS.ReadDir(ctx, f.at("missing"))
	_, tempMissing := f.FS.CreateTemp(ctx, f.at("missing"), "x")
	for what, err := range map[string]error{
		"ReadFile": readMissing, "Open": openMissing, "Stat": statMissing, "Lstat": lstatMissing,
		"RealPath": realMissing, "ReadDir": listMissing, "CreateTemp": tempMissing,
		"Remove":                f.FS.Remove(ctx, f.at("missing")),
		"Rename":                f.FS.Rename(ctx, f.at("missing"), f.at("other")),
		"WriteFile without dir": f.FS.WriteFile(ctx, f.at("no", "file"), nil, 0o644),
	} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s of what is missing: %v", what, err)
		}
	}
	_, readDir := f.FS.ReadFile(ctx, f.at("dir"))
	_, openDir := f.FS.Open(ctx, f.at("dir"))
	_, listFile := f.FS.ReadDir(ctx, f.at("file"))
	_, below := f.FS.ReadFile(ctx, f.at("file", "below"))
	for what, err := range map[string]error{
		"ReadFile of a directory":  readDir,
		"Open of a directory":      openDir,
		"WriteFile of a directory": f.FS.WriteFile(ctx, f.at("dir"), nil, 0o644),
		"ReadDir of a file":        listFile,
		"ReadFile below a file":    below,
		"MkdirAll over a file":     f.FS.MkdirAll(ctx, f.at("file"), 0o755),
		"MkdirAll below a file":    f.FS.MkdirAll(ctx, f.at("file", "d"), 0o755),
	} {
		var pe *fs.PathError
		if !errors.As(err, &pe) {
			t.Errorf("%s: %v (%T); want a *fs.PathError", what, err, err)
		}
	}
}

func directories(t *testing.T, f Files) {
	ctx := t.Context()
	must(t, f.FS.MkdirAll(ctx, f.at("a", "b", "c"), 0o755))
	must(t, f.FS.MkdirAll(ctx, f.at("a", "b"), 0o755))
	for _, name := range []string{"z", "B", "a.txt", "é", ".hidden"} {
		must(t, f.FS.WriteFile(ctx, f.at("a", name), []byte("x"), 0o644))
	}
	entries, err := f.FS.ReadDir(ctx, f.at("a"))
	must(t, err)
	var got []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		got = append(got, name)
	}
	if want := ".hidden B a.txt b/ z é"; strings.Join(got, " ") != want {
		t.Errorf("listed %q, want %q", strings.Join(got, " "), want)
	}
	info, err := f.FS.Stat(ctx, f.at("a", "b"))
	if err != nil || !info.IsDir() {
		t.Errorf("stat of a directory: %v, %v", info, err)
	}
}

func renameAndRemove(t *testing.T, f Files) {
	ctx := t.Context()
	must(t, f.FS.WriteFile(ctx, f.at("a"), []byte("A"), 0o644))
	must(t, f.FS.WriteFile(ctx, f.at("b"), []byte("B"), 0o644))
	must(t, f.FS.Rename(ctx, f.at("a"), f.at("b")))
	if got, err := f.FS.ReadFile(ctx, f.at("b")); string(got) != "A" {
		t.Errorf("after rename: %q, %v", got, err)
	}
	if _, err := f.FS.Stat(ctx, f.at("a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("old name after rename: %v", err)
	}
	must(t, f.FS.MkdirAll(ctx, f.at("d", "e"), 0o755))
	if err := f.FS.Remove(ctx, f.at("d")); err == nil {
		t.Error("a directory with content was removed")
	}
	must(t, f.FS.Rename(ctx, f.at("d"), f.at("moved")))
	must(t, f.FS.Remove(ctx, f.at("moved", "e")))
	must(t, f.FS.Remove(ctx, f.at("moved")))
	must(t, f.FS.Remove(ctx, f.at("b")))
	if entries, err := f.FS.ReadDir(ctx, f.Root); err != nil || len(entries) != 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func temporaryFiles(t *testing.T, f Files) {
	ctx := t.Context()
	seen := map[string]bool{}
	for range 20 {
		temp, err := f.FS.CreateTemp(ctx, f.Root, "log-*.txt")
		must(t, err)
		base := strings.TrimPrefix(temp.Name(), f.at("log-"))
		if base == temp.Name() || !strings.HasSuffix(base, ".txt") || seen[base] {
			t.Fatalf("temporary file is called %q", temp.Name())
		}
		seen[base] = true
		for _, part := range []string{"a", "", "bc"} {
			if n, err := temp.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("write: %d, %v", n, err)
			}
		}
		if got, err := f.FS.ReadFile(ctx, temp.Name()); string(got) != "abc" {
			t.Fatalf("content %q, %v while open", got, err)
		}
		must(t, temp.Close())
		if _, err := temp.Write([]byte("x")); err == nil {
			t.Fatal("a closed file was written")
		}
		info, err := f.FS.Stat(ctx, temp.Name())
		must(t, err)
		if f.Chmod != nil && info.Mode().Perm() != 0o600 {
			t.Fatalf("mode %v, want 0600", info.Mode())
		}
		must(t, f.FS.Remove(ctx, temp.Name()))
	}
	temp, err := f.FS.CreateTemp(ctx, "", "plain")
	must(t, err)
	must(t, temp.Close())
	must(t, f.FS.Remove(ctx, temp.Name()))
}

func links(t *testing.T, f Files) {
	if f.Symlink == nil {
		t.Skip("no symbolic links here")
	}
	ctx := t.Context()
	must(t, f.FS.MkdirAll(ctx, f.at("real", "sub"), 0o755))
	must(t, f.FS.WriteFile(ctx, f.at("real", "file"), []byte("old"), 0o640))
	for name, target := range map[string]string{
		"dirlink": "real", "link": "real/file", "chain": "link", "dangling": "real/new",
		"loop": "loop", "up": "dirlink/sub/../file",
	} {
		must(t, f.Symlink(target, f.at(name)))
	}
	root, err := f.FS.RealPath(ctx, f.Root)
	must(t, err)
	for name, want := range map[string]string{
		"link": "real/file", "chain": "real/file", "up": "real/file",
		"dirlink": "real", "dirlink/sub": "real/sub", "real/../real/file": "real/file",
	} {
		real, err := f.FS.RealPath(ctx, f.at(name))
		if err != nil || real != joinUnder(f, root, want) {
			t.Errorf("real path of %s: %q, %v; want %s", name, real, err, want)
		}
	}
	for _, name := range []string{"loop", "dangling"} {
		if _, err := f.FS.RealPath(ctx, f.at(name)); err == nil {
			t.Errorf("real path of %s: no error", name)
		}
		if _, err := f.FS.Stat(ctx, f.at(name)); err == nil {
			t.Errorf("stat of %s: no error", name)
		}
		info, err := f.FS.Lstat(ctx, f.at(name))
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || info.Name() != name {
			t.Errorf("lstat of %s: %v, %v", name, info, err)
		}
	}
	for name, file := range map[string]string{"chain": "file", "dangling": "new", "dirlink/third": "third"} {
		must(t, f.FS.WriteFile(ctx, f.at(name), []byte("by "+name), 0o644))
		if got, err := f.FS.ReadFile(ctx, f.at("real", file)); string(got) != "by "+name {
			t.Errorf("writing through %s made %s %q, %v", name, file, got, err)
		}
	}
	for _, name := range []string{"chain", "link", "dangling"} {
		if info, err := f.FS.Lstat(ctx, f.at(name)); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is a link no more: %v, %v", name, info, err)
		}
	}
	if err := f.FS.WriteFile(ctx, f.at("loop"), nil, 0o644); err == nil {
		t.Error("a loop of links was written")
	}
	entries, err := f.FS.ReadDir(ctx, f.at("dirlink"))
	if err != nil || len(entries) != 4 {
		t.Errorf("list through a link: %v, %v", entries, err)
	}
	entries, err = f.FS.ReadDir(ctx, f.Root)
	must(t, err)
	for _, e := range entries {
		if (e.Type()&fs.ModeSymlink != 0) == (e.Name() == "real") {
			t.Errorf("entry %s has type %v", e.Name(), e.Type())
		}
	}
	must(t, f.FS.Remove(ctx, f.at("dirlink")))
	if _, err := f.FS.Stat(ctx, f.at("real", "file")); err != nil {
		t.Errorf("removing a link removed what it points to: %v", err)
	}
}

func joinUnder(f Files, root, name string) string {
	f.Root = root
	return f.at(strings.Split(name, "/")...)
}

func modes(t *testing.T, f Files) {
	if f.Chmod == nil {
		t.Skip("no modes here")
	}
	ctx := t.Context()
	must(t, f.FS.WriteFile(ctx, f.at("tool"), []byte("1"), 0o644))
	for _, perm := range []fs.FileMode{0o755, 0o600, 0o666} {
		must(t, f.Chmod(f.at("tool"), perm))
		must(t, f.FS.WriteFile(ctx, f.at("tool"), []byte("2"), 0o644))
		if info, err := f.FS.Stat(ctx, f.at("tool")); err != nil || info.Mode().Perm() != perm {
			t.Errorf("writing changed mode %v to %v, %v", perm, info.Mode(), err)
		}
	}
	if !f.Obeyed {
		return
	}
	must(t, f.FS.WriteFile(ctx, f.at("locked"), []byte("x"), 0o644))
	must(t, f.Chmod(f.at("locked"), 0o444))
	if err := f.FS.WriteFile(ctx, f.at("locked"), []byte("y"), 0o644); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("writing a read-only file: %v", err)
	}
	if got, _ := f.FS.ReadFile(ctx, f.at("locked")); string(got) != "x" {
		t.Errorf("a refused write left %q", got)
	}
	must(t, f.Chmod(f.at("locked"), 0))
	if _, err := f.FS.ReadFile(ctx, f.at("locked")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("reading an unreadable file: %v", err)
	}
	must(t, f.FS.MkdirAll(ctx, f.at("shut"), 0o755))
	must(t, f.FS.WriteFile(ctx, f.at("shut", "in"), []byte("old"), 0o644))
	must(t, f.Chmod(f.at("shut"), 0o555))
	defer f.Chmod(f.at("shut"), 0o755)
	if err := f.FS.WriteFile(ctx, f.at("shut", "new"), nil, 0o644); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("new file in a read-only directory: %v", err)
	}
	must(t, f.FS.WriteFile(ctx, f.at("shut", "in"), []byte("new"), 0o644))
	if got, err := f.FS.ReadFile(ctx, f.at("shut", "in")); string(got) != "new" {
		t.Errorf("a writable file in a read-only directory: %q, %v", got, err)
	}
}

func replacementIsAtomic(t *testing.T, f Files) {
	ctx := t.Context()
	name := f.at("shared")
	content := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 20_000+i) }
	must(t, f.FS.WriteFile(ctx, name, content(0), 0o644))
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for w := range 2 {
		wg.Go(func() {
			for i := range 40 {
				if err := f.FS.WriteFile(ctx, name, content((i+w)%8), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var readers sync.WaitGroup
	readers.Go(func() {
		for {
			got, err := f.FS.ReadFile(ctx, name)
			if err != nil || !bytes.Equal(got, content(int(got[0]-'a'))) {
				t.Errorf("a reader saw a mixture of %d bytes, %v", len(got), err)
				return
			}
			select {
			case <-stop:
				return
			default:
			}
		}
	})
	wg.Wait()
	close(stop)
	readers.Wait()
}

func openFileKeepsContent(t *testing.T, f Files) {
	ctx := t.Context()
	name := f.at("file")
	must(t, f.FS.WriteFile(ctx, name, []byte("before"), 0o644))
	file, err := f.FS.Open(ctx, name)
	must(t, err)
	defer file.Close()
	if err := f.FS.WriteFile(ctx, name, []byte("after"), 0o644); err != nil {
		t.Skipf("an open file can not be replaced here: %v", err)
	}
	if got, err := io.ReadAll(file); string(got) != "before" {
		t.Errorf("read %q, %v", got, err)
	}
}

func endedContext(t *testing.T, f Files) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, err1 := f.FS.ReadFile(ctx, f.Root)
	_, err2 := f.FS.Open(ctx, f.Root)
	_, err3 := f.FS.ReadDir(ctx, f.Root)
	_, err4 := f.FS.Stat(ctx, f.Root)
	err5 := f.FS.WriteFile(ctx, f.at("x"), nil, 0o644)
	err6 := f.FS.MkdirAll(ctx, f.at("x"), 0o755)
	for i, err := range []error{err1, err2, err3, err4, err5, err6} {
		if !errors.Is(err, why) {
			t.Errorf("call %d after the context ended: %v", i+1, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(fmt.Errorf("prepare: %w", err))
	}
}
