package ai

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/internal/transport"
)

// ModelsConfig holds what a collection of models shares. The zero value is
// right for a program that takes its keys from the environment.
type ModelsConfig struct {
	// Credentials are the stored ones; nil means none.
	Credentials auth.Store
	// Env is where keys and settings are looked up; nil means the process
	// environment.
	Env auth.Environment
	// FileExists is for credentials that live in files; nil means the real
	// file system.
	FileExists func(path string) bool
	// ResolveKey expands indirections in stored keys ("$NAME", "!command");
	// nil leaves them as they are.
	ResolveKey func(ctx context.Context, value string) (string, error)
	// OAuthClientID gives the OAuth client id that was configured for a provider,
	// "" for none; nil, or none, means the variable that [auth.ClientIDVariable]
	// names.
	OAuthClientID func(provider string) string
	// InstallationID gives a UUID that stays the same on this machine. Some
	// vendors need it to sign in; nil means that there is none.
	InstallationID func(ctx context.Context) (string, error)
	// Lists keeps the lists of models that vendors gave; nil keeps them in memory
	// only. See [Models.Refresh].
	Lists ListStore
	// Amend changes the list of a provider's models each time it is asked for: a
	// program can lay models of its own beside them. It must not change the slice
	// it gets, nor call the collection, and may be called at any time; nil changes
	// nothing. What FilterModels of a provider leaves out it does not see.
	Amend func(provider string, models []*Model) []*Model
	// HTTPClient sends the requests; nil means one with sensible time-outs
	// and proxies from Env.
	HTTPClient *http.Client
	Identity   Identity
	// Telemetry is told of each request; nil tells nobody.
	Telemetry Telemetry
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
}

// Models is a collection of providers and the one place to call them. Two
// collections share nothing. It is safe for concurrent use.
type Models struct {
	cfg  ModelsConfig
	http *transport.Client

	mu        sync.RWMutex
	providers map[string]Provider
	order     []string
	lists     map[string]*list // by provider
}

// NewModels makes a collection that takes keys from the environment.
//
//	models := ai.NewModels(anthropic.New())
func NewModels(providers ...Provider) *Models {
	return ModelsConfig{}.New(providers...)
}

// New makes a collection with this configuration.
func (c ModelsConfig) New(providers ...Provider) *Models {
	if c.Env == nil {
		c.Env = auth.OSEnvironment()
	}
	if c.FileExists == nil {
		c.FileExists = auth.OSFileExists
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Identity.UserAgent == "" {
		c.Identity.UserAgent = "pi-go/" + Version
	}
	m := &Models{cfg: c, providers: make(map[string]Provider), lists: make(map[string]*list)}
	m.http = transport.New(transport.Options{HTTP: c.HTTPClient, Env: c.Env.Lookup})
	for _, p := range providers {
		m.SetProvider(p)
	}
	return m
}

// Close ends the connections that are kept for further requests, unless the
// HTTP client is the caller's. Answers that stream go on, and the collection
// stays usable. Without Close they end by themselves after 90 seconds.
func (m *Models) Close() { m.http.Close() }

// SetProvider adds a provider, or replaces the one with the same id.
func (m *Models) SetProvider(p Provider) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.providers[p.ID()]; !known {
		m.order = append(m.order, p.ID())
	}
	m.dropList(p.ID())
	m.lists[p.ID()] = &list{}
	m.providers[p.ID()] = p
}

// DeleteProvider removes a provider; unknown ids are ignored.
func (m *Models) DeleteProvider(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropList(id)
	delete(m.providers, id)
	m.order = slices.DeleteFunc(m.order, func(o string) bool { return o == id })
}

// Provider gives a provider by id, nil when there is none.
func (m *Models) Provider(id string) Provider {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.providers[id]
}

// Providers lists the providers in the order in which they were added.
func (m *Models) Providers() []Provider {
	m.mu.RLock()
	defer m.mu.RUnlock()
	list := make([]Provider, 0, len(m.order))
	for _, id := range m.order {
		list = append(list, m.providers[id])
	}
	return list
}

// Model finds a chat model. The error names the nearest known ids.
func (m *Models) Model(provider, id string) (*Model, error) {
	p := m.Provider(provider)
	if p == nil {
		return nil, Errorf(KindConfig, "unknown provider %q%s", provider, DidYouMean(provider, m.providerIDs()))
	}
	var ids []string
	for _, model := range m.listed(p) {
		if model.kind() != ModelChat {
			continue
		}
		if model.ID == id {
			return model, nil
		}
		ids = append(ids, model.ID)
	}
	return nil, Errorf(KindConfig, "provider %s has no model %q%s", provider, id, DidYouMean(id, ids))
}

func (m *Models) providerIDs() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Clone(m.order)
}

// Chat lists the chat models of all providers.
func (m *Models) Chat() []*Model {
	var list []*Model
	for _, p := range m.Providers() {
		list = appendOfType(list, m.listed(p), []ModelType{ModelChat})
	}
	return list
}

// List lists all models of a provider, of every type, those that the vendor told
// included (see [Models.Refresh]). The models are shared: do not change them.
func (m *Models) List(provider string) []*Model {
	p := m.Provider(provider)
	if p == nil {
		return nil
	}
	return slices.Clone(m.listed(p))
}

// appendOfType appends the models that have one of the types; none means all.
func appendOfType(list, models []*Model, types []ModelType) []*Model {
	for _, model := range models {
		if len(types) == 0 || slices.Contains(types, model.kind()) {
			list = append(list, model)
		}
	}
	return list
}

// AuthStatus says how a provider would authenticate.
type AuthStatus struct {
	// Source says where the key would come from; "" means that the provider
	// is not configured.
	Source string
	// OAuth says that it is a login.
	OAuth bool
	// Advice says what would give it a key when it is not configured, such as
	// "set GROQ_API_KEY"; "" when there is nothing to say, as where only a login helps.
	Advice string
}

// Configured reports whether requests can be tried.
func (s AuthStatus) Configured() bool { return s.Source != "" }

// CheckAuth says how a provider would authenticate. It has no side effects:
// no command is run, no token refreshed, no server called.
func (m *Models) CheckAuth(ctx context.Context, provider string) (AuthStatus, error) {
	p := m.Provider(provider)
	if p == nil {
		return AuthStatus{}, Errorf(KindConfig, "unknown provider %q%s", provider, DidYouMean(provider, m.providerIDs()))
	}
	in, err := m.authInput(ctx, p, nil)
	if err != nil {
		return AuthStatus{}, err
	}
	return status(p, in), nil
}

// status says how a provider would authenticate with what is there.
func status(p Provider, in auth.Input) AuthStatus {
	methods := p.Auth()
	if c := in.Credential; c != nil && c.Type == auth.TypeOAuth {
		if methods.OAuth == nil {
			return AuthStatus{}
		}
		return AuthStatus{Source: "OAuth", OAuth: true}
	}
	if methods.APIKey != nil {
		s := AuthStatus{Source: methods.APIKey.Check(in)}
		if !s.Configured() {
			s.Advice = advice(methods.APIKey, in)
		}
		return s
	}
	if methods.OAuth == nil {
		return AuthStatus{Source: "no key needed"}
	}
	return AuthStatus{}
}

// Available lists the chat models whose provider is configured, without those that
// the stored login does not give access to. Providers whose credentials can not be
// read are left out; CheckAuth tells why.
func (m *Models) Available(ctx context.Context) []*Model {
	return m.AvailableOfType(ctx, ModelChat)
}

// AvailableOfType is Available for models of these types; none means all.
func (m *Models) AvailableOfType(ctx context.Context, types ...ModelType) []*Model {
	var list []*Model
	usable := m.usable(ctx)
	for _, p := range m.Providers() {
		in, ok := usable[p.ID()]
		if !ok {
			continue
		}
		models := m.offered(p)
		if f, ok := p.(ModelFilter); ok {
			models = f.FilterModels(models, in.Credential)
		}
		list = appendOfType(list, m.amended(p, models), types)
	}
	return list
}

// Configured tells which providers are configured, by id. It asks the store
// of credentials once for all; like CheckAuth it has no side effects.
func (m *Models) Configured(ctx context.Context) map[string]bool {
	configured := make(map[string]bool)
	for id := range m.usable(ctx) {
		configured[id] = true
	}
	return configured
}

// usable gives what the configured providers authenticate with.
func (m *Models) usable(ctx context.Context) map[string]auth.Input {
	usable := make(map[string]auth.Input)
	stored := make(map[string]bool)
	if m.cfg.Credentials != nil {
		list, err := m.cfg.Credentials.List(ctx)
		if err != nil {
			return usable // nothing can be used before that is mended
		}
		for _, info := range list {
			stored[info.Provider] = true
		}
	}
	for _, p := range m.Providers() {
		in := m.environment()
		if stored[p.ID()] {
			var err error
			if in, err = m.authInput(ctx, p, nil); err != nil {
				continue
			}
		}
		if status(p, in).Configured() {
			usable[p.ID()] = in
		}
	}
	return usable
}

// environment is what a provider without stored credentials may look at.
func (m *Models) environment() auth.Input {
	return auth.Input{Env: m.cfg.Env, FileExists: m.cfg.FileExists, Resolve: m.cfg.ResolveKey}
}

func (m *Models) authInput(ctx context.Context, p Provider, env map[string]string) (auth.Input, error) {
	in := m.environment()
	if m.cfg.Credentials != nil {
		c, err := m.cfg.Credentials.Read(ctx, p.ID())
		if err != nil {
			return in, &APIError{Kind: KindAuth, Phase: PhaseSetup, Provider: p.ID(), Message: fmt.Sprintf("read the stored credential of %s: %v", p.ID(), err), Err: err}
		}
		in.Credential = c
		if c != nil {
			in.Env = in.Env.Overlay(c.Env)
		}
	}
	in.Env = in.Env.Overlay(env)
	return in, nil
}

// Auth resolves how a request to the provider authenticates: an explicit key,
// else the stored credential, else the environment. A stored credential owns
// its provider: when it does not work, the environment is not tried.
func (m *Models) Auth(ctx context.Context, provider string, opts Options) (auth.Resolved, error) {
	p := m.Provider(provider)
	if p == nil {
		return auth.Resolved{}, Errorf(KindConfig, "unknown provider %q%s", provider, DidYouMean(provider, m.providerIDs()))
	}
	return m.resolveAuth(ctx, p, opts)
}

func (m *Models) resolveAuth(ctx context.Context, p Provider, opts Options) (auth.Resolved, error) {
	methods := p.Auth()
	if opts.APIKey != "" {
		return auth.Resolved{APIKey: opts.APIKey, Source: "explicit key"}, nil
	}
	in, err := m.authInput(ctx, p, opts.Env)
	if err != nil {
		return auth.Resolved{}, err
	}
	if c := in.Credential; c != nil && c.Type == auth.TypeOAuth && methods.OAuth != nil {
		c, err := m.fresh(ctx, p, methods.OAuth, c, in.Env, refreshMargin)
		if err != nil {
			return auth.Resolved{}, &APIError{Kind: KindAuth, Phase: PhaseSetup, Provider: p.ID(), Message: err.Error(), Err: err}
		}
		r, err := methods.OAuth.ToAuth(c)
		if err != nil {
			return auth.Resolved{}, &APIError{Kind: KindAuth, Phase: PhaseSetup, Provider: p.ID(), Message: fmt.Sprintf("use the login of %s: %v", p.ID(), err), Err: err}
		}
		r.OAuth = true
		return *r, nil
	}
	if methods.APIKey == nil {
		if methods.OAuth == nil {
			return auth.Resolved{}, nil
		}
		return auth.Resolved{}, notConfigured(p, in)
	}
	r, err := methods.APIKey.Resolve(ctx, in)
	if err != nil {
		return auth.Resolved{}, &APIError{Kind: KindAuth, Phase: PhaseSetup, Provider: p.ID(), Message: fmt.Sprintf("key of %s: %v", p.ID(), err), Err: err}
	}
	if r == nil {
		return auth.Resolved{}, notConfigured(p, in)
	}
	return *r, nil
}

// advice says what a key lacks.
func advice(key auth.APIKeyMethod, in auth.Input) string {
	if a, ok := key.(auth.KeyAdviser); ok {
		return a.Advice(in)
	}
	if vars := key.EnvVars(); len(vars) > 0 {
		return "set " + strings.Join(vars, " or ")
	}
	return ""
}

// notConfigured says which variable or login would give the provider a key.
func notConfigured(p Provider, in auth.Input) *APIError {
	var ways []string
	methods := p.Auth()
	if methods.APIKey != nil {
		if a := advice(methods.APIKey, in); a != "" {
			ways = append(ways, a)
		}
		ways = append(ways, "store a key with a login")
	}
	if methods.OAuth != nil {
		ways = append(ways, "sign in with "+methods.OAuth.Name())
	}
	return &APIError{
		Kind: KindAuth, Phase: PhaseSetup, Provider: p.ID(),
		Message: fmt.Sprintf("no API key for provider %s: %s", p.ID(), strings.Join(ways, ", or ")),
	}
}

// Stream asks a model. It never fails and never panics: what goes wrong is in
// the stream's last event and in its result.
func (m *Models) Stream(ctx context.Context, model *Model, req Request, opts Options) *Stream {
	if model == nil {
		return FailedStream(ctx, StreamInfo{Now: m.cfg.Now}, Errorf(KindConfig, "no model was chosen"))
	}
	if opts.Thinking == "" {
		opts.Thinking = ThinkingOff
	}
	level := model.ClampThinking(opts.Thinking)
	info := StreamInfo{Model: model, Thinking: level, Now: m.cfg.Now, MaxAnswer: opts.Limits.Answer}
	return NewStream(ctx, info, func(ctx context.Context, out *Emitter) error {
		ctx, out.watch = m.watch(ctx, spanRequest, model, level)
		p, api, resolved, err := m.open(ctx, model, opts)
		if err != nil {
			return err
		}
		call, err := m.call(p, model, level, req, opts, resolved)
		if err != nil {
			return err
		}
		if out.watch != nil {
			out.watch.asked = call.Messages
		}
		out.secrets = call.secrets
		return api.Stream(ctx, call, out)
	})
}

// open finds who serves a model: its provider, its protocol and the credentials.
func (m *Models) open(ctx context.Context, model *Model, opts Options) (Provider, API, auth.Resolved, error) {
	p := m.Provider(model.Provider)
	if p == nil {
		return nil, nil, auth.Resolved{}, Errorf(KindConfig, "unknown provider %q%s", model.Provider, DidYouMean(model.Provider, m.providerIDs()))
	}
	api, err := p.API(model)
	if err != nil {
		return nil, nil, auth.Resolved{}, err
	}
	resolved, err := m.resolveAuth(ctx, p, opts)
	return p, api, resolved, err
}

// Complete asks a model and waits for the whole answer. The error is that of
// [AssistantMessage.Err]; the answer is never nil and holds what came.
func (m *Models) Complete(ctx context.Context, model *Model, req Request, opts Options) (*AssistantMessage, error) {
	msg := m.Stream(ctx, model, req, opts).Result()
	return msg, msg.Err()
}

func (m *Models) call(p Provider, model *Model, level ThinkingLevel, req Request, opts Options, resolved auth.Resolved) (*Call, error) {
	c := &Call{
		Model: model, Options: opts, Auth: resolved, Identity: m.cfg.Identity,
		SessionID: opts.sessionID(), BaseURL: model.BaseURL, HTTP: m.http.HTTPClient(),
		Env: m.cfg.Env.Overlay(resolved.Env).Overlay(opts.Env),
	}
	if opts.HTTPClient != nil {
		c.HTTP = opts.HTTPClient
	}
	if resolved.BaseURL != "" {
		c.BaseURL = resolved.BaseURL
	}
	var err error
	if c.BaseURL, err = fillBaseURL(strings.TrimRight(c.BaseURL, "/"), c.Env); err != nil {
		return nil, err
	}
	if hp, ok := p.(HeaderProvider); ok && len(hp.Headers()) > 0 {
		// Below the model's own, so that a model can replace them.
		headers := make(map[string]string)
		for k, v := range hp.Headers() {
			headers[k] = v
		}
		for k, v := range model.Headers {
			headers[k] = v
		}
		withHeaders := *model
		withHeaders.Headers = headers
		c.Model = &withHeaders
	}
	c.Messages = req.Transcript()
	c.Options.Thinking = level
	c.Options.MaxTokens = c.FitMaxTokens(opts.MaxTokens)
	c.secrets = newRedactor(c)
	if tell := opts.OnRetry; tell != nil {
		c.Options.OnRetry = func(r Retry) {
			r.Err = c.secrets.error(r.Err)
			tell(r)
		}
	}
	return c, nil
}

// Transcript gives the request as messages alone: System and Tools become one
// leading system message, merged into the one that is already there.
func (r Request) Transcript() []Message {
	if r.System == "" && len(r.Tools) == 0 {
		return r.Messages
	}
	lead := &SystemMessage{Content: r.System, ToolsAdded: r.Tools}
	rest := r.Messages
	if len(rest) > 0 {
		if first, ok := rest[0].(*SystemMessage); ok {
			merged := ReplaySystem([]Message{lead, first}).Message
			merged.Timestamp = first.Timestamp
			lead, rest = merged, rest[1:]
		}
	}
	return append([]Message{lead}, rest...)
}
