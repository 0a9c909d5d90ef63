//go:build unix

package execenv_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
)

func TestHardLinksStayTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(a, []byte("a longer old text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(a, b); err != nil {
		t.Skip("no hard links here:", err)
	}
	if err := (execenv.LocalFS{}).WriteFile(t.Context(), a, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(b); string(got) != "new" {
		t.Errorf("the other name has %q", got)
	}
}

func TestWriteToPipe(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	got := make(chan string)
	go func() {
		data, _ := os.ReadFile(fifo)
		got <- string(data)
	}()
	if err := (execenv.LocalFS{}).WriteFile(t.Context(), fifo, []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "hello" {
		t.Errorf("reader got %q", text)
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode().Type() != os.ModeNamedPipe {
		t.Errorf("the pipe became %v, %v", info.Mode(), err)
	}
}

func TestOwnerIsKept(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	name := filepath.Join(t.TempDir(), "theirs")
	if err := os.WriteFile(name, []byte("x"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(name, 1234, 4321); err != nil {
		t.Skip("no owners here:", err)
	}
	if err := (execenv.LocalFS{}).WriteFile(t.Context(), name, []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 1234 || st.Gid != 4321 || info.Mode().Perm() != 0o640 {
		t.Errorf("owner %d:%d, mode %v", st.Uid, st.Gid, info.Mode())
	}
}

func TestLongNames(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), strings.Repeat("é", 127))
	for _, text := range []string{"1", "2"} {
		if err := (execenv.LocalFS{}).WriteFile(t.Context(), name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(name); string(got) != "2" {
		t.Errorf("got %q", got)
	}
}
