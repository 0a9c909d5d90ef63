// Package tools holds the tools of the coding agent: read, write, edit, bash,
// powershell, grep, find and ls. They work on an execenv.Env, so they serve files
// and commands on this machine, in memory or elsewhere alike.
//
//	set := tools.New(tools.Options{Env: env})
//	for _, d := range set {
//		agent.Tools = append(agent.Tools, d.Tool)
//	}
//
// Every tool comes as a [Definition]: the tool itself, and what a system prompt
// says about it.
//
// # Results
//
// A result is text (or an image) for the model, details for whoever shows or
// stores the call, and a structured value for programs that made the call. Text
// is always valid UTF-8, and at most 2000 lines or 50 KiB of it; what was left
// out, and how to get at it, is said in one bracketed line at the end. The
// details hold an account of the cut (package truncate) but not the text again.
//
// # Files
//
// Changes of one file follow each other, by its real path, through a [FileQueue].
// Writing replaces a file in one step. See [ResolveExisting] for the names that
// are understood.
package tools
