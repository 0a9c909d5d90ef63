package linematch

import (
	"bytes"
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
)

// Options says how a pattern is read.
type Options struct {
	// Literal takes the pattern as text, not as an expression.
	Literal bool
	// IgnoreCase matches letters without regard to case.
	IgnoreCase bool
}

// Matcher is a compiled pattern. It may be used from several goroutines; each
// takes a Scanner of its own.
type Matcher struct {
	prog    *syntax.Prog
	needles *needles // nil if the text has to be looked at as a whole
}

// Compile reads a pattern. The error says what is wrong with it.
func Compile(pattern string, o Options) (*Matcher, error) {
	if strings.Contains(pattern, "\n") {
		return nil, errors.New("the pattern holds a line break, and a match can not reach over a line; search for one of its lines")
	}
	flags := syntax.PerlX | syntax.UnicodeGroups
	if o.IgnoreCase {
		flags |= syntax.FoldCase
	}
	expr := pattern
	if o.Literal {
		flags |= syntax.Literal
	} else {
		var err error
		if expr, err = translate(pattern); err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	re, err := syntax.Parse(expr, flags)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, explain(err))
	}
	re = re.Simplify()
	prog, err := syntax.Compile(re)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return &Matcher{prog: prog, needles: newNeedles(re)}, nil
}

// explain puts an error of the parser into words.
func explain(err error) error {
	var se *syntax.Error
	if !errors.As(err, &se) {
		return err
	}
	msg := fmt.Sprintf("%s: %s", se.Code, se.Expr)
	switch {
	case strings.HasPrefix(se.Expr, "(?=") || strings.HasPrefix(se.Expr, "(?!") || strings.HasPrefix(se.Expr, "(?<"):
		msg = "look-around is not supported: " + se.Expr
	case len(se.Expr) == 2 && se.Expr[0] == '\\' && '1' <= se.Expr[1] && se.Expr[1] <= '9':
		msg = "back references are not supported: " + se.Expr
	}
	return errors.New(msg)
}

// Scanner goes through the lines of a text. It belongs to one goroutine.
type Scanner struct {
	m       *Matcher
	dfa     *dfa
	buf     []byte
	pos     int
	cursors []int // next places of the bytes that needles are looked for by
}

// Scanner returns a new Scanner for m.
func (m *Matcher) Scanner() *Scanner {
	s := &Scanner{m: m, dfa: newDFA(m.prog)}
	if m.needles != nil {
		s.cursors = make([]int, len(m.needles.cursors))
	}
	return s
}

// Reset starts on a new text, which must stay as it is while it is scanned. It
// begins at the start of a line; its last line need not have a line break.
func (s *Scanner) Reset(text []byte) {
	s.buf, s.pos = text, 0
	for i := range s.cursors {
		s.cursors[i] = -1
	}
}

// Next returns the bounds of the next line that matches, without its line break.
func (s *Scanner) Next() (start, end int, ok bool) {
	if s.pos >= len(s.buf) {
		return 0, 0, false
	}
	if s.m.needles == nil {
		start, end, ok = s.dfa.scan(s.buf, s.pos)
		s.pos = end + 1
		return start, end, ok
	}
	for s.pos < len(s.buf) {
		at := s.m.needles.next(s.buf, s.pos, s.cursors)
		if at < 0 {
			s.pos = len(s.buf)
			break
		}
		start = s.pos + bytes.LastIndexByte(s.buf[s.pos:at], '\n') + 1
		end = len(s.buf)
		if i := bytes.IndexByte(s.buf[at:], '\n'); i >= 0 {
			end = at + i
		}
		s.pos = end + 1
		if s.m.needles.exact {
			return start, end, true
		}
		if _, _, ok := s.dfa.scan(s.buf[start:end], 0); ok {
			return start, end, true
		}
	}
	return 0, 0, false
}
