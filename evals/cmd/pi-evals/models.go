package main

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/provider/all"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/sessiondir"
)

// models are those of the pi command: built-in providers, models.json, stored
// keys and those in variables.
func (w world) models(ctx context.Context) *ai.Models {
	agentDir := sessiondir.AgentDir(w.Env, w.Home)
	runtime, faults := models.Home{
		AgentDir: agentDir, Files: execenv.LocalFS{}, Providers: append(all.Providers(), codingagent.DemoProvider(0)), APIs: all.APIs(),
		Env: w.Env, Environ: w.Environ, Dir: w.Home, Stderr: w.Err,
		Identity: ai.Identity{UserAgent: "pi-go/" + ai.Version},
	}.Open(ctx)
	for _, f := range faults {
		fmt.Fprintf(w.Err, "Warning: %s\n", f)
	}
	return runtime.Models
}
