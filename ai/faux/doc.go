// Package faux is a provider that answers from a script: for tests of agents
// and user interfaces, and for demonstrations without a network.
//
// Responses are queued, or computed from the request:
//
//	p := faux.New(faux.Config{})
//	p.Queue(
//		faux.Calls(faux.Call("read", map[string]any{"path": "go.mod"})),
//		faux.Say("The module is called example."),
//	)
//	models := ai.NewModels(p)
//	answer, err := models.Complete(ctx, p.Model(), ai.Request{…}, ai.Options{})
//
// A response is a list of steps: text, thinking, tool calls, waiting, failing.
// A step is a function, so a test can do anything in the middle of an answer.
// What was asked is recorded (see [Provider.Requests]).
//
// Answers take the same way as those of real providers, so everything that
// package ai promises about streams holds here too. Text arrives in pieces of
// a few characters; with [Config].Delay it arrives at the pace of a model.
package faux
