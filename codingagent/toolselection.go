package codingagent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/codingagent/tools"
)

// ToolSelection says which tools a session offers. The zero value offers the
// default ones.
type ToolSelection struct {
	// Default replaces or changes the default list, as the setting
	// defaultTools does: plain names replace it, +name and -name change it.
	// nil leaves it; an empty list empties it.
	Default []string
	// Allow offers only what it names: names, or patterns in which * stands
	// for any characters. With +name and -name only, it changes the default
	// list instead; the two forms do not mix.
	Allow []string
	// Exclude is taken out last; names or patterns.
	Exclude []string
	// NoBuiltin leaves out the built-in tools, None all tools. Neither takes
	// out what Allow adds by +name.
	NoBuiltin, None bool
}

// defaultTools are offered when nobody says otherwise.
func defaultTools() []string { return []string{"read", "bash", "edit", "write"} }

// Select gives the names to offer, of the built-in and the custom ones, in
// their order. Those of asked are offered only where they are named. Names that
// nothing is known of are ignored.
func (s ToolSelection) Select(builtin, custom []string, asked ...string) ([]string, error) {
	changes, err := s.changes()
	if err != nil {
		return nil, err
	}
	base := applyChanges(defaultTools(), s.Default)
	var chosen []string
	switch {
	case s.None:
	case s.Allow != nil && !changes:
		for _, name := range slices.Concat(builtin, custom, asked) {
			if matchesAny(s.Allow, name) {
				chosen = append(chosen, name)
			}
		}
	case s.NoBuiltin:
		chosen = slices.Clone(custom)
	default:
		chosen = append(base, custom...)
	}
	if changes {
		chosen = applyChanges(chosen, s.Allow)
	}
	all := slices.Concat(builtin, custom, asked)
	chosen = slices.DeleteFunc(chosen, func(n string) bool { return !slices.Contains(all, n) || matchesAny(s.Exclude, n) })
	return chosen, nil
}

// changes reports whether Allow is of the +name/-name form.
func (s ToolSelection) changes() (bool, error) {
	signed := 0
	for _, n := range s.Allow {
		if strings.HasPrefix(n, "+") || strings.HasPrefix(n, "-") {
			signed++
			if strings.Contains(n, "*") {
				return false, fmt.Errorf("tools: %q: patterns can not be added or removed, only names", n)
			}
		}
	}
	if signed > 0 && signed < len(s.Allow) {
		return false, fmt.Errorf("tools: %s: plain names and +/- entries do not mix", strings.Join(s.Allow, ","))
	}
	return signed > 0, nil
}

// applyChanges applies a list to a base: its plain names, if any, replace the
// base, then + and - entries add and remove in order.
func applyChanges(base, list []string) []string {
	if list == nil {
		return slices.Clone(base)
	}
	plain := slices.DeleteFunc(slices.Clone(list), func(n string) bool { return strings.HasPrefix(n, "+") || strings.HasPrefix(n, "-") })
	out := slices.Clone(base)
	if len(plain) > 0 || len(list) == 0 {
		out = plain
	}
	for _, n := range list {
		switch {
		case strings.HasPrefix(n, "+") && !slices.Contains(out, n[1:]):
			out = append(out, n[1:])
		case strings.HasPrefix(n, "-"):
			out = slices.DeleteFunc(out, func(o string) bool { return o == n[1:] })
		}
	}
	return out
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return tools.MatchName(p, name) })
}
