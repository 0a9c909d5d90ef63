package compatible

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/pi-go/pi/ai"
)

// maxList caps the list that a server may send.
const maxList = 16 << 20

// ListModels asks a server that speaks openai-completions for its models. The key
// may be empty; a nil client means [http.DefaultClient]. Windows are filled in
// where the server tells them (vLLM, llama.cpp, LM Studio and OpenRouter do).
func ListModels(ctx context.Context, client *http.Client, baseURL, key string) ([]*ai.Model, error) {
	if client == nil {
		client = http.DefaultClient
	}
	address := strings.TrimRight(baseURL, "/") + "/models"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("list models of %s: %w", baseURL, err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	req.Header.Set("Accept", "application/json")
	res, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("list models of %s: %w", baseURL, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxList+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("list models of %s: %w", baseURL, err)
	case len(body) > maxList:
		return nil, fmt.Errorf("list models of %s: the list is larger than %d MiB", baseURL, maxList>>20)
	case res.StatusCode != http.StatusOK:
		return nil, ai.ResponseError(res.StatusCode, res.Header, body)
	}
	models, err := parseList(body)
	if err != nil {
		return nil, fmt.Errorf("list models of %s: %w", baseURL, err)
	}
	return models, nil
}

func parseList(body []byte) ([]*ai.Model, error) {
	var list struct {
		Data []struct {
			ID            string  `json:"id"`
			Name          string  `json:"name"`
			ContextLength float64 `json:"context_length"`
			MaxModelLen   float64 `json:"max_model_len"`
			MaxContext    float64 `json:"max_context_length"`
			Meta          struct {
				Context float64 `json:"n_ctx"`
				Trained float64 `json:"n_ctx_train"`
			} `json:"meta"`
			Type string `json:"type"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("the answer is not a list of models: %w", err)
	}
	var models []*ai.Model
	for _, d := range list.Data {
		if d.ID == "" || d.Type == "embedding" || d.Type == "embeddings" {
			continue
		}
		m := &ai.Model{ID: d.ID, Name: d.Name}
		for _, n := range []float64{d.ContextLength, d.MaxModelLen, d.Meta.Context, d.MaxContext, d.Meta.Trained} {
			if n > 0 && m.ContextWindow == 0 {
				m.ContextWindow = int64(n)
			}
		}
		models = append(models, m)
	}
	return models, nil
}
