//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/tui/tuitest"
)

// TestMain is the program itself when the test starts it in a terminal.
func TestMain(m *testing.M) {
	if os.Getenv("OWNPI_TEST") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// console is the program in a terminal.
type console struct {
	t       *testing.T
	tty     *os.File
	mu      sync.Mutex
	changed *sync.Cond
	screen  *tuitest.Terminal
	ended   chan error
}

func start(t *testing.T, llm *mockllm.Server, args ...string) *console {
	t.Helper()
	home := t.TempDir()
	agent := filepath.Join(home, ".pi", "agent")
	models := fmt.Sprintf(`{"providers": {"mock": {"baseUrl": %q, "api": "openai-completions", "apiKey": "k", "models": [{"id": "m", "contextWindow": 100000}]}}}`, llm.URL+"/v1")
	if err := os.MkdirAll(agent, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(agent, "models.json"), []byte(models), 0o644); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{"--model", "mock/m"}, args...)...)
	cmd.Dir = home
	cmd.Env = []string{"OWNPI_TEST=1", "HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "SHELL=/bin/sh"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: 80, Rows: 30}); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &console{t: t, tty: master, screen: tuitest.New(80, 30), ended: make(chan error, 1)}
	c.changed = sync.NewCond(&c.mu)
	replies := make(chan string, 64)
	c.screen.OnReply(func(s string) {
		select {
		case replies <- s:
		default:
		}
	})
	go func() {
		for s := range replies {
			_, _ = master.WriteString(s)
		}
	}()
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			c.mu.Lock()
			_, _ = c.screen.Write(buf[:n])
			c.changed.Broadcast()
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() {
		c.ended <- cmd.Wait()
		_ = slave.Close()
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = master.Close()
	})
	return c
}

func (c *console) keys(s string) {
	c.t.Helper()
	if _, err := c.tty.WriteString(s); err != nil {
		c.t.Fatal(err)
	}
}

// wait waits until the screen has all of some texts.
func (c *console) wait(texts ...string) {
	c.t.Helper()
	late := false
	timer := time.AfterFunc(30*time.Second, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		late = true
		c.changed.Broadcast()
	})
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		s := strings.Join(c.screen.Screen(), "\n")
		missing := ""
		for _, t := range texts {
			if !strings.Contains(s, t) {
				missing = t
			}
		}
		switch {
		case missing == "":
			return
		case late:
			c.t.Fatalf("the screen never shows %q:\n%s", missing, s)
		}
		c.changed.Wait()
	}
}

func server(t *testing.T, answers ...mockllm.Answer) *mockllm.Server {
	t.Helper()
	llm, err := mockllm.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := llm.Close(); err != nil {
			t.Error(err)
		}
	})
	llm.Queue(answers...)
	return llm
}

func TestOwnPi(t *testing.T) {
	c := start(t, server(t,
		mockllm.Blocks(mockllm.ToolCall("t1", "dice", `{}`), mockllm.ToolCall("t2", "bash", `{"command":"rm -f nothing; echo removed"}`)),
		mockllm.Blocks(mockllm.ToolCall("t3", "bash", `{"command":"rm -f nothing; echo again"}`)),
		mockllm.Say("All done."),
	))
	c.wait("of 100k")
	c.keys("/todo buy milk\r")
	c.wait("☐ buy milk", "1 to do")
	c.keys("/todo\r")
	c.wait("What is to be done?")
	c.keys("sleep\r")
	c.wait("☐ sleep", "2 to do")
	c.keys("roll and clean up\r")
	c.wait("Run this command?", "echo removed", "Yes")
	c.keys("\r")
	c.wait("Run this command?", "echo again")
	c.keys("\x1b[B\r")
	c.wait("All done.", "rolls a die", "⚃", "removed", "the person does not want that")
	c.keys("\x04")
	select {
	case err := <-c.ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it did not end")
	}
}

func TestStrict(t *testing.T) {
	c := start(t, server(t, mockllm.Blocks(mockllm.ToolCall("t1", "bash", `{"command":"rm -f nothing"}`)), mockllm.Say("As you like.")), "--strict", "clean up")
	c.wait("nothing is removed here", "As you like.")
}
