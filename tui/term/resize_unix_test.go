//go:build unix

package term

import (
	"syscall"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
)

// A change of the size that comes while the one before it is being told of is told
// of too.
func TestNoChangeOfTheSizeIsLost(t *testing.T) {
	d := newDevice(struct{ tcell.Tty }{})
	entered, release := make(chan struct{}), make(chan struct{})
	d.NotifyResize(func() {
		entered <- struct{}{}
		<-release
	})
	defer d.NotifyResize(nil)
	change := func() {
		t.Helper()
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGWINCH); err != nil {
			t.Fatal(err)
		}
	}
	wait := func() {
		t.Helper()
		select {
		case <-entered:
		case <-time.After(10 * time.Second):
			t.Fatal("a change was not told")
		}
	}
	change()
	wait()
	change()
	release <- struct{}{}
	wait()
	close(release)
}
