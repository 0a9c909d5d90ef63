// Package anthropicmessages speaks Anthropic's Messages protocol, which several
// vendors and gateways offer for their own models too.
//
//	provider := ai.NewProvider(ai.ProviderConfig{
//		ID:     "mine",
//		Auth:   auth.Methods{APIKey: auth.EnvKey{Vars: []string{"MY_KEY"}}},
//		APIs:   []ai.API{anthropicmessages.New()},
//		Models: []*ai.Model{{ID: "claude-x", Provider: "mine", API: anthropicmessages.ID, BaseURL: "https://gateway.example", Input: []string{"text"}}},
//	})
//
// Vendors differ in which features they accept; [Compat] on a model says so.
// [Options] hold what only this protocol knows.
//
// # Prompt cache
//
// A request marks three ends for the vendor's cache: the system prompt, the last
// tool and the end of the conversation. What stands before them is encoded the
// same way each time, byte for byte; an [ai.Conversation] keeps the encoded
// history so that a turn costs only what is new in it.
//
// # Identity
//
// Requests name this program and no other. A token of a login (sk-ant-oat…) is
// sent as a bearer token with the beta that such tokens need, and nothing else
// about the request changes.
package anthropicmessages
