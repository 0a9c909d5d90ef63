// Package markdown shows Markdown in a terminal, also while it arrives.
//
//	m := markdown.New(markdown.Options{Theme: theme})
//	m.SetText(answer)           // again and again, as the text grows
//	lines := m.Render(80)
//
// Text is cut into blocks where nothing that follows can change what was before.
// A finished block is parsed and laid out once for each width; only the last one
// is looked at again when the text grows, and of a code block only the new lines.
//
// While text arrives ([Markdown.SetStreaming]), what is half there is shown as
// what it is going to be: an open **word is bold, a half link is a link, the
// first row of a table is a table. So the page does not jump when the rest comes.
//
// Code of the language mermaid can be drawn as a diagram ([Options]), also line by line
// while it arrives; package mermaid draws it.
//
// Content is cleaned by the package itself: no control sequence in it reaches the
// terminal.
package markdown
