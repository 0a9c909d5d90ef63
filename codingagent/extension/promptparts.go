package extension

import (
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/internal/systemprompt"
)

// PromptParts is what the system prompt of a session is made of. It is the receiver's to
// change, but not what is in its slices.
type PromptParts struct {
	// Custom takes the place of what the program says of itself, of the tools, rules and the
	// manual; "" if nothing does.
	Custom string
	// Append are texts that the person has added.
	Append []string
	// Tools are those that the model is told of, in order.
	Tools []PromptTool
	// Manual says where the program's manual is, Skills lists the skills; "" leaves it out.
	Manual, Skills string
	// Files are AGENTS.md and the like.
	Files []PromptFile
	Dir   string
}

// PromptTool is what a prompt says of a tool; see [Tool].
type PromptTool struct {
	Name, Snippet string
	Guidelines    []string
}

// PromptFile is a file whose text is in the prompt.
type PromptFile struct{ Path, Text string }

// Sections makes a prompt of the parts, for [BeforeAgentStart.Sections].
func (p PromptParts) Sections() []ai.Section {
	in := systemprompt.Input{Custom: p.Custom, Append: p.Append, Docs: p.Manual, Skills: p.Skills, CWD: p.Dir}
	for _, t := range p.Tools {
		in.Tools = append(in.Tools, systemprompt.Tool{Name: t.Name, Snippet: t.Snippet, Rules: t.Guidelines})
	}
	for _, f := range p.Files {
		in.ContextFiles = append(in.ContextFiles, systemprompt.ContextFile{Path: f.Path, Content: f.Text})
	}
	return systemprompt.Sections(in)
}

// PromptParts gives what the prompt of the next run is made of, before handlers of
// BeforeAgentStart change it.
func (x *Context) PromptParts() PromptParts {
	p := ask(x, Host.PromptParts)
	p.Append, p.Tools, p.Files = slices.Clone(p.Append), slices.Clone(p.Tools), slices.Clone(p.Files)
	return p
}
