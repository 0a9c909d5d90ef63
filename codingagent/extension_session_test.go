package codingagent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/models"
)

func TestReplacingASessionTellsExtensionsAndMakesTheOldOnesStale(t *testing.T) {
	var l journal
	var apis []*extension.API
	p := faux.New(faux.Config{})
	cancel := false
	dir := t.TempDir()
	rt, err := codingagent.NewRuntime(t.Context(), codingagent.Options{
		Dir: dir, Models: ai.NewModels(p), Model: p.Model(), Environ: os.Environ(),
		OnFault: func(f *extension.Fault) { t.Errorf("fault: %v", f) },
		Extensions: []extension.Extension{inline("test", func(api *extension.API) error {
			n := len(apis)
			apis = append(apis, api)
			api.Events.SessionStart.Listen(func(_ context.Context, _ *extension.Context, ev *extension.SessionStart) error {
				l.add("%d start %s", n, ev.Reason)
				return nil
			})
			api.Events.SessionShutdown.Listen(func(_ context.Context, x *extension.Context, ev *extension.SessionShutdown) error {
				l.add("%d shutdown %s %v", n, ev.Reason, x.Err())
				return nil
			})
			api.Events.SessionBeforeSwitch.Handle(func(_ context.Context, _ *extension.Context, ev *extension.BeforeSwitch) (*extension.Cancel, error) {
				l.add("%d before %s", n, ev.Reason)
				return &extension.Cancel{Cancel: cancel}, nil
			})
			return nil
		})},
	}, session.NewMemory())
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close(context.Background())
	rt.Start(t.Context())
	cancel = true
	if err := rt.New(t.Context(), ""); !errors.Is(err, codingagent.ErrCancelled) {
		t.Errorf("a cancelled replacement: %v", err)
	}
	cancel = false
	if err := rt.New(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	want := []string{"0 start startup", "0 before new", "0 before new", "0 shutdown new <nil>", "1 start new"}
	if diff := cmp.Diff(want, l.take()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := apis[0].SetSessionName(t.Context(), "x"); !errors.Is(err, extension.ErrStale) {
		t.Errorf("acting on the old session: %v", err)
	}
	if err := apis[0].RegisterTool(echo()); !errors.Is(err, extension.ErrStale) {
		t.Errorf("registering on the old session: %v", err)
	}
	if err := apis[1].SetSessionName(t.Context(), "x"); err != nil {
		t.Error(err)
	}
}

func TestReloadSetsExtensionsUpAnewAndKeepsActiveTools(t *testing.T) {
	var l journal
	round := 0
	r := with(t, func(api *extension.API) error {
		round++
		watch(&l, api)
		tool := echo()
		tool.Name = fmt.Sprintf("echo%d", round)
		return errors.Join(api.RegisterTool(tool), api.RegisterTool(echo()))
	})
	r.Start(t.Context())
	r.SetActiveTools([]string{"read", "echo"})
	l.take()
	if err := r.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"session_shutdown reload", "session_start reload", "resources_discover reload"}, l.take()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, want := r.ActiveTools(), []string{"read", "echo", "echo2"}; !slices.Equal(got, want) {
		t.Errorf("active tools %q, want %q", got, want)
	}
}

func TestToolsRegisteredLateAreOffered(t *testing.T) {
	var api *extension.API
	r := with(t, func(a *extension.API) error { api = a; return nil })
	r.model.Queue(faux.Say("1"), faux.Say("2"))
	r.prompt("a")
	if err := api.RegisterTool(echo()); err != nil {
		t.Fatal(err)
	}
	hidden := echo()
	hidden.Name, hidden.Exposure = "hidden", extension.ExposeHidden
	inactive := echo()
	inactive.Name, inactive.Inactive = "inactive", true
	if err := errors.Join(api.RegisterTool(hidden), api.RegisterTool(inactive)); err != nil {
		t.Fatal(err)
	}
	r.prompt("b")
	_, prompt := r.request(1)
	var names []string
	for _, tool := range prompt.Tools {
		names = append(names, tool.Name)
	}
	if want := []string{"read", "bash", "edit", "write", "echo"}; !slices.Equal(names, want) {
		t.Errorf("the model was offered %q, want %q", names, want)
	}
	if !strings.Contains(prompt.Text, "- echo: says it again") {
		t.Errorf("the prompt does not list the tool:\n%s", prompt.Text)
	}
	if err := api.SetActiveTools([]string{"hidden", "inactive", "nonsense"}); err != nil {
		t.Fatal(err)
	}
	if got, want := r.ActiveTools(), []string{"inactive"}; !slices.Equal(got, want) {
		t.Errorf("active tools %q, want %q", got, want)
	}
}

func TestProvidersOfExtensionsGoWithTheSession(t *testing.T) {
	own, other := faux.New(faux.Config{}), faux.New(faux.Config{})
	models := ai.NewModels(own)
	s, err := codingagent.NewSession(t.Context(), codingagent.Options{
		Dir: t.TempDir(), Models: models, Model: own.Model(),
		Extensions: []extension.Extension{inline("vendor", func(api *extension.API) error { return api.RegisterProvider(other) })},
	})
	if err != nil {
		t.Fatal(err)
	}
	if models.Provider(own.ID()) != ai.Provider(other) {
		t.Error("the provider is not in force")
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if models.Provider(own.ID()) != ai.Provider(own) {
		t.Error("the provider that was there before is not back")
	}
}

func TestExtensionsDecideOnCompactions(t *testing.T) {
	var l journal
	r := with(t, func(api *extension.API) error {
		api.Events.SessionBeforeCompact.Handle(func(_ context.Context, _ *extension.Context, ev *extension.BeforeCompact) (*extension.CompactDecision, error) {
			l.add("before %s %q", ev.Reason, ev.Focus)
			if ev.Focus == "no" {
				return &extension.CompactDecision{Cancel: true}, nil
			}
			return &extension.CompactDecision{Entry: &session.CompactionEntry{Summary: "we talked", FirstKept: ev.Preparation.FirstKept}}, nil
		})
		api.Events.SessionCompact.Listen(func(_ context.Context, _ *extension.Context, ev *extension.Compacted) error {
			l.add("compacted %q %v", ev.Entry.Summary, ev.FromExtension)
			return nil
		})
		api.Events.SessionCompactFailed.Listen(func(_ context.Context, _ *extension.Context, ev *extension.CompactFailed) error {
			l.add("failed %s", ev.Reason)
			return nil
		})
		return nil
	})
	r.model.Queue(faux.Say(strings.Repeat("long ", 30_000)), faux.Say("short"))
	r.prompt("a")
	r.prompt("b")
	if _, err := r.Compact(t.Context(), "no"); !errors.Is(err, harness.ErrCancelled) {
		t.Errorf("a cancelled compaction: %v", err)
	}
	if _, err := r.Compact(t.Context(), "yes"); err != nil {
		t.Error(err)
	}
	want := []string{`before manual "no"`, "failed manual", `before manual "yes"`, `compacted "we talked" true`}
	if diff := cmp.Diff(want, l.take()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVirtualModelsOfExtensionsGoWithTheSession(t *testing.T) {
	p := faux.New(faux.Config{})
	runtime, faults := models.New(t.Context(), models.Config{Providers: []ai.Provider{p}})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	router := inline("router", func(api *extension.API) error {
		if err := api.RegisterVirtualModel(models.VirtualModel{Provider: "router", ID: "none"}); err == nil {
			return errors.New("a model without a Route was accepted")
		}
		return api.RegisterVirtualModel(models.VirtualModel{Provider: "router", ID: "auto", Route: func(context.Context, models.RouteRequest) (models.Route, error) {
			return models.Route{Dispatch: models.Dispatch{Model: p.Model()}}, nil
		}})
	})
	s, err := codingagent.NewSession(t.Context(), codingagent.Options{
		Dir: t.TempDir(), Models: runtime.Models, ModelRuntime: runtime, Model: p.Model(), Extensions: []extension.Extension{router},
		OnFault: func(f *extension.Fault) { t.Errorf("fault: %v", f) },
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := runtime.Models.Model("router", "auto")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.SetModel(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	p.Queue(faux.Say("routed"))
	got, err := s.Prompt(t.Context(), codingagent.Prompt{Text: "hi"}, codingagent.PromptOptions{})
	if err != nil || ai.TextOf(got.Answer.Content, "") != "routed" || got.Answer.Model != p.Model().ID {
		t.Errorf("got %+v, %v", got.Answer, err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.Models.Model("router", "auto"); err == nil {
		t.Error("the virtual model is still there")
	}
}

func TestExtensionsAddSkillsAndTemplates(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("skills/tidy/SKILL.md", "---\ndescription: Tidies up.\n---\nTidy up.")
	write("prompts/hello.md", "Say hello to $1.")
	r := newRig(t, func(o *codingagent.Options) {
		o.Dir = dir
		o.OnFault = func(f *extension.Fault) { t.Errorf("fault: %v", f) }
		o.Extensions = []extension.Extension{inline("more", func(api *extension.API) error {
			api.Events.ResourcesDiscover.Handle(func(context.Context, *extension.Context, *extension.ResourcesDiscover) (*extension.ResourcePaths, error) {
				return &extension.ResourcePaths{Skills: []string{"skills"}, Prompts: []string{"prompts"}}, nil
			})
			return nil
		})}
	})
	r.model.Queue(faux.Say("hello"))
	r.prompt("/hello you")
	messages, prompt := r.request(0)
	if got := ai.TextOf(messages[len(messages)-1].(*ai.UserMessage).Content, ""); got != "Say hello to you." {
		t.Errorf("the model got %q", got)
	}
	if !strings.Contains(prompt.Text, "Tidies up.") {
		t.Errorf("the prompt does not name the skill:\n%s", prompt.Text)
	}
}
