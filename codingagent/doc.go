// Package codingagent is the coding agent as a library: sessions that read,
// run and change files in a directory.
//
// A session needs to know where it works and which models there are; all else
// has a default:
//
//	models := ai.NewModels(anthropic.New())
//	model, err := models.Model("anthropic", "claude-sonnet-5")
//	if err != nil { … }
//	s, err := codingagent.NewSession(ctx, codingagent.Options{
//		Dir: "/home/me/project", Models: models, Model: model, Session: codingagent.InMemory(),
//	})
//	if err != nil { … }
//	defer s.Close(ctx)
//	result, err := s.Prompt(ctx, codingagent.Prompt{Text: "What does this program do?"}, codingagent.PromptOptions{})
//
// Many sessions with different directories and keys live in one process; the
// package has no globals, does not look at the process's own directory, and
// prints nothing.
package codingagent
