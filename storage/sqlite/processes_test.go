package sqlite_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/storage/sqlite"
)

// Another process writes while two readers of this one follow it: what the
// writer reported is there at once, in order and whole, and a second writer is
// refused.
func TestReadersBesideAnotherProcess(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process")
	}
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sessions.db")
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), crashPath+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	var readers []*session.Session
	for n, lines := 0, bufio.NewScanner(out); n < 60; n++ {
		var what, id string
		var size int
		if !lines.Scan() {
			t.Fatalf("the writer has ended: %v", lines.Err())
		}
		if _, err := fmt.Sscan(lines.Text(), &what, &id, &size); err != nil || what != "stored" {
			t.Fatalf("the writer says: %s", lines.Text())
		}
		if n == 0 {
			readers = beside(t, path)
		}
		for _, s := range readers {
			if _, err := s.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			e, err := s.Entry(t.Context(), id)
			if err != nil {
				t.Fatalf("entry %d: %v", n, err)
			}
			if m := e.(*session.MessageEntry).Message.(*ai.UserMessage); len(ai.TextOf(m.Content, "")) != size {
				t.Fatalf("entry %d is not what was stored", n)
			}
			if stubs := s.Stubs(); stubs[n].ID != id || len(s.Problems()) > 0 {
				t.Fatalf("entry %d is %s, want %s; problems: %v", n, stubs[n].ID, id, s.Problems())
			}
		}
	}
}

// beside opens two readers and is refused as a writer.
func beside(t *testing.T, path string) (readers []*session.Session) {
	t.Helper()
	for range 2 {
		r, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		s, err := session.Open(t.Context(), r, "crash", session.Options{Mode: session.ReadOnly})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		readers = append(readers, s)
		if _, err := session.Open(t.Context(), r, "crash", session.Options{}); !errors.Is(err, session.ErrLocked) || !strings.Contains(err.Error(), "being written by process") {
			t.Errorf("a second writer: %v", err)
		}
	}
	return readers
}
