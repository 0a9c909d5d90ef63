//go:build unix

package interactive_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// multiplexer is a program that runs others in terminals of its own.
type multiplexer struct {
	name   string
	config string
	// run is the command that runs another one, with a name and the file of the
	// configuration; end is the one that ends it whatever state it is in.
	run func(name, file string) []string
	end func(name string) []string
}

func multiplexers() []multiplexer {
	return []multiplexer{
		{
			name: "screen", config: "startup_message off\ndefutf8 on\naltscreen on\nescape ^]]\nterm screen-256color\n",
			run: func(name, file string) []string { return []string{"screen", "-c", file, "-S", name} },
			end: func(name string) []string { return []string{"screen", "-S", name, "-X", "quit"} },
		},
		{
			name: "tmux", config: "set -g status off\nset -g default-terminal tmux-256color\nset -sg escape-time 10\nset -g extended-keys on\n",
			run: func(name, file string) []string { return []string{"tmux", "-L", name, "-f", file, "new-session"} },
			end: func(name string) []string { return []string{"tmux", "-L", name, "kill-server"} },
		},
	}
}

// within has pi run in a multiplexer; the test is skipped where that is missing.
func (c *console) within(m multiplexer) {
	c.t.Helper()
	if _, err := exec.LookPath(m.name); err != nil {
		c.t.Skipf("%s is not installed", m.name)
	}
	c.put("../multiplexer.conf", m.config)
	sockets := filepath.Join(filepath.Dir(c.dir), "sockets")
	if err := os.Mkdir(sockets, 0o700); err != nil {
		c.t.Fatal(err)
	}
	name := fmt.Sprintf("pi-test-%d-%s", os.Getpid(), filepath.Base(filepath.Dir(c.dir)))
	c.env = append(c.env, "SCREENDIR="+sockets, "TMUX_TMPDIR="+sockets, "LC_ALL=C.UTF-8")
	c.inside = m.run(name, filepath.Join(filepath.Dir(c.dir), "multiplexer.conf"))
	c.t.Cleanup(func() {
		end := m.end(name)
		cmd := exec.Command(end[0], end[1:]...)
		cmd.Env = append(os.Environ(), c.env...)
		_ = cmd.Run() // mostly it has ended
	})
}

// TestInsideMultiplexers talks to pi in the programs that many keep their shells in:
// what is typed, keys with modifiers, wide characters, an answer, a new size, and the
// end, after which the terminal is as it was.
func TestInsideMultiplexers(t *testing.T) {
	t.Parallel()
	for _, m := range multiplexers() {
		for _, mode := range []string{"fullscreen", "regular"} {
			t.Run(m.name+", "+mode, func(t *testing.T) {
				t.Parallel()
				c := place(t)
				c.within(m)
				hold := make(chan struct{})
				c.llm.Queue(
					mockllm.Say("the first half,\n\n", "한글 and the rest").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}),
					mockllm.Say("then this"),
				)
				c.open(80, 24, "--tui-mode", mode)
				c.keys("one", "\n", "two") // ctrl+j
				c.wait("\none\n", "\ntwo\n")
				c.keys("\x1b[D", "\x1b[D", "x", "\x1b[A", "한") // left, left, up
				c.wait("\non한e\n", "\ntxwo\n")
				c.keys(enter)
				c.wait("Working")
				c.keys("later", altRet)
				c.wait("then: later")
				c.keys(paste("pasted\ntext"))
				c.wait("\npasted\n", "\ntext\n")
				c.keys(ctrlC)
				c.gone("pasted")
				c.resize(70, 20)
				c.until("it is drawn 70 wide", func(s string) bool { return strings.Contains(s, "\n"+strings.Repeat("─", 70)+"\n") })
				close(hold)
				c.wait("the first half", "한글 and the rest", "then this")
				c.gone("Working")
				c.keys("\x1b[A")
				c.wait("\npasted\n", "\ntext\n") // what was cleared is in the history
				c.leave(ctrlC)
				if body := string(c.llm.Requests()[0].Body); !strings.Contains(body, `on한e\ntxwo`) {
					t.Errorf("the model got %s", body)
				}
			})
		}
	}
}
