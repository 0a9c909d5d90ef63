package claude

import "github.com/pi-go/pi/ai"

// Effort names a level as the vendor does.
func Effort(m *ai.Model, level ai.ThinkingLevel) string {
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

const (
	// MinBudget is the least budget that the vendor accepts; the answer itself
	// gets at least as much.
	MinBudget = 1024
	// StandardMax is the cap where neither the caller nor the model has one; the
	// vendor requires a number.
	StandardMax = 16384
)

// Budget gives the thinking tokens of a call's level and the cap of the answer,
// which includes them. The cap is raised so that thinking does not eat the answer,
// as far as model and window allow, and the budget fits under it; one below
// MinBudget leaves no room to think.
func Budget(call *ai.Call) (budget, maxTokens int64) {
	m := call.Model
	budget = call.Options.ThinkingBudgets.Budget(call.Options.Thinking)
	most := call.Options.MaxTokens
	if most > 0 {
		most += budget
	}
	if m.MaxTokens > 0 && (most <= 0 || most > m.MaxTokens) {
		most = m.MaxTokens
	}
	if most <= 0 {
		most = StandardMax + budget
	}
	maxTokens = call.FitMaxTokens(most)
	return min(budget, maxTokens-MinBudget), maxTokens
}
