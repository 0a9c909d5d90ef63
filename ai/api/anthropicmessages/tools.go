package anthropicmessages

import (
	"encoding/json"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/claude"
	"github.com/pi-go/pi/ai/internal/strictschema"
	"github.com/pi-go/pi/ai/jsonobj"
)

// reservedTool is declared, never loaded and so never called, with every request
// whose tools may change later: without it the first change would alter how the
// vendor writes the tools at the start, and lose the cached prompt.
const reservedTool = `{"name":"reserved_for_later_tools","description":"Not available.","input_schema":{"type":"object","properties":{}},"defer_loading":true}`

// toolEncoder writes tool declarations.
type toolEncoder struct {
	eager  bool
	strict bool // strict tools are sent strict
}

// append writes a declaration. cache, if not empty, is its cache mark.
func (e toolEncoder) append(dst []byte, t *ai.Tool, cache string) ([]byte, error) {
	dst = append(dst, `{"name":`...)
	dst = jsonobj.AppendString(dst, t.Name)
	if t.Description != "" {
		dst = append(dst, `,"description":`...)
		dst = jsonobj.AppendString(dst, t.Description)
	}
	schema, strict, err := e.schema(t)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `,"input_schema":`...)
	dst = append(dst, schema...)
	if strict {
		dst = append(dst, `,"strict":true`...)
	}
	if e.eager {
		dst = append(dst, `,"eager_input_streaming":true`...)
	}
	if cache != "" {
		dst = append(dst, `,"cache_control":`...)
		dst = append(dst, cache...)
	}
	return append(dst, '}'), nil
}

// schema gives the schema to send, and whether it is strict.
func (e toolEncoder) schema(t *ai.Tool) (schema []byte, strict bool, err error) {
	if s := t.Sampling; s != nil && s.Type == ai.SamplingJSONSchema {
		required := s.Strict == "require"
		converted, err := strictschema.Convert(t.Schema())
		if err == nil {
			err = claude.Samplable(converted)
		}
		switch {
		case e.strict && err == nil:
			return converted, true, nil
		case required && err != nil:
			return nil, false, ai.Errorf(ai.KindConfig, "tool %s must be strict, but its schema can not be: %w", t.Name, err)
		case required:
			return nil, false, ai.Errorf(ai.KindConfig, "tool %s must be strict, but the model does not support that", t.Name)
		}
	}
	schema, err = rootSchema(t.Schema())
	if err != nil {
		return nil, false, ai.Errorf(ai.KindConfig, "schema of tool %s: %w", t.Name, err)
	}
	return schema, false, nil
}

// rootSchema keeps the keywords that the vendor takes at the root: it refuses a
// request with anyOf, oneOf or allOf there.
func rootSchema(schema json.RawMessage) ([]byte, error) {
	var properties, required json.RawMessage
	var rest []byte
	err := jsonobj.Walk(schema, func(name string, value json.RawMessage) error {
		switch name {
		case "properties":
			properties = value
		case "required":
			required = value
		case "additionalProperties", "$defs", "definitions":
			rest = append(rest, ',')
			rest = jsonobj.AppendString(rest, name)
			rest = append(rest, ':')
			rest = append(rest, value...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	dst := []byte(`{"type":"object","properties":`)
	if len(properties) == 0 {
		properties = json.RawMessage("{}")
	}
	dst = append(dst, properties...)
	if len(required) > 0 {
		dst = append(dst, `,"required":`...)
		dst = append(dst, required...)
	}
	dst = append(dst, rest...)
	return append(dst, '}'), nil
}
