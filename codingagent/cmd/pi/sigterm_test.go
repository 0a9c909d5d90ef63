//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// until reads lines until one has a text.
func until(text string) func(io.Reader) {
	return func(r io.Reader) {
		for lines := bufio.NewScanner(r); lines.Scan(); {
			if strings.Contains(lines.Text(), text) {
				return
			}
		}
	}
}

// ended checks the exit code of SIGTERM, and that nobody sees a stack.
func (o outcome) ended(t *testing.T) {
	t.Helper()
	if o.code != 143 || strings.Contains(o.err, "goroutine") {
		t.Errorf("exit %d, want 143; stderr %q", o.code, o.err)
	}
}

// SIGTERM ends pi at once in whatever it waits for, and what was received stays.
func TestSIGTERMWhileItWaits(t *testing.T) {
	t.Run("for the next try", func(t *testing.T) {
		s := newSandbox(t)
		s.put("../home/.pi/agent/settings.json", `{"retry":{"baseDelayMs":600000,"maxAgentDelayMs":600000}}`)
		s.llm.Queue(mockllm.Status(503))
		s.stopped(syscall.SIGTERM, until(`"type":"auto_retry_start"`), "--model", "mock/m", "--mode", "json", "-p", "hi").ended(t)
		if got := s.roles(); got != "system user assistant:error" {
			t.Errorf("stored %s", got)
		}
	})
	t.Run("for the headers of an answer", func(t *testing.T) {
		s := newSandbox(t)
		release := make(chan struct{})
		defer close(release)
		s.llm.Queue(mockllm.Say("late").Via(mockllm.Hanging(release)))
		s.stopped(syscall.SIGTERM, until(`"role":"user"`), "--model", "mock/m", "--mode", "json", "-p", "hi").ended(t)
	})
	t.Run("for a command that prints a key", func(t *testing.T) {
		s := newSandbox(t)
		s.put("../home/.pi/agent/models.json", fmt.Sprintf(`{"providers":{"mock":{"baseUrl":%q,"api":"openai-completions","apiKey":"!echo $$ > pid; exec sleep 100","models":[{"id":"m"}]}}}`, s.llm.URL+"/v1"))
		s.stopped(syscall.SIGTERM, func(io.Reader) { s.waitFor("pid") }, "--model", "mock/m", "-p", "hi").ended(t)
		pid, err := strconv.Atoi(strings.TrimSpace(s.get("pid")))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); err == nil && !zombie(pid) {
			t.Errorf("process %d is still there", pid)
		}
	})
	t.Run("for a summary", func(t *testing.T) {
		s := newSandbox(t)
		release := make(chan struct{})
		defer close(release)
		s.put("../home/.pi/agent/settings.json", `{"compaction":{"keepRecentTokens":1}}`)
		s.llm.Queue(mockllm.Say(strings.Repeat("word ", 400)), mockllm.Say("more"))
		s.run("--model", "mock/m", "-p", "one").says(t, 0, "word")
		s.run("--model", "mock/m", "-c", "-p", "two").says(t, 0, "more")
		before := len(s.stored())
		s.llm.Queue(mockllm.Say("summary").Via(mockllm.Hanging(release)))
		cmd := s.command(t.Context(), "--model", "mock/m", "-c", "--mode", "rpc")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(in, `{"type":"compact"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		until(`"type":"compaction_start"`)(out)
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(out); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the code says how it ended
		if code := cmd.ProcessState.ExitCode(); code != 143 {
			t.Errorf("exit %d, want 143", code)
		}
		if after := len(s.stored()); after < before {
			t.Errorf("%d entries, there were %d", after, before)
		}
	})
}
