// Package githubcopilot is the provider of models of a Copilot subscription.
//
//	models := ai.NewModels(githubcopilot.New())
//
// It takes a token from COPILOT_GITHUB_TOKEN, or a login, which also says which
// models the account may use and where.
package githubcopilot

import (
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/api/openairesponses"
	"github.com/pi-go/pi/ai/api/systemone"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/login"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the provider's id.
const ID = "github-copilot"

// New gives the provider with the models of the catalog.
func New() ai.Provider {
	facts := catalog.GitHubCopilot()
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth: auth.Methods{
			APIKey: auth.EnvKey{Vars: facts.Env(), BearerVars: facts.Env()},
			OAuth:  login.GitHubCopilot(),
		},
		LoadModels:     facts.Models,
		APIs:           []ai.API{openairesponses.New(), anthropicmessages.New(), openaicompletions.New()},
		ClassifierAPIs: []ai.ClassifierAPI{systemone.Config{Path: "/v1"}.New()},
		FilterModels:   available,
	})
}

// available lists the chat models that a login found for its account.
func available(models []*ai.Model, c *auth.Credential) []*ai.Model {
	ids, known := login.CopilotModels(c)
	if !known {
		return models
	}
	return slices.DeleteFunc(slices.Clone(models), func(m *ai.Model) bool {
		return m.Type == "" && !slices.Contains(ids, m.ID)
	})
}
