//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the highest resident memory of the process in bytes.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) // bytes there, KiB elsewhere
	}
	return int64(usage.Maxrss) << 10
}
