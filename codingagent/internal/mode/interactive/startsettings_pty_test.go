//go:build unix

package interactive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// A quiet start has no lines at the top, unless the command line asks for them.
func TestQuietStart(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		set, arg string
		greets   bool
	}{{"false", "", true}, {"true", "", false}, {`"header"`, "", false}, {"true", "--verbose", true}} {
		c := place(t)
		c.put(agentFiles+"settings.json", fmt.Sprintf(`{"theme":"dark","quietStartup":%s}`, tc.set))
		c.start(80, 24, append([]string{"--model", "mock/m"}, strings.Fields(tc.arg)...)...)
		if s := c.wait("of 100k"); strings.Contains(s, "/ commands") != tc.greets {
			t.Errorf("quietStartup %s %s:\n%s", tc.set, tc.arg, s)
		}
		c.leave()
	}
}

// Settings of how it looks count like the variables of the same meaning.
func TestLookOfSettings(t *testing.T) {
	t.Parallel()
	const spinner = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
	raw := func(set string) string {
		c := place(t)
		c.put(agentFiles+"settings.json", `{"theme":"dark","terminal":{`+set+`}}`)
		hold := make(chan struct{})
		c.llm.Queue(mockllm.Say("half", "whole").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}))
		c.open(80, 24)
		c.keys("go", enter)
		c.wait("Working… 1s")
		close(hold)
		c.wait("whole")
		c.gone("Working")
		c.leave()
		return c.raw.String()
	}
	const progress = "\x1b]9;4;"
	if got := raw(""); !strings.ContainsAny(got, spinner) || strings.Contains(got, progress) {
		t.Error("nothing turns, or progress is told, without a setting")
	}
	if got := raw(`"reducedMotion":true,"showTerminalProgress":true`); strings.ContainsAny(got, spinner) || !strings.Contains(got, progress) {
		t.Error("something turns, or progress is not told")
	}
	c := place(t)
	c.put(agentFiles+"settings.json", `{"theme":"dark","terminal":{"ascii":true,"trueColor":false}}`)
	c.show()
	c.leave()
	for _, r := range c.raw.String() {
		if r > 0x7f && !strings.ContainsRune("한글", r) {
			t.Errorf("%q was sent", r)
			break
		}
	}
	if strings.Contains(c.raw.String(), "38;2;") {
		t.Error("a colour of 24 bits was sent")
	}
}

// Who uses a subscription of Anthropic is told what that may cost, unless he does not
// want to be told.
func TestExtraUsageWarning(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]bool{`{"theme":"dark"}`: true, `{"theme":"dark","warnings":{"anthropicExtraUsage":false}}`: false} {
		c := place(t)
		c.put(agentFiles+"settings.json", set)
		c.put(agentFiles+"auth.json", `{"anthropic":{"type":"oauth","access":"sk-ant-oat01-x","refresh":"y","expires":4102444800000}}`)
		c.start(100, 24, "--offline", "--model", "anthropic/claude-opus-5-5")
		if s := c.wait("claude-opus-5-5", "/ commands"); strings.Contains(s, "extra usage") != want {
			t.Errorf("%s:\n%s", set, s)
		}
		c.leave()
	}
}
