package responses

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// appendTool writes the declaration of a tool; more are members behind it.
func appendTool(dst []byte, tool *ai.Tool, t *traits, d *Dialect, more string) ([]byte, error) {
	if g := openai.GrammarOf(tool); g != nil && t.grammar {
		dst = append(dst, `{"type":"custom","name":`...)
		dst = jsonobj.AppendString(dst, tool.Name)
		dst = append(dst, `,"description":`...)
		dst = jsonobj.AppendString(dst, tool.Description)
		dst = append(dst, `,"format":{"type":"grammar","syntax":`...)
		dst = jsonobj.AppendString(dst, g.Syntax)
		dst = append(dst, `,"definition":`...)
		dst = jsonobj.AppendString(dst, g.Definition)
		return append(append(append(dst, '}'), more...), '}'), nil
	}
	schema, strict, err := openai.Schema(tool, t.strict)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `{"type":"function","name":`...)
	dst = jsonobj.AppendString(dst, tool.Name)
	dst = append(dst, `,"description":`...)
	dst = jsonobj.AppendString(dst, tool.Description)
	dst = append(dst, `,"parameters":`...)
	dst = append(dst, schema...)
	switch {
	case strict:
		dst = append(dst, `,"strict":true`...)
	case t.strict && d.StrictNull:
		dst = append(dst, `,"strict":null`...)
	case t.strict:
		dst = append(dst, `,"strict":false`...)
	}
	return append(append(dst, more...), '}'), nil
}

func appendTools(dst []byte, tools []ai.Tool, t *traits, d *Dialect, more string) ([]byte, error) {
	for i := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = appendTool(dst, &tools[i], t, d, more); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

func (r *Request) setTools(b *openai.Params, st *State, asItems bool) error {
	var tools []ai.Tool
	if len(r.Messages) > 0 {
		if lead, ok := r.Messages[0].(*ai.SystemMessage); ok && !asItems {
			tools = lead.ToolsAdded
		}
	}
	declared := slices.ContainsFunc(r.Messages, func(m ai.Message) bool {
		s, ok := m.(*ai.SystemMessage)
		return ok && len(s.ToolsAdded) > 0
	})
	if len(tools) > 0 {
		var failed error
		unit := history.Unit{Messages: []ai.Message{&ai.SystemMessage{ToolsAdded: tools}}}
		encoded := st.tools.Encode(wire.Settings(r.call.Model, r.call.BaseURL), []history.Unit{unit}, func(dst []byte, _ history.Unit) []byte {
			out, err := appendTools(dst, tools, r.t, r.dialect, "")
			if err != nil {
				failed = err
				return dst
			}
			return out
		})
		if failed != nil {
			st.tools = history.Prefix{}
			return failed
		}
		b.Set("tools", append(append([]byte{'['}, encoded...), ']'))
	}
	if !declared {
		return nil
	}
	choice := r.toolChoice()
	if len(r.opts.ToolChoice) > 0 {
		choice = r.opts.ToolChoice
	}
	if choice != nil {
		b.Set("tool_choice", choice)
	}
	return nil
}

func (r *Request) toolChoice() json.RawMessage {
	choice := r.call.Options.ToolChoice
	switch choice {
	case "":
		if r.dialect.Codex {
			return json.RawMessage(`"auto"`)
		}
		return nil
	case ai.ToolChoiceAuto, ai.ToolChoiceNone, ai.ToolChoiceRequired:
		return jsonobj.AppendString(nil, choice)
	}
	kind := "function"
	if r.grammars[string(choice)] != nil {
		kind = "custom"
	}
	return fmt.Appendf(nil, `{"type":%q,"name":%s}`, kind, jsonobj.AppendString(nil, choice))
}

// announceTools puts into words what a vendor that takes tools as items can not
// be told otherwise: that later ones add to those before, and which are gone.
// The messages that come back carry added tools only.
func announceTools(messages []ai.Message) []ai.Message {
	var gone []string
	out := messages
	for i, m := range messages {
		s, ok := m.(*ai.SystemMessage)
		if !ok || i == 0 && len(s.ToolsRemoved) == 0 {
			continue
		}
		for _, name := range s.ToolsRemoved {
			if !slices.Contains(gone, name) {
				gone = append(gone, name)
			}
		}
		gone = slices.DeleteFunc(gone, func(name string) bool {
			return slices.ContainsFunc(s.ToolsAdded, func(t ai.Tool) bool { return t.Name == name })
		})
		notice := ""
		if len(s.ToolsAdded) > 0 && i > 0 {
			notice = "The tools that follow are added to the ones you have; one of the same name replaces the earlier one."
		}
		if len(gone) > 0 && (len(s.ToolsAdded) > 0 || len(s.ToolsRemoved) > 0) {
			notice = strings.TrimSpace(notice + " These tools are not available any more: " + strings.Join(gone, ", ") + ".")
		}
		if notice == "" && len(s.ToolsRemoved) == 0 {
			continue
		}
		if len(out) > 0 && &out[0] == &messages[0] {
			out = slices.Clone(messages)
		}
		c := *s
		c.ToolsRemoved = nil
		if notice != "" {
			c.Content = strings.TrimSpace(s.Content + "\n\n" + notice)
		}
		out[i] = &c
	}
	return out
}
