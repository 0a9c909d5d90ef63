package npm

import (
	"slices"
	"strings"
)

// Range is a set of versions, such as ">=1.2 <3 || ^4.0.1"
// (https://github.com/npm/node-semver#ranges).
type Range struct {
	sets [][]comparator // any of them
}

// comparator is one condition of a set.
type comparator struct {
	op string // "<", "<=", ">", ">=" or "="
	v  Version
}

// ParseRange reads a range; ok is false for what is none, such as the name of a
// tag. The empty text is every version.
func ParseRange(s string) (r Range, ok bool) {
	for part := range strings.SplitSeq(s, "||") {
		set, ok := parseSet(part)
		if !ok {
			return Range{}, false
		}
		r.sets = append(r.sets, set)
	}
	return r, true
}

// Contains reports whether v is in the range. A version with a dash is only if
// the range names one with the same three numbers and a dash: who asks for ^1.2
// does not want 1.3.0-beta.
func (r Range) Contains(v Version) bool {
	return slices.ContainsFunc(r.sets, func(set []comparator) bool {
		named := len(v.Pre) == 0
		for _, c := range set {
			if !c.holds(v) {
				return false
			}
			named = named || len(c.v.Pre) > 0 && c.v.Major == v.Major && c.v.Minor == v.Minor && c.v.Patch == v.Patch
		}
		return named
	})
}

func (c comparator) holds(v Version) bool {
	d := v.Compare(c.v)
	switch c.op {
	case "<":
		return d < 0
	case "<=":
		return d <= 0
	case ">":
		return d > 0
	case ">=":
		return d >= 0
	}
	return d == 0
}

// parseSet reads conditions that must all hold.
func parseSet(s string) (set []comparator, ok bool) {
	if from, to, isHyphen := strings.Cut(s, " - "); isHyphen {
		return hyphen(strings.TrimSpace(from), strings.TrimSpace(to))
	}
	fields := strings.Fields(s)
	for i := 0; i < len(fields); i++ {
		op, rest := operator(fields[i])
		if rest == "" && op != "" && i+1 < len(fields) { // as in ">= 1.2"
			i++
			rest = fields[i]
		}
		p, ok := parsePartial(strings.TrimLeft(rest, "v="))
		if !ok {
			return nil, false
		}
		set = append(set, conditions(op, p)...)
	}
	return set, true
}

func operator(s string) (op, rest string) {
	for _, op := range []string{"<=", ">=", "~>", "<", ">", "=", "~", "^"} {
		if rest, ok := strings.CutPrefix(s, op); ok {
			return op, rest
		}
	}
	return "", s
}

// below is the condition of being before a version and all its dashed ones.
func below(major, minor, patch uint64) comparator {
	return comparator{"<", Version{major, minor, patch, []string{"0"}}}
}

// next is the first version that differs in the last part that is given.
func (p partial) next() comparator {
	switch p.parts {
	case 1:
		return below(p.Major+1, 0, 0)
	case 2:
		return below(p.Major, p.Minor+1, 0)
	}
	return below(p.Major, p.Minor, p.Patch+1)
}

// conditions translates an operator with a version of which parts may be missing.
func conditions(op string, p partial) []comparator {
	from := comparator{">=", p.Version}
	if p.parts == 0 {
		if op == "<" || op == ">" {
			return []comparator{below(0, 0, 0)} // nothing is before or after everything
		}
		return nil
	}
	switch op {
	case "^":
		switch {
		case p.Major > 0 || p.parts == 1:
			return []comparator{from, below(p.Major+1, 0, 0)}
		case p.Minor > 0 || p.parts == 2:
			return []comparator{from, below(0, p.Minor+1, 0)}
		}
		return []comparator{from, below(0, 0, p.Patch+1)}
	case "~", "~>":
		if p.parts == 1 {
			return []comparator{from, below(p.Major+1, 0, 0)}
		}
		return []comparator{from, below(p.Major, p.Minor+1, 0)}
	case "", "=":
		if p.parts == 3 {
			return []comparator{{"=", p.Version}}
		}
		return []comparator{from, p.next()}
	}
	if p.parts == 3 {
		return []comparator{{op, p.Version}}
	}
	next := p.next()
	switch op {
	case ">": // after all that begin so
		next.v.Pre = nil
		return []comparator{{">=", next.v}}
	case "<=":
		return []comparator{next}
	case "<":
		return []comparator{below(p.Major, p.Minor, p.Patch)}
	}
	return []comparator{from}
}

// hyphen reads "1.2 - 3": both ends are in it.
func hyphen(from, to string) (set []comparator, ok bool) {
	a, okA := parsePartial(strings.TrimLeft(from, "v="))
	b, okB := parsePartial(strings.TrimLeft(to, "v="))
	if !okA || !okB {
		return nil, false
	}
	if a.parts > 0 {
		set = append(set, comparator{">=", a.Version})
	}
	if b.parts > 0 {
		set = append(set, conditions("<=", b)...)
	}
	return set, true
}
