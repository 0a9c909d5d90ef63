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
}

// Template is a prompt template and whose it is.
type Template struct {
	skill.Template
	Scope Scope
}

// Set is what was found for a directory.
type Set struct {
	Skills    []Skill
	Templates []Template
	// System replaces the system prompt, Append adds to it; "" is none.
	System, Append string
	// SystemPath and AppendPath are the files that System and Append are of.
	SystemPath, AppendPath string
	Notes                  []Diagnostic
}

// Request says where to look.
type Request struct {
	Env      execenv.Env
	AgentDir string // of the user's files
	// Trusted says that the project's files may be read.
	Trusted bool
	// User and Project are the lists of the settings; relative paths are
	// relative to AgentDir and to .pi.
	User, Project settings.Resources
	// Skills and Prompts are paths of the command line, absolute. They win over
	// all others.
	Skills, Prompts []string
	// NoSkills and NoPrompts leave out what is not from the command line.
	NoSkills, NoPrompts bool
}

// Load finds skills, templates and files of the system prompt. Of two with the
// same name the first counts: those of the command line, then the project's,
// then the user's.
func Load(ctx context.Context, r Request) Set {
	l := loader{r: r}
	l.skills(ctx)
	l.templates(ctx)
	l.set.System, l.set.SystemPath = l.promptFile(ctx, "SYSTEM.md")
	l.set.Append, l.set.AppendPath = l.promptFile(ctx, "APPEND_SYSTEM.md")
	return l.set
}

type loader struct {
	r   Request
	set Set
}

func (l *loader) note(path, format string, args ...any) {
	l.set.Notes = append(l.set.Notes, Diagnostic{path, fmt.Sprintf(format, args...)})
}

// place is a root with its scope.
type place struct {
	dir   string
	loose bool
	scope Scope
}

// places lists where a kind of resource may be: what the settings name, and
// the directory of the kind.
func (l *loader) places(kind string, explicit, project, user []string, none bool) []place {
	env := l.r.Env
	var out []place
	for _, p := range explicit {
		out = append(out, place{p, true, Temporary})
	}
	if none {
		return out
	}
	named := func(base string, list []string, scope Scope) {
		for _, p := range list {
			if strings.HasPrefix(p, "!") || strings.HasPrefix(p, "-") {
				continue
			}
			p = strings.TrimPrefix(p, "+")
			if rest, ok := strings.CutPrefix(p, "~/"); ok {
				p = env.Join(env.Home, rest)
			} else if !env.IsAbs(p) {
				p = env.Join(base, p)
			}
			out = append(out, place{env.Clean(p), true, scope})
		}
	}
	if l.r.Trusted {
		base := env.Join(env.Dir, trust.ConfigDir)
		named(base, project, Project)
		out = append(out, place{env.Join(base, kind), true, Project})
		if kind == "skills" {
			for _, dir := range trust.SkillDirs(context.Background(), env) {
				out = append(out, place{dir, false, Project})
			}
		}
	}
	if l.r.AgentDir != "" {
		named(l.r.AgentDir, user, User)
		out = append(out, place{env.Join(l.r.AgentDir, kind), true, User})
	}
	if kind == "skills" && env.Home != "" {
		out = append(out, place{env.Join(env.Home, ".agents", "skills"), false, User})
	}
	return out
}

// left reports whether the settings leave a path out: by "-path" or "!glob".
func (l *loader) left(scope Scope, path string, project, user []string) bool {
	list, base := user, l.r.AgentDir
	if scope == Project {
		list, base = project, l.r.Env.Join(l.r.Env.Dir, trust.ConfigDir)
	}
	out := false
	for _, p := range list {
		switch {
		case strings.HasPrefix(p, "-"):
			if l.r.Env.Clean(l.r.Env.Join(base, p[1:])) == path {
				return true
			}
		case strings.HasPrefix(p, "!"):
			rel, ok := l.r.Env.Rel(base, path)
			if !ok {
				rel = path
			}
			rules := ignore.Parse([]byte(p[1:]))
			out = out || rules.Match(rel, false) == ignore.Ignored
		}
	}
	return out
}

func (l *loader) skills(ctx context.Context) {
	project, user := l.r.Project.Skills, l.r.User.Skills
	taken := map[string]string{}
	var found []string
	for _, p := range l.places("skills", l.r.Skills, project, user, l.r.NoSkills) {
		skills, problems := skill.Discover(ctx, l.r.Env.FS, skill.Root{Dir: p.dir, Loose: p.loose, Skip: l.ignored(p.dir)})
		for _, n := range problems {
			l.note(n.Path, "%s", n.Message)
		}
		if p.scope == Temporary && len(skills) == 0 && len(problems) == 0 {
			l.note(p.dir, "holds no skill")
		}
		for _, s := range skills {
			switch {
			case slices.Contains(found, s.Path) || p.scope != Temporary && l.left(p.scope, s.Path, project, user):
				continue
			case taken[s.Name] != "":
				l.note(s.Path, "is left out: the skill %q is in %s already", s.Name, taken[s.Name])
				continue
			}
			taken[s.Name] = s.Path
			found = append(found, s.Path)
			l.set.Skills = append(l.set.Skills, Skill{s, p.scope})
		}
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
	project, user := l.r.Project.Prompts, l.r.User.Prompts
	taken := map[string]string{}
	for _, p := range l.places("prompts", l.r.Prompts, project, user, l.r.NoPrompts) {
		for _, path := range l.markdown(ctx, p) {
			if p.scope != Temporary && l.left(p.scope, path, project, user) {
				continue
			}
			text, err := skill.Read(ctx, l.r.Env.FS, path)
			if err != nil {
				l.note(path, "is left out: %v", err)
				continue
			}
			t, err := skill.ParseTemplate(path, text)
			switch {
			case err != nil:
				l.note(path, "is left out: %v", err)
			case taken[t.Name] == path:
			case taken[t.Name] != "":
				l.note(path, "is left out: the prompt %q is in %s already", "/"+t.Name, taken[t.Name])
			default:
				taken[t.Name] = path
				l.set.Templates = append(l.set.Templates, Template{t, p.scope})
			}
		}
	}
}

// markdown lists the Markdown files of a place, which may be a file itself.
func (l *loader) markdown(ctx context.Context, p place) []string {
	env := l.r.Env
	info, err := env.FS.Stat(ctx, p.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if p.scope == Temporary {
			l.note(p.dir, "is not there")
		}
		return nil
	case err != nil:
		l.note(p.dir, "can not be looked at; its prompts are left out: %v", err)
		return nil
	case !info.IsDir():
		return []string{p.dir}
	}
	entries, err := env.FS.ReadDir(ctx, p.dir)
	if err != nil {
		l.note(p.dir, "can not be read; its prompts are left out: %v", err)
		return nil
	}
	skip := l.ignored(p.dir)
	var out []string
	for _, e := range entries {
		path := env.Join(p.dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || !strings.HasSuffix(e.Name(), ".md") || skip(ctx, path, false) {
			continue
		}
		if info, err := env.FS.Stat(ctx, path); err == nil && info.Mode().IsRegular() {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
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
