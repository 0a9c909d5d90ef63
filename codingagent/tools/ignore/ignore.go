// Package ignore reads ignore files with git's syntax and tells what they say
// about a path.
//
//	rules := ignore.Parse(data)
//	switch rules.Match("build/out.o", false) {
//	case ignore.Ignored:
//		// leave it out
//	case ignore.Included:
//		// a line with ! wants it, whatever files further up say
//	}
//
// Rules are the content of one file. They speak of paths below the directory that
// the file is in. Git's rule that nothing below an ignored directory can be
// included again is left to whoever walks the tree: by not going in.
package ignore

import (
	"bytes"
	"strings"

	"github.com/pi-go/pi/codingagent/tools/glob"
)

// Verdict is what rules say about a path.
type Verdict int

// The verdicts.
const (
	Silent   Verdict = iota // nothing
	Ignored                 // to be left out
	Included                // not to be left out
)

// Rules is the content of one ignore file. It may be used from several
// goroutines.
type Rules struct {
	rules []rule // in the order of the file; the last one that matches counts
}

// rule is one line.
type rule struct {
	verdict Verdict
	dirOnly bool
	// name rules are compared with the last element of a path, others with all of it.
	name   bool
	prefix string        // the text before the first wildcard
	suffix string        // the text after the star of a name like *.o
	rest   *glob.Pattern // from the first wildcard on; nil if there is none
}

// wildcards are the characters with a meaning in a pattern.
const wildcards = `*?[\`

// Parse reads an ignore file. Lines that make no sense match nothing, as in git.
func Parse(data []byte) *Rules {
	r := &Rules{}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if rule, ok := parseLine(trimBlanks(string(line))); ok {
			r.rules = append(r.rules, rule)
		}
	}
	return r
}

// Empty reports whether there are no rules.
func (r *Rules) Empty() bool { return len(r.rules) == 0 }

// trimBlanks takes blanks off the end of a line, but for one that is escaped.
func trimBlanks(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

func parseLine(line string) (rule, bool) {
	r := rule{verdict: Ignored}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		r.verdict, line = Included, rest
	}
	line, r.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return r, false
	}
	r.name = !strings.Contains(line, "/")
	if r.name {
		// A plain name, or a star before plain text, are most of all rules.
		if rest, ok := strings.CutPrefix(line, "*"); ok && rest != "" && !strings.ContainsAny(rest, wildcards) {
			r.suffix = rest
			return r, true
		}
		if !strings.ContainsAny(line, wildcards) {
			r.prefix = line
			return r, true
		}
		p, err := glob.Compile(line, glob.Options{Bytes: true})
		r.rest = p
		return r, err == nil
	}
	line = strings.TrimPrefix(line, "/")
	// Git compares the text before the first wildcard on its own. It shows: for
	// git a**/b matches ab, because what is left of the pattern begins with **.
	i := strings.IndexAny(line, wildcards)
	if i < 0 {
		r.prefix = line
		return r, true
	}
	p, err := glob.Compile(line[i:], glob.Options{Bytes: true})
	r.prefix, r.rest = line[:i], p
	return r, err == nil
}

// Match tells what the rules say about a path, which has "/" between its elements
// and is relative to the directory of the ignore file.
func (r *Rules) Match(path string, isDir bool) Verdict {
	name := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(r.rules) - 1; i >= 0; i-- {
		ru := &r.rules[i]
		if ru.dirOnly && !isDir {
			continue
		}
		if ru.match(path, name) {
			return ru.verdict
		}
	}
	return Silent
}

func (r *rule) match(path, name string) bool {
	switch {
	case r.suffix != "":
		return strings.HasSuffix(name, r.suffix)
	case r.name && r.rest == nil:
		return name == r.prefix
	case r.name:
		return r.rest.Match(name)
	case r.rest == nil:
		return path == r.prefix
	}
	rest, ok := strings.CutPrefix(path, r.prefix)
	return ok && r.rest.Match(rest)
}
