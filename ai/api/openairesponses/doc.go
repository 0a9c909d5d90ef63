// Package openairesponses speaks OpenAI's Responses protocol, which xAI, Meta,
// GitHub Copilot and several gateways offer too.
//
//	provider := ai.NewProvider(ai.ProviderConfig{
//		ID:     "mine",
//		Auth:   auth.Methods{APIKey: auth.EnvKey{Vars: []string{"MY_KEY"}}},
//		APIs:   []ai.API{openairesponses.New()},
//		Models: []*ai.Model{{ID: "gpt-x", Provider: "mine", API: openairesponses.ID, BaseURL: "https://gateway.example/v1", Reasoning: true, Input: []string{"text"}}},
//	})
//
// Requests are stateless: nothing is stored at the vendor, and the model's
// reasoning goes back encrypted, as it came. [Compat] on a model says how its
// vendor differs; [Options] hold what only this protocol knows.
//
// With a login instead of a key, OpenAI's own address takes no output cap, no
// temperature and no cache settings; they are left out.
package openairesponses
