// Package openai is the provider of OpenAI's own models.
//
//	models := ai.NewModels(openai.New())
//	model, err := models.Model("openai", "gpt-5.5")
//
// It takes a key from OPENAI_API_KEY, or a login with a ChatGPT plan.
package openai

import (
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/api/openaidecisions"
	"github.com/pi-go/pi/ai/api/openairesponses"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/login"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the provider's id.
const ID = "openai"

// New gives the provider with the models of the catalog. They speak Responses; a
// model that names Chat Completions as its protocol works too.
func New() ai.Provider {
	facts := catalog.OpenAI()
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth:           auth.Methods{APIKey: auth.EnvKey{Vars: facts.Env()}, OAuth: login.OpenAI()},
		LoadModels:     facts.Models,
		APIs:           []ai.API{openairesponses.New(), openaicompletions.New()},
		ClassifierAPIs: []ai.ClassifierAPI{openaidecisions.New()},
		// The vendor answers questions of classifiers for keys only.
		FilterModels: func(models []*ai.Model, c *auth.Credential) []*ai.Model {
			if c == nil || c.Type != auth.TypeOAuth {
				return models
			}
			return slices.DeleteFunc(slices.Clone(models), func(m *ai.Model) bool { return m.Type == ai.ModelClassifier })
		},
	})
}
