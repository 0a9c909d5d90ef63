package resource

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/skill"
)

// Kind is a kind of resource, named as the settings and directories name it.
type Kind string

// The kinds.
const (
	Extensions Kind = "extensions"
	Skills     Kind = "skills"
	Prompts    Kind = "prompts"
	Themes     Kind = "themes"
)

// Kinds lists all, in the order in which they are shown.
func Kinds() []Kind { return []Kind{Extensions, Skills, Prompts, Themes} }

// maxDepth bounds how deep directories are looked into.
const maxDepth = 16

// collect lists the files of a kind at a path, which may be a file. Only skills
// and, where deep is set, prompts and themes are looked for below its directories.
func (l *loader) collect(ctx context.Context, kind Kind, path string, loose, deep bool) []string {
	info, err := l.r.Env.FS.Stat(ctx, path)
	switch {
	case err != nil:
		if !errors.Is(err, fs.ErrNotExist) {
			l.note(path, "can not be looked at; its %s are left out: %v", kind, err)
		}
		return nil
	case kind == Skills:
		return l.collectSkills(ctx, path, loose)
	case !info.IsDir():
		return []string{path}
	case kind == Extensions:
		return l.extensions(ctx, path)
	}
	suffix := ".md"
	if kind == Themes {
		suffix = ".json"
	}
	return l.files(ctx, path, suffix, deep)
}

// collectSkills finds skills and keeps what it has read of them.
func (l *loader) collectSkills(ctx context.Context, path string, loose bool) []string {
	found, problems := skill.Discover(ctx, l.r.Env.FS, skill.Root{Dir: path, Loose: loose, Skip: l.ignored(path)})
	for _, p := range problems {
		l.problems[p.Path] = append(l.problems[p.Path], p.Message)
	}
	var out []string
	for _, s := range found {
		l.parsed[s.Path] = s
		out = append(out, s.Path)
	}
	for _, p := range problems { // those that can not be used are said, too
		if _, ok := l.parsed[p.Path]; !ok {
			out = append(out, p.Path)
		}
	}
	return out
}

// files lists the files of a directory whose names end so.
func (l *loader) files(ctx context.Context, root, suffix string, deep bool) []string {
	env := l.r.Env
	skip := l.ignored(root)
	var out []string
	var walk func(dir string, depth int)
	walk = func(dir string, depth int) {
		entries, err := env.FS.ReadDir(ctx, dir)
		if err != nil {
			l.note(dir, "can not be read; what it holds is left out: %v", err)
			return
		}
		for _, e := range entries {
			path := env.Join(dir, e.Name())
			if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || ctx.Err() != nil {
				continue
			}
			info, err := env.FS.Stat(ctx, path)
			switch {
			case err != nil || skip(ctx, path, info.IsDir()):
			case info.IsDir() && deep && depth < maxDepth && e.Type()&fs.ModeSymlink == 0:
				walk(path, depth+1)
			case info.Mode().IsRegular() && strings.HasSuffix(e.Name(), suffix):
				out = append(out, path)
			}
		}
	}
	walk(root, 0)
	slices.Sort(out)
	return out
}

// extensions lists the entry files of extensions in a directory: those of the
// directory itself, if it is one; else its files and what its directories are.
func (l *loader) extensions(ctx context.Context, dir string) []string {
	if entry := l.extensionEntry(ctx, dir); entry != nil {
		return entry
	}
	env := l.r.Env
	entries, err := env.FS.ReadDir(ctx, dir)
	if err != nil {
		return nil // a directory that can not be read counts as empty
	}
	skip := l.ignored(dir)
	var out []string
	for _, e := range entries {
		path := env.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" {
			continue
		}
		info, err := env.FS.Stat(ctx, path)
		switch {
		case err != nil || skip(ctx, path, info.IsDir()):
		case info.IsDir():
			out = append(out, l.extensionEntry(ctx, path)...)
		case strings.HasSuffix(e.Name(), ".ts") && !strings.HasSuffix(e.Name(), ".d.ts"), strings.HasSuffix(e.Name(), ".js"):
			out = append(out, path)
		}
	}
	return out
}

// extensionEntry gives the files of a directory that is an extension: those that
// its manifest lists and that are there, else its index.
func (l *loader) extensionEntry(ctx context.Context, dir string) []string {
	env := l.r.Env
	var out []string
	for _, name := range l.manifest(ctx, dir)[Extensions] {
		path := env.Clean(env.Join(dir, name))
		if info, err := env.FS.Stat(ctx, path); err == nil && info.Mode().IsRegular() && within(env, dir, path) {
			out = append(out, path)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, name := range []string{"index.ts", "index.js"} {
		if info, err := env.FS.Stat(ctx, env.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return []string{env.Join(dir, name)}
		}
	}
	return nil
}

// within reports whether a path is in a directory.
func within(env execenv.Env, dir, path string) bool {
	rel, ok := env.Rel(dir, path)
	return ok && rel != ".." && !strings.HasPrefix(rel, "../") && !strings.HasPrefix(rel, `..\`)
}

// manifest reads what package.json of a directory says of resources. Kinds that it
// says nothing of, or that are no lists, are not in the map.
func (l *loader) manifest(ctx context.Context, dir string) map[Kind][]string {
	path := l.r.Env.Join(dir, "package.json")
	data, err := execenv.ReadConfig(ctx, l.r.Env.FS, path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			l.note(path, "can not be read: %v", err)
		}
		return nil
	}
	var v struct{ Pi map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\uFEFF")), &v); err != nil {
		l.note(path, "is not used: %v", err)
		return nil
	}
	out := map[Kind][]string{}
	for _, kind := range Kinds() {
		var list []any
		raw, ok := v.Pi[string(kind)]
		if !ok || json.Unmarshal(raw, &list) != nil || list == nil {
			if ok {
				l.note(path, `"pi.%s" is no list, so it does not count`, kind)
			}
			continue
		}
		out[kind] = []string{}
		for _, item := range list {
			if text, ok := item.(string); ok {
				out[kind] = append(out[kind], text)
			}
		}
	}
	return out
}
