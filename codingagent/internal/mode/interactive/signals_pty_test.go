//go:build unix

package interactive_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

const ctrlG = "\x07"

// A ctrl+c while another program has the terminal is for that one: what it has written
// is not cleared.
func TestCtrlCInTheEditorOfOnesOwn(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.program("edit", `trap 'echo kept words >"$1"; exit 0' INT
echo "in the editor"
while :; do sleep 0.05; done
`)
	c.env = append(c.env, "VISUAL=edit")
	c.open(80, 24)
	c.keys("some words", ctrlG)
	c.wait("in the editor")
	c.keys(ctrlC)
	c.wait("─\nkept words\n─")
	c.keys(" and more")
	c.wait("─\nkept words and more\n─")
	c.leave(ctrlC)
}

// A program that is told to end while an editor has the terminal ends the editor, too,
// and keeps the text.
func TestAnEndDuringTheEditorOfOnesOwn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, trap string
		signal     syscall.Signal
		code       int
		text       string
	}{
		{"SIGTERM", "", syscall.SIGTERM, 143, "typed before"},
		{"SIGHUP", "", syscall.SIGHUP, 129, "typed before"},
		{"an editor that saves", `trap 'echo saved at the end >"$1"; exit 0' TERM`, syscall.SIGTERM, 143, "saved at the end"},
		{"an editor that does not want to go", `trap "" TERM HUP`, syscall.SIGTERM, 143, "typed before"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			temp := t.TempDir()
			c.program("edit", tc.trap+`
echo $$ >"`+c.dir+`/pid"
echo "in the editor"
while :; do sleep 0.05; done
`)
			c.env = append(c.env, "VISUAL=edit", "TMPDIR="+temp)
			c.open(80, 24)
			c.keys("typed before", ctrlG)
			c.wait("in the editor")
			c.signal(tc.signal)
			c.finish(tc.code)
			c.dead(c.file("pid"))
			if left, _ := filepath.Glob(temp + "/edit-*"); len(left) > 0 {
				t.Errorf("%q was left", left)
			}
			c.open(80, 24)
			c.wait("─\n"+tc.text+"\n─", "is back")
			c.leave(ctrlC)
		})
	}
}

// dead waits until there is no process of an id any more.
func (c *console) dead(id string) {
	c.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(id))
	if err != nil {
		c.t.Fatal(err)
	}
	for end := time.Now().Add(waitTime); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		state, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil && syscall.Kill(pid, 0) != nil || strings.Contains(string(state), ") Z ") {
			return
		}
	}
	c.t.Errorf("process %d was left", pid)
}

// A storm of sizes and then an end from outside, whatever is open: the terminal is given
// back, no process is left, and the session goes on.
func TestAnEndInWhateverIsOpen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, keys, shows string }{
		{"models", "\x0c", "── Model"},
		{"settings", "/settings\r", "── Settings"},
		{"resume", "/resume\r", "── Resume"},
		{"tree", "/tree\r", "── Tree"},
		{"login", "/login\r", "── Connect"},
		{"a key", "/login groq\r", "── Groq"},
		{"trust", "/trust\r", "── Is this"},
		{"palette", "\x1bx", "── Commands"},
		{"search", "\x06", "search"},
		{"a command", "!echo $$ >pid; sleep 1000 & echo $! >child; echo its''output; wait\r", "itsoutput"},
	} {
		for signal, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
			t.Run(fmt.Sprintf("%s, %v", tc.name, signal), func(t *testing.T) {
				c := place(t)
				c.put(".pi/prompts/greet.md", "Say good day.\n")
				c.llm.Queue(mockllm.Say("answer one"), mockllm.Say("answer two"))
				c.open(80, 30, "--approve")
				c.ask("question one", "answer one")
				c.keys(tc.keys)
				c.wait(tc.shows)
				for i := range 200 {
					c.resize(60+i%40, 20+i%17)
					c.signal(syscall.SIGWINCH)
				}
				c.resize(80, 30)
				c.signal(signal)
				c.finish(code)
				if tc.name == "a command" {
					c.dead(c.file("pid"))
					c.dead(c.file("child"))
				}
				c.open(80, 30, "-c", "--approve")
				c.wait("question one", "answer one")
				c.ask("question two", "answer two")
				c.leave()
			})
		}
	}
}
