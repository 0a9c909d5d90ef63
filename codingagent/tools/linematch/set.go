package linematch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// runes is a set of characters: ranges in order that do not touch.
type runes []runeRange

type runeRange struct{ lo, hi rune }

// normal sorts ranges and joins those that touch.
func (s runes) normal() runes {
	slices.SortFunc(s, func(a, b runeRange) int { return cmp.Compare(a.lo, b.lo) })
	var out runes
	for _, r := range s {
		if n := len(out) - 1; n >= 0 && r.lo <= out[n].hi+1 {
			out[n].hi = max(out[n].hi, r.hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

func (s runes) not() runes {
	var out runes
	next := rune(0)
	for _, r := range s {
		if r.lo > next {
			out = append(out, runeRange{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, runeRange{next, unicode.MaxRune})
	}
	return out
}

func (s runes) or(o runes) runes  { return append(slices.Clone(s), o...).normal() }
func (s runes) and(o runes) runes { return s.not().or(o.not()).not() }

// text writes the set as one of package regexp.
func (s runes) text(negate bool) string {
	if len(s) == 0 {
		s, negate = runes{{0, unicode.MaxRune}}, !negate
	}
	var b strings.Builder
	b.WriteByte('[')
	if negate {
		b.WriteByte('^')
	}
	for _, r := range s {
		fmt.Fprintf(&b, `\x{%X}`, r.lo)
		if r.hi > r.lo {
			fmt.Fprintf(&b, `-\x{%X}`, r.hi)
		}
	}
	b.WriteByte(']')
	return b.String()
}

// ofTable is the set of a table of package unicode.
func ofTable(t *unicode.RangeTable) (s runes) {
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			s = append(s, runeRange{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			s = append(s, runeRange{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return s.normal()
}

// wordTables are what \w is made of.
func wordTables() []*unicode.RangeTable {
	return []*unicode.RangeTable{
		unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic, unicode.Join_Control,
	}
}

// perlRunes is the set that \w, \d or \s means.
func perlRunes(c byte) (s runes) {
	tables := wordTables()
	switch c {
	case 'd':
		tables = []*unicode.RangeTable{unicode.Nd}
	case 's':
		tables = []*unicode.RangeTable{unicode.White_Space}
	}
	for _, t := range tables {
		s = append(s, ofTable(t)...)
	}
	return s.normal()
}

// property reads \pL, \p{Greek}, \P{Lu} or \p{^L}.
func property(s string) (runes, int, error) {
	negate := s[1] == 'P'
	name, n := "", 0
	switch {
	case len(s) > 2 && s[2] == '{':
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return nil, 0, fmt.Errorf("the brace of %s is not closed", s)
		}
		name, n = s[3:end], end+1
	case len(s) > 2:
		_, size := utf8.DecodeRuneInString(s[2:])
		name, n = s[2:2+size], 2+size
	default:
		return nil, 0, fmt.Errorf("%s needs the name of a property", s)
	}
	if rest, ok := strings.CutPrefix(name, "^"); ok {
		name, negate = rest, !negate
	}
	// general_category=Lu, script:Greek
	if i := strings.IndexAny(name, "=:"); i >= 0 {
		name = name[i+1:]
	}
	set := namedRunes(name)
	if set == nil {
		return nil, 0, fmt.Errorf("there is no property %s", name)
	}
	if negate {
		set = set.not()
	}
	return set, n, nil
}

// namedRunes finds a category, script or property of Unicode by its name, in
// which case, blanks and underscores do not count; nil if there is none.
func namedRunes(name string) runes {
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
	}
	want := plain(name)
	switch want {
	case "any":
		return runes{{0, unicode.MaxRune}}
	case "ascii":
		return runes{{0, unicode.MaxASCII}}
	case "alphabetic", "alpha":
		return ofTable(unicode.L).or(ofTable(unicode.Nl)).or(ofTable(unicode.Other_Alphabetic))
	}
	long := map[string]string{
		"letter": "l", "lowercaseletter": "ll", "lowercase": "ll", "uppercaseletter": "lu", "uppercase": "lu",
		"mark": "m", "number": "n", "decimalnumber": "nd", "digit": "nd", "punctuation": "p", "punct": "p",
		"symbol": "s", "separator": "z", "other": "c", "control": "cc",
	}
	if short, ok := long[want]; ok {
		want = short
	}
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts, unicode.Properties} {
		for n, t := range tables {
			if plain(n) == want {
				return ofTable(t)
			}
		}
	}
	return nil
}

// setParser reads a set in brackets.
type setParser struct {
	s     string
	pos   int
	depth int
}

// parseSet reads the set at the start of s and returns it in Go's syntax, with
// its length in s.
func parseSet(s string) (string, int, error) {
	p := &setParser{s: s}
	set, negate, err := p.set()
	if err != nil {
		return "", 0, err
	}
	// The negation is left to Go, which applies it after adding the other case of
	// letters.
	return set.text(negate), p.pos, nil
}

var errOpenSet = errors.New("a [ is not closed; write \\[ for a bracket, or search for literal text")

// set reads from an opening bracket to the closing one.
func (p *setParser) set() (set runes, negate bool, err error) {
	if p.depth++; p.depth > 50 {
		return nil, false, errors.New("its sets are nested too deeply")
	}
	defer func() { p.depth-- }()
	p.pos++
	if p.accept("^") {
		negate = true
	}
	// A closing bracket and hyphens at the start stand for themselves.
	if p.accept("]") {
		set = append(set, runeRange{']', ']'})
	}
	for strings.HasPrefix(p.s[p.pos:], "-") && !strings.HasPrefix(p.s[p.pos:], "--") {
		p.pos++
		set = append(set, runeRange{'-', '-'})
	}
	items, err := p.items()
	if err != nil {
		return nil, false, err
	}
	set = append(set, items...).normal()
	for {
		switch {
		case p.accept("]"):
			return set, negate, nil
		case p.accept("&&"):
			other, err := p.items()
			if err != nil {
				return nil, false, err
			}
			set = set.and(other)
		case p.accept("--"):
			other, err := p.items()
			if err != nil {
				return nil, false, err
			}
			set = set.and(other.not())
		case p.accept("~~"):
			other, err := p.items()
			if err != nil {
				return nil, false, err
			}
			set = set.or(other).and(set.and(other).not())
		default:
			return nil, false, errOpenSet
		}
	}
}

func (p *setParser) accept(s string) bool {
	if !strings.HasPrefix(p.s[p.pos:], s) {
		return false
	}
	p.pos += len(s)
	return true
}

// items reads up to an operator, the closing bracket or the end.
func (p *setParser) items() (set runes, err error) {
	for p.pos < len(p.s) {
		rest := p.s[p.pos:]
		switch {
		case rest[0] == ']', strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "~~"),
			strings.HasPrefix(rest, "--") && !strings.HasPrefix(rest, "--]"):
			return set.normal(), nil
		}
		item, single, err := p.item()
		if err != nil {
			return nil, err
		}
		// lo-hi, unless the hyphen is the last thing in the set
		rest = p.s[p.pos:]
		if single && len(rest) > 1 && rest[0] == '-' && rest[1] != ']' && rest[1] != '-' {
			p.pos++
			to, single, err := p.item()
			if err != nil {
				return nil, err
			}
			if !single || to[0].lo < item[0].lo {
				return nil, fmt.Errorf("the range %s in its set goes nowhere", p.s[len(p.s)-len(rest)-1:p.pos])
			}
			item = runes{{item[0].lo, to[0].lo}}
		}
		set = append(set, item...)
	}
	return nil, errOpenSet
}

// item reads one member; single tells that it is one character.
func (p *setParser) item() (set runes, single bool, err error) {
	rest := p.s[p.pos:]
	if rest == "" {
		return nil, false, errOpenSet
	}
	if strings.HasPrefix(rest, "[:") {
		if name, _, ok := strings.Cut(rest[2:], ":]"); ok {
			if set := posixRunes(name); set != nil {
				p.pos += len(name) + 4
				return set, false, nil
			}
		}
	}
	if rest[0] == '[' {
		set, negate, err := p.set()
		if negate {
			set = set.not()
		}
		return set, false, err
	}
	if rest[0] != '\\' {
		r, n := utf8.DecodeRuneInString(rest)
		p.pos += n
		return runes{{r, r}}, true, nil
	}
	if len(rest) == 1 {
		return nil, false, errOpenSet
	}
	one := func(r rune, n int) (runes, bool, error) {
		p.pos += n
		return runes{{r, r}}, true, nil
	}
	switch c := rest[1]; c {
	case 'w', 'd', 's':
		p.pos += 2
		return perlRunes(c), false, nil
	case 'W', 'D', 'S':
		p.pos += 2
		return perlRunes(c | 0x20).not(), false, nil
	case 'p', 'P':
		set, n, err := property(rest)
		p.pos += n
		return set, false, err
	case 'x', 'u', 'U':
		r, n, err := hexEscape(rest)
		if err != nil {
			return nil, false, err
		}
		return one(r, n)
	case 'n':
		return one('\n', 2)
	case 'r':
		return one('\r', 2)
	case 't':
		return one('\t', 2)
	case 'f':
		return one('\f', 2)
	case 'v':
		return one('\v', 2)
	case 'a':
		return one('\a', 2)
	}
	r, n := utf8.DecodeRuneInString(rest[1:])
	return one(r, 1+n)
}

// posixRunes is the set of a class like [:alpha:] or [:^alpha:], in ASCII; nil if
// there is none.
func posixRunes(name string) runes {
	if rest, ok := strings.CutPrefix(name, "^"); ok {
		if set := posixRunes(rest); set != nil {
			return set.not()
		}
		return nil
	}
	lower, upper, digit := runeRange{'a', 'z'}, runeRange{'A', 'Z'}, runeRange{'0', '9'}
	switch name {
	case "alpha":
		return runes{lower, upper}.normal()
	case "digit":
		return runes{digit}
	case "alnum":
		return runes{lower, upper, digit}.normal()
	case "lower":
		return runes{lower}
	case "upper":
		return runes{upper}
	case "word":
		return runes{lower, upper, digit, {'_', '_'}}.normal()
	case "blank":
		return runes{{'\t', '\t'}, {' ', ' '}}
	case "space":
		return runes{{'\t', '\r'}, {' ', ' '}}
	case "cntrl":
		return runes{{0, 0x1f}, {0x7f, 0x7f}}
	case "graph":
		return runes{{'!', '~'}}
	case "print":
		return runes{{' ', '~'}}
	case "punct":
		return runes{{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}
	case "xdigit":
		return runes{digit, {'a', 'f'}, {'A', 'F'}}.normal()
	case "ascii":
		return runes{{0, 0x7f}}
	}
	return nil
}
