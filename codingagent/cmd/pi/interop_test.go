//go:build interop && unix

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/codingagent/rpc/client"
)

// interop says where scripts/interop has installed Node and the reference.
func (s *sandbox) interop() (node, pkg string) {
	s.t.Helper()
	node, pkg = os.Getenv("PI_INTEROP_NODE"), os.Getenv("PI_INTEROP_PACKAGE")
	if node == "" || pkg == "" {
		s.t.Fatal("PI_INTEROP_NODE and PI_INTEROP_PACKAGE are not set: run make interop")
	}
	return node, pkg
}

// reference runs the TypeScript pi in the sandbox.
func (s *sandbox) reference(stdin string, args ...string) outcome {
	s.t.Helper()
	node, pkg := s.interop()
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

// The reference's rpc mode answers our client in all that both have.
func TestInteropOurClientDrivesTheReference(t *testing.T) {
	s := newSandbox(t)
	node, pkg := s.interop()
	var errs bytes.Buffer
	c := must(client.Start(context.Background(), client.Process{
		Path: "/bin/sh", Exact: true, Args: []string{"-c", `tee ../sent | "$@"`, "sh", node, filepath.Join(pkg, "dist/bundle/cli.js"), "--mode", "rpc", "--model", "mock/m"},
		Dir: s.dir, Env: []string{"HOME=" + s.home, "PATH=" + os.Getenv("PATH"), "PI_OFFLINE=1"}, Stderr: &errs,
	}))(t)
	driveClient(t, s, c)
	if err := c.Close(); err != nil {
		t.Errorf("the reference ended with %v\n%s", err, errs.String())
	}
	sent := map[string]bool{}
	for line := range strings.Lines(s.get("../sent")) {
		var command struct{ Type string }
		if err := json.Unmarshal([]byte(line), &command); err != nil {
			t.Fatal(err)
		}
		sent[command.Type] = true
	}
	delete(sent, "frobnicate")
	if got, want := slices.Sorted(maps.Keys(sent)), s.documented(); !slices.Equal(got, want) {
		t.Errorf("our client sent %v, the manual of the reference has %v", got, want)
	}
}

// documented lists the commands of the reference's manual.
func (s *sandbox) documented() []string {
	s.t.Helper()
	_, pkg := s.interop()
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^### ([a-z_]+)$`).FindAllStringSubmatch(readFile(s.t, filepath.Join(pkg, "docs/rpc-commands.md")), -1) {
		names = append(names, m[1])
	}
	if len(names) < 30 {
		s.t.Fatalf("the manual has only %v", names)
	}
	slices.Sort(names)
	return names
}

// The reference's client class drives both programs through every command; the
// answers have the same form, and where nothing is random the same content.
func TestInteropItsClientDrivesUs(t *testing.T) {
	drive := func(t *testing.T, binary func(s *sandbox) string) map[string][]any {
		s := newSandbox(t)
		node, pkg := s.interop()
		s.put("../home/.pi/agent/settings.json", `{"compaction":{"keepRecentTokens":1}}`)
		s.put("../home/.pi/agent/prompts/greet.md", "---\ndescription: says hello\n---\nHello $1")
		s.llm.Queue(mockllm.Blocks(mockllm.ToolCall("t1", "bash", `{"command":"echo from the tool"}`)), mockllm.Say("first ", "answer"))
		s.llm.Respond(func(*mockllm.Request) mockllm.Answer { return mockllm.Say("a summary") })
		script, err := filepath.Abs("testdata/rpcclient.mjs")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), node, script)
		cmd.Dir = s.dir
		cmd.Env = []string{
			"HOME=" + s.home, "PATH=" + filepath.Dir(node) + ":" + os.Getenv("PATH"), "PI_OFFLINE=1", asPi + "=1",
			"PI_INTEROP_PACKAGE=" + pkg, "PI_UNDER_TEST=" + binary(s), "SCRATCH=" + t.TempDir(),
		}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, out.String(), errs.String())
		}
		results := map[string][]any{}
		for line := range strings.Lines(out.String()) {
			var r struct {
				Name  string
				Value any
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("line %q: %v", line, err)
			}
			results[r.Name] = append(results[r.Name], r.Value)
		}
		return results
	}
	ours := drive(t, func(*sandbox) string { return must(os.Executable())(t) })
	theirs := drive(t, func(s *sandbox) string {
		node, pkg := s.interop()
		path := filepath.Join(s.home, "reference")
		text := fmt.Sprintf("#!/bin/sh\nexec %q %q \"$@\"\n", node, filepath.Join(pkg, "dist/bundle/cli.js"))
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	})
	same := []string{
		"events", "getLastAssistantText", "bash", "abortBash", "abort", "abortRetry", "getAvailableThinkingLevels", "cycleThinkingLevel",
		"setThinkingLevel", "setSteeringMode", "setFollowUpMode", "setAutoCompaction", "setAutoRetry", "setSessionName", "steer", "followUp",
		"clearQueue", "clone", "fork", "newSession", "switchSession", "commands",
	}
	if got, want := short(ours["commands"]), short([]any{newSandbox(t).documented()}); got != want {
		t.Errorf("the class sent %s, its manual has %s", got, want)
	}
	for name := range theirs {
		if name == "getCommands" { // it has extensions of its own
			if a, b := len(ours[name][0].([]any)), short(theirs[name][0]); a == 0 || !strings.Contains(b, `"greet"`) {
				t.Errorf("%d commands, theirs are %s", a, b)
			}
			continue
		}
		if slices.Contains(same, name) {
			a, b := must(json.Marshal(ours[name]))(t), must(json.Marshal(theirs[name]))(t)
			if !bytes.Equal(a, b) {
				t.Errorf("%s:\n  ours   %s\n  theirs %s", name, a, b)
			}
			continue
		}
		for i, want := range theirs[name] {
			if i >= len(ours[name]) {
				t.Errorf("%s: no answer %d", name, i)
				continue
			}
			if d := lacks(ours[name][i], want, name); d != "" {
				t.Errorf("%s", d)
			}
		}
	}
}

// lacks compares the form of two values: whatever theirs has ours must have,
// of the same kind; of lists the first members are compared.
func lacks(ours, theirs any, at string) string {
	switch theirs := theirs.(type) {
	case map[string]any:
		if _, failed := theirs["error"]; failed && len(theirs) == 1 {
			o, ok := ours.(map[string]any)
			if !ok || o["error"] == nil {
				return fmt.Sprintf("%s: theirs fails with %v, ours gives %v", at, theirs["error"], ours)
			}
			return ""
		}
		o, ok := ours.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: ours is %v, theirs %v", at, ours, theirs)
		}
		for k, v := range theirs {
			if optional := []string{"compat", "details", "thinkingSignature", "sections", "reasoning"}; slices.Contains(optional, k) {
				continue
			}
			if _, ok := o[k]; !ok {
				return fmt.Sprintf("%s.%s: theirs has %v, ours nothing", at, k, v)
			}
			if d := lacks(o[k], v, at+"."+k); d != "" {
				return d
			}
		}
	case []any:
		o, ok := ours.([]any)
		if !ok || len(theirs) > 0 && len(o) == 0 {
			return fmt.Sprintf("%s: ours is %v, theirs %v", at, ours, theirs)
		}
		if len(theirs) > 0 {
			return lacks(o[0], theirs[0], at+"[0]")
		}
	default:
		if fmt.Sprintf("%T", ours) != fmt.Sprintf("%T", theirs) {
			return fmt.Sprintf("%s: ours is %v, theirs %v", at, ours, theirs)
		}
	}
	return ""
}

// TestInteropBranchesImagesAndToolResults takes a session of ours with an image,
// a tool's result and a branch that was left to the reference: it must go on
// with the branch that is open, and still know the other.
func TestInteropBranchesImagesAndToolResults(t *testing.T) {
	for _, model := range []string{"mock/m", "mocka/a"} {
		t.Run(model, func(t *testing.T) {
			s := newSandbox(t)
			s.put("../home/.pi/agent/models.json", fmt.Sprintf(`{"providers": {
				"mock": {"baseUrl": %q, "api": "openai-completions", "apiKey": "sk-mock-secret", "models": [{"id": "m", "maxTokens": 1000, "input": ["text", "image"]}]},
				"mocka": {"baseUrl": %q, "api": "anthropic-messages", "apiKey": "sk-mock-secret", "models": [{"id": "a", "input": ["text", "image"]}]}
			}}`, s.llm.URL+"/v1", s.llm.URL))
			var dot bytes.Buffer
			if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
				t.Fatal(err)
			}
			s.put("dot.png", dot.String())
			s.put("a.txt", "the content\n")
			s.llm.Queue(
				mockllm.Blocks(mockllm.ToolCall("call_1", "read", `{"path":"a.txt"}`)), mockllm.Say("a dot"), mockllm.Say("left behind"),
				mockllm.Say("gone on with"), mockllm.Say("from there"), mockllm.Say("back again"),
			)
			s.run("--model", model, "-p", "@dot.png", "what is it").want(t, 0, "a dot\n")
			s.run("-c", "-p", "a question too many").want(t, 0, "left behind\n")
			path := s.sessionFiles()[0]
			moveBack(t, path, "a dot")
			s.run("-c", "-p", "a better one").want(t, 0, "gone on with\n")

			if got := s.reference("", "-c", "-p", "two").out; got != "from there\n" {
				t.Errorf("the reference printed %q", got)
			}
			s.run("-c", "-p", "three").want(t, 0, "back again\n")
			theirs, ours := conversation(t, s.llm.Requests()[4]), conversation(t, s.llm.Requests()[5])
			if !strings.HasPrefix(ours, theirs) {
				t.Errorf("the model is told\n%s\nby the reference and\n%s\nby us", theirs, ours)
			}
			for text, want := range map[string]bool{"the content": true, "a better one": true, base64.StdEncoding.EncodeToString(dot.Bytes()): true, "too many": false, "left behind": false} {
				if strings.Contains(theirs, text) != want {
					t.Errorf("the reference tells the model %q: %v, want %v\n%s", text, !want, want, theirs)
				}
			}
			o := s.reference(`{"id":"1","type":"get_tree"}`+"\n", "--mode", "rpc", "--session", path)
			for _, want := range []string{"left behind", "from there", "back again"} {
				if !strings.Contains(o.out, want) {
					t.Errorf("the reference's tree lacks %q", want)
				}
			}
		})
	}
}

// moveBack makes the answer with a text the end of the conversation, as going
// back in the tree does.
func moveBack(t *testing.T, path, text string) {
	t.Helper()
	file, err := session.OpenFile(t.Context(), path, session.ReadWrite, session.Header{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.Load(t.Context(), file, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target := ""
	for _, stub := range s.Stubs() {
		raw, err := s.Raw(t.Context(), stub.ID)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte(`"role":"assistant"`)) && bytes.Contains(raw, []byte(text)) {
			target = stub.ID
		}
	}
	if err := errors.Join(s.MoveTo(t.Context(), target), s.Close()); err != nil || target == "" {
		t.Fatalf("move to the answer %q (entry %q): %v", text, target, err)
	}
}
