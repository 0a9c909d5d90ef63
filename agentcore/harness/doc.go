// Package harness runs an agent on a session: it is the one run controller
// for programs that keep conversations.
//
// A [Harness] owns an agent and a session. It writes each finished message
// into the session before anybody hears of it, declares the prompt and its
// changes, queues messages that come while it works, tries failed answers
// again, and settles: after [Settled] nothing of the prompt is outstanding and
// the session is on disk.
//
//	h, err := harness.New(ctx, harness.Config{
//		Session: s, Model: model, Tools: tools,
//		Loop: agentcore.LoopConfig{Stream: models.Stream},
//	})
//	if err != nil { … }
//	defer h.Close(ctx)
//	h.Subscribe(func(ctx context.Context, ev agentcore.Event) error { … })
//	result, err := h.Prompt(ctx, ai.UserText("Hello"), harness.PromptOptions{})
//
// It knows nothing of directories, settings or products; those come in through
// [Config] and the hooks of the loop.
//
// All methods may be called from any goroutine. Events are delivered one at a
// time, in order; those of a run on the goroutine that prompts.
package harness
