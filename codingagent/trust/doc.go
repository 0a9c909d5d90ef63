// Package trust decides whether the files of a project may steer the agent:
// its settings, extensions, skills, prompts and system prompt. Somebody else
// may have written them, so nothing of them is read before a person has said
// so, once, for the directory or for one above it.
//
//	found, err := trust.Found(ctx, env)             // what would steer
//	d, err := trust.Decide(ctx, trust.Request{Env: env, Store: store, Default: "ask"})
//	if d.Trusted { … read it … }
//
// Decisions are kept in a file of the user's, outside any project, that is
// shared with the reference implementation. A project has no say in it. Trust
// is no sandbox: what a trusted project runs can do what its user can.
package trust
