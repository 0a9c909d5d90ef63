package compatible

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/auth"
)

// What is assumed of a model that does not say.
const (
	DefaultContextWindow = 128_000 // tokens
	DefaultMaxTokens     = 16_384  // tokens
)

// Config describes a provider of one's own. ID and BaseURL are required; a model
// may have a base URL and a protocol of its own.
type Config struct {
	ID      string
	Name    string // for people; empty means ID
	BaseURL string
	// API is the protocol of models that name none; empty means
	// "openai-completions".
	API string
	// APIs are the protocols that models may name; nil means the two of this
	// package.
	APIs []ai.API
	// ImageAPIs and ClassifierAPIs are those that models of these types may name;
	// such a model has to name one.
	ImageAPIs      []ai.ImageAPI
	ClassifierAPIs []ai.ClassifierAPI
	// Models are the models. They are copied, and what they leave open is filled
	// in: Provider, API, BaseURL, a name (the id), text input, and
	// DefaultContextWindow and DefaultMaxTokens.
	Models []*ai.Model
	// Discover asks the server for its models when the lists are refreshed (see
	// [ai.Models.Refresh]); they are added to Models. It is for protocols of
	// OpenAI.
	Discover bool
	// Compat is for all models; a model's own fields win.
	Compat json.RawMessage
	// Headers are sent with each request, below those of a model.
	Headers map[string]string

	// Key gives the key of each request; it comes after a stored credential and
	// before Env. KeySource says where it is from, for people.
	Key       func(ctx context.Context) (string, error)
	KeySource string
	// Env are variables that hold the key, in order.
	Env []string
	// Bearer sends the key in the Authorization header whatever the protocol.
	Bearer bool
	// KeyOptional says that requests without a key are fine.
	KeyOptional bool
	// OAuth is the login, if there is one.
	OAuth auth.OAuthMethod
}

// New makes a provider of one's own.
func New(c Config) (ai.Provider, error) {
	if c.ID == "" {
		return nil, errors.New("a provider needs an id")
	}
	if c.API == "" {
		c.API = openaicompletions.ID
	}
	if c.APIs == nil {
		c.APIs = []ai.API{completions(), messages()}
	}
	var list []*ai.Model
	for _, m := range c.Models {
		m, err := c.complete(m)
		if err != nil {
			return nil, fmt.Errorf("provider %s: %w", c.ID, err)
		}
		list = append(list, m)
	}
	key := configuredKey{
		env:    auth.EnvKey{Vars: c.Env, Optional: c.KeyOptional},
		bearer: c.Bearer, key: c.Key, source: c.KeySource,
	}
	return ai.NewProvider(ai.ProviderConfig{
		ID: c.ID, Name: c.Name, Auth: auth.Methods{APIKey: key, OAuth: c.OAuth}, Models: list, APIs: c.APIs, Headers: c.Headers,
		ImageAPIs: c.ImageAPIs, ClassifierAPIs: c.ClassifierAPIs, Source: c.source(),
	}), nil
}

// discoverInterval is how long a list counts as new: people add models to servers of
// their own and want to see them.
const discoverInterval = 5 * time.Minute

// source asks the server for its models, if that is wanted.
func (c Config) source() *ai.ListSource {
	if !c.Discover || c.BaseURL == "" {
		return nil
	}
	own := make(map[string]bool)
	for _, m := range c.Models {
		own[m.ID] = true
	}
	return &ai.ListSource{
		Interval: discoverInterval,
		Fetch: func(ctx context.Context, r *ai.ListRequest) (*ai.ModelList, error) {
			found, err := ListModels(ctx, r.HTTP, c.BaseURL, r.Auth.APIKey)
			if err != nil {
				return nil, err
			}
			list := new(ai.ModelList)
			for _, m := range found {
				if own[m.ID] { // what was configured is more exact
					continue
				}
				if m, err = c.complete(m); err != nil {
					return nil, err
				}
				list.Models = append(list.Models, m)
			}
			return list, nil
		},
	}
}

// complete fills in what a model leaves open.
func (c *Config) complete(model *ai.Model) (*ai.Model, error) {
	m := *model
	if m.ID == "" {
		return nil, errors.New("a model needs an id")
	}
	m.Provider = c.ID
	if m.Name == "" {
		m.Name = m.ID
	}
	chat := m.Type == "" || m.Type == ai.ModelChat
	switch {
	case m.API == "" && chat:
		m.API = c.API
	case m.API == "":
		return nil, fmt.Errorf("%s model %s names no protocol", m.Type, m.ID)
	}
	if m.BaseURL == "" {
		m.BaseURL = c.BaseURL
	}
	if m.BaseURL == "" {
		return nil, fmt.Errorf("model %s has no base URL: set one for the provider or the model", m.ID)
	}
	if len(m.Input) == 0 {
		m.Input = []string{"text"}
	}
	if m.Type == ai.ModelImage && len(m.Output) == 0 {
		m.Output = []string{"image"}
	}
	if m.ContextWindow == 0 && chat {
		m.ContextWindow = DefaultContextWindow
	}
	if m.MaxTokens == 0 && chat {
		m.MaxTokens = min(DefaultMaxTokens, m.ContextWindow)
	}
	var err error
	m.Compat, err = mergeCompat(c.Compat, m.Compat)
	if err != nil {
		return nil, fmt.Errorf("compat of model %s: %w", m.ID, err)
	}
	return &m, nil
}

// mergeCompat lays the fields of over upon those of base.
func mergeCompat(base, over json.RawMessage) (json.RawMessage, error) {
	if len(base) == 0 {
		return over, nil
	}
	var merged, more map[string]json.RawMessage
	if err := json.Unmarshal(base, &merged); err != nil {
		return nil, err
	}
	if len(over) > 0 {
		if err := json.Unmarshal(over, &more); err != nil {
			return nil, err
		}
	}
	if merged == nil {
		merged = more
	}
	maps.Copy(merged, more)
	return json.Marshal(merged)
}

// configuredKey is a key from configuration, between a stored one and the
// environment.
type configuredKey struct {
	env    auth.EnvKey
	bearer bool
	key    func(ctx context.Context) (string, error)
	source string
}

// Name is "API key".
func (k configuredKey) Name() string { return k.env.Name() }

// EnvVars lists the variables.
func (k configuredKey) EnvVars() []string { return k.env.EnvVars() }

// Advice names what is missing.
func (k configuredKey) Advice(in auth.Input) string { return k.env.Advice(in) }

// Login asks for a key, which then comes before the configured one.
func (k configuredKey) Login(ctx context.Context, ui auth.Interaction) (*auth.Credential, error) {
	return k.env.Login(ctx, ui)
}

// Check says where the key would come from.
func (k configuredKey) Check(in auth.Input) string {
	if in.Credential == nil && k.key != nil {
		if k.source != "" {
			return k.source
		}
		return "configuration"
	}
	return k.env.Check(in)
}

// Resolve gives the key.
func (k configuredKey) Resolve(ctx context.Context, in auth.Input) (*auth.Resolved, error) {
	var r *auth.Resolved
	var err error
	if in.Credential == nil && k.key != nil {
		var key string
		if key, err = k.key(ctx); err != nil {
			return nil, err
		}
		r = &auth.Resolved{APIKey: key, Source: k.Check(in)}
	} else if r, err = k.env.Resolve(ctx, in); err != nil || r == nil {
		return r, err
	}
	r.Bearer = r.Bearer || k.bearer
	return r, nil
}

// Local makes a provider of a server that speaks openai-completions and wants no
// key, such as Ollama, llama.cpp, LM Studio or vLLM. baseURL includes the /v1.
// Without models they are those that the server has when [ai.Models.Refresh] asks it;
// see also [ListModels]. It panics when id or baseURL is empty.
func Local(id, baseURL string, models ...string) ai.Provider {
	if baseURL == "" {
		panic("compatible: a local server needs a base URL")
	}
	c := Config{ID: id, BaseURL: baseURL, KeyOptional: true, Discover: len(models) == 0}
	for _, m := range models {
		c.Models = append(c.Models, &ai.Model{ID: m})
	}
	p, err := New(c)
	if err != nil {
		panic("compatible: " + err.Error())
	}
	return p
}
