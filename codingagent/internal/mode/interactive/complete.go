package interactive

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/pi-go/pi/codingagent/tools/search"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/fuzzy"
)

const (
	maxSuggestions = 50
	maxFiles       = 200_000          // how many names are looked at
	fileListTime   = 3 * time.Second  // how long a list of names is good
	fileWait       = 10 * time.Second // how long a list may take
)

// complete finds ways to go on with what is being typed. It is called on a
// goroutine of its own.
func (u *ui) complete(ctx context.Context, r tui.CompletionRequest) (*tui.Suggestions, error) {
	if r.Cursor.Row == 0 && strings.HasPrefix(r.Before, "/") {
		name, arg, given := strings.Cut(r.Before[1:], " ")
		if !given {
			return u.completeCommand(r.Before), nil
		}
		for _, c := range commands() {
			if c.name == name && c.complete != nil {
				return &tui.Suggestions{Prefix: arg, Items: filterItems(c.complete(ctx, u), arg)}, nil
			}
		}
		if !r.Forced {
			return nil, nil
		}
	}
	word := r.Before[strings.LastIndexAny(r.Before, " \t")+1:]
	query, at := strings.CutPrefix(word, "@")
	if !at && !r.Forced {
		return nil, nil
	}
	names, err := u.files(ctx)
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	s := &tui.Suggestions{Prefix: word}
	for _, n := range rankFiles(names, query) {
		value := n
		if at {
			value = "@" + n
		}
		if strings.ContainsAny(n, " \t") {
			value = `"` + n + `"`
			if at {
				value = "@" + value
			}
		}
		s.Items = append(s.Items, tui.ListItem{Value: value, Label: oneLine(n)})
	}
	return s, nil
}

// rankFiles gives the names that fit a query best, those that have it in their
// last element first.
func rankFiles(names []string, query string) []string {
	if query == "" {
		return names[:min(len(names), maxSuggestions)]
	}
	found := fuzzy.Filter(names, query, func(s string) string { return s })
	lower := strings.ToLower(query)
	var first, rest []string
	for _, n := range found {
		base := strings.ToLower(filepath.Base(strings.TrimSuffix(n, "/")))
		if strings.Contains(base, lower) {
			first = append(first, n)
		} else {
			rest = append(rest, n)
		}
		if len(first) >= maxSuggestions {
			break
		}
	}
	first = append(first, rest...)
	return first[:min(len(first), maxSuggestions)]
}

func (u *ui) completeCommand(before string) *tui.Suggestions {
	s := &tui.Suggestions{Prefix: before}
	var items []tui.ListItem
	for _, c := range commands() {
		if c.hidden {
			continue
		}
		items = append(items, tui.ListItem{Value: "/" + c.name, Label: c.label(), Description: c.help})
	}
	for _, c := range u.session().Commands() {
		items = append(items, tui.ListItem{Value: "/" + c.Name, Label: oneLine("/" + strings.TrimSpace(c.Name+" "+c.Hint)), Description: oneLine(c.Description)})
	}
	query := before[1:]
	var exact []tui.ListItem
	for _, it := range items {
		if strings.HasPrefix(it.Value[1:], query) {
			exact = append(exact, it)
		}
	}
	if s.Items = exact; len(exact) == 0 {
		s.Items = fuzzy.Filter(items, query, func(it tui.ListItem) string { return it.Value })
	}
	return s
}

func filterItems(items []tui.ListItem, query string) []tui.ListItem {
	found := fuzzy.Filter(items, query, func(it tui.ListItem) string { return it.Value })
	return found[:min(len(found), maxSuggestions)]
}

// files lists the names below the directory that git does not ignore. The list
// is kept for a moment, as it is asked for with every key.
func (u *ui) files(ctx context.Context) ([]string, error) {
	u.fileList.mu.Lock()
	defer u.fileList.mu.Unlock()
	root := u.fileList.root
	if u.fileList.names != nil && time.Since(u.fileList.read) < fileListTime {
		return u.fileList.names, nil
	}
	// A key may end the wait for this list, but not the reading: the next key
	// will want it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fileWait)
	defer cancel()
	found, err := search.Find(ctx, search.Tree{Env: u.cfg.Env, Root: root}, search.Names{Pattern: "*", Limit: maxFiles})
	if err != nil && len(found.Paths) == 0 {
		return nil, err
	}
	u.fileList.names, u.fileList.read = found.Paths, time.Now()
	if u.fileList.names == nil {
		u.fileList.names = []string{}
	}
	return u.fileList.names, nil
}
