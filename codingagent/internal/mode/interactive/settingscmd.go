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
			u.fail(err)
			if err == nil && said != "" {
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

// queueSetting is how many queued messages are delivered at a time.
func queueSetting(key, label, about string, get func(u *ui) agentcore.QueueMode, set func(u *ui, m agentcore.QueueMode)) setting {
	return setting{
		key: key, label: label, about: about, values: among(string(agentcore.QueueOneAtATime), string(agentcore.QueueAll)),
		get: func(u *ui) string { return string(get(u)) },
		set: func(u *ui, value string) any { set(u, agentcore.QueueMode(value)); return value },
	}
}

// settingRows lists the settings in the order in which they are shown.
func settingRows() []setting {
	return []setting{
		either("tuiMode", "Screen", "a screen of its own, or the terminal's scrollback", "fullscreen", "regular",
			func(u *ui) bool { return u.p.Terminal().FullScreen() }, (*ui).setScreen),
		{
			key: "theme", label: "Theme", about: "/theme shows what they look like", values: (*ui).themeNames,
			get: func(u *ui) string { return u.settings.Theme }, set: func(u *ui, value string) any { u.useTheme(value); return value },
		},
		onOff("hideThinkingBlock", "Hide thinking", "fold what the model thinks to one line", func(u *ui) bool { return u.hideThinking }, func(u *ui, on bool) {
			u.hideThinking, u.noThinking = on, false
			u.p.Restyle()
		}),
		queueSetting("steeringMode", "Queued messages", "how many are delivered before the next request",
			func(u *ui) agentcore.QueueMode { return u.session().State().SteeringMode }, func(u *ui, m agentcore.QueueMode) { u.session().Harness().SetSteeringMode(m) }),
		queueSetting("followUpMode", "Messages for later", "how many are delivered when the agent is done",
			func(u *ui) agentcore.QueueMode { return u.session().State().FollowUpMode }, func(u *ui, m agentcore.QueueMode) { u.session().Harness().SetFollowUpMode(m) }),
		onOff("compaction.enabled", "Sum up by itself", "make room when the conversation gets too long",
			func(u *ui) bool { return u.session().Harness().AutoCompaction() }, func(u *ui, on bool) { u.session().Harness().SetAutoCompaction(on) }),
		onOff("retry.enabled", "Try again by itself", "when a vendor is overloaded or not reached",
			func(u *ui) bool { return u.cfg.Settings.Retry.Enabled }, func(u *ui, on bool) {
				u.cfg.Settings.Retry.Enabled = on
				u.session().Harness().SetAutoRetry(on)
			}),
		choice("doubleEscapeAction", "Escape twice", "what it opens while nothing is written", func(u *ui) *string { return &u.settings.DoubleEscape }, "tree", "fork", "none"),
		choice("treeFilterMode", "Entries of the tree", "what /tree shows at first", func(u *ui) *string { return &u.cfg.Settings.TreeFilter },
			"default", "no-tools", "user-only", "labeled-only", "all"),
		toggle("branchSummary.skipPrompt", "Leave branches at once", "go elsewhere in the tree without the question about a summary",
			func(u *ui) *bool { return &u.cfg.Settings.BranchSummary.SkipPrompt }),
		choice("defaultProjectTrust", "Projects with files", "whether those that bring files for the agent are trusted",
			func(u *ui) *string { return &u.cfg.Settings.DefaultProjectTrust }, "ask", "always", "never"),
		either("fullscreenExitOutput", "Left behind at exit", "the conversation, or how to go on with it", "resume-hint", "transcript",
			func(u *ui) bool { return u.settings.ResumeHint }, func(u *ui, yes bool) { u.settings.ResumeHint = yes }),
		toggle("fullscreenCopyOnSelect", "Copy what is selected", "with the mouse, as soon as it is", func(u *ui) *bool { return &u.settings.CopyOnSelect }),
		toggle("showCacheMissNotices", "Missed caches", "say when a vendor reads the prompt again that it had kept",
			func(u *ui) *bool { return &u.cfg.Settings.CacheMissNotices }),
		toggle("enableSkillCommands", "Skills as commands", "offer them when a slash is typed",
			func(u *ui) *bool { return &u.cfg.Settings.SkillCommands }),
		toggle("quietStartup", "Quiet start", "without the lines at the top", func(u *ui) *bool { return &u.settings.QuietStartup }),
		number("editorPaddingX", "Room beside the editor", "columns on both sides", func(u *ui) *int { return &u.settings.EditorPadding },
			func(u *ui) { u.editor.PadX = u.settings.EditorPadding }, "0", "1", "2", "3"),
		number("autocompleteMaxVisible", "Suggestions seen", "rows of the list while one writes", func(u *ui) *int { return &u.settings.CompletionRows },
			(*ui).setCompletion, "3", "5", "8", "12", "20"),
		either("editorKeys", "Keys of the editor", "vi: escape leaves the insert mode", "vi", "standard",
			func(u *ui) bool { return u.settings.ViKeys }, func(u *ui, yes bool) {
				u.settings.ViKeys = yes
				u.editor.SetVi(yes)
			}),
		toggle("terminal.showTerminalProgress", "Progress in the title", "beside the window's title, where the terminal can",
			func(u *ui) *bool { return &u.settings.ShowTerminalStatus }),
	}
}

// settingsCommand changes settings from a list.
func (u *ui) settingsCommand(string) {
	var list []tui.Setting
	for _, s := range settingRows() {
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
	return append(append([]string(nil), rule.Render(width)...), b.SettingsList.Render(width)...)
}

func (u *ui) changeSetting(changed tui.Setting) {
	for _, s := range settingRows() {
		if s.key == changed.ID {
			u.save("", map[string]any{s.key: s.set(u, changed.Value)})
		}
	}
}
