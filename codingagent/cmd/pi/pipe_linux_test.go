package main

import "golang.org/x/sys/unix"

// buffered is the number of bytes that a pipe holds.
func buffered(fd uintptr) int {
	n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ)
	if err != nil {
		return -1
	}
	return n
}
