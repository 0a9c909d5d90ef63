package localserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// The states of a [RouterModel].
const (
	Unloaded    = "unloaded"
	Loading     = "loading"
	Loaded      = "loaded"
	Sleeping    = "sleeping" // loaded, and out of the way until it is asked
	Downloading = "downloading"
)

// ErrNoRouter is the error of a llama.cpp server that runs the one model it was
// started with.
var ErrNoRouter = errors.New("the server runs one model; llama serve without a model lets models be loaded and unloaded")

// routerPatience is how long a router may take to answer. It answers before a model
// is loaded.
const routerPatience = 10 * time.Second

// Router is a llama.cpp server that loads models when it is told to. It is safe for
// concurrent use.
type Router struct {
	// BaseURL includes the /v1; Key is what the server wants to be asked with, "" if
	// it wants none.
	BaseURL, Key string
}

// RouterModel is a model that a router has.
type RouterModel struct {
	ID string
	// State is one of the constants. Failed says that it was loaded and ended, with
	// an exit code.
	State  string
	Failed bool
	Exit   int
	// Done is the part that is loaded or downloaded, from 0 to 1; negative when the
	// router does not say.
	Done float64
	// Context is the window it runs with, or was made for; 0 is not known.
	Context int64
}

// Running reports whether the model takes memory.
func (m RouterModel) Running() bool { return m.State == Loaded || m.State == Sleeping }

// Models lists what the router has, as it is now.
func (r Router) Models(ctx context.Context) ([]RouterModel, error) {
	var answer struct {
		Data []struct {
			ID     string `json:"id"`
			Status *struct {
				Value    string `json:"value"`
				Failed   bool   `json:"failed"`
				Exit     int    `json:"exit_code"`
				Progress map[string]struct {
					Done  float64 `json:"done"`
					Total float64 `json:"total"`
				} `json:"progress"`
			} `json:"status"`
			Meta struct {
				Context int64 `json:"n_ctx"`
				Train   int64 `json:"n_ctx_train"`
			} `json:"meta"`
		} `json:"data"`
	}
	if err := r.do(ctx, http.MethodGet, "/models", nil, &answer); err != nil {
		return nil, err
	}
	var out []RouterModel
	for _, d := range answer.Data {
		if d.Status == nil {
			return nil, ErrNoRouter
		}
		m := RouterModel{ID: d.ID, State: d.Status.Value, Failed: d.Status.Failed, Exit: d.Status.Exit, Done: -1, Context: d.Meta.Context}
		if m.Context == 0 {
			m.Context = d.Meta.Train
		}
		done, total := 0.0, 0.0
		for _, p := range d.Status.Progress {
			done, total = done+p.Done, total+p.Total
		}
		if total > 0 {
			m.Done = min(done/total, 1)
		}
		out = append(out, m)
	}
	return out, nil
}

// Load begins to load a model, Unload frees its memory, and Download begins to fetch
// one, "owner/repository" or "owner/repository:quantization", from the place that the
// server knows. What comes of it is in [Router.Models].
func (r Router) Load(ctx context.Context, id string) error { return r.tell(ctx, "/models/load", id) }

// Unload frees the memory of a model.
func (r Router) Unload(ctx context.Context, id string) error {
	return r.tell(ctx, "/models/unload", id)
}

// Download begins to fetch a model.
func (r Router) Download(ctx context.Context, id string) error { return r.tell(ctx, "/models", id) }

func (r Router) tell(ctx context.Context, path, id string) error {
	return r.do(ctx, http.MethodPost, path, map[string]string{"model": id}, nil)
}

// do asks the server. An error holds what the server says.
func (r Router) do(ctx context.Context, method, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, routerPatience)
	defer cancel()
	var reader io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(text)
	}
	root := strings.TrimSuffix(r.BaseURL, "/v1")
	req, err := http.NewRequestWithContext(ctx, method, root+path, reader)
	if err != nil {
		return err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.Key != "" {
		req.Header.Set("Authorization", "Bearer "+r.Key)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxFacts+1))
	switch {
	case err != nil:
		return err
	case len(text) > maxFacts:
		return errors.New("the answer is too long")
	case res.StatusCode != http.StatusOK:
		var refused struct {
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(text, &refused) == nil && refused.Error.Message != "" {
			return fmt.Errorf("llama.cpp: %s", refused.Error.Message)
		}
		return fmt.Errorf("%s answers %s", root+path, res.Status)
	case answer == nil:
		return nil
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return fmt.Errorf("%s: %w", root+path, err)
	}
	return nil
}
