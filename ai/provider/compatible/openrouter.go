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
		Prompt     json.RawMessage `json:"prompt"` // dollars per token, as text
		Completion json.RawMessage `json:"completion"`
		CacheRead  json.RawMessage `json:"input_cache_read"`
		CacheWrite json.RawMessage `json:"input_cache_write"`
	} `json:"pricing"`
	Top struct {
		MaxTokens float64 `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Parameters []string `json:"supported_parameters"`
}

// parseOpenRouter reads the list. What the catalog knows of a model and the list does
// not tell (levels of thinking, flags, prices of long prompts) is kept.
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
	const most = 1e12 // tokens; more is nonsense
	if d.ContextLength > 0 && d.ContextLength < most {
		m.ContextWindow = int64(d.ContextLength)
	}
	if d.Top.MaxTokens > 0 && d.Top.MaxTokens < most {
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
	rate := func(into *float64, v json.RawMessage) {
		if perToken, ok := dollars(v); ok {
			*into = max(math.Round(perToken*1e15)/1e9, 0) // no 0.09999999999999999
		}
	}
	rate(&m.Cost.Input, d.Pricing.Prompt)
	rate(&m.Cost.Output, d.Pricing.Completion)
	rate(&m.Cost.CacheRead, d.Pricing.CacheRead)
	rate(&m.Cost.CacheWrite, d.Pricing.CacheWrite)
}

// dollars reads a price, a number or text; a price that is none counts as 0.
func dollars(v json.RawMessage) (price float64, given bool) {
	if len(v) == 0 || string(v) == "null" {
		return 0, false
	}
	var text string
	if json.Unmarshal(v, &text) != nil {
		text = string(v)
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n != n || n > 1 { // no token costs a dollar
		return 0, true
	}
	return n, true
}
