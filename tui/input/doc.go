// Package input turns the bytes that a terminal sends into events: keys, pastes,
// mouse, focus, and answers to queries.
//
// A [Decoder] takes bytes as they are read, cut anywhere, and returns the events
// that are whole. Only an escape key needs time to be told from the beginning of
// a sequence: [Decoder.Wait] says for how long to wait for more before
// [Decoder.Flush].
//
//	var d input.Decoder
//	for _, ev := range d.Feed([]byte("\x1b[1;5A")) {
//		if k, ok := ev.(input.Key); ok && k.Is(input.MustParse("ctrl+up")) {
//			// ...
//		}
//	}
//
// Keys have names such as "a", "enter", "ctrl+shift+x", "alt+pageUp"; see [Parse].
// All common encodings give the same names: legacy, xterm's modifyOtherKeys, and
// the kitty keyboard protocol with press, repeat and release.
//
// [Bindings] maps actions to keys, and lets a user change them.
package input
