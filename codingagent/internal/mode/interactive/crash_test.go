package interactive

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/draft"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

// onScreen runs the user interface on an emulated terminal until it ends.
func onScreen(t *testing.T, p *faux.Provider, act func(tty *tuitest.Tty, cfg *Config)) (Config, *tuitest.Tty, error) {
	t.Helper()
	dir := t.TempDir()
	env, err := execenv.Local(dir, execenv.LocalOptions{Home: dir})
	if err != nil {
		t.Fatal(err)
	}
	repo := session.NewDir(filepath.Join(dir, "sessions"))
	rt, err := codingagent.NewRuntime(t.Context(), codingagent.Options{
		Dir: dir, Models: ai.NewModels(p), Model: p.Model(), Session: codingagent.NewIn(repo),
	}, repo)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	tty := tuitest.NewTty(80, 24)
	cfg := Config{
		Runtime: rt, Repo: repo, Env: env, Dir: dir, Home: dir, AgentDir: dir, Version: "test", Settings: settings.Defaults(),
		Getenv: func(name string) string { return map[string]string{"TERM": "xterm-256color"}[name] },
		Open: func(o term.Options) (*term.Terminal, error) {
			o.Tty = tty
			return term.Open(o)
		},
	}
	act(tty, &cfg)
	return cfg, tty, Run(t.Context(), cfg)
}

func TestAPanicRestoresTheTerminalAndLeavesAReport(t *testing.T) {
	p := faux.New(faux.Config{})
	cfg, tty, err := onScreen(t, p, func(tty *tuitest.Tty, cfg *Config) {
		// The list of models is asked for on a goroutine of its own.
		cfg.Available = func(context.Context) []*ai.Model { panic("a secret: sk-123") }
		tty.Type("/model\rwords that nobody has sent")
	})
	if err == nil || !strings.Contains(err.Error(), "pi has crashed") || !strings.Contains(err.Error(), "crash-") {
		t.Fatalf("error %v", err)
	}
	if strings.Contains(err.Error(), "sk-123") {
		t.Errorf("the error tells the value: %v", err)
	}
	if tty.Running() {
		t.Error("the terminal is still in use")
	}
	tty.With(func(term *tuitest.Terminal) {
		if term.AltScreen() || term.Mode(2004) {
			t.Error("the terminal was not restored")
		}
	})
	kept, ok := draft.NewStash(cfg.Env.FS, cfg.AgentDir, cfg.Dir, draft.Owner{Host: draft.Local().Host, PID: -1, Alive: func(int) bool { return false }}).Restore(t.Context(), "")
	if !ok || kept.Text != "words that nobody has sent" {
		t.Errorf("of the text %+v is kept", kept)
	}
	reports, err := filepath.Glob(filepath.Join(cfg.AgentDir, "crash-*.log"))
	if err != nil || len(reports) != 1 {
		t.Fatalf("reports %v, %v", reports, err)
	}
	data, err := os.ReadFile(reports[0])
	if err != nil {
		t.Fatal(err)
	}
	if s := string(data); strings.Contains(s, "sk-123") || !strings.Contains(s, "crash_test.go") {
		t.Errorf("the report:\n%s", s)
	}
}
