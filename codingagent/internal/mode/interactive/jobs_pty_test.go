//go:build unix

package interactive_test

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// TestStopAndGoOn stops pi in a shell and lets it go on, by its own key and by a
// signal from outside, while an answer comes.
func TestStopAndGoOn(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"fullscreen", "regular"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			prompt := func() {
				t.Helper()
				c.until("the shell is back", func(s string) bool {
					return strings.HasSuffix(strings.TrimRight(s, "\n"), "shell>") && !c.screen.Mode(2004)
				})
			}
			hold := make(chan struct{})
			c.llm.Queue(mockllm.Say("the answer came meanwhile").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}), mockllm.Say("and another"))
			c.shell, c.env = true, []string{"PS1=shell> "}
			c.open(80, 24, "--tui-mode", mode)
			c.keys("go", enter)
			c.wait("Working")
			c.keys("half a text")
			c.wait("half a text")
			c.keys("\x1a") // ctrl+z
			prompt()
			c.mu.Lock()
			if c.screen.AltScreen() || c.screen.Mode(2004) || c.screen.Mode(1002) {
				t.Error("the shell got a terminal in a state that is not its own")
			}
			c.mu.Unlock()
			c.keys("echo from$((1+1))shell", enter)
			c.wait("from2shell")
			close(hold)
			c.keys("fg", enter)
			c.wait("half a text", "the answer came meanwhile", "of 100k")
			c.gone("Working")
			// Now from outside.
			pid := childOf(t, c.cmd.Process.Pid)
			if err := syscall.Kill(pid, syscall.SIGTSTP); err != nil {
				t.Fatal(err)
			}
			prompt()
			c.keys("fg", enter)
			c.until("pi is back", func(s string) bool {
				return strings.Contains(s, "half a text") && strings.Contains(s, "of 100k") && c.screen.Mode(2004)
			})
			c.ask(" more", "and another")
			c.keys(ctrlD)
			prompt()
			c.keys("exit", enter)
			c.finish(0)
		})
	}
}

// childOf gives the process that a shell has started.
func childOf(t *testing.T, parent int) int {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		f := strings.Fields(string(line))
		if len(f) == 2 && f[1] == strconv.Itoa(parent) {
			if pid, err := strconv.Atoi(f[0]); err == nil && pid != os.Getpid() {
				return pid
			}
		}
	}
	t.Fatal("the shell has no child")
	return 0
}
