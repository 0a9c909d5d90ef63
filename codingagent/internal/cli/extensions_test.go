package cli

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/models"
)

func TestExtensionsOfTheProgram(t *testing.T) {
	plan := func(seen *any) extension.Extension {
		return extension.Extension{Name: "plan", Setup: func(_ context.Context, api *extension.API) error {
			api.Events.SessionStart.Listen(func(_ context.Context, x *extension.Context, _ *extension.SessionStart) error {
				*seen = api.Flag("plan-file")
				if x.Mode() == extension.ModeJSON {
					return nil
				}
				panic("a broken listener")
			})
			return errors.Join(
				api.RegisterFlag("plan-file", extension.Flag{Description: "where the plan is", Text: true}),
				api.RegisterFlag("careful", extension.Flag{Description: "asks more"}),
			)
		}}
	}
	for _, tc := range []struct {
		name, args     string
		code           int
		out, err, seen string
		load           bool
	}{
		{name: "help", args: "--help", out: "--plan-file TEXT                   where the plan is"},
		{name: "a value", args: "-p --careful --plan-file=a.md hello", seen: "a.md", err: "Warning: Extension plan, session_start: it panicked: a broken listener\n"},
		{name: "a value behind", args: "-p hello --plan-file b.md --mode json", seen: "b.md", out: `"type":"agent_settled"`},
		{name: "no value", args: "-p hello --plan-file", code: 1, err: "option --plan-file needs a value: --plan-file TEXT"},
		{name: "a near name", args: "-p hello --plan-fil x", code: 1, err: "unknown option --plan-fil (did you mean --plan-file?)"},
		{name: "left out", args: "-p hello --no-extensions"},
		{name: "left out but used", args: "-p hello -ne --careful", code: 1, err: "--no-extensions leaves out what has --careful"},
		{name: "a script", args: "-p hello -e gate.ts", code: 1, err: "--extension gate.ts: this pi can not run extensions from files"},
		{name: "a script that can be run", args: "-p hello -ne -e gate.ts", load: true, err: "Warning: Extension gate.ts, setup: it has no Setup\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var seen any
			var out, errs bytes.Buffer
			home := t.TempDir()
			sys := &System{
				In: strings.NewReader(""), Out: &out, Err: &errs, Dir: home, Home: home,
				Env:       func(string) string { return "" },
				Providers: []ai.Provider{codingagent.DemoProvider(0)}, Extensions: []extension.Extension{plan(&seen)},
			}
			if tc.load {
				sys.LoadExtension = func(_ context.Context, name string) (extension.Extension, error) {
					return extension.Extension{Name: name}, nil
				}
			}
			args := append([]string{"--no-session", "--model", "demo/guide"}, strings.Fields(tc.args)...)
			if code := Run(t.Context(), args, sys); code != tc.code {
				t.Errorf("the code is %d, want %d: %s", code, tc.code, errs.String())
			}
			if !strings.Contains(out.String(), tc.out) {
				t.Errorf("the output lacks %q:\n%s", tc.out, out.String())
			}
			if e := errs.String(); !strings.Contains(e, tc.err) || tc.err == "" && e != "" {
				t.Errorf("standard error is %q, want %q", e, tc.err)
			}
			if tc.seen != "" && seen != tc.seen {
				t.Errorf("the extension got %v, want %q", seen, tc.seen)
			}
		})
	}
}

// Models of extensions can be named and are listed, and they are the session's own then:
// what an extension takes back is gone.
func TestModelsOfExtensionsCanBeChosen(t *testing.T) {
	vendor := func() *faux.Provider {
		p := faux.New(faux.Config{ID: "house"})
		p.Queue(faux.Say("from the house"))
		return p
	}
	var after ai.Provider
	house := extension.Extension{Name: "house", Setup: func(_ context.Context, api *extension.API) error {
		api.Events.AgentSettled.Listen(func(_ context.Context, x *extension.Context, _ *extension.AgentSettled) error {
			err := api.UnregisterProvider("house")
			after = x.Models().Provider("house")
			return err
		})
		p := vendor()
		return errors.Join(api.RegisterProvider(p), api.RegisterVirtualModel(models.VirtualModel{
			Provider: "anybody", ID: "whoever",
			Route: func(context.Context, models.RouteRequest) (models.Route, error) {
				return models.Route{Dispatch: models.Dispatch{Model: p.Model()}}, nil
			},
		}))
	}}
	model := vendor().Model().Ref()
	for _, tc := range []struct {
		args, out string
		code      int
	}{
		{args: "-p --model " + model + " hello", out: "from the house\n"},
		{args: "-p --models house/* hello", out: "from the house\n"},
		{args: "-p --model anybody/whoever hello", out: "from the house\n"},
		{args: "--list-models whoever", out: "whoever"},
		{args: "models list any", out: "whoever"},
		{args: "auth check --provider house", out: ""},
		{args: "-p --no-extensions --model " + model + " hello", code: 1},
	} {
		t.Run(tc.args, func(t *testing.T) {
			after = faux.New(faux.Config{})
			var out, errs bytes.Buffer
			home := t.TempDir()
			sys := &System{
				In: strings.NewReader(""), Out: &out, Err: &errs, Dir: home, Home: home, Env: func(string) string { return "" },
				Providers: []ai.Provider{codingagent.DemoProvider(0)}, Extensions: []extension.Extension{house},
			}
			if code := Run(t.Context(), strings.Fields(tc.args), sys); code != tc.code || !strings.Contains(out.String(), tc.out) {
				t.Errorf("code %d, output %q, standard error %q", code, out.String(), errs.String())
			}
			if tc.code == 0 && errs.Len() > 0 {
				t.Errorf("standard error has %q", errs.String())
			}
			if strings.HasPrefix(tc.args, "-p --model "+model) && after != nil {
				t.Error("the vendor is still there")
			}
		})
	}
}

// What an extension does itself needs no answer, and what is said after it is answered.
func TestCommandsOfExtensionsInPrint(t *testing.T) {
	ran := 0
	count := extension.Extension{Name: "count", Setup: func(_ context.Context, api *extension.API) error {
		return api.RegisterCommand("count", extension.Command{Run: func(context.Context, *extension.CommandContext, string) error {
			ran++
			return nil
		}})
	}}
	for _, tc := range []struct {
		args []string
		out  string
	}{
		{[]string{"/count"}, ""},
		{[]string{"/count", "help"}, "demo"},
		{[]string{"help", "/count"}, ""},
	} {
		ran = 0
		var out, errs bytes.Buffer
		home := t.TempDir()
		sys := &System{
			In: strings.NewReader(""), Out: &out, Err: &errs, Dir: home, Home: home, Env: func(string) string { return "" },
			Providers: []ai.Provider{codingagent.DemoProvider(0)}, Extensions: []extension.Extension{count},
		}
		code := Run(t.Context(), append([]string{"-p", "--no-session", "--model", "demo/guide"}, tc.args...), sys)
		if code != 0 || ran != 1 || errs.Len() > 0 || !strings.Contains(out.String(), tc.out) || tc.out == "" && out.Len() > 0 {
			t.Errorf("%q: code %d, ran %d times, output %q, standard error %q", tc.args, code, ran, out.String(), errs.String())
		}
	}
}
