//go:build !unix

package tui

import "os"

const canSuspend = false

func suspend() error { return nil }

// notifyContinued does nothing where processes can not be stopped.
func notifyContinued(chan<- os.Signal) {}
