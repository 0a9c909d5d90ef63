package openai

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/strictschema"
	"github.com/pi-go/pi/ai/jsonobj"
)

// Grammar is the form of a tool whose one argument is free text under a grammar.
type Grammar struct {
	Property   string // the argument that the text stands for
	Syntax     string // "lark" or "regex"
	Definition string
}

// GrammarOf gives the grammar of a tool, nil when it has none: its schema must
// have one required property, a string.
func GrammarOf(tool *ai.Tool) *Grammar {
	s := tool.Sampling
	if s == nil || s.Type != ai.SamplingGrammar {
		return nil
	}
	for _, syntax := range []string{"lark", "regex"} {
		if g := s.Variants["openai_"+syntax]; g != "" {
			if property := soleString(tool.Schema()); property != "" {
				return &Grammar{Property: property, Syntax: syntax, Definition: g}
			}
		}
	}
	return nil
}

// soleString gives the name of the one required property of a schema, if that is
// a string.
func soleString(schema json.RawMessage) string {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil || len(s.Required) != 1 || s.Properties[s.Required[0]].Type != "string" {
		return ""
	}
	return s.Required[0]
}

// Grammars are the grammar tools of a conversation, by name.
type Grammars map[string]*Grammar

// GrammarsOf lists the tools that a conversation declares with a grammar.
func GrammarsOf(messages []ai.Message) Grammars {
	var list Grammars
	for _, m := range messages {
		s, ok := m.(*ai.SystemMessage)
		if !ok {
			continue
		}
		for i := range s.ToolsAdded {
			tool := &s.ToolsAdded[i]
			g := GrammarOf(tool)
			if g == nil {
				delete(list, tool.Name)
				continue
			}
			if list == nil {
				list = make(Grammars)
			}
			list[tool.Name] = g
		}
	}
	return list
}

// Key tells apart two sets of grammar tools as far as a history depends on them.
func (l Grammars) Key() string {
	names := make([]string, 0, len(l))
	for name, g := range l {
		names = append(names, name+"="+g.Property)
	}
	slices.Sort(names)
	return fmt.Sprintf("%q", names)
}

// Input gives the free text in the arguments of a call.
func (g *Grammar) Input(arguments json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(arguments, &args) != nil {
		return ""
	}
	input, _ := args[g.Property].(string)
	return input
}

// FreeText turns the pieces of a free text into pieces of the JSON object that
// stands for it.
type FreeText struct {
	Property string
	begun    bool
}

// Piece gives the JSON for a piece of text.
func (f *FreeText) Piece(text string) string {
	var out []byte
	if !f.begun {
		f.begun = true
		out = append(jsonobj.AppendString([]byte{'{'}, f.Property), `:"`...)
	}
	quoted := jsonobj.AppendString(nil, text)
	return string(append(out, quoted[1:len(quoted)-1]...))
}

// Close gives the JSON behind the last piece.
func (f *FreeText) Close() string {
	if !f.begun {
		return f.Piece("") + `"}`
	}
	return `"}`
}

// Schema gives the schema of a tool to send, and whether it is strict. supported
// says that the vendor samples strict arguments at all. It is an error when the
// tool requires that and it can not be had.
func Schema(tool *ai.Tool, supported bool) (schema json.RawMessage, strict bool, err error) {
	schema = tool.Schema()
	if !json.Valid(schema) {
		return nil, false, ai.Errorf(ai.KindConfig, "the parameters of tool %q are not JSON", tool.Name)
	}
	s := tool.Sampling
	if s == nil || s.Type != ai.SamplingJSONSchema {
		return schema, false, nil
	}
	why := "this model's vendor does not offer that (compat supportsStrictMode)"
	if supported {
		converted, err := strictschema.Convert(schema)
		if err == nil {
			return converted, true, nil
		}
		why = err.Error()
	}
	if s.Strict == "require" {
		return nil, false, ai.Errorf(ai.KindConfig, "tool %q requires strict arguments: %s", tool.Name, why)
	}
	return schema, false, nil
}
