// Package pimessages speaks the protocol of gateways that take conversations as
// this module stores them and answer with its own stream events: they adapt both
// to whatever model is behind them, so nothing is transformed here.
//
//	provider := ai.NewProvider(ai.ProviderConfig{
//		ID:     "gateway",
//		Auth:   auth.Methods{APIKey: auth.EnvKey{Vars: []string{"GATEWAY_API_KEY"}}},
//		APIs:   []ai.API{pimessages.New()},
//		Models: []*ai.Model{{ID: "any", Provider: "gateway", API: pimessages.ID, BaseURL: "https://gateway.example/v1", Input: []string{"text"}}},
//	})
//
// What is stored with a message for people and programs only (details of tool
// results, nested calls, diagnostics, unknown fields) is not sent.
package pimessages
