package openaicompletions

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/strictschema"
	"github.com/pi-go/pi/ai/jsonobj"
)

// customTool is a tool whose one argument is free text under a grammar.
type customTool struct {
	property string // the argument that the text stands for
	syntax   string // "lark" or "regex"
	grammar  string
}

// customOf gives the custom form of a tool, nil when it has none or the vendor
// takes none.
func customOf(tool *ai.Tool, t *traits) *customTool {
	s := tool.Sampling
	if !t.grammar || s == nil || s.Type != ai.SamplingGrammar {
		return nil
	}
	c := &customTool{property: soleString(tool.Schema())}
	for _, syntax := range []string{"lark", "regex"} {
		if g := s.Variants["openai_"+syntax]; g != "" && c.grammar == "" {
			c.syntax, c.grammar = syntax, g
		}
	}
	if c.property == "" || c.grammar == "" {
		return nil
	}
	return c
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

// appendTool writes the declaration of a tool. marker, if any, is its
// cache_control.
func appendTool(dst []byte, tool *ai.Tool, t *traits, marker string) ([]byte, error) {
	if c := customOf(tool, t); c != nil {
		dst = append(dst, `{"type":"custom","custom":{"name":`...)
		dst = jsonobj.AppendString(dst, tool.Name)
		dst = append(dst, `,"description":`...)
		dst = jsonobj.AppendString(dst, tool.Description)
		dst = append(dst, `,"format":{"type":"grammar","grammar":{"syntax":`...)
		dst = jsonobj.AppendString(dst, c.syntax)
		dst = append(dst, `,"definition":`...)
		dst = jsonobj.AppendString(dst, c.grammar)
		return append(append(append(dst, `}}}`...), marker...), '}'), nil
	}
	schema, strict, err := schemaOf(tool, t)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `{"type":"function","function":{"name":`...)
	dst = jsonobj.AppendString(dst, tool.Name)
	dst = append(dst, `,"description":`...)
	dst = jsonobj.AppendString(dst, tool.Description)
	dst = append(dst, `,"parameters":`...)
	dst = append(dst, schema...)
	switch {
	case strict:
		dst = append(dst, `,"strict":true`...)
	case t.strict:
		dst = append(dst, `,"strict":false`...)
	}
	return append(append(append(dst, '}'), marker...), '}'), nil
}

// schemaOf gives the schema to send and whether it is strict.
func schemaOf(tool *ai.Tool, t *traits) (schema json.RawMessage, strict bool, err error) {
	schema = tool.Schema()
	if !json.Valid(schema) {
		return nil, false, ai.Errorf(ai.KindConfig, "the parameters of tool %q are not JSON", tool.Name)
	}
	s := tool.Sampling
	if s == nil || s.Type != ai.SamplingJSONSchema {
		return schema, false, nil
	}
	why := "this model's vendor does not offer that (compat supportsStrictMode)"
	if t.strict {
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

// appendTools writes the elements of a tools array.
func appendTools(dst []byte, tools []ai.Tool, t *traits, marker string) ([]byte, error) {
	for i := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		last := ""
		if i == len(tools)-1 {
			last = marker
		}
		var err error
		if dst, err = appendTool(dst, &tools[i], t, last); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// toolChoice gives the body's tool_choice, nil for none.
func toolChoice(choice ai.ToolChoice, customs map[string]*customTool) json.RawMessage {
	switch choice {
	case "":
		return nil
	case ai.ToolChoiceAuto, ai.ToolChoiceNone, ai.ToolChoiceRequired:
		return jsonobj.AppendString(nil, choice)
	}
	kind := "function"
	if customs[string(choice)] != nil {
		kind = "custom"
	}
	return fmt.Appendf(nil, `{"type":%q,%q:{"name":%s}}`, kind, kind, jsonobj.AppendString(nil, choice))
}

// customTools lists the custom tools of a conversation by name.
func customTools(messages []ai.Message, t *traits) map[string]*customTool {
	var customs map[string]*customTool
	if !t.grammar {
		return nil
	}
	for _, m := range messages {
		s, ok := m.(*ai.SystemMessage)
		if !ok {
			continue
		}
		for i := range s.ToolsAdded {
			tool := &s.ToolsAdded[i]
			if c := customOf(tool, t); c != nil {
				if customs == nil {
					customs = make(map[string]*customTool)
				}
				customs[tool.Name] = c
			} else {
				delete(customs, tool.Name)
			}
		}
	}
	return customs
}

// customKey tells apart two sets of custom tools, for the encoded history.
func customKey(customs map[string]*customTool) string {
	names := make([]string, 0, len(customs))
	for name, c := range customs {
		names = append(names, name+"="+c.property)
	}
	slices.Sort(names)
	return fmt.Sprintf("%q", names)
}
