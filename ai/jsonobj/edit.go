package jsonobj

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// edit puts text in the place of src[from:to].
type edit struct {
	from, to int
	text     string
}

// apply makes edits, in order of their places, and reads the result anew. Only a
// mistake of this package can make that fail; the document is then as before.
func (d *Document) apply(edits ...edit) error {
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, d.t.src[at:e.from]...), e.text...)
		at = e.to
	}
	out = append(out, d.t.src[at:]...)
	t, err := parse(d.file, out, d.syntax)
	if err != nil {
		return fmt.Errorf("edit %s: the result would be no JSON: %w", d.name(), err)
	}
	d.t = t
	return nil
}

// style is how an object is laid out.
type style struct {
	inline bool   // its members stand on one line
	indent string // of its members
	outer  string // of its closing bracket
	unit   string // one level
	eol    string
	colon  string // ": " or ":"
	comma  string // ", " or ",", between members on one line
}

// style finds out how the object n, at a depth of 0 for the root, is laid out. An
// empty object inside of one-line objects would be on one line too.
func (d *Document) style(n *node, depth int) style {
	src := d.t.src
	s := style{unit: d.unit(), eol: "\n", colon: ": ", comma: ", "}
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		s.eol = "\r\n"
	}
	s.outer = strings.Repeat(s.unit, depth)
	s.indent = s.outer + s.unit
	if len(n.members) == 0 {
		s.inline = depth > 0 && len(d.t.root.members) > 0 && !d.t.root.members[0].afterBreak
		if first := d.t.root.members; s.inline && src[first[0].colon+1] != ' ' {
			s.colon, s.comma = ":", ","
		}
		return s
	}
	last := n.members[len(n.members)-1]
	s.inline = !n.members[0].afterBreak
	if src[last.colon+1] != ' ' {
		s.colon, s.comma = ":", ","
	}
	if s.inline {
		return s
	}
	// Follow the members where they are, be it at the expected depth or not.
	if indent, alone := lineStart(src, last.start); alone {
		s.indent = indent
	}
	return s
}

// unit returns one level of indentation as the file has it, two spaces if it shows
// none.
func (d *Document) unit() string {
	for _, m := range d.t.root.members {
		if indent, alone := lineStart(d.t.src, m.start); alone && m.afterBreak && indent != "" {
			return indent
		}
	}
	return "  "
}

// lineStart returns the white space between the beginning of the line and offset;
// alone is false when something else stands there.
func lineStart(src []byte, offset int) (indent string, alone bool) {
	from := bytes.LastIndexByte(src[:offset], '\n') + 1
	indent = string(src[from:offset])
	return indent, strings.Trim(indent, " \t") == ""
}

// format lays a compact value out, for a member of an object of style s.
func (s style) format(raw []byte) string {
	if s.inline {
		return string(raw)
	}
	var b bytes.Buffer
	json.Indent(&b, raw, s.indent, s.unit) // raw is valid, so there is no error
	if s.eol != "\n" {
		return strings.ReplaceAll(b.String(), "\n", s.eol)
	}
	return b.String()
}

// replace gives the member m of n, an object at the given depth, another value.
func (d *Document) replace(n *node, m *member, depth int, raw []byte) error {
	old, err := Marshal(json.RawMessage(d.t.strict()[m.value.start:m.value.end]))
	if err == nil && bytes.Equal(old, raw) {
		return nil
	}
	s := d.style(n, depth)
	if indent, alone := lineStart(d.t.src, m.start); alone && !s.inline {
		s.indent = indent
	}
	return d.apply(edit{m.value.start, m.value.end, s.format(raw)})
}

// insert adds a member behind the last one of n, an object at the given depth.
func (d *Document) insert(n *node, depth int, key string, raw []byte) error {
	s := d.style(n, depth)
	text := string(AppendString(nil, key)) + s.colon + s.format(raw)
	if len(n.members) == 0 {
		inside := d.t.src[n.start+1 : n.end-1]
		kept := bytes.TrimRight(inside, " \t\r\n") // comments, if anything
		if s.inline && len(kept) == 0 {
			return d.apply(edit{n.start + 1, n.end - 1, text})
		}
		return d.apply(edit{n.start + 1 + len(kept), n.end - 1, s.eol + s.indent + text + s.eol + s.outer})
	}
	last := &n.members[len(n.members)-1]
	trailing := last.comma >= 0 // a style to be kept
	if s.inline {
		if trailing {
			return d.apply(edit{last.comma + 1, last.comma + 1, strings.TrimPrefix(s.comma, ",") + text + ","})
		}
		return d.apply(edit{last.value.end, last.value.end, s.comma + text})
	}
	text = s.eol + s.indent + text
	if trailing {
		at := d.lineEnd(last.comma + 1)
		return d.apply(edit{at, at, text + ","})
	}
	at := d.lineEnd(last.value.end)
	closing := ""
	if bytes.IndexByte(d.t.src[at:n.end-1], '\n') < 0 {
		closing = s.eol + s.outer // the bracket stood on the member's line
	}
	return d.apply(edit{last.value.end, last.value.end, ","}, edit{at, at, text + closing})
}

// lineEnd returns the end of the comments that follow offset on its line; offset
// itself if there are none.
func (d *Document) lineEnd(offset int) int {
	src := d.t.src
	at := offset
	for {
		next := at
		for next < len(src) && (src[next] == ' ' || src[next] == '\t') {
			next++
		}
		if next == len(src) || src[next] == '\n' || src[next] == '\r' {
			return at
		}
		end := d.extraAt(next)
		if end < 0 {
			return at
		}
		at = end
	}
}

// extraAt returns the end of the comment that begins at offset, or -1.
func (d *Document) extraAt(offset int) int {
	if d.t.src[offset] != '/' {
		return -1
	}
	for _, e := range d.t.extra {
		if e[0] == offset {
			return e[1]
		}
	}
	return -1
}

// remove takes the member i of n away, with the comma that belongs to it and a
// comment behind it on its line. Comments on lines of their own stay.
func (d *Document) remove(n *node, i int) error {
	src := d.t.src
	m := n.members[i]
	last := i == len(n.members)-1
	from, to := m.start, m.value.end
	if m.comma >= 0 {
		to = m.comma + 1
	}
	space := func(c byte) bool { return c == ' ' || c == '\t' }
	end := d.lineEnd(to)
	switch lineEnds := src[end] == '\n' || src[end] == '\r'; {
	case m.afterBreak && lineEnds: // it has its lines for itself
		to = end
		for space(src[from-1]) {
			from--
		}
		from -= len(lineBreak(src[:from]))
	case last || lineEnds:
		for space(src[from-1]) {
			from--
		}
	default:
		for space(src[to]) {
			to++
		}
	}
	if len(n.members) == 1 && len(bytes.TrimSpace(src[n.start+1:from])) == 0 && len(bytes.TrimSpace(src[to:n.end-1])) == 0 {
		from, to = n.start+1, n.end-1 // {} as JSON.stringify writes it
	}
	if last && i > 0 && m.comma < 0 { // the comma before it has nothing to separate any more
		comma := n.members[i-1].comma
		return d.apply(edit{comma, comma + 1, ""}, edit{from, to, ""})
	}
	return d.apply(edit{from, to, ""})
}

// lineBreak returns the line end that b ends in, if it does.
func lineBreak(b []byte) []byte {
	for _, eol := range [...]string{"\r\n", "\n"} {
		if bytes.HasSuffix(b, []byte(eol)) {
			return []byte(eol)
		}
	}
	return nil
}
