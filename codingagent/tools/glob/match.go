package glob

import (
	"strings"
	"unicode"
)

// Match reports whether the pattern matches the whole of a path.
func (p *Pattern) Match(path string) bool {
	for _, elems := range p.alts {
		if p.matchPath(elems, path) {
			return true
		}
	}
	return false
}

// matchPath matches elements against a path. Where it fails it goes back to the
// last ** and lets that take one element more; going back further could not help,
// as the last ** can take whatever the ones before it could.
func (p *Pattern) matchPath(elems []element, path string) bool {
	const none = -1
	at, rest, over := 0, path, false // over: the whole path has been taken
	backAt, backRest := none, ""
	for {
		switch {
		case at < len(elems) && elems[at].any:
			if at == len(elems)-1 {
				// At the end it stands for something, not for nothing.
				if !over {
					return true
				}
			} else {
				backAt, backRest = at, rest
				at++
				continue
			}
		case at < len(elems) && !over:
			name, after, more := strings.Cut(rest, "/")
			if p.matchName(&elems[at], name) {
				at, rest, over = at+1, after, !more
				continue
			}
		case at == len(elems) && over:
			return true
		}
		if backAt == none {
			return false
		}
		_, after, more := strings.Cut(backRest, "/")
		if !more {
			return false
		}
		at, rest, over = backAt+1, after, false
		backRest = after
	}
}

// matchName matches one element, going back to the last * where it fails.
func (p *Pattern) matchName(e *element, name string) bool {
	if e.plain != "" && !p.o.FoldCase {
		return e.plain == name
	}
	at, pos := 0, 0
	backAt, backPos := -1, 0
	for at < len(e.parts) || pos < len(name) {
		if at < len(e.parts) {
			q := &e.parts[at]
			if q.kind == some {
				backAt, backPos = at, pos
				at++
				continue
			}
			if pos < len(name) {
				if r, n := p.next(name[pos:]); p.matchChar(q, r) {
					at, pos = at+1, pos+n
					continue
				}
			}
		}
		if backAt < 0 || backPos >= len(name) {
			return false
		}
		_, n := p.next(name[backPos:])
		backPos += n
		at, pos = backAt+1, backPos
	}
	return true
}

func (p *Pattern) matchChar(q *part, r rune) bool {
	switch q.kind {
	case one:
		return q.r == p.fold(r)
	case each:
		return true
	}
	in := inSet(q.set, r)
	if !in && p.o.FoldCase {
		for f := unicode.SimpleFold(r); f != r && !in; f = unicode.SimpleFold(f) {
			in = inSet(q.set, f)
		}
	}
	return in != q.negate
}

func inSet(items []setItem, r rune) bool {
	for _, it := range items {
		if it.class != nil && it.class(r) || it.class == nil && it.lo <= r && r <= it.hi {
			return true
		}
	}
	return false
}
