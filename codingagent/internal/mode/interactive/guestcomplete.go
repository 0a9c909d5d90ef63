package interactive

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive/guest"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/edit"
)

// completion is one of an extension.
type completion struct {
	extension.Completion
	calls *guest.Calls
}

// completions are those of all extensions, the newest first; safe for concurrent
// use.
type completions struct {
	mu   sync.Mutex
	list []*completion
}

func (c *completions) add(n *completion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = append([]*completion{n}, c.list...)
}

func (c *completions) remove(n *completion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = slices.DeleteFunc(slices.Clone(c.list), func(o *completion) bool { return o == n })
}

func (c *completions) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.list = nil
}

func (c *completions) all() []*completion {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list
}

// triggers are the characters behind which suggestions are asked for.
func (c *completions) triggers() string {
	t := "/@"
	for _, n := range c.all() {
		t += n.Triggers
	}
	return t
}

// suggest asks the extensions, the one that came last first.
func (c *completions) suggest(ctx context.Context, r tui.CompletionRequest) *tui.Suggestions {
	word := r.Before[strings.LastIndexAny(r.Before, " \t")+1:]
	for _, n := range c.all() {
		if n.Suggest == nil || !r.Forced && n.Triggers != "" && (word == "" || !strings.ContainsAny(word[:1], n.Triggers)) {
			continue
		}
		type answer struct {
			prefix string
			list   []extension.Suggestion
		}
		got := make(chan answer, 1)
		n.calls.Post(func() {
			defer close(got)
			if ctx.Err() == nil {
				prefix, list := n.Suggest(ctx, written(r.Lines, r.Cursor))
				got <- answer{prefix, list}
			}
		})
		select {
		case a := <-got:
			if len(a.list) > 0 && strings.HasSuffix(r.Before, a.prefix) {
				return &tui.Suggestions{Prefix: a.prefix, Items: suggestionItems(a.list), Apply: n.applier(a.prefix, a.list)}
			}
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

func written(lines []string, at edit.Pos) extension.Written {
	return extension.Written{Lines: lines, Row: at.Row, Column: at.Col}
}

// applier lets the extension put its suggestions into the text; nil if it leaves that.
func (n *completion) applier(prefix string, list []extension.Suggestion) func([]string, edit.Pos, tui.ListItem) (string, edit.Pos, bool) {
	if n.Apply == nil {
		return nil
	}
	return func(lines []string, at edit.Pos, it tui.ListItem) (string, edit.Pos, bool) {
		i := slices.IndexFunc(list, func(s extension.Suggestion) bool { return s.Value == it.Value })
		if i < 0 {
			return "", edit.Pos{}, false
		}
		w, ok := answered(n.calls, func() extension.Written { return n.Apply(written(lines, at), prefix, list[i]) })
		return strings.Join(w.Lines, "\n"), edit.Pos{Row: w.Row, Col: w.Column}, ok
	}
}

func suggestionItems(list []extension.Suggestion) []tui.ListItem {
	items := make([]tui.ListItem, 0, min(len(list), maxSuggestions))
	for _, s := range list[:min(len(list), maxSuggestions)] {
		label := s.Label
		if label == "" {
			label = s.Value
		}
		items = append(items, tui.ListItem{Value: s.Value, Label: oneLine(label), Description: oneLine(s.Description)})
	}
	return items
}

// completeArguments suggests arguments of a command of an extension; known is
// false if there is none of that name, or it suggests nothing at all.
func (u *ui) completeArguments(ctx context.Context, name, arg string) (_ *tui.Suggestions, known bool) {
	for _, c := range u.session().Commands() {
		if c.Name != name || c.Complete == nil {
			continue
		}
		var list []extension.Suggestion
		if err := guest.Contained(func() { list = c.Complete(ctx, arg) }); err != nil {
			u.guests.faultOf("", c.Path)("command:"+name, err)
		}
		return &tui.Suggestions{Prefix: arg, Items: suggestionItems(list)}, true
	}
	return nil, false
}

// ofExtension reports whether a line is a command of an extension, which needs no
// model.
func (u *ui) ofExtension(line string) bool {
	name, slash := strings.CutPrefix(line, "/")
	if !slash {
		return false
	}
	name, _, _ = strings.Cut(name, " ")
	return slices.ContainsFunc(u.session().Commands(), func(c codingagent.Command) bool { return c.Source == "extension" && c.Name == name })
}
