//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// A line of a megabyte, printed, read and found, neither fills the session nor the
// request.
func TestLineOfAMegabyte(t *testing.T) {
	s := newSandbox(t)
	s.put("big.txt", strings.Repeat("x", 1<<20))
	s.llm.Queue(
		mockllm.Blocks(mockllm.ToolCall("t1", "bash", `{"command":"head -c 1048576 /dev/zero | tr '\\0' x"}`)),
		mockllm.Blocks(mockllm.ToolCall("t2", "read", `{"path":"big.txt"}`), mockllm.ToolCall("t3", "grep", `{"pattern":"xx"}`)),
		mockllm.Say("done"),
	)
	s.run("--model", "mock/m", "-t", "bash,read,grep", "-p", "go").want(t, 0, "done\n")
	files, err := filepath.Glob(filepath.Join(s.home, ".pi/agent/sessions/*/*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("sessions %v, %v", files, err)
	}
	info, err := os.Stat(files[0])
	if err != nil {
		t.Fatal(err)
	}
	// The result of the command is allowed 50 kB of text.
	if info.Size() > 100_000 {
		t.Errorf("the session has %d bytes", info.Size())
	}
	last := s.llm.Requests()[2].Body
	if n := len(last); n > 120_000 {
		t.Errorf("the request has %d bytes", n)
	}
	if !strings.Contains(string(last), "Full output: ") {
		t.Error("the model is not told where the whole output is")
	}
}

// Every process says the same to the model, byte for byte, up to what is new: vendors
// find the beginning in their caches.
func TestEveryProcessSaysTheSame(t *testing.T) {
	s := newSandbox(t)
	s.put("AGENTS.md", "Be brief.")
	for _, name := range []string{"zeta", "alpha", "mid"} {
		s.put("../home/.pi/agent/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: Does "+name+".\n---\nx")
	}
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("ok") })
	for range 3 {
		s.run("--model", "mock/m", "--no-session", "-t", "read,bash,edit,write,grep,find,ls", "-p", "hi").want(t, 0, "ok\n")
	}
	requests := s.llm.Requests()
	if len(requests) != 3 || !strings.Contains(string(requests[0].Body), "Does alpha.") {
		t.Fatalf("%d requests, the first is %s", len(requests), requests[0].Body)
	}
	part := func(i int) string { // the key of the session is its own
		body, _, _ := strings.Cut(string(requests[i].Body), `"prompt_cache_key"`)
		return body
	}
	for i := range requests {
		if part(i) != part(0) {
			t.Errorf("request %d differs:\n%s\n%s", i, part(0), part(i))
		}
	}
}
