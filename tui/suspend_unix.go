//go:build unix

package tui

import (
	"fmt"
	"syscall"
)

const canSuspend = true

// suspend stops the process group, as the terminal would; it returns when the
// shell has continued it.
func suspend() error {
	if err := syscall.Kill(0, syscall.SIGTSTP); err != nil {
		return fmt.Errorf("suspend: %w", err)
	}
	return nil
}
