package partialjson

import "encoding/json"

// Whole tells of a text that grows whether it is one JSON object already. Each byte
// is looked at once, so asking after every piece costs no more than asking at the
// end. The zero value is ready.
type Whole struct {
	seen  int // bytes that were looked at
	depth int
	state wholeness
	// quoted is within a string, escaped behind a backslash in it.
	quoted, escaped bool
}

type wholeness int8

const (
	notBegun wholeness = iota
	inside
	closed // the object is there; white space may follow
	never  // what came is no object
)

// Is reports whether text is one valid JSON object, white space around it allowed.
// text begins with what was asked about before.
func (w *Whole) Is(text string) bool {
	for ; w.seen < len(text) && w.state != never; w.seen++ {
		c := text[w.seen]
		switch {
		case w.state == inside:
			if w.next(c); w.depth == 0 {
				w.state = never
				if json.Valid([]byte(text[:w.seen+1])) {
					w.state = closed
				}
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case c == '{' && w.state == notBegun:
			w.state, w.depth = inside, 1
		default:
			w.state = never
		}
	}
	return w.state == closed
}

// next takes a byte of the object.
func (w *Whole) next(c byte) {
	switch {
	case w.escaped:
		w.escaped = false
	case w.quoted && c == '\\':
		w.escaped = true
	case c == '"':
		w.quoted = !w.quoted
	case w.quoted:
	case c == '{' || c == '[':
		w.depth++
	case c == '}' || c == ']':
		w.depth--
	}
}
