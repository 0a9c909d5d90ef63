// Package openaicodex is the provider of models of a ChatGPT subscription. A login
// is the only way to it.
//
//	models := ai.ModelsConfig{Credentials: store}.New(openaicodex.New())
package openaicodex

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openaicodexresponses"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/login"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the provider's id.
const ID = "openai-codex"

// New gives the provider with the models of the catalog.
func New() ai.Provider {
	facts := catalog.OpenAICodex()
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth:       auth.Methods{OAuth: login.OpenAICodex()},
		LoadModels: facts.Models,
		APIs:       []ai.API{openaicodexresponses.New()},
	})
}
