// Package catalog holds facts about the models of 43 providers: ids, windows,
// prices, protocols and the flags by which a protocol adapts to a vendor.
//
//	for _, m := range catalog.Anthropic().Models() {
//		fmt.Println(m.ID, m.ContextWindow)
//	}
//
// The facts are a starting table of the day in [SourceDate]; prices and limits
// change, and a provider may refresh its list. Each provider's data is
// embedded on its own and decoded when it is first asked for, so a program
// pays, in size and in time, only for the providers it names. Only [All] links
// everything.
package catalog

import (
	"slices"
	"sync"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/catalog/internal/compact"
)

//go:generate go run ./internal/gen

// Provider is what the catalog knows of one provider. It is safe for
// concurrent use.
type Provider struct {
	id, name, baseURL string
	env               []string
	login             Login
	data              *string

	once   sync.Once
	models []*ai.Model
}

// Login names the sign-in that a provider offers besides keys.
type Login struct {
	// Name is for people, such as "GitHub Copilot"; empty means that there is
	// no sign-in.
	Name string
	// Label is what a menu shows; empty means "Sign in with" and the name.
	Label string
	// Subscription says that it is paid by the month, not by the token.
	Subscription bool
}

// ID is the provider's id.
func (p *Provider) ID() string { return p.id }

// Name is the provider's name for people.
func (p *Provider) Name() string { return p.name }

// BaseURL is the provider's own base URL; empty when it has none, or one per
// protocol.
func (p *Provider) BaseURL() string { return p.baseURL }

// Env lists the variables that hold the key, the first one set wins. The
// slice is a copy.
func (p *Provider) Env() []string { return slices.Clone(p.env) }

// Login names the sign-in.
func (p *Provider) Login() Login { return p.login }

// Models lists the models of all types. The slice and the models are shared:
// do not change them.
func (p *Provider) Models() []*ai.Model {
	p.once.Do(func() {
		models, err := compact.Decode(*p.data, p.id)
		if err != nil {
			panic("catalog: " + err.Error()) // the embedded data is tested
		}
		p.models = models
	})
	return p.models
}
