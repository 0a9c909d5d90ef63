package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/rpc"
)

// with adds an extension.
func with(setup func(api *extension.API) error) func(*codingagent.Options, *rpc.Server) {
	return func(o *codingagent.Options, s *rpc.Server) {
		o.Extensions = append(o.Extensions, extension.Extension{Name: "test", Setup: func(_ context.Context, api *extension.API) error { return setup(api) }})
		o.OnFault = s.Fault
	}
}

func cmd(run func(ctx context.Context, x *extension.CommandContext, args string) error) extension.Command {
	return extension.Command{Description: "for tests", Run: run}
}

// question reads lines up to a question and gives it.
func (r *rig) question() map[string]any {
	r.t.Helper()
	for {
		l := r.next()
		if l.Type != "extension_ui_request" {
			continue
		}
		var q map[string]any
		if err := json.Unmarshal([]byte(l.raw), &q); err != nil {
			r.t.Fatal(err)
		}
		return q
	}
}

func (r *rig) wait(kind string) line {
	r.t.Helper()
	for {
		if l := r.next(); l.Type == kind {
			return l
		}
	}
}

func TestDialogsAreAskedAndAnswered(t *testing.T) {
	for _, c := range []struct {
		name, asked, answer string
		ask                 func(ctx context.Context, ui extension.UI) string
		want                string
	}{
		{
			"select", `map[method:select options:[a b] title:T type:extension_ui_request]`, `"value":"b"`,
			func(ctx context.Context, ui extension.UI) string {
				v, ok := ui.Select(ctx, "T", []string{"a", "b"}, extension.DialogOptions{})
				return fmt.Sprintf("%s %v", v, ok)
			}, "b true",
		},
		{"select, cancelled", `map[method:select options:[] title:T type:extension_ui_request]`, `"cancelled":true`, func(ctx context.Context, ui extension.UI) string {
			v, ok := ui.Select(ctx, "T", []string{}, extension.DialogOptions{})
			return fmt.Sprintf("%s %v", v, ok)
		}, " false"},
		{"confirm", `map[message:M method:confirm timeout:60000 title:T type:extension_ui_request]`, `"confirmed":true`, func(ctx context.Context, ui extension.UI) string {
			return fmt.Sprint(ui.Confirm(ctx, "T", "M", extension.DialogOptions{Timeout: time.Minute}))
		}, "true"},
		{"confirm, malformed", `map[message:M method:confirm title:T type:extension_ui_request]`, `"confirmed":"yes"`, func(ctx context.Context, ui extension.UI) string {
			return fmt.Sprint(ui.Confirm(ctx, "T", "M", extension.DialogOptions{}))
		}, "false"},
		{"input", `map[method:input placeholder:P title:T type:extension_ui_request]`, `"value":""`, func(ctx context.Context, ui extension.UI) string {
			v, ok := ui.Input(ctx, "T", "P", extension.DialogOptions{})
			return fmt.Sprintf("%s %v", v, ok)
		}, " true"},
		{"editor", `map[method:editor prefill:P title:T type:extension_ui_request]`, `"value":"two\nlines"`, func(ctx context.Context, ui extension.UI) string {
			v, ok := ui.Editor(ctx, "T", "P")
			return fmt.Sprintf("%s %v", v, ok)
		}, "two\nlines true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := make(chan string, 1)
			r := newRig(t, with(func(api *extension.API) error {
				return api.RegisterCommand("ask", cmd(func(ctx context.Context, x *extension.CommandContext, _ string) error {
					got <- c.ask(ctx, x.UI())
					return nil
				}))
			}))
			r.send(`{"id":1,"type":"prompt","message":"/ask"}`)
			q := r.question()
			id := q["id"]
			delete(q, "id")
			if fmt.Sprint(q) != c.asked {
				t.Errorf("asked %v, want %s", q, c.asked)
			}
			r.send(fmt.Sprintf(`{"type":"extension_ui_response","id":%q,%s}`, id, c.answer))
			l := r.wait("response")
			if l.short() != "1:prompt" || string(l.Data) != `{"disposition":"handled"}` {
				t.Errorf("got %s", l.raw)
			}
			if v := <-got; v != c.want {
				t.Errorf("the extension got %q, want %q", v, c.want)
			}
		})
	}
}

// A command that waits for a person does not keep others from being taken, even
// when the answer comes behind them.
func TestAnswersOvertakeCommands(t *testing.T) {
	r := newRig(t, with(func(api *extension.API) error {
		api.Events.SessionBeforeSwitch.Handle(func(ctx context.Context, x *extension.Context, _ *extension.BeforeSwitch) (*extension.Cancel, error) {
			return &extension.Cancel{Cancel: !x.UI().Confirm(ctx, "Leave?", "", extension.DialogOptions{})}, nil
		})
		return nil
	}))
	r.send(`{"id":1,"type":"new_session"}`, `{"id":2,"type":"get_state"}`)
	q := r.question()
	if l := r.wait("response"); l.short() != "2:get_state" {
		t.Errorf("got %s", l.raw)
	}
	r.send(`{"id":3,"type":"get_state"}`, fmt.Sprintf(`{"type":"extension_ui_response","id":%q,"confirmed":false}`, q["id"]))
	var got []string
	for range 2 {
		l := r.wait("response")
		got = append(got, l.short()+" "+map[bool]string{true: string(l.Data)}[l.Command == "new_session"])
	}
	slices.Sort(got)
	if want := []string{`1:new_session {"cancelled":true}`, "3:get_state "}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDialogsEndWithTheirTimeAndWithTheInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := make(chan bool, 2)
		r := newRig(t, with(func(api *extension.API) error {
			return api.RegisterCommand("ask", cmd(func(ctx context.Context, x *extension.CommandContext, args string) error {
				var o extension.DialogOptions
				if args == "soon" {
					o.Timeout = time.Second
				}
				got <- x.UI().Confirm(ctx, "T", "", o)
				return nil
			}))
		}))
		r.send(`{"id":1,"type":"prompt","message":"/ask soon"}`)
		q := r.question()
		if l := r.wait("extension_ui_dismissed"); !strings.Contains(l.raw, fmt.Sprint(q["id"])) {
			t.Errorf("got %s", l.raw)
		}
		r.wait("response")
		// A late answer is nobody's.
		r.send(fmt.Sprintf(`{"type":"extension_ui_response","id":%q,"confirmed":true}`, q["id"]), `{"id":2,"type":"prompt","message":"/ask"}`)
		r.question()
		if err := r.in.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(r.out); err != nil {
			t.Fatal(err)
		}
		if err := <-r.ended; err != nil {
			t.Error(err)
		}
		if a, b := <-got, <-got; a || b {
			t.Errorf("answers %v, %v", a, b)
		}
	})
}

func TestWhatExtensionsShowFaultsAndShutdown(t *testing.T) {
	r := newRig(t, with(func(api *extension.API) error {
		api.Events.SessionStart.Listen(func(_ context.Context, x *extension.Context, _ *extension.SessionStart) error {
			if x.Mode() != extension.ModeRPC || !x.HasUI() || x.UI().Screen() != nil || x.UI().EditorText() != "" {
				return errors.New("the mode is wrong")
			}
			ui := x.UI()
			ui.Notify("hello", extension.Warning)
			ui.SetStatus("k", "busy")
			ui.SetStatus("k", "")
			ui.SetWidget("w", extension.Widget{Lines: []string{"1", "2"}, Placement: extension.BelowEditor})
			ui.SetWidget("w", extension.Widget{})
			ui.SetWidget("c", extension.Widget{Component: func(extension.Theme) extension.Component { return nil }})
			ui.SetTitle("title")
			ui.SetEditorText("")
			return nil
		})
		return errors.Join(
			api.RegisterCommand("fail", cmd(func(context.Context, *extension.CommandContext, string) error { return errors.New("broken") })),
			api.RegisterCommand("end", cmd(func(_ context.Context, x *extension.CommandContext, _ string) error { x.Shutdown(); return nil })),
		)
	}))
	var got []string
	for range 7 {
		q := r.question()
		delete(q, "id")
		delete(q, "type")
		got = append(got, fmt.Sprint(q))
	}
	if want := []string{
		"map[message:hello method:notify notifyType:warning]",
		"map[method:setStatus statusKey:k statusText:busy]", "map[method:setStatus statusKey:k]",
		"map[method:setWidget widgetKey:w widgetLines:[1 2] widgetPlacement:belowEditor]", "map[method:setWidget widgetKey:w]",
		"map[method:setTitle title:title]", "map[method:set_editor_text text:]",
	}; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	r.model.Queue(faux.Say("unused"))
	r.send(`{"id":1,"type":"prompt","message":"/fail"}`)
	if l := r.wait("extension_error"); l.raw != `{"type":"extension_error","extensionPath":"<inline:test>","event":"command:fail","error":"broken"}` {
		t.Errorf("got %s", l.raw)
	}
	if l := r.wait("response"); string(l.Data) != `{"disposition":"handled"}` {
		t.Errorf("got %s", l.raw)
	}
	r.send(`{"id":2,"type":"get_commands"}`)
	if l := r.wait("response"); !strings.Contains(l.raw, `{"name":"fail","description":"for tests","source":"extension"`) {
		t.Errorf("got %s", l.raw)
	}
	r.send(`{"id":3,"type":"prompt","message":"/end"}`)
	if l := r.wait("response"); l.short() != "3:prompt" {
		t.Errorf("got %s", l.raw)
	}
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
}

// A question of a session that is over is taken back.
func TestDialogsEndWithTheirSession(t *testing.T) {
	got := make(chan bool, 1)
	r := newRig(t, with(func(api *extension.API) error {
		return api.RegisterCommand("ask", cmd(func(ctx context.Context, x *extension.CommandContext, _ string) error {
			got <- x.UI().Confirm(ctx, "T", "", extension.DialogOptions{})
			return nil
		}))
	}))
	r.send(`{"id":1,"type":"prompt","message":"/ask"}`)
	q := r.question()
	r.send(`{"id":2,"type":"new_session"}`)
	if l := r.wait("extension_ui_dismissed"); !strings.Contains(l.raw, fmt.Sprint(q["id"])) {
		t.Errorf("got %s", l.raw)
	}
	if <-got {
		t.Error("it counts as confirmed")
	}
}

// Only the first answer to a question counts, whatever else comes under its id, and
// what comes under another id is nobody's.
func TestAnswersThatNobodyWaitsFor(t *testing.T) {
	got := make(chan string, 2)
	r := newRig(t, with(func(api *extension.API) error {
		return api.RegisterCommand("ask", cmd(func(ctx context.Context, x *extension.CommandContext, _ string) error {
			for range 2 {
				v, ok := x.UI().Input(ctx, "T", "", extension.DialogOptions{})
				got <- fmt.Sprintf("%s %v", v, ok)
			}
			return nil
		}))
	}))
	answer := func(id any, value string) string {
		return fmt.Sprintf(`{"type":"extension_ui_response","id":%q,"value":%q}`, id, value)
	}
	r.send(`{"id":1,"type":"prompt","message":"/ask"}`)
	first := r.question()["id"]
	r.send(answer("nobody", "stray"), answer(first, "one"), answer(first, "double"), `{"type":"extension_ui_response"}`)
	second := r.question()["id"]
	r.send(answer(first, "late"), answer(second, "two"), answer(second, "double"), `{"id":2,"type":"get_state"}`)
	if a, b := <-got, <-got; a != "one true" || b != "two true" {
		t.Errorf("got %q and %q", a, b)
	}
	for range 2 {
		if l := r.wait("response"); !l.Success {
			t.Errorf("got %s", l.raw)
		}
	}
	r.close()
}
