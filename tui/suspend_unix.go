//go:build unix

package tui

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const canSuspend = true

// stopTime is how long a stop may take to reach the process.
const stopTime = 300 * time.Millisecond

// notifyContinued sends to c when the process goes on after a stop.
func notifyContinued(c chan<- os.Signal) { signal.Notify(c, syscall.SIGCONT) }

// suspend stops the process group, as the terminal would; it returns when the
// shell has continued it. The signal is SIGSTOP, as a Go program that has ever asked
// to be told of SIGTSTP is not stopped by it any more; so that nobody is stopped for
// good, it is sent only if there is a shell that can continue us.
func suspend() error {
	if orphaned() {
		return nil
	}
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if err := syscall.Kill(0, syscall.SIGSTOP); err != nil {
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

// orphaned reports whether no other group of this terminal's session has started
// ours: then there is no shell that knows of us.
func orphaned() bool {
	parent := os.Getppid()
	group, err := unix.Getpgid(parent)
	if err != nil {
		return true
	}
	theirs, err := unix.Getsid(parent)
	if err != nil {
		return true
	}
	ours, err := unix.Getsid(0)
	return err != nil || theirs != ours || group == unix.Getpgrp()
}
