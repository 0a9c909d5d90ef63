package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/sessiondir"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/tools"
	"github.com/pi-go/pi/codingagent/world"
	"github.com/pi-go/pi/server"
)

// template makes sessions like those of the pi command: with its settings, its
// keys and models.json, and its session files.
func template(ctx context.Context, w world.Process) (server.Template, error) {
	agentDir := w.AgentDir()
	set, notes := settings.Load(ctx, execenv.LocalFS{}, filepath.Join(agentDir, "settings.json"))
	for _, n := range notes {
		fmt.Fprintf(w.Err, "Warning: %s\n", n)
	}
	runtime := w.Models(ctx)
	return server.Template{
		Options: codingagent.Options{
			AgentDir: agentDir, Home: w.Home, Environ: w.Environ, FileQueue: new(tools.FileQueue),
			Models: runtime.Models, ModelRuntime: runtime, Settings: &set,
		},
		Default: func(ctx context.Context) (*ai.Model, error) {
			available := slices.DeleteFunc(runtime.Models.Available(ctx), func(m *ai.Model) bool { return m.Provider == "demo" })
			if m := models.Default(available, set.DefaultProvider, set.DefaultModel); m != nil {
				return m, nil
			}
			return nil, errors.New(`no model is configured: set a key such as ANTHROPIC_API_KEY before starting pi-server, or name "demo/guide"`)
		},
		Repo: func(dir string) session.Repo {
			return session.NewDir(sessiondir.Resolve("", w.Env, set.SessionDir, agentDir, dir, w.Home).Dir)
		},
	}, nil
}
