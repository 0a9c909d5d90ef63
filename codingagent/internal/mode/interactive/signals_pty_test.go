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
