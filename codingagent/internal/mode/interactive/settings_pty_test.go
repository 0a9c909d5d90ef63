//go:build unix

package interactive_test

import (
	"fmt"
	"strings"
	"testing"
)

// Settings count at once and are kept.
func TestSettingsCommand(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.put(agentFiles+"settings.json", `{"theme":"dark","unknown":{"stays":true}}`)
		c.open(width, 40)
		change := func(typed, label, before, after string, key string) {
			t.Helper()
			row := func(value string) func(string) bool {
				return func(s string) bool {
					for line := range strings.Lines(s) {
						if rest, ok := strings.CutPrefix(line, "→ "+label); ok && strings.TrimSpace(rest) == value {
							return true
						}
					}
					return false
				}
			}
			c.keys(typed)
			c.until(label+" is "+before, row(before))
			c.keys(key)
			c.until(label+" is "+after, row(after))
			c.keys(escape)
			c.gone("filter:")
			c.wait("→ Screen")
		}
		c.keys("/settings", enter)
		c.wait("── Settings", "→ Screen")
		change("sum up", "Sum up by itself", "on", "off", enter)
		change("try again", "Try again by itself", "on", "off", enter)
		change("escape", "Escape twice", "tree", "none", "\x1b[D")
		change("entries", "Entries of the tree", "default", "no-tools", "\x1b[C")
		change("branches", "Leave branches at once", "off", "on", enter)
		change("projects", "Projects with files", "ask", "always", enter)
		c.resized(width+12, 34, "→ Screen")
		change("suggestions", "Suggestions seen", "5", "8", enter)
		change("left", "Left behind at exit", "transcript", "resume-hint", enter)
		change("screen", "Screen", "fullscreen", "regular", enter)
		c.until("it is on the main screen", func(string) bool { return !c.screen.AltScreen() })
		change("screen", "Screen", "regular", "fullscreen", enter)
		c.until("it has a screen of its own", func(string) bool { return c.screen.AltScreen() })
		c.keys(escape)
		c.gone("── Settings")
		want := []string{
			`"compaction":{"enabled":false}`, `"retry":{"enabled":false}`, `"doubleEscapeAction":"none"`, `"treeFilterMode":"no-tools"`,
			`"branchSummary":{"skipPrompt":true}`, `"defaultProjectTrust":"always"`, `"autocompleteMaxVisible":8`, `"fullscreenExitOutput":"resume-hint"`,
			`"tuiMode":"fullscreen"`, `"unknown":{"stays":true}`,
		}
		c.until("all is kept", func(string) bool {
			got := strings.Join(strings.Fields(c.file(agentFiles+"settings.json")), "")
			for _, w := range want {
				if !strings.Contains(got, w) {
					return false
				}
			}
			return true
		})
		c.leave()
	})
}

// What can not be kept counts for this run, and the file is left alone.
func TestASettingThatCanNotBeKept(t *testing.T) {
	t.Parallel()
	c := place(t)
	// Of the news nothing is to be written, for that could be in the middle of it and put
	// the file back as it was before it was broken.
	c.put(agentFiles+"settings.json", `{"theme":"dark","lastChangelogVersion":"99.0.0"}`)
	c.open(80, 30)
	c.put(agentFiles+"settings.json", "{broken")
	c.keys("/theme light", enter)
	c.wait("not kept, it counts until you leave", "expected a key")
	if got := c.file(agentFiles + "settings.json"); got != "{broken" {
		t.Errorf("the file is now %q", got)
	}
	c.leave()
}

// withLevels is a place with the model mock/m-1.5, which thinks, and what waits until
// the settings have a level for it.
func withLevels(t *testing.T) (c *console, row func(value string)) {
	c = place(t)
	c.put(agentFiles+"models.json", strings.Replace(c.modelsFile(), `{"id": "m",`, `{"id": "m-1.5", "reasoning": true, "maxTokens": 1000, "contextWindow": 100000}, {"id": "m",`, 1))
	return c, func(value string) {
		t.Helper()
		c.until("the level is "+value, func(s string) bool {
			return strings.Contains(strings.Join(strings.Fields(s), " "), "→ Thinking of this model "+value)
		})
	}
}

// A model has a level of its own, which is kept for it and counts at once.
func TestThinkingOfAModel(t *testing.T) {
	t.Parallel()
	c, row := withLevels(t)
	c.open(100, 30, "--model", "mock/m-1.5")
	c.wait("m-1.5 · medium")
	c.keys("/settings", enter, "of this model")
	row("usual")
	c.keys("\x1b[D")
	row("high")
	c.wait("m-1.5 · high")
	c.leaveSettings()
	c.leave()
	if kept := c.file(agentFiles + "settings.json"); !strings.Contains(kept, `"mock/m-1.5":"high"`) {
		t.Errorf("settings.json is %s", kept)
	}
	c.start(100, 30, "--model", "mock/m-1.5")
	c.wait("m-1.5 · high")
	c.keys("/settings", enter, "of this model")
	row("high")
	c.keys("\x1b[C")
	row("usual")
	c.wait("m-1.5 · medium") // at once
	c.leaveSettings()
	c.leave()
	if kept := c.file(agentFiles + "settings.json"); strings.Contains(kept, "m-1.5") {
		t.Errorf("settings.json is %s", kept)
	}
}

// The level that a project has for a model is said to be the project's; what the person
// chooses beside it is kept for elsewhere.
func TestThinkingOfAModelInAProject(t *testing.T) {
	t.Parallel()
	c, row := withLevels(t)
	c.put(agentFiles+"trust.json", fmt.Sprintf(`{%q: true}`, c.dir))
	c.put(".pi/settings.json", `{"modelThinkingLevels":{"mock/m-1.5":"low"}}`)
	c.start(100, 30, "--model", "mock/m-1.5")
	c.wait("m-1.5 · low")
	c.keys("/settings", enter, "of this model")
	row("usual")
	c.wait("this project has low for mock/m-1.5; yours counts elsewhere")
	c.keys("\x1b[D")
	row("high")
	c.leaveSettings()
	c.wait("m-1.5 · low") // the project's still counts
	c.leave()
	if kept := c.file(agentFiles + "settings.json"); !strings.Contains(kept, `"mock/m-1.5":"high"`) {
		t.Errorf("settings.json is %s", kept)
	}
	c.start(100, 30, "--model", "mock/m-1.5")
	c.wait("m-1.5 · low")
	c.keys("/settings", enter, "of this model")
	row("high")
	c.leaveSettings()
	c.leave()
}

// What Anthropic may bill is said at the start, unless the settings leave it out.
func TestWarningOfExtraUsage(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put(agentFiles+"auth.json", `{"anthropic":{"type":"oauth","access":"sk-ant-oat-x","refresh":"r","expires":9007199254740000}}`)
	c.start(100, 30, "--model", "anthropic/claude-opus-5-5")
	c.wait("counts what programs other than its own")
	c.keys("/settings", enter, "extra usage")
	c.wait("→ Warn of extra usage")
	c.keys(enter)
	c.until("it is off", func(s string) bool {
		return strings.Contains(strings.Join(strings.Fields(s), " "), "→ Warn of extra usage off")
	})
	c.leaveSettings()
	c.leave()
	c.start(100, 30, "--model", "anthropic/claude-opus-5-5")
	c.wait("claude-opus-5-5")
	c.keys("hello")
	if s := c.wait("hello"); strings.Contains(s, "counts what programs") {
		t.Errorf("it is said all the same:\n%s", s)
	}
	c.keys(ctrlU)
	c.leave()
}

// leaveSettings closes the settings, of which some are filtered out.
func (c *console) leaveSettings() {
	c.t.Helper()
	c.keys(escape)
	c.gone("filter:")
	c.keys(escape)
	c.gone("── Settings")
}
