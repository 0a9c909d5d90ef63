//go:build unix

package tui

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const canSuspend = true

// stopTime is how long a stop may take to reach the process. A process group
// without a shell above it is not stopped at all; it then just goes on.
const stopTime = 300 * time.Millisecond

// notifyContinued sends to c when the process goes on after a stop.
func notifyContinued(c chan<- os.Signal) { signal.Notify(c, syscall.SIGCONT) }

// suspend stops the process group, as the terminal would; it returns when the
// shell has continued it.
func suspend() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return fmt.Errorf("suspend: %w", err)
	}
	// The signal reaches one of the threads, and that may be a moment later:
	// going on at once could take the terminal back before the stop.
	select {
	case <-continued:
	case <-time.After(stopTime):
	}
	return nil
}
