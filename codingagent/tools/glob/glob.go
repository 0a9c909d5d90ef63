// Package glob matches slash-separated paths against wildcard patterns, in the
// dialects of ignore files and of file searches.
//
//	p, err := glob.Compile("src/**/*.{ts,tsx}", glob.Options{Braces: true})
//	if err != nil {
//		return err
//	}
//	p.Match("src/app/view.tsx") // true
//
// In a pattern * stands for any characters but a slash, ? for one of these, [abc],
// [a-z] and [!abc] for one of a set, which may hold [:classes:], and ** as a whole
// element for any number of elements. A backslash takes the meaning from the
// character after it. With Braces {a,b} stands for a or b.
package glob

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Options selects the dialect.
type Options struct {
	// Braces gives {a,b} its meaning.
	Braces bool
	// Bytes makes ? and sets match one byte and not one character, as git does.
	Bytes bool
	// FoldCase makes letters match without regard to case.
	FoldCase bool
}

// Pattern is a compiled pattern. It may be used from several goroutines.
type Pattern struct {
	o    Options
	alts [][]element // one for each way to resolve the braces
}

// element is what stands between two slashes.
type element struct {
	any   bool // **
	parts []part
	plain string // the text, if it has no wildcard
}

// part matches one character, or any number of them.
type part struct {
	kind   partKind
	r      rune
	negate bool
	set    []setItem
}

type partKind int

const (
	one  partKind = iota // the character r
	some                 // *
	each                 // ?
	set                  // [...]
)

// setItem is a range of characters or a class.
type setItem struct {
	lo, hi rune
	class  func(rune) bool
}

// ErrSyntax is wrapped by the errors of Compile.
var ErrSyntax = errors.New("malformed pattern")

// maxAlternatives bounds what braces can blow a pattern up to.
const maxAlternatives = 1000

// Compile reads a pattern.
func Compile(pattern string, o Options) (*Pattern, error) {
	p := &Pattern{o: o}
	list := []string{pattern}
	if o.Braces {
		var err error
		if list, err = expandBraces(pattern, 0); err != nil {
			return nil, fmt.Errorf("%w %q: %w", ErrSyntax, pattern, err)
		}
	}
	for _, alt := range list {
		elems, err := p.parse(alt)
		if err != nil {
			return nil, fmt.Errorf("%w %q: %w", ErrSyntax, pattern, err)
		}
		p.alts = append(p.alts, elems)
	}
	return p, nil
}

// expandBraces lists the patterns that a pattern with braces stands for.
func expandBraces(pattern string, depth int) ([]string, error) {
	open, depthOf, inSet := -1, 0, false
	var commas []int
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case inSet:
			inSet = c != ']'
		case c == '[' && strings.IndexByte(pattern[i+1:], ']') > 0:
			inSet = true
			if i+1 < len(pattern) && (pattern[i+1] == '!' || pattern[i+1] == '^') {
				i++
			}
			if i+1 < len(pattern) && pattern[i+1] == ']' {
				i++
			}
		case c == '{':
			if depthOf++; depthOf == 1 {
				open = i
			}
		case c == ',' && depthOf == 1:
			commas = append(commas, i)
		case c == '}' && depthOf > 0:
			if depthOf--; depthOf > 0 {
				continue
			}
			var all []string
			from := open + 1
			for _, to := range append(commas, i) {
				list, err := expandBraces(pattern[:open]+pattern[from:to]+pattern[i+1:], depth+1)
				if err != nil {
					return nil, err
				}
				if all = append(all, list...); len(all) > maxAlternatives || depth > 100 {
					return nil, errors.New("its braces stand for too many patterns")
				}
				from = to + 1
			}
			return all, nil
		}
	}
	if depthOf > 0 {
		return nil, errors.New("a brace is not closed")
	}
	return []string{pattern}, nil
}

func (p *Pattern) parse(pattern string) ([]element, error) {
	var elems []element
	var parts []part
	end := func() {
		e := element{parts: parts}
		if len(parts) >= 2 && !slices.ContainsFunc(parts, func(q part) bool { return q.kind != some }) {
			e = element{any: true}
		}
		var text strings.Builder
		for _, q := range parts {
			if q.kind != one {
				elems = append(elems, e)
				parts = nil
				return
			}
			switch {
			case p.o.Bytes:
				text.WriteByte(byte(q.r))
			case q.r >= notText:
				text.WriteByte(byte(q.r - notText))
			default:
				text.WriteRune(q.r)
			}
		}
		e.plain = text.String()
		elems = append(elems, e)
		parts = nil
	}
	for pattern != "" {
		r, n := p.next(pattern)
		pattern = pattern[n:]
		switch r {
		case '/':
			end()
		case '*':
			parts = append(parts, part{kind: some})
		case '?':
			parts = append(parts, part{kind: each})
		case '[':
			q, rest, err := p.parseSet(pattern)
			if err != nil {
				return nil, err
			}
			parts = append(parts, q)
			pattern = rest
		case '\\':
			if pattern == "" {
				return nil, errors.New("it ends in a backslash")
			}
			r, n = p.next(pattern)
			pattern = pattern[n:]
			if r == '/' {
				end()
				continue
			}
			fallthrough
		default:
			parts = append(parts, part{kind: one, r: p.fold(r)})
		}
	}
	end()
	return elems, nil
}

// next decodes a character, which is a byte for git.
func (p *Pattern) next(s string) (rune, int) {
	if p.o.Bytes || s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		r = notText + rune(s[0]) // file names need not be UTF-8
	}
	return r, n
}

// notText is added to bytes that are no UTF-8, to tell them from characters.
const notText = unicode.MaxRune + 1

func (p *Pattern) fold(r rune) rune {
	if !p.o.FoldCase {
		return r
	}
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// parseSet reads a set behind its opening bracket.
func (p *Pattern) parseSet(s string) (part, string, error) {
	q := part{kind: set}
	if s != "" && (s[0] == '!' || s[0] == '^') {
		q.negate = true
		s = s[1:]
	}
	unclosed := errors.New("a [ is not closed; write \\[ for a bracket")
	for first := true; ; first = false {
		if s == "" {
			return q, "", unclosed
		}
		if s[0] == ']' && !first {
			return q, s[1:], nil
		}
		if rest, ok := strings.CutPrefix(s, "[:"); ok {
			name, after, ok := strings.Cut(rest, ":]")
			if ok && !strings.Contains(name, "]") {
				class := classes(name)
				if class == nil {
					return q, "", fmt.Errorf("there is no class [:%s:]", name)
				}
				q.set = append(q.set, setItem{class: class})
				s = after
				continue
			}
		}
		lo, rest, err := p.setChar(s)
		if err != nil {
			return q, "", err
		}
		hi := lo
		if len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
			if hi, rest, err = p.setChar(rest[1:]); err != nil {
				return q, "", err
			}
		}
		q.set = append(q.set, setItem{lo: lo, hi: hi})
		s = rest
	}
}

// setChar reads one character of a set.
func (p *Pattern) setChar(s string) (rune, string, error) {
	r, n := p.next(s)
	if r == '\\' {
		if s = s[n:]; s == "" {
			return 0, "", errors.New("it ends in a backslash")
		}
		r, n = p.next(s)
	}
	return r, s[n:], nil
}

// classes returns the test for a class of POSIX, in ASCII like git's.
func classes(name string) func(rune) bool {
	lower := func(r rune) bool { return 'a' <= r && r <= 'z' }
	upper := func(r rune) bool { return 'A' <= r && r <= 'Z' }
	digit := func(r rune) bool { return '0' <= r && r <= '9' }
	graph := func(r rune) bool { return '!' <= r && r <= '~' }
	switch name {
	case "alpha":
		return func(r rune) bool { return lower(r) || upper(r) }
	case "digit":
		return digit
	case "alnum":
		return func(r rune) bool { return lower(r) || upper(r) || digit(r) }
	case "lower":
		return lower
	case "upper":
		return upper
	case "blank":
		return func(r rune) bool { return r == ' ' || r == '\t' }
	case "space":
		return func(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' }
	case "cntrl":
		return func(r rune) bool { return r < ' ' || r == 0x7f }
	case "graph":
		return graph
	case "print":
		return func(r rune) bool { return graph(r) || r == ' ' }
	case "punct":
		return func(r rune) bool { return graph(r) && !lower(r) && !upper(r) && !digit(r) }
	case "xdigit":
		return func(r rune) bool { return digit(r) || 'a' <= r|0x20 && r|0x20 <= 'f' }
	}
	return nil
}
