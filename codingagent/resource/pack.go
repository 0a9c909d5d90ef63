package resource

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/pi-go/pi/codingagent/packages"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/tools/glob"
	"github.com/pi-go/pi/codingagent/trust"
)

// pack is a package that is in effect.
type pack struct {
	root   string // a directory or a file
	source packages.Source
	scope  Scope
	// entry is that of the settings, delta one of the project that only changes it.
	entry settings.Package
	delta *settings.Package
	// offers are all files by kind, once they were looked for.
	offers map[Kind][]string
}

// scopeDir gives the directory of the files of a scope.
func (l *loader) scopeDir(scope Scope) string {
	if scope == Project {
		return l.r.Env.Join(l.r.Env.Dir, trust.ConfigDir)
	}
	return l.r.AgentDir
}

// findPackages lists the packages in effect: those of the command line, the
// project's, then the user's. Of the same package in both files the project's entry
// counts, or changes the user's if it does not load by itself.
func (l *loader) findPackages(ctx context.Context) []*pack {
	var out []*pack
	for _, t := range l.r.Temporary {
		out = append(out, &pack{root: t.Dir, source: packages.Source{Text: t.Source, Kind: packages.Local}, scope: Temporary})
	}
	byID := map[string]*pack{}
	deltas := map[string]*settings.Package{}
	add := func(scope Scope, list []settings.Package) {
		base := l.scopeDir(scope)
		for _, entry := range list {
			s, err := packages.Parse(entry.Source)
			if err != nil {
				l.note(l.r.Env.Join(base, "settings.json"), "names a package that can not be: %v", err)
				continue
			}
			id := s.Identity(base, l.r.Env.Home)
			p := &pack{root: s.Dir(base, l.r.Env.Home), source: s, scope: scope, entry: entry}
			switch {
			case scope == User && deltas[id] != nil:
				// The user's package with the project's changes, in the place of the entry
				// that makes them.
				*byID[id], byID[id].delta = *p, deltas[id]
				delete(deltas, id)
			case byID[id] != nil:
				continue
			default:
				byID[id] = p
				out = append(out, p)
				if scope == Project && entry.AutoLoad != nil && !*entry.AutoLoad {
					deltas[id] = new(entry)
				}
			}
		}
	}
	if l.r.Trusted {
		add(Project, l.r.Project.Packages)
	}
	if l.r.AgentDir != "" {
		add(User, l.r.User.Packages)
	}
	return slices.DeleteFunc(out, func(p *pack) bool {
		if _, err := l.r.Env.FS.Stat(ctx, p.root); err == nil {
			return false
		}
		if p.source.Kind == packages.Local {
			l.note(p.root, "is not there, but the settings name it as a package")
		} else {
			l.note(p.root, "is not there: the package %s is not installed; pi update --extensions installs it", p.source.Text)
		}
		return true
	})
}

// list gives the filter of a kind in an entry.
func filterOf(p settings.Package, kind Kind) *[]string {
	switch kind {
	case Extensions:
		return p.Extensions
	case Skills:
		return p.Skills
	case Prompts:
		return p.Prompts
	}
	return p.Themes
}

// uses decides whether a file of the package is used.
func (p *pack) uses(l *loader, kind Kind, path string) bool {
	f := filter{l.r.Env, p.root}
	use := applies(f, p.entry, kind, path)
	if p.delta != nil {
		if list := filterOf(*p.delta, kind); list != nil {
			plain := slices.ContainsFunc(*list, func(e string) bool { return !isOverride(e) && f.matches(e, path) })
			use = f.used(*list, path, use || plain, false)
		}
	}
	return use
}

// applies applies an entry of the settings by itself.
func applies(f filter, entry settings.Package, kind Kind, path string) bool {
	start := entry.AutoLoad == nil || *entry.AutoLoad
	switch list := filterOf(entry, kind); {
	case list == nil:
		return start
	case len(*list) == 0:
		return false
	default:
		return f.used(*list, path, start, true)
	}
}

// offered lists all files of a kind that a package holds.
func (l *loader) offered(ctx context.Context, p *pack, kind Kind) []string {
	if p.offers == nil {
		p.offers = l.offers(ctx, p)
	}
	return p.offers[kind]
}

func (l *loader) offers(ctx context.Context, p *pack) map[Kind][]string {
	env := l.r.Env
	out := map[Kind][]string{}
	info, err := env.FS.Stat(ctx, p.root)
	if err != nil {
		return out
	}
	if !info.IsDir() {
		out[Extensions] = []string{p.root}
		return out
	}
	declared := l.manifest(ctx, p.root)
	for kind, list := range declared {
		out[kind] = l.declared(ctx, p, kind, list)
	}
	if len(declared) == 0 {
		empty := true
		for _, kind := range Kinds() {
			dir := env.Join(p.root, string(kind))
			if _, err := env.FS.Stat(ctx, dir); err == nil {
				empty = false
				out[kind] = l.collect(ctx, kind, dir, true, true)
			}
		}
		if empty {
			out[Extensions] = l.extensionEntry(ctx, p.root)
		}
	}
	for kind := range out {
		out[kind] = slices.DeleteFunc(out[kind], func(path string) bool { return !l.belongs(ctx, p, path) })
	}
	return out
}

// belongs reports whether a file is really one of the package: a link in what was
// fetched must not lead to a file of this machine.
func (l *loader) belongs(ctx context.Context, p *pack, path string) bool {
	if p.source.Kind == packages.Local {
		return true
	}
	root, err := l.r.Env.FS.RealPath(ctx, p.root)
	if err != nil {
		return false
	}
	file, err := l.r.Env.FS.RealPath(ctx, path)
	if err != nil || !within(l.r.Env, root, file) {
		l.note(path, "is left out: it leads out of the package %s", p.source.Text)
		return false
	}
	return true
}

// declared lists the files that the manifest of a package names: paths, globs, and
// entries that change what the others choose.
func (l *loader) declared(ctx context.Context, p *pack, kind Kind, list []string) []string {
	env := l.r.Env
	var out []string
	add := func(paths []string) {
		for _, path := range paths {
			if !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	for _, entry := range list {
		if isOverride(entry) {
			continue
		}
		if strings.ContainsAny(entry, "*?[{") {
			for _, path := range l.glob(ctx, p.root, entry) {
				add(l.collect(ctx, kind, path, true, true))
			}
			continue
		}
		path := env.Clean(env.Join(p.root, entry))
		if env.IsAbs(entry) || !within(env, p.root, path) {
			l.note(env.Join(p.root, "package.json"), "names %q, which is not in the package; it is left out", entry)
			continue
		}
		if _, err := env.FS.Stat(ctx, path); err != nil {
			l.note(path, "is not there, but the package %s names it", p.source.Text)
			continue
		}
		add(l.collect(ctx, kind, path, true, true))
	}
	f := filter{env, p.root}
	return slices.DeleteFunc(out, func(path string) bool { return !f.used(list, path, true, false) })
}

// glob lists what is in a directory and matches a pattern. What begins with a dot,
// links to directories and node_modules are not looked into.
func (l *loader) glob(ctx context.Context, root, pattern string) []string {
	env := l.r.Env
	g, err := glob.Compile(strings.TrimPrefix(pattern, "./"), glob.Options{Braces: true})
	if err != nil {
		l.note(env.Join(root, "package.json"), "has the pattern %q: %v", pattern, err)
		return nil
	}
	var out []string
	var walk func(dir, rel string, depth int)
	walk = func(dir, rel string, depth int) {
		entries, err := env.FS.ReadDir(ctx, dir)
		if err != nil || depth > maxDepth || ctx.Err() != nil {
			return
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" {
				continue
			}
			path, name := env.Join(dir, e.Name()), rel+e.Name()
			if g.Match(name) {
				out = append(out, path)
				continue
			}
			if e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
				walk(path, name+"/", depth+1)
			}
		}
	}
	walk(root, "", 0)
	slices.Sort(out)
	return out
}
