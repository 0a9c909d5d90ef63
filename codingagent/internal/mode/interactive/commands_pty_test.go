//go:build unix

package interactive_test

import (
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// Commands that open no list, or whose list is chosen from, do what they say at every
// width, and what they say is still there after the size has changed.
func TestCommandsAtEveryWidth(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		const height = 40
		c := place(t)
		c.thinker()
		c.put("notes.md", "notes\n")
		c.llm.Queue(mockllm.Say("apples"), mockllm.Say("plums"), mockllm.Say("pears"))
		c.start(width, height, "--model", "mock/t")
		c.wait("of 100k")
		c.ask("what is red", "apples")
		c.ask("what is blue", "plums")
		// does types a command and waits for what it shows, in another size and back.
		does := func(command string, shows ...string) {
			t.Helper()
			c.keys(command, enter)
			c.wait(shows...)
			c.resized(width+11, height-4, shows...)
			c.resized(width, height, shows...)
		}
		does("/name fruit", "· fruit")
		does("/copy", "Copied the last answer.")
		does("/thinking high", "t · high")
		does("/model mock/n", "The model is mock/n.")
		does("/theme light", "The theme is light.")
		does("/export page.html", "Written to page.html")
		does("/session", "Directory", "Tokens", "Cost")
		does("/reload", "Read again")
		does("/trust", "── Is this project")
		c.keys(escape)
		c.gone("── Is this project")
		does("/logout", "No key and no login is stored.")
		does("/mcp", "no MCP server")
		does("/clone", "This is a copy now;")
		c.ask("what is green", "pears")
		c.keys("/fork", enter)
		c.wait("── Fork from", "→ what is green")
		c.keys("blue")
		c.wait("→ what is blue")
		c.resized(width+11, height-4, "→ what is blue")
		c.keys(enter)
		c.wait("A new session, from that message on.", "\nwhat is blue\n")
		c.resized(width, height, "\nwhat is blue\n")
		c.gone("pears")
		c.keys(ctrlC)
		does("/new", "A new session.")
		c.gone("apples")
		c.keys("/changelog", enter)
		c.gone("A new session.")
		c.keys("\x1b[1;5H") // to the top
		c.wait("Unreleased")
		c.resized(width+11, height-4, "Unreleased")
		c.resized(width, height, "Unreleased")
		c.keys("look at @no")
		c.wait("→ notes.md")
		c.resized(width+11, height-4, "→ notes.md")
		c.keys("\t")
		c.wait("\nlook at @notes.md")
		c.resized(width, height, "\nlook at @notes.md")
		c.keys(ctrlC)
		c.gone("look at")
		c.keys("/quit", enter)
		c.finish(0)
		if page := c.file("page.html"); !strings.Contains(page, "plums") {
			t.Errorf("the page is %.200s", page)
		}
	})
}

// What is looked for in the transcript is found at every width, and after the size has
// changed.
func TestASearchAtEveryWidth(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.llm.Queue(mockllm.Say("the needle", strings.Repeat("\n\nhay", 100)))
		c.open(width, 30)
		c.keys("go", enter)
		c.gone("Working")
		c.wait("hay")
		c.gone("needle")
		c.keys("\x1b[102;6u", "needle") // ctrl+shift+f
		c.wait("Search: needle", "the needle")
		c.resized(width+9, 26, "Search: needle", "the needle")
		c.resized(width, 30, "Search: needle", "the needle")
		c.keys(escape)
		c.gone("Search:")
		c.leave(ctrlC)
	})
}
