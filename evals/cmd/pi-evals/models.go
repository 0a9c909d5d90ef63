package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/provider/all"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/sessiondir"
)

// models are those of the pi command: built-in providers, models.json, stored
// keys and those in variables.
func (w world) models(ctx context.Context) *ai.Models {
	agentDir := sessiondir.AgentDir(w.Env, w.Home)
	var credentials auth.Store = auth.NewFileStore(filepath.Join(agentDir, "auth.json"))
	if _, err := credentials.List(ctx); err != nil {
		fmt.Fprintf(w.Err, "Warning: %s; stored keys are not used, and the file is left as it is\n", err)
		credentials = nil
	}
	resolver := &auth.Resolver{Env: w.Env, Run: w.shell}
	runtime, faults := models.New(ctx, models.Config{
		Providers: append(all.Providers(), codingagent.DemoProvider(0)),
		APIs:      all.APIs(),
		File:      filepath.Join(agentDir, "models.json"), Files: execenv.LocalFS{},
		Credentials: credentials, Env: w.Env, ResolveStored: resolver.Resolve, ResolveFile: resolver.ResolveFresh,
		Identity: ai.Identity{UserAgent: "pi-go/" + ai.Version},
	})
	for _, f := range faults {
		fmt.Fprintf(w.Err, "Warning: %s\n", f)
	}
	return runtime.Models
}

// shell runs a command that prints a key, and gives what it printed.
func (w world) shell(ctx context.Context, command string) (string, error) {
	shell, err := execenv.FindShell("", w.Environ)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, shell.Path, append(slices.Clone(shell.Args), command)...)
	cmd.Env, cmd.Dir, cmd.Stderr = w.Environ, w.Home, w.Err
	out, err := cmd.Output()
	return string(out), err
}
