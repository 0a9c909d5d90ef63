package gemini

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/strictschema"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// State is what a conversation keeps for one model.
type State struct{ prefix history.Prefix }

// Request is a call, encoded.
type Request struct {
	Call *ai.Call
	Body [][]byte

	thinks bool // thinking was asked for
}

// NewRequest encodes a call. lite says that the budgets of Flash-Lite models are
// those of the Gemini API and not of Vertex.
func NewRequest(call *ai.Call, st *State, lite bool) (*Request, error) {
	m := call.Model
	f := familyOf(m.ID)
	messages := ai.Transform(m, call.Messages, ai.TransformOptions{ToolCallID: ai.PlainIDs(64), KeepSignedBlank: true, UserFirst: true})
	r := &Request{Call: call}
	head := []byte{'{'}
	var lead *ai.SystemMessage
	if len(messages) > 0 {
		lead, _ = messages[0].(*ai.SystemMessage)
	}
	if lead != nil {
		if text := lead.Text(); strings.TrimSpace(text) != "" {
			head = append(head, `"systemInstruction":{"parts":[{"text":`...)
			head = jsonobj.AppendString(head, text)
			head = append(head, `}]},`...)
		}
		var err error
		if head, err = appendTools(head, f, lead.ToolsAdded, call.Options.ToolChoice); err != nil {
			return nil, err
		}
	}
	head = append(head, `"generationConfig":`...)
	head = r.appendConfig(head, f, lite)
	head = append(head, `,"contents":[`...)
	list := units(messages)
	if len(list) == 0 {
		return nil, ai.Errorf(ai.KindBadRequest, "the conversation has nothing to send: add a message of the user")
	}
	e := &encoder{model: m, family: f}
	contents := st.prefix.Encode(wire.Settings(m, fmt.Sprint(f)), list, e.unit)
	r.Body = [][]byte{head, contents, []byte("]}")}
	return r, nil
}

func appendTools(dst []byte, f family, tools []ai.Tool, choice ai.ToolChoice) ([]byte, error) {
	if len(tools) == 0 {
		return dst, nil
	}
	strict := false
	dst = append(dst, `"tools":[{"functionDeclarations":[`...)
	for i := range tools {
		t := &tools[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		schema := t.Schema()
		if s := t.Sampling; s != nil && s.Type == ai.SamplingJSONSchema {
			converted, err := strictschema.Convert(schema)
			switch {
			case err == nil && f.modern():
				schema, strict = converted, true
			case s.Strict == "require" && err != nil:
				return nil, ai.Errorf(ai.KindConfig, "tool %s must be strict, but its schema can not be: %w", t.Name, err)
			case s.Strict == "require":
				return nil, ai.Errorf(ai.KindConfig, "tool %s must be strict, but the model does not support that", t.Name)
			}
		}
		schema, err := constToEnum(schema)
		if err != nil {
			return nil, ai.Errorf(ai.KindConfig, "schema of tool %s: %w", t.Name, err)
		}
		dst = append(dst, `{"name":`...)
		dst = jsonobj.AppendString(dst, t.Name)
		dst = append(dst, `,"description":`...)
		dst = jsonobj.AppendString(dst, t.Description)
		dst = append(dst, `,"parametersJsonSchema":`...)
		dst = append(dst, schema...)
		dst = append(dst, '}')
	}
	dst = append(dst, `]}],`...)
	mode, only := "", ""
	switch choice {
	case ai.ToolChoiceNone:
		mode = "NONE"
	case ai.ToolChoiceRequired:
		mode = "ANY"
	case "", ai.ToolChoiceAuto:
		switch {
		case strict:
			mode = "VALIDATED"
		case choice == ai.ToolChoiceAuto:
			mode = "AUTO"
		}
	default:
		mode, only = "ANY", string(choice)
	}
	if mode == "" {
		return dst, nil
	}
	dst = append(dst, `"toolConfig":{"functionCallingConfig":{"mode":"`+mode+`"`...)
	if only != "" {
		dst = append(dst, `,"allowedFunctionNames":[`...)
		dst = append(jsonobj.AppendString(dst, only), ']')
	}
	return append(dst, `}},`...), nil
}

// appendConfig writes generationConfig.
func (r *Request) appendConfig(dst []byte, f family, lite bool) []byte {
	o := &r.Call.Options
	w := writer{wire.Elements{Dst: append(dst, '{')}}
	if o.Temperature != nil {
		w.Next()
		w.Raw(`"temperature":`)
		w.Dst = jsonobj.AppendFloat(w.Dst, *o.Temperature)
	}
	if o.MaxTokens > 0 {
		w.Next()
		w.Raw(`"maxOutputTokens":` + strconv.FormatInt(o.MaxTokens, 10))
	}
	m := r.Call.Model
	if m.Reasoning {
		w.Next()
		off := o.Thinking == ai.ThinkingOff || o.Thinking == ""
		r.thinks = !off
		switch {
		case off:
			w.Raw(`"thinkingConfig":{"thinkingBudget":0}`)
		case f.byLevel(m):
			w.Raw(`"thinkingConfig":{"includeThoughts":true,"thinkingLevel":`)
			w.Str(levelWord(m, o.Thinking))
			w.Raw("}")
		default:
			w.Raw(`"thinkingConfig":{"includeThoughts":true,"thinkingBudget":` + strconv.FormatInt(f.budget(r.Call, lite), 10) + "}")
		}
	}
	w.Raw("}")
	return w.Dst
}

func levelWord(m *ai.Model, level ai.ThinkingLevel) string {
	if word := m.ThinkingLevels[level]; word != nil && *word != "" {
		return strings.ToUpper(*word)
	}
	switch level {
	case ai.ThinkingMinimal, ai.ThinkingLow, ai.ThinkingMedium:
		return strings.ToUpper(string(level))
	}
	return "HIGH"
}
