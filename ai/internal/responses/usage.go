package responses

import (
	"strings"

	"github.com/pi-go/pi/ai"
)

type usage struct {
	Input        float64 `json:"input_tokens"`
	Output       float64 `json:"output_tokens"`
	Total        float64 `json:"total_tokens"`
	InputDetails *struct {
		Cached float64 `json:"cached_tokens"`
		Write  float64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails *struct {
		Reasoning *float64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// tokens counts in our terms, and prices by the model's rates and the service
// tier.
func (u *usage) tokens(m *ai.Model, tier string) ai.Usage {
	n := func(f float64) int64 { return max(int64(f), 0) }
	out := ai.Usage{Output: n(u.Output), Total: n(u.Total)}
	if u.InputDetails != nil {
		out.CacheRead, out.CacheWrite = n(u.InputDetails.Cached), n(u.InputDetails.Write)
	}
	out.Input = max(0, n(u.Input)-out.CacheRead-out.CacheWrite)
	if u.OutputDetails != nil && u.OutputDetails.Reasoning != nil {
		out.Reasoning, out.HasReasoning = n(*u.OutputDetails.Reasoning), true
	}
	if out.Total == 0 {
		out.Total = out.ContextTokens()
	}
	out.Cost = m.Cost.Price(out)
	if f := tierFactor(m, tier); f != 1 {
		c := &out.Cost
		c.Input, c.Output, c.CacheRead, c.CacheWrite, c.Total = c.Input*f, c.Output*f, c.CacheRead*f, c.CacheWrite*f, c.Total*f
	}
	return out
}

// tierFactor is what OpenAI charges for a service tier, as a multiple of the
// listed price.
func tierFactor(m *ai.Model, tier string) float64 {
	switch tier {
	case "flex":
		return 0.5
	case "priority", "fast":
		if m.ID == "gpt-5.5" || strings.HasSuffix(m.ID, "/gpt-5.5") {
			return 2.5
		}
		return 2
	}
	return 1
}
