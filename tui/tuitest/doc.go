// Package tuitest is a terminal to test with: it takes the bytes that a program
// writes and tells what a person would see.
//
//	term := tuitest.New(40, 5)
//	fmt.Fprint(term, "\x1b[1mHello\x1b[0m\r\nworld")
//	term.Screen()      // ["Hello", "world", "", "", ""]
//	term.Cell(0, 0)    // H, bold
//	term.Scrollback()  // lines that scrolled off the top
//
// [Draw] draws one component and checks the rules for lines. [NewTty] makes a
// device to run a whole program against, in a testing/synctest bubble so that
// time costs nothing:
//
//	tty := tuitest.NewTty(40, 10)
//	tm, _ := term.Open(term.Options{Tty: tty, Getenv: env})
//	p := tui.New(tui.Options{Terminal: tm})
//	go p.Run(ctx)
//	tty.Type("hello\r")
//	time.Sleep(time.Second) // of the bubble's clock
//	tty.Screen()
//
// It knows what this module writes and what such programs commonly write: cursor
// moves, erasing, scroll regions, colours, links, the alternate screen, modes,
// titles, the clipboard, keyboard protocols, and the queries that programs send,
// which it answers as a modern terminal would. It is small on purpose and no
// model of any one product; text widths are those of package text.
package tuitest
