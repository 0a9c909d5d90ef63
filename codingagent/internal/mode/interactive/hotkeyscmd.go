package interactive

import (
	"fmt"
	"strings"

	"github.com/pi-go/pi/tui/input"
)

// keyGroup is where keys are in force.
type keyGroup struct {
	title string
	has   func(action string) bool
}

// keyGroups are the tables of the keys. Those that are wanted most come last, where
// one looks.
func keyGroups() []keyGroup {
	prefix := func(list ...string) func(string) bool {
		return func(a string) bool {
			for _, p := range list {
				if strings.HasPrefix(a, p) {
					return true
				}
			}
			return false
		}
	}
	inList := func(a string) bool {
		switch a {
		case "app.session.new", "app.session.tree", "app.session.fork", "app.session.resume":
			return false
		}
		return prefix("app.session.", "app.models.", "app.tree.", "app.thinking.save", "tui.select.")(a)
	}
	return []keyGroup{
		{"In the tree", prefix("app.tree.")},
		{"In the lists of models", prefix("app.models.", "app.thinking.save")},
		{"In the list of sessions", func(a string) bool { return prefix("app.session.")(a) && inList(a) }},
		{"In lists", prefix("tui.select.")},
		{"Scrolling", prefix("tui.altScreen.")},
		{"Writing", prefix("tui.editor.", "tui.input.")},
		{"Keys", func(a string) bool { return prefix("app.")(a) && !inList(a) }},
	}
}

// hotkeysCommand lists the keys, those of a place together, and says which do
// more than one thing.
func (u *ui) hotkeysCommand(string) {
	actions := u.keys.Actions()
	for _, g := range keyGroups() {
		var rows [][2]string
		for _, a := range actions {
			if k := u.keys.Text(a); k != "" && g.has(a) {
				rows = append(rows, [2]string{strings.ReplaceAll(k, "/", " "), u.keys.Help(a)})
			}
		}
		if len(rows) > 0 {
			u.table(g.title, rows)
		}
	}
	if list := u.keyConflicts(); len(list) > 0 {
		u.note("warning", "These keys do more than one thing; the first one counts:\n"+strings.Join(list, "\n"))
	}
	u.note("dim", "Other keys: "+u.homePath(u.keyFile())+", an object of actions and keys, such as {\"app.palette\": [\"f2\"]}. /reload reads it.")
}

// keyConflicts says which keys of the person's do several actions in one place.
func (u *ui) keyConflicts() []string {
	var out []string
	for _, c := range u.keys.Conflicts() {
		out = append(out, conflictText(u.keys, c))
	}
	return out
}

func conflictText(b *input.Bindings, c input.Conflict) string {
	var names []string
	for _, a := range c.Actions {
		names = append(names, fmt.Sprintf("%s (%s)", a, b.Help(a)))
	}
	return c.Key.String() + ": " + strings.Join(names, ", ")
}
