package models

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
)

// fileProvider is a provider of a models.json, on top of a built-in one if
// there is one of that id.
type fileProvider struct {
	id      string
	entry   *FileProvider
	base    ai.Provider // nil for a new one
	apis    []ai.API
	models  []*ai.Model
	own     map[string]bool // ids of models that the file defines
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

// ImageAPI gives the protocol of an image model; the file can not name one.
func (p *fileProvider) ImageAPI(m *ai.Model) (ai.ImageAPI, error) {
	if base, ok := p.base.(ai.ImageProvider); ok {
		return base.ImageAPI(m)
	}
	return nil, ai.Errorf(ai.KindConfig, "image model %s: models.json can not add image models", m.Ref())
}

// ClassifierAPI gives the protocol of a classifier; the file can not name one.
func (p *fileProvider) ClassifierAPI(m *ai.Model) (ai.ClassifierAPI, error) {
	if base, ok := p.base.(ai.ClassifierProvider); ok {
		return base.ClassifierAPI(m)
	}
	return nil, ai.Errorf(ai.KindConfig, "classifier %s: models.json can not add classifiers", m.Ref())
}

// Headers are those of the built-in provider; the file's own come with the key.
func (p *fileProvider) Headers() map[string]string {
	if base, ok := p.base.(ai.HeaderProvider); ok {
		return base.Headers()
	}
	return nil
}

// FilterModels leaves out built-in models that an account does not have. Those of
// the file stay: a person put them there.
func (p *fileProvider) FilterModels(models []*ai.Model, c *auth.Credential) []*ai.Model {
	base, ok := p.base.(ai.ModelFilter)
	if !ok {
		return models
	}
	kept := base.FilterModels(models, c)
	return slices.DeleteFunc(slices.Clone(models), func(m *ai.Model) bool {
		return !p.own[m.ID] && !slices.Contains(kept, m)
	})
}

// ListSource is that of the built-in provider, unless the file changes what its
// list would change again, or where its key belongs.
func (p *fileProvider) ListSource() *ai.ListSource {
	base, ok := p.base.(ai.ListProvider)
	e := p.entry
	if !ok || e.BaseURL != "" || len(e.Compat) > 0 || len(e.Models) > 0 || len(e.ModelOverrides) > 0 {
		return nil
	}
	return base.ListSource()
}

// check finds chat models whose protocol is not known.
func (p *fileProvider) check() error {
	for _, m := range p.models {
		if m.Type != "" && m.Type != ai.ModelChat {
			continue // only built-in ones, which come with theirs
		}
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

// Login asks for a key to store.
func (k *fileKey) Login(ctx context.Context, ui auth.Interaction) (*auth.Credential, error) {
	if login, ok := k.base.(auth.KeyLogin); ok {
		return login.Login(ctx, ui)
	}
	return auth.EnvKey{}.Login(ctx, ui)
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
