package modelsfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
)

// Provider is a provider of a models.json, on top of a built-in one if
// there is one of that id. [File.Apply] makes it.
type Provider struct {
	id        string
	file      *File
	entry     *Entry
	base      ai.Provider // nil for a new one
	protocols Protocols
	models    []*ai.Model
	own       map[*ai.Model]int // those that the file defines, and their places in it
	resolve   func(ctx context.Context, value string) (string, error)

	mu      sync.Mutex
	changed map[*ai.Model]*ai.Model // models of the vendor's list, as the file changes them
}

// ID is the key of the entry.
func (p *Provider) ID() string { return p.id }

// Added reports whether the file adds the provider, instead of changing another.
func (p *Provider) Added() bool { return p.base == nil }

// Name is that of the entry, else that of the built-in provider, else the id.
func (p *Provider) Name() string {
	switch {
	case p.entry.Name != "":
		return p.entry.Name
	case p.base != nil:
		return p.base.Name()
	}
	return p.id
}

// Models are the built-in ones with what the file says of them, then the file's own.
func (p *Provider) Models() []*ai.Model { return p.models }

// API gives the protocol of a chat model, which may work out headers of the file.
func (p *Provider) API(m *ai.Model) (ai.API, error) {
	api, err := p.chatAPI(m)
	if err == nil && p.resolve != nil && len(p.headersOf(m.ID)) > 0 {
		api = headerAPI{api, p}
	}
	return api, err
}

func (p *Provider) chatAPI(m *ai.Model) (ai.API, error) {
	if p.base != nil {
		if api, err := p.base.API(m); err == nil {
			return api, nil
		}
	}
	return protocolOf(m, p.protocols.Chat)
}

// ImageAPI gives the protocol of an image model.
func (p *Provider) ImageAPI(m *ai.Model) (ai.ImageAPI, error) {
	if base, ok := p.base.(ai.ImageProvider); ok {
		if api, err := base.ImageAPI(m); err == nil {
			return api, nil
		}
	}
	return protocolOf(m, p.protocols.Images)
}

// ClassifierAPI gives the protocol of a classifier.
func (p *Provider) ClassifierAPI(m *ai.Model) (ai.ClassifierAPI, error) {
	if base, ok := p.base.(ai.ClassifierProvider); ok {
		if api, err := base.ClassifierAPI(m); err == nil {
			return api, nil
		}
	}
	return protocolOf(m, p.protocols.Classifiers)
}

// protocolOf finds the protocol that a model names.
func protocolOf[A interface{ ID() string }](m *ai.Model, list []A) (A, error) {
	var known []string
	for _, a := range list {
		if a.ID() == m.API {
			return a, nil
		}
		known = append(known, a.ID())
	}
	hint := ai.DidYouMean(m.API, known)
	if hint == "" && len(known) > 0 {
		hint = "; there is " + strings.Join(known, ", ")
	}
	var none A
	return none, ai.Errorf(ai.KindConfig, "model %s: the protocol %q is not known for %s models%s", m.Ref(), m.API, cmp.Or(m.Type, ai.ModelChat), hint)
}

// headersOf are the headers that the file gives a model.
func (p *Provider) headersOf(id string) map[string]string {
	for i := range p.entry.Models {
		if m := &p.entry.Models[i]; m.ID == id {
			return m.Headers
		}
	}
	if o := p.entry.ModelOverrides[id]; o != nil {
		return o.Headers
	}
	return nil
}

// headerAPI works out the headers that the file gives a model before each request.
type headerAPI struct {
	ai.API
	p *Provider
}

// Stream sends the call with the headers worked out.
func (a headerAPI) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	headers := maps.Clone(call.Model.Headers)
	for name, value := range a.p.headersOf(call.Model.ID) {
		resolved, err := a.p.resolve(ctx, value)
		if err != nil {
			return ai.Errorf(ai.KindConfig, "model %s: header %s: %w", call.Model.Ref(), name, err)
		}
		headers[name] = resolved
	}
	model, resolved := new(*call.Model), new(*call)
	model.Headers, resolved.Model = headers, model
	return a.API.Stream(ctx, resolved, out)
}

// Headers are those of the built-in provider; the file's own come with the key.
func (p *Provider) Headers() map[string]string {
	if base, ok := p.base.(ai.HeaderProvider); ok {
		return base.Headers()
	}
	return nil
}

// FilterModels leaves out built-in models that an account does not have. Those of
// the file stay: a person put them there.
func (p *Provider) FilterModels(models []*ai.Model, c *auth.Credential) []*ai.Model {
	base, ok := p.base.(ai.ModelFilter)
	if !ok {
		return models
	}
	kept := base.FilterModels(models, c)
	return slices.DeleteFunc(slices.Clone(models), func(m *ai.Model) bool {
		_, own := p.own[m]
		return !own && !slices.Contains(kept, m)
	})
}

// ListSource is that of the built-in provider, unless the file sends requests
// elsewhere, where its key belongs then.
func (p *Provider) ListSource() *ai.ListSource {
	base, ok := p.base.(ai.ListProvider)
	if !ok || p.entry.BaseURL != "" && p.entry.OAuth == "" {
		return nil
	}
	return base.ListSource()
}

// Amend lays what the file says over a list that the vendor told. Given the provider's
// own list it gives that one. It is for [ai.ModelsConfig].Amend, and safe for
// concurrent use.
func (p *Provider) Amend(models []*ai.Model) []*ai.Model {
	e := p.entry
	if len(models) > 0 && len(p.models) > 0 && &models[0] == &p.models[0] || len(e.Compat)+len(e.Models)+len(e.ModelOverrides) == 0 {
		return models // its own list, or nothing to say
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(map[*ai.Model]*ai.Model)
	}
	out := modelList{models: make([]*ai.Model, 0, len(models)+len(p.own))}
	for _, m := range models {
		if !slices.Contains(p.models, m) {
			if p.changed[m] == nil {
				p.changed[m] = e.changed(m)
			}
			m = p.changed[m]
		}
		out.add(m)
	}
	for _, m := range p.models {
		if _, own := p.own[m]; own {
			out.replace(m)
		}
	}
	return out.models
}

// check finds models of the file whose protocol is not known.
func (p *Provider) check() []error {
	var faults []error
	for _, m := range p.models {
		i, own := p.own[m]
		if !own {
			continue // it comes with its protocol
		}
		var err error
		switch m.Type {
		case ai.ModelImage:
			_, err = p.ImageAPI(m)
		case ai.ModelClassifier:
			_, err = p.ClassifierAPI(m)
		default:
			_, err = p.chatAPI(m)
		}
		if err == nil {
			continue
		}
		at := []any{"providers", p.id, "api"}
		if p.entry.Models[i].API != nil {
			at = []any{"providers", p.id, "models", i, "api"}
		}
		faults = append(faults, p.file.errorAt(err.Error(), at...))
	}
	return faults
}

// Auth adds the key of the file to the ways of the built-in provider.
func (p *Provider) Auth() auth.Methods {
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
	entry   *Entry
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

// Check runs no command: that a key is given is enough, where the built-in provider
// needs nothing else.
func (k *fileKey) Check(in auth.Input) string {
	source := ""
	switch {
	case in.Credential != nil && in.Credential.Key != "":
		source = "stored credential"
	case k.entry.APIKey != "":
		source = "models.json"
	}
	if k.base == nil {
		return source
	}
	if found := k.base.Check(k.there(in)); found == "" || source == "" {
		return found
	}
	return source
}

// there tells the built-in method what the file gives besides: an address, and a key
// where none is stored.
func (k *fileKey) there(in auth.Input) auth.Input {
	if k.entry.BaseURL != "" {
		in.BaseURL = k.entry.BaseURL
	}
	if in.Credential == nil && k.entry.APIKey != "" {
		in.Credential = &auth.Credential{Type: auth.TypeAPIKey, Key: k.entry.APIKey}
	}
	return in
}

// Advice is that of the built-in provider; one that the file adds lacks its key there.
func (k *fileKey) Advice(in auth.Input) string {
	switch base := k.base.(type) {
	case nil:
		return `give it an "apiKey" in models.json`
	case auth.KeyAdviser:
		return base.Advice(k.there(in))
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
