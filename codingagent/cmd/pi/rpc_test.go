//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/codingagent/rpc/client"
)

// rpc starts pi in rpc mode with our client.
func (s *sandbox) rpc(args ...string) *client.Client {
	s.t.Helper()
	cmd := s.command(context.Background())
	var errs bytes.Buffer
	c, err := client.Start(context.Background(), client.Process{Path: cmd.Path, Args: args, Dir: cmd.Dir, Env: cmd.Env, Stderr: &errs})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := c.Close(); err != nil {
			s.t.Errorf("pi ended with %v\n%s", err, errs.String())
		}
	})
	return c
}

// must gives the result of a command that has to succeed.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// driveClient sends every command that both programs have.
func driveClient(t *testing.T, s *sandbox, c *client.Client) {
	ctx := t.Context()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	state := must(c.State(ctx))(t)
	if state.Model == nil || state.Model.ID != "m" || state.SessionID == "" || state.IsStreaming {
		t.Errorf("state %+v", state)
	}
	s.llm.Queue(mockllm.Blocks(mockllm.ToolCall("t1", "bash", `{"command":"echo from the tool"}`)), mockllm.Say("first ", "answer"))
	var text strings.Builder
	var types []string
	unsubscribe := c.Subscribe(func(ev client.Event) {
		text.WriteString(ev.Text())
		if !slices.Contains(types, ev.Type) {
			types = append(types, ev.Type)
		}
	})
	if a := must(c.Ask(ctx, "one", client.PromptOptions{}))(t); a.Text() != "first answer" {
		t.Errorf("answer %q", a.Text())
	}
	unsubscribe()
	if text.String() != "first answer" {
		t.Errorf("deltas %q", text.String())
	}
	for _, want := range []string{"agent_start", "turn_start", "tool_execution_start", "tool_execution_end", "agent_end"} {
		if !slices.Contains(types, want) {
			t.Errorf("no %s among the events %v", want, types)
		}
	}
	if got := must(c.LastText(ctx))(t); got != "first answer" {
		t.Errorf("last text %q", got)
	}
	if got := len(must(c.Messages(ctx))(t)); got != 5 {
		t.Errorf("%d messages", got)
	}
	stats := must(c.Stats(ctx))(t)
	if stats.UserMessages != 1 || stats.AssistantMessages != 2 || stats.ToolCalls != 1 || stats.ToolResults != 1 || stats.SessionID != state.SessionID {
		t.Errorf("stats %+v", stats)
	}
	var out strings.Builder
	b := must(c.Bash(ctx, "echo mine; exit 4", client.BashOptions{Output: func(s string) { out.WriteString(s) }}))(t)
	if b.Output != "mine\n" || out.String() != "mine\n" || b.ExitCode == nil || *b.ExitCode != 4 || b.Cancelled {
		t.Errorf("bash %+v, output %q", b, out.String())
	}
	ok(c.AbortBash(ctx))
	ok(c.Abort(ctx))
	ok(c.AbortRetry(ctx))
	models := must(c.Models(ctx))(t)
	if !slices.ContainsFunc(models, func(m *ai.Model) bool { return m.Provider == "mocka" }) {
		t.Errorf("models %v", models)
	}
	if m := must(c.SetModel(ctx, "mocka", "a"))(t); m.ID != "a" {
		t.Errorf("model %+v", m)
	}
	if m := must(c.CycleModel(ctx))(t); m == nil || m.Model == nil {
		t.Errorf("cycled to %+v", m)
	}
	must(c.SetModel(ctx, "mock", "m"))(t)
	if levels := must(c.ThinkingLevels(ctx))(t); !slices.Equal(levels, []ai.ThinkingLevel{"off"}) {
		t.Errorf("levels %v", levels)
	}
	if l := must(c.CycleThinking(ctx))(t); l != "" {
		t.Errorf("thinking %q", l)
	}
	ok(c.SetThinking(ctx, "high"))
	ok(c.SetSteeringMode(ctx, "all"))
	ok(c.SetFollowUpMode(ctx, "one-at-a-time"))
	ok(c.SetAutoCompaction(ctx, false))
	ok(c.SetAutoRetry(ctx, true))
	ok(c.SetSessionName(ctx, " my work "))
	if d := must(c.Steer(ctx, "left"))(t); d != client.Queued {
		t.Errorf("steer is %s", d)
	}
	if d := must(c.FollowUp(ctx, "then"))(t); d != client.Queued {
		t.Errorf("follow_up is %s", d)
	}
	st := must(c.State(ctx))(t)
	if st.SessionName != "my work" || st.SteeringMode != "all" || st.AutoCompactionEnabled || st.PendingMessageCount != 2 || st.Model.ID != "m" || st.ThinkingLevel != "off" {
		t.Errorf("state %+v", st)
	}
	if q := must(c.ClearQueue(ctx))(t); !slices.Equal(q.Steering, []string{"left"}) || !slices.Equal(q.FollowUp, []string{"then"}) {
		t.Errorf("queue %+v", q)
	}
	entries := must(c.Entries(ctx, ""))(t)
	if len(entries.Entries) < 6 || entries.LeafID == "" {
		t.Errorf("%d entries, leaf %q", len(entries.Entries), entries.LeafID)
	}
	if more := must(c.Entries(ctx, entries.LeafID))(t); len(more.Entries) != 0 {
		t.Errorf("%d entries behind the leaf", len(more.Entries))
	}
	if tree := must(c.Tree(ctx))(t); len(tree.Tree) == 0 || tree.LeafID != entries.LeafID {
		t.Errorf("tree %+v", tree)
	}
	if _, err := c.Compact(ctx, "the end"); err == nil {
		t.Error("there was something to compact")
	}
	must(c.Commands(ctx))(t)
	points := must(c.ForkMessages(ctx))(t)
	if len(points) != 1 || points[0].Text != "one" {
		t.Fatalf("points to fork from %+v", points)
	}
	if page := must(c.ExportHTML(ctx, filepath.Join(s.home, "page.html")))(t); !strings.Contains(readFile(t, page), "<html") {
		t.Errorf("%s is no page", page)
	}
	ok(c.Clone(ctx))
	if text := must(c.Fork(ctx, points[0].EntryID))(t); text != "one" {
		t.Errorf("forked from %q", text)
	}
	ok(c.NewSession(ctx, state.SessionFile))
	ok(c.SwitchSession(ctx, state.SessionFile))
	if st := must(c.State(ctx))(t); st.SessionID != state.SessionID || st.SessionName != "my work" {
		t.Errorf("state after the switch %+v", st)
	}
	var refused *client.Error
	if err := c.Do(ctx, "frobnicate", nil, nil); !errors.As(err, &refused) || refused.Command != "frobnicate" {
		t.Errorf("an unknown command: %v", err)
	}
	if _, err := c.SetModel(ctx, "nobody", "nothing"); !errors.As(err, &refused) {
		t.Errorf("an unknown model: %v", err)
	}
}

func TestRPCEveryCommand(t *testing.T) {
	s := newSandbox(t)
	driveClient(t, s, s.rpc("--model", "mock/m"))
}

// Commands that the reference does not have.
func TestRPCTreeAndLists(t *testing.T) {
	s := newSandbox(t)
	c := s.rpc("--model", "mock/m")
	ctx := t.Context()
	s.llm.Queue(mockllm.Say("A"), mockllm.Say("B"), mockllm.Say("C"))
	must(c.Ask(ctx, "a", client.PromptOptions{}))(t)
	must(c.Ask(ctx, "b", client.PromptOptions{}))(t)
	points := must(c.ForkMessages(ctx))(t)
	got := must(c.Navigate(ctx, points[1].EntryID, client.NavigateOptions{}))(t)
	if got.EditorText != "b" || got.LeafID == "" || got.Cancelled {
		t.Errorf("navigated %+v", got)
	}
	must(c.Ask(ctx, "c", client.PromptOptions{}))(t)
	if err := c.SetLabel(ctx, points[1].EntryID, "the other way"); err != nil {
		t.Error(err)
	}
	nodes, leaf, err := c.FlatTree(ctx)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{"": true}
	labels := 0
	for _, n := range nodes {
		var e struct{ ID string }
		if err := json.Unmarshal(n.Entry, &e); err != nil {
			t.Fatal(err)
		}
		if !seen[n.ParentID] {
			t.Errorf("entry %s comes before its parent %s", e.ID, n.ParentID)
		}
		seen[e.ID] = true
		if n.Label == "the other way" && e.ID == points[1].EntryID {
			labels++
		}
	}
	if !seen[leaf] || labels != 1 {
		t.Errorf("leaf %q, %d labels", leaf, labels)
	}
	if err := c.AbortCompaction(ctx); err != nil {
		t.Error(err)
	}
	list := must(c.Sessions(ctx))(t)
	if len(list) != 1 || list[0].FirstMessage != "a" || list[0].Cwd != s.dir || list[0].Created.IsZero() {
		t.Errorf("sessions %+v", list)
	}
}

// A whole conversation in a pipe: the input ends before the answer comes.
func TestRPCInAPipe(t *testing.T) {
	s := newSandbox(t)
	s.llm.Queue(mockllm.Say("answered"))
	o := s.runWith(`{"type":"prompt","id":"1","message":"hi"}`+"\n", "--mode", "rpc", "--model", "mock/m")
	if o.code != 0 || o.err != "" || !strings.Contains(o.out, "answered") || !strings.HasSuffix(o.out, `{"type":"agent_settled","aborted":false}`+"\n") {
		t.Errorf("exit %d\nstdout %s\nstderr %s", o.code, o.out, o.err)
	}
	if got := s.roles(); got != "system user assistant:stop" {
		t.Errorf("stored %s", got)
	}
	for i, l := range strings.Split(strings.TrimSuffix(o.out, "\n"), "\n") {
		if !json.Valid([]byte(l)) {
			t.Errorf("line %d is no JSON: %q", i, l)
		}
	}
}

func TestRPCStarts(t *testing.T) {
	s := newSandbox(t)
	s.put("../home/.pi/agent/models.json", "{}")
	o := s.runWith(`{"type":"get_state"}`+"\n"+`{"type":"prompt","message":"hi"}`+"\n", "--mode", "rpc")
	if o.code != 0 || strings.Contains(o.out, `"model":`) || !strings.Contains(o.out, "ANTHROPIC_API_KEY") {
		t.Errorf("without a model: exit %d\nstdout %s\nstderr %s", o.code, o.out, o.err)
	}
	s.put("a.txt", "x")
	s.run("--mode", "rpc", "@a.txt").want(t, 1, "", "takes no @files")
	s.run("--mode", "rpc", "hello").want(t, 1, "", "takes no messages")
	s.run("--mode", "rcp").want(t, 1, "", "did you mean rpc?")
}

// A signal ends everything: commands of the model and of the person are
// killed, the session is whole, and the code tells which signal it was.
func TestRPCSignals(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		t.Run(sig.String(), func(t *testing.T) {
			s := newSandbox(t)
			s.llm.Queue(mockllm.Blocks(mockllm.ToolCall("t1", "bash", `{"command":"echo $$ >> pids; sleep 600"}`)))
			cmd := s.command(t.Context(), "--mode", "rpc", "--model", "mock/m")
			in := must(cmd.StdinPipe())(t)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := in.Write([]byte(`{"type":"prompt","message":"go"}` + "\n")); err != nil {
				t.Fatal(err)
			}
			s.waitFor("pids")
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != code {
				t.Errorf("ended with %v, want code %d", err, code)
			}
			if got := s.roles(); !strings.HasPrefix(got, "system user assistant:toolUse toolResult") {
				t.Errorf("stored %s", got)
			}
		})
	}
}

// A client that closes our output ends pi.
func TestRPCClientGone(t *testing.T) {
	s := newSandbox(t)
	cmd := s.command(t.Context(), "--mode", "rpc", "--model", "mock/m")
	in := must(cmd.StdinPipe())(t)
	out := must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte(`{"type":"get_state"}` + "\n" + `{"type":"get_state"}` + "\n")); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("ended with %v, want code 1", err)
	}
}

// A context that ends takes the work with it.
func TestClientGivesUp(t *testing.T) {
	s := newSandbox(t)
	c := s.rpc("--model", "mock/m")
	hold := make(chan struct{})
	defer close(hold)
	a := mockllm.Say("half", "never")
	a.Delivery = mockllm.Hanging(hold)
	s.llm.Queue(a)
	ctx, cancel := context.WithCancel(t.Context())
	defer c.Subscribe(func(ev client.Event) {
		if ev.Type == "agent_start" {
			cancel()
		}
	})()
	if _, err := c.Ask(ctx, "go", client.PromptOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if st := must(c.State(t.Context()))(t); st.IsStreaming {
		t.Error("pi still works")
	}
}
