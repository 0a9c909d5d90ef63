package render

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pi-go/pi/tui/text"
)

// Options are facts about the terminal and choices of the user. The zero value
// fits a modern terminal.
type Options struct {
	// Ruler measures lines; nil is the default one.
	Ruler *text.Ruler
	// NoSync leaves out the marks of synchronized output (mode 2026), for
	// terminals that are known to print them.
	NoSync bool
	// NoScroll leaves out scroll regions, for terminals without them.
	NoScroll bool
	// KeepScrollback makes [Inline] leave the scrollback as it is when a resize
	// or a change of old lines has made it differ from the frame. Without it,
	// [Inline.Stale] asks the caller for a [Inline.Reemit].
	KeepScrollback bool
}

// Cursor is where the terminal's cursor stands after a frame. Input methods open
// their windows there, so it should be at the insertion point even if the visible
// cursor is drawn as text.
type Cursor struct {
	// Row and Col count from 0; Row is a line of the frame.
	Row, Col int
	// Set tells that there is a place for the cursor. Without it the cursor is
	// hidden and stays where the last write left it.
	Set bool
	// Hidden keeps the cursor invisible at its place.
	Hidden bool
}

const (
	syncBegin = "\x1b[?2026h"
	syncEnd   = "\x1b[?2026l"
	showCur   = "\x1b[?25h"
	hideCur   = "\x1b[?25l"
	eraseEnd  = "\x1b[K"
)

// appendCSI appends a control sequence with one number; 1 is left out.
func appendCSI(b []byte, n int, final byte) []byte {
	b = append(b, "\x1b["...)
	if n != 1 {
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, final)
}

// fit returns line as it may be written to a row of a width: unchanged in the
// common case, mended where it breaks the rules for lines.
func fit(r *text.Ruler, line string, width int) string { return r.Truncate(line, width, "") }

// rowDiff is what has to be written to turn one row into another.
type rowDiff struct {
	col   int        // where to start
	style text.Style // in force there
	link  string     // the sequence of the link open there
	text  string     // what to write; it leaves the default style
	clear int        // columns to erase after it
}

// diffRow compares two fitted rows and finds the shortest part to write: from
// the first differing cell to the last one.
func diffRow(r *text.Ruler, old, new string) (d rowDiff, same bool) {
	if old == new {
		return d, true
	}
	if IsImage(old) || IsImage(new) {
		return rowDiff{text: new, clear: max(0, r.Width(old)-r.Width(new))}, false
	}
	shared := sharedPrefix(old, new)
	w := walker{ruler: r, s: new}
	w.to(shared)
	// The boundary must be one in the old row too: it may go on with a mark
	// where the new one does not.
	o := walker{ruler: r, s: old}
	o.to(w.pos)
	if o.pos != w.pos {
		at := o.pos
		w = walker{ruler: r, s: new}
		w.to(at)
	}
	d.col, d.style, d.link = w.col, w.style, w.link
	start := w.pos
	oldStart := o

	// From the right: a shared end needs no writing if it stands in the same
	// columns in the same style.
	end := len(new)
	if n := sharedSuffix(old[start:], new[start:]); n > 0 {
		nw, ow := w, oldStart
		nw.past(len(new) - n)
		ow.past(len(old) - n)
		// The same text can be in another style up to where that ends.
		for len(new)-nw.pos == len(old)-ow.pos && nw.pos < len(new) && (nw.style != ow.style || nw.link != ow.link) {
			nw.past(nw.pos + 1)
			ow.past(ow.pos + 1)
		}
		if len(new)-nw.pos == len(old)-ow.pos && nw.pos < len(new) && nw.col == ow.col {
			end = nw.pos
			d.text = new[start:end]
			d.text = closed(d.text, nw.style, nw.link)
			return d, false
		}
	}
	w.to(len(new))
	oldStart.to(len(old))
	d.text = new[start:end]
	d.clear = max(0, oldStart.col-w.col)
	return d, false
}

// closed returns s with what ends a style and a link that are in force at its end.
func closed(s string, style text.Style, link string) string {
	if style != (text.Style{}) {
		s += "\x1b[0m"
	}
	if link != "" {
		s += "\x1b]8;;\x1b\\"
	}
	return s
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i+8 <= n && a[i:i+8] == b[i:i+8] {
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

func sharedSuffix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	for i > 0 && !utf8.RuneStart(a[len(a)-i]) {
		i--
	}
	return i
}

// walker goes over a row from boundary to boundary and knows the column, style
// and link there.
type walker struct {
	ruler *text.Ruler
	s     string
	pos   int
	col   int
	style text.Style
	link  string
}

// to goes as far as it can without passing limit.
func (w *walker) to(limit int) {
	for w.pos < limit {
		c := w.s[w.pos]
		if c >= 0x20 && c < 0x7f && w.pos+1 < len(w.s) && w.s[w.pos+1] < 0x80 {
			w.pos++
			w.col++
			continue
		}
		n, width := w.ruler.Cluster(w.s[w.pos:])
		if w.pos+n > limit {
			return
		}
		if c == 0x1b {
			w.sequence(w.s[w.pos : w.pos+n])
		}
		w.pos += n
		w.col += width
	}
}

// past goes to the first boundary that is not before limit.
func (w *walker) past(limit int) {
	w.to(limit)
	if w.pos < limit {
		n, _ := w.ruler.Cluster(w.s[w.pos:])
		w.to(w.pos + n)
	}
}

func (w *walker) sequence(seq string) {
	if len(seq) > 2 && seq[1] == '[' && seq[len(seq)-1] == 'm' {
		w.style = w.style.Apply(seq[2 : len(seq)-1])
		return
	}
	if body, ok := strings.CutPrefix(seq, "\x1b]8;"); ok {
		w.link = ""
		if _, uri, _ := strings.Cut(body, ";"); uri != "" && uri != "\a" && uri != "\x1b\\" {
			w.link = seq
		}
	}
}

// IsImage reports whether a line holds an image (kitty graphics or an inline
// image of iTerm2). Such a line is written whole and never cut.
func IsImage(line string) bool {
	i := strings.IndexByte(line, 0x1b)
	return i >= 0 && (strings.Contains(line[i:], "\x1b_G") || strings.Contains(line[i:], "\x1b]1337;File="))
}
