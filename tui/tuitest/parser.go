package tuitest

import (
	"strings"
	"unicode/utf8"

	"github.com/pi-go/pi/tui/text"
)

// parser splits what a program writes into text, control characters and
// sequences. What is cut off waits for the next write.
type parser struct{ rest []byte }

// Write takes what a program writes. It never fails.
func (t *Terminal) Write(b []byte) (int, error) {
	s := string(t.parser.rest) + string(b)
	t.parser.rest = nil
	for s != "" {
		n := t.step(s)
		if n == 0 {
			t.parser.rest = []byte(s)
			break
		}
		s = s[n:]
	}
	return len(b), nil
}

// step takes one unit of s and returns its length, 0 if it is not whole yet.
func (t *Terminal) step(s string) int {
	c := s[0]
	switch {
	case c == 0x1b:
		n := whole(s)
		if n > 0 {
			t.last = lastPrinted{}
			t.sequence(s[:n])
		}
		return n
	case c < 0x20 || c == 0x7f:
		t.last = lastPrinted{}
		t.control(c)
		return 1
	}
	n := 0
	for n < len(s) && s[n] >= 0x20 && s[n] != 0x7f {
		if s[n] >= utf8.RuneSelf && !utf8.FullRuneInString(s[n:]) {
			break
		}
		_, size := utf8.DecodeRuneInString(s[n:])
		n += size
	}
	if n > 0 {
		t.print(s[:n])
	}
	return n
}

// whole returns the length of the sequence at the start of s, 0 if its end has
// not come yet.
func whole(s string) int {
	if len(s) < 2 {
		return 0
	}
	n, _ := text.Cluster(s)
	if n == len(s)-1 && s[n] == 0x1b && strings.IndexByte("]P_^X", s[1]) >= 0 {
		return 0 // this ESC may be the first half of the string's end
	}
	if n < len(s) {
		return n
	}
	last := s[n-1]
	switch s[1] {
	case '[':
		if n < 3 || last < 0x40 || last > 0x7e {
			return 0
		}
	case ']', 'P', '_', '^', 'X':
		if last != '\a' && !(n > 3 && last == '\\' && s[n-2] == 0x1b) && last != 0x18 && last != 0x1a {
			return 0
		}
	default:
		if last >= 0x20 && last <= 0x2f {
			return 0
		}
	}
	return n
}

func (t *Terminal) control(c byte) {
	p := t.page
	switch c {
	case '\a':
		t.bells++
	case '\b':
		p.x = max(p.x-1, 0)
		p.pending = false
	case '\t':
		p.x = min((p.x/8+1)*8, t.width-1)
		p.pending = false
	case '\n', '\v', '\f':
		t.index()
		p.pending = false
	case '\r':
		p.x, p.pending = 0, false
	}
}
