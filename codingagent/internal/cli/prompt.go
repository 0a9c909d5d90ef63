package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/models"
)

// promptOptions are the options that shape a prompt.
func promptOptions() []option {
	return append(sharedOptions("model", "provider", "tools", "exclude-tools", "no-tools", "no-builtin-tools", "system-prompt",
		"append-system-prompt", "no-context-files", "skill", "no-skills", "no-mcp", "approve", "no-approve"), jsonOption())
}

// runPrompt is pi prompt show: what a new session of this directory would send
// before anybody has said a word.
func (p *program) runPrompt(ctx context.Context, words []string) (err error) {
	if _, err := oneOf("prompt", words, []string{"show"}); err != nil {
		return err
	}
	o, err := p.options(ctx)
	if err != nil {
		return err
	}
	choice, err := p.chooseModel(ctx)
	if err != nil {
		return err
	}
	// A prompt can be looked at without any model.
	if o.Model = choice.Model; o.Model == nil {
		o.Model = models.Default(p.available(ctx), p.settings.DefaultProvider, p.settings.DefaultModel)
	}
	p.checkToolNames()
	s, err := codingagent.NewSession(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	s.PreparePrompt(ctx) // extensions bring tools and sections, and MCP servers theirs
	for _, d := range s.Diagnostics() {
		p.warn("%s %s", d.Path, d.Message)
	}
	r := p.promptReport(s)
	if p.args.JSON {
		return p.writeJSON(r)
	}
	return p.writePrompt(r)
}

// promptReport is the form of --json.
type promptReport struct {
	Model    string                      `json:"model,omitempty"`
	Tokens   int64                       `json:"tokens"` // of everything, estimated
	Sections []codingagent.PromptSection `json:"sections"`
	Tools    []codingagent.PromptTool    `json:"tools"`
	// ToolsFrom say what chose the tools, the strongest first.
	ToolsFrom []string `json:"toolsFrom"`
}

func (p *program) promptReport(s *codingagent.AgentSession) promptReport {
	r := promptReport{Sections: s.SystemPrompt(), Tools: s.PromptTools(), ToolsFrom: p.toolsFrom()}
	if m := s.Model(); m != nil {
		r.Model = m.Ref()
	}
	for i, sec := range r.Sections {
		r.Tokens += ai.EstimateText(sec.Text)
		for j, o := range sec.Origins {
			if o.Kind == codingagent.FromOption {
				r.Sections[i].Origins[j].Name = map[string]string{"SystemPrompt": "--system-prompt", "AppendSystemPrompt": "--append-system-prompt"}[o.Name]
			}
		}
	}
	for _, t := range r.Tools {
		r.Tokens += ai.EstimateText(t.Name) + ai.EstimateText(t.Description) + ai.EstimateText(t.Parameters)
	}
	return r
}

// toolsFrom says what decided about the tools.
func (p *program) toolsFrom() []string {
	var from []string
	for _, o := range []struct {
		given bool
		text  string
	}{
		{p.args.ExcludeTools != nil, "--exclude-tools " + strings.Join(p.args.ExcludeTools, ",")},
		{p.args.NoTools, "--no-tools"},
		{p.args.NoBuiltinTools, "--no-builtin-tools"},
		{p.args.Tools != nil, "--tools " + strings.Join(p.args.Tools, ",")},
	} {
		if o.given {
			from = append(from, o.text)
		}
	}
	for _, e := range p.loaded.Explain("defaultTools") {
		if e.Value != nil {
			from = append(from, "setting defaultTools in "+e.From.Path)
		}
		for _, v := range e.Over {
			from = append(from, "setting defaultTools in "+v.Path)
		}
	}
	return append(from, "the default")
}

func (p *program) writePrompt(r promptReport) error {
	var b strings.Builder
	model := r.Model
	if model == "" {
		model = "no model is available, so this is for none in particular"
	}
	fmt.Fprintf(&b, "About %d tokens before the first message (%s).\n", r.Tokens, model)
	for _, s := range r.Sections {
		fmt.Fprintf(&b, "\n── %s · %s\n%s\n", s.Name, originList(s.Origins), strings.TrimRight(s.Text, "\n"))
	}
	count := fmt.Sprintf("%d tools", len(r.Tools))
	switch len(r.Tools) {
	case 0:
		count = "No tools"
	case 1:
		count = "One tool"
	}
	fmt.Fprintf(&b, "\n%s. Chosen by: %s\n", count, strings.Join(r.ToolsFrom, ", then "))
	for _, t := range r.Tools {
		var schema bytes.Buffer
		if json.Indent(&schema, t.Parameters, "", "  ") != nil {
			schema.Write(t.Parameters)
		}
		fmt.Fprintf(&b, "\n── tool %s · %s\n%s\n%s\n", t.Name, originList([]codingagent.Origin{t.Origin}), strings.TrimSpace(t.Description), schema.String())
	}
	_, err := fmt.Fprint(p.sys.Out, p.clean(b.String()))
	return err
}

func originList(list []codingagent.Origin) string {
	var out []string
	var tools []string
	for _, o := range list {
		switch o.Kind {
		case codingagent.FromTool:
			tools = append(tools, o.Name)
		case codingagent.FromSession:
			out = append(out, "the directory of the session")
		case codingagent.FromBuiltIn:
			out = append(out, "built in")
		default:
			out = append(out, o.Name)
		}
	}
	if len(tools) > 0 {
		out = append(out, "of the tools "+strings.Join(tools, ", "))
	}
	return strings.Join(out, ", ")
}

// writeJSONLine prints what programs read: one value on one line.
func (p *program) writeJSONLine(v any) error {
	e := json.NewEncoder(p.sys.Out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// writeJSON prints what programs read: one value, indented.
func (p *program) writeJSON(v any) error {
	e := json.NewEncoder(p.sys.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
