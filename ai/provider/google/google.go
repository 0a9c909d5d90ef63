// Package google is the provider of Google's Gemini API.
//
//	models := ai.NewModels(google.New())
//	model, err := models.Model("google", "gemini-flash-latest")
//
// It takes a key from GEMINI_API_KEY. Gemini on Google Cloud is another provider.
package google

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/googlegenerativeai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the provider's id.
const ID = "google"

// New gives the provider with the models of the catalog.
func New() ai.Provider {
	facts := catalog.Google()
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth:       auth.Methods{APIKey: auth.EnvKey{Vars: facts.Env()}},
		LoadModels: facts.Models,
		APIs:       []ai.API{googlegenerativeai.New()},
	})
}
