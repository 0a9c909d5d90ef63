//go:build !unix

package term

import "github.com/gdamore/tcell/v2"

// newDevice gives the terminal of the process.
func newDevice(tty tcell.Tty) tcell.Tty { return tty }
