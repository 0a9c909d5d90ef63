package localserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pi-go/pi/ai"
)

const (
	// maxFacts caps what a server may answer, maxShown how many models are asked about.
	maxFacts = 4 << 20
	maxShown = 64
	// askers is how many models are asked about at a time.
	askers = 8
)

// facts asks a server for what its list of models does not say: how long a
// conversation may be, whether it takes images, whether it thinks. Models that can not
// chat are left out. A server that does not know the question keeps its list.
func facts(ctx context.Context, client *http.Client, c Candidate, list []*ai.Model) []*ai.Model {
	switch c.ID {
	case "ollama":
		return ollama(ctx, client, c, list)
	case "lmstudio":
		return lmStudio(ctx, client, c, list)
	case llama:
		return llamaCPP(ctx, client, c, list)
	}
	return list
}

// ask gets JSON from a path outside of /v1; a body makes it a POST.
func (c Candidate) ask(ctx context.Context, client *http.Client, path string, body, answer any) error {
	url := strings.TrimSuffix(c.BaseURL, "/v1") + path
	method, reader := http.MethodGet, io.Reader(nil)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		method, reader = http.MethodPost, bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, reader)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxFacts+1))
	switch {
	case err != nil:
		return err
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("%s answers %s", url, res.Status)
	case len(text) > maxFacts:
		return errors.New("the answer is too long")
	}
	return json.Unmarshal(text, answer)
}

// ollama asks about each model (POST /api/show), and which are loaded with how long a
// window (GET /api/ps).
func ollama(ctx context.Context, client *http.Client, c Candidate, list []*ai.Model) []*ai.Model {
	var running struct {
		Models []struct {
			Name    string `json:"name"`
			Context int64  `json:"context_length"`
		} `json:"models"`
	}
	_ = c.ask(ctx, client, "/api/ps", nil, &running) // older ones do not say
	var wg sync.WaitGroup
	turn := make(chan struct{}, askers)
	chats := make([]bool, len(list))
	for i, m := range list {
		chats[i] = true
		if i >= maxShown {
			continue
		}
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			var shown struct {
				Capabilities []string                   `json:"capabilities"`
				Parameters   string                     `json:"parameters"`
				Info         map[string]json.RawMessage `json:"model_info"`
			}
			if c.ask(ctx, client, "/api/show", map[string]string{"model": m.ID}, &shown) != nil {
				return
			}
			if len(shown.Capabilities) > 0 {
				chats[i] = slices.Contains(shown.Capabilities, "completion")
				m.Reasoning = slices.Contains(shown.Capabilities, "thinking")
				m.Input = inputs(slices.Contains(shown.Capabilities, "vision"))
			}
			for key, value := range shown.Info {
				if n := int64(0); strings.HasSuffix(key, ".context_length") && json.Unmarshal(value, &n) == nil && n > 0 {
					m.ContextWindow = n
				}
			}
			// What is in force is less than what the model was made for, mostly.
			if n := parameter(shown.Parameters, "num_ctx"); n > 0 {
				m.ContextWindow = n
			}
			for _, r := range running.Models {
				if r.Name == m.ID && r.Context > 0 {
					m.ContextWindow = r.Context
				}
			}
		})
	}
	wg.Wait()
	var out []*ai.Model
	for i, m := range list {
		if chats[i] {
			out = append(out, m)
		}
	}
	return out
}

// parameter reads a number from the lines of an Ollama model: a name, spaces, a value.
func parameter(lines, name string) int64 {
	for line := range strings.Lines(lines) {
		if f := strings.Fields(line); len(f) == 2 && f[0] == name {
			n, err := strconv.ParseInt(f[1], 10, 64)
			if err == nil {
				return n
			}
		}
	}
	return 0
}

func inputs(vision bool) []string {
	if vision {
		return []string{"text", "image"}
	}
	return []string{"text"}
}

// lmStudio asks for the list in the server's own form (GET /api/v0/models).
func lmStudio(ctx context.Context, client *http.Client, c Candidate, list []*ai.Model) []*ai.Model {
	var own struct {
		Data []struct {
			ID     string `json:"id"`
			Type   string `json:"type"`
			Max    int64  `json:"max_context_length"`
			Loaded int64  `json:"loaded_context_length"`
		} `json:"data"`
	}
	if c.ask(ctx, client, "/api/v0/models", nil, &own) != nil {
		return list
	}
	return slices.DeleteFunc(list, func(m *ai.Model) bool {
		for _, d := range own.Data {
			if d.ID != m.ID {
				continue
			}
			if n := d.Loaded; n > 0 {
				m.ContextWindow = n
			} else if d.Max > 0 {
				m.ContextWindow = d.Max
			}
			m.Input = inputs(d.Type == "vlm")
			return d.Type != "" && d.Type != "llm" && d.Type != "vlm"
		}
		return false
	})
}

// llamaCPP asks a server of one model what it runs with (GET /props), and one of many
// what each is for (GET /models).
func llamaCPP(ctx context.Context, client *http.Client, c Candidate, list []*ai.Model) []*ai.Model {
	var router struct {
		Data []struct {
			ID           string `json:"id"`
			Architecture *struct {
				Input  []string `json:"input_modalities"`
				Output []string `json:"output_modalities"`
			} `json:"architecture"`
		} `json:"data"`
	}
	if c.ask(ctx, client, "/models", nil, &router) == nil {
		list = slices.DeleteFunc(list, func(m *ai.Model) bool {
			for _, d := range router.Data {
				if d.ID == m.ID && d.Architecture != nil {
					m.Input = inputs(slices.Contains(d.Architecture.Input, "image"))
					return len(d.Architecture.Output) > 0 && !slices.Contains(d.Architecture.Output, "text")
				}
			}
			return false
		})
	}
	if len(list) != 1 {
		return list
	}
	var props struct {
		Settings struct {
			Context int64 `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Modalities struct {
			Vision bool `json:"vision"`
		} `json:"modalities"`
	}
	if c.ask(ctx, client, "/props", nil, &props) == nil {
		if props.Settings.Context > 0 {
			list[0].ContextWindow = props.Settings.Context
		}
		if props.Modalities.Vision {
			list[0].Input = inputs(true)
		}
	}
	return list
}
