package tui

import (
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/pi-go/pi/tui/fuzzy"
)

// mostPaths is how many paths are suggested.
const mostPaths = 50

// PathCompleter completes the names of files below a directory, such as
// os.DirFS("."): the word before the cursor when the user asks with a key, and what
// follows an "@" while it is typed. Names that begin with a dot are suggested when
// the word does so as well. Names with spaces are put into quotes.
func PathCompleter(files fs.FS) Completer {
	return CompleterFunc(func(ctx context.Context, r CompletionRequest) (*Suggestions, error) {
		word := r.Before[strings.LastIndexAny(r.Before, " \t")+1:]
		name, marked := strings.CutPrefix(word, "@")
		if !marked && !r.Forced || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "..") {
			return nil, nil
		}
		dir, base := path.Split(name)
		entries, err := fs.ReadDir(files, path.Clean("./"+dir))
		if err != nil {
			return nil, nil // there is no such directory: there is nothing to suggest
		}
		var found []ListItem
		for _, e := range entries {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if strings.HasPrefix(e.Name(), ".") != strings.HasPrefix(base, ".") {
				continue
			}
			value, label := dir+e.Name(), e.Name()
			if e.IsDir() {
				value, label = value+"/", label+"/"
			}
			found = append(found, ListItem{Value: value, Label: label})
		}
		found = fuzzy.Filter(found, base, func(i ListItem) string { return i.Label })
		found = found[:min(len(found), mostPaths)]
		if base == "" {
			slices.SortStableFunc(found, func(a, b ListItem) int { return strings.Compare(a.Label, b.Label) })
		}
		for i := range found {
			if strings.ContainsAny(found[i].Value, " \t") {
				found[i].Value = `"` + found[i].Value + `"`
			}
			if marked {
				found[i].Value = "@" + found[i].Value
			}
		}
		return &Suggestions{Prefix: word, Items: found}, nil
	})
}

// Completers asks several completers, one after the other; the first that has
// suggestions counts.
func Completers(list ...Completer) Completer {
	return CompleterFunc(func(ctx context.Context, r CompletionRequest) (*Suggestions, error) {
		for _, c := range list {
			s, err := c.Complete(ctx, r)
			if err != nil || s != nil && len(s.Items) > 0 {
				return s, err
			}
		}
		return nil, nil
	})
}

// CommandCompleter completes the name of a command at the beginning of the text,
// behind a slash. Values are the names without it. One that is chosen with tab has a
// blank behind it, for arguments; one that is chosen with enter is sent at once.
func CommandCompleter(commands []ListItem) Completer {
	return CompleterFunc(func(_ context.Context, r CompletionRequest) (*Suggestions, error) {
		name, ok := strings.CutPrefix(r.Before, "/")
		if !ok || r.Cursor.Row > 0 || strings.ContainsAny(name, " \t") {
			return nil, nil
		}
		found := fuzzy.Filter(slices.Clone(commands), name, func(i ListItem) string { return i.Value })
		for i := range found {
			if found[i].Label == "" {
				found[i].Label = "/" + found[i].Value
			}
			found[i].Value = "/" + found[i].Value + " "
		}
		return &Suggestions{Prefix: r.Before, Items: found}, nil
	})
}
