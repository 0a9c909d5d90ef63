//go:build unix

package interactive_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui/tuitest"
)

// screenOf gives the screen of the session that begins.
func screenOf(api *extension.API, screen chan<- extension.Screen) {
	api.Events.SessionStart.Listen(func(_ context.Context, x *extension.Context, _ *extension.SessionStart) error {
		screen <- x.UI().Screen()
		return nil
	})
}

// told waits until a screen has done what it was told: it does one after the other.
func told(d *desk, s extension.Screen) {
	d.t.Helper()
	s.SetHeader(func(extension.Surface) extension.Component {
		return extension.Lines(func(int) []string { return []string{"the last of all"} })
	})
	d.wait("the last of all")
	s.SetHeader(nil)
	d.gone("the last of all")
}

func TestKeysAreRewritten(t *testing.T) {
	screen := make(chan extension.Screen, 1)
	d := sit(t, 60, 14, within(func(api *extension.API) { screenOf(api, screen) }))
	s := <-screen
	swap := s.RewriteKeys(func(k extension.Key) []extension.Key {
		switch k.ID {
		case "q":
			return nil
		case "a":
			return []extension.Key{{ID: "b"}, {ID: "left"}, {Text: "two words"}}
		case "b": // it does not see its own
			return []extension.Key{{ID: "a"}}
		case "z":
			panic("no key")
		case "y":
			return []extension.Key{{ID: "no such key"}, k}
		}
		return []extension.Key{k}
	})
	s.OnKey(func(k extension.Key) bool { return k.Text == "x" })
	told(d, s)
	d.keys("1qaxzyB2")
	d.wait("1two wordszyB2b", "no such key", "it panicked")
	swap()
	told(d, s)
	d.keys("\x03", "qaz")
	d.wait("qaz")
}

func TestThemesOfExtensions(t *testing.T) {
	screen := make(chan extension.Screen, 4)
	d := sit(t, 60, 14, within(func(api *extension.API) {
		api.Events.SessionStart.Listen(func(_ context.Context, x *extension.Context, _ *extension.SessionStart) error {
			s := x.UI().Screen()
			s.SetFooter(func(on extension.Surface, _ extension.FooterFacts) extension.Component {
				return extension.Lines(func(int) []string { return []string{"theme: " + on.Theme().Name() + "."} })
			})
			screen <- s
			return nil
		})
	}))
	s := <-screen
	d.wait("theme: dark.")
	names := s.Themes()
	if len(names) < 5 || names[0] != (extension.ThemeInfo{Name: "system"}) {
		t.Errorf("the themes are %v", names)
	}
	if _, ok := s.NamedTheme("no such"); ok {
		t.Error("there is a theme that nobody has")
	}
	light, ok := s.NamedTheme("light")
	if !ok || light.Name() != "light" || light.Dark() || light.Foreground("accent", "x") == s.Theme().Foreground("accent", "x") {
		t.Errorf("the light theme is %v %q", ok, light.Name())
	}
	if err := s.UseTheme(light); err != nil {
		t.Fatal(err)
	}
	d.wait("theme: light.")
	own, err := s.ParseTheme([]byte(strings.Replace(themeFile(t), `"dark"`, `"mine"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.UseTheme(own); err != nil {
		t.Fatal(err)
	}
	d.wait("theme: mine.")
	if _, err := s.ParseTheme([]byte(`{`)); err == nil {
		t.Error("a broken file is a theme")
	}
	if err := s.UseTheme(nil); err == nil {
		t.Error("nothing is a theme")
	}
	if err := d.runtime.New(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	s = <-screen
	d.wait("theme: dark.") // it was not kept
	if err := s.SetTheme("light"); err != nil {
		t.Fatal(err)
	}
	d.wait("theme: light.")
}

// themeFile gives a theme file.
func themeFile(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "tui", "theme", "dark.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFooterHearsOfTheBranch(t *testing.T) {
	var changes atomic.Int32
	facts := make(chan extension.FooterFacts, 1)
	screen := make(chan extension.Screen, 1)
	d := sit(t, 60, 14, within(func(api *extension.API) {
		api.Events.SessionStart.Listen(func(_ context.Context, x *extension.Context, _ *extension.SessionStart) error {
			x.UI().Screen().SetFooter(func(on extension.Surface, f extension.FooterFacts) extension.Component {
				f.OnBranchChange(func() {
					changes.Add(1)
					on.Redraw()
				})
				f.OnBranchChange(func() { t.Error("a removed listener was told") })()
				facts <- f
				return extension.Lines(func(int) []string { return []string{fmt.Sprintf("on %q, %d changes.", f.Branch(), changes.Load())} })
			})
			screen <- x.UI().Screen()
			return nil
		})
	}))
	s := <-screen
	d.wait(`on "", 0 changes.`)
	on := func(branch string) {
		t.Helper()
		head := filepath.Join(d.home, "work", ".git", "HEAD")
		if err := os.MkdirAll(filepath.Dir(head), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(head, []byte("ref: refs/heads/"+branch+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		d.llm.Queue(faux.Say("an answer"))
		d.keys("go on", "\r")
	}
	on("one")
	d.wait(`on "one", 1 changes.`)
	s.SetFooter(nil)
	d.gone("changes.")
	on("two")
	d.wait("two")
	if n := changes.Load(); n != 1 {
		t.Errorf("the footer that is gone was told of %d changes", n)
	}
}

func TestAnEditorIsDressedByAnother(t *testing.T) {
	screen := make(chan extension.Screen, 2)
	d := sit(t, 60, 14, within(func(api *extension.API) { screenOf(api, screen) }))
	s := <-screen
	if s.EditorShown() != nil {
		t.Error("the program's own editor is said to be an extension's")
	}
	s.SetEditor(func(_ extension.Surface, own extension.Editor) extension.Component {
		return extension.Lines(func(width int) []string { return append(own.Lines(width), "[inner]") })
	})
	before := s.EditorShown()
	s.SetEditor(func(on extension.Surface, own extension.Editor) extension.Component {
		inner := before(on, own)
		return extension.Lines(func(width int) []string { return append([]string{"[outer]"}, inner.Render(width)...) })
	})
	d.wait("[outer]", "[inner]")
	s.SetEditor(nil)
	d.gone("[outer]")
	if s.EditorShown() != nil {
		t.Error("an editor that was taken away is still given")
	}
	s.SetEditor(func(extension.Surface, extension.Editor) extension.Component {
		return extension.Lines(func(int) []string { return []string{"[last]"} })
	})
	d.wait("[last]")
	if err := d.runtime.New(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if s.EditorShown() != nil || (<-screen).EditorShown() != nil {
		t.Error("the editor of an earlier session is given")
	}
}

func TestABlockedProgramSaysSo(t *testing.T) {
	begun := make(chan *extension.Blocked, 4)
	finish := make(chan func(any), 2)
	d := sitWith(t, 60, 14, func(s *settings.Settings) { s.Terminal.ShowTerminalStatus = true }, within(func(api *extension.API) {
		api.Events.UIPromptStart.Listen(func(_ context.Context, _ *extension.Context, ev *extension.UIPrompt) error {
			begun <- ev.Blocked
			return nil
		})
		command(t, api, "ask", func(ctx context.Context, x *extension.CommandContext, how string) error {
			o := extension.CustomOptions{Overlay: how == "over"}
			if how != "idle" {
				o.Blocked = &extension.Blocked{Kind: extension.BlockedByPermission, Message: "may it?"}
			}
			_, err := x.UI().Screen().Custom(ctx, func(_ extension.Surface, done func(any)) extension.Component {
				finish <- done
				return extension.Lines(func(int) []string { return []string{"ASKING " + how} })
			}, o)
			return err
		})
	}))
	shown := func(want string) {
		t.Helper()
		d.until("progress "+want, func(string) bool {
			got := ""
			d.tty.With(func(tt *tuitest.Terminal) { got = tt.Progress() })
			return strings.HasPrefix(got, want) && (want != "" || got == "")
		})
	}
	for _, how := range []string{"over", "here", "idle"} {
		d.keys("/ask "+how, "\r")
		d.wait("ASKING " + how)
		blocked := <-begun
		if how == "idle" {
			shown("")
			if blocked != nil {
				t.Errorf("%s: blocked by %v", how, blocked)
			}
		} else {
			shown("4")
			if blocked == nil || blocked.Kind != extension.BlockedByPermission || blocked.Message != "may it?" {
				t.Errorf("%s: blocked by %v", how, blocked)
			}
		}
		(<-finish)(nil)
		d.gone("ASKING")
		shown("")
	}
}

func TestSuggestionsThatAnExtensionPutsIn(t *testing.T) {
	screen := make(chan extension.Screen, 1)
	d := sit(t, 60, 16, within(func(api *extension.API) { screenOf(api, screen) }))
	s := <-screen
	s.AddCompletion(extension.Completion{
		Triggers: "#",
		Suggest: func(_ context.Context, w extension.Written) (string, []extension.Suggestion) {
			before := w.Before()
			return before[strings.LastIndex(before, "#"):], []extension.Suggestion{{Value: "42", Label: "the answer"}, {Value: "bad", Label: "the failure"}}
		},
		Apply: func(w extension.Written, prefix string, chosen extension.Suggestion) extension.Written {
			if chosen.Value == "bad" {
				panic("no text")
			}
			line := w.Lines[w.Row]
			start := w.Column - len(prefix)
			w.Lines[w.Row] = line[:start] + "[" + chosen.Value + "]" + line[w.Column:]
			w.Lines = append([]string{"issue " + chosen.Value + ":"}, w.Lines...)
			w.Row, w.Column = w.Row+1, start+1
			return w
		},
	})
	told(d, s)
	paste := "\x1b[200~" + strings.Repeat("a long paste\n", 20) + "\x1b[201~"
	d.keys("äé ", paste, " see now #")
	d.wait("the answer")
	d.keys("\r")
	d.gone("the answer")
	d.keys("X")
	d.wait("issue 42:", "see now [X42]")
	d.keys("\x7f", "\x1b[F", " #")
	d.wait("the failure")
	d.keys("\x1b[B", "\r")
	d.wait("[42] bad", "it panicked")
	d.llm.Queue(faux.Say("an answer"))
	d.keys("\r")
	d.wait("an answer", "a long paste") // it is still whole
}

// counted is a component that knows how often it was made and drawn.
type counted struct {
	made   int
	lines  func(width int) []string
	closed *atomic.Int32
}

// Close counts.
func (c *counted) Close() { c.closed.Add(1) }

func (c *counted) Render(width int) []string { return c.lines(width) }

func TestWhatRenderersOfToolsKnow(t *testing.T) {
	redraw := make(chan func(), 64)
	var closed, version atomic.Int32
	d := sit(t, 60, 40, within(func(api *extension.API) {
		tool := extension.Tool{
			Tool: agentcore.Tool{Name: "framed", Description: "x", Parameters: json.RawMessage(`{"type":"object"}`)},
			Execute: func(context.Context, *extension.Context, agentcore.ToolCall, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
				return agentcore.ErrorResult("bad"), nil
			},
			OwnFrame: true,
		}
		tool.RenderCall = func(v extension.ToolView) extension.Component {
			shown, again := v.Last.(*counted)
			if !again {
				shown = &counted{closed: &closed}
			}
			n, _ := v.State["calls"].(int)
			v.State["calls"] = n + 1
			shown.made++
			line := fmt.Sprintf("|call made %v in %s pad %d started %v closed %d", shown.made == n+1, filepath.Base(v.Dir), v.Padding, v.Started, closed.Load())
			shown.lines = func(width int) []string { return []string{line, strings.Repeat("=", width)} }
			return shown
		}
		tool.RenderResult = func(v extension.ToolView, _ agentcore.ToolResult) extension.Component {
			select {
			case redraw <- v.Redraw:
			default:
			}
			marked := v.State["marked"] != nil
			v.State["marked"] = true
			text := fmt.Sprintf("|failed %v partial %v images %v, %s unfolds, again %v, calls %v, version %d", v.Failed, v.Partial, v.Images, v.KeyText("app.tools.expand"), marked, v.State["calls"] != nil, version.Load())
			return extension.Lines(func(int) []string { return []string{text[:50], text[50:]} })
		}
		if err := api.RegisterTool(tool); err != nil {
			t.Error(err)
		}
		_ = api.RegisterToolRenderer(func(name string, next extension.ToolRenderers) *extension.ToolRenderers {
			if name != "framed" {
				return nil
			}
			if next.Call == nil || !next.OwnFrame {
				t.Error("what the tool itself has is not given")
			}
			return &extension.ToolRenderers{OwnFrame: true, Call: func(v extension.ToolView) extension.Component { return next.Call(v) }}
		})
		_ = api.RegisterMessageRenderer("note", func(_ *session.CustomMessage, v extension.MessageView) extension.Component {
			return extension.Lines(func(int) []string {
				return []string{fmt.Sprintf("NOTE pad %d, %s", v.Padding, v.KeyText("app.tools.expand"))}
			})
		})
		command(t, api, "say", func(ctx context.Context, _ *extension.CommandContext, _ string) error {
			return api.Send(ctx, &session.CustomMessage{CustomType: "note", Content: []ai.Block{&ai.Text{Text: "x"}}, Display: true}, extension.SendOptions{})
		})
	}))
	d.llm.Queue(faux.Calls(faux.Call("framed", map[string]any{})), faux.Say("an answer"))
	d.keys("go", "\r")
	s := d.wait("an answer", "call made true in work pad 1 started true", "failed true partial false images true, ctrl+o")
	for _, line := range strings.Split(s, "\n") {
		if strings.Contains(line, "|call") && !strings.HasPrefix(line, "|call") {
			t.Errorf("a card with a frame of its own has a margin: %q", line)
		}
	}
	if !strings.Contains(s, strings.Repeat("=", 60)) && !strings.Contains(s, strings.Repeat("=", 59)) {
		t.Errorf("a card with a frame of its own has not the whole width:\n%s", s)
	}
	for n := range int32(3) { // which nobody knows without being told
		version.Store(n + 1)
		(<-redraw)()
		d.wait(fmt.Sprintf("again true, calls true, version %d", n+1), "call made true", "closed 0")
	}
	d.keys("/say", "\r")
	d.wait("NOTE pad 1, ctrl+o")
}
