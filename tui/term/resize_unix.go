//go:build unix

package term

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/gdamore/tcell/v2"
)

// device is the terminal of the process. It tells of every change of the size: the
// library listens to the signal without a buffer, and of two changes that come
// quickly it can miss the last one.
type device struct {
	tcell.Tty
	mu     sync.Mutex
	forget func() // ends the telling; nil while nobody is told
}

func newDevice(tty tcell.Tty) tcell.Tty { return &device{Tty: tty} }

// Close lets go of the device. It is closed already when it was stopped.
func (d *device) Close() error {
	if err := d.Tty.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// NotifyResize has f called for changes of the size, on a goroutine of its own; nil
// ends that.
func (d *device) NotifyResize(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.forget != nil {
		d.forget()
		d.forget = nil
	}
	if f == nil {
		return
	}
	changed, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(changed, syscall.SIGWINCH)
	go func() {
		for {
			select {
			case <-changed:
				f()
			case <-done:
				return
			}
		}
	}()
	d.forget = func() {
		signal.Stop(changed)
		close(done)
	}
}
