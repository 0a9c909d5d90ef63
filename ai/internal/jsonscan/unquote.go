package jsonscan

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote decodes text, a string as it stands between its quotes, and appends it
// to b. It is false, and b unchanged, for what encoding/json would refuse or
// patch: a bare control byte or quote, a bad escape, half of a surrogate pair,
// invalid UTF-8.
func Unquote(b *strings.Builder, text []byte) bool {
	plain, ok := check(text)
	if !ok {
		return false
	}
	if plain {
		b.Write(text)
		return true
	}
	b.Grow(len(text))
	for len(text) > 0 {
		run, r, rest := piece(text)
		b.Write(run)
		if r >= 0 {
			b.WriteRune(r)
		}
		text = rest
	}
	return true
}

// AppendUnquote is Unquote for a byte slice. When it is false, dst is returned
// as it was.
func AppendUnquote(dst, text []byte) ([]byte, bool) {
	plain, ok := check(text)
	if !ok {
		return dst, false
	}
	if plain {
		return append(dst, text...), true
	}
	for len(text) > 0 {
		run, r, rest := piece(text)
		dst = append(dst, run...)
		if r >= 0 {
			dst = utf8.AppendRune(dst, r)
		}
		text = rest
	}
	return dst, true
}

// piece cuts a checked text behind its first escape: what stands before it, the
// rune that it means (-1 for none), and the rest.
func piece(text []byte) (run []byte, r rune, rest []byte) {
	i := bytes.IndexByte(text, '\\')
	if i < 0 {
		return text, -1, nil
	}
	r, n := escape(text[i:])
	return text[:i], r, text[i+n:]
}

// check reports whether text can be decoded, and whether it is its own decoding.
func check(text []byte) (plain, ok bool) {
	plain = true
	for i := 0; i < len(text); {
		if i+8 <= len(text) && harmless(binary.LittleEndian.Uint64(text[i:])) {
			i += 8
			continue
		}
		switch c := text[i]; {
		case c == '\\':
			_, n := escape(text[i:])
			if n == 0 {
				return false, false
			}
			plain = false
			i += n
		case c < ' ' || c == '"':
			return false, false
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(text[i:])
			if r == utf8.RuneError && n == 1 {
				return false, false
			}
			i += n
		}
	}
	return plain, true
}

// harmless reports whether all eight bytes are ASCII and mean themselves in a
// JSON string. Each test leaves the high bit of a byte set when that byte is
// ASCII and below ' ', a quote, or a backslash.
func harmless(x uint64) bool {
	const (
		ones  = 0x0101010101010101
		highs = 0x80 * ones
	)
	quote := x ^ '"'*ones
	slash := x ^ '\\'*ones
	return (x|(x-' '*ones)|(quote-ones)|(slash-ones))&highs == 0
}

// escape decodes the escape at the start of b, which is a backslash. n is its
// length, or 0 if it is none, or half of a surrogate pair.
func escape(b []byte) (r rune, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case '"', '\\', '/':
		return rune(b[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r = hex4(b)
		if r < 0 {
			return 0, 0
		}
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if r = utf16.DecodeRune(r, hex4(b[6:])); r != utf8.RuneError {
			return r, 12
		}
	}
	return 0, 0
}

// hex4 decodes \uXXXX at the start of b, or returns -1.
func hex4(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range b[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
