//go:build interop && unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// Both programs read auth.json and models.json the same way.
func TestInteropKeysAndModels(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/auth.json", `{
  "groq": { "type": "api_key", "key": "gsk-plain" },
  "mistral": { "type": "api_key", "key": "!printf from-command" },
  "xai": { "type": "api_key", "key": "$NOT_SET_ANYWHERE" },
  "unheard-of": { "type": "api_key", "key": "kept" }
}`)
	for _, args := range [][]string{
		{"auth", "check", "--provider", "groq", "--json"},
		{"auth", "print-api-key", "--provider", "groq"},
		{"auth", "print-api-key", "--provider", "mistral"},
		{"auth", "check", "--provider", "openai", "--json"},
	} {
		ours, theirs := s.run(args...), s.lenient(args...)
		if strings.TrimSpace(ours.out) != strings.TrimSpace(theirs.out) || ours.code != theirs.code {
			t.Errorf("%v: ours %d %q, the reference's %d %q", args, ours.code, ours.out, theirs.code, theirs.out)
		}
	}
	models := func(o outcome) string {
		var out []string
		for _, line := range strings.Split(o.out, "\n") {
			if f := strings.Fields(line); len(f) > 3 && strings.HasPrefix(f[0], "mock") {
				out = append(out, strings.Join(f, " "))
			}
		}
		return strings.Join(out, "\n")
	}
	if ours, theirs := models(s.run("--list-models", "mock")), models(s.lenient("--list-models", "mock")); ours != theirs || ours == "" {
		t.Errorf("models: ours\n%s\nthe reference's\n%s", ours, theirs)
	}
}

// lenient runs the reference, whatever its exit code.
func (s *sandbox) lenient(args ...string) outcome {
	s.t.Helper()
	node, pkg := s.interop()
	cmd := exec.CommandContext(s.t.Context(), node, append([]string{filepath.Join(pkg, "dist/bundle/cli.js")}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "PI_OFFLINE=1"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the code is in the outcome
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// A decision about a project counts in both programs.
func TestInteropTrust(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		t.Run(fmt.Sprint(trusted), func(t *testing.T) {
			s := newSandbox(t)
			s.put(".pi/SYSTEM.md", "PROJECT-PROMPT")
			s.put("../home/.pi/agent/trust.json", fmt.Sprintf(`{%q: %v}`, filepath.Dir(s.dir), trusted))
			s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("ok") })
			s.run("--model", "mock/m", "-p", "hi").says(t, 0, "ok")
			s.lenient("--model", "mock/m", "-p", "hi").says(t, 0, "ok")
			for i, r := range s.llm.Requests() {
				if got := strings.Contains(string(r.Body), "PROJECT-PROMPT"); got != trusted {
					t.Errorf("program %d uses the project's prompt: %v", i, got)
				}
			}
		})
	}
}

// Both programs change settings.json at once, each keys of its own, and neither
// loses a change of the other's. (Of one key both write, the reference keeps what
// its last process had read, also among its own.)
func TestInteropSettingsAtOnce(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/settings.json", `{"theirs": {"unknown": 1}, "retry": {"baseDelayMs": 1}}`)
	const each = 6
	var working sync.WaitGroup
	for i := range each {
		name := fmt.Sprintf("ours%d", i)
		s.put(name+"/prompts/p.md", "hello")
		working.Go(func() { s.run("install", "./"+name).says(t, 0, "Installed") })
		working.Go(func() {
			s.reference(`{"type":"set_steering_mode","mode":"all"}`+"\n"+`{"type":"set_auto_retry","enabled":false}`+"\n", "--mode", "rpc", "--model", "mock/m", "--no-session")
		})
	}
	working.Wait()
	var got struct {
		Packages     []string
		SteeringMode string
		Retry        struct {
			Enabled     *bool
			BaseDelayMs int
		}
		Theirs struct{ Unknown int }
	}
	text := s.get("../home/.pi/agent/settings.json")
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(got.Packages) != each || got.SteeringMode != "all" || got.Retry.Enabled == nil || *got.Retry.Enabled || got.Retry.BaseDelayMs != 1 || got.Theirs.Unknown != 1 {
		t.Errorf("settings %s", text)
	}
}
