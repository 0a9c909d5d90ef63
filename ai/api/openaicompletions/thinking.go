package openaicompletions

import (
	"encoding/json"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/openai"
)

// ThinkingFormat names the fields by which a vendor is told how hard to think.
type ThinkingFormat string

// The thinking formats. E stands for the vendor's word for the level.
const (
	FormatOpenAI           ThinkingFormat = "openai"             // reasoning_effort: E
	FormatOpenRouter       ThinkingFormat = "openrouter"         // reasoning: {effort: E}
	FormatDeepSeek         ThinkingFormat = "deepseek"           // thinking: {type}, reasoning_effort: E
	FormatTogether         ThinkingFormat = "together"           // reasoning: {enabled}, reasoning_effort: E
	FormatBaseten          ThinkingFormat = "baseten"            // chat_template_args, reasoning_effort: E
	FormatZai              ThinkingFormat = "zai"                // thinking: {type, clear_thinking}, reasoning_effort: E
	FormatQwen             ThinkingFormat = "qwen"               // enable_thinking, reasoning_effort: E
	FormatQwenChatTemplate ThinkingFormat = "qwen-chat-template" // chat_template_kwargs: {enable_thinking, preserve_thinking}
	FormatChatTemplate     ThinkingFormat = "chat-template"      // chat_template_kwargs from the model
	FormatStringThinking   ThinkingFormat = "string-thinking"    // thinking: E
	FormatAntLing          ThinkingFormat = "ant-ling"           // reasoning: {effort: E}, mapped levels only
)

func thinkingFormats() []ThinkingFormat {
	return []ThinkingFormat{
		FormatOpenAI, FormatOpenRouter, FormatDeepSeek, FormatTogether, FormatBaseten, FormatZai, FormatQwen,
		FormatQwenChatTemplate, FormatChatTemplate, FormatStringThinking, FormatAntLing,
	}
}

func (f ThinkingFormat) known() bool { return slices.Contains(thinkingFormats(), f) }

// effort is the level of a request in the vendor's words.
type effort struct {
	on     bool
	word   string  // the mapped word, or the level's name
	mapped bool    // the model's map has a word for the level
	off    *string // the model's word for off
	noOff  bool    // the model can not be told off
	budget int64   // of thinking tokens
}

func effortOf(call *ai.Call, o *Options) effort {
	m, level := call.Model, call.Options.Thinking
	e := effort{on: level != ai.ThinkingOff && level != "", word: string(level)}
	if w := m.ThinkingLevels[level]; w != nil {
		e.word, e.mapped = *w, true
	}
	if o.ReasoningEffort != "" {
		e.on, e.word, e.mapped = true, o.ReasoningEffort, true
	}
	off, set := m.ThinkingLevels[ai.ThinkingOff]
	e.off, e.noOff = off, set && off == nil
	if e.on {
		e.budget = call.Options.ThinkingBudgets.Budget(level)
	}
	return e
}

// offWord is the vendor's word for off, or another one.
func (e *effort) offWord(standard string) string {
	if e.off != nil {
		return *e.off
	}
	return standard
}

// setThinking adds the fields that ask for the level. It reports the vendor's
// word for it, empty when nothing was said.
func setThinking(b *openai.Params, t *traits, e *effort) (word string) {
	sendEffort := func() {
		if t.reasoningEffort {
			b.SetString("reasoning_effort", e.word)
		}
	}
	if e.on {
		word = e.word
	}
	switch t.thinking {
	case FormatOpenAI:
		switch {
		case !t.reasoningEffort:
			return ""
		case e.on:
			b.SetString("reasoning_effort", e.word)
		case e.off != nil:
			b.SetString("reasoning_effort", *e.off)
			word = *e.off
		}
	case FormatOpenRouter:
		switch {
		case e.on:
			b.SetJSON("reasoning", map[string]string{"effort": e.word})
		case !e.noOff:
			b.SetJSON("reasoning", map[string]string{"effort": e.offWord("none")})
		}
	case FormatDeepSeek:
		switch {
		case e.on:
			b.SetJSON("thinking", map[string]string{"type": "enabled"})
			sendEffort()
		case !e.noOff:
			b.SetJSON("thinking", map[string]string{"type": "disabled"})
		}
	case FormatTogether:
		b.SetJSON("reasoning", map[string]bool{"enabled": e.on})
		if e.on {
			sendEffort()
		}
	case FormatBaseten:
		if args := templateValues(t.args, e); len(args) > 0 {
			b.SetJSON("chat_template_args", args)
		}
		switch {
		case e.on:
			sendEffort()
		case e.off != nil:
			b.SetString("reasoning_effort", *e.off)
		}
	case FormatZai:
		if !e.on {
			b.SetJSON("thinking", map[string]string{"type": "disabled"})
			break
		}
		b.Set("thinking", json.RawMessage(`{"type":"enabled","clear_thinking":false}`))
		if e.mapped {
			sendEffort()
		}
	case FormatQwen:
		b.SetJSON("enable_thinking", e.on)
		if e.on {
			sendEffort()
		}
	case FormatQwenChatTemplate:
		b.SetJSON("chat_template_kwargs", map[string]bool{"enable_thinking": e.on, "preserve_thinking": true})
	case FormatChatTemplate:
		if args := templateValues(t.kwargs, e); len(args) > 0 {
			b.SetJSON("chat_template_kwargs", args)
		}
	case FormatStringThinking:
		switch {
		case e.on:
			b.SetString("thinking", e.word)
		case !e.noOff:
			b.SetString("thinking", e.offWord("none"))
		}
	case FormatAntLing:
		if !e.on || !e.mapped {
			return ""
		}
		b.SetJSON("reasoning", map[string]string{"effort": e.word})
	}
	return word
}

// templateValues fills in the values for a chat template: scalars as they are,
// and {"$var": "thinking.enabled" | "thinking.effort" | "thinking.budget",
// "omitWhenOff": bool} by what it names.
func templateValues(values map[string]json.RawMessage, e *effort) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage, len(values))
	for name, v := range values {
		var ref struct {
			Var         string `json:"$var"`
			OmitWhenOff bool   `json:"omitWhenOff"`
		}
		if len(v) == 0 || v[0] != '{' || json.Unmarshal(v, &ref) != nil || ref.Var == "" {
			out[name] = v
			continue
		}
		if ref.OmitWhenOff && !e.on {
			continue
		}
		var value any
		switch ref.Var {
		case "thinking.enabled":
			value = e.on
		case "thinking.effort":
			value = e.word
			if !e.on {
				value = e.offWord("none")
			}
		case "thinking.budget":
			value = e.budget
		default:
			continue
		}
		if b, err := json.Marshal(value); err == nil {
			out[name] = b
		}
	}
	return out
}

// thinkingRoom is what the answer keeps of its cap beside the thinking.
const thinkingRoom = 1024

// setBudget adds the budget of thinking tokens where the vendor takes one.
func setBudget(b *openai.Params, t *traits, e *effort, maxTokens int64) {
	budget := e.budget
	if maxTokens > 0 {
		budget = min(budget, maxTokens-thinkingRoom)
	}
	if t.budgetField != "" && e.on && budget > 0 {
		b.SetJSON(t.budgetField, budget)
	}
}
