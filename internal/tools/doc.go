// Package tools is the root of the repository's own checks and release
// tooling: a module that takes part in the workspace and is never published.
//
//	workspace   which modules there are, read from go.work
//	layering    who may import whom
//	lockstep    one version for all modules: verify, bump, tidy, tag
//	rehearsal   a release tried out from a local module proxy
//	house       rules of this code base that no common linter knows
//	fresh       committed generated files against what their generators write
//	initcost    what package initialisation costs the pi binary
//	bench       whole processes against a scripted model, beside the reference
//	testrun     go test over all modules, with a summary a person can read
//	rename      a new module path prefix everywhere
//
// Each has a command of the same name under cmd/, called by scripts/ and the
// Makefile. Tables that say what is allowed are data in files called rules.go.
package tools
