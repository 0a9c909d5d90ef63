//go:build unix

package draft

import (
	"errors"
	"os"
	"syscall"
)

// Local names this process.
func Local() Owner {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return Owner{Host: host, PID: os.Getpid(), Alive: func(pid int) bool {
		err := syscall.Kill(pid, 0)
		return err == nil || errors.Is(err, syscall.EPERM)
	}}
}
