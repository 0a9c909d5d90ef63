//go:build unix

package interactive_test

import (
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// What is typed and what is queued is not lost when the session becomes another one.
func TestNothingUnsentIsLostWithASession(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		run  func(c *console)
	}{
		{"new", func(c *console) {
			c.keys("/new", enter)
			c.wait("A new session.", "─\nqueued words\n─")
		}},
		{"new twice at once", func(c *console) {
			c.keys("/new", enter, "/new", enter)
			c.wait("A new session.", "queued words")
		}},
		{"clone", func(c *console) {
			c.keys("/clone", enter)
			c.wait("This is a copy now", "─\nqueued words\n─")
		}},
		{"fork, with something typed", func(c *console) {
			c.keys("half a text", "\x1bOS")
			c.wait("── Fork from", "→ question two")
			c.keys(down)
			c.wait("→ question one")
			c.keys(enter)
			c.wait("A new session, from that", "question one", "queued words", "half a text")
		}},
		{"resume", func(c *console) {
			c.keys("/resume", enter)
			c.wait("── Resume", "Working")
			c.keys("apples")
			c.wait("→ apples")
			c.keys(enter)
			c.wait("like cherries", "─\nqueued words\n─")
		}},
		{"tree, with something typed", func(c *console) {
			c.keys(escape)
			c.wait("(stopped)", "─\nqueued words\n─")
			c.gone("Stopping")
			c.keys("\x1bOR")
			c.wait("── Tree")
			c.keys("question one")
			c.wait("→ you: question one")
			c.keys(enter)
			c.wait("→ Go there")
			c.keys(enter)
			c.wait("─\nquestion one\n\nqueued words\n─")
		}},
		{"compact", func(c *console) {
			c.keys("/compact", enter)
			c.wait("queued words")
		}},
		{"quit", func(c *console) {
			c.keys("/quit", enter)
			c.finish(0)
			c.open(80, 40)
			c.wait("─\nqueued words\n─", "is back")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			c.kept("aaaa1111", c.dir, "", "apples are red", "like cherries")
			c.put(agentFiles+"keybindings.json", `{"app.session.fork":"f4","app.session.tree":"f3"}`)
			hold := make(chan struct{})
			t.Cleanup(func() { close(hold) })
			c.llm.Queue(mockllm.Say("answer one"), mockllm.Say("half", "never").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}))
			c.open(80, 40)
			c.ask("question one", "answer one")
			c.keys("question two", enter)
			c.wait("Working")
			c.keys("queued words", enter)
			c.wait("next: queued words")
			tc.run(c)
			c.until("the words are there once", func(s string) bool { return strings.Count(s, "queued words") == 1 })
			c.keys(ctrlC)
			c.keys(strings.Repeat(ctrlC, 5))
			c.finish(0)
		})
	}
}

// A server that says nothing before, in or after an answer is left with escape, and the
// next message gets its answer; one that resets is asked again.
func TestAServerThatStalls(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	for name, stalled := range map[string]mockllm.Answer{
		"before the answer": mockllm.Say("never").Via(mockllm.Hanging(hold)),
		"in the answer":     mockllm.Say("half of it", "never").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}),
		"after the text":    mockllm.Say("all", " of it").Via(mockllm.Delivery{HoldAt: 2, Hold: hold}),
		"in a call":         mockllm.Blocks(mockllm.ToolCall("t1", "bash", `{"command":`, `"echo never"}`)).Via(mockllm.Delivery{HoldAt: 1, Hold: hold}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			c.llm.Queue(stalled, mockllm.Say("the next answer"), mockllm.Say("and the last"))
			c.open(80, 30)
			c.keys("question one", enter)
			c.wait("Working")
			c.until("the server has been asked", func(string) bool { return len(c.llm.Requests()) > 0 })
			c.keys("steer it", enter)
			c.wait("next: steer it")
			c.keys(escape)
			c.wait("─\nsteer it\n─")
			c.gone("Stopping")
			c.gone("Working")
			c.keys(enter)
			c.wait("the next answer")
			c.gone("Working")
			c.ask("question three", "and the last")
			c.leave()
			c.open(80, 30, "-c")
			c.wait("steer it", "the next answer", "question three", "and the last")
			c.leave()
		})
	}
	t.Cleanup(func() { close(hold) })
}
