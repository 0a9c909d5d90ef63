//go:build !unix

package draft

import "os"

// Local names this process.
func Local() Owner {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return Owner{Host: host, PID: os.Getpid(), Alive: func(pid int) bool {
		p, err := os.FindProcess(pid) // opens it, and fails if it is gone
		if err != nil {
			return false
		}
		_ = p.Release()
		return true
	}}
}
