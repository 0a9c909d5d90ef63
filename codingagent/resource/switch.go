package resource

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/codingagent/packages"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/trust"
)

// ErrNotHere says that a resource can not be switched in the settings of a scope.
var ErrNotHere = errors.New("this can not be switched there")

// Switch writes settings that let a resource be used, or not. It must be one of
// [Set.Items] for the same directories. In the project's settings a resource of a
// package of the user can be switched for this project; what else is the user's is
// switched in the user's settings, and what is the project's in the project's.
func Switch(ctx context.Context, env execenv.Env, agentDir string, it Item, in Scope, on bool) error {
	base := agentDir
	if in == Project {
		base = env.Join(env.Dir, trust.ConfigDir)
	}
	file := env.Join(base, "settings.json")
	f := filter{env, it.Base}
	switch {
	case it.Scope == Temporary, in != User && in != Project, in == User && it.Scope == Project, in == Project && it.Scope == User && it.Package == "":
		return fmt.Errorf("%s: %w", it.Path, ErrNotHere)
	case it.Package == "":
		return settings.UpdateList(ctx, file, string(it.Kind), func(items []json.RawMessage) ([]json.RawMessage, error) {
			return changeList(items, func(list []string) []string { return f.changed(list, it.Path, on, true, false) })
		})
	}
	owner := agentDir // the source of a path is relative to where it is named
	if it.Scope == Project {
		owner = base
	}
	s, err := packages.Parse(it.Package)
	if err != nil {
		return err
	}
	id := s.Identity(owner, env.Home)
	return settings.UpdateList(ctx, file, "packages", func(items []json.RawMessage) ([]json.RawMessage, error) {
		for i, raw := range items {
			var p settings.Package
			if json.Unmarshal(raw, &p) != nil {
				continue
			}
			if have, err := packages.Parse(p.Source); err != nil || have.Identity(base, env.Home) != id {
				continue
			}
			items[i], err = f.changeEntry(raw, p, it, on)
			return items, err
		}
		if in != Project {
			return nil, fmt.Errorf("%s does not name the package %s any more", file, it.Package)
		}
		source := it.Package
		if s.Kind == packages.Local {
			source = s.Dir(owner, env.Home)
		}
		sign := "-"
		if on {
			sign = "+"
		}
		raw, err := json.Marshal(map[string]any{"source": source, "autoload": false, string(it.Kind): []string{f.nameOf(sign, it.Path)}})
		return append(items, raw), err
	})
}

// changeEntry changes the filter of a kind in the entry of a package. An entry that
// has no filters any more becomes plain again.
func (f filter) changeEntry(raw json.RawMessage, p settings.Package, it Item, on bool) (json.RawMessage, error) {
	if raw[0] == '"' {
		raw = append(append([]byte(`{"source":`), raw...), '}')
	}
	doc, err := jsonobj.Open("", raw, jsonobj.Strict)
	if err != nil {
		return nil, err
	}
	list := filterOf(p, it.Kind)
	start := p.AutoLoad == nil || *p.AutoLoad
	var old []string
	if list != nil {
		old = *list
	}
	// An empty list is one that lets nothing through, and a delta begins with what
	// the other file says, which an entry of its own always settles.
	var next []string
	switch {
	case list != nil && len(old) == 0 && start:
		if on {
			next = []string{escape(f.nameOf("", it.Path))}
		}
	case !start:
		next = slices.DeleteFunc(slices.Clone(old), func(e string) bool { return isOverride(e) && e != "" && slices.Contains(f.names(it.Path), f.exact(e)) })
		sign := "-"
		if on {
			sign = "+"
		}
		next = append(next, f.nameOf(sign, it.Path))
	default:
		next = f.changed(old, it.Path, on, start, true)
	}
	if len(next) == 0 && !(list != nil && len(old) == 0) {
		_, err = doc.Delete(string(it.Kind))
	} else {
		if next == nil {
			next = []string{}
		}
		err = doc.Set(next, string(it.Kind))
	}
	if keys := doc.Keys(); err == nil && len(keys) == 1 && keys[0] == "source" {
		source, _ := doc.Get("source")
		return source, nil
	}
	return doc.Bytes(), err
}

// nameOf gives an entry about one file.
func (f filter) nameOf(sign, path string) string {
	if rel, ok := f.env.Rel(f.base, path); ok {
		path = rel
	}
	return sign + path
}

// changeList changes the texts of a list; other elements stay where they are.
func changeList(items []json.RawMessage, change func([]string) []string) ([]json.RawMessage, error) {
	var texts []string
	var others []json.RawMessage
	for _, raw := range items {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			texts = append(texts, text)
		} else {
			others = append(others, raw)
		}
	}
	var out []json.RawMessage
	for _, text := range change(texts) {
		raw, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		out = append(out, raw)
	}
	return append(out, others...), nil
}

// escape makes a glob of a path.
func escape(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `!`, `\!`).Replace(path)
}
