package interactive

import (
	"strings"

	"github.com/pi-go/pi/tui"
)

// keyAction is something that a key does while one writes.
type keyAction struct {
	action string
	run    func(u *ui)
}

// say runs a command as if it had been typed.
func say(line string) func(u *ui) { return func(u *ui) { u.command(line) } }

// keyActions lists what the program's own keys do, in the order that decides
// between actions with the same key.
func keyActions() []keyAction {
	return []keyAction{
		{"app.interrupt", (*ui).escape},
		{"app.clear", (*ui).clear},
		{"app.exit", say("/quit")},
		{"app.palette", (*ui).palette},
		{"app.suspend", (*ui).suspend},
		{"app.editor.external", (*ui).externalEditor},
		{"app.clipboard.pasteImage", func(u *ui) { u.pasteFromClipboard(false) }},
		{"app.session.new", say("/new")},
		{"app.session.tree", say("/tree")},
		{"app.session.fork", say("/fork")},
		{"app.session.resume", say("/resume")},
		{"app.model.select", say("/model")},
		{"app.model.cycleForward", func(u *ui) { u.cycleModel(1) }},
		{"app.model.cycleBackward", func(u *ui) { u.cycleModel(-1) }},
		{"app.thinking.cycle", (*ui).cycleThinking},
		{"app.thinking.toggle", (*ui).toggleThinking},
		{"app.tools.expand", (*ui).toggleExpanded},
		{"app.message.copy", (*ui).copyKey},
		{"app.message.followUp", (*ui).sendLater},
		{"app.message.dequeue", (*ui).dequeue},
	}
}

// copyKey copies what is selected, or else the last answer.
func (u *ui) copyKey() {
	if s := u.p.Selected(); s != "" {
		u.copy(s, "Copied the selection.")
		return
	}
	u.copyCommand("")
}

// sendLater sends what is written when the agent is done.
func (u *ui) sendLater() {
	s := u.editor.Text()
	u.editor.AddHistory(s)
	u.editor.SetText("")
	u.submit(s, true)
}

func (u *ui) dequeue() {
	if !u.takeBack() {
		u.hint("Nothing is queued.")
	}
}

// palette finds any command, template, skill or action by a part of its name.
func (u *ui) palette() {
	var items []tui.ListItem
	add := func(label, about, key string, run func()) {
		if key != "" {
			about += "  " + key
		}
		items = append(items, tui.ListItem{Value: label, Label: oneLine(label), Description: oneLine(about), Data: run})
	}
	done := map[string]bool{"app.interrupt": true, "app.clear": true, "app.palette": true, "app.message.followUp": true}
	for _, c := range commands() {
		if c.hidden {
			continue
		}
		done[c.action] = true
		add(c.label(), c.help, u.keys.Text(c.action), func() {
			if c.needs {
				u.editor.SetText("/" + c.name + " ")
				return
			}
			c.run(u, "")
		})
	}
	for _, a := range keyActions() {
		if !done[a.action] {
			add(u.keys.Help(a.action), strings.ReplaceAll(a.action, "app.", ""), u.keys.Text(a.action), func() { a.run(u) })
		}
	}
	if u.p.Terminal().FullScreen() {
		add("search", "find text in the conversation", u.keys.Text("tui.altScreen.search"), u.p.OpenSearch)
		add("previous prompt", "scroll to what you said before", u.keys.Text("tui.altScreen.previousPrompt"), func() { u.p.ScrollToStop(-1) })
		add("next prompt", "scroll to what you said after", u.keys.Text("tui.altScreen.nextPrompt"), func() { u.p.ScrollToStop(1) })
	}
	for _, c := range u.session().Commands() {
		add(strings.TrimSpace("/"+c.Name+" "+c.Hint), c.Description, "", func() { u.editor.SetText("/" + c.Name + " ") })
	}
	u.pick("Commands", items, func(it tui.ListItem) { it.Data.(func())() })
}
