//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// A reader that stops reading must not keep pi from stopping.
func TestSignalWhileNobodyReadsTheOutput(t *testing.T) {
	for _, mode := range []string{"text", "json"} {
		t.Run(mode, func(t *testing.T) {
			s := newSandbox(t)
			s.llm.Queue(mockllm.Say(strings.Repeat("a long answer ", 100_000)))
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			cmd := s.command(t.Context(), "--model", "mock/m", "--mode", mode, "-p", "hi")
			cmd.Stdout = w
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			waitForFullPipe(t, w)
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 143 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// waitForFullPipe waits until nothing can be written to a pipe.
func waitForFullPipe(t *testing.T, w *os.File) {
	t.Helper()
	for t.Context().Err() == nil {
		poll := []unix.PollFd{{Fd: int32(w.Fd()), Events: unix.POLLOUT}}
		if n, err := unix.Poll(poll, 0); err == nil && n == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond) // the kernel does not tell when
	}
}

// Pipes and devices in the place of files are neither waited for nor read
// without end, and do not keep pi from starting or stopping.
func TestPipesInThePlaceOfFiles(t *testing.T) {
	for _, name := range []string{"settings.json", "models.json", "auth.json"} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			path := filepath.Join(s.home, ".pi/agent", name)
			os.Remove(path)
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip("no named pipes here:", err)
			}
			if o := s.run("--model", "demo/guide", "-p", "help"); o.code != 0 || !strings.Contains(o.err, name) {
				t.Errorf("exit %d, stderr %q", o.code, o.err)
			}
		})
	}
	t.Run("@file", func(t *testing.T) {
		s := newSandbox(t)
		if err := syscall.Mkfifo(filepath.Join(s.dir, "pipe"), 0o600); err != nil {
			t.Skip("no named pipes here:", err)
		}
		cmd := s.command(t.Context(), "--model", "demo/guide", "-p", "@pipe")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// pi is at the pipe once we can open it for writing.
		var w *os.File
		for w == nil && t.Context().Err() == nil {
			w, _ = os.OpenFile(filepath.Join(s.dir, "pipe"), os.O_WRONLY|syscall.O_NONBLOCK, 0)
			time.Sleep(5 * time.Millisecond)
		}
		defer w.Close()
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != 143 {
			t.Errorf("exit code %d", code)
		}
	})
}

// A signal that was ignored when pi was started, as nohup does, stays so.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	for name, sig := range map[string]syscall.Signal{"HUP": syscall.SIGHUP, "INT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			s := newSandbox(t)
			hold := make(chan struct{})
			s.llm.Queue(mockllm.Say("the answer").Via(mockllm.Hanging(hold)))
			inner := s.command(t.Context(), "--model", "mock/m", "-p", "hi")
			cmd := exec.CommandContext(t.Context(), "sh", "-c", `trap "" `+name+`; exec "$0" "$@"`)
			cmd.Args = append(cmd.Args, inner.Args...)
			cmd.Env, cmd.Dir = inner.Env, inner.Dir
			var out bytes.Buffer
			cmd.Stdout = &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := s.llm.WaitRequest(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			close(hold)
			if err := cmd.Wait(); err != nil || out.String() != "the answer\n" {
				t.Errorf("%v, stdout %q", err, out.String())
			}
		})
	}
}

// Messages quote what others chose; a terminal must not obey it.
func TestMessagesHoldNoControlSequences(t *testing.T) {
	s := newSandbox(t)
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer {
		return mockllm.Failure(400, "bad", "no \x1b]0;title\x07 and \x1b[31mred\u009b2J")
	})
	for _, args := range [][]string{
		{"--model", "mock/m", "-p", "hi"},
		{"--model", "mock/m", "-p", "@\x1b[31mred"},
		{"--\x1b[31mred"},
		{"--session", "./\x1b[31mred/\x07/x.jsonl", "-p", "hi"},
	} {
		o := s.run(args...)
		if o.code != 1 || strings.ContainsAny(o.err, "\x1b\x07\u009b") {
			t.Errorf("%q: exit %d, stderr %q", args, o.code, o.err)
		}
	}
}

// Services and containers run without HOME; what needs no home works anyway.
func TestWithoutHome(t *testing.T) {
	s := newSandbox(t)
	for _, args := range [][]string{{"--version"}, {"--help"}} {
		cmd := s.command(t.Context(), args...)
		cmd.Env = []string{asPi + "=1"}
		if out, err := cmd.Output(); err != nil || len(out) == 0 {
			t.Errorf("%v: %v", args, err)
		}
	}
	cmd := s.command(t.Context(), "--no-session", "--model", "demo/guide", "-p", "help")
	cmd.Env = []string{asPi + "=1", "PATH=" + os.Getenv("PATH"), "PI_CODING_AGENT_DIR=" + t.TempDir()}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// A command that prints a key may leave something in the background, and is
// stopped with all that it started.
func TestKeyCommands(t *testing.T) {
	s := newSandbox(t)
	models := func(key string) {
		s.put("../home/.pi/agent/models.json", `{"providers": {"mock": {"baseUrl": "`+s.llm.URL+`/v1", "api": "openai-completions", "apiKey": "`+key+`", "models": [{"id": "m"}]}}}`)
	}
	s.llm.Queue(mockllm.Say("fine"))
	models("!sleep 300 2>/dev/null & echo $! > pid; echo sk-mock-secret")
	s.run("--model", "mock/m", "-p", "hi").want(t, 0, "fine\n")
	background := s.pid("pid")
	if zombie(background) {
		t.Error("the background process was ended")
	}
	syscall.Kill(background, syscall.SIGKILL)

	models("!sleep 300 & echo $! > pid2; sleep 300")
	cmd := s.command(t.Context(), "--model", "mock/m", "-p", "hi")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.waitFor("pid2")
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	if pid := s.pid("pid2"); !zombie(pid) {
		t.Error("a process is left")
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// pid reads a process id from a file.
func (s *sandbox) pid(name string) int {
	s.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(s.get(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

// A session that can not be written is one clear error, before any model is
// asked.
func TestSessionThatCanNotBeWritten(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/sessions", "a file in the place of the directory")
	o := s.run("--model", "mock/m", "-p", "hi")
	if n := strings.Count(o.err, "not a directory"); o.code != 1 || n != 1 || strings.Contains(o.err, "listener") {
		t.Errorf("exit %d, stderr %q", o.code, o.err)
	}
	if n := len(s.llm.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// --session names a file that is to be made, too; what is no file is refused
// and left alone.
func TestSessionPaths(t *testing.T) {
	s := newSandbox(t)
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("ok") })
	for range 2 {
		s.run("--model", "mock/m", "--session", "deep/own.jsonl", "-p", "hi").want(t, 0, "ok\n")
	}
	if n := strings.Count(s.get("deep/own.jsonl"), `"role":"user"`); n != 2 {
		t.Errorf("%d prompts stored", n)
	}
	for _, device := range []string{"/dev/null", "/dev/zero", "/"} {
		path := filepath.Join(s.dir, "link-to-"+strings.Trim(device, "/dev"))
		if err := os.Symlink(device, path); err != nil {
			t.Fatal(err)
		}
		if o := s.run("--model", "mock/m", "--session", path, "-p", "hi"); o.code != 1 || strings.Count(o.err, "open session") != 1 {
			t.Errorf("%s: exit %d, stderr %q", path, o.code, o.err)
		}
		if _, err := os.Stat(path + ".lock"); err == nil {
			t.Errorf("%s.lock was made", path)
		}
	}
	for _, id := range []string{"../../x", "a/b", "..", strings.Repeat("x", 300)} {
		if o := s.run("--model", "mock/m", "--session-id", id, "-p", "hi"); o.code != 1 || !strings.Contains(o.err, "session id") {
			t.Errorf("id %.20q: exit %d, stderr %q", id, o.code, o.err)
		}
	}
}

// Many commands at once end as one does.
func TestSignalDuringManyCommands(t *testing.T) {
	s := newSandbox(t)
	var calls []mockllm.Block
	for i := range 30 {
		n := strconv.Itoa(i)
		calls = append(calls, mockllm.ToolCall("t"+n, "bash", `{"command": "echo $$ > pid`+n+`; sleep 300; true"}`))
	}
	s.llm.Queue(mockllm.Blocks(calls...))
	cmd := s.command(t.Context(), "--model", "mock/m", "-p", "hi")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		s.waitFor("pid" + strconv.Itoa(i))
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 143 {
		t.Errorf("exit code %d", code)
	}
	for i := range 30 {
		if pid := s.pid("pid" + strconv.Itoa(i)); !zombie(pid) {
			t.Errorf("command %d is left", i)
			syscall.Kill(-pid, syscall.SIGKILL)
		}
	}
}
