package interactive

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui"
)

// save writes settings of the person's file.
func (u *ui) save(said string, changes map[string]any) {
	path := filepath.Join(u.cfg.AgentDir, "settings.json")
	u.later(func(ctx context.Context) error { return settings.Update(ctx, path, changes) }, func() {
		if said != "" {
			u.hint(said)
		}
	})
}

// settingsCommand changes settings from a list.
func (u *ui) settingsCommand(string) {
	yes := func(b bool) string {
		if b {
			return "on"
		}
		return "off"
	}
	mode := "fullscreen"
	if !u.p.Terminal().FullScreen() {
		mode = "regular"
	}
	exit := "transcript"
	if u.settings.ResumeHint {
		exit = "resume-hint"
	}
	keys := "standard"
	if u.settings.ViKeys {
		keys = "vi"
	}
	state := u.session().State()
	onOff := []string{"on", "off"}
	queue := []string{string(agentcore.QueueOneAtATime), string(agentcore.QueueAll)}
	list := tui.NewSettingsList(u.keys,
		tui.Setting{ID: "tuiMode", Label: "Screen", Description: "a screen of its own, or the terminal's scrollback", Value: mode, Values: []string{"fullscreen", "regular"}},
		tui.Setting{ID: "theme", Label: "Theme", Description: "/theme shows what they look like", Value: u.settings.Theme, Values: u.themeNames()},
		tui.Setting{ID: "hideThinkingBlock", Label: "Hide thinking", Value: yes(u.hideThinking), Values: onOff},
		tui.Setting{ID: "steeringMode", Label: "Queued messages", Description: "how many are delivered before the next request", Value: string(state.SteeringMode), Values: queue},
		tui.Setting{ID: "followUpMode", Label: "Messages for later", Description: "how many are delivered when the agent is done", Value: string(state.FollowUpMode), Values: queue},
		tui.Setting{ID: "doubleEscapeAction", Label: "Escape twice", Value: u.settings.DoubleEscape, Values: []string{"tree", "fork", "none"}},
		tui.Setting{ID: "fullscreenExitOutput", Label: "Left behind at exit", Value: exit, Values: []string{"transcript", "resume-hint"}},
		tui.Setting{ID: "fullscreenCopyOnSelect", Label: "Copy what is selected", Value: yes(u.settings.CopyOnSelect), Values: onOff},
		tui.Setting{ID: "quietStartup", Label: "Quiet start", Value: yes(u.settings.QuietStartup), Values: onOff},
		tui.Setting{ID: "editorPaddingX", Label: "Room beside the editor", Value: fmt.Sprint(u.settings.EditorPadding), Values: []string{"0", "1", "2", "3"}},
		tui.Setting{ID: "autocompleteMaxVisible", Label: "Suggestions seen", Value: fmt.Sprint(u.settings.CompletionRows), Values: []string{"3", "5", "8", "12", "20"}},
		tui.Setting{ID: "editorKeys", Label: "Keys of the editor", Description: "vi: escape leaves the insert mode", Value: keys, Values: []string{"standard", "vi"}},
	)
	l := u.look
	list.Style = tui.SettingsStyle{Selected: bold(l.theme.Fg("accent")), Value: l.theme.Fg("text"), Description: l.theme.Fg("muted"), Hint: l.theme.Fg("dim")}
	list.MaxRows = u.pickerRows()
	list.OnCancel = u.back
	list.OnChange = u.changeSetting
	u.show(&settingsBox{ui: u, SettingsList: list})
}

// settingsBox is a list of settings with a title.
type settingsBox struct {
	*tui.SettingsList
	ui *ui
}

// Render gives the lines.
func (b *settingsBox) Render(width int) []string {
	l := b.ui.look
	rule := tui.Rule{Style: l.theme.Fg("borderAccent"), Title: l.bold("accent", "Settings")}
	return append(append([]string(nil), rule.Render(width)...), b.SettingsList.Render(width)...)
}

func (u *ui) changeSetting(s tui.Setting) {
	var value any = s.Value
	on := s.Value == "on"
	number := 0
	_, _ = fmt.Sscan(s.Value, &number)
	switch s.ID {
	case "tuiMode":
		u.setScreen(s.Value == "fullscreen")
	case "theme":
		u.settings.Theme = s.Value
		u.applyTheme()
	case "hideThinkingBlock":
		u.hideThinking, u.noThinking, value = on, false, on
		u.p.Restyle()
	case "steeringMode":
		u.session().Harness().SetSteeringMode(agentcore.QueueMode(s.Value))
	case "followUpMode":
		u.session().Harness().SetFollowUpMode(agentcore.QueueMode(s.Value))
	case "doubleEscapeAction":
		u.settings.DoubleEscape = s.Value
	case "fullscreenExitOutput":
		u.settings.ResumeHint = s.Value == "resume-hint"
	case "fullscreenCopyOnSelect":
		u.settings.CopyOnSelect, value = on, on
	case "quietStartup":
		value = on
	case "editorPaddingX":
		u.settings.EditorPadding, u.editor.PadX, value = number, number, number
	case "autocompleteMaxVisible":
		u.settings.CompletionRows, value = number, number
		u.setCompletion()
	case "editorKeys":
		u.settings.ViKeys = s.Value == "vi"
		u.editor.SetVi(u.settings.ViKeys)
	}
	u.save("", map[string]any{s.ID: value})
}
