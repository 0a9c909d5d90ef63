package models

import (
	"encoding/json"
	"time"

	"github.com/pi-go/pi/ai"
)

// What it takes to keep a prompt cache alive. They are those of pi.
const (
	// warmMargin is how long before the end of the cache's life it is used again, at
	// the latest.
	warmMargin = 10 * time.Second
	// warmRunning and warmIdle are how long after a real request a cache is kept.
	warmRunning = 60 * time.Minute
	warmIdle    = 30 * time.Minute
	// warmIdleChance is how likely a person goes on in time.
	warmIdleChance = 0.15
	// warmWorth is what has to be saved, in US dollars.
	warmWorth = 0.05
)

// CacheLifetime is how long a vendor keeps the prompt of a model, 0 when that is not
// known: then its cache is not kept alive.
func CacheLifetime(m *ai.Model, long bool) time.Duration {
	switch {
	case m == nil || m.PromptCache == nil:
		return 0
	case long:
		return time.Duration(m.PromptCache.Long) * time.Second
	}
	return time.Duration(m.PromptCache.Short) * time.Second
}

// WarmDelay is how long after a request its prompt is to be used again so that the
// vendor keeps it: 9/10 of the lifetime, or 10 seconds less; ok is false for a lifetime
// that is too short, or not known.
func WarmDelay(lifetime time.Duration) (delay time.Duration, ok bool) {
	return min(lifetime*9/10, lifetime-warmMargin), lifetime > warmMargin
}

// Warming is the decision whether a prompt cache is kept alive, with what it rests on.
type Warming struct {
	// WarmCost is what using it once more costs, MissCost how much more the next
	// request costs without it; both in US dollars.
	WarmCost, MissCost float64
	// Chance is how likely a request comes before the cache ends.
	Chance float64
	// Warm says that it is kept.
	Warm bool
	// Reason says why not, "" when it is.
	Reason string
}

// DecideWarming judges whether keeping the prompt cache of a request pays. used is what
// its answer counted, age how long ago it was made, running says that a run is under
// way, in which another request is certain to come.
func DecideWarming(m *ai.Model, used ai.Usage, long, running bool, age time.Duration) Warming {
	prompt := used.Input + used.CacheRead + used.CacheWrite
	hit := m.Cost.Price(ai.Usage{CacheRead: prompt}).Total
	again := ai.Usage{CacheWrite: prompt}
	switch {
	case m.Cost.CacheWrite == 0 && !long:
		again = ai.Usage{Input: prompt} // the vendor asks nothing for keeping it
	case long:
		again.CacheWrite1h = prompt
	}
	answer := m.Cost.Price(ai.Usage{CacheRead: prompt, Output: 1}).Output
	w := Warming{WarmCost: hit + answer, MissCost: m.Cost.Price(again).Total - hit, Chance: warmIdleChance}
	limit := warmIdle
	if running {
		w.Chance, limit = 1, warmRunning
	}
	switch {
	case age > limit:
		w.Reason = "the last request is too long ago"
	case w.Chance*w.MissCost-w.WarmCost < warmWorth:
		w.Reason = "it would save too little"
	default:
		w.Warm = true
	}
	return w
}

// Replayable reports whether a request can be sent again with an answer of one token
// and find the same cache. With a budget for thinking it can not: the budget depends on
// the length of the answer, and the cache on the budget.
func Replayable(m *ai.Model, thinking ai.ThinkingLevel) bool {
	if m.API != "anthropic-messages" || !m.Reasoning || thinking == ai.ThinkingOff || thinking == "" {
		return true
	}
	var compat struct {
		ForceAdaptiveThinking, SupportsMidConvoEffort bool
	}
	return json.Unmarshal(m.Compat, &compat) == nil && (compat.ForceAdaptiveThinking || compat.SupportsMidConvoEffort)
}
