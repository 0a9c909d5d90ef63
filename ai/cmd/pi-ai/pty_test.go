//go:build darwin || freebsd || linux

package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// screen reads what a program writes to its terminal.
type screen struct {
	t    *testing.T
	file *os.File
	text chan string
	seen string
}

func (w *world) terminal(args ...string) (*screen, func() int) {
	w.t.Helper()
	cmd := w.command(args...)
	file, err := pty.Start(cmd)
	if err != nil {
		w.t.Skipf("no terminal can be made here: %v", err)
	}
	s := &screen{t: w.t, file: file, text: make(chan string)}
	go func() {
		defer close(s.text)
		b := make([]byte, 4096)
		for {
			n, err := file.Read(b)
			if n > 0 {
				s.text <- string(b[:n])
			}
			if err != nil {
				return // the program has ended
			}
		}
	}()
	return s, func() int {
		for text := range s.text {
			s.seen += text
		}
		_ = cmd.Wait() // the status says it
		file.Close()
		return cmd.ProcessState.ExitCode()
	}
}

// until waits for a text.
func (s *screen) until(text string) {
	s.t.Helper()
	limit := time.After(60 * time.Second)
	for !strings.Contains(s.seen, text) {
		select {
		case more, ok := <-s.text:
			if !ok {
				s.t.Fatalf("it ended without saying %q:\n%s", text, s.seen)
			}
			s.seen += more
		case <-limit:
			s.t.Fatalf("it does not say %q:\n%s", text, s.seen)
		}
	}
}

// A key that is typed is not shown.
func TestSecretIsMasked(t *testing.T) {
	w := newWorld(t)
	w.llm.Queue(mockllm.Say("ok"))
	s, end := w.terminal("login", "groq")
	s.until("not shown: ")
	if _, err := io.WriteString(s.file, "gsk-typed-secret\r"); err != nil {
		t.Fatal(err)
	}
	if status := end(); status != 0 || !strings.Contains(s.seen, "Signed in to Groq.") || strings.Contains(s.seen, "typed") {
		t.Errorf("exit %d\n%s", status, s.seen)
	}
	if !strings.Contains(w.file("auth.json"), `"key": "gsk-typed-secret"`) {
		t.Errorf("stored %s", w.file("auth.json"))
	}
}

// An interrupt ends the question and stores nothing.
func TestInterruptedSecret(t *testing.T) {
	w := newWorld(t)
	s, end := w.terminal("login", "groq")
	s.until("not shown: ")
	if _, err := s.file.Write([]byte{3}); err != nil { // Ctrl+C
		t.Fatal(err)
	}
	if status := end(); status != 130 || !strings.Contains(s.seen, "pi-ai: interrupted") {
		t.Errorf("exit %d\n%s", status, s.seen)
	}
	if _, err := os.Stat(w.home + "/auth.json"); !os.IsNotExist(err) {
		t.Errorf("something was stored: %v", err)
	}
}

// An interrupt ends an answer: what came of it stays, and nothing else is said.
func TestInterruptedAnswer(t *testing.T) {
	w := newWorld(t)
	w.env = []string{"GROQ_API_KEY=k"}
	release := make(chan struct{})
	defer close(release)
	answer := mockllm.Say("Half an ", "answer")
	hanging := mockllm.Hanging(release)
	hanging.HoldAt = bytes.Index(mockllm.Stream(mockllm.Completions, "openai/gpt-oss-20b", answer), []byte(`"answer"`))
	w.llm.Queue(answer.Via(hanging))
	s, end := w.terminal("ask", "-m", "groq/openai/gpt-oss-20b", "x")
	s.until("Half an ")
	if _, err := s.file.Write([]byte{3}); err != nil { // Ctrl+C
		t.Fatal(err)
	}
	if status := end(); status != 130 || !strings.HasSuffix(s.seen, "\npi-ai: interrupted\r\n") || strings.Contains(s.seen, "[") {
		t.Errorf("exit %d\n%q", status, s.seen)
	}
}
