// Package openaicompletions speaks OpenAI's Chat Completions protocol, which
// most vendors and local servers have made their own.
//
//	provider := ai.NewProvider(ai.ProviderConfig{
//		ID:     "local",
//		Auth:   auth.Methods{APIKey: auth.EnvKey{Vars: []string{"LOCAL_API_KEY"}, Optional: true}},
//		APIs:   []ai.API{openaicompletions.New()},
//		Models: []*ai.Model{{ID: "qwen3", Provider: "local", API: openaicompletions.ID, BaseURL: "http://localhost:8000/v1", Input: []string{"text"}}},
//	})
//
// Vendors differ in field names and in what they refuse. [Compat] on a model
// says how; what it leaves open is decided by the provider's id and the host of
// the base URL, and an unknown vendor is treated like OpenAI.
//
// # Blocks
//
// Blocks end when the next one begins, and reasoning that goes on after text
// becomes a block of its own: the order in which a model thought, wrote and
// called is kept. A tool call ends when another block begins and its arguments
// are whole by then, else with the answer, as vendors may send the deltas of
// several calls in turn.
package openaicompletions
