// Package interactive is pi for a person at a terminal.
//
// [Run] is its user interface: a conversation that scrolls above an editor that
// stays, on a screen of its own or with the terminal's scrollback. What happens
// in the session arrives as events on the goroutine of the run (see incoming);
// all that is drawn belongs to the goroutine of the program. Each block of an
// answer and each call of a tool is an item of the transcript that is drawn when
// it is in view and has changed, so that a frame costs the same in a long
// conversation as in a short one.
//
// [Chat] is the line mode: it reads a line, streams the answer and shows what
// the tools do, in plain lines that any terminal, a dumb one included, and any
// screen reader can follow.
package interactive
