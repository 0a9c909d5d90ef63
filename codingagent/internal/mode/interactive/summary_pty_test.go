//go:build unix

package interactive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// What can not be summed up is said in one place, and a summary is a line that
// unfolds.
func TestCompactAndCopy(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.put(agentFiles+"settings.json", `{"theme":"dark","compaction":{"keepRecentTokens":1},"retry":{"enabled":false}}`)
		c.open(width, 40)
		c.keys("/copy", enter)
		c.wait("There is no answer to copy yet.")
		c.keys("/compact", enter)
		if s := c.wait("Nothing was summed up"); strings.Contains(s, "Error") {
			t.Errorf("it is an error, too:\n%s", s)
		}
		for i := range 3 {
			c.llm.Queue(mockllm.Say(fmt.Sprintf("answer %d", i)))
			c.keys(fmt.Sprintf("question %d", i), enter)
			c.wait(fmt.Sprintf("answer %d", i))
			c.gone("Working")
		}
		c.keys("/copy", enter)
		c.wait("Copied the last answer.")
		c.until("it is on the clipboard", func(string) bool { return c.screen.Clipboard() == "answer 2" })
		c.llm.Queue(mockllm.Failure(400, "invalid_request_error", "no room"))
		c.keys("/compact", enter)
		s := c.wait("could not be", "no room")
		if strings.Count(s, "no room") != 1 {
			t.Errorf("it is said more than once:\n%s", s)
		}
		c.llm.Queue(mockllm.Say("the gist of all this"))
		c.keys("/compact what matters", enter)
		c.wait("Summed up: ")
		c.resized(width+7, 36, "Summed up: ")
		c.resized(width, 40, "Summed up: ")
		c.gone("gist of all")
		c.keys(ctrlO)
		c.wait("gist of all")
		c.leave()
	})
}

// The tools that look for things show what they looked for and what they found.
func TestToolsThatSearch(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.put("a.go", "package a\n\nfunc A() {}\n")
		c.put("sub/b.go", "package sub\n\nfunc B() {}\n")
		c.llm.Queue(
			mockllm.Blocks(
				mockllm.ToolCall("t1", "grep", `{"pattern":"func","glob":"*.go"}`),
				mockllm.ToolCall("t2", "find", `{"pattern":"*.go"}`),
				mockllm.ToolCall("t3", "ls", `{"path":"sub"}`),
				mockllm.ToolCall("t4", "ls", `{"path":"nowhere"}`),
			),
			mockllm.Say("seen"),
		)
		c.open(width, 40, "--tools", "grep,find,ls")
		c.keys("look around", enter)
		c.wait("● grep func only *.go · 2 lines\n   a.go:3: func A() {}\n   sub/b.go:3: func B() {}\n",
			"● find *.go · 2 lines\n   a.go\n   sub/b.go\n", "● ls sub · 1 line\n   b.go\n", "✗ ls nowhere\n   cannot list nowhere", "\n seen")
		c.gone("Working")
		c.leave()
	})
}
