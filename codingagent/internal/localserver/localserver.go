// Package localserver finds model servers that run on this machine and makes their
// models usable.
//
//	for _, s := range localserver.Find(ctx, localserver.Known(env.Lookup)) {
//		err := s.Keep(ctx, filepath.Join(agentDir, "models.json"))
//		models.SetProvider(s.Provider())
//	}
//
// Only the addresses that are given are asked, at once and briefly, without a
// proxy, and nothing is followed to another place.
package localserver

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
	"github.com/pi-go/pi/ai/provider/compatible"
)

// Patience is how long a server may take to tell its models.
const Patience = 800 * time.Millisecond

// Candidate is where a server may be.
type Candidate struct {
	// ID becomes that of the provider, Name is for people.
	ID, Name string
	// BaseURL includes the /v1.
	BaseURL string
}

// Known are the usual places of Ollama, LM Studio, llama.cpp and vLLM, or those that
// the variables OLLAMA_HOST and LLAMA_BASE_URL name.
func Known(lookup func(string) string) []Candidate {
	return []Candidate{
		{"ollama", "Ollama", baseURL(lookup("OLLAMA_HOST"), "11434")},
		{"lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"},
		{"llama.cpp", "llama.cpp", baseURL(lookup("LLAMA_BASE_URL"), "8080")},
		{"vllm", "vLLM", "http://127.0.0.1:8000/v1"},
	}
}

// baseURL reads what such a variable holds: a host, a host and a port, or a URL.
func baseURL(value, port string) string {
	value = strings.TrimRight(strings.TrimSpace(value), "/")
	if value == "" {
		value = "127.0.0.1"
	}
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" {
		return "http://127.0.0.1:" + port + "/v1"
	}
	host := u.Hostname()
	if host == "0.0.0.0" || host == "::" || host == "" { // where it listens is not where it is asked
		host = "127.0.0.1"
	}
	u.Host = net.JoinHostPort(host, cmp.Or(u.Port(), port))
	if !strings.HasSuffix(u.Path, "/v1") {
		u.Path += "/v1"
	}
	return u.String()
}

// Server is one that answers.
type Server struct {
	Candidate
	// Models are never none.
	Models []*ai.Model
}

// Find asks all candidates at once and gives those that have models, in the order
// of the candidates.
func Find(ctx context.Context, candidates []Candidate) []Server {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	client := &http.Client{
		Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("a model server does not send people elsewhere")
		},
	}
	found := make([]Server, len(candidates))
	var wg sync.WaitGroup
	for i, c := range candidates {
		wg.Go(func() {
			models, err := compatible.ListModels(ctx, client, c.BaseURL, "")
			if err == nil {
				found[i] = Server{c, models}
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(found, func(s Server) bool { return len(s.Models) == 0 })
}

// Provider makes the server usable in this process.
func (s Server) Provider() (ai.Provider, error) {
	return compatible.New(compatible.Config{ID: s.ID, Name: s.Name, BaseURL: s.BaseURL, Models: s.Models, KeyOptional: true})
}

// entry is the server in a models.json.
type entry struct {
	Name    string  `json:"name"`
	BaseURL string  `json:"baseUrl"`
	API     string  `json:"api"`
	APIKey  string  `json:"apiKey"`
	Models  []model `json:"models"`
}

type model struct {
	ID            string `json:"id"`
	ContextWindow int64  `json:"contextWindow,omitempty"`
}

// Keep describes the server in a models.json, so that it is there the next time,
// too. The rest of the file stays as it is, comments included.
func (s Server) Keep(ctx context.Context, file string) error {
	e := entry{Name: s.Name, BaseURL: s.BaseURL, API: "openai-completions", APIKey: "none"}
	for _, m := range s.Models {
		e.Models = append(e.Models, model{m.ID, m.ContextWindow})
	}
	return lockfile.Update(ctx, file, lockfile.Options{}, func(old []byte) ([]byte, error) {
		doc, err := jsonobj.Open(file, old, jsonobj.Relaxed)
		if err != nil {
			return nil, err
		}
		if err := doc.Set(e, "providers", s.ID); err != nil {
			return nil, err
		}
		return doc.Bytes(), nil
	})
}
