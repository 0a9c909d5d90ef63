//go:build unix

package interactive_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// What is gone on with shows each call with its result, as before, and says of one
// that was under way when the program ended that it was not done.
func TestCallsOfAnEarlierRun(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"fullscreen", "regular"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			c.llm.Queue(
				mockllm.Blocks(mockllm.Text("both at once"), mockllm.ToolCall("t1", "bash", `{"command":"echo one of $((1+1))"}`), mockllm.ToolCall("t2", "bash", `{"command":"echo two of $((1+1))"}`)),
				mockllm.Say("that was it"),
				mockllm.Blocks(mockllm.ToolCall("t3", "bash", `{"command":"echo begun; sleep 100"}`)),
			)
			c.open(80, 40, "--tui-mode", mode)
			c.ask("go", "that was it")
			before := c.wait("of 100k")
			before = before[strings.Index(before, " go\n"):strings.Index(before, "that was it")]
			c.keys("now this", enter)
			c.wait("\n   begun")
			c.signal(syscall.SIGKILL)
			<-c.ended
			c.start(80, 40, "-c", "--tui-mode", mode)
			s := c.wait("the session ended before", "that was it")
			if !strings.Contains(s, before) {
				t.Errorf("the screen does not show as it was:\n%s\nbut\n%s", before, s)
			}
			c.leave()
		})
	}
}

// Skills are suggested unless the person does not want them.
func TestSkillsAsCommands(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		c := place(t)
		c.put("../home/.pi/agent/skills/rhyme/SKILL.md", "---\nname: rhyme\ndescription: how lines are made to rhyme\n---\nThe last sounds are alike.\n")
		c.put("../home/.pi/agent/prompts/skillet.md", "---\ndescription: a pan\n---\nA pan.\n")
		if !on {
			c.put(agentFiles+"settings.json", `{"theme":"dark","enableSkillCommands":false}`)
		}
		c.open(80, 30)
		c.keys("/skill")
		if s := c.wait("/skillet"); strings.Contains(s, "how lines are made") != on {
			t.Errorf("with the setting %v:\n%s", on, s)
		}
		c.leave(ctrlC)
	}
}
