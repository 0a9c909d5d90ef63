package linematch

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// text is a piece that a match must hold.
type text struct {
	s    string
	fold bool // without regard to case
}

// texts is a set of which every match must hold one. If it is exact, whatever
// holds one is a match.
type texts struct {
	list  []text
	exact bool
}

// mostTexts is how many texts are looked for at once.
const mostTexts = 16

// shortest is the length of the shortest text of a set, 0 for an empty set.
func (t texts) shortest() int {
	n := 0
	for i, x := range t.list {
		if i == 0 || len(x.s) < n {
			n = len(x.s)
		}
	}
	return n
}

// required finds the set for an expression that promises to be found fastest.
func required(re *syntax.Regexp) texts {
	best := texts{}
	consider := func(t texts) {
		if t.shortest() > 0 && (len(best.list) == 0 || cost(t) < cost(best)) {
			best = t
		}
	}
	if t, ok := finite(re); ok {
		t.exact = true
		consider(t)
		return best
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		consider(required(re.Sub[0]))
	case syntax.OpRepeat:
		if re.Min > 0 {
			consider(required(re.Sub[0]))
		}
	case syntax.OpConcat:
		// The longest runs of parts that stand for few texts, and each part alone.
		run := texts{list: []text{{}}}
		for _, sub := range re.Sub {
			t, ok := finite(sub)
			if ok {
				if longer, ok := cross(run, t); ok {
					run = longer
					continue
				}
			}
			consider(run)
			run = texts{list: []text{{}}}
			if ok {
				run = t
			} else {
				consider(required(sub))
			}
		}
		consider(run)
	case syntax.OpAlternate:
		var all texts
		for _, sub := range re.Sub {
			t := required(sub)
			if len(t.list) == 0 {
				return texts{}
			}
			all.list = append(all.list, t.list...)
		}
		if len(all.list) <= mostTexts {
			consider(all)
		}
	}
	best.exact = false
	return best
}

// finite lists the texts that an expression stands for, if these are all and few.
func finite(re *syntax.Regexp) (texts, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return texts{list: []text{{}}}, true
	case syntax.OpLiteral:
		if slices.Contains(re.Rune, '\n') {
			return texts{}, false // matches nothing
		}
		return texts{list: []text{{string(re.Rune), re.Flags&syntax.FoldCase != 0}}}, true
	case syntax.OpCharClass:
		var t texts
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if r == '\n' {
					continue
				}
				if t.list = append(t.list, text{string(r), false}); len(t.list) > 8 {
					return texts{}, false
				}
			}
		}
		return t, len(t.list) > 0
	case syntax.OpCapture:
		return finite(re.Sub[0])
	case syntax.OpQuest:
		t, ok := finite(re.Sub[0])
		t.list = append(t.list[:len(t.list):len(t.list)], text{})
		return t, ok && len(t.list) <= mostTexts
	case syntax.OpAlternate:
		var all texts
		for _, sub := range re.Sub {
			t, ok := finite(sub)
			if !ok {
				return texts{}, false
			}
			all.list = append(all.list, t.list...)
		}
		return all, len(all.list) <= mostTexts
	case syntax.OpConcat:
		all := texts{list: []text{{}}}
		for _, sub := range re.Sub {
			t, ok := finite(sub)
			if ok {
				all, ok = cross(all, t)
			}
			if !ok {
				return texts{}, false
			}
		}
		return all, true
	}
	return texts{}, false
}

// cross joins every text of a with every text of b.
func cross(a, b texts) (texts, bool) {
	if len(a.list)*len(b.list) > mostTexts {
		return texts{}, false
	}
	var all texts
	for _, x := range a.list {
		for _, y := range b.list {
			if x.fold != y.fold && x.s != "" && y.s != "" && (cased(x.s) && cased(y.s)) {
				return texts{}, false // one with and one without regard to case
			}
			fold := x.fold && x.s != "" && cased(x.s) || y.fold && y.s != "" && cased(y.s)
			all.list = append(all.list, text{x.s + y.s, fold})
		}
	}
	return all, true
}

// cased reports whether a text has letters with case.
func cased(s string) bool {
	for _, r := range s {
		if unicode.SimpleFold(r) != r {
			return true
		}
	}
	return false
}

// cost guesses how often, in 65536 bytes of source code, looking for a set stops
// at a byte that may belong to it.
func cost(t texts) int {
	sum := 0
	for _, x := range t.list {
		n, ok := newNeedle(x)
		if !ok {
			return 1 << 30
		}
		for _, b := range n.bytes {
			sum += frequency(b)
		}
		// Between equals the longer is better.
		sum += max(0, 8-len(n.text))
	}
	return sum
}

// worthwhile is the cost above which the automaton alone is faster, found by trying:
// a stop at a byte costs about as much as ten steps of the automaton.
const worthwhile = 12000

// needle is a text to be looked for by one of its bytes.
type needle struct {
	text  []byte // lower case if fold
	fold  bool
	at    int    // of the byte in text
	bytes []byte // the byte, in both cases if fold
	whole bool   // text is all of the text it was made from
}

// newNeedle prepares a text. Of a text without regard to case only a part can be
// looked for whose letters have no other forms than two of ASCII: not k, whose
// third form is the Kelvin sign, nor s, whose third form is the long s.
func newNeedle(t text) (needle, bool) {
	n := needle{text: []byte(t.s), fold: t.fold, whole: true}
	if t.fold {
		n.text = bytes.ToLower(longestPlain(t.s))
		n.whole = len(n.text) == len(t.s)
	}
	if len(n.text) == 0 {
		return n, false
	}
	rarest := 1 << 30
	for i, b := range n.text {
		f := frequency(b)
		if n.fold && 'a' <= b && b <= 'z' {
			f += frequency(b - 'a' + 'A')
		}
		if f < rarest {
			rarest, n.at = f, i
		}
	}
	b := n.text[n.at]
	n.bytes = []byte{b}
	if n.fold && 'a' <= b && b <= 'z' {
		n.bytes = append(n.bytes, b-'a'+'A')
	}
	return n, true
}

// longestPlain is the longest part of s whose characters have at most two forms,
// both ASCII.
func longestPlain(s string) []byte {
	var best string
	start := 0
	for i, r := range s + "k" {
		plain := unicode.SimpleFold(r) == r || r < utf8.RuneSelf && r|0x20 != 'k' && r|0x20 != 's'
		if plain {
			continue
		}
		if i-start > len(best) {
			best = s[start:i]
		}
		start = i + utf8.RuneLen(r)
	}
	return []byte(best)
}

// cursor is a byte by which a needle is looked for.
type cursor struct {
	needle *needle
	b      byte
}

// needles are looked for all at once.
type needles struct {
	cursors []cursor
	exact   bool
}

// newNeedles returns nil if it is not worth looking for anything.
func newNeedles(re *syntax.Regexp) *needles {
	t := required(re)
	if len(t.list) == 0 || cost(t) > worthwhile {
		return nil
	}
	ns := &needles{exact: t.exact}
	for _, x := range t.list {
		n, ok := newNeedle(x)
		if !ok {
			return nil
		}
		ns.exact = ns.exact && n.whole
		for _, b := range n.bytes {
			ns.cursors = append(ns.cursors, cursor{&n, b})
		}
	}
	return ns
}

// next finds the first needle that begins at or behind pos. places remembers
// between calls where each cursor's byte comes next; -1 is unknown.
func (ns *needles) next(buf []byte, pos int, places []int) int {
	if len(ns.cursors) == 1 {
		return ns.cursors[0].find(buf, pos)
	}
	first := -1
	for i := range ns.cursors {
		c := &ns.cursors[i]
		if places[i] < pos {
			if places[i] = c.find(buf, pos); places[i] < 0 {
				places[i] = len(buf)
			}
		}
		if first < 0 || places[i] < first {
			first = places[i]
		}
	}
	if first >= len(buf) {
		return -1
	}
	return first
}

// find returns where the needle comes next with the byte of the cursor in its
// place, or -1.
func (c *cursor) find(buf []byte, pos int) int {
	n := c.needle
	for i := pos + n.at; i < len(buf); i++ {
		j := bytes.IndexByte(buf[i:], c.b)
		if j < 0 {
			return -1
		}
		i += j
		start := i - n.at
		if start+len(n.text) > len(buf) {
			return -1
		}
		if n.fold {
			if equalFold(buf[start:start+len(n.text)], n.text) {
				return start
			}
		} else if string(buf[start:start+len(n.text)]) == string(n.text) {
			return start
		}
	}
	return -1
}

// equalFold compares with lower-case ASCII text without regard to case.
func equalFold(b, lower []byte) bool {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
