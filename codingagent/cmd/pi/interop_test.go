//go:build interop && unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// reference runs the TypeScript pi in the sandbox; scripts/interop installs it
// and says where it is.
func (s *sandbox) reference(stdin string, args ...string) outcome {
	s.t.Helper()
	node, pkg := os.Getenv("PI_INTEROP_NODE"), os.Getenv("PI_INTEROP_PACKAGE")
	if node == "" || pkg == "" {
		s.t.Fatal("PI_INTEROP_NODE and PI_INTEROP_PACKAGE are not set: run make interop")
	}
	cmd := exec.CommandContext(s.t.Context(), node, append([]string{filepath.Join(pkg, "dist/bundle/cli.js")}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "PI_OFFLINE=1"}
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("reference %v: %v\n%s", args, err, errs.String())
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// conversation gives what a request says of the conversation: roles and
// texts, without the prompt, whose words are each program's own.
func conversation(t *testing.T, r *mockllm.Request) string {
	t.Helper()
	var body struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range body.Messages {
		var v struct {
			Role    string
			Content any
			Calls   []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(m, &v); err != nil {
			t.Fatal(err)
		}
		if v.Role == "system" || v.Role == "developer" {
			continue
		}
		v.Content = normal(v.Content)
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(line))
	}
	return strings.Join(out, "\n")
}

// TestInteropSessionsGoBackAndForth writes a session here, goes on with it in
// the reference, comes back, and compares what both tell the model.
func TestInteropSessionsGoBackAndForth(t *testing.T) {
	for _, model := range []string{"mock/m", "mocka/a"} {
		t.Run(model, func(t *testing.T) {
			s := newSandbox(t)
			s.put("a.txt", "the content\n")
			s.llm.Queue(
				mockllm.Blocks(mockllm.Text("Looking."), mockllm.ToolCall("call_1", "read", `{"path":"a.txt"}`)),
				mockllm.Say("from here"), mockllm.Say("from there"), mockllm.Say("back again"),
			)
			s.run("--model", model, "-p", "one").want(t, 0, "from here\n")
			if got := s.reference("", "-c", "-p", "two").out; got != "from there\n" {
				t.Errorf("the reference printed %q", got)
			}
			s.run("-c", "-p", "three").want(t, 0, "back again\n")
			if n := len(s.sessionFiles()); n != 1 {
				t.Errorf("%d session files, want 1", n)
			}
			// The reference's request must be the beginning of ours.
			theirs, ours := conversation(t, s.llm.Requests()[2]), conversation(t, s.llm.Requests()[3])
			if !strings.HasPrefix(ours, theirs) {
				t.Errorf("the model is told\n%s\nby the reference and\n%s\nby us", theirs, ours)
			}
		})
	}
}

// normal brings content into one form where a protocol allows several: a text
// alone or in a list, a false that is left out, cache markers, which move with
// the end of the conversation.
func normal(content any) any {
	switch v := content.(type) {
	case []any:
		for i := range v {
			v[i] = normal(v[i])
		}
		if len(v) == 1 {
			if m, ok := v[0].(map[string]any); ok && m["type"] == "text" && len(m) == 2 {
				return m["text"]
			}
		}
	case map[string]any:
		delete(v, "cache_control")
		if v["is_error"] == false {
			delete(v, "is_error")
		}
	}
	return content
}

// TestInteropReferenceOpensOurSession drives the reference's rpc mode on a
// session of ours.
func TestInteropReferenceOpensOurSession(t *testing.T) {
	s := newSandbox(t)
	s.llm.Queue(mockllm.Blocks(mockllm.ToolCall("call_1", "bash", `{"command":"echo hi"}`)), mockllm.Say("done"))
	s.run("--model", "mocka/a", "--name", "my work", "--mode", "json", "-p", "go")
	o := s.reference(`{"id":"1","type":"get_state"}`+"\n"+`{"id":"2","type":"get_session_stats"}`+"\n", "--mode", "rpc", "--session", s.sessionFiles()[0])
	for _, want := range []string{`"sessionName":"my work"`, `"userMessages":1`, `"assistantMessages":2`, `"toolCalls":1`, `"toolResults":1`, `"id":"a"`} {
		if !strings.Contains(o.out, want) {
			t.Errorf("the reference's answer lacks %s:\n%s", want, o.out)
		}
	}
}
