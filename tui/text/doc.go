// Package text measures, wraps, cuts and cleans text for a terminal.
//
// It is the only authority in this module on how many columns text takes.
// [Width] and the methods of [Ruler] agree with what common terminals draw:
// CJK and emoji take two columns, combining marks none, ZWJ sequences and flags
// are one cluster, and a variation selector can turn a one-column symbol into a
// two-column emoji.
//
//	text.Width("e\u0301")                  // 1
//	text.Width("\x1b[31m한글\x1b[0m")        // 4: escape sequences take no columns
//	text.Wrap("\x1b[1mone two\x1b[0m", 4)  // two lines, both bold, both closed
//	text.Truncate("a long line", 6, "…")   // "a lon…"
//
// Text may hold escape sequences for colours (SGR) and links (OSC 8). Functions
// that split text keep both: each line they return ends in the default style
// with no open link, and the next line opens again what was open. Content from
// elsewhere (files, programs, models) must pass through [Sanitize] first, which
// lets no control sequence through to the terminal.
//
// Functions of this package use the default [Ruler]: ambiguous characters take
// one column, a tab takes four. Where that is a user's choice, make a Ruler and
// use its methods. Functions and a nil *Ruler are safe for concurrent use; a
// Ruler made by [NewRuler] has a cache and belongs to one goroutine.
package text
