package interactive

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
)

func TestExtensionsAskInLines(t *testing.T) {
	answers := make(chan string, 8)
	own := extension.Extension{Name: "test", Setup: func(_ context.Context, api *extension.API) error {
		api.Events.SessionStart.Listen(func(ctx context.Context, x *extension.Context, _ *extension.SessionStart) error {
			x.UI().Notify("hello", extension.Warning)
			answers <- fmt.Sprint(x.UI().Confirm(ctx, "Begin?", "It is safe.", extension.DialogOptions{}))
			return nil
		})
		return api.RegisterCommand("ask", extension.Command{Run: func(ctx context.Context, x *extension.CommandContext, what string) error {
			switch what {
			case "select":
				v, ok := x.UI().Select(ctx, "Which?", []string{"one", "two"}, extension.DialogOptions{})
				answers <- fmt.Sprintf("%s %v", v, ok)
			case "input":
				v, ok := x.UI().Input(ctx, "Name?", "your own", extension.DialogOptions{})
				answers <- fmt.Sprintf("%s %v", v, ok)
			case "late":
				v, ok := x.UI().Input(ctx, "Quick?", "", extension.DialogOptions{Timeout: time.Millisecond})
				answers <- fmt.Sprintf("%s %v", v, ok)
			case "aside":
				ui := x.UI()
				go func() {
					answers <- fmt.Sprint(ui.Confirm(context.Background(), "While you write?", "", extension.DialogOptions{}))
				}()
			case "panic":
				panic("broken")
			case "end":
				x.Shutdown()
			}
			return nil
		}})
	}}
	p := faux.New(faux.Config{})
	s, err := codingagent.NewSession(t.Context(), codingagent.Options{Dir: t.TempDir(), Models: ai.NewModels(p), Model: p.Model(), Extensions: []extension.Extension{own}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	faults := new(Faults)
	s.Extensions().OnFault(faults.Report)
	in, typed := io.Pipe()
	out := newScreen()
	ended := make(chan error, 1)
	go func() { ended <- Chat(t.Context(), s, Options{In: in, Out: out, Faults: faults}) }()
	say := func(line string) { _, _ = io.WriteString(typed, line+"\n") }
	answer := func(want string) {
		t.Helper()
		if got := <-answers; got != want {
			t.Errorf("the answer is %q, want %q", got, want)
		}
	}
	out.waitFor("yes or no: ")
	say("y")
	answer("true")
	say("/ask select")
	out.waitFor("  2. two\n1 to 2, or nothing to cancel: ")
	say("3")
	out.waitFor("\"3\" is none of them.")
	say("2")
	answer("two true")
	say("/ask input")
	out.waitFor("Name?\n(your own) > ")
	say("Ada")
	answer("Ada true")
	say("/ask late")
	answer(" false")
	say("/ask aside")
	out.waitFor("While you write?")
	say("no")
	answer("false")
	say("/ask panic")
	out.waitFor("Error: Extension test, command:ask: it panicked: broken")
	say("/ask end")
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if s := out.String(); !strings.Contains(s, "Warning: hello") || strings.Contains(s, "goroutine") {
		t.Errorf("the chat was\n%s", s)
	}
}
