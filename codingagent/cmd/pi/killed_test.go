//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// A program that is ended in the middle of its work, again and again, at points that
// nobody chose: whatever it had told is in the session, the session goes on, and
// the model never sees a call without its result.
func TestEndedInAToolLoop(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		for _, mode := range []string{"print", "json", "rpc"} {
			t.Run(mode+" "+sig.String(), func(t *testing.T) { endedAgainAndAgain(t, mode, sig) })
		}
	}
}

func endedAgainAndAgain(t *testing.T, mode string, sig syscall.Signal) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	s := newSandbox(t)
	var over atomic.Bool
	s.llm.OnRequest = func(r *mockllm.Request) { wellFormed(t, r) }
	s.llm.Respond(func(r *mockllm.Request) mockllm.Answer {
		if over.Load() {
			return mockllm.Say("the end")
		}
		call := func(n int, script string) mockllm.Block {
			return mockllm.ToolCall(fmt.Sprintf("call_%d_%d", r.N, n), "bash", `{"command":`, fmt.Sprintf("%q}", script))
		}
		return mockllm.Blocks(mockllm.Text("one ", "more ", "time"), call(1, "echo one"), call(2, "echo two; echo three >&2"))
	})
	model := []string{"mock/m", "mocka/a"}[random.IntN(2)]
	var heard []string
	for range 6 {
		args := map[string][]string{"print": {"-p", "go on"}, "json": {"--mode", "json", "-p", "go on"}, "rpc": {"--mode", "rpc"}}[mode]
		cmd := s.command(t.Context(), append([]string{"-c", "--model", model}, args...)...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		in, out := must(cmd.StdinPipe())(t), must(cmd.StdoutPipe())(t)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if mode == "rpc" {
			if _, err := io.WriteString(in, `{"type":"prompt","message":"go on"}`+"\n"); err != nil {
				t.Fatal(err)
			}
		} else if err := in.Close(); err != nil { // print and json would wait for what is piped in
			t.Fatal(err)
		}
		var printed bytes.Buffer
		lines := bufio.NewReader(io.TeeReader(out, &printed))
		if mode == "print" { // which tells nothing until it is done
			if _, err := s.llm.WaitRequest(t.Context(), len(s.llm.Requests())+1+random.IntN(5)); err != nil {
				t.Fatal(err)
			}
		} else {
			for range random.IntN(60) {
				if _, err := lines.ReadSlice('\n'); err != nil && err != bufio.ErrBufferFull {
					_ = cmd.Wait() // what it said on the way out is complete then
					t.Fatalf("it ended by itself: %v\n%s", err, errs.String())
				}
			}
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, lines); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the state says how it ended
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !(status.Signaled() && status.Signal() == sig) && status.ExitStatus() != 143 {
			t.Errorf("it ended with %v\n%s", cmd.ProcessState, errs.String())
		}
		heard = append(heard, told(printed.String())...)
		s.keeps(heard)
	}
	over.Store(true)
	o := s.run("-c", "--model", model, "-p", "and now?")
	o.want(t, 0, "the end\n")
	s.keeps(heard)
	if len(heard) == 0 && mode != "print" {
		t.Error("it was ended before it said anything, each time")
	}
	s.run("sessions", "check").says(t, 0, "")
	last := s.llm.Requests()[len(s.llm.Requests())-1]
	if got := strings.Count(string(last.Body), "go on"); got < 1 {
		t.Errorf("the model has forgotten what it was asked: %s", last.Body)
	}
}

// told lists the messages whose end a program has told. The prompt is left out: a
// session begins with what a person says.
func told(printed string) []string {
	var out []string
	for line := range strings.Lines(printed) {
		var ev struct {
			Type    string
			Message map[string]any
		}
		if strings.HasSuffix(line, "\n") && json.Unmarshal([]byte(line), &ev) == nil && ev.Type == "message_end" && ev.Message["role"] != "system" {
			out = append(out, message(ev.Message))
		}
	}
	return out
}

// keeps checks that one session has all of these messages.
func (s *sandbox) keeps(messages []string) {
	s.t.Helper()
	if len(messages) == 0 {
		return
	}
	for _, file := range s.sessionFiles() { // one in which nothing was said yet may have been left behind
		stored := map[string]bool{}
		for line := range strings.Lines(readFile(s.t, file)) {
			var entry struct{ Message map[string]any }
			if json.Unmarshal([]byte(line), &entry) == nil { // one that was being written may be torn
				stored[message(entry.Message)] = true
			}
		}
		if !stored[messages[0]] {
			continue
		}
		for _, m := range messages {
			if !stored[m] {
				s.t.Errorf("this was told, and is not in the session: %s", m)
			}
		}
		return
	}
	s.t.Errorf("this was told, and is in no session: %s", messages[0])
}

// message is what makes a message the same on the wire and in the file.
func message(m map[string]any) string {
	text, err := json.Marshal([]any{m["role"], m["content"], m["toolCallId"], m["stopReason"], m["timestamp"]})
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// wellFormed checks that each call of a request has its result right behind it, and
// each result its call.
func wellFormed(t *testing.T, r *mockllm.Request) {
	var body struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
			ID      string                `json:"tool_call_id"`
			Calls   []struct{ ID string } `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Errorf("request %d: %v", r.N, err)
		return
	}
	open := map[string]bool{}
	result := func(id string) {
		if !open[id] {
			t.Errorf("request %d has a result of %q, which was not called: %s", r.N, id, r.Body)
		}
		delete(open, id)
	}
	for _, m := range body.Messages {
		var blocks []struct {
			Type, ID string
			Use      string `json:"tool_use_id"`
		}
		_ = json.Unmarshal(m.Content, &blocks) // a text has none
		if m.Role == "tool" {
			result(m.ID)
			continue
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				result(b.Use)
			}
		}
		if len(open) > 0 {
			t.Errorf("request %d has calls without results, %v: %s", r.N, open, r.Body)
			return
		}
		for _, c := range m.Calls {
			open[c.ID] = true
		}
		for _, b := range blocks {
			if b.Type == "tool_use" {
				open[b.ID] = true
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("request %d ends with calls without results, %v: %s", r.N, open, r.Body)
	}
}
