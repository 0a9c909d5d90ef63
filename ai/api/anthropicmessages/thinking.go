package anthropicmessages

import (
	"strconv"

	"github.com/pi-go/pi/ai"
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

// effortOf names a level as the vendor does.
func effortOf(m *ai.Model, level ai.ThinkingLevel) string {
	if word := m.ThinkingLevels[level]; word != nil && *word != "" {
		return *word
	}
	switch level {
	case ai.ThinkingMinimal, ai.ThinkingLow:
		return "low"
	case ai.ThinkingMedium:
		return "medium"
	}
	return "high"
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
		th.on, th.adaptive, th.effort, th.inSystem = true, true, "low", effortOf(m, level)
		th.json = `{"type":"adaptive","display":` + display + `,"block_binding":{"prefix_mismatch_behavior":"drop_block"}}`
	case t.adaptive:
		th.on, th.adaptive, th.effort = true, true, effortOf(m, level)
		th.json = `{"type":"adaptive","display":` + display + `}`
	default:
		budget := th.fitBudget(call, call.Options.ThinkingBudgets.Budget(level))
		if budget < minBudget {
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

const (
	// minBudget is the least budget that the vendor accepts; the answer itself
	// gets at least as much.
	minBudget = 1024
	// standardMax is the cap where neither the caller nor the model has one;
	// the protocol requires a number.
	standardMax = 16384
)

// fitBudget raises the cap so that thinking does not eat the answer, as far as
// model and window allow, and gives the budget that fits under it.
func (th *thinking) fitBudget(call *ai.Call, budget int64) int64 {
	m := call.Model
	most := th.maxTokens
	if most > 0 {
		most += budget
	}
	if m.MaxTokens > 0 && (most <= 0 || most > m.MaxTokens) {
		most = m.MaxTokens
	}
	if most <= 0 {
		most = standardMax + budget
	}
	th.maxTokens = ai.FitMaxTokens(m, call.Messages, most)
	return min(budget, th.maxTokens-minBudget)
}

// cap is the number for max_tokens.
func (th *thinking) cap() int64 {
	if th.maxTokens > 0 {
		return th.maxTokens
	}
	return standardMax
}
