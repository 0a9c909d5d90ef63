package text

import (
	"strings"
	"unicode/utf8"
)

// pen is what is in force at a place in a text: a style and an open link.
type pen struct {
	style Style
	link  string // the whole sequence that opened the link; "" when none is open
}

const closeLink = "\x1b]8;;\x1b\\"

// take changes the pen as seq does and reports whether seq may stand in a line
// at all: colours, links, marks and images may; cursor moves, erasing, modes, all
// that changes the terminal beyond the line (titles, the clipboard, device strings),
// and anything cut off may not.
func (p *pen) take(seq string) bool {
	if isSGR(seq) {
		p.style = p.style.apply(seq)
		return true
	}
	if _, uri, ok := linkTarget(seq); ok {
		p.link = ""
		if uri != "" {
			p.link = seq
		}
		return true
	}
	return isMark(seq)
}

// open appends what brings a terminal in its default state to the pen's.
func (p *pen) open(b []byte) []byte {
	b = append(b, p.link...)
	return p.style.AppendSGR(b)
}

// close appends what brings a terminal in the pen's state back to the default.
func (p *pen) close(b []byte) []byte {
	if p.style != (Style{}) {
		b = append(b, reset...)
	}
	if p.link != "" {
		b = append(b, closeLink...)
	}
	return b
}

func (p *pen) isDefault() bool { return p.style == Style{} && p.link == "" }

// follow changes the pen as all sequences of s do.
func (p *pen) follow(s string) {
	for {
		i := strings.IndexByte(s, escape)
		if i < 0 {
			return
		}
		n := sequenceLen(s[i:])
		p.take(s[i : i+n])
		s = s[i+n:]
	}
}

// appendClean appends s to b as it may be written to a terminal: tabs become
// blanks, control characters and sequences that may not stand in a line vanish,
// bytes that are not UTF-8 become U+FFFD (two of them could form a control
// character once what is between them has gone). The pen follows.
func (r *Ruler) appendClean(b []byte, s string, p *pen) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c-0x20 < 0x5f {
			i++
			continue
		}
		n, instead := 1, ""
		switch {
		case c == escape:
			n = sequenceLen(s[i:])
			if p.take(s[i : i+n]) {
				i += n
				continue
			}
		case c == '\t':
			instead = Blanks(r.Tab())
		case c >= utf8.RuneSelf:
			var first rune
			first, n = utf8.DecodeRuneInString(s[i:])
			if first >= 0xa0 && !(first == utf8.RuneError && n == 1) {
				i += n
				continue
			}
			if first == utf8.RuneError {
				instead = "\ufffd"
			}
		}
		b = append(b, s[start:i]...)
		b = append(b, instead...)
		i += n
		start = i
	}
	return append(b, s[start:]...)
}

// isClean reports whether s can be written as it is: valid UTF-8 with no escape
// sequence, control character or tab.
func isClean(s string) bool {
	ascii := true
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < 0x20 || c == 0x7f || c == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0 {
			return false
		}
		if c >= utf8.RuneSelf {
			ascii = false
		}
	}
	return ascii || utf8.ValidString(s)
}
