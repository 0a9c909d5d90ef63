//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/codingagent/extension"
)

// waitsIn names the place in which [waiting] waits; "" has no such extension.
const waitsIn = "PI_TEST_WAITS_IN"

// waiting is an extension that says in the file "reached" that it is in a place, and
// then waits there until it is cancelled.
func waiting(place string) extension.Extension {
	wait := func(ctx context.Context) error {
		if err := os.WriteFile("reached", []byte("yes\n"), 0o600); err != nil {
			return err
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return extension.Extension{Name: "waiting", Setup: func(ctx context.Context, api *extension.API) error {
		switch place {
		case "setup":
			return wait(ctx)
		case "start":
			api.Events.SessionStart.Listen(func(ctx context.Context, _ *extension.Context, _ *extension.SessionStart) error { return wait(ctx) })
		case "end":
			api.Events.SessionShutdown.Listen(func(ctx context.Context, _ *extension.Context, _ *extension.SessionShutdown) error { return wait(ctx) })
		}
		return api.RegisterTool(extension.Tool{
			Tool: agentcore.Tool{Name: "wait", Description: "Waits.", Parameters: json.RawMessage(`{"type":"object"}`)},
			Execute: func(ctx context.Context, x *extension.Context, _ agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
				if place == "dialog" {
					x.UI().Confirm(ctx, "May I?", "It is only a test.", extension.DialogOptions{})
					return agentcore.TextResult("asked"), context.Cause(ctx)
				}
				return agentcore.TextResult("waited"), wait(ctx)
			},
		})
	}}
}

// phase is something that pi can be in the middle of.
type phase struct {
	name  string
	modes string // "print json rpc" if empty
	place string // of the extension
	// prepare queues answers and puts files; they hold until release is closed.
	prepare func(s *sandbox, release <-chan struct{})
	args    []string
	command string // in rpc mode, instead of a prompt
	// reached waits until pi is there; out is what it prints.
	reached func(s *sandbox, out io.Reader)
	pids    []string // files with processes that must be gone
	kept    string   // in the session, besides what was told
	code0   bool     // it may have been done already
}

func phases() []phase {
	file := func(name string) func(*sandbox, io.Reader) {
		return func(s *sandbox, _ io.Reader) { s.waitFor(name) }
	}
	line := func(text string) func(*sandbox, io.Reader) {
		return func(_ *sandbox, out io.Reader) { until(text)(out) }
	}
	request := func(n int) func(*sandbox, io.Reader) {
		return func(s *sandbox, _ io.Reader) {
			s.t.Helper()
			if _, err := s.llm.WaitRequest(s.t.Context(), n); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	call := func(name, arguments string) func(*sandbox, <-chan struct{}) {
		return func(s *sandbox, _ <-chan struct{}) {
			s.llm.Queue(mockllm.Blocks(mockllm.ToolCall("t1", name, arguments)))
		}
	}
	half := func(s *sandbox, release <-chan struct{}) {
		answer := mockllm.Say("the first half", " and the rest")
		at := bytes.Index(mockllm.Stream("openai-completions", "m", answer), []byte(" and the rest"))
		s.llm.Queue(answer.Via(mockllm.Delivery{Hold: release, HoldAt: at}))
	}
	spoken := func(s *sandbox) {
		s.put("../home/.pi/agent/settings.json", `{"compaction":{"keepRecentTokens":1}}`)
		s.llm.Queue(mockllm.Say(strings.Repeat("word ", 4000)), mockllm.Say("more"))
		s.run("--model", "mock/m", "-p", "one").says(s.t, 0, "word")
		s.run("--model", "mock/m", "-c", "-p", "two").says(s.t, 0, "more")
	}
	summary := func(s *sandbox, release <-chan struct{}) {
		spoken(s)
		s.llm.Queue(mockllm.Say("summary").Via(mockllm.Hanging(release)))
	}
	return []phase{
		{name: "an extension is set up", place: "setup", reached: file("reached")},
		{name: "an extension hears of the start", place: "start", reached: file("reached")},
		{name: "MCP servers start", reached: file("server"), pids: []string{"server"}, prepare: func(s *sandbox, _ <-chan struct{}) {
			s.put("../home/.pi/agent/mcp.json", `{"mcpServers":{"slow":{"command":"sh","args":["-c","echo $$ > server; exec sleep 100"],"exposure":"direct"}}}`)
		}},
		{
			name: "a stubborn MCP server is connected", reached: request(1), pids: []string{"server"}, kept: "go on",
			prepare: func(s *sandbox, release <-chan struct{}) {
				self := must(os.Executable())(s.t)
				s.put("../home/.pi/agent/mcp.json", fmt.Sprintf(`{"mcpServers":{"stubborn":{"command":%q,"env":{%q:"stubborn"},"exposure":"direct"}}}`, self, asMCP))
				s.llm.Queue(mockllm.Say("late").Via(mockllm.Hanging(release)))
			},
		},
		{name: "the first byte is waited for", reached: request(1), kept: "go on", prepare: func(s *sandbox, release <-chan struct{}) {
			s.llm.Queue(mockllm.Say("late").Via(mockllm.Hanging(release)))
		}},
		{name: "an answer comes", modes: "json rpc", prepare: half, reached: line(`"delta":"the first half"`), kept: "the first half"},
		{name: "an answer comes unseen", modes: "print", prepare: half, reached: request(1), kept: "go on"},
		{
			name: "a command runs", reached: file("script"), pids: []string{"child", "script"}, kept: "toolResult",
			prepare: call("bash", `{"command":"sleep 100 & echo $! > child; echo $$ > script; sleep 100"}`),
		},
		{name: "a tool works", place: "tool", prepare: call("wait", "{}"), reached: file("reached"), kept: "toolResult"},
		{name: "a dialog is open", modes: "rpc", place: "dialog", prepare: call("wait", "{}"), reached: line(`"method":"confirm"`), kept: "toolResult"},
		{
			name: "the next try is waited for", modes: "json rpc", reached: line(`"type":"auto_retry_start"`), kept: "go on",
			prepare: func(s *sandbox, _ <-chan struct{}) {
				s.put("../home/.pi/agent/settings.json", `{"retry":{"baseDelayMs":600000,"maxAgentDelayMs":600000}}`)
				s.llm.Queue(mockllm.Status(503))
			},
		},
		{
			name: "the next try is waited for unseen", modes: "print", reached: request(1), kept: "go on",
			prepare: func(s *sandbox, _ <-chan struct{}) {
				s.put("../home/.pi/agent/settings.json", `{"retry":{"baseDelayMs":600000,"maxAgentDelayMs":600000}}`)
				s.llm.Queue(mockllm.Status(503))
			},
		},
		{name: "a summary is made", modes: "rpc", args: []string{"-c"}, command: `{"type":"compact"}`, prepare: summary, reached: request(3), kept: "more"},
		{
			name: "a summary is made before the prompt", modes: "print json", args: []string{"-c"}, reached: request(3), kept: "more",
			prepare: func(s *sandbox, release <-chan struct{}) {
				summary(s, release)
				s.put("../home/.pi/agent/models.json", strings.ReplaceAll(s.get("../home/.pi/agent/models.json"), `"id": "m",`, `"id": "m", "contextWindow": 5000,`))
			},
		},
		{name: "the end is told", place: "end", modes: "print json", reached: file("reached"), kept: "done", code0: true, prepare: func(s *sandbox, _ <-chan struct{}) {
			s.llm.Queue(mockllm.Say("done"))
		}},
		{name: "the session is synced", modes: "json rpc", reached: line(`"type":"agent_end"`), kept: "done", code0: true, prepare: func(s *sandbox, _ <-chan struct{}) {
			s.llm.Queue(mockllm.Say("done"))
		}},
	}
}

// A signal ends pi in whatever it is in the middle of: with the code of the signal, soon,
// without leaving a process behind, and with all in the session that was told.
func TestSignalsInEveryPhase(t *testing.T) {
	signals := []struct {
		sig  syscall.Signal
		code int
	}{{syscall.SIGTERM, 143}, {syscall.SIGINT, 130}, {syscall.SIGHUP, 129}}
	n := 0
	for _, p := range phases() {
		if p.modes == "" {
			p.modes = "print json rpc"
		}
		for _, mode := range strings.Fields(p.modes) {
			with := signals[n%len(signals)] // each phase, and each mode, gets each of them
			n++
			t.Run(p.name+"/"+mode+" "+with.sig.String(), func(t *testing.T) {
				t.Parallel()
				p.signalled(t, mode, with.sig, with.code)
			})
		}
	}
}

func (p phase) signalled(t *testing.T, mode string, sig syscall.Signal, code int) {
	s := newSandbox(t)
	release := make(chan struct{})
	defer close(release)
	if p.prepare != nil {
		p.prepare(s, release)
	}
	args := map[string][]string{"print": {"-p", "go on"}, "json": {"--mode", "json", "-p", "go on"}, "rpc": {"--mode", "rpc"}}[mode]
	cmd := s.command(t.Context(), slices.Concat([]string{"--model", "mock/m"}, p.args, args)...)
	cmd.Env = append(cmd.Env, waitsIn+"="+p.place)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out := must(cmd.StdoutPipe())(t)
	if mode == "rpc" {
		in := must(cmd.StdinPipe())(t)
		defer in.Close()
		command := p.command
		if command == "" {
			command = `{"type":"prompt","message":"go on"}`
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(in, command+"\n"); err != nil {
			t.Fatal(err)
		}
	} else if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	lines := io.TeeReader(out, &printed)
	p.reached(s, lines)
	sent := time.Now()
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code says how it ended
	t.Logf("it ended after %v", time.Since(sent))
	if got := cmd.ProcessState.ExitCode(); got != code && !(p.code0 && got == 0) {
		t.Errorf("exit %d, want %d", got, code)
	}
	if strings.Contains(errs.String(), "goroutine ") {
		t.Error("a stack was printed")
	}
	for _, name := range p.pids {
		pid, err := strconv.Atoi(strings.TrimSpace(s.get(name)))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); err == nil && !zombie(pid) {
			t.Errorf("process %d (%s) is still there", pid, name)
		}
	}
	s.keeps(told(printed.String()))
	s.holds(p.kept)
	if t.Failed() {
		t.Logf("stdout: %.2000s\nstderr: %s", printed.String(), errs.String())
	}
}

// holds checks that the session is whole, and has a text.
func (s *sandbox) holds(text string) {
	s.t.Helper()
	files := s.sessionFiles()
	if text == "" && len(files) == 0 {
		return
	}
	s.run("sessions", "check").says(s.t, 0, "")
	if text == "" {
		return
	}
	for _, file := range files {
		if strings.Contains(readFile(s.t, file), text) {
			return
		}
	}
	s.t.Errorf("%q is in none of the sessions %v", text, files)
}
