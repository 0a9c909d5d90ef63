package wire

import (
	"encoding/json"
	"strconv"
)

// Bill is what OpenRouter says of the price of an answer, in US dollars. It is part of
// the usage object, whatever the protocol; other vendors have other things under the
// same names, which do no harm.
type Bill struct {
	Cost        json.RawMessage `json:"cost"`
	OwnKey      json.RawMessage `json:"is_byok"`
	CostDetails json.RawMessage `json:"cost_details"`
}

// Dollars is what is charged: OpenRouter's own cost, and with a key of the user's at
// the vendor behind it, what that one charges too. It is false when a part is missing
// or makes no sense.
func (b *Bill) Dollars() (float64, bool) {
	own, ok := amount(b.Cost)
	if !ok || string(b.OwnKey) == "false" {
		return own, ok
	}
	var d struct {
		Upstream   json.RawMessage `json:"upstream_inference_cost"`
		Prompt     json.RawMessage `json:"upstream_inference_prompt_cost"`
		Completion json.RawMessage `json:"upstream_inference_completions_cost"`
	}
	if string(b.OwnKey) != "true" || json.Unmarshal(b.CostDetails, &d) != nil {
		return 0, false
	}
	if len(d.Upstream) > 0 && string(d.Upstream) != "null" {
		upstream, ok := amount(d.Upstream)
		return own + upstream, ok
	}
	prompt, ok := amount(d.Prompt)
	completion, also := amount(d.Completion)
	return own + prompt + completion, ok && also
}

// IsOpenRouter reports whether OpenRouter serves the models of a provider.
func IsOpenRouter(provider, baseURL string) bool {
	return provider == "openrouter" || HostMatches(baseURL, "openrouter.ai")
}

func amount(v json.RawMessage) (float64, bool) {
	n, err := strconv.ParseFloat(string(v), 64)
	return n, err == nil && n >= 0
}
