package extension_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
)

func ext(name string, setup func(api *extension.API) error) extension.Extension {
	return extension.Extension{Name: name, Setup: func(_ context.Context, api *extension.API) error { return setup(api) }}
}

func tool(name, says string) extension.Tool {
	return extension.Tool{Tool: agentcore.Tool{
		Name: name, Parameters: json.RawMessage(`{"type":"object"}`),
		Execute: func(context.Context, agentcore.ToolCall, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			return agentcore.TextResult(says), nil
		},
	}}
}

func command(run func()) extension.Command {
	return extension.Command{Run: func(context.Context, *extension.CommandContext, string) error { run(); return nil }}
}

// load gives a runner and the texts of the faults.
func load(t *testing.T, list ...extension.Extension) (*extension.Runner, *[]string) {
	t.Helper()
	r := extension.Load(t.Context(), list)
	faults := &[]string{}
	r.OnFault(func(f *extension.Fault) { *faults = append(*faults, f.Error()) })
	return r, faults
}

func TestSetupThatFailsLeavesTheExtensionOut(t *testing.T) {
	var failed *extension.API
	r, faults := load(t,
		ext("error", func(api *extension.API) error {
			failed = api
			if err := api.RegisterTool(tool("lost", "")); err != nil {
				return err
			}
			return errors.New("no network")
		}),
		ext("panic", func(*extension.API) error { panic("ouch") }),
		extension.Extension{Name: "empty"},
		ext("good", func(api *extension.API) error { return api.RegisterTool(tool("kept", "")) }),
	)
	var names []string
	for _, t := range r.Tools() {
		names = append(names, t.Name)
	}
	if !slices.Equal(names, []string{"kept"}) {
		t.Errorf("tools %q", names)
	}
	if want := []string{
		"extension <inline:error>, setup: no network", "extension <inline:panic>, setup: it panicked: ouch", "extension <inline:empty>, setup: it has no Setup",
	}; !slices.Equal(*faults, want) {
		t.Errorf("faults %q", *faults)
	}
	if err := failed.RegisterTool(tool("late", "")); !errors.Is(err, extension.ErrLeftOut) {
		t.Errorf("using it later: %v", err)
	}
}

func TestActingDuringSetupFails(t *testing.T) {
	ctx := t.Context()
	_, faults := load(t, ext("early", func(api *extension.API) error {
		_, err1 := api.AppendEntry(ctx, "x", nil)
		_, err2 := api.ActiveTools()
		_, err3 := api.SessionName(ctx)
		_, err4 := api.Thinking()
		_, err5 := api.Settings()
		_, err6 := api.Commands()
		_, err7 := api.SetModel(ctx, &ai.Model{})
		for i, err := range []error{
			err1, err2, err3, err4, err5, err6, err7, api.SetSessionName(ctx, "x"), api.SetLabel(ctx, "a", "b"),
			api.SetActiveTools(nil), api.SetThinking(ctx, ai.ThinkingHigh), api.Send(ctx, nil, extension.SendOptions{}), api.SendUser(ctx, nil, extension.UserOptions{}),
		} {
			if !errors.Is(err, extension.ErrNotStarted) {
				return fmt.Errorf("action %d: %v", i, err)
			}
		}
		return nil
	}))
	if len(*faults) > 0 {
		t.Error(*faults)
	}
}

func TestNamesThatCollide(t *testing.T) {
	var ran []string
	run := func(s string) extension.Command { return command(func() { ran = append(ran, s) }) }
	replaceable := ext("weak", func(api *extension.API) error { return api.RegisterTool(tool("search", "weak")) })
	replaceable.Replaceable = true
	r, faults := load(t,
		replaceable,
		ext("a", func(api *extension.API) error {
			return errors.Join(api.RegisterTool(tool("search", "a")), api.RegisterCommand("go", run("a")), api.RegisterCommand("go:1", run("taken")),
				api.RegisterFlag("deep", extension.Flag{}), api.RegisterShortcut("Ctrl+G", extension.Shortcut{Description: "a", Run: func(context.Context, *extension.Context) error { return nil }}))
		}),
		ext("b", func(api *extension.API) error {
			return errors.Join(api.RegisterTool(tool("search", "b")), api.RegisterCommand("go", run("b")), api.RegisterCommand("only", run("only")),
				api.RegisterFlag("deep", extension.Flag{Text: true}), api.RegisterShortcut("ctrl+g", extension.Shortcut{Description: "b", Run: func(context.Context, *extension.Context) error { return nil }}))
		}),
	)
	var commands []string
	for _, c := range r.Commands() {
		commands = append(commands, c.Name)
	}
	if want := []string{"go:2", "go:1", "go:3", "only"}; !slices.Equal(commands, want) {
		t.Errorf("commands %q, want %q", commands, want)
	}
	for _, name := range []string{"go:2", "go:3", "go:1", "only"} {
		if !r.RunCommand(t.Context(), name, "") {
			t.Errorf("%s is not known", name)
		}
	}
	if want := []string{"a", "b", "taken", "only"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, want %q", ran, want)
	}
	if r.RunCommand(t.Context(), "go", "") {
		t.Error("a name that several have is known without its number")
	}
	if list := r.Tools(); len(list) != 1 || list[0].Origin.Path != "<inline:a>" {
		t.Errorf("tools %v", list)
	}
	if list := r.Shortcuts(); len(list) != 1 || list[0].Description != "b" {
		t.Errorf("shortcuts %v", list)
	}
	if list := r.Flags(); len(list) != 1 || list[0].Text {
		t.Errorf("flags %v", list)
	}
	for i, want := range []string{"weak", "tool search is not used", "flag deep is not used"} {
		if i >= len(*faults) || !strings.Contains((*faults)[i], want) {
			t.Errorf("faults %q, want %q", *faults, want)
		}
	}
}

func TestFlags(t *testing.T) {
	var api *extension.API
	r, _ := load(t, ext("flags", func(a *extension.API) error {
		api = a
		err := errors.Join(a.RegisterFlag("plan", extension.Flag{}), a.RegisterFlag("preset", extension.Flag{Text: true, Default: "none"}))
		if got := a.Flag("preset"); got != "none" {
			return fmt.Errorf("the default is %v", got)
		}
		return err
	}))
	for _, c := range []struct {
		given map[string]string
		err   string
	}{
		{map[string]string{"plan": "maybe"}, `--plan takes no value, and was given "maybe"`},
		{map[string]string{"preset": ""}, "--preset needs a value"},
		{map[string]string{"x": "", "y": "1"}, "unknown options: --x, --y"},
		{map[string]string{"plan": "", "preset": "fast"}, ""},
	} {
		err := r.SetFlags(c.given)
		if got := fmt.Sprint(err); c.err == "" && err != nil || c.err != "" && !strings.Contains(got, c.err) {
			t.Errorf("%v: %v, want %q", c.given, err, c.err)
		}
	}
	if api.Flag("plan") != true || api.Flag("preset") != "fast" || api.Flag("other") != nil {
		t.Errorf("flags are %v, %v, %v", api.Flag("plan"), api.Flag("preset"), api.Flag("other"))
	}
	if err := api.RegisterFlag("bad", extension.Flag{Default: "text"}); err == nil {
		t.Error("a text as the default of a flag without a value was accepted")
	}
}

func TestTheBusContainsFaultsAndEndsWithTheSession(t *testing.T) {
	var heard []any
	var sender *extension.API
	r, faults := load(t,
		ext("ear", func(api *extension.API) error {
			if _, err := api.On("news", func(any) error { panic("deaf") }); err != nil {
				return err
			}
			_, err := api.On("news", func(data any) error { heard = append(heard, data); return nil })
			return err
		}),
		ext("mouth", func(api *extension.API) error { sender = api; return nil }),
	)
	if err := sender.Emit("news", 1); err != nil {
		t.Fatal(err)
	}
	r.Invalidate()
	if err := sender.Emit("news", 2); !errors.Is(err, extension.ErrStale) {
		t.Errorf("speaking after the end: %v", err)
	}
	if !slices.Equal(heard, []any{1}) {
		t.Errorf("heard %v", heard)
	}
	if len(*faults) != 1 || !strings.Contains((*faults)[0], "events:news: it panicked: deaf") {
		t.Errorf("faults %q", *faults)
	}
}

func TestTrustIsDecidedByTheFirstThatKnows(t *testing.T) {
	answer := func(name string, verdict extension.Trust, scope extension.Scope) extension.Extension {
		e := ext(name, func(api *extension.API) error {
			api.Events.ProjectTrust.Handle(func(_ context.Context, x *extension.Context, ev *extension.ProjectTrust) (*extension.TrustDecision, error) {
				if x.Session() != nil || x.Dir() != ev.Dir {
					return nil, errors.New("the context can do more than it should")
				}
				if verdict == "" {
					return nil, errors.New("undecidable")
				}
				return &extension.TrustDecision{Trusted: verdict, Remember: true}, nil
			})
			return nil
		})
		e.Origin.Scope = scope
		return e
	}
	r, faults := load(t,
		answer("project", extension.Trusted, extension.ScopeProject), answer("broken", "", extension.ScopeUser),
		answer("shrug", extension.Undecided, extension.ScopeUser), answer("no", extension.Untrusted, extension.ScopeUser),
		answer("late", extension.Trusted, extension.ScopeUser),
	)
	env := execenv.Memory(nil)
	env.Dir = "/work"
	got := r.DecideTrust(t.Context(), extension.ModePrint, extension.NoUI{}, env)
	if got == nil || got.Trusted != extension.Untrusted {
		t.Errorf("got %v", got)
	}
	if len(*faults) != 1 || !strings.Contains((*faults)[0], "undecidable") {
		t.Errorf("faults %q", *faults)
	}
}

func TestHandlersAreRemovedAndTheListIsASnapshot(t *testing.T) {
	var calls []string
	r, _ := load(t, ext("x", func(api *extension.API) error {
		var remove func()
		remove = api.Events.AgentStart.Listen(func(context.Context, *extension.Context, *extension.AgentStart) error {
			calls = append(calls, "once")
			remove()
			api.Events.AgentStart.Listen(func(context.Context, *extension.Context, *extension.AgentStart) error {
				calls = append(calls, "added")
				return nil
			})
			return nil
		})
		return nil
	}))
	r.Hear(t.Context(), &agentcore.AgentStart{})
	r.Hear(t.Context(), &agentcore.AgentStart{})
	if !slices.Equal(calls, []string{"once", "added"}) {
		t.Errorf("calls %q", calls)
	}
}

func TestMessageEndKeepsTheRole(t *testing.T) {
	other := ai.UserText("other")
	r, faults := load(t,
		ext("wrong", func(api *extension.API) error {
			api.Events.MessageEnd.Handle(func(context.Context, *extension.Context, *extension.MessageEnd) (*extension.MessageDecision, error) {
				return &extension.MessageDecision{Message: &ai.SystemMessage{}}, nil
			})
			return nil
		}),
		ext("right", func(api *extension.API) error {
			api.Events.MessageEnd.Handle(func(context.Context, *extension.Context, *extension.MessageEnd) (*extension.MessageDecision, error) {
				return &extension.MessageDecision{Message: other}, nil
			})
			return nil
		}),
	)
	if got := r.MessageEnd(t.Context(), ai.UserText("one")); got != agentcore.Message(other) {
		t.Errorf("got %v", got)
	}
	if len(*faults) != 1 || !strings.Contains((*faults)[0], "can not take the place of a user message") {
		t.Errorf("faults %q", *faults)
	}
}

func TestBoundaryProposalsAreChecked(t *testing.T) {
	yes := true
	propose := func(entries ...session.Entry) extension.Extension {
		return ext("p", func(api *extension.API) error {
			api.Events.TurnEnd.Handle(func(_ context.Context, _ *extension.Context, ev *extension.TurnEnd) (*extension.BoundaryDecision, error) {
				return &extension.BoundaryDecision{Entries: append(slices.Clone(ev.Entries), entries...), Continue: &yes}, nil
			})
			return nil
		})
	}
	r, faults := load(t, propose(&session.CustomEntry{CustomType: "a"}), propose(&session.ModelEntry{}), propose(&session.CustomEntry{CustomType: "b"}))
	for _, c := range []struct {
		outcome extension.Outcome
		again   bool
	}{{extension.Completed, true}, {extension.Failed, false}, {extension.Aborted, false}} {
		entries, again := r.TurnEnd(t.Context(), extension.TurnEnd{Boundary: extension.Boundary{Outcome: c.outcome}})
		if len(entries) != 2 || again != c.again {
			t.Errorf("%s: %d entries, continue %v", c.outcome, len(entries), again)
		}
	}
	if len(*faults) != 3 || !strings.Contains((*faults)[0], "*session.ModelEntry can not be added here") {
		t.Errorf("faults %q", *faults)
	}
}

func TestContextChangesPutOneSystemMessageInFront(t *testing.T) {
	prompt := "be kind"
	system := &ai.SystemMessage{Sections: []ai.Section{{Name: "preamble", Text: &prompt}}}
	history := []agentcore.Message{system, ai.UserText("1"), ai.UserText("2")}
	r, _ := load(t, ext("forget", func(api *extension.API) error {
		api.Events.Context.Handle(func(_ context.Context, _ *extension.Context, ev *extension.ModelContext) (*extension.ModelContext, error) {
			if len(ev.Messages) != 2 {
				return nil, fmt.Errorf("%d messages", len(ev.Messages))
			}
			return &extension.ModelContext{Messages: ev.Messages[1:]}, nil
		})
		return nil
	}))
	got := r.ModelContext(t.Context(), history)
	if len(got) != 2 || got[1] != history[2] {
		t.Fatalf("got %v", got)
	}
	if system := ai.ReplaySystem(session.ModelMessages(got)); system.Text != prompt {
		t.Errorf("the prompt is %q", system.Text)
	}
	if len(history) != 3 {
		t.Error("the transcript was changed")
	}
}

func TestMCPServersAreCheckedAndReportedWhenNobodyConnectsThem(t *testing.T) {
	r, faults := load(t,
		ext("a", func(api *extension.API) error {
			return api.RegisterMCPServer("my-files", json.RawMessage(`{"command":"files"}`))
		}),
		ext("b", func(api *extension.API) error {
			for config, want := range map[string]string{
				`{"command":"x"}`: "has one called my-files", `{}`: "either a command or a url", `{"command":"x","url":"y"}`: "either a command or a url", `[`: "no JSON object",
			} {
				if err := api.RegisterMCPServer("my_files", json.RawMessage(config)); err == nil || !strings.Contains(err.Error(), want) {
					return fmt.Errorf("%s: %v", config, err)
				}
			}
			return nil
		}),
	)
	r.Start(t.Context(), extension.SessionStart{})
	if len(*faults) != 1 || !strings.Contains((*faults)[0], "nothing here connects the MCP server my-files") {
		t.Errorf("faults %q", *faults)
	}
}
