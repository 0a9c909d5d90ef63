//go:build unix

package execenv_test

import (
	"context"
	"errors"
	"io"
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
	r, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := (execenv.LocalFS{}).WriteFile(t.Context(), fifo, []byte("hello"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); string(text) != "hello" {
		t.Errorf("reader got %q, %v", text, err)
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

// A pipe whose writer does not come, or sends nothing, holds nobody up longer
// than the context lives.
func TestReadingAPipeEndsWithTheContext(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	cause := errors.New("enough")
	for _, writer := range []bool{false, true} {
		if writer {
			w, err := os.OpenFile(fifo, os.O_RDWR, 0)
			if err != nil {
				t.Skip("no two-way pipes here:", err)
			}
			defer w.Close()
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		got := make(chan error)
		go func() {
			_, err := execenv.LocalFS{}.ReadFile(ctx, fifo)
			got <- err
		}()
		cancel(cause)
		if err := <-got; !errors.Is(err, cause) {
			t.Errorf("writer %v: %v", writer, err)
		}
	}
}

func TestReadAPipe(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	go os.WriteFile(fifo, []byte("through the pipe"), 0)
	got, err := execenv.LocalFS{}.ReadFile(t.Context(), fifo)
	if err != nil || string(got) != "through the pipe" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestReadWithinALimit(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := execenv.LocalFS{}
	if got, err := execenv.ReadAtMost(t.Context(), files, name, 5); err != nil || string(got) != "12345" {
		t.Errorf("%q, %v", got, err)
	}
	for _, name := range []string{name, "/dev/zero"} {
		if got, err := execenv.ReadAtMost(t.Context(), files, name, 4); !errors.Is(err, execenv.ErrTooLarge) || got != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := execenv.ReadConfig(t.Context(), files, "/dev/zero"); err == nil {
		t.Error("a device passes for a configuration file")
	}
}

// Nobody reads the pipe: that is an error, and nothing to wait for.
func TestWriteToADesertedPipe(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	if err := (execenv.LocalFS{}).WriteFile(t.Context(), fifo, []byte("x"), 0o644); !errors.Is(err, syscall.ENXIO) {
		t.Errorf("%v", err)
	}
}
