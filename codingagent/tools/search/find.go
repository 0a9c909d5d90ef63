package search

import (
	"context"
	"strings"

	"github.com/pi-go/pi/codingagent/tools/glob"
)

// Names is what [Find] is to look for.
type Names struct {
	// Pattern is a glob. Without a slash it is compared with names at any depth, with
	// one with whole paths from the root, or absolute ones if it is absolute. If it
	// has no capital letter, case does not count.
	Pattern string
	// Limit is how many are wanted; it must be positive.
	Limit int
}

// Found is what Find found.
type Found struct {
	// Paths are relative to the root, with "/" between their elements and behind
	// directories.
	Paths []string
	// More says that there are more than the limit.
	More bool
	// Unreadable is the number of directories that could not be read.
	Unreadable int
}

// Find looks for files and directories by their names.
func Find(ctx context.Context, tree Tree, q Names) (Found, error) {
	pattern := strings.TrimPrefix(q.Pattern, "./")
	if tree.Env.Windows {
		pattern = strings.ReplaceAll(pattern, `\`, "/")
	}
	p, err := glob.Compile(strings.TrimSuffix(pattern, "/"), glob.Options{
		Braces: true, FoldCase: strings.ToLower(pattern) == pattern,
	})
	if err != nil {
		return Found{}, err
	}
	byName := !strings.Contains(strings.TrimSuffix(pattern, "/"), "/")
	dirOnly := strings.HasSuffix(pattern, "/")
	prefix := ""
	if tree.Env.IsAbs(q.Pattern) {
		prefix = strings.TrimSuffix(strings.ReplaceAll(tree.Root, `\`, "/"), "/") + "/"
	}
	var found Found
	found.Unreadable, err = tree.Walk(ctx, func(e Entry) bool {
		text := prefix + e.Path
		if byName {
			text = e.Path[strings.LastIndexByte(e.Path, '/')+1:]
		}
		if dirOnly && e.Kind != Dir || !p.Match(text) {
			return true
		}
		if len(found.Paths) == q.Limit {
			found.More = true
			return false
		}
		path := e.Path
		if e.Kind == Dir {
			path += "/"
		}
		found.Paths = append(found.Paths, path)
		return true
	})
	return found, err
}
