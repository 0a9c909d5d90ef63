package anthropicmessages

import (
	"strconv"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/claude"
	"github.com/pi-go/pi/ai/jsonobj"
)

// thinking is what a request says about thinking.
type thinking struct {
	on        bool
	json      string // the value of "thinking"; "" sends none
	effort    string // the value of output_config.effort; "" sends none
	inSystem  string // effort that goes into system messages instead
	adaptive  bool
	maxTokens int64
}

// thinkingOf decides how to ask for the level of a call, and the cap of the
// answer, which includes the thinking.
func thinkingOf(call *ai.Call, t *traits, opts Options) thinking {
	m, level := call.Model, call.Options.Thinking
	th := thinking{maxTokens: call.Options.MaxTokens}
	off, mapped := m.ThinkingLevels[ai.ThinkingOff]
	canBeOff := !mapped || off != nil
	display := string(jsonobj.AppendString(nil, opts.ThinkingDisplay))
	switch {
	case !m.Reasoning:
	case level == ai.ThinkingOff || level == "":
		if canBeOff {
			th.json = `{"type":"disabled"}`
		}
	case t.midEffort:
		// A fixed effort keeps the prefix cached; the real one stands at the end
		// of the conversation.
		th.on, th.adaptive, th.effort, th.inSystem = true, true, "low", claude.Effort(m, level)
		th.json = `{"type":"adaptive","display":` + display + `,"block_binding":{"prefix_mismatch_behavior":"drop_block"}}`
	case t.adaptive:
		th.on, th.adaptive, th.effort = true, true, claude.Effort(m, level)
		th.json = `{"type":"adaptive","display":` + display + `}`
	default:
		var budget int64
		budget, th.maxTokens = claude.Budget(call)
		if budget < claude.MinBudget {
			// Too little room to think at all.
			if canBeOff {
				th.json = `{"type":"disabled"}`
			}
			break
		}
		th.on = true
		th.json = `{"type":"enabled","budget_tokens":` + strconv.FormatInt(budget, 10) + `,"display":` + display + `}`
	}
	return th
}

// cap is the number for max_tokens.
func (th *thinking) cap() int64 {
	if th.maxTokens > 0 {
		return th.maxTokens
	}
	return claude.StandardMax
}
