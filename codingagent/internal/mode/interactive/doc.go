// Package interactive is pi for a person at a terminal.
//
// [Chat] is its line mode: it reads a line, streams the answer and shows what
// the tools do, in plain lines that any terminal, a dumb one included, and any
// screen reader can follow.
package interactive
