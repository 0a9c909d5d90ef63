// Package resource finds what shapes a session besides its settings: the
// instruction files of the user and of the project.
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
