package codingagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/tools"
)

// journal collects what extensions hear of, from any goroutine.
type journal struct {
	mu   sync.Mutex
	list []string
}

func (l *journal) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, fmt.Sprintf(format, args...))
}

func (l *journal) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.list
	l.list = nil
	return out
}

// inline makes an extension.
func inline(name string, setup func(api *extension.API) error) extension.Extension {
	return extension.Extension{Name: name, Setup: func(_ context.Context, api *extension.API) error { return setup(api) }}
}

// with makes a rig with one extension whose faults fail the test.
func with(t *testing.T, setup func(api *extension.API) error) *rig {
	return newRig(t, func(o *codingagent.Options) {
		o.Extensions = []extension.Extension{inline("test", setup)}
		o.OnFault = func(f *extension.Fault) { t.Errorf("fault: %v", f) }
	})
}

// echo is a tool that gives back what it is told.
func echo() extension.Tool {
	return extension.Tool{
		Tool: agentcore.Tool{Name: "echo", Description: "Say it again.", Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)},
		Execute: func(_ context.Context, _ *extension.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			var args struct{ Text string }
			if err := json.Unmarshal(call.Arguments, &args); err != nil {
				return agentcore.ToolResult{}, err
			}
			return agentcore.TextResult(args.Text), nil
		},
		Snippet: "says it again",
	}
}

// watch logs everything that an extension can hear of around a prompt.
func watch(l *journal, api *extension.API) {
	e := &api.Events
	e.SessionStart.Listen(func(_ context.Context, _ *extension.Context, ev *extension.SessionStart) error {
		l.add("session_start %s", ev.Reason)
		return nil
	})
	e.ResourcesDiscover.Handle(func(_ context.Context, _ *extension.Context, ev *extension.ResourcesDiscover) (*extension.ResourcePaths, error) {
		l.add("resources_discover %s", ev.Reason)
		return nil, nil
	})
	e.SessionShutdown.Listen(func(_ context.Context, _ *extension.Context, ev *extension.SessionShutdown) error {
		l.add("session_shutdown %s", ev.Reason)
		return nil
	})
	e.Input.Handle(func(_ context.Context, _ *extension.Context, ev *extension.Input) (*extension.InputDecision, error) {
		l.add("input %q", ev.Text)
		return nil, nil
	})
	e.BeforeAgentStart.Handle(func(context.Context, *extension.Context, *extension.BeforeAgentStart) (*extension.StartDecision, error) {
		l.add("before_agent_start")
		return nil, nil
	})
	listen(&e.AgentStart, l, "agent_start")
	listen(&e.AgentEnd, l, "agent_end")
	listen(&e.AgentSettled, l, "agent_settled")
	e.TurnStart.Listen(func(_ context.Context, _ *extension.Context, ev *extension.TurnStart) error {
		l.add("turn_start %d", ev.Index)
		return nil
	})
	e.TurnEnd.Handle(func(_ context.Context, _ *extension.Context, ev *extension.TurnEnd) (*extension.BoundaryDecision, error) {
		l.add("turn_end %d %s", ev.Index, ev.Outcome)
		return nil, nil
	})
	e.AgentBeforeSettle.Handle(func(_ context.Context, _ *extension.Context, ev *extension.BeforeSettle) (*extension.BoundaryDecision, error) {
		l.add("agent_before_settle %s", ev.Outcome)
		return nil, nil
	})
	e.MessageStart.Listen(func(_ context.Context, _ *extension.Context, ev *extension.MessageStart) error {
		l.add("message_start %s", ev.Message.Role())
		return nil
	})
	e.MessageEnd.Handle(func(_ context.Context, _ *extension.Context, ev *extension.MessageEnd) (*extension.MessageDecision, error) {
		l.add("message_end %s", ev.Message.Role())
		return nil, nil
	})
	e.Context.Handle(func(context.Context, *extension.Context, *extension.ModelContext) (*extension.ModelContext, error) {
		l.add("context")
		return nil, nil
	})
	e.ContextWithSystem.Handle(func(context.Context, *extension.Context, *extension.ModelContext) (*extension.ModelContext, error) {
		l.add("context_with_system")
		return nil, nil
	})
	listen(&e.ToolExecutionStart, l, "tool_execution_start")
	e.ToolCall.Handle(func(_ context.Context, _ *extension.Context, ev *extension.ToolCall) (*extension.ToolCallDecision, error) {
		l.add("tool_call %s", ev.Name)
		return nil, nil
	})
	e.ToolResult.Handle(func(context.Context, *extension.Context, *extension.ToolResult) (*extension.ToolResultPatch, error) {
		l.add("tool_result")
		return nil, nil
	})
	listen(&e.ToolExecutionEnd, l, "tool_execution_end")
}

func listen[E any](t *extension.Topic[E], l *journal, name string) {
	t.Listen(func(context.Context, *extension.Context, *E) error {
		l.add("%s", name)
		return nil
	})
}

func TestExtensionsHearOfAPromptInOrder(t *testing.T) {
	var l journal
	r := with(t, func(api *extension.API) error {
		watch(&l, api)
		return api.RegisterTool(echo())
	})
	r.model.Queue(faux.Calls(faux.Call("echo", map[string]any{"text": "hello"})), faux.Say("done"))
	r.prompt("do it")
	want := []string{
		"session_start startup", "resources_discover startup",
		`input "do it"`, "before_agent_start", "agent_start",
		"turn_start 0", "message_start system", "message_end system", "message_start user", "message_end user",
		"context", "context_with_system", "message_start assistant", "message_end assistant",
		"tool_execution_start", "tool_call echo", "tool_result", "tool_execution_end", "message_start toolResult", "message_end toolResult",
		"turn_end 0 completed",
		"turn_start 1", "context", "context_with_system", "message_start assistant", "message_end assistant", "turn_end 1 completed",
		"agent_end", "agent_before_settle completed", "agent_settled",
	}
	if diff := cmp.Diff(want, l.take()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestExtensionCommandRunsWhileTheAgentWorks(t *testing.T) {
	var l journal
	working, goOn := make(chan struct{}), make(chan struct{})
	r := with(t, func(api *extension.API) error {
		tool := echo()
		tool.Execute = func(context.Context, *extension.Context, agentcore.ToolCall, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			close(working)
			<-goOn
			return agentcore.TextResult("ok"), nil
		}
		return errors.Join(api.RegisterTool(tool), api.RegisterCommand("hi", extension.Command{
			Run: func(_ context.Context, x *extension.CommandContext, args string) error {
				l.add("%s idle=%v", args, x.Idle())
				return nil
			},
		}))
	})
	r.model.Queue(faux.Calls(faux.Call("echo", map[string]any{"text": "a"})), faux.Say("done"))
	done := make(chan error, 1)
	go func() {
		_, err := r.Prompt(context.Background(), codingagent.Prompt{Text: "go"}, codingagent.PromptOptions{})
		done <- err
	}()
	<-working
	result, err := r.Prompt(t.Context(), codingagent.Prompt{Text: "/hi  you"}, codingagent.PromptOptions{})
	if err != nil || !result.Handled {
		t.Errorf("got %+v, %v", result, err)
	}
	if err := r.Steer(t.Context(), codingagent.Prompt{Text: "/hi"}); err == nil || !strings.Contains(err.Error(), "can not be queued") {
		t.Errorf("queueing a command: %v", err)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got, want := l.take(), []string{" you idle=false"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := len(r.model.Requests()); n != 2 {
		t.Errorf("%d requests, want 2: the command is not for the model", n)
	}
}

func TestInputIsTransformedInTurnOrHandled(t *testing.T) {
	add := func(s string) extension.Extension {
		return inline(s, func(api *extension.API) error {
			api.Events.Input.Handle(func(_ context.Context, _ *extension.Context, ev *extension.Input) (*extension.InputDecision, error) {
				if ev.Text == "stop" {
					return &extension.InputDecision{Handled: true}, nil
				}
				text := ev.Text + s
				return &extension.InputDecision{Text: &text}, nil
			})
			return nil
		})
	}
	r := newRig(t, func(o *codingagent.Options) { o.Extensions = []extension.Extension{add("b"), add("c")} })
	r.model.Queue(faux.Say("ok"))
	if got := r.prompt("stop"); !got.Handled {
		t.Errorf("got %+v", got)
	}
	r.prompt("a")
	messages, _ := r.request(0)
	if got := ai.TextOf(messages[len(messages)-1].(*ai.UserMessage).Content, ""); got != "abc" {
		t.Errorf("the model got %q", got)
	}
}

func TestBeforeAgentStartAddsMessagesAndForcesThePrompt(t *testing.T) {
	force := "You are a teapot."
	r := with(t, func(api *extension.API) error {
		api.Events.BeforeAgentStart.Handle(func(_ context.Context, x *extension.Context, ev *extension.BeforeAgentStart) (*extension.StartDecision, error) {
			user, ok := ev.Message.(*ai.UserMessage)
			if !ok || ai.TextOf(user.Content, "") != "first" {
				return nil, nil
			}
			if len(ev.Sections) == 0 {
				return nil, errors.New("there is no prompt to change")
			}
			return &extension.StartDecision{
				SystemPrompt: &force,
				Message:      &session.CustomMessage{CustomType: "note", Content: []ai.Block{&ai.Text{Text: "remember the milk"}}},
			}, nil
		})
		return nil
	})
	r.model.Queue(faux.Say("1"), faux.Say("2"))
	r.prompt("first")
	messages, prompt := r.request(0)
	if prompt.Text != force {
		t.Errorf("the prompt is %q", prompt.Text)
	}
	if got := ai.TextOf(messages[len(messages)-1].(*ai.UserMessage).Content, ""); got != "remember the milk" {
		t.Errorf("the last message is %q", got)
	}
	r.prompt("second")
	if _, prompt := r.request(1); prompt.Text == force || prompt.Text == "" {
		t.Errorf("the prompt of the next run is %q", prompt.Text)
	}
}

func TestToolCallsAreBlockedChangedAndResultsPatched(t *testing.T) {
	for _, c := range []struct {
		name   string
		decide func(ev *extension.ToolCall) (*extension.ToolCallDecision, error)
		want   string
		faults int
	}{
		{"blocked", func(*extension.ToolCall) (*extension.ToolCallDecision, error) {
			return &extension.ToolCallDecision{Block: true, Reason: "not today"}, nil
		}, "not today", 0},
		{"a failing handler blocks", func(*extension.ToolCall) (*extension.ToolCallDecision, error) {
			return nil, errors.New("out of order")
		}, "out of order", 1},
		{"a panicking handler blocks", func(*extension.ToolCall) (*extension.ToolCallDecision, error) { panic("ouch") }, "ouch", 1},
		{"other arguments", func(*extension.ToolCall) (*extension.ToolCallDecision, error) {
			return &extension.ToolCallDecision{Arguments: json.RawMessage(`{"text":"other"}`)}, nil
		}, "other!", 0},
		{"let through", func(*extension.ToolCall) (*extension.ToolCallDecision, error) { return nil, nil }, "said!", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			faults := 0
			r := newRig(t, func(o *codingagent.Options) {
				o.OnFault = func(*extension.Fault) { faults++ }
				o.Extensions = []extension.Extension{inline("test", func(api *extension.API) error {
					api.Events.ToolCall.Handle(func(_ context.Context, _ *extension.Context, ev *extension.ToolCall) (*extension.ToolCallDecision, error) {
						return c.decide(ev)
					})
					api.Events.ToolResult.Handle(func(_ context.Context, _ *extension.Context, ev *extension.ToolResult) (*extension.ToolResultPatch, error) {
						return &extension.ToolResultPatch{Content: []ai.Block{&ai.Text{Text: ai.TextOf(ev.Result.Content, "") + "!"}}}, nil
					})
					return api.RegisterTool(echo())
				})}
			})
			r.model.Queue(faux.Calls(faux.Call("echo", map[string]any{"text": "said"})), faux.Say("done"))
			r.prompt("go")
			messages, _ := r.request(1)
			got := ai.TextOf(messages[len(messages)-1].(*ai.ToolResultMessage).Content, "")
			if !strings.Contains(got, c.want) {
				t.Errorf("the model got %q, want %q in it", got, c.want)
			}
			if faults != c.faults {
				t.Errorf("%d faults, want %d", faults, c.faults)
			}
		})
	}
}

func TestTurnEndAddsEntriesAndAsksOnceMore(t *testing.T) {
	again := true
	r := with(t, func(api *extension.API) error {
		api.Events.TurnEnd.Handle(func(_ context.Context, _ *extension.Context, ev *extension.TurnEnd) (*extension.BoundaryDecision, error) {
			if ev.Index > 0 {
				return nil, nil
			}
			return &extension.BoundaryDecision{Continue: &again, Entries: []session.Entry{
				&session.CustomMessageEntry{CustomType: "check", Content: []ai.Block{&ai.Text{Text: "are you sure?"}}},
			}}, nil
		})
		return nil
	})
	r.model.Queue(faux.Say("42"), faux.Say("43"))
	if got := r.prompt("the answer?"); ai.TextOf(got.Answer.Content, "") != "43" {
		t.Errorf("the answer is %v", got.Answer)
	}
	messages, _ := r.request(1)
	if got := ai.TextOf(messages[len(messages)-1].(*ai.UserMessage).Content, ""); got != "are you sure?" {
		t.Errorf("the model was asked %q", got)
	}
	// What the session says is what the agent goes on with.
	c, err := r.Session().Context(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a, b := len(c.Messages), len(r.State().Messages); a != b {
		t.Errorf("%d messages are stored, the agent has %d", a, b)
	}
}

func TestBeforeSettleGoesOn(t *testing.T) {
	again, asked := true, 0
	r := with(t, func(api *extension.API) error {
		api.Events.AgentBeforeSettle.Handle(func(context.Context, *extension.Context, *extension.BeforeSettle) (*extension.BoundaryDecision, error) {
			if asked++; asked > 1 {
				return nil, nil
			}
			return &extension.BoundaryDecision{Continue: &again, Entries: []session.Entry{
				&session.CustomMessageEntry{CustomType: "check", Content: []ai.Block{&ai.Text{Text: "really?"}}},
			}}, nil
		})
		return nil
	})
	r.model.Queue(faux.Say("no"), faux.Say("yes"))
	if got := r.prompt("?"); ai.TextOf(got.Answer.Content, "") != "yes" || asked != 2 {
		t.Errorf("the answer is %v, asked %d times", got.Answer, asked)
	}
}

func TestExtensionsSendMessages(t *testing.T) {
	var api *extension.API
	r := with(t, func(a *extension.API) error { api = a; return nil })
	ctx := t.Context()
	note := func(text string) *session.CustomMessage {
		return &session.CustomMessage{CustomType: "note", Display: true, Content: []ai.Block{&ai.Text{Text: text}}}
	}
	yes := true
	r.model.Queue(faux.Say("1"), faux.Say("2"), faux.Say("3"))
	var heard journal
	r.Subscribe(func(_ context.Context, ev agentcore.Event) error {
		if m, ok := ev.(*agentcore.MessageEnd); ok {
			heard.add("%s", m.Message.Role())
		}
		return nil
	})
	if err := api.Send(ctx, note("stored"), extension.SendOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := heard.take(); !slices.Equal(got, []string{"custom"}) {
		t.Errorf("listeners heard of %q", got)
	}
	if n := len(r.model.Requests()); n != 0 {
		t.Fatalf("%d requests for a message that is only stored", n)
	}
	if err := api.Send(ctx, note("later"), extension.SendOptions{Delivery: extension.DeliverNextTurn}); err != nil {
		t.Fatal(err)
	}
	if err := api.Send(ctx, note("now"), extension.SendOptions{Trigger: &yes}); err != nil {
		t.Fatal(err)
	}
	if err := r.WaitIdle(ctx); err != nil {
		t.Fatal(err)
	}
	messages, _ := r.request(0)
	var texts []string
	for _, m := range messages {
		if u, ok := m.(*ai.UserMessage); ok {
			texts = append(texts, ai.TextOf(u.Content, ""))
		}
	}
	if want := []string{"stored", "now", "later"}; !slices.Equal(texts, want) {
		t.Errorf("the model got %q, want %q", texts, want)
	}
	if err := api.SendUser(ctx, []ai.Block{&ai.Text{Text: "hello"}}, extension.UserOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := r.WaitIdle(ctx); err != nil {
		t.Fatal(err)
	}
	if n := len(r.model.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
	if id, err := api.AppendEntry(ctx, "state", map[string]int{"n": 1}); err != nil || id == "" {
		t.Errorf("append entry: %q, %v", id, err)
	}
}

func TestUserBashGoesElsewhereOrFails(t *testing.T) {
	zero := 0
	for _, c := range []struct {
		name   string
		answer func() (*extension.UserBashDecision, error)
		output string
		err    string
	}{
		{"a result", func() (*extension.UserBashDecision, error) {
			return &extension.UserBashDecision{Result: &tools.UserResult{Output: "pretended", ExitCode: &zero}}, nil
		}, "pretended", ""},
		{"another shell", func() (*extension.UserBashDecision, error) {
			return &extension.UserBashDecision{Shell: fakeShell{}}, nil
		}, "in the clouds", ""},
		{"both", func() (*extension.UserBashDecision, error) {
			return &extension.UserBashDecision{Shell: fakeShell{}, Result: &tools.UserResult{}}, nil
		}, "", "exactly one"},
		{"an error fails the command", func() (*extension.UserBashDecision, error) { return nil, errors.New("no way") }, "", "no way"},
		{"nothing", func() (*extension.UserBashDecision, error) { return nil, nil }, "here\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, func(o *codingagent.Options) {
				o.Extensions = []extension.Extension{inline("test", func(api *extension.API) error {
					api.Events.UserBash.Handle(func(context.Context, *extension.Context, *extension.UserBash) (*extension.UserBashDecision, error) {
						return c.answer()
					})
					return nil
				})}
			})
			got, err := r.Bash(t.Context(), "echo here", false, nil)
			switch {
			case c.err != "":
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v, %v", got, err)
				}
			case err != nil:
				t.Error(err)
			case got.Output != c.output:
				t.Errorf("output %q, want %q", got.Output, c.output)
			}
		})
	}
}

type fakeShell struct{}

func (fakeShell) Run(_ context.Context, cmd execenv.Command) (execenv.Result, error) {
	cmd.Output([]byte("in the clouds"))
	return execenv.Result{}, nil
}

func TestLateMessagesAreStoredBehindTheTurnOrWhenARunWasAborted(t *testing.T) {
	for _, aborted := range []bool{false, true} {
		t.Run(fmt.Sprintf("aborted %v", aborted), func(t *testing.T) {
			no := false
			var api *extension.API
			var r *rig
			r = with(t, func(a *extension.API) error {
				api = a
				tool := echo()
				tool.Execute = func(ctx context.Context, _ *extension.Context, _ agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
					note := &session.CustomMessage{CustomType: "note", Content: []ai.Block{&ai.Text{Text: "late"}}}
					if err := api.Send(ctx, note, extension.SendOptions{Trigger: &no}); err != nil {
						return agentcore.ToolResult{}, err
					}
					if aborted {
						go func() { _ = r.Abort(context.Background()) }()
						<-ctx.Done()
					}
					return agentcore.TextResult("ok"), nil
				}
				return a.RegisterTool(tool)
			})
			r.model.Queue(faux.Calls(faux.Call("echo", map[string]any{"text": "a"})), faux.Say("done"))
			r.prompt("go")
			var roles []string
			for _, m := range r.State().Messages {
				roles = append(roles, string(m.Role()))
			}
			at := slices.Index(roles, "custom")
			if at < 0 || roles[at-1] != "toolResult" && !aborted {
				t.Errorf("the transcript is %q", roles)
			}
			c, err := r.Session().Context(t.Context())
			if err != nil || len(c.Messages) != len(roles) {
				t.Errorf("%d messages are stored, the agent has %d: %v", len(c.Messages), len(roles), err)
			}
		})
	}
}
