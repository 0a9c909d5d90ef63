//go:build unix

package interactive_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// show has pi answer with a bit of everything.
func (c *console) show(env ...string) {
	c.t.Helper()
	c.put("a.go", "package a\n\nfunc A() {}\n")
	c.llm.Queue(
		mockllm.Blocks(mockllm.Thinking("", "weighing the matter"), mockllm.Text("# Title\n\n- one — two…\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"),
			mockllm.ToolCall("t1", "read", `{"path":"a.go"}`),
			mockllm.ToolCall("t2", "edit", `{"path":"a.go","edits":[{"oldText":"func A() {}","newText":"func B() {}"}]}`)),
		mockllm.Say("done 한글"),
	)
	c.env = append(c.env, env...)
	c.open(80, 40)
	c.ask("go → now", "done 한글")
}

func TestWithoutColour(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.show("NO_COLOR=1")
	c.keys("/model", enter)
	c.wait("→ mock/m") // what is marked is seen without colours
	c.keys(escape)
	c.gone("→ mock/m")
	c.leave()
	if m := regexp.MustCompile(`\x1b\[[0-9;]*\b([34][0-8]|9[0-7]|10[0-7])\b[0-9;]*m`).FindString(c.raw.String()); m != "" {
		t.Errorf("a colour was sent: %q", m)
	}
}

func TestWithoutDrawnSigns(t *testing.T) {
	t.Parallel()
	for _, env := range []string{"LC_ALL=C", "PI_ASCII=1"} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			c.show(env)
			c.golden("ascii-80")
			c.leave()
			for _, r := range c.raw.String() {
				if r > 0x7f && !strings.ContainsRune("한글", r) {
					t.Errorf("%q was sent", r)
					break
				}
			}
		})
	}
}

func TestNothingMoves(t *testing.T) {
	t.Parallel()
	c := place(t)
	hold := make(chan struct{})
	c.llm.Queue(mockllm.Say("half", "whole").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}))
	c.env = []string{"PI_REDUCED_MOTION=1"}
	c.open(80, 24)
	c.keys("go", enter)
	c.wait("Working… 1s") // the time goes on
	close(hold)
	c.wait("whole")
	c.gone("Working")
	c.leave()
	if strings.ContainsAny(c.raw.String(), "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏") {
		t.Error("something turned")
	}
}

func TestThinkingIsShownFoldedOrHidden(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.show()
	c.wait("weighing the matter")
	c.keys(ctrlT)
	c.wait("folded to a line", "Thinking (ctrl+t")
	c.gone("weighing")
	c.keys(ctrlT)
	c.wait("Thinking is hidden")
	s := c.gone("Thinking (ctrl+t")
	if strings.Contains(s, "\n\n\n Title") {
		t.Errorf("a gap is left:\n%s", s)
	}
	c.keys(ctrlT)
	c.wait("weighing the matter")
	c.leave()
	c.put("../home/.pi/agent/settings.json", `{"theme":"dark","hideThinkingBlock":"entirely"}`)
	c.start(80, 40, "-c")
	if s := c.wait("done 한글"); strings.Contains(s, "weighing") || strings.Contains(s, "Thinking (") {
		t.Errorf("thinking is shown:\n%s", s)
	}
	c.leave()
}

// TestLineMode is for screen readers and dumb terminals: every line is written once
// and nothing moves the cursor.
func TestLineMode(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, setting string
		env, args     []string
	}{
		{"option", "", nil, []string{"--tui-mode", "line"}},
		{"setting", `{"tuiMode":"line"}`, nil, nil},
		{"dumb", "", []string{"TERM=dumb"}, nil},
		{"no TERM", "", []string{"TERM="}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			if tc.setting != "" {
				c.put("../home/.pi/agent/settings.json", tc.setting)
			}
			c.put("../home/.pi/agent/prompts/greet.md", "---\ndescription: says good day\n---\nSay good day to $1.\n")
			c.llm.Queue(mockllm.Blocks(mockllm.Text("plain"), mockllm.ToolCall("t1", "bash", `{"command":"echo from the tool"}`)), mockllm.Say("good day, Ada"))
			c.env = tc.env
			c.start(80, 60, append([]string{"--model", "mock/m"}, tc.args...)...)
			c.wait(">")
			c.keys("hi", enter)
			c.wait("plain", "* bash echo", "  from the tool")
			c.keys("/help", enter)
			c.wait("/model [name]", "/greet: says good day")
			c.keys("/model", enter)
			c.wait("In use: mock/m", "mock/n")
			c.keys("/model mock/x", enter)
			c.wait("did you mean mock/")
			c.keys("/model mock/n", enter)
			c.wait("The model is mock/n.")
			c.keys("/session", enter)
			c.wait("Tool calls: 1.")
			c.keys("!echo $((6*7)) of mine; exit 3", enter)
			c.wait("42 of mine", "exit code 3")
			c.keys("/greet Ada", enter)
			c.wait("good day, Ada")
			c.keys("/quit", enter)
			c.finish(0)
			if m := regexp.MustCompile(`\x1b\[[0-9;?]*[A-LS-TXd-hl-lsu]|\x1b[78M]`).FindString(c.raw.String()); m != "" {
				t.Errorf("the cursor was moved: %q", m)
			}
		})
	}
}
