package interactive

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/term"
)

// settingRows lists the settings in the order in which they are shown.
func (u *ui) settingRows() []setting {
	var rows []setting
	for _, group := range [][]setting{screenRows(), answerRows(), imageRows(u), thinkingRows(u), agentRows(), requestRows(), editorRows(), projectRows()} {
		rows = append(rows, group...)
	}
	return rows
}

// screenRows are about the screen as a whole.
func screenRows() []setting {
	return []setting{
		either("tuiMode", "Screen", "a screen of its own, or the terminal's scrollback", "fullscreen", "regular",
			func(u *ui) bool { return u.p.Terminal().FullScreen() }, (*ui).setScreen),
		{
			key: "theme", label: "Theme", about: "/theme shows what they look like", values: (*ui).themeNames,
			get: func(u *ui) string { return u.settings.Theme }, set: func(u *ui, value string) any { u.useTheme(value); return value },
		},
		choice("terminal.trueColor", "All colours", "auto goes by what the terminal tells; counts from the next start on", func(u *ui) *string { return &u.settings.TrueColor },
			"auto", "true", "false").asSwitch(nil),
		choice("fullscreenScrollbar", "Scrollbar", "auto shows it when there is something to scroll", func(u *ui) *string { return &u.settings.Scrollbar },
			"auto", "always", "hidden").then((*ui).setScrolling),
		wheelRow(),
		either("fullscreenExitOutput", "Left behind at exit", "the conversation, or how to go on with it", "resume-hint", "transcript",
			func(u *ui) bool { return u.settings.ResumeHint }, func(u *ui, yes bool) { u.settings.ResumeHint = yes }),
		toggle("fullscreenCopyOnSelect", "Copy what is selected", "with the mouse, as soon as it is", func(u *ui) *bool { return &u.settings.CopyOnSelect }),
		toggle("terminal.clearOnShrink", "No empty rows", "writes the main screen again when less is shown; this clears its scrollback",
			func(u *ui) *bool { return &u.settings.ClearOnShrink }).then((*ui).setScrolling),
		toggle("showHardwareCursor", "The terminal's cursor", "shown where one writes, beside the drawn one", func(u *ui) *bool { return &u.settings.HardwareCursor }).then((*ui).setScrolling),
		toggle("terminal.showTerminalProgress", "Progress in the title", "beside the window's title, where the terminal can",
			func(u *ui) *bool { return &u.settings.ShowTerminalStatus }),
		toggle("terminal.reducedMotion", "Less motion", "nothing turns or moves; counts from the next start on", func(u *ui) *bool { return &u.settings.ReducedMotion }),
		toggle("terminal.ascii", "Plain signs", "no drawn lines and arrows; counts from the next start on", func(u *ui) *bool { return &u.settings.ASCII }),
		toggle("quietStartup", "Quiet start", "without the lines at the top", func(u *ui) *bool { return &u.settings.QuietStartup }),
		toggle("collapseChangelog", "Short news", "one line instead of a list after an update", func(u *ui) *bool { return &u.cfg.Settings.CollapseChangelog }),
	}
}

// answerRows are about how answers look.
func answerRows() []setting {
	return []setting{
		onOff("hideThinkingBlock", "Hide thinking", "fold what the model thinks to one line", func(u *ui) bool { return u.hideThinking }, func(u *ui, on bool) {
			u.hideThinking, u.noThinking = on, false
			u.p.Restyle()
		}),
		choice("terminal.hyperlinks", "Links", "true hides addresses behind their texts, false sends no links", func(u *ui) *string { return &u.settings.Hyperlinks },
			"auto", "true", "false").asSwitch((*ui).redrawProse),
		number("outputPad", "Room beside answers", "columns on both sides", func(u *ui) *int { return &u.settings.OutputPadding }, (*ui).redrawProse, "0", "1"),
		choice("markdown.mermaid", "Diagrams", "of Mermaid: drawn as they arrive, when they are complete, or left as text",
			func(u *ui) *string { return &u.cfg.Settings.Markdown.Mermaid }, "streaming", "final", "off").then((*ui).redrawProse),
		toggle("showCacheMissNotices", "Missed caches", "say when a vendor reads the prompt again that it had kept", func(u *ui) *bool { return &u.cfg.Settings.CacheMissNotices }),
	}
}

// imageRows are about images: what a terminal that shows none can not do is left out.
func imageRows(u *ui) []setting {
	redraw := func(u *ui) { u.p.Restyle() }
	rows := []setting{
		sessionToggle("images.autoResize", "Make images smaller", "to what models take, before they are sent", func(s *settings.Settings) *bool { return &s.Images.AutoResize }),
		sessionToggle("images.blockImages", "Send no images", "the model gets a note in their place", func(s *settings.Settings) *bool { return &s.Images.BlockImages }),
	}
	if imagesOf(u.p.Capabilities(), settings.Terminal{ShowImages: true, Images: u.settings.Images}, u.getenv) == term.NoImages {
		return rows
	}
	return append(rows,
		toggle("terminal.showImages", "Show images", "in the terminal, where it can", func(u *ui) *bool { return &u.settings.ShowImages }).then(redraw),
		number("terminal.imageWidthCells", "Width of images", "in columns, at most", func(u *ui) *int { return &u.settings.ImageWidth }, redraw, "30", "60", "90", "120"),
	)
}

// thinkingRows is the level that the model in use begins with, if it has several.
func thinkingRows(u *ui) []setting {
	m := u.session().Model()
	if m == nil || len(m.SupportedThinking()) < 2 {
		return nil
	}
	const usual = "usual"
	ref := m.Ref()
	values := []string{usual}
	for _, l := range m.SupportedThinking() {
		values = append(values, string(l))
	}
	about := ref + " begins with it; the usual level is that of /thinking"
	ofProject := u.cfg.Settings.ProjectThinkingLevels[ref]
	if ofProject != "" {
		about = "this project has " + string(ofProject) + " for " + ref + "; yours counts elsewhere"
	}
	return []setting{{
		key: "modelThinkingLevels." + ref, label: "Thinking of this model", about: about,
		values: among(values...),
		get:    func(u *ui) string { return cmp.Or(string(u.cfg.Settings.UserThinkingLevels[ref]), usual) },
		set: func(u *ui, value string) any {
			var kept any
			own := maps.Clone(u.cfg.Settings.UserThinkingLevels)
			if value == usual {
				delete(own, ref)
			} else {
				if own == nil {
					own = make(map[string]ai.ThinkingLevel)
				}
				own[ref], kept = ai.ThinkingLevel(value), value
			}
			u.adjust(func(s *settings.Settings) { s.OwnThinking(own) })
			if ofProject == "" {
				u.setThinking(cmp.Or(own[ref], u.cfg.Settings.DefaultThinkingLevel), nil)
			}
			return kept
		},
	}}
}

// agentRows are about what happens by itself.
func agentRows() []setting {
	return []setting{
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
	}
}

// requestRows are about the way to vendors.
func requestRows() []setting {
	return []setting{
		ofSession("transport", "Way to the vendor", "of a ChatGPT subscription, which knows several", func(s *settings.Settings) *string { return &s.Network.Transport },
			"auto", "sse", "websocket", "websocket-cached"),
		timeoutRow(),
		ofSession("cacheWarming", "Keep caches warm", "so that a pause does not make the next answer dear", func(s *settings.Settings) *string { return &s.Network.CacheWarming },
			"idle", "streaming", "off"),
		shareRow(),
		toggle("warnings.anthropicExtraUsage", "Warn of extra usage", "say at the start that Anthropic may bill what a subscription is used for here",
			func(u *ui) *bool { return &u.cfg.Settings.WarnExtraUsage }),
	}
}

// shareRow is where /share uploads to.
func shareRow() setting {
	return choice("sessionShareDestination", "Share by", "auto is Radius for those who are signed in there, else a secret gist",
		func(u *ui) *string { return &u.cfg.Settings.ShareDestination }, "auto", "gist", "radius")
}

// editorRows are about writing.
func editorRows() []setting {
	return []setting{
		number("editorPaddingX", "Room beside the editor", "columns on both sides", func(u *ui) *int { return &u.settings.EditorPadding },
			func(u *ui) { u.editor.PadX = u.settings.EditorPadding }, "0", "1", "2", "3"),
		number("autocompleteMaxVisible", "Suggestions seen", "rows of the list while one writes", func(u *ui) *int { return &u.settings.CompletionRows },
			(*ui).setCompletion, "3", "5", "8", "12", "20"),
		toggle("enableSkillCommands", "Skills as commands", "offer them when a slash is typed", func(u *ui) *bool { return &u.cfg.Settings.SkillCommands }).
			then(func(u *ui) { u.noSkills.Store(!u.cfg.Settings.SkillCommands) }),
		either("editorKeys", "Keys of the editor", "vi: escape leaves the insert mode", "vi", "standard",
			func(u *ui) bool { return u.settings.ViKeys }, func(u *ui, yes bool) {
				u.settings.ViKeys = yes
				u.editor.SetVi(yes)
			}),
	}
}

// projectRows are about projects.
func projectRows() []setting {
	return []setting{
		choice("defaultProjectTrust", "Projects with files", "whether those that bring files for the agent are trusted",
			func(u *ui) *string { return &u.cfg.Settings.DefaultProjectTrust }, "ask", "always", "never"),
	}
}

// wheelRow is how far the mouse wheel goes.
func wheelRow() setting {
	return setting{
		key: "fullscreenWheelScrollLines", label: "Mouse wheel", about: "lines of a step", values: among("auto", "1", "2", "3", "5", "10"),
		get: func(u *ui) string {
			if u.settings.WheelLines == 0 {
				return "auto"
			}
			return strconv.Itoa(u.settings.WheelLines)
		},
		set: func(u *ui, value string) any {
			n, err := strconv.Atoi(value)
			u.settings.WheelLines = n
			u.setScrolling()
			if err != nil {
				return value
			}
			return n
		},
	}
}

// timeoutRow is how long an answer may be silent.
func timeoutRow() setting {
	const off = "never"
	return setting{
		key: "httpIdleTimeoutMs", label: "Give up a silent answer", about: "after so long without a word", values: among("30s", "1m", "2m", "5m", off),
		get: func(u *ui) string {
			d := u.session().Settings().HTTPIdleTimeout
			switch {
			case d < 0:
				return off
			case d%time.Minute == 0:
				return fmt.Sprintf("%dm", d/time.Minute)
			}
			return fmt.Sprintf("%ds", d/time.Second)
		},
		set: func(u *ui, value string) any {
			d, err := time.ParseDuration(value)
			if err != nil {
				d = -1
			}
			u.adjust(func(s *settings.Settings) { s.HTTPIdleTimeout = d })
			if d < 0 {
				return "disabled"
			}
			return d.Milliseconds()
		},
	}
}

// then puts a setting in force after it has changed.
func (s setting) then(f func(u *ui)) setting {
	set := s.set
	s.set = func(u *ui, value string) any {
		v := set(u, value)
		f(u)
		return v
	}
	return s
}

// asSwitch is for settings whose words true and false are no texts in the file.
func (s setting) asSwitch(then func(u *ui)) setting {
	set := s.set
	s.set = func(u *ui, value string) any {
		v := set(u, value)
		if then != nil {
			then(u)
		}
		switch value {
		case "true":
			return true
		case "false":
			return false
		}
		return v
	}
	return s
}

// setScrolling puts in force what the settings say about scrolling and the cursor.
func (u *ui) setScrolling() {
	u.p.Change(u.scrolling)
	u.p.SetWheelLines(u.settings.WheelLines)
}

// scrolling are the options of the program that settings decide.
func (u *ui) scrolling(o *tui.Options) {
	o.ShowCursor = u.settings.HardwareCursor || u.getenv("PI_HARDWARE_CURSOR") == "1"
	o.ClearOnShrink = u.settings.ClearOnShrink || u.getenv("PI_CLEAR_ON_SHRINK") == "1"
	o.ScrollbarTrack, o.ScrollbarThumb = "", ""
	if u.settings.Scrollbar != "hidden" {
		o.ScrollbarTrack, o.ScrollbarThumb = u.look.fg("dim", "│"), u.look.fg("muted", "┃")
	}
	o.ScrollbarAlways = u.settings.Scrollbar == "always"
}

// redrawProse draws what the model says anew.
func (u *ui) redrawProse() { u.p.Restyle() }
