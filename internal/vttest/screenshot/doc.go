// Package screenshot makes pictures of programs in a terminal. A script names a
// program, the keys to press, and when to take a picture:
//
//	size 80 24
//	file notes.txt one line of text
//	start gallery -full
//	wait type something
//	key pageup pageup
//	type hello
//	shot gallery-hello
//
// The program runs on a pty in an empty home of its own. A picture has two
// forms: the text, for tests and for those who can not see, and a PNG.
//
// [Draw] turns any [vttest.Snapshot] into a picture: the Go Mono fonts, a bitmap
// font for what those lack (Chinese, Japanese, Korean, symbols), lines and blocks
// that join at the edges of cells, and a disc for emoji, of which no free font is
// small enough to link. The same screen gives the same bytes.
package screenshot
