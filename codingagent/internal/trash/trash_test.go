package trash

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func can(home, system string) Can {
	return Can{Home: home, System: system, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
}

// Two files of one name are both kept, each with a record of where it was.
func TestRecorded(t *testing.T) {
	home := t.TempDir()
	trash := filepath.Join(home, ".local/share/Trash")
	for i, name := range []string{"a b%", "two"} {
		path := filepath.Join(home, name, "s.jsonl")
		write(t, path, name)
		to, err := can(home, "linux").Put(path)
		want := filepath.Join(trash, "files", []string{"s.jsonl", "s.2.jsonl"}[i])
		if err != nil || to != want || read(t, want) != name {
			t.Errorf("put into %s: %v", to, err)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there", path)
		}
	}
	want := "[Trash Info]\nPath=" + home + "/a%20b%25/s.jsonl\nDeletionDate=2026-01-02T03:04:05\n"
	if got := read(t, filepath.Join(trash, "info/s.jsonl.trashinfo")); got != want {
		t.Errorf("record %q, want %q", got, want)
	}
}

func TestElsewhere(t *testing.T) {
	home := t.TempDir()
	c := can(home, "linux")
	c.Data = filepath.Join(home, "data")
	path := filepath.Join(home, "x")
	write(t, path, "x")
	if to, err := c.Put(path); err != nil || to != filepath.Join(c.Data, "Trash/files/x") {
		t.Errorf("%s, %v", to, err)
	}
}

func TestPlain(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "s.jsonl")
	write(t, path, "new")
	if _, err := can(home, "darwin").Put(path); !errors.Is(err, ErrNone) {
		t.Errorf("without a trash: %v", err)
	}
	write(t, filepath.Join(home, ".Trash/s.jsonl"), "old")
	if to, err := can(home, "darwin").Put(path); err != nil || filepath.Base(to) != "s.2.jsonl" || read(t, to) != "new" {
		t.Errorf("%s, %v", to, err)
	}
	if read(t, filepath.Join(home, ".Trash/s.jsonl")) != "old" {
		t.Error("what was in the trash is gone")
	}
}

// Where there is no trash the file stays, and no record is left.
func TestNone(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "x")
	write(t, path, "x")
	for _, c := range []Can{can(home, "windows"), can("", "linux")} {
		if _, err := c.Put(path); !errors.Is(err, ErrNone) {
			t.Errorf("%v", err)
		}
	}
	if _, err := can(home, "linux").Put(filepath.Join(home, "gone")); !errors.Is(err, ErrNone) {
		t.Errorf("a file that is not there: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(home, ".local/share/Trash/*/*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if read(t, path) != "x" {
		t.Error("the file is not as it was")
	}
}
