package compatible

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai"
)

func TestParseOpenRouter(t *testing.T) {
	word := "high"
	known := []*ai.Model{
		{ID: "v/known", Name: "Old", API: "anthropic-messages", BaseURL: "https://b", Reasoning: true, Input: []string{"text", "image"}, ContextWindow: 100, MaxTokens: 50, Cost: ai.Rates{Input: 9, Output: 9, Tiers: []ai.RateTier{{InputAbove: 5}}}, ThinkingLevels: map[ai.ThinkingLevel]*string{"max": &word}, Compat: json.RawMessage(`{}`)},
		{ID: "v/known", Type: ai.ModelImage, API: "x"},
	}
	got, err := parseOpenRouter([]byte(`{"data":[
		{"id":"v/known","name":"New","context_length":200,"top_provider":{"max_completion_tokens":null},"architecture":{"input_modalities":["text"]},"pricing":{"prompt":"0.000002","completion":"-1"}},
		{"id":"v/new","context_length":8000,"architecture":{"input_modalities":["image","text"],"output_modalities":["text"]},"pricing":{"prompt":0.00000125,"completion":"x","input_cache_read":"0.0000001"},"supported_parameters":["reasoning"]},
		{"id":"v/long","pricing":{"prompt":"0.000001","completion":"0.000004","input_cache_read":"0.0000001","overrides":[
			{"min_prompt_tokens":200000,"prompt":"0.000002","completion":"-1","input_cache_write":"0.000003"},
			{"min_prompt_tokens":0,"prompt":"0.5e-6","utc_start":"16:30","utc_end":"00:30"},{"min_prompt_tokens":9,"utc_days":["sat"]},{"prompt":"0.1"},{"min_prompt_tokens":-1},{"min_prompt_tokens":1e300}]}},
		{"id":"v/paints","architecture":{"output_modalities":["image"]}}, {"id":""}]}`), known)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d models, %v", len(got), err)
	}
	k, n := got[0], got[1]
	if k.Name != "New" || k.API != "anthropic-messages" || k.ContextWindow != 200 || k.MaxTokens != 50 || k.Accepts("image") || k.Cost.Input != 2 || k.Cost.Output != 0 ||
		len(k.Cost.Tiers) != 1 || k.ThinkingLevels["max"] == nil || known[0].Name != "Old" {
		t.Errorf("known: %+v", *k)
	}
	if n.API != "openai-completions" || n.BaseURL != openRouterBase || !n.Reasoning || !n.Accepts("image") || n.ContextWindow != 8000 || n.MaxTokens != 8000 || n.Cost.Input != 1.25 || n.Cost.Output != 0 || n.Cost.CacheRead != 0.1 {
		t.Errorf("new: %+v", *n)
	}
	want := ai.Rates{Input: 1, Output: 4, CacheRead: 0.1, Tiers: []ai.RateTier{{InputAbove: 200_000, Input: 2, Output: 4, CacheRead: 0.1, CacheWrite: 3}}}
	if diff := cmp.Diff(want, got[2].Cost); diff != "" {
		t.Errorf("prices of long prompts (-want +got):\n%s", diff)
	}
	for _, bad := range []string{`{"data":[]}`, `[]`, `x`} {
		if _, err := parseOpenRouter([]byte(bad), nil); err == nil {
			t.Errorf("%s is a list", bad)
		}
	}
}

func FuzzParseOpenRouter(f *testing.F) {
	f.Add([]byte(`{"data":[{"id":"a","context_length":1e300,"pricing":{"prompt":"1e-400","overrides":[{"min_prompt_tokens":1e18}]}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		models, err := parseOpenRouter(body, nil)
		if err != nil {
			return
		}
		for _, m := range models {
			if m.ID == "" || m.Cost.Input < 0 || m.Cost.Output < 0 || len(m.Input) == 0 {
				t.Errorf("%q gives %+v", body, *m)
			}
		}
	})
}
