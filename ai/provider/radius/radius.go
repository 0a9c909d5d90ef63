// Package radius is the provider of a Radius gateway, which offers models of many
// vendors by one protocol.
//
//	models := ai.NewModels(radius.New())
//
// It takes a key from RADIUS_API_KEY, or a login. The gateway tells which models it
// has (see [ai.Models.Refresh]); for the vendor's own gateway the catalog's are there
// before it is asked.
package radius

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/pimessages"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/login"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the id of the provider of the vendor's own gateway.
const ID = "radius"

// New gives the provider of the vendor's own gateway.
func New() ai.Provider {
	facts := catalog.Radius()
	key := auth.EnvKey{Vars: facts.Env()}
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth:       auth.Methods{APIKey: key, OAuth: login.Radius(login.RadiusOptions{})},
		LoadModels: facts.Models,
		APIs:       []ai.API{pimessages.New()},
		Source:     source(login.RadiusGateway),
	})
}

// Gateway is a gateway of one's own.
type Gateway struct {
	ID string // the provider's id; required
	// Name is for people; empty means ID.
	Name string
	// Address is where the gateway is, with or without https:// and /v1.
	Address string
	// Env are variables that hold a key, in order.
	Env []string
}

// New gives the provider of the gateway. It has no models before the gateway was
// asked for them. It panics when the id is empty.
func (g Gateway) New() ai.Provider {
	options := login.RadiusOptions{Provider: g.ID, Name: g.Name, Gateway: g.Address, KeyVars: g.Env}
	return ai.NewProvider(ai.ProviderConfig{
		ID: g.ID, Name: g.Name,
		Auth:   auth.Methods{APIKey: auth.EnvKey{Vars: g.Env}, OAuth: login.Radius(options)},
		APIs:   []ai.API{pimessages.New()},
		Source: source(login.NormalizeGateway(g.Address)),
	})
}

// source asks a gateway for its models.
func source(gateway string) *ai.ListSource {
	return &ai.ListSource{
		Replaces: []ai.ModelType{ai.ModelChat},
		Fetch: func(ctx context.Context, r *ai.ListRequest) (*ai.ModelList, error) {
			answer, err := r.Get(ctx, gateway+"/v1/config", nil)
			if err != nil {
				return nil, err
			}
			models, err := parse(answer.Body, gateway)
			if err != nil {
				return nil, fmt.Errorf("the configuration of %s: %w", gateway, err)
			}
			return &ai.ModelList{Models: models, ETag: answer.ETag, LastModified: answer.LastModified}, nil
		},
	}
}

// parse reads a gateway's configuration. Entries that lack what every model has are
// left out.
func parse(body []byte, gateway string) ([]*ai.Model, error) {
	var config struct {
		BaseURL string            `json:"baseUrl"`
		Models  []json.RawMessage `json:"models"`
	}
	if err := json.Unmarshal(body, &config); err != nil {
		return nil, err
	}
	base := strings.TrimRight(config.BaseURL, "/")
	if base == "" {
		base = gateway + "/v1"
	}
	var models []*ai.Model
	for _, raw := range config.Models {
		var fields map[string]json.RawMessage
		m := new(ai.Model)
		if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(raw, m) != nil {
			continue
		}
		whole := true
		for _, name := range []string{"id", "name", "reasoning", "input", "cost", "contextWindow", "maxTokens"} {
			whole = whole && len(fields[name]) > 0 && string(fields[name]) != "null"
		}
		if !whole {
			continue
		}
		m.API, m.BaseURL = pimessages.ID, base
		models = append(models, m)
	}
	return models, nil
}
