package lockfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func write(text string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(text), nil }
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// only fails the test when the directory holds anything but the named files.
func only(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("the directory holds %q, want %q", got, names)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "made", "on the way")
	path := filepath.Join(dir, "auth.json")
	var olds []string
	step := func(text string) {
		t.Helper()
		err := Update(t.Context(), path, Options{}, func(old []byte) ([]byte, error) {
			if !exists(path + ".lock") {
				t.Error("the file is not locked")
			}
			if old == nil {
				olds = append(olds, "none")
			} else {
				olds = append(olds, "<"+string(old)+">")
			}
			return []byte(text), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != text {
			t.Fatalf("the file holds %q, want %q", got, text)
		}
		only(t, dir, "auth.json")
	}
	for _, text := range []string{"one", "", "two"} {
		step(text)
	}
	if got := strings.Join(olds, " "); got != "none <one> <>" {
		t.Errorf("change was given %s", got)
	}
	if info, _ := os.Stat(dir); runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the new directory has the mode %v", info.Mode())
	}
}

func TestUpdateThatWritesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := Update(t.Context(), path, Options{}, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	only(t, dir)

	if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(path)
	refused := errors.New("not like this")
	for name, change := range map[string]func([]byte) ([]byte, error){
		"same text": write("text"),
		"nil":       func([]byte) ([]byte, error) { return nil, nil },
		"error":     func([]byte) ([]byte, error) { return []byte("half"), refused },
		"old text spoilt": func(old []byte) ([]byte, error) {
			copy(old, "xxxx")
			return nil, nil
		},
	} {
		err := Update(t.Context(), path, Options{}, change)
		if name == "error" {
			if err != refused {
				t.Errorf("error %v, want it as it was", err)
			}
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		after, _ := os.Stat(path)
		if !os.SameFile(before, after) || read(t, path) != "text" {
			t.Errorf("%s: the file was written", name)
		}
	}
	only(t, dir, "f")

	// Changing the old text in place is a change like any other.
	if err := Update(t.Context(), path, Options{}, func(old []byte) ([]byte, error) { return append(old[:0], "next"...), nil }); err != nil || read(t, path) != "next" {
		t.Errorf("%v, the file holds %q", err, read(t, path))
	}

	func() {
		defer func() { recover() }()
		Update(t.Context(), path, Options{}, func([]byte) ([]byte, error) { panic("bug") })
	}()
	only(t, dir, "f")
}

func TestModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no modes on Windows")
	}
	dir := t.TempDir()
	mode := func(name string) fs.FileMode {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	for _, c := range []struct {
		name         string
		before, perm fs.FileMode
		text         string
		want         fs.FileMode
	}{
		{"kept", 0o640, 0, "new", 0o640},
		{"given", 0o644, 0o600, "new", 0o600},
		{"given for the same text", 0o644, 0o600, "old", 0o600},
		{"kept for the same text", 0o644, 0, "old", 0o644},
		{"given for a new file", 0, 0o600, "new", 0o600},
	} {
		path := filepath.Join(dir, c.name)
		if c.before != 0 {
			if err := os.WriteFile(path, []byte("old"), c.before); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, c.before); err != nil {
				t.Fatal(err)
			}
		}
		if err := Update(t.Context(), path, Options{Perm: c.perm}, write(c.text)); err != nil {
			t.Fatal(err)
		}
		if got := mode(c.name); got != c.want {
			t.Errorf("%s: mode %v, want %v", c.name, got, c.want)
		}
	}
	// A new file without a given mode is like any other new file.
	if err := os.WriteFile(filepath.Join(dir, "usual"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "new"), []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	if mode("new") != mode("usual") {
		t.Errorf("a new file has the mode %v, usual is %v", mode("new"), mode("usual"))
	}
}

func TestWhatIsNotReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	readOnly := filepath.Join(dir, "read-only")
	if err := os.WriteFile(readOnly, []byte("old"), 0o444); err != nil {
		t.Fatal(err)
	}
	if err := Update(t.Context(), readOnly, Options{}, write("new")); !errors.Is(err, fs.ErrPermission) || read(t, readOnly) != "old" {
		t.Errorf("a read-only file: %v, it holds %q", err, read(t, readOnly))
	}
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(sub, []byte("new"), 0); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a directory: %v", err)
	}
	if err := WriteFile(filepath.Join(dir, "no", "f"), nil, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	only(t, dir, "read-only", "sub")
}

func TestLinksStay(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("making a link needs a privilege on Windows")
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink("dots/real.json", link); err != nil {
		t.Fatal(err)
	}
	for i, f := range []func() error{
		func() error { return Update(t.Context(), link, Options{}, write("0")) }, // makes dots/ too
		func() error { return Update(t.Context(), link, Options{}, write("1")) },
		func() error { return WriteFile(link, []byte("2"), 0) },
		func() error { return Update(t.Context(), link, Options{KeepLink: true}, write("3")) },
	} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
		if target, err := os.Readlink(link); err != nil || target != "dots/real.json" {
			t.Errorf("write %d: the link is %q, %v", i, target, err)
		}
		if got := read(t, filepath.Join(dir, "dots", "real.json")); got != string(rune('0'+i)) {
			t.Errorf("write %d: the file holds %q", i, got)
		}
	}
	only(t, dir, "dots", "link.json")
	only(t, filepath.Join(dir, "dots"), "real.json")
}

// The caller may leave while change runs: its result is written all the same.
func TestContextEndsTheWaitOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	ctx, cancel := context.WithCancel(t.Context())
	err := Update(ctx, path, Options{}, func([]byte) ([]byte, error) {
		cancel()
		return []byte("new token"), nil
	})
	if err != nil || read(t, path) != "new token" {
		t.Errorf("%v, the file holds %q", err, read(t, path))
	}
	if err := Update(ctx, path, Options{}, write("x")); !errors.Is(err, context.Canceled) || read(t, path) != "new token" {
		t.Errorf("%v, the file holds %q", err, read(t, path))
	}
}

// Who lost the lock must not write over what the new holder wrote.
func TestLostLockWritesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "f")
		err := Update(t.Context(), path, Options{}, func([]byte) ([]byte, error) {
			// This program is asleep, as far as others can see.
			other := Options{Now: func() time.Time { return time.Now().Add(time.Minute) }}
			if err := Update(t.Context(), path, other, write("theirs")); err != nil {
				t.Error(err)
			}
			return []byte("ours"), nil
		})
		if !errors.Is(err, ErrLost) || read(t, path) != "theirs" {
			t.Errorf("%v, the file holds %q", err, read(t, path))
		}
	})
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if _, err := Read(t.Context(), path, Options{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(t.Context(), path, Options{}); got == nil || len(got) != 0 || err != nil {
		t.Errorf("empty file: %v, %v", got, err)
	}
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(t.Context(), path, Options{}); string(got) != "text" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	only(t, dir, "f")
	held := mustAcquire(t, path, Options{})
	var busy *BusyError
	if _, err := Read(t.Context(), path, Options{Wait: -1}); !errors.As(err, &busy) {
		t.Errorf("while locked: %v", err)
	}
	if err := held.Release(); err != nil {
		t.Error(err)
	}
}

// What stands in the place of a file must not be read without end.
func TestReadRefusesDevices(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("no such device here")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("/dev/zero", link); err != nil {
		t.Skip("no links here:", err)
	}
	if _, err := readFile(link); err == nil {
		t.Error("read a device to its end")
	}
}
