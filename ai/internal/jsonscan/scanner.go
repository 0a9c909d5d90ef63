package jsonscan

import "bytes"

// Scanner walks one JSON text. Make one with New and keep it in a local
// variable: it is a value and costs no allocation. All byte slices it returns
// point into the text.
type Scanner struct {
	b   []byte
	pos int
	// first is set between the opening of an object or array and its first
	// More or Next. One flag serves all levels, because a level that was opened
	// is walked to its end before its parent goes on.
	first bool
	no    bool
}

// New returns a Scanner over b, which must not change while it is used.
func New(b []byte) Scanner { return Scanner{b: b} }

// Open enters the object that is the next value. Walk it to its end with More.
func (s *Scanner) Open() { s.enter('{') }

// OpenArray enters the array that is the next value. Walk it to its end with Next.
func (s *Scanner) OpenArray() { s.enter('[') }

func (s *Scanner) enter(c byte) {
	if s.peek() != c {
		s.Refuse()
		return
	}
	s.pos++
	s.first = true
}

// More reports whether the object has another member; then ask for its Key.
// When it has none, the object is left.
func (s *Scanner) More() bool {
	if !s.advance('}') {
		return false
	}
	if s.peek() != '"' {
		s.Refuse()
		return false
	}
	return true
}

// Next reports whether the array has another element; then read it. When it has
// none, the array is left.
func (s *Scanner) Next() bool {
	return s.advance(']')
}

// advance steps over the comma before the next member, or over the closing
// bracket; only in the first case it is true.
func (s *Scanner) advance(closing byte) bool {
	c := s.peek()
	first := s.first
	s.first = false
	switch {
	case s.no:
		return false
	case c == closing:
		s.pos++
		return false
	case first:
		return true
	case c == ',':
		s.pos++
		if s.peek() != closing { // a comma promises a member
			return true
		}
	}
	s.Refuse()
	return false
}

// Key returns the name of the member and goes on to its value. A name with an
// escape or with anything but printable ASCII refuses.
func (s *Scanner) Key() []byte {
	if s.peek() != '"' {
		s.Refuse()
		return nil
	}
	from := s.pos + 1
	to := from
	for to < len(s.b) && s.b[to] != '"' {
		if c := s.b[to]; c < ' ' || c > '~' || c == '\\' {
			s.Refuse()
			return nil
		}
		to++
	}
	s.pos = to + 1
	if s.pos >= len(s.b) || s.b[s.pos] != ':' && s.peek() != ':' {
		s.Refuse()
		return nil
	}
	s.pos++
	return s.b[from:to:to]
}

// Text returns the string that is the next value as it stands between its
// quotes, not nil; Unquote decodes and checks it. Anything else refuses.
func (s *Scanner) Text() []byte {
	if s.peek() != '"' {
		s.Refuse()
		return nil
	}
	from := s.pos + 1
	to := stringEnd(s.b, from)
	if to < 0 {
		s.Refuse()
		return nil
	}
	s.pos = to + 1
	return s.b[from:to:to]
}

// stringEnd returns the offset of the quote that ends the string whose first
// byte is b[from], or -1.
func stringEnd(b []byte, from int) int {
	for i := from; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		escapes := 0
		for i-escapes > from && b[i-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
}

// Int returns the integer that is the next value. A fraction, an exponent and
// more than 18 digits refuse.
func (s *Scanner) Int() int64 {
	negative := s.peek() == '-'
	if negative {
		s.pos++
	}
	from := s.pos
	var n int64
	for s.pos < len(s.b) && '0' <= s.b[s.pos] && s.b[s.pos] <= '9' {
		n = n*10 + int64(s.b[s.pos]-'0')
		if s.pos++; s.pos-from > 18 {
			s.Refuse()
			return 0
		}
	}
	digits := s.pos - from
	if s.no || digits == 0 || digits > 1 && s.b[from] == '0' {
		s.Refuse()
		return 0
	}
	if negative {
		return -n
	}
	return n
}

// Bool returns the true or false that is the next value.
func (s *Scanner) Bool() bool {
	if s.literal("true") {
		return true
	}
	if !s.literal("false") {
		s.Refuse()
	}
	return false
}

// Null reports whether the next value is null, and steps over it if so.
func (s *Scanner) Null() bool { return s.literal("null") }

// Array reports whether the value is a list, and does not take it.
func (s *Scanner) Array() bool { return !s.no && s.peek() == '[' }

// NullOnly refuses unless the next value is null: the way to treat a key that
// the caller does not know.
func (s *Scanner) NullOnly() {
	if !s.Null() {
		s.Refuse()
	}
}

func (s *Scanner) literal(word string) bool {
	if s.peek() != word[0] || len(s.b)-s.pos < len(word) || string(s.b[s.pos:s.pos+len(word)]) != word {
		return false
	}
	s.pos += len(word)
	return true
}

// Skip steps over the next value without validating it.
func (s *Scanner) Skip() { s.Raw() }

// Raw returns the next value as it stands, of any kind, without validating it.
func (s *Scanner) Raw() []byte {
	c := s.peek()
	from := s.pos
	switch {
	case c == '"':
		s.Text()
	case c == '{' || c == '[':
		s.container()
	default:
		for s.pos < len(s.b) && inScalar(s.b[s.pos]) {
			s.pos++
		}
		if s.pos == from {
			s.Refuse()
		}
	}
	if s.no {
		return nil
	}
	return s.b[from:s.pos:s.pos]
}

// container steps over an object or array by counting brackets.
func (s *Scanner) container() {
	depth := 0
	for i := s.pos; i < len(s.b); i++ {
		switch s.b[i] {
		case '"':
			if i = stringEnd(s.b, i+1); i < 0 {
				s.Refuse()
				return
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				s.pos = i + 1
				return
			}
		}
	}
	s.Refuse()
}

// inScalar reports whether c can be part of a number, true, false or null.
func inScalar(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '+' || c == '.'
}

// Once refuses when it is called a second time with the same bit, 0 to 63, and
// the same seen: a repeated key, where encoding/json would take the last.
func (s *Scanner) Once(seen *uint64, bit uint) {
	if *seen&(1<<bit) != 0 {
		s.Refuse()
	}
	*seen |= 1 << bit
}

// Refuse makes the Scanner say no from here on.
func (s *Scanner) Refuse() { s.no = true }

// Refused reports whether the Scanner has said no.
func (s *Scanner) Refused() bool { return s.no }

// End reports whether everything was accepted and only white space is left.
func (s *Scanner) End() bool {
	s.peek()
	return !s.no && s.pos == len(s.b)
}

// peek steps over white space and returns the byte behind it, or 0 at the end
// and after a refusal. A NUL in the text looks the same, which is safe as no
// caller takes 0 for anything; End compares positions.
func (s *Scanner) peek() byte {
	if s.no {
		return 0
	}
	for ; s.pos < len(s.b); s.pos++ {
		switch c := s.b[s.pos]; c {
		case ' ', '\n', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}
