package npm

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Version is a semantic version (https://semver.org). What follows a plus sign is
// not kept, for it does not count.
type Version struct {
	Major, Minor, Patch uint64
	Pre                 []string // what follows the dash, without its dots
}

// ParseVersion reads a version. A leading "v" or "=" is tolerated, as npm does.
func ParseVersion(s string) (Version, bool) {
	s = strings.TrimLeft(strings.TrimSpace(s), "v= ")
	p, ok := parsePartial(s)
	return p.Version, ok && p.parts == 3
}

// String gives the version without the plus part.
func (v Version) String() string {
	s := strconv.FormatUint(v.Major, 10) + "." + strconv.FormatUint(v.Minor, 10) + "." + strconv.FormatUint(v.Patch, 10)
	if len(v.Pre) > 0 {
		s += "-" + strings.Join(v.Pre, ".")
	}
	return s
}

// Compare is negative if v is before o, 0 if they are equal.
func (v Version) Compare(o Version) int {
	if c := cmp.Or(cmp.Compare(v.Major, o.Major), cmp.Compare(v.Minor, o.Minor), cmp.Compare(v.Patch, o.Patch)); c != 0 {
		return c
	}
	switch { // a version without a dash is after those with one
	case len(v.Pre) == 0 || len(o.Pre) == 0:
		return cmp.Compare(len(o.Pre), len(v.Pre))
	}
	return slices.CompareFunc(v.Pre, o.Pre, compareIdentifier)
}

// compareIdentifier compares two parts behind the dash: numbers as numbers, and
// before texts.
func compareIdentifier(a, b string) int {
	an, bn := number(a), number(b)
	switch {
	case an && bn:
		a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	case an:
		return -1
	case bn:
		return 1
	}
	return cmp.Compare(a, b)
}

func number(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// partial is a version of which only the first parts may be given, as in "1.x".
type partial struct {
	Version
	parts int // how many of major, minor and patch are given
}

// parsePartial reads "1", "1.2", "1.x", "*", "1.2.3-rc.1+build".
func parsePartial(s string) (p partial, ok bool) {
	s, build, hasBuild := strings.Cut(s, "+")
	if hasBuild && !identifiers(build) {
		return p, false
	}
	core, pre, hasPre := strings.Cut(s, "-")
	if hasPre {
		if !identifiers(pre) {
			return p, false
		}
		p.Pre = strings.Split(pre, ".")
	}
	fields := strings.Split(core, ".")
	if len(fields) > 3 {
		return p, false
	}
	wild := false
	for i, f := range fields {
		if f == "x" || f == "X" || f == "*" || f == "" && len(fields) == 1 {
			wild = true
			continue
		}
		if !number(f) || len(f) > 15 { // beyond 2^53 npm takes none either
			return p, false
		}
		n, err := strconv.ParseUint(f, 10, 64)
		if err != nil {
			return p, false
		}
		if wild {
			continue // "1.x.3" is "1.x"
		}
		p.parts++
		switch i {
		case 0:
			p.Major = n
		case 1:
			p.Minor = n
		case 2:
			p.Patch = n
		}
	}
	if p.parts < 3 {
		p.Pre = nil
	}
	return p, true
}

// identifiers reports whether s is a list of them, with dots between.
func identifiers(s string) bool {
	for id := range strings.SplitSeq(s, ".") {
		if id == "" || strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") != "" {
			return false
		}
	}
	return true
}
