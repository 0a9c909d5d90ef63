package models

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"sync"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/login"
	"github.com/pi-go/pi/ai/modelsfile"
	"github.com/pi-go/pi/ai/provider/radius"
)

// Config says what a [Runtime] is made of.
type Config struct {
	// Providers are the built-in ones; Protocols those that models.json may name.
	Providers []ai.Provider
	Protocols modelsfile.Protocols
	// File is the path of models.json, "" for none; Files reads it.
	File  string
	Files execenv.ConfigReader
	// Credentials are the stored ones; nil means none.
	Credentials auth.Store
	Env         auth.Environment
	// ResolveStored expands "$NAME" and "!command" in stored keys,
	// ResolveFile in keys and headers of models.json; nil leaves them as they
	// are.
	ResolveStored, ResolveFile func(ctx context.Context, value string) (string, error)
	// Lists keeps the lists of models that vendors gave; nil keeps them in memory.
	Lists ai.ListStore
	// InstallationID gives the id that some vendors want at a login; nil means none.
	InstallationID func(ctx context.Context) (string, error)
	HTTPClient     *http.Client
	Identity       ai.Identity
}

// Runtime is the models a session can use: the built-in ones, changed and
// extended by models.json.
type Runtime struct {
	// Models asks them.
	Models *ai.Models

	config Config

	reloading sync.Mutex

	mu       sync.Mutex
	text     []byte                          // of models.json
	files    map[string]*modelsfile.Provider // those that models.json changes or adds
	clients  map[string]string               // of OAuth, by provider
	gateway  string                          // of the provider "radius", as models.json has it
	virtuals map[string][]*virtual           // by provider
}

// New builds a runtime, with the lists that vendors gave in earlier runs. A
// models.json that can not be used, or a list, is reported and left out; everything
// else works.
func New(ctx context.Context, c Config) (*Runtime, []error) {
	r := &Runtime{config: c, virtuals: make(map[string][]*virtual)}
	providers, faults := r.read(ctx)
	m := ai.ModelsConfig{
		Credentials: c.Credentials, Env: c.Env, ResolveKey: c.ResolveStored, HTTPClient: c.HTTPClient, Identity: c.Identity,
		Amend: r.amend, Lists: c.Lists, InstallationID: c.InstallationID, OAuthClientID: r.clientID,
	}.New(providers...)
	if c.Lists != nil {
		for _, err := range m.Refresh(ctx, ai.RefreshOptions{}).Errors {
			faults = append(faults, err)
			break // all providers read one store, which fails for all
		}
	}
	r.Models = m
	return r, faults
}

// amend changes the list of a provider's models: what models.json says counts for
// models that the vendor told, too, and virtual models stand among them.
func (r *Runtime) amend(provider string, list []*ai.Model) []*ai.Model {
	r.mu.Lock()
	p := r.files[provider]
	r.mu.Unlock()
	if p != nil {
		list = p.Amend(list)
	}
	return r.withVirtual(provider, list)
}

// read reads models.json, and gives the providers with what it says.
func (r *Runtime) read(ctx context.Context) (providers []ai.Provider, faults []error) {
	providers = slices.Clone(r.config.Providers)
	text, err := r.fileText(ctx)
	var files map[string]*modelsfile.Provider
	clients := make(map[string]string)
	var gateway string
	file := new(modelsfile.File)
	if err == nil && text != nil {
		file, err = modelsfile.Parse(r.config.File, text)
	}
	if err != nil {
		faults = append(faults, err)
	} else {
		var errs []error
		providers, files, errs = file.Apply(modelsfile.Config{Protocols: r.config.Protocols, Resolve: r.config.ResolveFile}, r.config.Providers)
		for id, p := range file.Providers {
			clients[id] = p.OAuthClientID
			if id == radius.ID {
				gateway = p.BaseURL
			}
		}
		faults = slices.Concat(file.Faults, errs, file.Notes)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text, r.files, r.clients, r.gateway = text, files, clients, gateway
	return providers, faults
}

// fileText gives what is in models.json, nil when there is none.
func (r *Runtime) fileText(ctx context.Context) ([]byte, error) {
	if r.config.File == "" {
		return nil, nil
	}
	text, err := execenv.ReadConfig(ctx, r.config.Files, r.config.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read models.json: %w", err)
	}
	return text, nil
}

// Reload reads models.json again if it has changed, and says what is wrong with it.
// Providers that it does not speak of, and did not, stay as they are; so do all while
// the file can not be read.
func (r *Runtime) Reload(ctx context.Context) []error {
	r.reloading.Lock()
	defer r.reloading.Unlock()
	text, err := r.fileText(ctx)
	r.mu.Lock()
	same, before := err == nil && bytes.Equal(text, r.text), r.files
	r.mu.Unlock()
	switch {
	case err != nil:
		return []error{err}
	case same:
		return nil
	}
	if _, err := modelsfile.Parse(r.config.File, text); text != nil && err != nil {
		return []error{err} // somebody is at it
	}
	providers, faults := r.read(ctx)
	r.mu.Lock()
	after := r.files
	r.mu.Unlock()
	changed := make(map[string]bool)
	for id := range before {
		changed[id] = true
	}
	for id := range after {
		changed[id] = true
	}
	for _, p := range providers {
		if changed[p.ID()] {
			r.Models.SetProvider(p)
			delete(changed, p.ID())
		}
	}
	for id := range changed { // those that are gone
		r.DeleteProvider(id)
	}
	r.Models.Refresh(ctx, ai.RefreshOptions{}) // the lists that are stored
	return faults
}

func (r *Runtime) clientID(provider string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clients[provider]
}

// RadiusGateway is the address of the gateway that the provider "radius" is: the
// vendor's, or the one that models.json names.
func (r *Runtime) RadiusGateway() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return login.NormalizeGateway(r.gateway)
}

// Catalog gives what model references are resolved against.
func (r *Runtime) Catalog(ctx context.Context) Catalog {
	c := Catalog{Models: r.Models.Chat()}
	configured := r.Models.Configured(ctx)
	for _, p := range r.Models.Providers() {
		c.Providers = append(c.Providers, p.ID())
	}
	c.Configured = func(id string) bool { return configured[id] }
	return c
}

// Keyless lists the providers that models.json adds and that can not be used
// for want of a key, sorted.
func (r *Runtime) Keyless(ctx context.Context) []string {
	configured := r.Models.Configured(ctx)
	var ids []string
	for _, p := range r.Models.Providers() {
		if f, ok := p.(*modelsfile.Provider); ok && f.Added() && !configured[f.ID()] {
			ids = append(ids, f.ID())
		}
	}
	slices.Sort(ids)
	return ids
}
