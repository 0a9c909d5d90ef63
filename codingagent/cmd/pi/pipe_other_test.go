//go:build unix && !linux

package main

// buffered is not known here; the tests go on at once.
func buffered(uintptr) int { return -1 }
