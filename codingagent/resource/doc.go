// Package resource finds what shapes a session besides its settings: instruction
// files, skills, prompt templates, themes and extensions, of the user, of the
// project and of the packages that the settings name.
//
//	set := resource.Load(ctx, resource.Request{Env: env, AgentDir: agentDir, Trusted: trusted, User: user, Project: project})
//	for _, s := range set.Skills { fmt.Println(s.Name, s.Path) }
//
// Extensions and themes are only found here; others read them. [Switch] changes the
// settings so that a resource is used or not.
//
// Nothing here stops a session: a file that can not be used becomes a
// [Diagnostic] that names it.
package resource

// Diagnostic is a fault that was worked around.
type Diagnostic struct {
	// Path is the file it is about.
	Path string
	// Message says what is wrong and what was done instead.
	Message string
}
