package tui

import (
	"os"
	"syscall"
)

// QuitSignals are the signals that ask a program to end, for [Options.Signals]:
// with them a program that is told to go leaves the terminal as it found it.
func QuitSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} }
