//go:build unix

package interactive_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// widths are those that every screen is looked at.
var widths = [...]int{40, 80, 120, 200}

// everyWidth runs a test at all of them.
func everyWidth(t *testing.T, test func(t *testing.T, width int)) {
	t.Parallel()
	for _, width := range widths {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			test(t, width)
		})
	}
}

func TestSelectors(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		const height = 45
		c := place(t)
		c.thinker()
		c.llm.Queue(mockllm.Say("an answer"), mockllm.Say("another"))
		c.start(width, height, "--model", "mock/t")
		c.wait("of 100k")
		c.ask("a question that is rather long for a narrow terminal", "an answer")
		for _, step := range []struct{ command, shows, name string }{
			{"/model", "── Model", "model"},
			{"/thinking", "── Thinking", "thinking"},
			{"/scoped-models", "[x] mock/t", "scoped-models"},
			{"/theme", "high-contrast-dark", "theme"},
			{"/settings", "── Settings", "settings"},
			{"/tree", "── Tree", "tree"},
			{"/resume", "── Resume", "resume"},
			{"/fork", "── Fork from", "fork"},
			{"/login", "── Connect a provider", "login"},
			{"\x1bx", "── Commands", "palette"},
			{"/bug", "── What is wrong?", "bug"},
		} {
			if step.command == "\x1bx" {
				c.keys(step.command)
				c.wait(step.shows)
				c.selector(width, height, "zz", "zz", "palette-empty")
				continue
			}
			c.selector(width, height, step.command, step.shows, step.name)
		}
		c.keys("/he")
		c.wait("→ /help")
		c.golden(fmt.Sprintf("complete-%d", width))
		c.leave(ctrlC)
	})
}

// file gives what is in a file, "" if it is not there.
func (c *console) file(name string) string {
	c.t.Helper()
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.t.Fatal(err)
	}
	return string(data)
}

// selector opens something that takes the editor's place, compares it with a golden
// screen, draws it in another size and back, and closes it.
func (c *console) selector(width, height int, command, shows, name string) {
	c.t.Helper()
	c.keys(command, enter)
	c.wait(shows)
	c.gone("⠋")
	c.golden(fmt.Sprintf("%s-%d", name, width))
	before := c.until("a frame is whole", func(string) bool { return true })
	other := width + 13 // wider: only the program can have drawn that
	c.resize(other, height-9)
	c.until(fmt.Sprintf("%s is drawn %d wide", command, other), func(s string) bool {
		for line := range strings.Lines(s) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "── ") && strings.HasSuffix(line, "─") && utf8.RuneCountInString(line) == other {
				return true
			}
		}
		return false
	})
	c.resize(width, height)
	c.until(command+" is as it was before the size changed", func(s string) bool { return s == before })
	c.keys(escape)
	c.gone(shows)
}

// thinker adds a model that thinks.
func (c *console) thinker() {
	c.put("../home/.pi/agent/models.json", fmt.Sprintf(`{"providers": {"mock": {"baseUrl": %q, "api": "openai-completions", "apiKey": "sk-mock-secret",
		"models": [{"id": "t", "reasoning": true, "maxTokens": 1000, "contextWindow": 100000}, {"id": "n", "maxTokens": 1000}, {"id": "o", "maxTokens": 1000}]}}}`, c.llm.URL+"/v1"))
}

// What a command writes into the transcript.
func TestTables(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.put("../home/.pi/agent/keybindings.json", `{"selectModel": "ctrl+l", "app.thinking.cycle": ["ctrl+t", "nonsense"]}`)
		c.open(width, 150)
		c.wait("nonsense")
		c.keys("/help", enter)
		c.wait("alt+x/f1")
		c.golden(fmt.Sprintf("help-%d", width))
		c.resized(width+7, 150, "alt+x/f1")
		c.resized(width, 150, "alt+x/f1")
		c.keys("/new", enter)
		c.gone("alt+x/f1")
		c.wait("A new session.")
		c.keys("/hotkeys", enter)
		c.wait("In the tree", "do more than one thing", "keybindings.json,")
		c.gone("A new session.")
		c.golden(fmt.Sprintf("hotkeys-%d", width))
		c.resized(width+7, 150, "In the tree", "do more than one thing")
		c.keys("/new", enter)
		c.gone("In the tree")
		c.keys("/changelog", enter)
		c.keys("\x1b[1;5H") // to the top
		c.wait("Unreleased")
		c.keys("\x1b[1;5F") // to the bottom
		c.keys("/session", enter)
		c.wait("Directory", "Cost")
		c.leave()
	})
}

func TestCommandsThatAreNotThere(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.llm.Queue(mockllm.Say("it is empty"))
		c.open(width, 24)
		for _, typed := range []string{"/modle mock/n", "/compactt", "/quit now", "/import", "/nonsense at all"} {
			c.keys(typed, enter)
			c.until("a hint is shown and the text is still there: "+typed, func(s string) bool {
				return strings.Contains(s, "\n"+typed) && (strings.Contains(s, "There is no") || strings.Contains(s, "stands alone") || strings.Contains(s, "Write it as"))
			})
			c.keys(ctrlC)
			c.gone("\n" + typed)
		}
		if n := len(c.llm.Requests()); n > 0 {
			t.Errorf("the model was asked %d times", n)
		}
		c.keys("/etc/hosts is empty", enter)
		c.wait("it is empty")
		c.leave()
	})
}
