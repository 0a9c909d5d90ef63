package ai

import "slices"

// ThinkingLevel is how hard a model is asked to think.
type ThinkingLevel string

// The thinking levels, from least to most. A zero level means that the caller
// did not choose; it is treated as off.
const (
	ThinkingOff     ThinkingLevel = "off"
	ThinkingMinimal ThinkingLevel = "minimal"
	ThinkingLow     ThinkingLevel = "low"
	ThinkingMedium  ThinkingLevel = "medium"
	ThinkingHigh    ThinkingLevel = "high"
	ThinkingXHigh   ThinkingLevel = "xhigh"
	ThinkingMax     ThinkingLevel = "max"
)

// ThinkingLevels lists all levels in order.
func ThinkingLevels() []ThinkingLevel {
	return []ThinkingLevel{ThinkingOff, ThinkingMinimal, ThinkingLow, ThinkingMedium, ThinkingHigh, ThinkingXHigh, ThinkingMax}
}

// SupportedThinking lists the levels a model accepts, in order. A model that
// can not think accepts only off; xhigh and max need an entry in the model's
// map; an entry of nil means that the level is not supported.
func (m *Model) SupportedThinking() []ThinkingLevel {
	if !m.Reasoning {
		return []ThinkingLevel{ThinkingOff}
	}
	var levels []ThinkingLevel
	for _, l := range ThinkingLevels() {
		v, mapped := m.ThinkingLevels[l]
		switch {
		case mapped && v == nil:
		case !mapped && (l == ThinkingXHigh || l == ThinkingMax):
		default:
			levels = append(levels, l)
		}
	}
	return levels
}

// ClampThinking gives the level nearest to the wanted one that the model
// accepts: the next higher, else the next lower. An unknown or zero level
// becomes the first that is accepted.
func (m *Model) ClampThinking(want ThinkingLevel) ThinkingLevel {
	supported := m.SupportedThinking()
	if len(supported) == 0 {
		return ThinkingOff
	}
	if slices.Contains(supported, want) {
		return want
	}
	all := ThinkingLevels()
	at := slices.Index(all, want)
	if at < 0 {
		return supported[0]
	}
	for _, l := range all[at:] {
		if slices.Contains(supported, l) {
			return l
		}
	}
	for _, l := range slices.Backward(all[:at]) {
		if slices.Contains(supported, l) {
			return l
		}
	}
	return supported[0]
}

// ThinkingBudgets sets the thinking tokens per level for vendors that take a
// number; a missing level uses the vendor's default.
type ThinkingBudgets map[ThinkingLevel]int64

// DefaultThinkingBudget is the number of thinking tokens a level stands for
// where the vendor has no levels of its own: 1024, 2048, 8192 and 16384 for
// minimal to high; more than high counts as high. Off is 0.
func DefaultThinkingBudget(level ThinkingLevel) int64 {
	switch level {
	case ThinkingMinimal:
		return 1024
	case ThinkingLow:
		return 2048
	case ThinkingMedium:
		return 8192
	case ThinkingHigh, ThinkingXHigh, ThinkingMax:
		return 16384
	}
	return 0
}

// Budget gives the budget of a level, or the default.
func (b ThinkingBudgets) Budget(level ThinkingLevel) int64 {
	if n, ok := b[level]; ok {
		return n
	}
	if level == ThinkingXHigh || level == ThinkingMax {
		if n, ok := b[ThinkingHigh]; ok {
			return n
		}
	}
	return DefaultThinkingBudget(level)
}
