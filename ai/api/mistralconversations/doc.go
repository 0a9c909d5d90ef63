// Package mistralconversations speaks Mistral's chat protocol.
//
//	provider := ai.NewProvider(ai.ProviderConfig{
//		ID:     "mistral",
//		Auth:   auth.Methods{APIKey: auth.EnvKey{Vars: []string{"MISTRAL_API_KEY"}}},
//		APIs:   []ai.API{mistralconversations.New()},
//		Models: []*ai.Model{{ID: "mistral-large-latest", Provider: "mistral", API: mistralconversations.ID, BaseURL: "https://api.mistral.ai", Input: []string{"text"}}},
//	})
//
// It resembles OpenAI's Chat Completions, but thinking is part of the content,
// ids of tool calls are exactly nine letters and digits, and failed tool results
// say so in their text.
package mistralconversations
