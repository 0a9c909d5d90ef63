//go:build unix

package interactive_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent/extension"
)

func TestDialogsOfExtensions(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		answers := make(chan string, 8)
		d := sit(t, width, 24, within(func(api *extension.API) {
			command(t, api, "ask", func(ctx context.Context, x *extension.CommandContext, what string) error {
				ui := x.UI()
				switch what {
				case "select":
					v, ok := ui.Select(ctx, "Which fruit?", []string{"apple", "pear"}, extension.DialogOptions{})
					answers <- fmt.Sprintf("%s %v", v, ok)
				case "confirm":
					answers <- fmt.Sprint(ui.Confirm(ctx, "Remove everything?", "This removes the directory build and all that is in it, for good.", extension.DialogOptions{Timeout: time.Hour}))
				case "input":
					v, ok := ui.Input(ctx, "Your name", "first and last", extension.DialogOptions{})
					answers <- fmt.Sprintf("%s %v", v, ok)
				case "editor":
					v, ok := ui.Editor(ctx, "The message", "line one\nline two")
					answers <- fmt.Sprintf("%q %v", v, ok)
				}
				return nil
			})
		}))
		d.wait("faux")
		answer := func(want string) {
			t.Helper()
			select {
			case got := <-answers:
				if got != want {
					t.Errorf("the answer is %q, want %q", got, want)
				}
			case <-time.After(waitTime):
				t.Fatal("no answer")
			}
		}
		d.keys("/ask select", enter)
		d.wait("Which fruit?", "pear")
		d.golden(fmt.Sprintf("ext-select-%d", width))
		d.resized(width+9, 20, "Which fruit?", "pear")
		d.resized(width, 24, "Which fruit?", "pear")
		d.keys("\x1b[B", enter)
		answer("pear true")
		d.gone("Which fruit?")
		d.keys("/ask confirm", enter)
		d.wait("Remove everything?", "3600 s left")
		d.golden(fmt.Sprintf("ext-confirm-%d", width))
		d.resized(width+9, 20, "Remove everything?")
		d.resized(width, 24, "Remove everything?")
		d.keys(enter)
		answer("true")
		d.gone("s left")
		d.keys("/ask input", enter)
		d.wait("Your name")
		d.golden(fmt.Sprintf("ext-input-%d", width))
		d.resized(width+9, 20, "Your name")
		d.resized(width, 24, "Your name")
		d.keys("Ada", enter)
		answer("Ada true")
		d.gone("Your name")
		d.keys("/ask editor", enter)
		d.wait("The message", "line two")
		d.golden(fmt.Sprintf("ext-editor-%d", width))
		d.resized(width+9, 20, "The message", "line two")
		d.resized(width, 24, "The message", "line two")
		d.keys("!", enter)
		answer(`"line one\nline two!" true`)
		d.gone("The message")
		d.keys("/ask input", enter)
		d.wait("Your name")
		d.keys(escape)
		answer(" false")
		d.gone("Your name")
	})
}

func TestDialogsStackAndEndWithTheirContext(t *testing.T) {
	t.Parallel()
	ui := make(chan extension.UI, 1)
	d := sit(t, 80, 24, within(func(api *extension.API) {
		api.Events.SessionStart.Listen(func(_ context.Context, x *extension.Context, _ *extension.SessionStart) error {
			ui <- x.UI()
			return nil
		})
	}))
	u := <-ui
	d.wait("faux")
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	ask := func(ctx context.Context, title string, o extension.DialogOptions, want bool) {
		done.Go(func() {
			if got := u.Confirm(ctx, title, "", o); got != want {
				t.Errorf("%s: %v, want %v", title, got, want)
			}
		})
		d.wait(title)
	}
	ask(t.Context(), "first", extension.DialogOptions{}, true)
	ask(ctx, "second", extension.DialogOptions{}, false)
	ask(t.Context(), "third", extension.DialogOptions{}, true)
	cancel() // below the newest
	d.keys(enter)
	d.gone("third")
	d.wait("first")
	if u.Confirm(t.Context(), "short", "", extension.DialogOptions{Timeout: time.Millisecond}) {
		t.Error("a question whose time was over was confirmed")
	}
	d.gone("short")
	d.keys(enter)
	done.Wait()
	d.gone("first")
	if u.Confirm(ctx, "never", "", extension.DialogOptions{}) {
		t.Error("a question whose context has ended was confirmed")
	}
}

func TestDialogsFromManyGoroutines(t *testing.T) {
	t.Parallel()
	ui := make(chan extension.UI, 1)
	d := sit(t, 80, 24, within(func(api *extension.API) {
		api.Events.SessionStart.Listen(func(_ context.Context, x *extension.Context, _ *extension.SessionStart) error {
			ui <- x.UI()
			return nil
		})
	}))
	u := <-ui
	const n = 20
	var asked atomic.Int32
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+1)*3*time.Millisecond)
			defer cancel()
			u.SetStatus(fmt.Sprint(i), "s")
			u.SetWidget(fmt.Sprint(i), extension.Widget{Lines: []string{"w"}})
			u.Select(ctx, fmt.Sprintf("question %d", i), []string{"a", "b"}, extension.DialogOptions{})
			u.SetWidget(fmt.Sprint(i), extension.Widget{})
			u.SetStatus(fmt.Sprint(i), "")
			_, _ = u.EditorText(), u.Screen().Themes()
			asked.Add(1)
		})
	}
	wg.Wait()
	if asked.Load() != n {
		t.Errorf("%d questions ended, want %d", asked.Load(), n)
	}
	d.gone("question")
	d.keys("still here")
	d.wait("still here")
}

func TestReplacingTheSessionEndsWhatExtensionsShow(t *testing.T) {
	t.Parallel()
	ended := make(chan bool, 1)
	starts := 0
	d := sit(t, 100, 30, within(func(api *extension.API) {
		api.Events.SessionStart.Listen(func(_ context.Context, x *extension.Context, ev *extension.SessionStart) error {
			starts++
			x.UI().SetStatus("s", fmt.Sprintf("status %d", starts))
			x.UI().Notify(fmt.Sprintf("started %d %s", starts, ev.Reason), extension.Info)
			return nil
		})
		command(t, api, "dress", func(_ context.Context, x *extension.CommandContext, _ string) error {
			ui := x.UI()
			s := ui.Screen()
			ui.SetWidget("w", extension.Widget{Lines: []string{"a widget"}})
			s.SetHeader(func(extension.Surface) extension.Component {
				return extension.Lines(func(int) []string { return []string{"my header"} })
			})
			s.SetFooter(func(_ extension.Surface, f extension.FooterFacts) extension.Component {
				return extension.Lines(func(int) []string { return []string{"my footer " + f.Statuses()["s"]} })
			})
			go func() {
				_, err := s.Custom(context.Background(), func(extension.Surface, func(any)) extension.Component {
					return extension.Lines(func(int) []string { return []string{"an overlay"} })
				}, extension.CustomOptions{Overlay: true, Anchor: "top-right", Width: "20"})
				if !errors.Is(err, extension.ErrNoScreen) {
					t.Errorf("the overlay ended with %v", err)
				}
				ended <- true
			}()
			return nil
		})
		command(t, api, "again", func(ctx context.Context, x *extension.CommandContext, _ string) error {
			ui := x.UI()
			go func() { ended <- ui.Confirm(context.Background(), "open question", "", extension.DialogOptions{}) }()
			_, err := x.NewSession(ctx, extension.NewSessionOptions{Then: func(_ context.Context, x *extension.CommandContext) error {
				x.UI().Notify("after", extension.Info)
				return nil
			}})
			return err
		})
	}))
	d.wait("status 1", "started 1 startup")
	d.keys("/dress", enter)
	s := d.wait("a widget", "my header", "my footer status 1", "an overlay")
	if strings.Contains(s, "faux") || strings.Contains(s, "ctrl+o unfold") {
		t.Errorf("the program's own header or footer are still there:\n%s", s)
	}
	if err := d.runtime.New(t.Context(), ""); err != nil { // as the program's own command does
		t.Fatal(err)
	}
	<-ended
	s = d.wait("status 2", "started 2 new", "faux")
	for _, old := range []string{"a widget", "my header", "my footer", "an overlay", "status 1"} {
		if strings.Contains(s, old) {
			t.Errorf("%q is still there:\n%s", old, s)
		}
	}
	d.keys("/again", enter)
	if <-ended {
		t.Error("a question of an earlier session was confirmed")
	}
	s = d.wait("status 3", "started 3 new", "after")
	if strings.Contains(s, "open question") || strings.Contains(s, "started 2") {
		t.Errorf("what the earlier session had is still there:\n%s", s)
	}
}

func TestWidgetsAndStatuses(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		d := sit(t, width, 30, within(func(api *extension.API) {
			command(t, api, "show", func(_ context.Context, x *extension.CommandContext, _ string) error {
				ui := x.UI()
				th := ui.Screen().Theme()
				var lines []string
				for i := range 13 {
					lines = append(lines, th.Foreground("accent", fmt.Sprintf("line %d of a widget that is wider than a narrow terminal", i)))
				}
				ui.SetWidget("many", extension.Widget{Lines: lines})
				ui.SetWidget("drawn", extension.Widget{Placement: extension.BelowEditor, Component: func(th extension.Theme) extension.Component {
					return extension.Lines(func(width int) []string { return []string{th.Bold(strings.Repeat("=", width))} })
				}})
				ui.SetStatus("b", "second\nstatus \x1b[2J")
				ui.SetStatus("a", "first")
				ui.SetTitle("a title\a")
				return nil
			})
			command(t, api, "hide", func(_ context.Context, x *extension.CommandContext, _ string) error {
				x.UI().SetWidget("many", extension.Widget{})
				x.UI().SetWidget("drawn", extension.Widget{})
				x.UI().SetStatus("a", "")
				return nil
			})
		}))
		d.wait("faux")
		d.keys("/show", enter)
		d.wait("line 9", "3 more lines", strings.Repeat("=", width), "first  second status")
		d.golden(fmt.Sprintf("ext-widgets-%d", width))
		d.keys("/hide", enter)
		d.gone("first")
		d.gone("line 9")
		d.wait("second status")
	})
}

func TestRenderersOfExtensions(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		broken := false
		d := sit(t, width, 70, within(func(api *extension.API) {
			lines := func(s ...string) extension.Component { return extension.Lines(func(int) []string { return s }) }
			tool := func(name string) extension.Tool {
				return extension.Tool{
					Tool: agentcore.Tool{Name: name, Description: "x", Parameters: json.RawMessage(`{"type":"object"}`)},
					Execute: func(context.Context, *extension.Context, agentcore.ToolCall, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
						return agentcore.ToolResult{Content: []ai.Block{&ai.Text{Text: "plain result of " + name}}}, nil
					},
				}
			}
			shown := tool("shown")
			shown.RenderCall = func(v extension.ToolView) extension.Component {
				return lines(v.Theme.Bold("call of " + v.Name + " with " + string(v.Arguments)))
			}
			shown.RenderResult = func(v extension.ToolView, r agentcore.ToolResult) extension.Component {
				return lines(fmt.Sprintf("%d result, unfolded %v", len(r.Content), v.Expanded))
			}
			bad := tool("bad")
			bad.RenderCall = func(extension.ToolView) extension.Component { panic("no call") }
			bad.RenderResult = func(extension.ToolView, agentcore.ToolResult) extension.Component {
				return extension.Lines(func(int) []string { panic("no result") })
			}
			for _, tl := range []extension.Tool{shown, bad} {
				if err := api.RegisterTool(tl); err != nil {
					t.Error(err)
				}
			}
			_ = api.RegisterMessageRenderer("note", func(m *session.CustomMessage, v extension.MessageView) extension.Component {
				return lines("NOTE "+ai.TextOf(m.Content, ""), fmt.Sprintf("unfolded %v", v.Expanded))
			})
			_ = api.RegisterMessageRenderer("badnote", func(*session.CustomMessage, extension.MessageView) extension.Component { panic("no note") })
			_ = api.RegisterEntryRenderer("mark", func(e *session.CustomEntry, _ extension.MessageView) extension.Component {
				return lines("MARK " + string(e.Data))
			})
			_ = api.RegisterMarkdownTransformer(func(s string, v extension.MarkdownView) string {
				if broken {
					panic("no text")
				}
				return strings.ReplaceAll(s, "secret", "[out by "+string(v.MessageType)+"]")
			})
			command(t, api, "say", func(ctx context.Context, _ *extension.CommandContext, what string) error {
				if what == "mark" {
					_, err := api.AppendEntry(ctx, "mark", map[string]int{"n": 1})
					return err
				}
				return api.Send(ctx, &session.CustomMessage{CustomType: what, Content: []ai.Block{&ai.Text{Text: "said " + what}}, Display: true}, extension.SendOptions{})
			})
		}))
		d.wait("faux")
		d.llm.Queue(faux.Calls(faux.Call("shown", map[string]any{"a": 1})), faux.Say("the secret is out"))
		d.keys("a secret", enter)
		d.wait("[out by user]", "[out by assistant]", "call of shown", "1 result, unfolded false")
		d.gone("Working")
		for _, m := range []string{"note", "other", "mark"} {
			d.keys("/say "+m, enter)
			d.wait(map[string]string{"note": "NOTE said note", "other": "said other", "mark": `MARK {"n":1}`}[m])
		}
		d.wait("unfolded false")
		d.golden(fmt.Sprintf("ext-render-%d", width))
		d.keys(ctrlO)
		d.wait("1 result, unfolded true")
		d.keys(ctrlO)
		d.llm.Queue(faux.Calls(faux.Call("bad", nil)), faux.Say("the end"))
		d.keys("on", enter)
		d.wait("the end", "plain result of bad", "tool bad: it panicked: no call", "result of bad: it panicked: no result")
		d.keys("/say badnote", enter)
		d.wait("said badnote", "message badnote: it panicked: no note")
	})
}

func TestShortcutsOfExtensions(t *testing.T) {
	t.Parallel()
	d := sit(t, 100, 30, within(func(api *extension.API) {
		for _, key := range []string{"ctrl+y", "ctrl+p", "alt+m", "nonsense+x"} {
			if err := api.RegisterShortcut(key, extension.Shortcut{Run: func(_ context.Context, x *extension.Context) error {
				x.UI().Notify("pressed "+key, extension.Warning)
				if key == "alt+m" {
					panic("broken shortcut")
				}
				return nil
			}}); err != nil {
				t.Error(err)
			}
		}
		command(t, api, "quit", func(context.Context, *extension.CommandContext, string) error { return nil })
	}))
	d.wait("ctrl+p of <inline:test> is not used", "kept for app.model.cycleForward", "ctrl+y of <inline:test> takes the place of tui.editor.yank",
		"nonsense+x of <inline:test> is not used", "command /quit of <inline:test> is not used")
	d.keys("\x19")
	d.wait("pressed ctrl+y")
	d.keys("\x1bm", "\x1bm")
	d.wait("pressed alt+m", "broken shortcut", "(2 times)")
	d.keys("\x10", "x")
	if s := d.wait("\nx"); strings.Contains(s, "pressed ctrl+p") {
		t.Errorf("a reserved key was taken:\n%s", s)
	}
}

func TestCompletionsAndKeysOfExtensions(t *testing.T) {
	t.Parallel()
	d := sit(t, 80, 24, within(func(api *extension.API) {
		if err := api.RegisterCommand("deploy", extension.Command{
			Description: "puts it there", Hint: "<where>",
			Complete: func(_ context.Context, prefix string) []extension.Suggestion {
				if prefix == "p" {
					panic("no suggestions")
				}
				return []extension.Suggestion{{Value: "staging"}, {Value: "production", Description: "careful"}}
			},
			Run: func(_ context.Context, x *extension.CommandContext, args string) error {
				s := x.UI().Screen()
				s.AddCompletion(extension.Completion{Triggers: "#", Suggest: func(_ context.Context, w extension.Written) (string, []extension.Suggestion) {
					before := w.Before()
					at := strings.LastIndex(before, "#")
					return before[at:], []extension.Suggestion{{Value: "#42", Label: "#42 the answer"}}
				}})
				s.OnKey(func(k extension.Key) bool {
					if k.ID == "f5" {
						x.UI().PasteToEditor("pasted")
						return true
					}
					return false
				})
				x.UI().Notify("ready for "+args+" after "+x.UI().EditorText(), extension.Info)
				return nil
			},
		}); err != nil {
			t.Error(err)
		}
	}))
	d.wait("faux")
	d.keys("/dep")
	d.wait("/deploy <where>", "puts it there")
	d.keys("loy ")
	d.wait("staging", "careful")
	d.keys("\x1b[B", enter, enter)
	d.wait("ready for production")
	d.keys("see #")
	d.wait("#42 the answer")
	d.keys(enter)
	d.gone("the answer")
	d.wait("see #42")
	d.keys("\x1b[15~")
	d.wait("see #42pasted")
}

func TestTheScreenAsExtensionsChangeIt(t *testing.T) {
	t.Parallel()
	step := make(chan error, 1)
	d := sit(t, 100, 30, within(func(api *extension.API) {
		command(t, api, "colour", func(_ context.Context, x *extension.CommandContext, name string) error {
			err := x.UI().Screen().SetTheme(name)
			x.UI().SetEditorText("text of the editor")
			step <- err
			return nil
		})
		command(t, api, "work", func(_ context.Context, x *extension.CommandContext, _ string) error {
			s := x.UI().Screen()
			s.SetWorking(extension.Working{Message: "Pondering", Frames: []string{"<>"}})
			s.SetHiddenThinkingLabel("(a secret thought)")
			return nil
		})
		command(t, api, "end", func(_ context.Context, x *extension.CommandContext, _ string) error {
			x.Shutdown()
			return nil
		})
	}))
	d.wait("faux")
	d.keys("/colour none", enter)
	if err := <-step; err == nil {
		t.Error("a theme that is not there was set")
	}
	d.wait("text of the editor")
	d.keys(ctrlC, "/colour light", enter)
	if err := <-step; err != nil {
		t.Error(err)
	}
	d.wait("text of the editor")
	d.keys(ctrlC, "/work", enter, ctrlT)
	hold := make(chan struct{})
	d.llm.Queue(faux.Response{Steps: []faux.Step{
		faux.Thinking("hm", ""), faux.Text("an answer"),
		func(ctx context.Context, _ *faux.Writer) error {
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return nil
		},
	}})
	d.keys("go", enter)
	d.wait("<> Pondering", "(a secret thought)")
	d.keys("/end", enter) // once it is idle
	close(hold)
	select {
	case err := <-d.ended:
		d.ended <- err
		if err != nil {
			t.Error(err)
		}
	case <-time.After(waitTime):
		t.Fatal("the program did not end")
	}
}
