// Package vttest compares what tui draws with an independent terminal emulator.
package vttest
