package codingagent_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/settings"
)

func TestReload(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	put("AGENTS.md", "Say moo.")
	set := settings.Defaults()
	r := newRig(t, func(o *codingagent.Options) {
		o.Dir = dir
		o.Load = func(context.Context, string) settings.Settings { return set }
		o.Resources = func(ctx context.Context, env execenv.Env) resource.Set {
			return resource.Load(ctx, resource.Request{Env: env, AgentDir: filepath.Join(dir, "agent")})
		}
	})
	r.model.Queue(faux.Say("one"), faux.Say("two"))
	r.prompt("hi")
	put("agent/prompts/greet.md", "Good day.")
	put("AGENTS.md", "Say baa.")
	set.Compaction.Enabled, set.DefaultTools = false, []string{"read"}
	if len(r.Commands()) != 0 {
		t.Fatal("a template is there before it is read")
	}
	if err := r.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := r.Commands(); len(c) != 1 || c[0].Name != "greet" {
		t.Errorf("commands %v", c)
	}
	if r.Settings().Compaction.Enabled || r.Harness().AutoCompaction() {
		t.Error("the old settings are in force")
	}
	r.prompt("hi again")
	_, prompt := r.request(1)
	if !strings.Contains(prompt.Text, "Say baa.") || strings.Contains(prompt.Text, "Say moo.") || len(prompt.Tools) != 1 {
		t.Errorf("the second request has %d tools and says\n%s", len(prompt.Tools), prompt.Text)
	}
}

func TestNoReloadWhileBusy(t *testing.T) {
	r := newRig(t, nil)
	r.model.Queue(faux.Response{Steps: []faux.Step{faux.Do(func() {
		if err := r.Reload(t.Context()); !errors.Is(err, codingagent.ErrBusy) {
			t.Errorf("error %v, want ErrBusy", err)
		}
	}), faux.Text("done")}})
	r.prompt("hi")
}

func TestOpenIn(t *testing.T) {
	here, gone := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	repo := session.NewDir(t.TempDir())
	old, err := session.Create(t.Context(), repo, session.Header{Cwd: gone}, session.Options{Codec: codingagent.Codec()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.AppendMessage(t.Context(), ai.UserText("from another place")); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	p := faux.New(faux.Config{})
	r, err := codingagent.NewRuntime(t.Context(), codingagent.Options{Dir: here, Models: ai.NewModels(p), Model: p.Model()}, repo)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(context.WithoutCancel(t.Context()))
	var missing *codingagent.MissingDirError
	if err := r.Open(t.Context(), old.ID()); !errors.As(err, &missing) || missing.Dir != gone {
		t.Fatalf("error %v, want a MissingDirError", err)
	}
	if err := r.CopyTo(t.Context(), old.ID(), here); err != nil {
		t.Fatal(err)
	}
	if s := r.Session(); s.ID() == old.ID() || s.Header().Cwd != here || len(s.State().Messages) == 0 {
		t.Errorf("session %s belongs to %s and has %d messages", s.ID(), s.Header().Cwd, len(s.State().Messages))
	}
	if err := r.OpenIn(t.Context(), old.ID(), here); err != nil {
		t.Fatal(err)
	}
	if s := r.Session(); s.ID() != old.ID() || s.Dir() != here || len(s.State().Messages) == 0 {
		t.Errorf("session %s works in %s with %d messages", s.ID(), s.Dir(), len(s.State().Messages))
	}
}
