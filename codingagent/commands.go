package codingagent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pi-go/pi/agentcore/skill"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/resource"
)

// Command is something that can be said with a slash before it.
type Command struct {
	// Name is what comes behind the slash.
	Name        string
	Description string
	// Hint shows the arguments, "" if that is not known.
	Hint string
	// Source is "extension", "prompt" or "skill".
	Source string
	Scope  resource.Scope
	Path   string
	// Package is the source of the package that it comes from, "" if from none;
	// Base is the directory of the package, or of the settings that it is of.
	Package, Base string
	// Complete suggests arguments; nil suggests none.
	Complete func(ctx context.Context, prefix string) []extension.Suggestion
}

// Commands lists what can be said with a slash before it: commands of
// extensions, then templates, then skills.
func (s *AgentSession) Commands() []Command {
	var out []Command
	for _, c := range s.extensions().Commands() {
		out = append(out, Command{Name: c.Name, Description: c.Description, Hint: c.Hint, Source: "extension", Scope: resource.Scope(c.Origin.Scope), Path: c.Origin.Path, Complete: c.Complete})
	}
	for _, t := range s.shape.Load().resources.Templates {
		out = append(out, Command{Name: t.Name, Description: t.Description, Hint: t.Hint, Source: "prompt", Scope: t.Scope, Path: t.Path, Package: t.Package, Base: t.Base})
	}
	for _, k := range s.shape.Load().resources.Skills {
		out = append(out, Command{Name: skillPrefix + k.Name, Description: k.Description, Source: "skill", Scope: k.Scope, Path: k.Path, Package: k.Package, Base: k.Base})
	}
	return out
}

const skillPrefix = "skill:"

// ErrNoCommand says that a prompt begins with a slash and a name that nothing
// has.
var ErrNoCommand = errors.New("there is no such command")

// expand puts a skill or a template in the place of the name that a prompt
// begins with. A path, as in "/etc/hosts is empty", is no name.
func (s *AgentSession) expand(p Prompt) (Prompt, error) {
	if p.Literal || !strings.HasPrefix(p.Text, "/") {
		return p, nil
	}
	name, args := p.Text[1:], ""
	if i := strings.IndexAny(name, " \t\r\n"); i >= 0 {
		name, args = name[:i], name[i+1:]
	}
	if short, ok := strings.CutPrefix(name, skillPrefix); ok {
		for _, k := range s.shape.Load().resources.Skills {
			if k.Name == short {
				p.Text, p.Literal = k.Expand(args), true
				return p, nil
			}
		}
	}
	for _, t := range s.shape.Load().resources.Templates {
		if t.Name == name {
			p.Text, p.Literal = t.Expand(args), true
			return p, nil
		}
	}
	if name == "" || strings.ContainsAny(name, `/\.*?<>"'`) {
		return p, nil
	}
	return p, s.noCommand(name)
}

func (s *AgentSession) noCommand(name string) error {
	var known []string
	for _, c := range s.Commands() {
		known = append(known, c.Name)
	}
	hint := ""
	if near := ai.Nearest(name, known, 3); len(near) > 0 {
		hint = "; did you mean /" + strings.Join(near, ", /") + "?"
	}
	return fmt.Errorf("/%s: %w%s (a space before the slash sends it to the model as it is)", name, ErrNoCommand, hint)
}

// skillList tells the model of skills; it needs a tool to read them with.
func (s *AgentSession) skillList() string {
	readable := false
	for _, t := range s.shape.Load().tools {
		readable = readable || t.Name == "read" || t.Name == "bash"
	}
	if !readable {
		return ""
	}
	skills := s.shape.Load().resources.Skills
	list := make([]skill.Skill, len(skills))
	for i, k := range skills {
		list[i] = k.Skill
	}
	return skill.List(list)
}
