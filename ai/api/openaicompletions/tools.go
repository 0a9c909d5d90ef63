package openaicompletions

import (
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// appendTool writes the declaration of a tool. marker, if any, is its
// cache_control.
func appendTool(dst []byte, tool *ai.Tool, t *traits, marker string) ([]byte, error) {
	if g := openai.GrammarOf(tool); g != nil && t.grammar {
		dst = append(dst, `{"type":"custom","custom":{"name":`...)
		dst = jsonobj.AppendString(dst, tool.Name)
		dst = append(dst, `,"description":`...)
		dst = jsonobj.AppendString(dst, tool.Description)
		dst = append(dst, `,"format":{"type":"grammar","grammar":{"syntax":`...)
		dst = jsonobj.AppendString(dst, g.Syntax)
		dst = append(dst, `,"definition":`...)
		dst = jsonobj.AppendString(dst, g.Definition)
		return append(append(append(dst, `}}}`...), marker...), '}'), nil
	}
	schema, strict, err := openai.Schema(tool, t.strict)
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
func toolChoice(choice ai.ToolChoice, grammars openai.Grammars) json.RawMessage {
	switch choice {
	case "":
		return nil
	case ai.ToolChoiceAuto, ai.ToolChoiceNone, ai.ToolChoiceRequired:
		return jsonobj.AppendString(nil, choice)
	}
	kind := "function"
	if grammars[string(choice)] != nil {
		kind = "custom"
	}
	return fmt.Appendf(nil, `{"type":%q,%q:{"name":%s}}`, kind, kind, jsonobj.AppendString(nil, choice))
}

// grammarsOf lists the grammar tools of a conversation, if the vendor takes them.
func grammarsOf(messages []ai.Message, t *traits) openai.Grammars {
	if !t.grammar {
		return nil
	}
	return openai.GrammarsOf(messages)
}
