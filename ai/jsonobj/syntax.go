package jsonobj

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Syntax says what a file may hold besides JSON. A leading byte order mark is
// always allowed.
type Syntax uint8

const (
	// Strict is JSON and nothing else.
	Strict Syntax = iota
	// Relaxed allows comments (// to the end of the line, /* to */) and a comma
	// behind the last member or element.
	Relaxed
)

// maxDepth is the deepest nesting encoding/json reads.
const maxDepth = 10000

// SyntaxError is a place in a file and what is wrong there.
type SyntaxError struct {
	File   string // as it was named by the caller, may be ""
	Line   int    // from 1
	Column int    // from 1, in characters
	Offset int    // from 0, in bytes
	// Message says what was expected and what is there.
	Message string
}

// Error has the form "file:line:column: message", without "file:" if File is "".
func (e *SyntaxError) Error() string {
	text := fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
	if e.File != "" {
		text = e.File + ":" + text
	}
	return text
}

// newError makes a SyntaxError for a place in src.
func newError(file string, src []byte, offset int, message string) *SyntaxError {
	before := src[:offset]
	line := 1 + bytes.Count(before, []byte{'\n'})
	if line == 1 {
		before = bytes.TrimPrefix(before, byteOrderMark)
	}
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return &SyntaxError{File: file, Line: line, Column: column, Offset: offset, Message: message}
}

// byteOrderMark is U+FEFF in UTF-8.
var byteOrderMark = []byte("\xEF\xBB\xBF")

// node is a value and where it stands.
type node struct {
	start, end int
	members    []member // of an object
	elements   []node   // of an array
}

// member is one key and value of an object.
type member struct {
	key        string
	start      int // of the quoted key
	value      node
	colon      int
	comma      int  // behind the value, -1 for none
	afterBreak bool // a line ended between the key and what comes before it
}

// tree is a parsed text.
type tree struct {
	src  []byte
	root node
	// extra is what JSON does not know: the byte order mark, comments, trailing
	// commas, in order.
	extra [][2]int
}

// parser reads a text by recursive descent. It stops at the first error.
type parser struct {
	tree
	file    string
	relaxed bool
	pos     int
	depth   int
	newline bool // the white space before pos has a line end
	comma   int  // the last comma behind a member or element
	err     *SyntaxError
}

// parse reads the one value that src is.
func parse(file string, src []byte, syntax Syntax) (*tree, error) {
	p := &parser{tree: tree{src: src}, file: file, relaxed: syntax == Relaxed}
	if bytes.HasPrefix(src, byteOrderMark) {
		p.pos = len(byteOrderMark)
		p.extra = append(p.extra, [2]int{0, p.pos})
	}
	p.root = p.value("a value")
	if p.space(); p.err == nil && p.pos < len(src) {
		p.expected("the end of the file")
	}
	if p.err != nil {
		return nil, p.err
	}
	slices.SortFunc(p.extra, func(a, b [2]int) int { return a[0] - b[0] })
	return &p.tree, nil
}

// fail notes the first error.
func (p *parser) fail(offset int, format string, args ...any) {
	if p.err == nil {
		p.err = newError(p.file, p.src, offset, fmt.Sprintf(format, args...))
	}
}

func (p *parser) expected(what string) { p.fail(p.pos, "expected %s, found %s", what, p.found()) }

// found names what stands at pos, for a message.
func (p *parser) found() string {
	if p.pos >= len(p.src) {
		return "the end of the file"
	}
	rest := p.src[p.pos:]
	switch c := rest[0]; {
	case c == '/' && len(rest) > 1 && (rest[1] == '/' || rest[1] == '*'):
		return "a comment, which is not allowed in this file"
	case c == '\'':
		return "a single quote; strings are written in double quotes"
	case c == '"':
		if end, problem, _ := scanString(p.src, p.pos); problem == "" && end-p.pos <= 40 {
			return string(p.src[p.pos:end])
		}
		return "a string"
	case strings.IndexByte("{}[],:", c) >= 0:
		return string(c)
	}
	end := p.pos
	for end < len(p.src) && end-p.pos < 40 && strings.IndexByte(" \t\r\n{}[],:\"'/", p.src[end]) < 0 {
		end++
	}
	if word := p.src[p.pos:max(end, p.pos+1)]; utf8.Valid(word) {
		return fmt.Sprintf("%q", word)
	}
	return fmt.Sprintf("the byte %#02x", rest[0])
}

// space steps over white space and comments and returns the byte behind them, 0
// at the end or after an error.
func (p *parser) space() byte {
	p.newline = false
	for p.err == nil && p.pos < len(p.src) {
		switch c := p.src[p.pos]; c {
		case '\n':
			p.newline = true
			p.pos++
		case ' ', '\t', '\r':
			p.pos++
		case '/':
			end := -1
			if p.relaxed {
				end = p.comment()
			}
			if end < 0 {
				return c
			}
			p.extra = append(p.extra, [2]int{p.pos, end})
			p.pos = end
		default:
			return c
		}
	}
	return 0
}

// comment returns the end of the comment at pos, without the line end, or -1 if
// none begins there.
func (p *parser) comment() int {
	rest := p.src[p.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			return p.pos + len(bytes.TrimSuffix(rest[:i], []byte{'\r'}))
		}
		return len(p.src)
	case bytes.HasPrefix(rest, []byte("/*")):
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			return p.pos + 2 + i + 2
		}
		p.fail(p.pos, "expected */ at the end of the comment that begins here")
	}
	return -1
}

// value reads the next value; what names it in an error.
func (p *parser) value(what string) node {
	c := p.space()
	n := node{start: p.pos}
	switch {
	case p.err != nil:
	case c == '{' || c == '[':
		if p.depth++; p.depth > maxDepth {
			p.fail(p.pos, "nested deeper than %d levels", maxDepth)
			break
		}
		p.pos++
		if c == '{' {
			p.object(&n)
		} else {
			p.array(&n)
		}
		p.depth--
	case c == '"':
		p.text()
	case c == '-' || '0' <= c && c <= '9':
		p.number()
	default:
		p.literal(what)
	}
	n.end = p.pos
	return n
}

func (p *parser) object(n *node) {
	for p.err == nil {
		c := p.space()
		if c == '}' && p.mayEnd(len(n.members) > 0, "a key in double quotes") {
			p.pos++
			return
		}
		m := member{start: p.pos, comma: -1, afterBreak: p.newline}
		if c != '"' {
			p.expected("a key in double quotes" + orEnd(len(n.members) == 0, " or }"))
			return
		}
		m.key = p.text()
		if p.space() != ':' {
			p.expected(fmt.Sprintf("a colon after the key %q", m.key))
			return
		}
		m.colon = p.pos
		p.pos++
		m.value = p.value(fmt.Sprintf("a value for the key %q", m.key))
		if p.space() == ',' {
			m.comma, p.comma = p.pos, p.pos
			p.pos++
		}
		n.members = append(n.members, m)
		if m.comma < 0 {
			if p.space() != '}' {
				p.expected("a comma or } after the value")
				return
			}
			p.pos++
			return
		}
	}
}

func (p *parser) array(n *node) {
	for p.err == nil {
		if p.space() == ']' && p.mayEnd(len(n.elements) > 0, "a value") {
			p.pos++
			return
		}
		n.elements = append(n.elements, p.value("a value"+orEnd(len(n.elements) == 0, " or ]")))
		if p.space() != ',' {
			if p.space() != ']' {
				p.expected("a comma or ] after the value")
				return
			}
			p.pos++
			return
		}
		p.comma = p.pos
		p.pos++
	}
}

func orEnd(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}

// mayEnd judges the closing bracket at pos where a member could be. Behind a comma
// it is allowed in relaxed syntax only, and the comma is noted.
func (p *parser) mayEnd(afterComma bool, what string) bool {
	if !afterComma || p.err != nil {
		return p.err == nil
	}
	if !p.relaxed {
		p.fail(p.pos, "expected %s after the comma, found %s; remove the comma", what, p.found())
		return false
	}
	p.extra = append(p.extra, [2]int{p.comma, p.comma + 1})
	return true
}

func (p *parser) text() string {
	end, problem, at := scanString(p.src, p.pos)
	if problem != "" {
		p.fail(at, "%s", problem)
		return ""
	}
	s, err := unquote(p.src[p.pos:end])
	if err != nil {
		p.fail(p.pos, "%v", err)
	}
	p.pos = end
	return s
}

// scanString returns the end of the string that begins at i, or what is wrong
// with it and where.
func scanString(src []byte, i int) (end int, problem string, at int) {
	for j := i + 1; j < len(src); j++ {
		switch c := src[j]; {
		case c == '"':
			return j + 1, "", 0
		case c == '\n' || c == '\r':
			return 0, `expected " at the end of the string, found the end of the line; a line break in a string is written \n`, j
		case c < ' ':
			return 0, fmt.Sprintf(`found the control character U+%04X in a string; write \u%04x`, c, c), j
		case c == '\\':
			j++
			if j == len(src) {
				break
			}
			if src[j] == 'u' {
				for k := range 4 {
					if j+1+k >= len(src) || !isHex(src[j+1+k]) {
						return 0, `expected four hexadecimal digits after \u`, j - 1
					}
				}
				j += 4
			} else if strings.IndexByte(`"\/bfnrt`, src[j]) < 0 {
				r, _ := utf8.DecodeRune(src[j:])
				return 0, fmt.Sprintf(`found the invalid escape \%c in a string; a backslash is written \\`, r), j - 1
			}
		}
	}
	return 0, `expected " at the end of the string that begins here, found the end of the file`, i
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func (p *parser) number() {
	start := p.pos
	for p.pos < len(p.src) && strings.IndexByte("+-.0123456789eE", p.src[p.pos]) >= 0 {
		p.pos++
	}
	if text := p.src[start:p.pos]; !validNumber(text) {
		p.fail(start, "expected a number, found %q", text)
	}
}

// validNumber reports whether b is a JSON number.
func validNumber(b []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(b) && '0' <= b[n] && b[n] <= '9' {
			n++
		}
		b = b[n:]
		return n > 0
	}
	b = bytes.TrimPrefix(b, []byte{'-'})
	if len(b) > 1 && b[0] == '0' && '0' <= b[1] && b[1] <= '9' || !digits() {
		return false
	}
	if len(b) > 0 && b[0] == '.' {
		if b = b[1:]; !digits() {
			return false
		}
	}
	if len(b) > 0 && b[0]|0x20 == 'e' {
		b = b[1:]
		if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			b = b[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(b) == 0
}

func (p *parser) literal(what string) {
	for _, word := range [...]string{"true", "false", "null"} {
		if rest := p.src[p.pos:]; bytes.HasPrefix(rest, []byte(word)) {
			p.pos += len(word)
			if p.pos == len(p.src) || strings.IndexByte(" \t\r\n,]}/", p.src[p.pos]) >= 0 {
				return
			}
			p.pos -= len(word)
		}
	}
	p.expected(what)
}
