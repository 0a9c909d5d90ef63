package interactive

import (
	"context"
	"strings"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/fuzzy"
)

// complete finds ways to go on with what is being typed. It is called on a
// goroutine of its own.
func (u *ui) complete(ctx context.Context, r tui.CompletionRequest) (*tui.Suggestions, error) {
	if s := u.guests.completions.suggest(ctx, r); s != nil {
		return s, nil
	}
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
		if s, ok := u.completeArguments(ctx, name, arg); ok {
			return s, nil
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
	names, err := u.fileList.find(ctx, u.cfg.Env, u.spawn, query)
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	s := &tui.Suggestions{Prefix: word}
	for _, n := range names {
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
		if c.Source == "skill" && u.noSkills.Load() {
			continue // they can still be said
		}
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
