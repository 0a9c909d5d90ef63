package resource

import "slices"

// With gives a set with what another one has besides: of two with the same name
// that of s counts, and a note says so. Files of the prompt stay those of s.
func (s Set) With(more Set) Set {
	out := s
	out.Skills, out.Templates = slices.Clone(s.Skills), slices.Clone(s.Templates)
	out.Notes = slices.Clone(s.Notes)
	left := func(path, what, name, by string) {
		out.Notes = append(out.Notes, Diagnostic{path, "is left out: the " + what + " " + name + " is in " + by + " already"})
	}
	for _, k := range more.Skills {
		at := slices.IndexFunc(out.Skills, func(o Skill) bool { return o.Name == k.Name })
		switch {
		case at < 0:
			out.Skills = append(out.Skills, k)
		case out.Skills[at].Path != k.Path:
			left(k.Path, "skill", k.Name, out.Skills[at].Path)
		}
	}
	for _, t := range more.Templates {
		at := slices.IndexFunc(out.Templates, func(o Template) bool { return o.Name == t.Name })
		switch {
		case at < 0:
			out.Templates = append(out.Templates, t)
		case out.Templates[at].Path != t.Path:
			left(t.Path, "prompt", "/"+t.Name, out.Templates[at].Path)
		}
	}
	out.Themes = slices.Concat(s.Themes, more.Themes)
	out.Items = slices.Concat(s.Items, more.Items)
	return out
}
