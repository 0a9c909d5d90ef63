// Package vttest compares what package tui draws with an independent terminal
// emulator: random programs of updates, growths, shrinks and resizes are drawn
// frame by frame, and each frame must leave the screen and the scrollback as a
// repaint from scratch would; whole programs, with an editor, keys and overlays,
// must end up like those that begin with what they ended with.
//
// It is a module of its own so that the emulator never reaches users of tui. A
// long run: go test -programs 10000. Programs that failed once are kept by their
// seeds under testdata.
package vttest
