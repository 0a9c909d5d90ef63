package search

import (
	"bufio"
	"bytes"
	"context"
	"io/fs"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools/ignore"
)

// level is a directory that has a say in what is ignored below it: because there
// are ignore files in it, or because it is the top of a repository. Directories
// without either share the level of their parent.
type level struct {
	parent  *level
	strip   int             // length of the directory's path, with the slash behind it
	git     *ignore.Rules   // .gitignore
	exclude *ignore.Rules   // info/exclude of the repository
	named   []*ignore.Rules // Tree.IgnoreFiles, nil where one is missing
	repo    bool            // the top of a repository
	inRepo  bool            // in a repository, whatever its top
}

// ruleReader makes levels.
type ruleReader struct {
	ctx        context.Context
	env        execenv.Env
	files      []string // names of ignore files besides .gitignore
	requireGit bool
	global     *ignore.Rules
	globalRead bool
}

func (r *ruleReader) read(path string) *ignore.Rules {
	data, err := r.env.FS.ReadFile(r.ctx, path)
	if err != nil {
		return nil
	}
	if rules := ignore.Parse(data); !rules.Empty() {
		return rules
	}
	return nil
}

// enter returns the level of a directory with the given entries. path is its
// absolute path, strip the length of its relative one with the slash.
func (r *ruleReader) enter(parent *level, path string, strip int, entries []name) *level {
	var l *level
	at := func() *level {
		if l == nil {
			l = &level{parent: parent, strip: strip, inRepo: parent != nil && parent.inRepo}
		}
		return l
	}
	for i := range entries {
		e := entries[i].s
		if e[0] != '.' {
			continue
		}
		switch {
		case e == ".git" && entries[i].kind != Link:
			at().repo, at().inRepo = true, true
			at().exclude = r.read(r.env.Join(r.gitDir(path), "info", "exclude"))
		case e == ".gitignore" && entries[i].kind == File:
			at().git = r.read(r.env.Join(path, e))
		default:
			for k, file := range r.files {
				if e == file && entries[i].kind == File {
					if at().named == nil {
						l.named = make([]*ignore.Rules, len(r.files))
					}
					l.named[k] = r.read(r.env.Join(path, e))
				}
			}
		}
	}
	if l == nil {
		return parent
	}
	return l
}

// gitDir is the directory that holds the data of the repository at path, which is
// elsewhere for submodules and work trees.
func (r *ruleReader) gitDir(path string) string {
	dot := r.env.Join(path, ".git")
	data, err := r.env.FS.ReadFile(r.ctx, dot)
	if err != nil {
		return dot
	}
	target, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir:")
	if !ok {
		return dot
	}
	dir := strings.TrimSpace(target)
	if !r.env.IsAbs(dir) {
		dir = r.env.Join(path, dir)
	}
	// A work tree shares most things with the repository it belongs to.
	if common, err := r.env.FS.ReadFile(r.ctx, r.env.Join(dir, "commondir")); err == nil {
		if c := strings.TrimSpace(string(common)); r.env.IsAbs(c) {
			return c
		} else if c != "" {
			return r.env.Join(dir, c)
		}
	}
	return dir
}

// globalRules are those of the excludes file of the user: core.excludesFile of the
// git configuration, or ~/.config/git/ignore. They are read when first asked for.
func (r *ruleReader) globalRules() *ignore.Rules {
	if r.globalRead || r.env.Home == "" {
		return r.global
	}
	r.globalRead = true
	file := r.env.Join(r.env.Home, ".config", "git", "ignore")
	for _, config := range []string{r.env.Join(r.env.Home, ".config", "git", "config"), r.env.Join(r.env.Home, ".gitconfig")} {
		data, err := r.env.FS.ReadFile(r.ctx, config)
		if err != nil {
			continue
		}
		if f := excludesFile(data); f != "" {
			if rest, ok := strings.CutPrefix(f, "~/"); ok {
				f = r.env.Join(r.env.Home, rest)
			}
			file = f
		}
	}
	if r.env.IsAbs(file) {
		r.global = r.read(file)
	}
	return r.global
}

// excludesFile finds core.excludesFile in a git configuration.
func excludesFile(config []byte) (file string) {
	core := false
	for sc := bufio.NewScanner(bytes.NewReader(config)); sc.Scan(); {
		line := strings.TrimSpace(sc.Text())
		if strings.HasPrefix(line, "[") {
			core = strings.EqualFold(strings.ReplaceAll(line, " ", ""), "[core]")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if core && ok && strings.EqualFold(strings.TrimSpace(key), "excludesfile") {
			file = strings.Trim(strings.TrimSpace(value), `"`)
		}
	}
	return file
}

// ignored reports whether the rules leave out a path. l is the level of the
// directory that it is in.
func (r *ruleReader) ignored(l *level, path string, isDir bool) bool {
	for k := range r.files {
		for at := l; at != nil; at = at.parent {
			if at.named == nil || at.named[k] == nil {
				continue
			}
			if v := at.named[k].Match(path[at.strip:], isDir); v != ignore.Silent {
				return v == ignore.Ignored
			}
		}
	}
	if r.requireGit && (l == nil || !l.inRepo) {
		return false
	}
	top := 0
	for at := l; at != nil; at = at.parent {
		if at.git != nil {
			if v := at.git.Match(path[at.strip:], isDir); v != ignore.Silent {
				return v == ignore.Ignored
			}
		}
		if at.repo {
			if at.exclude != nil {
				if v := at.exclude.Match(path[at.strip:], isDir); v != ignore.Silent {
					return v == ignore.Ignored
				}
			}
			top = at.strip
			break
		}
	}
	global := r.globalRules()
	return global != nil && global.Match(path[top:], isDir) == ignore.Ignored
}

// repository finds the top of the repository that dir is in, "" if there is none.
func repository(ctx context.Context, env execenv.Env, dir string) string {
	for {
		if info, err := env.FS.Lstat(ctx, env.Join(dir, ".git")); err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return dir
		}
		parent := env.ParentDir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
