package mistralconversations

import (
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// request is a call in the words of the protocol.
type request struct {
	call   *ai.Call
	opts   Options
	strict bool
	effort string // the vendor's word for the thinking level
	body   [][]byte
}

func newRequest(call *ai.Call, st *state) (*request, error) {
	var c Compat
	if len(call.Model.Compat) > 0 {
		if err := json.Unmarshal(call.Model.Compat, &c); err != nil {
			return nil, ai.Errorf(ai.KindConfig, "compat of model %s: %w", call.Model.Ref(), err)
		}
	}
	r := &request{call: call, opts: wire.Options[Options](call), strict: c.SupportsStrictMode != nil && *c.SupportsStrictMode}
	mode := ai.SystemCollapse
	if c.SupportsMidConvoSystemMessages != nil && *c.SupportsMidConvoSystemMessages {
		mode = ai.SystemTexts
	}
	messages := ai.Transform(call.Model, call.Messages, ai.TransformOptions{ToolCallID: toolCallID, System: mode})
	head, err := r.params(messages, st)
	if err != nil {
		return nil, err
	}
	units := make([]history.Unit, len(messages))
	for i := range messages {
		units[i] = history.Unit{At: i, Messages: messages[i : i+1 : i+1]}
	}
	old := st.messages.Encode(wire.Settings(call.Model, call.BaseURL), units, appendMessage)
	r.body = [][]byte{head, old, []byte(`]}`)}
	return r, nil
}

// params writes everything but the messages.
func (r *request) params(messages []ai.Message, st *state) ([]byte, error) {
	opts := &r.call.Options
	var b openai.Params
	b.SetString("model", r.call.Model.ID)
	b.Set("stream", json.RawMessage("true"))
	if opts.MaxTokens > 0 {
		b.SetJSON("max_tokens", opts.MaxTokens)
	}
	if opts.Temperature != nil {
		b.Set("temperature", jsonobj.AppendFloat(nil, *opts.Temperature))
	}
	if opts.Cache != ai.CacheNone && r.call.SessionID != "" {
		b.SetString("prompt_cache_key", openai.CacheKey(r.call.SessionID))
	}
	if err := r.setTools(&b, messages, st); err != nil {
		return nil, err
	}
	r.setThinking(&b)
	return append(b.AppendTo([]byte{'{'}), `"messages":[`...), nil
}

// setThinking asks by effort where the model has a map of levels, else by mode.
func (r *request) setThinking(b *openai.Params) {
	m, level := r.call.Model, r.call.Options.Thinking
	if !m.Reasoning {
		return
	}
	on := level != ai.ThinkingOff && level != "" || r.opts.ReasoningEffort != ""
	if len(m.ThinkingLevels) > 0 || r.opts.ReasoningEffort != "" {
		word := "high"
		if w := m.ThinkingLevels[level]; w != nil {
			word = *w
		} else if !on {
			word = ""
		}
		if r.opts.ReasoningEffort != "" {
			word = r.opts.ReasoningEffort
		}
		if word != "" {
			r.effort = word
			b.SetString("reasoning_effort", word)
		}
	} else if on && r.opts.PromptMode == "" {
		r.effort = string(level)
		b.SetString("prompt_mode", "reasoning")
	}
	if r.opts.PromptMode != "" {
		b.SetString("prompt_mode", r.opts.PromptMode)
	}
}

func (r *request) setTools(b *openai.Params, messages []ai.Message, st *state) error {
	var tools []ai.Tool
	if len(messages) > 0 {
		if lead, ok := messages[0].(*ai.SystemMessage); ok {
			tools = lead.ToolsAdded
		}
	}
	if len(tools) == 0 {
		return nil
	}
	var failed error
	unit := history.Unit{Messages: []ai.Message{&ai.SystemMessage{ToolsAdded: tools}}}
	encoded := st.tools.Encode(wire.Settings(r.call.Model, ""), []history.Unit{unit}, func(dst []byte, _ history.Unit) []byte {
		out := dst
		for i := range tools {
			if i > 0 {
				out = append(out, ',')
			}
			if out, failed = r.appendTool(out, &tools[i]); failed != nil {
				return dst
			}
		}
		return out
	})
	if failed != nil {
		st.tools = history.Prefix{}
		return failed
	}
	b.Set("tools", append(append([]byte{'['}, encoded...), ']'))
	switch choice := r.call.Options.ToolChoice; {
	case len(r.opts.ToolChoice) > 0:
		b.Set("tool_choice", r.opts.ToolChoice)
	case choice == "":
	case choice == ai.ToolChoiceAuto, choice == ai.ToolChoiceNone, choice == ai.ToolChoiceRequired:
		b.SetString("tool_choice", string(choice))
	default:
		b.Set("tool_choice", fmt.Appendf(nil, `{"type":"function","function":{"name":%s}}`, jsonobj.AppendString(nil, choice)))
	}
	return nil
}

func (r *request) appendTool(dst []byte, tool *ai.Tool) ([]byte, error) {
	schema, strict, err := openai.Schema(tool, r.strict)
	if err != nil {
		return nil, err
	}
	dst = append(dst, `{"type":"function","function":{"name":`...)
	dst = jsonobj.AppendString(dst, tool.Name)
	dst = append(dst, `,"description":`...)
	dst = jsonobj.AppendString(dst, tool.Description)
	dst = append(dst, `,"parameters":`...)
	dst = append(dst, schema...)
	return fmt.Appendf(dst, `,"strict":%v}}`, strict), nil
}
