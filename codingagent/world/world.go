// Package world is what a program of pi sees of the process it runs in, and what it
// makes of that: a person's directory, and the models in it.
//
//	p, err := world.OS()
//	if err != nil {
//		return err
//	}
//	runtime := p.Models(ctx)
package world

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/modelsfile"
	"github.com/pi-go/pi/ai/provider/all"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/sessiondir"
)

// Process is what a program sees of its process. Tests make their own.
type Process struct {
	// Out gets results, Err what people are told beside them.
	Out, Err io.Writer
	// Home is the home directory, absolute.
	Home string
	// Environ is the environment that commands get, Env where variables are looked up.
	Environ []string
	Env     auth.Environment
}

// OS gives the process that this program runs in.
func OS() (Process, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return Process{}, fmt.Errorf("find the home directory: %w", err)
	}
	return Process{Out: os.Stdout, Err: os.Stderr, Home: home, Environ: os.Environ(), Env: auth.OSEnvironment()}, nil
}

// AgentDir is where a person's files are.
func (p Process) AgentDir() string { return sessiondir.AgentDir(p.Env, p.Home) }

// Models are those of the pi command: built-in providers, models.json, stored keys
// and those in variables. What can not be used is said on Err.
func (p Process) Models(ctx context.Context) *models.Runtime {
	runtime, faults := models.Home{
		AgentDir: p.AgentDir(), Files: execenv.LocalFS{}, Providers: append(all.Providers(), codingagent.DemoProvider(0)), Protocols: Protocols(),
		Env: p.Env, Environ: p.Environ, Dir: p.Home, Stderr: p.Err, Identity: ai.Identity{UserAgent: "pi-go/" + ai.Version},
	}.Open(ctx)
	for _, f := range faults {
		fmt.Fprintf(p.Err, "Warning: %s\n", f)
	}
	return runtime
}

// Protocols are all that models.json may name.
func Protocols() modelsfile.Protocols {
	return modelsfile.Protocols{Chat: all.APIs(), Images: all.ImageAPIs(), Classifiers: all.ClassifierAPIs()}
}
