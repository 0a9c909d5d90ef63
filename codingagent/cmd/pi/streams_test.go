//go:build unix

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// Whatever of its three streams is closed from the start, pi ends by itself, without
// a stack trace, and what was answered is in the session.
func TestClosedStreams(t *testing.T) {
	for name, redirect := range map[string]string{
		"input": "<&-", "output": ">&-", "errors": "2>&-", "input and output": "<&- >&-", "everything": "<&- >&- 2>&-", "a full disk": ">/dev/full",
	} {
		t.Run(name, func(t *testing.T) {
			if name == "a full disk" {
				if _, err := os.Stat("/dev/full"); err != nil {
					t.Skip("there is no /dev/full here")
				}
			}
			for _, args := range []string{"-p hi --model mock/m", "--mode json -p hi --model mock/m"} {
				s := newSandbox(t)
				s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("an answer") })
				self, err := os.Executable()
				if err != nil {
					t.Fatal(err)
				}
				cmd := s.command(t.Context())
				cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "exec '" + self + "' " + args + " " + redirect}
				out, err := cmd.CombinedOutput()
				if _, ok := err.(*exec.ExitError); err != nil && !ok {
					t.Fatal(err)
				}
				if strings.Contains(string(out), "goroutine ") || cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > 1 {
					t.Errorf("%s: %v\n%s", args, cmd.ProcessState, out)
				}
				if name == "a full disk" && (cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "no space left")) {
					t.Errorf("%s: %v says nothing of the disk:\n%s", args, cmd.ProcessState, out)
				}
				if got := s.roles(); !strings.HasPrefix(got, "system user assistant") {
					t.Errorf("%s: stored %s", args, got)
				}
			}
			// What prints something and is not read to its end.
			s := newSandbox(t)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			for _, args := range []string{"docs settings", "prompt show", "auth list", "sessions list --json", "completion bash"} {
				cmd := s.command(t.Context())
				cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", "exec '" + self + "' " + args + " " + redirect}
				out, _ := cmd.CombinedOutput() // the code is looked at below
				if strings.Contains(string(out), "goroutine ") || cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > 1 {
					t.Errorf("%s: %v\n%s", args, cmd.ProcessState, out)
				}
			}
		})
	}
}
