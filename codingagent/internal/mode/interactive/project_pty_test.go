//go:build unix

package interactive_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// A project that brings files is asked about before anything of it is read.
func TestTrustQuestion(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		for _, tc := range []struct {
			keys   string
			name   string
			used   bool
			stored string // what trust.json has
		}{
			{enter, "always", true, "/work\": true"},
			{down + enter, "neighbours", true, "\": true"},
			{down + down + enter, "once", true, ""},
			{down + down + down + enter, "not this time", false, ""},
			{escape, "escape", false, ""},
			{up + enter, "never", false, "/work\": false"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				c := place(t)
				c.put(".pi/prompts/greet.md", "---\ndescription: from the project\n---\nSay good day.\n")
				c.put(".pi/settings.json", `{"quietStartup": true}`)
				c.start(width, 30, "--model", "mock/m")
				c.wait("Is this project to be trusted?", ".pi/prompts")
				c.golden(fmt.Sprintf("trust-%d", width))
				c.resized(width+8, 24, "Is this project", "→ Yes, always")
				c.keys(tc.keys)
				c.wait("of 100k")
				c.keys("/gree")
				if tc.used {
					c.wait("from the project")
				} else {
					c.wait("not used, for") // the notice
				}
				c.leave(ctrlC)
				if got := c.file(agentFiles + "trust.json"); tc.stored == "" && got != "" || !strings.Contains(got, tc.stored) {
					t.Errorf("trust.json is %s", got)
				}
				again := false
				c.start(width, 30, "--model", "mock/m")
				c.until("pi is there, or asks", func(s string) bool {
					again = strings.Contains(s, "Is this project")
					return again || strings.Contains(s, "of 100k")
				})
				if again != (tc.stored == "") {
					t.Errorf("it asks again: %v", again)
				}
				if again {
					c.keys(escape)
					c.wait("of 100k")
				}
				c.leave()
			})
		}
	})
}

// The nearest decision counts, and /trust changes it at once.
func TestTrustCommand(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.put(".pi/prompts/greet.md", "---\ndescription: from the project\n---\nSay good day.\n")
		c.put(agentFiles+"trust.json", fmt.Sprintf(`{%q: false}`, filepath.Dir(c.dir)))
		c.open(width, 50)
		c.wait("decided for")
		c.keys("/trust", enter)
		c.wait("── Is this project", "Kept", "not trusted,", "→ No, never")
		c.resized(width+11, 45, "→ No, never")
		c.keys(escape)
		c.gone("── Is this")
		c.keys("/trust", enter)
		c.wait("── Is this project")
		c.keys(up, up, enter)
		c.wait("1 template")
		c.keys("/gree")
		c.wait("from the project")
		c.leave(ctrlC)
		if got := c.file(agentFiles + "trust.json"); !strings.Contains(got, fmt.Sprintf("%q: true", c.dir)) {
			t.Errorf("trust.json is %s", got)
		}
	})
}

// In lines the question is one too.
func TestTrustQuestionInLines(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put(".pi/prompts/greet.md", "Say good day.\n")
	c.llm.Queue(mockllm.Say("good day"))
	c.start(200, 24, "--model", "mock/m", "--tui-mode", "line")
	c.wait("Its files can steer", "not now >")
	c.keys("once", enter)
	c.wait("once\n>")
	c.keys("/greet", enter)
	c.wait("good day")
	c.keys("/quit", enter)
	c.finish(0)
}

func TestReloadCommand(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		hold := make(chan struct{})
		t.Cleanup(func() { close(hold) })
		c.llm.Queue(mockllm.Say("half", "never").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}), mockllm.Say("baa"))
		c.put("AGENTS.md", "Say moo.\n")
		c.open(width, 40)
		c.keys("hello", enter)
		c.wait("Working")
		c.keys("/reload", enter)
		c.wait("stop first")
		c.keys(escape)
		c.wait("(stopped)")
		c.gone("Stopping")
		c.put("AGENTS.md", "Say baa.\n")
		c.put(agentFiles+"settings.json", `{"theme":"dark","hideThinkingBlock":true,"nonsense":1,"editorPaddingX":"wide"}`)
		c.put(agentFiles+"keybindings.json", `{"app.palette":["f2"],"toggleThinking":"f5"}`)
		c.put(agentFiles+"prompts/greet.md", "---\ndescription: says good day\n---\nSay good day.\n")
		c.put(agentFiles+"themes/broken.json", `{"name":"broken"}`)
		c.keys("/reload", enter)
		c.wait("Read again: settings, keys", "template", "editorPaddingX", "broken.json")
		c.keys("\x1bOQ") // f2
		c.wait("── Commands")
		c.keys("greet")
		c.wait("→ /greet")
		c.keys(escape)
		c.gone("── Commands")
		c.keys(altX)
		c.keys("y")
		c.wait("\ny") // alt+x does nothing now
		c.keys(ctrlC, "what do you say", enter)
		c.wait("baa")
		c.gone("Working")
		if body := string(c.llm.Requests()[1].Body); !strings.Contains(body, "Say baa.") {
			t.Error("the model does not have the new instructions")
		}
		c.leave()
	})
}

func TestThemeFilesCountWhenTheyAreSaved(t *testing.T) {
	t.Parallel()
	c := place(t)
	dark, err := os.ReadFile("../../../../tui/theme/dark.json")
	if err != nil {
		t.Fatal(err)
	}
	write := func(accent string) {
		t.Helper()
		s := strings.Replace(string(dark), `"name": "dark"`, `"name": "mine"`, 1)
		c.put(agentFiles+"themes/mine.json", strings.Replace(s, `"accent": "blue"`, fmt.Sprintf(`"accent": %q`, accent), 1))
	}
	write("#010203")
	c.put(agentFiles+"settings.json", `{"theme":"mine"}`)
	c.open(80, 24)
	accent := func(want string) {
		t.Helper()
		c.until("the name is drawn in "+want, func(string) bool {
			return strings.Contains(strings.Join(c.screen.StyledScreen(), "\n"), want)
		})
	}
	accent("38;2;1;2;3")
	write("#040506")
	accent("38;2;4;5;6")
	c.put(agentFiles+"themes/mine.json", "{")
	c.wait("mine.json is not used")
	accent("38;2;4;5;6")
	write("#070809")
	accent("38;2;7;8;9")
	c.keys("/theme", enter)
	c.wait("→ mine", "your own")
	c.keys("high-contrast-l")
	c.wait("→ high-contrast-light")
	accent("38;2;0;61;153")
	c.keys(escape)
	c.gone("── Theme")
	accent("38;2;7;8;9")
	c.keys("/theme light/dark", enter)
	c.wait("The theme is light/dark.")
	c.keys("/theme nonsense", enter)
	c.wait("There is no theme")
	c.leave()
	if got := c.file(agentFiles + "settings.json"); !strings.Contains(got, `"light/dark"`) {
		t.Errorf("settings.json is %s", got)
	}
}

// A file of keys that can not be read any more leaves the usual keys in force, as is said.
func TestAFileOfKeysThatCanNotBeRead(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put(agentFiles+"keybindings.json", `{"app.palette":"f2"}`)
	c.open(80, 30)
	path := filepath.Join(c.dir, agentFiles, "keybindings.json")
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755)); err != nil {
		t.Fatal(err)
	}
	c.keys("/reload", enter)
	c.wait("the usual keys are in force")
	c.keys(altX)
	c.wait("── Commands")
	c.keys(escape)
	c.gone("── Commands")
	c.leave()
}
