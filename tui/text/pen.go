package text

import "strings"

// pen is what is in force at a place in a text: a style and an open link.
type pen struct {
	style Style
	link  string // the whole sequence that opened the link; "" when none is open
}

const closeLink = "\x1b]8;;\x1b\\"

// take changes the pen as seq does and reports whether seq may stand in a line
// at all: colours, links and control strings (cursor marks, images) may, cursor
// moves, erasing, modes and anything cut off may not.
func (p *pen) take(seq string) bool {
	if isSGR(seq) {
		p.style = p.style.apply(seq)
		return true
	}
	if len(seq) < 3 {
		return false
	}
	switch seq[1] {
	case ']', 'P', '_', '^', 'X':
	default:
		return false
	}
	if last := seq[len(seq)-1]; last != '\a' && !(last == '\\' && seq[len(seq)-2] == escape) {
		return false
	}
	if _, uri, ok := linkTarget(seq); ok {
		p.link = ""
		if uri != "" {
			p.link = seq
		}
	}
	return true
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
// blanks, control characters and sequences that may not stand in a line vanish.
// The pen follows.
func (r *Ruler) appendClean(b []byte, s string, p *pen) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != 0x7f && c != 0xc2 {
			i++
			continue
		}
		n, keep, blanks := 1, false, 0
		switch {
		case c == escape:
			n = sequenceLen(s[i:])
			keep = p.take(s[i : i+n])
		case c == '\t':
			blanks = r.Tab()
		case c == 0xc2: // U+0080 to U+009F are C2 80 to C2 9F
			keep = i+1 == len(s) || s[i+1] >= 0xa0 || s[i+1] < 0x80
			if !keep {
				n = 2
			}
		}
		if !keep {
			b = append(b, s[start:i]...)
			for range blanks {
				b = append(b, ' ')
			}
			start = i + n
		}
		i += n
	}
	return append(b, s[start:]...)
}

// isClean reports whether s can be written as it is: no escape sequence, no
// control character, no tab.
func isClean(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == 0x7f || c == 0xc2 && i+1 < len(s) && s[i+1] < 0xa0 && s[i+1] >= 0x80 {
			return false
		}
	}
	return true
}
