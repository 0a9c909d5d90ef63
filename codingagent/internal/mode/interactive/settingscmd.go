package interactive

import (
	"context"
	"path/filepath"
	"strconv"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui"
)

// save writes settings of the person's file.
func (u *ui) save(said string, changes map[string]any) {
	path := filepath.Join(u.cfg.AgentDir, "settings.json")
	u.kept.add(u.spawn, func() {
		err := settings.Update(context.WithoutCancel(u.ctx), path, changes)
		u.p.Do(func() {
			switch {
			case err != nil && u.ctx.Err() == nil:
				u.failure("not kept, it counts until you leave: " + err.Error())
			case err == nil && said != "":
				u.hint(said)
			}
		})
	})
}

// setting is one that can be changed while the program runs.
type setting struct {
	key, label, about string
	values            func(u *ui) []string
	get               func(u *ui) string
	// set puts a value in force, and gives it as the file has it.
	set func(u *ui, value string) any
}

// among gives fixed values.
func among(values ...string) func(*ui) []string { return func(*ui) []string { return values } }

// onOff is a setting that is true or false.
func onOff(key, label, about string, get func(u *ui) bool, set func(u *ui, on bool)) setting {
	return setting{
		key: key, label: label, about: about, values: among("on", "off"),
		get: func(u *ui) string {
			if get(u) {
				return "on"
			}
			return "off"
		},
		set: func(u *ui, value string) any {
			set(u, value == "on")
			return value == "on"
		},
	}
}

// toggle is one that a field stands for.
func toggle(key, label, about string, field func(u *ui) *bool) setting {
	return onOff(key, label, about, func(u *ui) bool { return *field(u) }, func(u *ui, on bool) { *field(u) = on })
}

// choice is a text that is one of a few.
func choice(key, label, about string, field func(u *ui) *string, values ...string) setting {
	return setting{
		key: key, label: label, about: about, values: among(values...),
		get: func(u *ui) string { return *field(u) },
		set: func(u *ui, value string) any { *field(u) = value; return value },
	}
}

// number is one of a few numbers; then, if not nil, puts it in force.
func number(key, label, about string, field func(u *ui) *int, then func(u *ui), values ...string) setting {
	return setting{
		key: key, label: label, about: about, values: among(values...),
		get: func(u *ui) string { return strconv.Itoa(*field(u)) },
		set: func(u *ui, value string) any {
			n, err := strconv.Atoi(value)
			if err != nil {
				return value // the values above are numbers
			}
			*field(u) = n
			if then != nil {
				then(u)
			}
			return n
		},
	}
}

// either is a field that is true for one of two words.
func either(key, label, about, yes, no string, get func(u *ui) bool, set func(u *ui, yes bool)) setting {
	return setting{
		key: key, label: label, about: about, values: among(no, yes),
		get: func(u *ui) string {
			if get(u) {
				return yes
			}
			return no
		},
		set: func(u *ui, value string) any { set(u, value == yes); return value },
	}
}

// ofSession is a choice that is a setting of the session: it counts from the next
// request on.
func ofSession(key, label, about string, field func(s *settings.Settings) *string, values ...string) setting {
	return setting{
		key: key, label: label, about: about, values: among(values...),
		get: func(u *ui) string { set := u.session().Settings(); return *field(&set) },
		set: func(u *ui, value string) any {
			u.adjust(func(s *settings.Settings) { *field(s) = value })
			return value
		},
	}
}

// sessionToggle is one that is on or off.
func sessionToggle(key, label, about string, field func(s *settings.Settings) *bool) setting {
	return onOff(key, label, about, func(u *ui) bool { set := u.session().Settings(); return *field(&set) },
		func(u *ui, on bool) { u.adjust(func(s *settings.Settings) { *field(s) = on }) })
}

// adjust changes settings of the session, and what the program knows of them.
func (u *ui) adjust(change func(s *settings.Settings)) {
	u.session().Adjust(change)
	change(&u.cfg.Settings)
}

// queueSetting is how many queued messages are delivered at a time.
func queueSetting(key, label, about string, get func(u *ui) agentcore.QueueMode, set func(u *ui, m agentcore.QueueMode)) setting {
	return setting{
		key: key, label: label, about: about, values: among(string(agentcore.QueueOneAtATime), string(agentcore.QueueAll)),
		get: func(u *ui) string { return string(get(u)) },
		set: func(u *ui, value string) any { set(u, agentcore.QueueMode(value)); return value },
	}
}

// settingsCommand changes settings from a list.
func (u *ui) settingsCommand(string) {
	var list []tui.Setting
	for _, s := range u.settingRows() {
		list = append(list, tui.Setting{ID: s.key, Label: s.label, Description: s.about, Value: s.get(u), Values: s.values(u)})
	}
	l := tui.NewSettingsList(u.keys, list...)
	l.OnCancel = u.back
	l.OnChange = u.changeSetting
	u.show(&settingsBox{ui: u, SettingsList: l})
}

// settingsBox is a list of settings with a title.
type settingsBox struct {
	*tui.SettingsList
	ui *ui
}

// Render gives the lines.
func (b *settingsBox) Render(width int) []string {
	l := b.ui.look
	b.MaxRows = b.ui.pickerRows()
	b.Style = tui.SettingsStyle{Selected: bold(l.theme.Fg("accent")), Value: l.theme.Fg("text"), Description: l.theme.Fg("muted"), Hint: l.theme.Fg("dim")}
	rule := tui.Rule{Style: l.theme.Fg("borderAccent"), Title: l.bold("accent", "Settings")}
	lines := append(append([]string(nil), rule.Render(width)...), b.SettingsList.Render(width)...)
	return append(lines, l.hints([]string{"type to find", "enter, left and right change", "escape closes"}, width)...)
}

func (u *ui) changeSetting(changed tui.Setting) {
	for _, s := range u.settingRows() {
		if s.key == changed.ID {
			u.save("", map[string]any{s.key: s.set(u, changed.Value)})
		}
	}
}
