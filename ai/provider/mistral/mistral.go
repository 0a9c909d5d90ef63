// Package mistral is the provider of Mistral's own models.
//
//	models := ai.NewModels(mistral.New())
//
// It takes a key from MISTRAL_API_KEY.
package mistral

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/mistralconversations"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the provider's id.
const ID = "mistral"

// New gives the provider with the models of the catalog.
func New() ai.Provider {
	facts := catalog.Mistral()
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth:       auth.Methods{APIKey: auth.EnvKey{Vars: facts.Env()}},
		LoadModels: facts.Models,
		APIs:       []ai.API{mistralconversations.New()},
	})
}
