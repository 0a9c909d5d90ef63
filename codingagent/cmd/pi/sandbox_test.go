//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/codingagent/program"
)

// asPi makes the test binary be pi, so that the tests run real processes.
const asPi = "PI_TEST_AS_PI"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(asMCP) != "":
		serveMCP()
		os.Exit(0)
	case os.Getenv(waitsIn) != "":
		os.Exit(program.Main(waiting(os.Getenv(waitsIn))))
	case os.Getenv(strays) != "":
		os.Exit(program.Main(straying()))
	case os.Getenv(asPi) != "":
		main()
	}
	os.Exit(m.Run())
}

// sandbox is a fresh home and a fresh working directory, with a mock server
// that is configured under both protocols.
type sandbox struct {
	t         *testing.T
	home, dir string
	llm       *mockllm.Server
}

func newSandbox(t *testing.T) *sandbox {
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
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &sandbox{t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "work"), llm: llm}
	s.put("../home/.pi/agent/settings.json", `{"retry":{"baseDelayMs":1}}`)
	s.put("../home/.pi/agent/models.json", fmt.Sprintf(`{"providers": { // the mock
		"mock": {"baseUrl": %q, "api": "openai-completions", "apiKey": "sk-mock-secret", "models": [{"id": "m", "maxTokens": 1000}]},
		"mocka": {"baseUrl": %q, "api": "anthropic-messages", "apiKey": "sk-mock-secret", "models": [{"id": "a"}]},
	}}`, llm.URL+"/v1", llm.URL))
	return s
}

// put writes a file of the working directory.
func (s *sandbox) put(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := errors.Join(os.MkdirAll(s.dir, 0o755), os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sandbox) get(name string) string {
	s.t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// command prepares a process; nothing of the real environment is in it.
func (s *sandbox) command(ctx context.Context, args ...string) *exec.Cmd {
	s.t.Helper()
	self, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Dir = s.dir
	cmd.Env = []string{
		asPi + "=1", "HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + os.Getenv("GOCOVERDIR"),
		"GORACE=atexit_sleep_ms=20", // the race detector makes every process wait for a second otherwise
	}
	return cmd
}

// outcome is how a process ended.
type outcome struct {
	out, err string
	code     int
}

func (s *sandbox) run(args ...string) outcome { return s.runWith("", args...) }

func (s *sandbox) runWith(stdin string, args ...string) outcome {
	s.t.Helper()
	cmd := s.command(s.t.Context(), args...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if strings.Contains(errs.String(), "goroutine ") {
		s.t.Errorf("pi %v printed a stack trace:\n%s", args, errs.String())
	}
	if secret := "sk-mock-secret"; strings.Contains(out.String()+errs.String(), secret) {
		s.t.Errorf("pi %v printed the key", args)
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// want fails unless the process ended with the code and printed the texts.
func (o outcome) want(t *testing.T, code int, out string, errs ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d", o.code, code)
	}
	if o.out != out {
		t.Errorf("stdout %q, want %q", o.out, out)
	}
	for _, e := range errs {
		if !strings.Contains(o.err, e) {
			t.Errorf("stderr lacks %q", e)
		}
	}
	if len(errs) == 0 && o.err != "" {
		t.Errorf("stderr %q, want nothing", o.err)
	}
	if t.Failed() {
		t.Logf("exit %d\nstdout: %s\nstderr: %s", o.code, o.out, o.err)
	}
}

// sessionFiles lists the session files of the sandbox.
func (s *sandbox) sessionFiles() []string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(s.home, ".pi/agent/sessions/*/*.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

// stored reads the messages of the only session.
func (s *sandbox) stored() []map[string]any {
	s.t.Helper()
	files := s.sessionFiles()
	if len(files) != 1 {
		s.t.Fatalf("session files %v, want one", files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		s.t.Fatal(err)
	}
	var messages []map[string]any
	for line := range strings.Lines(string(data)) {
		var entry struct {
			Type    string
			Message map[string]any
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			s.t.Fatalf("session line %q: %v", line, err)
		}
		if entry.Type == "message" {
			messages = append(messages, entry.Message)
		}
	}
	return messages
}

// roles gives the roles of the stored messages, with the stop reasons.
func (s *sandbox) roles() string {
	var roles []string
	for _, m := range s.stored() {
		r := m["role"].(string)
		if stop, ok := m["stopReason"].(string); ok {
			r += ":" + stop
		}
		roles = append(roles, r)
	}
	return strings.Join(roles, " ")
}

// stopped starts pi, waits until ready returns (it gets what pi prints), sends
// the signal, and gives how pi ended.
func (s *sandbox) stopped(sig syscall.Signal, ready func(stdout io.Reader), args ...string) outcome {
	s.t.Helper()
	cmd := s.command(s.t.Context(), args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ready(stdout)
	if err := cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
	rest, err := io.ReadAll(stdout)
	if err != nil {
		s.t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return outcome{string(rest), errs.String(), cmd.ProcessState.ExitCode()}
}

// waitFor waits until a file has content; the test's time limit bounds it.
func (s *sandbox) waitFor(name string) {
	s.t.Helper()
	for s.t.Context().Err() == nil {
		if data, err := os.ReadFile(filepath.Join(s.dir, name)); err == nil && bytes.HasSuffix(data, []byte("\n")) {
			return
		}
		time.Sleep(5 * time.Millisecond) // another process writes it: there is nothing to wait on
	}
}

// zombie reports whether a process has ended and only waits to be collected.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(rest, "Z")
}
