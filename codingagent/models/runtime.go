package models

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"slices"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
)

// Config says what a [Runtime] is made of.
type Config struct {
	// Providers are the built-in ones; APIs the protocols that models.json
	// may name.
	Providers []ai.Provider
	APIs      []ai.API
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
	HTTPClient                 *http.Client
	Identity                   ai.Identity
}

// Runtime is the models a session can use: the built-in ones, changed and
// extended by models.json.
type Runtime struct {
	// Models asks them.
	Models *ai.Models
}

// New builds a runtime. A models.json that can not be used is reported and
// left out; everything else works.
func New(ctx context.Context, c Config) (*Runtime, []error) {
	providers := slices.Clone(c.Providers)
	var faults []error
	if c.File != "" {
		file, err := readFile(ctx, c)
		if err != nil {
			faults = append(faults, err)
		} else {
			var errs []error
			providers, errs = c.apply(file, providers)
			faults = append(faults, errs...)
		}
	}
	m := ai.ModelsConfig{
		Credentials: c.Credentials, Env: c.Env, ResolveKey: c.ResolveStored, HTTPClient: c.HTTPClient, Identity: c.Identity,
	}.New(providers...)
	return &Runtime{Models: m}, faults
}

func readFile(ctx context.Context, c Config) (*File, error) {
	data, err := execenv.ReadConfig(ctx, c.Files, c.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &File{}, nil
	case err != nil:
		return nil, fmt.Errorf("read models.json: %w", err)
	}
	return ParseFile(c.File, data)
}

// apply changes the built-in providers and adds those of the file.
func (c Config) apply(f *File, providers []ai.Provider) ([]ai.Provider, []error) {
	var faults []error
	for _, id := range slices.Sorted(maps.Keys(f.Providers)) {
		entry := f.Providers[id]
		at := slices.IndexFunc(providers, func(p ai.Provider) bool { return p.ID() == id })
		p := &fileProvider{id: id, entry: entry, apis: c.APIs, resolve: c.ResolveFile}
		var builtin []*ai.Model
		if at >= 0 {
			p.base = providers[at]
			builtin = p.base.Models()
		}
		var err error
		if p.models, err = entry.models(id, builtin); err != nil {
			outcome := "left as it was"
			if at < 0 {
				outcome = "left out"
			}
			faults = append(faults, fmt.Errorf("%s: %w; the provider is %s", c.File, err, outcome))
			continue
		}
		if err := p.check(); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", c.File, err))
		}
		if at >= 0 {
			providers[at] = p
		} else {
			providers = append(providers, p)
		}
	}
	return providers, faults
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
		if f, ok := p.(*fileProvider); ok && f.base == nil && !configured[f.id] {
			ids = append(ids, f.id)
		}
	}
	slices.Sort(ids)
	return ids
}

// fileProvider is a provider of a models.json, on top of a built-in one if
// there is one of that id.
type fileProvider struct {
	id      string
	entry   *FileProvider
	base    ai.Provider // nil for a new one
	apis    []ai.API
	models  []*ai.Model
	resolve func(ctx context.Context, value string) (string, error)
}

func (p *fileProvider) ID() string { return p.id }

func (p *fileProvider) Name() string {
	switch {
	case p.entry.Name != "":
		return p.entry.Name
	case p.base != nil:
		return p.base.Name()
	}
	return p.id
}

func (p *fileProvider) Models() []*ai.Model { return p.models }

func (p *fileProvider) API(m *ai.Model) (ai.API, error) {
	if p.base != nil {
		if api, err := p.base.API(m); err == nil {
			return api, nil
		}
	}
	at := slices.IndexFunc(p.apis, func(a ai.API) bool { return a.ID() == m.API })
	if at < 0 {
		return nil, p.unknownAPI(m)
	}
	return p.apis[at], nil
}

func (p *fileProvider) unknownAPI(m *ai.Model) error {
	var known []string
	for _, a := range p.apis {
		known = append(known, a.ID())
	}
	return ai.Errorf(ai.KindConfig, "model %s: the protocol %q is not known%s", m.Ref(), m.API, suggestion(m.API, known))
}

// check finds models whose protocol is not known.
func (p *fileProvider) check() error {
	for _, m := range p.models {
		if _, err := p.API(m); err != nil {
			return err
		}
	}
	return nil
}

func (p *fileProvider) Auth() auth.Methods {
	var methods auth.Methods
	if p.base != nil {
		methods = p.base.Auth()
	}
	methods.APIKey = &fileKey{entry: p.entry, base: methods.APIKey, resolve: p.resolve}
	return methods
}

// fileKey is the key of a models.json: a stored credential comes before it,
// the environment after it.
type fileKey struct {
	entry   *FileProvider
	base    auth.APIKeyMethod // of the built-in provider; may be nil
	resolve func(ctx context.Context, value string) (string, error)
}

func (k *fileKey) Name() string { return "API key" }

func (k *fileKey) EnvVars() []string {
	if k.base != nil {
		return k.base.EnvVars()
	}
	return nil
}

// Check runs no command: that a key is given is enough.
func (k *fileKey) Check(in auth.Input) string {
	if in.Credential != nil && in.Credential.Key != "" {
		return "stored credential"
	}
	if k.entry.APIKey != "" {
		return "models.json"
	}
	if k.base != nil {
		return k.base.Check(in)
	}
	return ""
}

func (k *fileKey) Resolve(ctx context.Context, in auth.Input) (*auth.Resolved, error) {
	var r *auth.Resolved
	var err error
	switch {
	case in.Credential == nil && k.entry.APIKey != "":
		var key string
		if key, err = k.expand(ctx, k.entry.APIKey); err == nil {
			r = &auth.Resolved{APIKey: key, Source: "models.json"}
		}
	case k.base != nil:
		r, err = k.base.Resolve(ctx, in)
	default:
		if r, err = (auth.EnvKey{}).Resolve(ctx, in); r == nil && err == nil {
			err = errors.New(`models.json gives none; add "apiKey", with any text if the server wants no key`)
		}
	}
	if err != nil || r == nil {
		return nil, err
	}
	r.Bearer = r.Bearer || k.entry.AuthHeader
	if len(k.entry.Headers) > 0 {
		headers := maps.Clone(r.Headers)
		if headers == nil {
			headers = make(map[string]string, len(k.entry.Headers))
		}
		for name, value := range k.entry.Headers {
			if headers[name], err = k.expand(ctx, value); err != nil {
				return nil, fmt.Errorf("header %s: %w", name, err)
			}
		}
		r.Headers = headers
	}
	return r, nil
}

func (k *fileKey) expand(ctx context.Context, value string) (string, error) {
	if k.resolve == nil {
		return value, nil
	}
	return k.resolve(ctx, value)
}
