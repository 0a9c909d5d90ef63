package session

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

// The lock of a process that was killed may be held a moment longer by a command
// that it was just starting; that of a process that lives is refused at once.
func TestLockOfAProcessThatIsGone(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ended := exec.Command(self, "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, host string
		pid        int
		locked     bool
	}{
		{"one that has ended", host, ended.Process.Pid, false},
		{"one that lives", host, os.Getpid(), true},
		{"one of another machine", host + "-not", ended.Process.Pid, true},
		{"nobody knows which", "", 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "s.jsonl")
			holder := flock.New(path+lockSuffix, flock.SetFlag(os.O_CREATE|os.O_RDWR))
			if ok, err := holder.TryLock(); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if err := os.WriteFile(path+lockSuffix, fmt.Appendf(nil, "%d\n%s\n", c.pid, c.host), 0o600); err != nil {
				t.Fatal(err)
			}
			if !c.locked { // soon after it was tried the first time
				time.AfterFunc(2*letGo, func() { _ = holder.Close() })
			}
			l, err := LockFile(path, path)
			if errors.Is(err, ErrLocked) != c.locked || !c.locked && err != nil {
				t.Errorf("%v, want it locked: %v", err, c.locked)
			}
			if err := errors.Join(l.Release(), holder.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}
