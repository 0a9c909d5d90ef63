// Package cli is the command line of pi: it turns arguments into [Args],
// decides the mode, builds the first prompt and runs it.
//
// The package reaches the world through [Streams] only; cmd/pi is a thin shell
// around it, and tests call it with buffers.
package cli
