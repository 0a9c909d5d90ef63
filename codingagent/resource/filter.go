package resource

import (
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/skill"
	"github.com/pi-go/pi/codingagent/tools/glob"
)

// filter decides by the entries of a list of the settings which files are used:
//
//	glob    of those that are not named otherwise, only these
//	!glob   not these
//	+path   this one, whatever the others say
//	-path   not this one, whatever the others say
//
// A glob is tried on the path from base, on the name alone and on the whole path;
// for a skill on its directory as well.
type filter struct {
	env  execenv.Env
	base string
}

// exact gives the path of a "+path" or "-path" entry.
func (f filter) exact(entry string) string {
	return f.env.Clean(f.path(entry[1:]))
}

func (f filter) path(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok && f.env.Home != "" {
		return f.env.Join(f.env.Home, rest)
	}
	if f.env.IsAbs(name) {
		return name
	}
	return f.env.Join(f.base, name)
}

// names gives the paths that stand for a file: its own, and for a skill that of
// its directory.
func (f filter) names(path string) []string {
	if f.env.BaseName(path) == skill.File {
		return []string{path, f.env.ParentDir(path)}
	}
	return []string{path}
}

// matches reports whether a glob is about a file.
func (f filter) matches(pattern, path string) bool {
	if f.env.Windows {
		pattern = strings.ReplaceAll(pattern, `\`, "/")
	}
	pattern = strings.TrimPrefix(pattern, "./")
	g, err := glob.Compile(pattern, glob.Options{Braces: true})
	if err != nil {
		return false
	}
	for _, p := range f.names(path) {
		tries := []string{p, f.env.BaseName(p)}
		if rel, ok := f.env.Rel(f.base, p); ok {
			tries = append(tries, rel)
		}
		if slices.ContainsFunc(tries, func(t string) bool { return t == pattern || g.Match(slashed(f.env, t)) }) {
			return true
		}
	}
	return false
}

// used applies a list to a file. start says whether it is used where no entry is
// about it; only says that plain globs choose, as in the entry of a package.
func (f filter) used(list []string, path string, start, only bool) bool {
	use := start
	if only {
		plain := slices.DeleteFunc(slices.Clone(list), isOverride)
		if len(plain) > 0 {
			use = slices.ContainsFunc(plain, func(p string) bool { return f.matches(p, path) })
		}
	}
	forced, refused := false, false
	names := f.names(path)
	for _, e := range list {
		if e == "" {
			continue
		}
		switch e[0] {
		case '!':
			use = use && !f.matches(e[1:], path)
		case '+':
			forced = forced || slices.Contains(names, f.exact(e))
		case '-':
			refused = refused || slices.Contains(names, f.exact(e))
		}
	}
	return (use || forced) && !refused
}

// isOverride reports whether an entry changes what the others choose.
func isOverride(entry string) bool { return entry == "" || strings.ContainsRune("!+-", rune(entry[0])) }

// changed gives the list with which a file is used, or not: entries about this file
// alone go, and one is added if the rest decides otherwise.
func (f filter) changed(list []string, path string, on, start, only bool) []string {
	names := f.names(path)
	out := slices.DeleteFunc(slices.Clone(list), func(e string) bool {
		return isOverride(e) && e != "" && slices.Contains(names, f.exact(e))
	})
	if f.used(out, path, start, only) == on {
		return out
	}
	sign := "-"
	if on {
		sign = "+"
	}
	return append(out, f.nameOf(sign, path))
}

// slashed gives a path with slashes.
func slashed(env execenv.Env, path string) string {
	if env.Windows {
		return strings.ReplaceAll(path, `\`, "/")
	}
	return path
}
