//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lockfile

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// While one takes a stale lock over, another one stays away.
func TestTakeOverIsExclusive(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "f.lock")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		t.Skipf("this file system can not lock a directory: %v", err)
	}
	always := func(fs.FileInfo) bool { return true }
	if taken, err := takeOver(dir, always, time.Now()); taken || err != nil {
		t.Errorf("taken while another one does: %v, %v", taken, err)
	}
	f.Close()
	if taken, err := takeOver(dir, always, time.Now()); !taken || err != nil {
		t.Errorf("not taken when nobody does: %v, %v", taken, err)
	}
	if taken, err := takeOver(dir+"x", always, time.Now()); taken || err != nil {
		t.Errorf("a lock that is gone: %v, %v", taken, err)
	}
}
