package text

import (
	"strings"
	"unicode/utf8"
)

// SanitizeOptions say what [SanitizeWith] lets through. The zero value lets
// nothing through.
type SanitizeOptions struct {
	// KeepStyles keeps the sequences that change colours and attributes (SGR).
	// The caller must see to it that the text ends in the default style, as
	// [Wrap] and [Truncate] do.
	KeepStyles bool
	// KeepLinks keeps links (OSC 8). Text that is cut or wrapped later has them
	// closed at its end, as above.
	KeepLinks bool
}

// Sanitize makes text from elsewhere harmless and visible: no escape sequence
// and no control character but line feed and tab is left, and all of it is
// valid UTF-8. It is SanitizeWith(s, SanitizeOptions{}).
func Sanitize(s string) string { return SanitizeWith(s, SanitizeOptions{}) }

// SanitizeWith is [Sanitize] with options.
//
//   - Complete escape sequences vanish (styles and links can be kept); a lone or cut-off
//     ESC becomes ␛.
//   - CR LF becomes LF. A carriage return inside a line starts the line again:
//     what stood before it vanishes, as progress bars mean it. A backspace takes
//     the character before it away.
//   - Other C0 control characters become their pictures (NUL ␀), C1 control
//     characters, characters that turn the writing direction, and bytes that are
//     not UTF-8 become U+FFFD.
//   - The line and paragraph separators U+2028 and U+2029 become LF. Soft hyphens
//     and byte order marks vanish, because terminals do not agree on their width.
func SanitizeWith(s string, opts SanitizeOptions) string {
	i := 0
	for i < len(s) && (s[i]-0x20 < 0x5f || s[i] == '\n' || s[i] == '\t') {
		i++
	}
	if i == len(s) {
		return s
	}
	b := make([]byte, 0, len(s)+16)
	c := cleaner{b: append(b, s[:i]...), opts: opts}
	c.line = strings.LastIndexByte(s[:i], '\n') + 1
	c.run(s[i:])
	return string(c.b)
}

type cleaner struct {
	b    []byte
	line int // where the current line starts in b
	kept int // where the last sequence that was kept ends in b
	opts SanitizeOptions
}

func (c *cleaner) run(s string) {
	for len(s) > 0 {
		if n := plainASCII(s); n > 0 {
			c.b = append(c.b, s[:n]...)
			s = s[n:]
			continue
		}
		n := 1
		switch ch := s[0]; {
		case ch == '\n':
			c.b = append(c.b, '\n')
			c.line = len(c.b)
		case ch == '\t':
			c.b = append(c.b, '\t')
		case ch == '\r':
			n = c.carriageReturn(s)
		case ch == '\b':
			c.backspace()
		case ch == escape:
			n = c.sequence(s)
		case ch < 0x20:
			c.b = utf8.AppendRune(c.b, 0x2400+rune(ch))
		case ch == 0x7f:
			c.b = utf8.AppendRune(c.b, 0x2421)
		default:
			n = c.rune(s)
		}
		s = s[n:]
	}
}

// carriageReturn starts the line again, unless all that is left of it is empty:
// then what was last shown stays.
func (c *cleaner) carriageReturn(s string) int {
	n := 1
	for n < len(s) && s[n] == '\r' {
		n++
	}
	if n < len(s) && s[n] != '\n' {
		c.restart()
	}
	return n
}

// restart drops the text of the line but keeps its styles and links.
func (c *cleaner) restart() {
	dropped := string(c.b[c.line:])
	c.b = c.b[:c.line]
	c.kept = min(c.kept, c.line)
	if strings.IndexByte(dropped, escape) < 0 {
		return
	}
	var p pen
	p.follow(dropped)
	if strings.Contains(dropped, reset) || p.style != (Style{}) {
		c.b = append(c.b, reset...)
		c.b = p.style.AppendSGR(c.b)
	}
	if strings.Contains(dropped, "\x1b]8;") {
		c.b = append(c.b, closeLink...)
		c.b = append(c.b, p.link...)
	}
	c.kept = len(c.b)
}

// backspace takes the last character of the line; it does not reach over a style.
func (c *cleaner) backspace() {
	text := c.b[max(c.line, c.kept):]
	_, n := utf8.DecodeLastRune(text)
	c.b = c.b[:len(c.b)-n]
}

func (c *cleaner) sequence(s string) int {
	n := sequenceLen(s)
	seq := s[:n]
	_, _, link := linkTarget(seq)
	switch {
	case isSGR(seq) && c.opts.KeepStyles, link && c.opts.KeepLinks:
		c.b = append(c.b, seq...)
		c.kept = len(c.b)
	case !complete(seq):
		c.b = append(c.b, "␛"...)
		return 1
	}
	return n
}

// complete reports whether a sequence was not cut off.
func complete(seq string) bool {
	if len(seq) < 2 {
		return false
	}
	last := seq[len(seq)-1]
	switch seq[1] {
	case '[':
		return len(seq) > 2 && last >= 0x40 && last <= 0x7e
	case ']', 'P', '_', '^', 'X':
		return len(seq) > 2 && last == '\a' || len(seq) > 3 && last == '\\' && seq[len(seq)-2] == escape
	}
	return last >= 0x30 && last <= 0x7e
}

func (c *cleaner) rune(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1, r < 0xa0, turnsDirection(r):
		c.b = utf8.AppendRune(c.b, utf8.RuneError)
	case r == 0x2028 || r == 0x2029:
		c.b = append(c.b, '\n')
		c.line = len(c.b)
	case r == 0xad || r == 0xfeff:
	default:
		c.b = append(c.b, s[:n]...)
	}
	return n
}

// turnsDirection reports whether r is one of the embedding, override and isolate
// marks with which text can be made to look like other text.
func turnsDirection(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
