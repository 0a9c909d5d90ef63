package models

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/modelsfile"
	"github.com/pi-go/pi/ai/modelstore"
	"github.com/pi-go/pi/ai/provider/compatible"
	"github.com/pi-go/pi/codingagent/internal/localserver"
)

// Home is where a person's models come from: what a program has built in, changed by
// the files of an agent directory, with keys from there and from variables. All
// programs that use the files of pi open it the same way.
type Home struct {
	// AgentDir holds models.json, auth.json, models-store.json and settings.json;
	// none need be there.
	AgentDir string
	Files    execenv.ConfigReader
	// Providers are the built-in ones; Protocols those that models.json may name.
	Providers []ai.Provider
	Protocols modelsfile.Protocols
	// Env is where keys are looked up. Commands that print a key run with Environ in
	// Dir, and Stderr gets what they say.
	Env     auth.Environment
	Environ []string
	Dir     string
	Stderr  io.Writer

	HTTPClient *http.Client
	Identity   ai.Identity
}

// Open builds the runtime. A llama.cpp server that the variable LLAMA_BASE_URL names is a
// provider, with the key in LLAMA_API_KEY if it wants one; it is asked for its models.
//
// What can not be used of the files is reported and left out; everything else works.
func (h Home) Open(ctx context.Context) (*Runtime, []error) {
	file := func(name string) string { return filepath.Join(h.AgentDir, name) }
	var faults []error
	var credentials auth.Store = auth.NewFileStore(file("auth.json"))
	if _, err := credentials.List(ctx); err != nil {
		faults = append(faults, fmt.Errorf("%w; stored keys are not used, and the file is left as it is", err))
		credentials = nil
	}
	providers := h.Providers
	llama, named := localserver.Llama(h.Env.Lookup)
	if named && !slices.ContainsFunc(providers, func(p ai.Provider) bool { return p.ID() == llama.ID }) {
		p, err := compatible.New(compatible.Config{
			ID: llama.ID, Name: llama.Name, BaseURL: llama.BaseURL, Discover: true, Env: []string{localserver.LlamaKeyVar}, KeyOptional: true,
		})
		if err != nil {
			faults = append(faults, fmt.Errorf("LLAMA_BASE_URL: %w", err))
		} else {
			providers = append(slices.Clip(providers), p)
		}
	}
	resolver := h.Resolver()
	runtime, more := New(ctx, Config{
		Providers: providers, Protocols: h.Protocols, File: file("models.json"), Files: h.Files,
		Credentials: credentials, Env: h.Env, ResolveStored: resolver.Resolve, ResolveFile: resolver.ResolveFresh,
		Lists:          modelstore.New(file("models-store.json")),
		InstallationID: func(ctx context.Context) (string, error) { return auth.InstallationID(ctx, file("settings.json")) },
		HTTPClient:     h.HTTPClient, Identity: h.Identity,
	})
	if named {
		// Its models are only known from itself, and it is near, mostly.
		ctx, cancel := context.WithTimeout(ctx, localserver.Patience)
		defer cancel()
		result := runtime.Models.Refresh(ctx, ai.RefreshOptions{AllowNetwork: true, Providers: []string{llama.ID}})
		if len(result.Errors) > 0 && len(runtime.Models.List(llama.ID)) == 0 {
			more = append(more, fmt.Errorf("LLAMA_BASE_URL: no models come from %s: %w", llama.BaseURL, result.Errors[llama.ID]))
		}
	}
	return runtime, append(faults, more...)
}

// Resolver expands "$NAME" and "!command" in what the files say.
func (h Home) Resolver() *auth.Resolver { return &auth.Resolver{Env: h.Env, Run: h.keyCommand} }

// keyPatience is how long a command that prints a key may leave its output
// open once it has ended or was stopped.
const keyPatience = 500 * time.Millisecond

// keyCommand runs a command that prints a key, and gives what it printed. It
// shares our terminal: password managers ask there.
func (h Home) keyCommand(ctx context.Context, command string) (string, error) {
	shell, err := execenv.FindShell("", h.Environ)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, shell.Path, append(slices.Clone(shell.Args), command)...)
	cmd.Env, cmd.Dir, cmd.Stderr = h.Environ, h.Dir, h.Stderr
	cmd.WaitDelay = keyPatience
	cmd.Cancel = func() error { return execenv.KillTree(cmd.Process) }
	var out auth.KeyOutput
	cmd.Stdout = &out
	return out.Text(cmd.Run())
}
