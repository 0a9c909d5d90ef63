package mistralconversations

import "github.com/pi-go/pi/ai"

type cached struct {
	Cached      float64 `json:"cached_tokens"`
	CachedCamel float64 `json:"cachedTokens"`
}

// usage is the vendor's counts; the place of the cached ones has changed over
// time.
type usage struct {
	Prompt       float64 `json:"prompt_tokens"`
	PromptCamel  float64 `json:"promptTokens"`
	Output       float64 `json:"completion_tokens"`
	OutputCamel  float64 `json:"completionTokens"`
	Cached       float64 `json:"num_cached_tokens"`
	CachedCamel  float64 `json:"numCachedTokens"`
	Details      *cached `json:"prompt_tokens_details"`
	Detail       *cached `json:"prompt_token_details"`
	DetailsCamel *cached `json:"promptTokensDetails"`
	DetailCamel  *cached `json:"promptTokenDetails"`
}

func (u *usage) tokens() ai.Usage {
	n := func(f float64) int64 { return max(int64(f), 0) }
	read := max(u.Cached, u.CachedCamel)
	for _, d := range []*cached{u.Details, u.Detail, u.DetailsCamel, u.DetailCamel} {
		if d != nil {
			read = max(read, d.Cached, d.CachedCamel)
		}
	}
	prompt := n(max(u.Prompt, u.PromptCamel))
	out := ai.Usage{CacheRead: min(n(read), prompt), Output: n(max(u.Output, u.OutputCamel))}
	out.Input = prompt - out.CacheRead
	out.Total = prompt + out.Output
	return out
}
