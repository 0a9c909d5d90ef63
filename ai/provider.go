package ai

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/pi-go/pi/ai/auth"
)

// API is a wire protocol: it sends one call and writes the answer.
// Implementations hold no state of a conversation (see
// [Conversation.Acquire]) and are safe for concurrent use.
type API interface {
	// ID is the protocol's name, such as "anthropic-messages".
	ID() string
	// Stream sends the call and writes the answer into out. It returns when
	// the answer ended, failed, or ctx was cancelled; see [NewStream] for what
	// the emitter takes care of, and [Emitter.Message] for what the stream adds to
	// the tokens that were counted.
	Stream(ctx context.Context, call *Call, out *Emitter) error
}

// Call is one request as an [API] gets it: options with defaults applied and
// credentials resolved.
type Call struct {
	Model *Model
	// Messages is the conversation, a *SystemMessage first if there is a
	// prompt or a tool. The protocol passes it through [Transform] with its
	// own rules before it encodes it.
	Messages []Message
	// Options are the caller's; Thinking is clamped to the model and MaxTokens
	// fitted to what the context window leaves free.
	Options Options
	// SessionID is the cache and affinity key; empty sends none.
	SessionID string
	Auth      auth.Resolved
	// BaseURL is where to send it, placeholders filled in, no slash at the end.
	BaseURL  string
	HTTP     *http.Client
	Env      auth.Environment
	Identity Identity

	secrets       *redactor
	contextTokens int64 // of Messages, once estimated
	estimated     bool
}

// Provider is a vendor account: who it is, how to authenticate, which models
// it has and which protocol each speaks.
type Provider interface {
	// ID is the provider's name in "provider/model".
	ID() string
	// Name is for people.
	Name() string
	// Auth lists the ways to authenticate.
	Auth() auth.Methods
	// Models lists all models, of every type. The slice and the models are
	// shared: do not change them.
	Models() []*Model
	// API gives the protocol of a model, or an error naming what is missing.
	API(m *Model) (API, error)
}

// ProviderConfig describes a provider for [NewProvider].
type ProviderConfig struct {
	ID string
	// Name is for people; empty means ID.
	Name string
	Auth auth.Methods
	// Models are the models; LoadModels, if set, gives them at first use
	// instead (a catalog that is large and often not needed).
	Models     []*Model
	LoadModels func() []*Model
	// APIs are the protocols its chat models speak, ImageAPIs those of its image
	// models, ClassifierAPIs those of its classifiers.
	APIs           []API
	ImageAPIs      []ImageAPI
	ClassifierAPIs []ClassifierAPI
	// Headers are sent with each request, below those of the model.
	Headers map[string]string
	// Source, if set, asks the vendor for its models; see [Models.Refresh].
	Source *ListSource
	// FilterModels gives the models that a stored credential (nil when there is
	// none) has access to; nil means all. It must not change the slice.
	FilterModels func(models []*Model, c *auth.Credential) []*Model
}

// NewProvider makes a provider from its parts. It panics when ID is empty or
// no API is given: both are mistakes of the program.
func NewProvider(c ProviderConfig) Provider {
	if c.ID == "" || len(c.APIs)+len(c.ImageAPIs)+len(c.ClassifierAPIs) == 0 {
		panic("ai: a provider needs an ID and at least one API")
	}
	if c.Name == "" {
		c.Name = c.ID
	}
	return &provider{c}
}

type provider struct{ c ProviderConfig }

func (p *provider) ID() string                 { return p.c.ID }
func (p *provider) Name() string               { return p.c.Name }
func (p *provider) Auth() auth.Methods         { return p.c.Auth }
func (p *provider) Headers() map[string]string { return p.c.Headers }
func (p *provider) ListSource() *ListSource    { return p.c.Source }

func (p *provider) FilterModels(models []*Model, c *auth.Credential) []*Model {
	if p.c.FilterModels == nil {
		return models
	}
	return p.c.FilterModels(models, c)
}

func (p *provider) Models() []*Model {
	if p.c.LoadModels != nil {
		return p.c.LoadModels()
	}
	return p.c.Models
}

func (p *provider) API(m *Model) (API, error) {
	at := slices.IndexFunc(p.c.APIs, func(a API) bool { return a.ID() == m.API })
	if at < 0 {
		return nil, Errorf(KindConfig, "provider %s has no implementation of the %q protocol that model %s needs", p.c.ID, m.API, m.ID)
	}
	return p.c.APIs[at], nil
}

// ModelFilter is a [Provider] whose models depend on the account.
type ModelFilter interface {
	// FilterModels gives those of the models that a stored credential (nil when
	// there is none) has access to.
	FilterModels(models []*Model, c *auth.Credential) []*Model
}

// HeaderProvider is a [Provider] that sends headers of its own.
type HeaderProvider interface {
	Headers() map[string]string
}

// ListProvider is a [Provider] whose vendor can be asked for its models.
type ListProvider interface {
	// ListSource says how; nil means that it can not.
	ListSource() *ListSource
}

var _ fmt.Stringer = (*Model)(nil)

// String names the model as "provider/id".
func (m *Model) String() string { return m.Ref() }
