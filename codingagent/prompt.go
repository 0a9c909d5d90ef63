package codingagent

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/systemprompt"
	"github.com/pi-go/pi/codingagent/manual"
)

// OriginKind says what sort of place a part of a prompt comes from.
type OriginKind string

// The kinds of origins.
const (
	FromBuiltIn   OriginKind = "built-in"  // the program; Name is empty
	FromFile      OriginKind = "file"      // Name is its path
	FromTool      OriginKind = "tool"      // what a tool says of itself; Name is the tool's
	FromOption    OriginKind = "option"    // a field of [Options]; Name is the field's
	FromExtension OriginKind = "extension" // Name is its path
	FromSession   OriginKind = "session"   // the place where the session works; Name is empty
)

// Origin is a place that a part of the prompt comes from.
type Origin struct {
	Kind OriginKind `json:"kind"`
	Name string     `json:"name,omitempty"`
}

// PromptSection is a section of the system prompt, as it is sent.
type PromptSection struct {
	Name    string   `json:"name"`
	Text    string   `json:"text"`
	Origins []Origin `json:"origins"`
}

// PromptTool is the definition of a tool, as it is sent.
type PromptTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Origin      Origin          `json:"origin"`
}

// SystemPrompt gives the sections that the next prompt of the session would
// send, in order, each with where it comes from. Joined by blank lines they are
// the system prompt of vendors that want one text.
func (s *AgentSession) SystemPrompt() []PromptSection {
	in, origins := s.promptInput()
	own := make(map[string]string)
	sections := systemprompt.Sections(in)
	for _, sec := range sections {
		if sec.Text != nil {
			own[sec.Name] = *sec.Text
		}
	}
	if changed := s.running.prompt(); changed != nil {
		sections = changed
	}
	var out []PromptSection
	for _, sec := range sections {
		if sec.Text == nil {
			continue
		}
		from := origins[sec.Name]
		if text, ok := own[sec.Name]; !ok || text != *sec.Text {
			from = []Origin{{FromExtension, "an extension"}}
		}
		out = append(out, PromptSection{sec.Name, *sec.Text, from})
	}
	return out
}

// PreparePrompt does what comes before a prompt: extensions learn that the session
// begins and that a run is about to, with an empty message, and are waited for as long
// as a prompt would wait, such as for MCP servers. SystemPrompt and PromptTools then
// are what would be sent.
func (s *AgentSession) PreparePrompt(ctx context.Context) {
	s.Start(ctx)
	_, sections := s.extensions().AgentStart(ctx, extension.BeforeAgentStart{Message: ai.UserText(""), Sections: s.ownPrompt()})
	s.running.sections.Store(&sections)
}

// PromptTools gives the definitions of the tools that the model is told of, in order.
func (s *AgentSession) PromptTools() []PromptTool {
	shape := s.shape.Load()
	out := make([]PromptTool, 0, len(shape.tools))
	for _, t := range shape.tools {
		if slices.Contains(shape.undeclared, t.Name) {
			continue
		}
		origin := Origin{Kind: FromBuiltIn}
		for _, k := range shape.known {
			switch {
			case k.Name != t.Name || k.origin == builtIn():
			case k.origin.Path == "CustomTools":
				origin = Origin{FromOption, "CustomTools"}
			default:
				origin = Origin{FromExtension, k.origin.Path}
			}
		}
		out = append(out, PromptTool{t.Name, t.Description, t.Parameters, origin})
	}
	return out
}

// system gives the prompt: that of the run under way, which extensions may have
// changed, or the one made of the session.
func (s *AgentSession) system() []ai.Section {
	if sections := s.running.prompt(); sections != nil {
		return sections
	}
	return s.ownPrompt()
}

// ownPrompt builds the prompt.
func (s *AgentSession) ownPrompt() []ai.Section {
	in, _ := s.promptInput()
	return systemprompt.Sections(in)
}

// promptInput gathers what the prompt is made of, with the origins by the name
// of the section.
func (s *AgentSession) promptInput() (systemprompt.Input, map[string][]Origin) {
	builtIn := []Origin{{Kind: FromBuiltIn}}
	from := map[string][]Origin{
		systemprompt.SectionPreamble: builtIn, systemprompt.SectionDocs: builtIn,
		systemprompt.SectionCWD: {{Kind: FromSession}},
	}
	shape := s.shape.Load()
	in := systemprompt.Input{CWD: s.env.Dir, Skills: s.skillList()}
	if in.Custom = cmp.Or(s.opts.SystemPrompt, shape.resources.System); in.Custom != "" {
		from[systemprompt.SectionPreamble] = oneOrigin(s.opts.SystemPrompt != "", "SystemPrompt", shape.resources.SystemPath)
	}
	if in.Append = s.opts.AppendSystemPrompt; len(in.Append) == 0 && shape.resources.Append != "" {
		in.Append = []string{shape.resources.Append}
	}
	from[systemprompt.SectionAddendum] = oneOrigin(len(s.opts.AppendSystemPrompt) > 0, "AppendSystemPrompt", shape.resources.AppendPath)
	from[systemprompt.SectionRules] = slices.Clone(builtIn)
	for _, t := range shape.tools {
		if slices.Contains(shape.undeclared, t.Name) {
			continue
		}
		in.Tools = append(in.Tools, systemprompt.Tool{Name: t.Name, Snippet: t.Snippet, Rules: t.Guidelines})
		add := func(section string) { from[section] = append(from[section], Origin{FromTool, t.Name}) }
		add(systemprompt.SectionTools)
		if len(t.Guidelines) > 0 {
			add(systemprompt.SectionRules)
		}
	}
	in.Docs = docsNote(in.Tools)
	for _, f := range shape.files {
		in.ContextFiles = append(in.ContextFiles, systemprompt.ContextFile(f))
		from[systemprompt.SectionProjectContext] = append(from[systemprompt.SectionProjectContext], Origin{FromFile, f.Path})
	}
	for _, k := range shape.resources.Skills {
		from[systemprompt.SectionSkills] = append(from[systemprompt.SectionSkills], Origin{FromFile, k.Path})
	}
	return in, from
}

// docsNote tells where the manual is, by a tool that can read it.
func docsNote(tools []systemprompt.Tool) string {
	has := func(name string) bool {
		return slices.ContainsFunc(tools, func(t systemprompt.Tool) bool { return t.Name == name })
	}
	how := ""
	switch {
	case has("read"):
		how = "The manual of pi is in " + manual.Scheme + "/, which read, grep, find and ls take for a directory (commands do not see it). Begin with " +
			manual.Scheme + "/" + manual.Index + ".md"
	case has("bash"):
		how = "The manual of pi is printed by the command pi docs (pi docs TOPIC for a page)"
	default:
		return ""
	}
	return how + " when the user asks about pi itself: its settings, models, keys, sessions, skills. Leave it alone otherwise."
}

func oneOrigin(option bool, field, path string) []Origin {
	if option {
		return []Origin{{FromOption, field}}
	}
	return []Origin{{FromFile, path}}
}
