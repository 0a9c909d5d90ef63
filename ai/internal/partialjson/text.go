package partialjson

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// readString takes the inside of a string, up to and with the quote that ends
// it, and returns how much it took. wait says that the rest can not be judged
// before more is there.
func (p *Parser) readString(in []byte) (n int, wait bool) {
	for n < len(in) {
		from := n
		for n < len(in) && plain(in[n]) {
			n++
		}
		p.out = append(p.out, in[from:n]...)
		if n == len(in) {
			break
		}
		switch c := in[n]; {
		case c == '"':
			p.endString()
			return n + 1, false
		case c == '\\':
			size, whole := escape(in[n:])
			if !whole {
				return n, true
			}
			if size == 0 { // the backslash means itself
				p.out = append(p.out, `\\`...)
				n++
				continue
			}
			p.out = append(p.out, in[n:n+size]...)
			n += size
		case c < ' ':
			p.out = appendControl(p.out, c)
			n++
		default:
			if !utf8.FullRune(in[n:]) {
				return n, true
			}
			r, size := utf8.DecodeRune(in[n:])
			p.out = utf8.AppendRune(p.out, r)
			n += size
		}
	}
	return n, false
}

// plain reports whether c means itself in a string.
func plain(c byte) bool {
	return ' ' <= c && c < utf8.RuneSelf && c != '"' && c != '\\'
}

// escape returns the length of the escape at the start of b, which is a
// backslash: 0 if it begins none, 12 for a surrogate pair. whole is false when
// that can not be told before more is there; the first half of a pair is such a
// case, so that half a character is never shown.
func escape(b []byte) (size int, whole bool) {
	size, whole = simpleEscape(b)
	if size == 6 && isHigh(b) {
		rest := b[6:]
		switch low, lowWhole := simpleEscape(rest); {
		case len(rest) == 0:
			return 0, false
		case rest[0] != '\\':
		case !lowWhole:
			// Only "\u" and the beginning of DC00 to DFFF can still become one.
			if len(rest) < 3 || rest[2]|0x20 == 'd' && (len(rest) < 4 || isLow(rest)) {
				return 0, false
			}
		case low == 6 && rest[2]|0x20 == 'd' && isLow(rest):
			return 12, true
		}
	}
	return size, whole
}

// simpleEscape is escape for one code unit.
func simpleEscape(b []byte) (size int, whole bool) {
	if len(b) == 0 || b[0] != '\\' {
		return 0, true
	}
	if len(b) == 1 {
		return 0, false
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
		for i := 2; i < 6; i++ {
			if i == len(b) {
				return 0, false
			}
			if !isHex(b[i]) {
				return 0, true
			}
		}
		return 6, true
	}
	return 0, true
}

// isHigh reports whether the escape \uXXXX is D800 to DBFF, isLow, knowing its
// first digit to be D, whether its second makes it DC00 to DFFF.
func isHigh(b []byte) bool {
	return b[2]|0x20 == 'd' && (b[3] == '8' || b[3] == '9' || b[3]|0x20 == 'a' || b[3]|0x20 == 'b')
}

func isLow(b []byte) bool { return 'c' <= b[3]|0x20 && b[3]|0x20 <= 'f' }

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// appendControl appends the escape of a control character.
func appendControl(dst []byte, c byte) []byte {
	switch c {
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
}
