// Package ai is an LLM client: one message model, one stream contract, many
// vendors.
//
// A [Provider] is a vendor account; an [API] is a wire protocol; a [Model]
// names both. Put the providers you need into a [Models] collection and ask:
//
//	models := ai.NewModels(anthropic.New())
//	model, err := models.Model("anthropic", "claude-sonnet-5")
//	if err != nil { … }
//	s := models.Stream(ctx, model, ai.Request{Messages: []ai.Message{ai.UserText("Hello")}}, ai.Options{})
//	for ev := range s.Events() {
//		if ev.Type == ai.EventTextDelta {
//			fmt.Print(ev.Delta)
//		}
//	}
//	answer := s.Result()
//
// Providers are in the packages below provider: a vendor each, in provider/compatible
// those that differ in data only, and in provider/all everything at once. A server of
// one's own, such as Ollama or llama.cpp, is
//
//	compatible.Local("ollama", "http://localhost:11434/v1", "qwen3:8b")
//
// # The stream contract
//
// A call never returns an error and never panics: it gives a [Stream]. The
// request is sent at the first pull of [Stream.Events] (or by
// [Stream.Result]), on the caller's goroutine, so a slow reader slows the
// connection and nothing can leak. Events are well-formed whatever the vendor
// does: one start, blocks that open, grow and close, and exactly one done or
// error at the end. What goes wrong is in the answer: its StopReason, its
// ErrorMessage for people, and its Failure, an *[APIError], for programs. What
// had arrived by then is kept. Leaving the loop early closes the connection.
//
// Package aitest holds the contract as a test suite for writers of providers;
// package faux is a scripted provider for tests and demonstrations.
//
// # No globals
//
// Importing this package registers nothing and links no vendor's code. What
// is not put into a collection is not in the program.
package ai
