// Package render turns frames into the fewest bytes that bring a terminal from
// what it shows to what it should show.
//
// There are two renderers with one line differ under them. [Inline] draws on the
// main screen, below whatever the shell wrote; what scrolls off the top stays in
// the terminal's own scrollback. [Full] owns the alternate screen and scrolls
// with scroll regions. Both return bytes and write nothing: the caller sends one
// frame with one write.
//
//	r := render.NewInline(80, 24, render.Options{})
//	out := r.Draw(nil, render.Frame{Lines: render.Slice{"hello", "> "}})
//	tty.Write(out)
//
// A line is one row of the screen: text with colours (SGR), links (OSC 8) and no
// other control characters, ending in the default style. Lines that break this,
// or are wider than the terminal, are mended before they are written, so that a
// mistake in one component can not break the screen.
//
// A renderer belongs to one goroutine.
package render
