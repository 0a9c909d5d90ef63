package textedit

import (
	"bytes"
	"sort"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// tolerant is a text in the form in which look-alikes are equal, with the way
// back to the text it was made from.
type tolerant struct {
	text  []byte
	spans []span
}

// span is a piece of the tolerant text and what it came from. In a verbatim span
// the two are the same bytes; in others only the ends correspond.
type span struct {
	at, n    int // in the tolerant text
	src, len int // in the source
	verbatim bool
}

// newTolerant makes the tolerant form of a text with LF line breaks.
func newTolerant(text []byte) *tolerant {
	t := &tolerant{text: make([]byte, 0, len(text))}
	for pos := 0; pos < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[pos:], '\n'); i >= 0 {
			end = pos + i
		}
		t.line(text, pos, end)
		if end < len(text) {
			t.add(text[end:end+1], end, 1, true)
		}
		pos = end + 1
	}
	return t
}

func (t *tolerant) add(out []byte, src, n int, verbatim bool) {
	if len(out) == 0 {
		return
	}
	if last := len(t.spans) - 1; verbatim && last >= 0 {
		if s := &t.spans[last]; s.verbatim && s.src+s.len == src {
			s.n, s.len = s.n+len(out), s.len+n
			t.text = append(t.text, out...)
			return
		}
	}
	t.spans = append(t.spans, span{len(t.text), len(out), src, n, verbatim})
	t.text = append(t.text, out...)
}

// line adds text[pos:end], which holds no line break.
func (t *tolerant) line(text []byte, pos, end int) {
	start := len(t.text)
	var buf []byte
	for pos < end {
		if n := plainRun(text[pos:end]); n > 0 {
			t.add(text[pos:pos+n], pos, n, true)
			pos += n
			continue
		}
		n := segment(text[pos:end])
		buf = lookAlike(buf[:0], text[pos:pos+n])
		t.add(buf, pos, n, false)
		pos += n
	}
	t.trim(start)
}

// plainRun is the length of the ASCII at the start of b that no following
// character can combine with.
func plainRun(b []byte) int {
	for i, c := range b {
		if c >= utf8.RuneSelf {
			return max(i-1, 0)
		}
	}
	return len(b)
}

// segment is the length of the first piece of b that normalises independently of
// the rest: a character with what combines with it, or one byte that is no UTF-8.
func segment(b []byte) int {
	if r, n := utf8.DecodeRune(b); r == utf8.RuneError && n == 1 {
		return 1
	}
	n := norm.NFKC.NextBoundary(b, true)
	// The normaliser does not stop at an invalid byte.
	for i := 0; i < n; {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return n
}

// lookAlike appends the tolerant form of one segment.
func lookAlike(dst, seg []byte) []byte {
	if !utf8.Valid(seg) {
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	for _, r := range string(norm.NFKC.Bytes(seg)) {
		switch {
		case '\u2018' <= r && r <= '\u201B':
			r = '\''
		case '\u201C' <= r && r <= '\u201F':
			r = '"'
		case '\u2010' <= r && r <= '\u2015', r == '\u2212':
			r = '-'
		case r == '\u00A0', '\u2000' <= r && r <= '\u200A', r == '\u202F', r == '\u205F', r == '\u3000':
			r = ' '
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// trim takes white space off the end of the text, back to start.
func (t *tolerant) trim(start int) {
	end := start + len(bytes.TrimRightFunc(t.text[start:], unicode.IsSpace))
	t.text = t.text[:end]
	for len(t.spans) > 0 {
		s := &t.spans[len(t.spans)-1]
		if s.at+s.n <= end {
			return
		}
		if s.at < end {
			if s.verbatim {
				s.len = end - s.at
			}
			s.n = end - s.at
			return
		}
		t.spans = t.spans[:len(t.spans)-1]
	}
}

// source returns the piece of the source that the tolerant text [start, end)
// came from, and false if that is not a whole number of characters.
func (t *tolerant) source(start, end int) (lo, hi int, ok bool) {
	first := t.spans[sort.Search(len(t.spans), func(i int) bool { return t.spans[i].at+t.spans[i].n > start })]
	last := t.spans[sort.Search(len(t.spans), func(i int) bool { return t.spans[i].at+t.spans[i].n >= end })]
	lo, hi = first.src, last.src+last.len
	if first.verbatim {
		lo += start - first.at
	} else if start != first.at {
		return 0, 0, false
	}
	if last.verbatim {
		hi = last.src + end - last.at
	} else if end != last.at+last.n {
		return 0, 0, false
	}
	return lo, hi, true
}

// find returns the places in the source that look like old.
func (t *tolerant) find(old string) (places []place) {
	form := newTolerant([]byte(old))
	want := form.text
	if len(bytes.TrimSpace(want)) == 0 {
		return nil // only white space: nothing to go by
	}
	// Blanks at the end of the old text say that a line ends there.
	atEnd := old[len(old)-1] != '\n' && endsInSpace(old)
	for pos := 0; ; {
		i := bytes.Index(t.text[pos:], want)
		if i < 0 || len(places) == mostPlaces {
			return places
		}
		start := pos + i
		end := start + len(want)
		pos = start + 1
		if atEnd && end < len(t.text) && t.text[end] != '\n' {
			continue
		}
		if lo, hi, ok := t.source(start, end); ok {
			places = append(places, place{lo, hi})
		}
	}
}

func endsInSpace(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsSpace(r)
}
