package linematch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// translate puts a pattern in the syntax of ripgrep, that of Rust's crate regex,
// into that of Go. They differ in what \w, \d and \s mean, in escapes of
// characters, in the marks for the ends of words, and in sets.
func translate(pattern string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(pattern); {
		switch c := pattern[i]; {
		case c == '\\':
			n, err := translateEscape(&out, pattern[i:])
			if err != nil {
				return "", err
			}
			i += n
		case c == '[':
			set, n, err := parseSet(pattern[i:])
			if err != nil {
				return "", err
			}
			out.WriteString(set)
			i += n
		case strings.HasPrefix(pattern[i:], "{,"):
			out.WriteString("{0,")
			i += 2
		default:
			out.WriteByte(c)
			i++
		}
	}
	return out.String(), nil
}

// translateEscape translates what begins with a backslash and returns its length.
func translateEscape(out *strings.Builder, s string) (int, error) {
	if len(s) == 1 {
		return 0, errors.New("it ends in a backslash")
	}
	switch c := s[1]; c {
	case 'n':
		return 0, errors.New(`\n can not match, as a match can not reach over a line`)
	case 'w', 'W', 'd', 'D', 's', 'S':
		neg := ""
		if c < 'a' {
			neg = "^"
		}
		out.WriteString("[" + neg + perlSet(c|0x20) + "]")
		return 2, nil
	case '<', '>':
		out.WriteString(`\b`)
		return 2, nil
	case 'b':
		out.WriteString(`\b`)
		for _, kind := range []string{"{start}", "{end}", "{start-half}", "{end-half}"} {
			if strings.HasPrefix(s[2:], kind) {
				return 2 + len(kind), nil
			}
		}
		return 2, nil
	case 'u', 'U', 'x':
		r, n, err := hexEscape(s)
		if err != nil {
			return 0, err
		}
		fmt.Fprintf(out, `\x{%X}`, r)
		return n, nil
	case 'p', 'P':
		set, n, err := property(s)
		if err != nil {
			return 0, err
		}
		out.WriteString(set.text(false))
		return n, nil
	}
	_, n := utf8.DecodeRuneInString(s[1:])
	out.WriteString(s[:1+n])
	return 1 + n, nil
}

// perlSet is the inside of a set that means what \w, \d or \s means in Unicode.
func perlSet(c byte) string {
	switch c {
	case 'd':
		return `\p{Nd}`
	case 's':
		return `\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}`
	}
	// Letters, marks, digits, connectors and joiners, and what else is alphabetic.
	return `\pL\pM\p{Nd}\p{Nl}\p{Pc}\x{200C}\x{200D}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}`
}

// hexEscape reads \x7F, \x{7F}, \u00E9, \u{E9} and \U000000E9.
func hexEscape(s string) (r rune, n int, err error) {
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[1]]
	hex, n := "", 0
	if len(s) > 2 && s[2] == '{' {
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return 0, 0, fmt.Errorf("the brace of %s is not closed", s)
		}
		hex, n = s[3:end], end+1
	} else {
		n = min(2+digits, len(s))
		hex = s[2:n]
		if len(hex) < digits {
			hex = ""
		}
	}
	v, perr := strconv.ParseUint(hex, 16, 32)
	if perr != nil || !utf8.ValidRune(rune(v)) {
		return 0, 0, fmt.Errorf("%s names no character", s[:n])
	}
	return rune(v), n, nil
}
