package tools

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// decoder turns bytes that arrive in pieces into valid UTF-8: what is no text
// becomes U+FFFD, a character that is cut waits for its rest.
type decoder struct {
	cut []byte
}

// decode appends the text of b to dst.
func (d *decoder) decode(dst, b []byte) []byte {
	if len(d.cut) > 0 {
		b = append(d.cut, b...)
		d.cut = nil
	}
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			n := 1
			for n < len(b) && b[n] < utf8.RuneSelf {
				n++
			}
			dst, b = append(dst, b[:n]...), b[n:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(b) {
			d.cut = append(d.cut, b...)
			return dst
		}
		dst, b = utf8.AppendRune(dst, r), b[n:]
	}
	return dst
}

// flush appends what is left at the end.
func (d *decoder) flush(dst []byte) []byte {
	for range d.cut {
		dst = utf8.AppendRune(dst, utf8.RuneError)
	}
	d.cut = nil
	return dst
}

// cleaner takes out of a command's output what is meant for a terminal and not
// for a reader: escape sequences, control characters, and all but the last state
// of progress displays, which overwrite themselves by carriage returns. It is fed
// valid UTF-8 in pieces.
type cleaner struct {
	// keepProgress leaves the states of progress displays in, one behind the other
	// with carriage returns between.
	keepProgress bool

	escape  escapeState
	escaped int  // length of the control string so far
	cr      bool // the last character was a carriage return
	line    []byte
	begun   bool   // part of the current line has been passed on
	former  []byte // what a carriage return has sent back to the start of the line
	hasPrev bool   // former is in use
	dropped int    // states of progress displays left out
}

type escapeState int

const (
	escNone   escapeState = iota
	escStart              // after ESC
	escInter              // after ESC and an intermediate byte
	escCSI                // in a control sequence: ESC [
	escString             // in a control string: ESC ] P X ^ _
	escEnd                // after ESC in a control string
)

const (
	// mostHeld is how much of a line is held back to see whether it is overwritten.
	mostHeld = 4 << 10
	// mostString is the length of a control string that is believed to be one.
	mostString = 64 << 10
)

// clean appends the readable part of text, as far as it is settled, to dst. The
// current line is not settled before it ends; see pending.
func (c *cleaner) clean(dst []byte, text string) []byte {
	for i := 0; i < len(text); {
		if c.escape == escNone {
			// The usual case: a run of plain characters.
			n := plainLength(text[i:])
			if n > 0 {
				if c.cr {
					dst = c.carriageReturn(dst)
				}
				dst = c.hold(dst, text[i:i+n])
				i += n
				continue
			}
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		if c.escape != escNone {
			if c.sequence(r) {
				continue
			}
			// r is not part of the sequence after all.
		}
		dst = c.char(dst, r)
	}
	return dst
}

// plainLength is the length of the printable ASCII at the start of s.
func plainLength(s string) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c >= 0x7f {
			return i
		}
	}
	return len(s)
}

// sequence takes one character of an escape sequence. It reports false if the
// sequence has ended before r.
func (c *cleaner) sequence(r rune) bool {
	switch c.escape {
	case escStart:
		switch {
		case r == '[':
			c.escape = escCSI
		case strings.ContainsRune("]PX^_", r):
			c.escape, c.escaped = escString, 0
		case ' ' <= r && r <= '/':
			c.escape = escInter
		case '0' <= r && r <= '~':
			c.escape = escNone
		default:
			c.escape = escNone
			return false
		}
	case escInter, escCSI:
		switch {
		case '@' <= r && r <= '~', c.escape == escInter && '0' <= r && r <= '~':
			c.escape = escNone
		case r < ' ' || r > '~':
			c.escape = escNone
			return false
		}
	case escString, escEnd:
		switch {
		case r == '\a', c.escape == escEnd && r == '\\':
			c.escape = escNone
		case r == 0x1b:
			c.escape = escEnd
		case r == '\n', c.escaped > mostString:
			// No control string reaches over a line: this was not one, and swallowing
			// more would lose output.
			c.escape = escNone
			return false
		default:
			c.escape = escString
			c.escaped++
		}
	}
	return true
}

// char takes one character outside of an escape sequence.
func (c *cleaner) char(dst []byte, r rune) []byte {
	switch {
	case r == '\n':
		c.cr = false
		return c.endLine(dst)
	case r == '\r':
		if c.cr {
			dst = c.carriageReturn(dst)
		}
		c.cr = true
		return dst
	case r == 0x1b:
		c.escape = escStart
		return dst
	case r == 0x9b:
		c.escape = escCSI
		return dst
	case r != '\t' && unicode.IsControl(r), 0xfff9 <= r && r <= 0xfffb:
		return dst
	}
	if c.cr {
		dst = c.carriageReturn(dst)
	}
	var buf [utf8.UTFMax]byte
	return c.hold(dst, string(buf[:utf8.EncodeRune(buf[:], r)]))
}

// hold adds text to the current line.
func (c *cleaner) hold(dst []byte, text string) []byte {
	c.line = append(c.line, text...)
	if len(c.line) > mostHeld || c.keepProgress {
		dst = c.settleFormer(dst)
		dst = append(dst, c.line...)
		c.line = c.line[:0]
		c.begun = true
	}
	return dst
}

// carriageReturn is called when something follows a carriage return that is no
// line feed: the line begins anew.
func (c *cleaner) carriageReturn(dst []byte) []byte {
	c.cr = false
	switch {
	case c.keepProgress:
		return append(dst, '\r')
	case c.begun: // too long to be a progress display
		dst = append(append(dst, c.line...), '\n')
		c.line, c.begun = c.line[:0], false
		return dst
	case len(c.line) == 0:
		return dst
	case c.hasPrev:
		dst = c.replaceFormer(dst)
	}
	c.former = append(c.former[:0], c.line...)
	c.hasPrev = true
	c.line = c.line[:0]
	return dst
}

// replaceFormer drops the former state of the line if the current one is a newer
// state of the same display, and otherwise makes a line of its own of it.
func (c *cleaner) replaceFormer(dst []byte) []byte {
	if skeleton(c.former) == skeleton(c.line) {
		c.dropped++
		c.hasPrev = false
		return dst
	}
	return c.settleFormer(dst)
}

func (c *cleaner) settleFormer(dst []byte) []byte {
	if c.hasPrev {
		dst = append(append(dst, c.former...), '\n')
		c.hasPrev = false
	}
	return dst
}

func (c *cleaner) endLine(dst []byte) []byte {
	if c.hasPrev {
		if len(c.line) == 0 {
			// A carriage return at the end of the line: what was there stays.
			c.line = append(c.line, c.former...)
			c.hasPrev = false
		} else {
			dst = c.replaceFormer(dst)
		}
	}
	dst = append(append(dst, c.line...), '\n')
	c.line, c.begun = c.line[:0], false
	return dst
}

// pending is the current line as it looks now, without its end.
func (c *cleaner) pending(dst []byte) []byte {
	if c.hasPrev && (len(c.line) == 0 || skeleton(c.former) != skeleton(c.line)) {
		dst = append(dst, c.former...)
		if len(c.line) > 0 {
			dst = append(dst, '\n')
		}
	}
	return append(dst, c.line...)
}

// flush appends the current line at the end of the output.
func (c *cleaner) flush(dst []byte) []byte {
	if c.hasPrev && len(c.line) > 0 {
		dst = c.replaceFormer(dst)
	}
	dst = c.pending(dst)
	c.line, c.begun, c.hasPrev, c.cr = c.line[:0], false, false, false
	return dst
}

// skeleton is what stays the same while a progress display advances: its letters
// without digits, bars, spinners and blanks.
func skeleton(line []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return r
		}
		return -1
	}, string(line))
}
