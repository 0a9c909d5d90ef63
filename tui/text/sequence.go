package text

import "strings"

const escape = 0x1b

// sequenceLen returns the length of the escape sequence at the start of s,
// which begins with ESC. A sequence that is cut off by the end of s takes all
// that is left, so that a terminal is never left waiting in the middle of one.
func sequenceLen(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch c := s[1]; {
	case c == '[':
		i := 2
		for i < len(s) && s[i] >= 0x30 && s[i] <= 0x3f {
			i++
		}
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
			i++
		}
		return i
	case c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X':
		return stringLen(s)
	case c >= 0x20 && c <= 0x2f:
		i := 2
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
			i++
		}
		return i
	case c >= 0x30 && c <= 0x7e:
		return 2
	}
	return 1
}

// stringLen is the length of a control string (OSC, DCS, APC, PM, SOS): up to
// and with BEL or ST, or up to the ESC, CAN or SUB that breaks it off.
func stringLen(s string) int {
	for i := 2; i < len(s); i++ {
		switch s[i] {
		case 0x07:
			return i + 1
		case escape:
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return i
		case 0x18, 0x1a:
			return i + 1
		}
	}
	return len(s)
}

// isSGR reports whether seq, a whole sequence, only changes colours and attributes.
func isSGR(seq string) bool {
	if len(seq) < 3 || seq[1] != '[' || seq[len(seq)-1] != 'm' {
		return false
	}
	for i := 2; i < len(seq)-1; i++ {
		if c := seq[i]; c < '0' || c > ';' {
			return false
		}
	}
	return true
}

// linkTarget takes a sequence apart that opens or closes a link:
// OSC 8 ; params ; uri ST. An empty uri closes. What holds control characters is no
// link: terminals take some of them, C1 among them, for the end of the sequence, and
// what follows for a command.
func linkTarget(seq string) (params, uri string, ok bool) {
	body, ok := strings.CutPrefix(seq, "\x1b]8;")
	if !ok {
		return "", "", false
	}
	body, ok = terminated(body)
	if !ok {
		return "", "", false
	}
	params, uri, ok = strings.Cut(body, ";")
	return params, uri, ok
}

// isMark reports whether seq is a mark of a program of this module, which never
// reaches a terminal, or an image of kitty's or iTerm2's.
func isMark(seq string) bool {
	if !strings.HasPrefix(seq, "\x1b_pi:") && !strings.HasPrefix(seq, "\x1b_G") && !strings.HasPrefix(seq, "\x1b]1337;File=") {
		return false
	}
	_, ok := terminated(seq[2:])
	return ok
}

// terminated returns a control string without what ends it; ok is false if it has no
// end, or holds anything but text.
func terminated(s string) (body string, ok bool) {
	body, ok = strings.CutSuffix(s, "\x1b\\")
	if !ok {
		body, ok = strings.CutSuffix(s, "\a")
	}
	return body, ok && isClean(body)
}
