package interactive

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui/input"
)

// reservedActions are those whose keys no extension can take.
func reservedActions() []string {
	return []string{
		"app.interrupt", "app.clear", "app.exit", "app.suspend", "app.thinking.cycle", "app.model.cycleForward", "app.model.cycleBackward",
		"app.model.select", "app.tools.expand", "app.thinking.toggle", "app.editor.external", "app.message.copy", "app.message.followUp",
		"tui.input.submit", "tui.select.confirm", "tui.select.cancel", "tui.input.copy", "tui.editor.deleteToLineEnd",
	}
}

// tellKeys keeps the names of the keys, for any goroutine.
func (g *guests) tellKeys() {
	names := map[string]string{}
	for _, action := range g.ui.keys.Actions() {
		names[action] = g.ui.keys.Text(action)
	}
	g.keyNames.Store(&names)
}

// keyText names the keys of an action, on any goroutine.
func (g *guests) keyText(action string) string {
	if names := g.keyNames.Load(); names != nil {
		return (*names)[action]
	}
	return ""
}

// sharedKeys remembers which runner's keys were looked at.
type sharedKeys struct{ runner *extension.Runner }

// actionOf gives the first of some actions that a key does.
func (u *ui) actionOf(id input.ID, actions []string) string {
	for _, a := range actions {
		if slices.Contains(u.keys.Keys(a), id) {
			return a
		}
	}
	return ""
}

// writingActions are those in force while one writes.
func (u *ui) writingActions() []string {
	var out []string
	for _, a := range u.keys.Actions() {
		if strings.HasPrefix(a, "tui.editor.") || strings.HasPrefix(a, "tui.input.") || strings.HasPrefix(a, "tui.altScreen.") {
			out = append(out, a)
		}
	}
	for _, a := range keyActions() {
		out = append(out, a.action)
	}
	return out
}

// shortcut gives what a key does for an extension, nil if it does nothing.
func (g *guests) shortcut(k input.Key) func() {
	u := g.ui
	runner := u.session().Extensions()
	for _, s := range runner.Shortcuts() {
		id, err := input.Parse(s.Key)
		if err != nil || !k.Is(id) || u.actionOf(id, reservedActions()) != "" {
			continue
		}
		return func() { u.spawn(func() { runner.RunShortcut(u.ctx, s) }) }
	}
	return nil
}

// checkKeys says which shortcuts of extensions are not used, and which take a key
// of the program; and which of their commands can not be reached.
func (g *guests) checkKeys() {
	u := g.ui
	runner := u.session().Extensions()
	if runner == g.shared.runner {
		return
	}
	g.shared.runner = runner
	var notes []string
	for _, s := range runner.Shortcuts() {
		id, err := input.Parse(s.Key)
		whose := fmt.Sprintf("The shortcut %s of %s", oneLine(s.Key), oneLine(s.Origin.Path))
		switch {
		case err != nil:
			notes = append(notes, fmt.Sprintf("%s is not used: %s", whose, err))
		case u.actionOf(id, reservedActions()) != "":
			notes = append(notes, fmt.Sprintf("%s is not used: the key is kept for %s", whose, u.actionOf(id, reservedActions())))
		case u.actionOf(id, u.writingActions()) != "":
			notes = append(notes, fmt.Sprintf("%s takes the place of %s", whose, u.actionOf(id, u.writingActions())))
		}
	}
	for _, c := range runner.Commands() {
		if slices.ContainsFunc(commands(), func(o command) bool { return o.name == c.Name }) {
			notes = append(notes, fmt.Sprintf("The command /%s of %s is not used: the program has one of that name", c.Name, oneLine(c.Origin.Path)))
		}
	}
	u.showNotes(notes)
}
