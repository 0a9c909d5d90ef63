// Package extension is how the coding agent is extended: with tools, commands,
// keys, options, vendors of models, and handlers that see, change or stop what it
// does.
//
// An extension is a value with a function that registers what it has:
//
//	guard := extension.Extension{
//		Name: "guard",
//		Setup: func(_ context.Context, api *extension.API) error {
//			api.Events.ToolCall.Handle(func(ctx context.Context, x *extension.Context, ev *extension.ToolCall) (*extension.ToolCallDecision, error) {
//				if ev.Name != "bash" || x.UI().Confirm(ctx, "Run this?", string(ev.Arguments), extension.DialogOptions{}) {
//					return nil, nil
//				}
//				return &extension.ToolCallDecision{Block: true, Reason: "the user does not want this command"}, nil
//			})
//			return nil
//		},
//	}
//	s, err := codingagent.NewSession(ctx, codingagent.Options{…, Extensions: []extension.Extension{guard}})
//
// # Two phases
//
// Setup only registers: there is no session yet, and everything that acts fails
// with [ErrNotStarted]. From SessionStart on the methods of [API] act, until the
// session is replaced or reloaded: then they fail with [ErrStale], and Setup runs
// again for the session that follows. Handlers get a [Context], which tells how
// things are; commands get a [CommandContext], which can also replace the session.
//
// # What handlers may rely on
//
// Handlers of an event run one after the other, in the order in which extensions
// were loaded; what happens waits for them. [Events] says of each event how
// answers are combined. A handler that fails, or panics, is reported as a [Fault]
// and counts as one that did not answer, but where it decides whether something
// may happen: a call of a tool is blocked then, and a person's command fails. An
// extension runs in the program and has all its rights; it is not confined.
//
// A handler must not wait for what waits for it: it says things with SendUser,
// which returns at once, and stops things with Abort, which does so too.
//
// # For programs
//
// A program makes a [Runner] of a list of extensions and binds it to a [Host].
// The product does so for every session; a program of one's own needs it only for
// tests.
package extension
