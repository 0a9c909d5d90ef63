package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
)

// Tree is what is to be searched.
type Tree struct {
	// Env holds the files.
	Env execenv.Env
	// Root is the directory to search, absolute.
	Root string
	// RequireGit makes .gitignore count in git repositories only. Otherwise those
	// below Root count anywhere.
	RequireGit bool
	// IgnoreFiles names files with git's syntax that are obeyed beside .gitignore,
	// the most important first.
	IgnoreFiles []string
	// Only limits which entries are visited; nil visits all. What it asks for is
	// visited even if it is ignored.
	Only *Filter
}

// Entry is something found in a tree.
type Entry struct {
	// Path is relative to the root, with "/" between its elements.
	Path string
	Kind Kind
}

// walker goes through a tree. It belongs to one goroutine.
type walker struct {
	Tree
	ctx        context.Context
	src        source
	rules      ruleReader
	visit      func(Entry) bool
	base       int // length of what comes before the root in paths
	unreadable int
}

// Walk visits the entries of a tree, directories before what is in them, until
// visit returns false. It returns the number of directories that could not be
// read. The error is not nil if the root could not, or ctx ended.
func (t Tree) Walk(ctx context.Context, visit func(Entry) bool) (unreadable int, err error) {
	w := &walker{Tree: t, ctx: ctx, visit: visit, src: newSource(t.Env, t.Root)}
	w.rules = ruleReader{ctx: ctx, env: t.Env, files: t.IgnoreFiles, requireGit: t.RequireGit}
	// The rules of a repository begin at its top, which may be above the root. Paths
	// are kept relative to that, so that one path serves all levels of rules.
	top := repository(ctx, t.Env, t.Root)
	if top == "" {
		top = t.Root
	}
	rel, ok := t.Env.Rel(top, t.Root)
	if !ok || rel == "." {
		rel = ""
	}
	l, prefix, dir := (*level)(nil), "", top
	if rel != "" {
		for elem := range strings.SplitSeq(rel, "/") {
			entries, err := w.src.list(ctx, dir)
			if err == nil {
				l = w.rules.enter(l, dir, len(prefix), entries)
			}
			prefix += elem + "/"
			dir = t.Env.Join(dir, elem)
		}
	}
	w.base = len(prefix)
	entries, err := w.src.list(ctx, t.Root)
	if err != nil {
		return 0, fmt.Errorf("search %s: %w", t.Root, err)
	}
	w.dir(l, t.Root, prefix, entries)
	if ctx.Err() != nil {
		return w.unreadable, context.Cause(ctx)
	}
	return w.unreadable, nil
}

// dir visits the entries of a directory. path is its absolute path, prefix its
// path from the top with a slash behind it. It reports whether to go on.
func (w *walker) dir(parent *level, path, prefix string, entries []name) bool {
	if w.ctx.Err() != nil {
		return false
	}
	slices.SortFunc(entries, func(a, b name) int { return strings.Compare(a.s, b.s) })
	l := w.rules.enter(parent, path, len(prefix), entries)
	// The source's slice is overwritten by the next list.
	entries = slices.Clone(entries)
	for i := range entries {
		e := &entries[i]
		if e.s == ".git" {
			continue
		}
		full := prefix + e.s
		isDir := e.kind == Dir
		switch w.Only.verdict(full[w.base:], isDir) {
		case unwanted:
			continue
		case unsaid:
			if w.rules.ignored(l, full, isDir) {
				continue
			}
		}
		if !w.visit(Entry{full[w.base:], e.kind}) {
			return false
		}
		if !isDir {
			continue
		}
		below := w.below(path, e.s)
		inside, err := w.src.list(w.ctx, below)
		if err != nil {
			w.unreadable++
			continue
		}
		if !w.dir(l, below, full+"/", inside) {
			return false
		}
	}
	return true
}

// below is the path of an entry of a directory.
func (w *walker) below(dir, name string) string {
	separator := "/"
	if w.Env.Windows {
		separator = `\`
	}
	if strings.HasSuffix(dir, separator) { // a root
		return dir + name
	}
	return dir + separator + name
}
