package compatible

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/catalog"
)

const openRouterBase = "https://openrouter.ai/api/v1"

// openRouterModels asks for the models that a key may use. Which those are depends
// on the account; a key that may not ask gets all.
func openRouterModels() *ai.ListSource {
	return &ai.ListSource{
		Replaces: []ai.ModelType{ai.ModelChat},
		Fetch: func(ctx context.Context, r *ai.ListRequest) (*ai.ModelList, error) {
			answer, err := r.Get(ctx, openRouterBase+"/models/user", nil)
			var refused *ai.APIError
			if errors.As(err, &refused) && (refused.Status == 401 || refused.Status == 403 || refused.Status == 404) {
				return nil, ai.ErrNoList
			}
			if err != nil {
				return nil, err
			}
			models, err := parseOpenRouter(answer.Body, catalog.OpenRouter().Models())
			if err != nil {
				return nil, fmt.Errorf("the list of models of OpenRouter: %w", err)
			}
			return &ai.ModelList{Models: models, ETag: answer.ETag, LastModified: answer.LastModified}, nil
		},
	}
}

// openRouterModel is a model as OpenRouter lists it.
type openRouterModel struct {
	ID            string  `json:"id"`
	Name          string  `json:"name"`
	ContextLength float64 `json:"context_length"`
	Architecture  struct {
		Input  []string `json:"input_modalities"`
		Output []string `json:"output_modalities"`
	} `json:"architecture"`
	Pricing struct {
		openRouterPrices
		Overrides []openRouterOverride `json:"overrides"`
	} `json:"pricing"`
	Top struct {
		MaxTokens float64 `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Parameters []string `json:"supported_parameters"`
}

// openRouterPrices are dollars per token, as text.
type openRouterPrices struct {
	Prompt     json.RawMessage `json:"prompt"`
	Completion json.RawMessage `json:"completion"`
	CacheRead  json.RawMessage `json:"input_cache_read"`
	CacheWrite json.RawMessage `json:"input_cache_write"`
}

// openRouterOverride are other prices for long prompts, or for hours of the day, which
// rates can not express.
type openRouterOverride struct {
	openRouterPrices
	MinPrompt *float64        `json:"min_prompt_tokens"`
	Start     json.RawMessage `json:"utc_start"`
	End       json.RawMessage `json:"utc_end"`
	Days      json.RawMessage `json:"utc_days"`
}

// parseOpenRouter reads the list. What the catalog knows of a model and the list does
// not tell (levels of thinking, flags, where it is silent prices of long prompts) is
// kept.
func parseOpenRouter(body []byte, known []*ai.Model) ([]*ai.Model, error) {
	var list struct {
		Data []openRouterModel `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	if len(list.Data) == 0 {
		return nil, errors.New("it is empty")
	}
	facts := make(map[string]*ai.Model)
	for _, m := range known {
		if m.Type == "" {
			facts[m.ID] = m
		}
	}
	var models []*ai.Model
	for _, d := range list.Data {
		if d.ID == "" || len(d.Architecture.Output) > 0 && !slices.Contains(d.Architecture.Output, "text") {
			continue
		}
		m := &ai.Model{API: openaicompletions.ID, BaseURL: openRouterBase, ContextWindow: DefaultContextWindow, MaxTokens: DefaultMaxTokens}
		if f := facts[d.ID]; f != nil {
			*m = *f
		} else {
			m.Reasoning = slices.Contains(d.Parameters, "reasoning")
		}
		d.apply(m)
		models = append(models, m)
	}
	return models, nil
}

// apply takes what the list tells into a model.
func (d *openRouterModel) apply(m *ai.Model) {
	m.ID = d.ID
	if d.Name != "" {
		m.Name = d.Name
	}
	if d.ContextLength > 0 && d.ContextLength < mostTokens {
		m.ContextWindow = int64(d.ContextLength)
	}
	if d.Top.MaxTokens > 0 && d.Top.MaxTokens < mostTokens {
		m.MaxTokens = int64(d.Top.MaxTokens)
	}
	m.MaxTokens = min(m.MaxTokens, m.ContextWindow)
	if len(d.Architecture.Input) > 0 {
		m.Input = []string{"text"}
		if slices.Contains(d.Architecture.Input, "image") {
			m.Input = append(m.Input, "image")
		}
	} else if len(m.Input) == 0 {
		m.Input = []string{"text"}
	}
	p, c := &d.Pricing, &m.Cost
	c.Input, c.Output = perMillion(p.Prompt, c.Input, 0), perMillion(p.Completion, c.Output, 0)
	c.CacheRead, c.CacheWrite = perMillion(p.CacheRead, c.CacheRead, 0), perMillion(p.CacheWrite, c.CacheWrite, 0)
	if p.Overrides != nil {
		c.Tiers = tiers(p.Overrides, *c)
	}
}

// tiers are the prices of long prompts; what one does not tell is as the base.
func tiers(overrides []openRouterOverride, base ai.Rates) []ai.RateTier {
	var all []ai.RateTier
	for _, o := range overrides {
		if o.MinPrompt == nil || *o.MinPrompt < 0 || *o.MinPrompt > mostTokens || len(o.Start)+len(o.End)+len(o.Days) > 0 {
			continue
		}
		all = append(all, ai.RateTier{
			InputAbove: int64(*o.MinPrompt),
			Input:      perMillion(o.Prompt, base.Input, base.Input), Output: perMillion(o.Completion, base.Output, base.Output),
			CacheRead: perMillion(o.CacheRead, base.CacheRead, base.CacheRead), CacheWrite: perMillion(o.CacheWrite, base.CacheWrite, base.CacheWrite),
		})
	}
	return all
}

// mostTokens is more than any model takes; more is nonsense.
const mostTokens = 1e12

// perMillion reads a price of a token, a number or text, as that of a million; missing
// and nonsense are what counts for one that is not there, or is no price.
func perMillion(v json.RawMessage, missing, nonsense float64) float64 {
	if len(v) == 0 || string(v) == "null" {
		return missing
	}
	var text string
	if json.Unmarshal(v, &text) != nil {
		text = string(v)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= 1) { // no token costs a dollar
		return nonsense
	}
	return math.Round(n*1e15) / 1e9 // no 0.09999999999999999
}
