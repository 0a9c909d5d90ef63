package openaicompletions

import "github.com/pi-go/pi/ai"

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

	// OpenRouter's bill, in US dollars.
	Cost        *float64 `json:"cost"`
	OwnKey      *bool    `json:"is_byok"`
	CostDetails *struct {
		Upstream   *float64 `json:"upstream_inference_cost"`
		Prompt     *float64 `json:"upstream_inference_prompt_cost"`
		Completion *float64 `json:"upstream_inference_completions_cost"`
	} `json:"cost_details"`
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
	if cost, ok := u.bill(); billed && ok {
		out.Cost.Total, out.Cost.FromProvider = cost, true
	}
	return out
}

// bill is what the vendor charges: its own cost, and with a key of the user's at
// the vendor behind it, what that one charges too. It is false when a part is
// missing or makes no sense.
func (u *usage) bill() (float64, bool) {
	if u.Cost == nil || *u.Cost < 0 || u.OwnKey == nil {
		return 0, false
	}
	if !*u.OwnKey {
		return *u.Cost, true
	}
	d := u.CostDetails
	switch {
	case d == nil:
		return 0, false
	case d.Upstream != nil:
		return *u.Cost + *d.Upstream, *d.Upstream >= 0
	case d.Prompt != nil && d.Completion != nil:
		return *u.Cost + *d.Prompt + *d.Completion, *d.Prompt >= 0 && *d.Completion >= 0
	}
	return 0, false
}
