package openaicompletions

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/wire"
)

// usage is the union of the vendors' usage objects. Numbers are floats because
// some vendors write them so.
type usage struct {
	Prompt        float64 `json:"prompt_tokens"`
	Completion    float64 `json:"completion_tokens"`
	Reasoning     float64 `json:"reasoning_tokens"`
	Cached        float64 `json:"cached_tokens"`           // Moonshot
	CacheHit      float64 `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptDetails *struct {
		Cached     *float64 `json:"cached_tokens"`
		CacheWrite float64  `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails *struct {
		Reasoning float64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`

	wire.Bill // of OpenRouter
}

// tokens counts in our terms, and prices by the model's rates.
func (u *usage) tokens(m *ai.Model, billed bool) ai.Usage {
	n := func(f float64) int64 { return max(int64(f), 0) }
	var out ai.Usage
	switch {
	case u.PromptDetails != nil && u.PromptDetails.Cached != nil:
		out.CacheRead = n(*u.PromptDetails.Cached)
	case u.CacheHit != 0:
		out.CacheRead = n(u.CacheHit)
	default:
		out.CacheRead = n(u.Cached)
	}
	if u.PromptDetails != nil {
		out.CacheWrite = n(u.PromptDetails.CacheWrite)
	}
	out.Input = max(0, n(u.Prompt)-out.CacheRead-out.CacheWrite)
	out.Output = n(u.Completion)
	out.Reasoning, out.HasReasoning = n(u.Reasoning), u.Reasoning != 0
	if d := u.CompletionDetails; d != nil && d.Reasoning != 0 {
		out.Reasoning, out.HasReasoning = n(d.Reasoning), true
	}
	out.Total = out.Input + out.Output + out.CacheRead + out.CacheWrite
	out.Cost = m.Cost.Price(out)
	if cost, ok := u.Dollars(); billed && ok {
		out.Cost.Total, out.Cost.FromProvider = cost, true
	}
	return out
}
