// Package login holds the logins of the vendors that offer one.
//
//	provider := ai.NewProvider(ai.ProviderConfig{
//		ID:   "anthropic",
//		Auth: auth.Methods{OAuth: login.Anthropic()},
//		…
//	})
//
// Most vendors issue client ids to programs. No id that was issued to another program
// is part of this package, and no request claims to come from another vendor's
// product: the id comes with [auth.Host], and without one a login says how to
// configure it. OpenRouter and OpenAI need none.
//
// What a login stores has the fields of pi's own file of credentials, so that both
// programs can use it.
package login
