//go:build interop && unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/codingagent/rpc/client"
	"github.com/pi-go/pi/codingagent/trust"
)

// Whatever one program writes of settings, keys, models, trust and key bindings
// counts in the other. A file that only people write is written by the test.

// other makes the reference's process, with nothing of the real environment.
func (s *sandbox) other(ctx context.Context, args ...string) *exec.Cmd {
	s.t.Helper()
	node, pkg := s.interop()
	cmd := exec.CommandContext(ctx, node, append([]string{filepath.Join(pkg, "dist/bundle/cli.js")}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "PI_OFFLINE=1"}
	return cmd
}

// script runs one of the scripts that use the reference's own classes.
func (s *sandbox) script(args ...string) *exec.Cmd {
	s.t.Helper()
	node, pkg := s.interop()
	cmd := exec.CommandContext(s.t.Context(), node, append([]string{must(filepath.Abs("testdata/writefiles.mjs"))(s.t)}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "PI_INTEROP_PACKAGE=" + pkg}
	cmd.Stderr = os.Stderr
	return cmd
}

// typed runs a process at a terminal and sends it keys, again and again if they are
// to be sent as soon as it can hear them, until it ends. It gives what was shown.
func typed(t *testing.T, cmd *exec.Cmd, after, keys string) string {
	t.Helper()
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	file := must(pty.Start(cmd))(t)
	defer file.Close()
	giveUp := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // a key that means nothing ends nothing
	defer giveUp.Stop()
	done := make(chan struct{})
	defer close(done)
	send := func() { _, _ = io.WriteString(file, keys) } // to one that has just ended, perhaps
	if after == "" {
		go func() {
			tick := time.NewTicker(200 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					send()
				case <-done:
					return
				}
			}
		}()
	}
	var seen strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := file.Read(buf)
		seen.Write(buf[:n])
		if after != "" && strings.Contains(seen.String(), after) {
			send()
			after = "\x00"
		}
		if err != nil {
			break // it has ended
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v ended with %v:\n%q", cmd.Args, err, seen.String())
	}
	return seen.String()
}

func TestInteropWrittenSettings(t *testing.T) {
	for _, writer := range []string{"ours", "theirs"} {
		t.Run(writer, func(t *testing.T) {
			s := newSandbox(t)
			s.put("../home/.pi/agent/settings.json", `{"theirs": {"unknown": [1, 2]}, "retry": {"baseDelayMs": 1}, "defaultProvider": "mock", "defaultModel": "m"}`)
			write, read := s.ours, s.theirs
			if writer == "theirs" {
				write, read = read, write
			}
			w := write("--no-session")
			for _, err := range []error{
				w.SetSteeringMode(t.Context(), "all"), w.SetFollowUpMode(t.Context(), "all"),
				w.SetAutoCompaction(t.Context(), false), w.SetAutoRetry(t.Context(), false), w.Close(),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			r := read("--no-session")
			st := must(r.State(t.Context()))(t)
			if st.SteeringMode != "all" || st.FollowUpMode != "all" || st.AutoCompactionEnabled || st.Model == nil || st.Model.ID != "m" {
				t.Errorf("state of the other %+v", st)
			}
			s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Status(503) })
			if _, err := r.Ask(t.Context(), "hi", client.PromptOptions{}); err == nil {
				t.Error("the failed answer is none")
			}
			if n := len(s.llm.Requests()); n != 1 {
				t.Errorf("%d requests: the other tries again, which was switched off", n)
			}
			if text := s.get("../home/.pi/agent/settings.json"); !strings.Contains(strings.Join(strings.Fields(text), ""), `"theirs":{"unknown":[1,2]}`) {
				t.Errorf("a key that is known to neither was lost: %s", text)
			}
		})
	}
}

func TestInteropWrittenKeys(t *testing.T) {
	for _, writer := range []string{"ours", "theirs"} {
		t.Run(writer, func(t *testing.T) {
			s := newSandbox(t)
			s.put("../home/.pi/agent/models.json", fmt.Sprintf(`{"providers":{"groq":{"baseUrl":%q, "models":[{"id":"m"}]}}}`, s.llm.URL+"/v1"))
			s.put("../home/.pi/agent/auth.json", `{"unheard-of": {"type": "api_key", "key": "kept"}}`)
			s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("ok") })
			ours, theirs := s.command(t.Context(), "auth", "login", "groq", "--api-key"), s.other(t.Context(), "auth", "login", "groq", "--api-key")
			if writer == "ours" {
				typed(t, ours, "not shown: ", "gsk-typed\r")
			} else {
				typed(t, theirs, "key: ", "gsk-typed\r")
			}
			s.llm.Reset()
			args := []string{"--model", "groq/m", "--no-session", "-p", "hi"}
			s.run(args...).says(t, 0, "ok")
			s.lenient(args...).says(t, 0, "ok")
			if n := len(s.llm.Requests()); n != 2 {
				t.Fatalf("%d requests, want 2", n)
			}
			for i, r := range s.llm.Requests() {
				if got := r.Header.Get("Authorization"); got != "Bearer gsk-typed" {
					t.Errorf("program %d sends %q", i, got)
				}
			}
			// What the one has stored the other removes, and nothing else.
			logout := s.command(t.Context(), "auth", "logout", "groq")
			if writer == "ours" {
				logout = s.other(t.Context(), "auth", "logout", "groq")
			}
			if out, err := logout.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			if text := s.get("../home/.pi/agent/auth.json"); strings.Contains(text, "groq") || !strings.Contains(text, "unheard-of") {
				t.Errorf("auth.json is %s", text)
			}
		})
	}
}

// The reference never writes models.json; [TestInteropKeysAndModels] has a file of a
// person that both read. (Of a llama.cpp server it reads nothing there: it has an
// extension for that, with a login of its own.)
func TestInteropWrittenModels(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/models.json", `{ // mine
  "providers": {}
}`)
	cmd := s.command(t.Context(), "models", "add", "ollama")
	cmd.Env = append(cmd.Env, "OLLAMA_HOST="+s.llm.URL)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("ok") })
	for _, o := range []outcome{
		s.run("--model", "ollama/text-50", "--no-session", "-p", "hi"),
		s.lenient("--model", "ollama/text-50", "--no-session", "-p", "hi"),
	} {
		o.says(t, 0, "ok")
	}
	if n := len(s.llm.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestInteropWrittenTrust(t *testing.T) {
	for _, writer := range []string{"ours", "theirs"} {
		for _, trusted := range []bool{true, false} {
			t.Run(fmt.Sprint(writer, trusted), func(t *testing.T) {
				s := newSandbox(t)
				s.put(".pi/SYSTEM.md", "PROJECT-PROMPT")
				s.put(".pi/prompts/greet.md", "GREETING")
				s.put("../home/.pi/agent/trust.json", `{"/somewhere/else": true, "/no/longer": null}`)
				// What nobody has decided is not trusted; the rest must come from the file.
				if writer == "ours" {
					store := trust.NewStore(filepath.Join(s.home, ".pi/agent/trust.json"), execenv.LocalFS{})
					if err := store.Trust(t.Context(), s.dir, trusted); err != nil {
						t.Fatal(err)
					}
				} else if err := s.script("trust", s.dir, fmt.Sprint(trusted)).Run(); err != nil {
					t.Fatal(err)
				}
				s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("ok") })
				prompt := map[bool]string{true: "/greet", false: "greet"}[trusted] // where it is no command, ours refuses it
				s.run("--model", "mock/m", "--no-session", "-p", prompt).says(t, 0, "ok")
				s.lenient("--model", "mock/m", "--no-session", "-p", prompt).says(t, 0, "ok")
				if n := len(s.llm.Requests()); n != 2 {
					t.Fatalf("%d requests, want 2", n)
				}
				for i, r := range s.llm.Requests() {
					for _, text := range []string{"PROJECT-PROMPT", "GREETING"} {
						if got := strings.Contains(string(r.Body), text); got != trusted {
							t.Errorf("program %d uses %s: %v", i, text, got)
						}
					}
				}
				if text := s.get("../home/.pi/agent/trust.json"); !strings.Contains(text, "/somewhere/else") {
					t.Errorf("trust.json is %s", text)
				}
			})
		}
	}
}

// Nothing but the reference writes keybindings.json, when it has old names; the
// bound key ends both programs, before and after that.
func TestInteropWrittenKeybindings(t *testing.T) {
	const f6 = "\x1b[17~"
	s := newSandbox(t)
	file := "../home/.pi/agent/keybindings.json"
	s.put(file, `{"exit": "f6", "not-an-action": "f7"}`)
	typed(t, s.command(t.Context()), "", f6)
	if got := s.get(file); !strings.Contains(got, `"exit": "f6"`) {
		t.Errorf("the file became %s", got)
	}
	typed(t, s.other(t.Context()), "", f6)
	if got := s.get(file); !strings.Contains(got, `"app.exit": "f6"`) {
		t.Errorf("the reference wrote %s", got)
	}
	typed(t, s.command(t.Context()), "", f6)
}
