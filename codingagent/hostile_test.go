package codingagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/models"
)

// Whatever an extension answers, and whatever it does while it answers, the
// prompt ends, the session can be read again, and the next prompt works.
func TestAnswersOfExtensionsThatMakeNoSense(t *testing.T) {
	no := func(*extension.API) {}
	boundary := func(entries ...session.Entry) func(*extension.API) {
		return func(api *extension.API) {
			api.Events.TurnEnd.Handle(func(_ context.Context, _ *extension.Context, ev *extension.TurnEnd) (*extension.BoundaryDecision, error) {
				return &extension.BoundaryDecision{Entries: entries, Continue: new(ev.Index == 0)}, nil
			})
			api.Events.AgentBeforeSettle.Handle(func(context.Context, *extension.Context, *extension.BeforeSettle) (*extension.BoundaryDecision, error) {
				return &extension.BoundaryDecision{Entries: entries}, nil
			})
		}
	}
	nilText := []ai.Block{(*ai.Text)(nil)}
	for name, misbehave := range map[string]func(*extension.API){
		"nothing":               no,
		"nil entry":             boundary(nil),
		"typed nil entry":       boundary((*session.CustomEntry)(nil)),
		"typed nil edit":        boundary((*session.ContextEditEntry)(nil)),
		"typed nil compaction":  boundary((*session.CompactionEntry)(nil)),
		"data that is no JSON":  boundary(&session.CustomEntry{CustomType: "x", Data: json.RawMessage(`{"a":`)}),
		"data of two lines":     boundary(&session.CustomEntry{CustomType: "x", Data: json.RawMessage("{\n\"a\":\n1}")}),
		"details no JSON":       boundary(&session.CustomMessageEntry{CustomType: "x", Content: []ai.Block{&ai.Text{Text: "hi"}}, Details: json.RawMessage(`}`)}),
		"message without text":  boundary(&session.CustomMessageEntry{CustomType: "x"}),
		"message with nil":      boundary(&session.CustomMessageEntry{CustomType: "x", Content: []ai.Block{nil}}),
		"message, typed nil":    boundary(&session.CustomMessageEntry{CustomType: "x", Content: nilText}),
		"message without type":  boundary(&session.CustomMessageEntry{Content: []ai.Block{&ai.Text{Text: "hi"}}}),
		"edit of nothing":       boundary(&session.ContextEditEntry{TargetID: "nowhere"}),
		"compaction to nowhere": boundary(&session.CompactionEntry{Summary: "s", FirstKept: "nowhere"}),
		"empty compaction":      boundary(&session.CompactionEntry{}),
		"same entry twice": func(api *extension.API) {
			e := &session.CustomEntry{CustomType: "x"}
			boundary(e, e)(api)
		},
		"results": func(api *extension.API) {
			for _, content := range [][]ai.Block{nil, {}, {nil}, nilText, {&ai.Image{}}, {&ai.ToolCall{}}} {
				api.Events.ToolResult.Handle(func(context.Context, *extension.Context, *extension.ToolResult) (*extension.ToolResultPatch, error) {
					return &extension.ToolResultPatch{Content: content}, nil
				})
			}
		},
		"structured": func(api *extension.API) {
			api.Events.ToolResult.Handle(func(context.Context, *extension.Context, *extension.ToolResult) (*extension.ToolResultPatch, error) {
				return &extension.ToolResultPatch{Details: make(chan int)}, nil
			})
		},
		"arguments": func(api *extension.API) {
			api.Events.ToolCall.Handle(func(context.Context, *extension.Context, *extension.ToolCall) (*extension.ToolCallDecision, error) {
				return &extension.ToolCallDecision{Arguments: json.RawMessage(`[]`)}, nil
			})
		},
		"messages at the start": func(api *extension.API) {
			for _, m := range []*session.CustomMessage{{}, {CustomType: "x", Content: []ai.Block{nil}}, {CustomType: "x", Content: nilText}, {CustomType: "x", Details: json.RawMessage(`{`)}} {
				api.Events.BeforeAgentStart.Handle(func(context.Context, *extension.Context, *extension.BeforeAgentStart) (*extension.StartDecision, error) {
					return &extension.StartDecision{Message: m}, nil
				})
			}
		},
		"messages to store": func(api *extension.API) {
			api.Events.MessageEnd.Handle(func(_ context.Context, _ *extension.Context, ev *extension.MessageEnd) (*extension.MessageDecision, error) {
				switch ev.Message.(type) {
				case *ai.UserMessage:
					return &extension.MessageDecision{Message: (*ai.UserMessage)(nil)}, nil
				case *ai.AssistantMessage:
					return &extension.MessageDecision{Message: &ai.AssistantMessage{Content: []ai.Block{nil}}}, nil
				}
				return &extension.MessageDecision{Message: (*ai.ToolResultMessage)(nil)}, nil
			})
		},
		"context": func(api *extension.API) {
			for _, all := range [][]agentcore.Message{nil, {}, {nil}, {(*ai.UserMessage)(nil)}, {&ai.UserMessage{Content: []ai.Block{nil}}}} {
				api.Events.Context.Handle(func(context.Context, *extension.Context, *extension.ModelContext) (*extension.ModelContext, error) {
					return &extension.ModelContext{Messages: all}, nil
				})
				api.Events.ContextWithSystem.Handle(func(context.Context, *extension.Context, *extension.ModelContext) (*extension.ModelContext, error) {
					return &extension.ModelContext{Messages: all}, nil
				})
			}
		},
		"input": func(api *extension.API) {
			api.Events.Input.Handle(func(context.Context, *extension.Context, *extension.Input) (*extension.InputDecision, error) {
				return &extension.InputDecision{Images: []*ai.Image{nil, {}}}, nil
			})
		},
		"panics": func(api *extension.API) {
			e := &api.Events
			e.Input.Handle(func(context.Context, *extension.Context, *extension.Input) (*extension.InputDecision, error) {
				panic("input")
			})
			e.BeforeAgentStart.Handle(func(context.Context, *extension.Context, *extension.BeforeAgentStart) (*extension.StartDecision, error) {
				panic("start")
			})
			e.TurnEnd.Handle(func(context.Context, *extension.Context, *extension.TurnEnd) (*extension.BoundaryDecision, error) {
				panic("end")
			})
			e.MessageUpdate.Listen(func(context.Context, *extension.Context, *extension.MessageUpdate) error { panic("update") })
			e.SessionStart.Listen(func(context.Context, *extension.Context, *extension.SessionStart) error { panic("session") })
			e.SessionShutdown.Listen(func(context.Context, *extension.Context, *extension.SessionShutdown) error { panic("end") })
			e.ToolCall.Handle(func(context.Context, *extension.Context, *extension.ToolCall) (*extension.ToolCallDecision, error) {
				panic("call")
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *codingagent.Options) {
				o.Extensions = []extension.Extension{inline("test", func(api *extension.API) error {
					misbehave(api)
					return api.RegisterTool(echo())
				})}
				o.OnFault = func(f *extension.Fault) { t.Logf("told: %v", f) }
			})
			for range 3 {
				r.model.Queue(faux.Calls(faux.Call("echo", map[string]any{"text": "a"})), faux.Say("one"), faux.Say("two"), faux.Say("three"))
				got, err := r.Prompt(t.Context(), codingagent.Prompt{Text: "go"}, codingagent.PromptOptions{})
				switch {
				case err != nil:
					t.Logf("the prompt failed: %v", err)
				case got.Answer != nil && got.Answer.ErrorMessage != "":
					t.Logf("the answer failed: %s", got.Answer.ErrorMessage)
				}
				if r.Busy() {
					t.Fatal("the session is still at work")
				}
			}
			if _, err := r.Session().Context(t.Context()); err != nil {
				t.Errorf("the session can not be read: %v", err)
			}
		})
	}
}

// An extension registers from many goroutines, before and while the agent works,
// and sends messages in every phase.
func TestExtensionsActFromEverywhere(t *testing.T) {
	var api atomic.Pointer[extension.API] // of the newest session
	var wg sync.WaitGroup
	p := faux.New(faux.Config{})
	rt, err := codingagent.NewRuntime(t.Context(), codingagent.Options{
		Dir: t.TempDir(), Models: ai.NewModels(p), Model: p.Model(), Environ: os.Environ(),
		Extensions: []extension.Extension{inline("test", func(a *extension.API) error {
			api.Store(a)
			tool := echo()
			return errors.Join(a.RegisterTool(tool), a.RegisterCommand("new", extension.Command{Run: func(ctx context.Context, x *extension.CommandContext, _ string) error {
				_, err := x.NewSession(ctx, extension.NewSessionOptions{})
				return err
			}}))
		})},
		OnFault: func(f *extension.Fault) {
			if !errors.Is(f, extension.ErrStale) {
				t.Logf("told: %v", f)
			}
		},
	}, session.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close(context.Background())
	rt.Start(t.Context())
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	yes, not := true, false
	rt.Subscribe(func(ctx context.Context, ev agentcore.Event) error {
		switch ev.(type) {
		case *agentcore.MessageStart, *agentcore.MessageUpdate, *agentcore.MessageEnd, *harness.EntryAppended, *harness.QueueUpdate:
			return nil // what is sent makes more of them
		}
		a := api.Load()
		note := &session.CustomMessage{CustomType: "n", Content: []ai.Block{&ai.Text{Text: "n"}}}
		wg.Go(func() { _ = a.Send(ctx, note, extension.SendOptions{Trigger: &not}) })
		wg.Go(func() { _ = a.Send(ctx, note, extension.SendOptions{Delivery: extension.DeliverNextTurn}) })
		if _, ok := ev.(*agentcore.TurnStart); ok {
			wg.Go(func() { _, _ = a.AppendEntry(context.Background(), "x", 1) })
		}
		return nil
	})
	for i := range 20 {
		old := api.Load()
		for n := range 50 {
			wg.Go(func() {
				tool := echo()
				tool.Name = fmt.Sprintf("echo%d", n)
				err := old.RegisterTool(tool)
				if err != nil && !errors.Is(err, extension.ErrStale) {
					t.Error(err)
				}
				_ = old.RegisterProvider(faux.New(faux.Config{ID: fmt.Sprintf("p%d", n%3)}))
			})
		}
		p.Queue(faux.Calls(faux.Call("echo", map[string]any{"text": "a"})), faux.Say("one"), faux.Say("two"), faux.Say("three"))
		s := rt.Session()
		wg.Go(func() {
			_, err := s.Prompt(ctx, codingagent.Prompt{Text: "go"}, codingagent.PromptOptions{WhenBusy: harness.DeliverSteer})
			if err != nil && !strings.Contains(err.Error(), "closed") {
				t.Logf("prompt: %v", err)
			}
		})
		wg.Go(func() {
			_ = old.Send(ctx, &session.CustomMessage{CustomType: "x", Content: []ai.Block{&ai.Text{Text: "go"}}}, extension.SendOptions{Trigger: &yes})
		})
		if i%3 == 0 {
			if _, err := s.Prompt(ctx, codingagent.Prompt{Text: "/new"}, codingagent.PromptOptions{}); err != nil {
				t.Error(err)
			}
		}
	}
	if err := rt.Session().WaitIdle(ctx); err != nil {
		t.Fatal(err)
	}
	cancelled := make(chan struct{})
	go func() { wg.Wait(); close(cancelled) }()
	select {
	case <-cancelled:
	case <-ctx.Done():
		t.Fatal("something waits for ever")
	}
}

// What an extension is told in a goroutine of its own does not end the program.
func TestCallbacksThatPanic(t *testing.T) {
	faults := make(chan *extension.Fault, 8)
	var x *extension.Context
	r := newRig(t, func(o *codingagent.Options) {
		o.Extensions = []extension.Extension{inline("test", func(api *extension.API) error {
			api.Events.SessionStart.Listen(func(_ context.Context, c *extension.Context, _ *extension.SessionStart) error {
				x = c
				return nil
			})
			return nil
		})}
		o.OnFault = func(f *extension.Fault) { faults <- f }
	})
	r.Start(t.Context())
	x.Compact(extension.CompactOptions{Done: func(harness.CompactionResult, error) { panic("done") }})
	if f := <-faults; !strings.Contains(f.Error(), "panicked: done") {
		t.Errorf("told %v", f)
	}
}

// Many tools are registered at once, and of those that are wrong the others do
// not suffer.
func TestRegisterTools(t *testing.T) {
	var api *extension.API
	r := with(t, func(a *extension.API) error { api = a; return nil })
	r.Start(t.Context())
	var list []extension.Tool
	for n := range 1000 {
		tool := echo()
		tool.Name = fmt.Sprintf("echo%d", n)
		list = append(list, tool)
	}
	list[7].Parameters = nil
	again := list[8]
	again.Description = "The second of that name."
	err := api.RegisterTools(append(list, again)...)
	if err == nil || !strings.Contains(err.Error(), "echo7: Parameters") {
		t.Errorf("the wrong one: %v", err)
	}
	if n := len(r.ActiveTools()); n != 4+999 {
		t.Errorf("%d tools are offered, want 1003", n)
	}
	for _, tool := range r.Tools() {
		if tool.Name == "echo8" && tool.Description != again.Description {
			t.Errorf("echo8 is %q", tool.Description)
		}
	}
}

// A handler that blocks and ignores its context holds up neither an abort nor the end:
// it is named and left behind, and the conversation goes on.
func TestHandlersThatBlock(t *testing.T) {
	var release chan struct{} // at the end of each test
	block := func(context.Context) error { <-release; return nil }
	for name, where := range map[string]func(api *extension.API){
		"turn_start": func(api *extension.API) {
			api.Events.TurnStart.Listen(func(ctx context.Context, _ *extension.Context, _ *extension.TurnStart) error { return block(ctx) })
		},
		"tool_call": func(api *extension.API) {
			api.Events.ToolCall.Handle(func(ctx context.Context, _ *extension.Context, _ *extension.ToolCall) (*extension.ToolCallDecision, error) {
				return nil, block(ctx)
			})
		},
		"before_agent_start": func(api *extension.API) {
			api.Events.BeforeAgentStart.Handle(func(ctx context.Context, _ *extension.Context, _ *extension.BeforeAgentStart) (*extension.StartDecision, error) {
				return nil, block(ctx)
			})
		},
		"context": func(api *extension.API) {
			api.Events.Context.Handle(func(ctx context.Context, _ *extension.Context, _ *extension.ModelContext) (*extension.ModelContext, error) {
				return nil, block(ctx)
			})
		},
		"agent_settled": func(api *extension.API) {
			api.Events.AgentSettled.Listen(func(ctx context.Context, _ *extension.Context, _ *extension.AgentSettled) error { return block(ctx) })
		},
		"events:loud": func(api *extension.API) {
			_, _ = api.On("loud", func(any) error { return block(context.Background()) })
			api.Events.TurnStart.Listen(func(context.Context, *extension.Context, *extension.TurnStart) error { return api.Emit("loud", nil) })
		},
		"session_shutdown": func(api *extension.API) {
			api.Events.SessionShutdown.Listen(func(ctx context.Context, _ *extension.Context, _ *extension.SessionShutdown) error { return block(ctx) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir() // made outside of the bubble
			synctest.Test(t, func(t *testing.T) {
				release = make(chan struct{})
				defer close(release)
				var mu sync.Mutex
				var faults []string
				entered := make(chan struct{})
				p := faux.New(faux.Config{})
				stubborn := false
				s, err := codingagent.NewSession(t.Context(), codingagent.Options{
					Dir: dir, Models: ai.NewModels(p), Model: p.Model(), Environ: []string{"PATH=/bin"},
					Extensions: []extension.Extension{inline("stubborn", func(api *extension.API) error {
						if name != "session_shutdown" {
							api.Events.Input.Handle(func(context.Context, *extension.Context, *extension.Input) (*extension.InputDecision, error) {
								if !stubborn {
									stubborn = true
									close(entered)
								}
								return nil, nil
							})
						}
						where(api)
						return api.RegisterTool(echo())
					})},
					OnFault: func(f *extension.Fault) {
						mu.Lock()
						defer mu.Unlock()
						faults = append(faults, f.Error())
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				p.Respond(func(q faux.Request) faux.Response {
					if m := q.Call.Messages[len(q.Call.Messages)-1]; m.Role() == ai.RoleUser {
						return faux.Calls(faux.Call("echo", map[string]any{"text": "a"}))
					}
					return faux.Say("done")
				})
				ended := make(chan error, 1)
				go func() {
					_, err := s.Prompt(t.Context(), codingagent.Prompt{Text: "go"}, codingagent.PromptOptions{})
					ended <- err
				}()
				if name != "session_shutdown" {
					<-entered
					synctest.Wait() // until it blocks
					if err := s.Abort(t.Context()); err != nil {
						t.Error(err)
					}
				}
				if err := <-ended; err != nil {
					t.Error(err)
				}
				// All that was received is there, and every call has its result.
				calls := map[string]bool{}
				for _, m := range s.State().Messages {
					switch m := m.(type) {
					case *ai.AssistantMessage:
						for _, c := range m.ToolCalls() {
							calls[c.ID] = false
						}
					case *ai.ToolResultMessage:
						calls[m.ToolCallID] = true
					}
				}
				for id, answered := range calls {
					if !answered {
						t.Errorf("the call %s has no result", id)
					}
				}
				if err := s.Close(context.Background()); err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if len(faults) == 0 || !strings.Contains(faults[0], "stubborn") || !strings.Contains(faults[0], name) || !strings.Contains(faults[0], "was left behind") {
					t.Errorf("told %q", faults)
				}
			})
		})
	}
}

// stuckVendor does not stop.
type stuckVendor struct {
	*faux.Provider
	release chan struct{}
	asked   func()
}

func (s stuckVendor) API(*ai.Model) (ai.API, error) { return stuckAPI{s}, nil }

type stuckAPI struct{ stuckVendor }

func (stuckAPI) ID() string { return "stuck" }

func (s stuckAPI) Stream(_ context.Context, _ *ai.Call, out *ai.Emitter) error {
	out.Text().Append("so far")
	s.asked()
	<-s.release
	return nil
}

// Neither do a vendor, a router and a shell of an extension: the answer is an aborted one
// with what was received.
func TestBackendsThatBlock(t *testing.T) {
	for _, name := range []string{"provider own", "route of router/auto", "user_bash"} {
		for _, how := range []string{"abort", "close"} {
			t.Run(name+", "+how, func(t *testing.T) {
				dir := t.TempDir() // made outside of the bubble
				synctest.Test(t, func(t *testing.T) { blockedBackend(t, dir, name, how) })
			})
		}
	}
}

func blockedBackend(t *testing.T, dir, name, how string) {
	release, entered := make(chan struct{}), make(chan struct{})
	defer close(release)
	enter := sync.OnceFunc(func() { close(entered) })
	vendor := stuckVendor{faux.New(faux.Config{ID: "own"}), release, enter}
	var mu sync.Mutex
	var faults []string
	p := faux.New(faux.Config{})
	runtime, notes := models.New(t.Context(), models.Config{Providers: []ai.Provider{p}})
	if len(notes) > 0 {
		t.Fatal(notes)
	}
	all := runtime.Models
	s, err := codingagent.NewSession(t.Context(), codingagent.Options{
		Dir: dir, Models: all, ModelRuntime: runtime, Model: p.Model(), Environ: []string{"PATH=/bin"},
		Extensions: []extension.Extension{inline("stubborn", func(api *extension.API) error {
			api.Events.UserBash.Handle(func(context.Context, *extension.Context, *extension.UserBash) (*extension.UserBashDecision, error) {
				return &extension.UserBashDecision{Shell: execenv.ShellFunc(func(_ context.Context, cmd execenv.Command) (execenv.Result, error) {
					cmd.Output([]byte("so far"))
					enter()
					<-release
					cmd.Output([]byte("too late"))
					return execenv.Result{Exited: true}, nil
				})}, nil
			})
			return errors.Join(api.RegisterProvider(vendor), api.RegisterVirtualModel(models.VirtualModel{
				Provider: "router", ID: "auto",
				Route: func(context.Context, models.RouteRequest) (models.Route, error) {
					enter()
					<-release
					return models.Route{}, nil
				},
			}))
		})},
		OnFault: func(f *extension.Fault) {
			mu.Lock()
			defer mu.Unlock()
			faults = append(faults, f.Error())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	var ran *codingagent.BashExecution
	if name == "user_bash" {
		go func() {
			var err error
			ran, err = s.Bash(ctx, "sleep", false, nil)
			ended <- err
		}()
	} else {
		m := vendor.Model()
		if name != "provider own" {
			var err error
			if m, err = all.Model("router", "auto"); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.SetModel(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := s.Prompt(ctx, codingagent.Prompt{Text: "go"}, codingagent.PromptOptions{})
			ended <- err
		}()
	}
	<-entered
	synctest.Wait() // until it blocks
	begin := time.Now()
	if how == "abort" {
		cancel()
		if err := s.Abort(t.Context()); err != nil {
			t.Error(err)
		}
	} else if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	<-ended
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if name == "provider own" {
		last, ok := s.State().Messages[len(s.State().Messages)-1].(*ai.AssistantMessage)
		if !ok || last.StopReason != ai.StopAborted || ai.TextOf(last.Content, "") != "so far" {
			t.Errorf("the answer is %+v", last)
		}
	}
	if ran != nil && (!ran.Cancelled || ran.Output != "so far") {
		t.Errorf("the command ended as %+v", ran)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(faults) != 1 || !strings.Contains(faults[0], "stubborn") || !strings.Contains(faults[0], name) || !strings.Contains(faults[0], "was left behind") {
		t.Errorf("told %q", faults)
	}
}
