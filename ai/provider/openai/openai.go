// Package openai is the provider of OpenAI's own models.
//
//	models := ai.NewModels(openai.New())
//	model, err := models.Model("openai", "gpt-5.5")
//
// It takes a key from OPENAI_API_KEY.
package openai

import (
	"sync"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the provider's id.
const ID = "openai"

// New gives the provider with the models of the catalog.
func New() ai.Provider {
	facts := catalog.OpenAI()
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth:       auth.Methods{APIKey: auth.EnvKey{Vars: facts.Env()}},
		LoadModels: sync.OnceValue(func() []*ai.Model { return overCompletions(facts.Models()) }),
		APIs:       []ai.API{openaicompletions.New()},
	})
}

// overCompletions lists the models with Chat Completions as their protocol where
// the catalog names Responses: the vendor offers both for all of them.
func overCompletions(models []*ai.Model) []*ai.Model {
	list := make([]*ai.Model, 0, len(models))
	for _, m := range models {
		c := *m
		if c.API == "openai-responses" {
			// Flags of the other protocol mean nothing here.
			c.API, c.Compat = openaicompletions.ID, []byte(`{"supportsStrictMode":true}`)
		}
		list = append(list, &c)
	}
	return list
}
