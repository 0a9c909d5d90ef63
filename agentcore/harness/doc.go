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
// What it is doing is its [Phase]; the table there says what each method does
// in each phase. [Hooks] can stop, change or replace every step of its own, the
// hooks of the loop every step of a run. Errors have a code ([CodeOf]).
//
// # Promises
//
//   - A message that a listener hears of (MessageEnd) is in the session, and an
//     entry that is in the session stays, whatever fails later.
//   - What the model is shown is what the session says: after a failure the
//     transcript is taken from there.
//   - Each prompt that was accepted ends with one [Settled], which is its last
//     event. A message that was queued is delivered once, by this prompt or by
//     the next: after an abort it waits, and one that comes while Settled is
//     told begins a run at once.
//   - Each CompactionStart has a CompactionEnd, each series of RetryStart a
//     RetryEnd.
//
// It knows nothing of directories, settings or products; those come in through
// [Config] and the hooks of the loop.
//
// All methods may be called from any goroutine. Events are delivered one at a
// time, in order; those of a run on the goroutine that prompts.
package harness
