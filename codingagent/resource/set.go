package resource

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/skill"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/tools/ignore"
	"github.com/pi-go/pi/codingagent/trust"
)

// Scope says whose a resource is.
type Scope string

// The scopes.
const (
	Temporary Scope = "temporary" // of this run: from the command line
	Project   Scope = "project"
	User      Scope = "user"
)

// Skill is a skill and whose it is.
type Skill struct {
	skill.Skill
	Scope Scope
	// Package is the source of the package it comes from, "" if from none, and Base
	// the directory of the package, or of the settings.
	Package, Base string
}

// Template is a prompt template and whose it is.
type Template struct {
	skill.Template
	Scope         Scope
	Package, Base string // as of [Skill]
}

// File is a resource that others read: an extension or a theme.
type File struct {
	Path          string
	Scope         Scope
	Package, Base string // as of [Skill]
}

// Item is a resource that was found, used or not.
type Item struct {
	Kind    Kind
	Path    string
	Scope   Scope
	Package string // as of [Skill]
	// Base is what entries of the settings about it are relative to: the root of its
	// package, or the directory of the settings.
	Base string
	// On says that the settings let it be used. Another of the same name may still
	// win.
	On bool
}

// Set is what was found for a directory.
type Set struct {
	Skills    []Skill
	Templates []Template
	// Extensions are the files to load, in the order in which they are loaded.
	Extensions []File
	// Themes are files of themes; of two with the same name the first counts.
	Themes []File
	// Items are all resources that were found, in the order in which they count.
	Items []Item
	// System replaces the system prompt, Append adds to it; "" is none.
	System, Append string
	// SystemPath and AppendPath are the files that System and Append are of.
	SystemPath, AppendPath string
	Notes                  []Diagnostic
}

// Temp is a package of the command line.
type Temp struct {
	// Dir is where it is: a directory, or the file of an extension.
	Dir string
	// Source is what was given on the command line.
	Source string
}

// Request says where to look.
type Request struct {
	Env      execenv.Env
	AgentDir string // of the user's files
	// Trusted says that the project's files may be read.
	Trusted bool
	// User and Project are the lists of the settings; relative paths are
	// relative to AgentDir and to .pi. Packages that they name are used as far as
	// they are installed.
	User, Project settings.Resources
	// Skills, Prompts and Themes are paths of the command line, absolute. They win
	// over all others.
	Skills, Prompts, Themes []string
	// Temporary are packages and extensions of the command line, which come next.
	Temporary []Temp
	// NoExtensions, NoSkills, NoPrompts and NoThemes leave out what is not from the
	// command line.
	NoExtensions, NoSkills, NoPrompts, NoThemes bool
}

// Load finds resources and files of the system prompt. Of two with the same name
// the first counts: those of the command line, then the project's, then the user's,
// then those of packages, the project's first.
func Load(ctx context.Context, r Request) Set {
	l := loader{r: r, parsed: map[string]skill.Skill{}, problems: map[string][]string{}}
	l.packages = l.findPackages(ctx)
	l.skills(ctx)
	l.templates(ctx)
	l.set.Extensions = l.plain(ctx, Extensions)
	l.set.Themes = l.plain(ctx, Themes)
	l.set.System, l.set.SystemPath = l.promptFile(ctx, "SYSTEM.md")
	l.set.Append, l.set.AppendPath = l.promptFile(ctx, "APPEND_SYSTEM.md")
	return l.set
}

type loader struct {
	r        Request
	set      Set
	packages []*pack
	parsed   map[string]skill.Skill // by path
	problems map[string][]string    // of skills, by path
}

func (l *loader) note(path, format string, args ...any) {
	l.set.Notes = append(l.set.Notes, Diagnostic{path, fmt.Sprintf(format, args...)})
}

// place is a root with its scope.
type place struct {
	dir   string
	loose bool
	scope Scope
	named bool // by the settings, not found
}

// wanted gives the paths of the command line for a kind, whether others are left
// out, and the lists of the settings.
func (l *loader) wanted(kind Kind) (explicit []string, none bool, project, user []string) {
	r := l.r
	switch kind {
	case Skills:
		return r.Skills, r.NoSkills, r.Project.Skills, r.User.Skills
	case Prompts:
		return r.Prompts, r.NoPrompts, r.Project.Prompts, r.User.Prompts
	case Themes:
		return r.Themes, r.NoThemes, r.Project.Themes, r.User.Themes
	}
	return nil, r.NoExtensions, r.Project.Extensions, r.User.Extensions
}

// places lists where a kind of resource may be: what the settings name, and
// the directory of the kind.
func (l *loader) places(ctx context.Context, kind Kind, project, user []string) []place {
	env := l.r.Env
	var out []place
	named := func(scope Scope, list []string) {
		f := filter{env, l.scopeDir(scope)}
		for _, p := range list {
			if p == "" || p[0] == '!' || p[0] == '-' || strings.HasPrefix(strings.TrimPrefix(p, "+"), "builtin:") {
				continue
			}
			out = append(out, place{env.Clean(f.path(strings.TrimPrefix(p, "+"))), true, scope, true})
		}
	}
	if l.r.Trusted {
		named(Project, project)
		out = append(out, place{env.Join(l.scopeDir(Project), string(kind)), true, Project, false})
		if kind == Skills {
			for _, dir := range trust.SkillDirs(ctx, env) {
				out = append(out, place{dir, false, Project, false})
			}
		}
	}
	if l.r.AgentDir != "" {
		named(User, user)
		out = append(out, place{env.Join(l.r.AgentDir, string(kind)), true, User, false})
	}
	if kind == Skills && env.Home != "" {
		out = append(out, place{env.Join(env.Home, ".agents", "skills"), false, User, false})
	}
	return out
}

// find lists all resources of a kind in the order in which they count, each file
// once.
func (l *loader) find(ctx context.Context, kind Kind) []Item {
	explicit, none, project, user := l.wanted(kind)
	var out []Item
	seen := map[string]bool{}
	add := func(it Item) {
		if !seen[it.Path] {
			seen[it.Path] = true
			it.Kind = kind
			out = append(out, it)
		}
	}
	for _, path := range explicit {
		found := l.collect(ctx, kind, path, true, false)
		if _, err := l.r.Env.FS.Stat(ctx, path); errors.Is(err, fs.ErrNotExist) {
			l.note(path, "is not there")
		} else if len(found) == 0 {
			l.note(path, "holds no %s", kind)
		}
		for _, f := range found {
			add(Item{Path: f, Scope: Temporary, On: true})
		}
	}
	packed := func(temporary bool) {
		for _, p := range l.packages {
			if (p.scope == Temporary) != temporary {
				continue
			}
			for _, f := range l.offered(ctx, p, kind) {
				add(Item{Path: f, Scope: p.scope, Package: p.source.Text, Base: p.root, On: p.uses(l, kind, f)})
			}
		}
	}
	packed(true)
	if !none {
		for _, p := range l.places(ctx, kind, project, user) {
			list := user
			if p.scope == Project {
				list = project
			}
			f := filter{l.r.Env, l.scopeDir(p.scope)}
			for _, path := range l.collect(ctx, kind, p.dir, p.loose, p.named) {
				add(Item{Path: path, Scope: p.scope, Base: f.base, On: f.used(list, path, true, false)})
			}
		}
		packed(false)
	}
	for _, it := range out {
		if _, ok := l.parsed[it.Path]; ok || kind != Skills {
			l.set.Items = append(l.set.Items, it)
		}
	}
	return slices.DeleteFunc(slices.Clone(out), func(it Item) bool { return !it.On })
}

// plain finds resources that others read.
func (l *loader) plain(ctx context.Context, kind Kind) []File {
	var out []File
	for _, it := range l.find(ctx, kind) {
		out = append(out, File{it.Path, it.Scope, it.Package, it.Base})
	}
	return out
}

func (l *loader) skills(ctx context.Context) {
	taken := map[string]string{}
	real := map[string]bool{}
	for _, it := range l.find(ctx, Skills) {
		for _, problem := range l.problems[it.Path] {
			l.note(it.Path, "%s", problem)
		}
		s, ok := l.parsed[it.Path]
		if !ok {
			continue
		}
		if file, err := l.r.Env.FS.RealPath(ctx, it.Path); err == nil {
			if real[file] {
				continue // the same by another way
			}
			real[file] = true
		}
		if taken[s.Name] != "" {
			l.note(it.Path, "is left out: the skill %q is in %s already", s.Name, taken[s.Name])
			continue
		}
		taken[s.Name] = it.Path
		l.set.Skills = append(l.set.Skills, Skill{s, it.Scope, it.Package, it.Base})
	}
}

// ignored applies the ignore files below a root.
func (l *loader) ignored(root string) func(ctx context.Context, path string, dir bool) bool {
	env := l.r.Env
	rules := map[string][]*ignore.Rules{}
	of := func(ctx context.Context, dir string) []*ignore.Rules {
		if got, ok := rules[dir]; ok {
			return got
		}
		var list []*ignore.Rules
		for _, name := range []string{".gitignore", ".ignore", ".fdignore"} {
			if data, err := execenv.ReadConfig(ctx, env.FS, env.Join(dir, name)); err == nil {
				list = append(list, ignore.Parse(data))
			}
		}
		rules[dir] = list
		return list
	}
	return func(ctx context.Context, path string, isDir bool) bool {
		for dir := env.ParentDir(path); ; dir = env.ParentDir(dir) {
			rel, ok := env.Rel(dir, path)
			if !ok {
				return false
			}
			verdict := ignore.Silent
			for _, r := range of(ctx, dir) {
				if v := r.Match(strings.ReplaceAll(rel, `\`, "/"), isDir); v != ignore.Silent {
					verdict = v
				}
			}
			if verdict != ignore.Silent {
				return verdict == ignore.Ignored
			}
			if dir == root || dir == env.ParentDir(dir) {
				return false
			}
		}
	}
}

func (l *loader) templates(ctx context.Context) {
	taken := map[string]string{}
	for _, it := range l.find(ctx, Prompts) {
		text, err := skill.Read(ctx, l.r.Env.FS, it.Path)
		if err != nil {
			l.note(it.Path, "is left out: %v", err)
			continue
		}
		t, err := skill.ParseTemplate(it.Path, text)
		switch {
		case err != nil:
			l.note(it.Path, "is left out: %v", err)
		case taken[t.Name] != "":
			l.note(it.Path, "is left out: the prompt %q is in %s already", "/"+t.Name, taken[t.Name])
		default:
			taken[t.Name] = it.Path
			l.set.Templates = append(l.set.Templates, Template{t, it.Scope, it.Package, it.Base})
		}
	}
}

// promptFile reads a file of the system prompt: the project's, or else the
// user's. An empty one of the project hides the user's.
func (l *loader) promptFile(ctx context.Context, name string) (text, path string) {
	var paths []string
	if l.r.Trusted {
		paths = append(paths, l.r.Env.Join(l.r.Env.Dir, trust.ConfigDir, name))
	}
	if l.r.AgentDir != "" {
		paths = append(paths, l.r.Env.Join(l.r.AgentDir, name))
	}
	for _, path := range paths {
		text, err := skill.Read(ctx, l.r.Env.FS, path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			l.note(path, "is not used: %v", err)
		default:
			return strings.TrimSpace(strings.TrimPrefix(text, "\uFEFF")), path
		}
	}
	return "", ""
}
