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
	"encoding/json"
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
	// Key is what the server wants to be asked with, "" if it wants none. KeyVar is
	// the variable that holds it, "" if it is from elsewhere.
	Key, KeyVar string
}

// Known are the usual places of Ollama, LM Studio, llama.cpp and vLLM, or those that
// the variables OLLAMA_HOST and LLAMA_BASE_URL name. The key of llama.cpp is that in
// LLAMA_API_KEY.
func Known(lookup func(string) string) []Candidate {
	list := []Candidate{
		{ID: "ollama", Name: "Ollama", BaseURL: baseURL(lookup("OLLAMA_HOST"), "11434")},
		{ID: "lmstudio", Name: "LM Studio", BaseURL: "http://127.0.0.1:1234/v1"},
	}
	c, named := Llama(lookup)
	list = append(list, c)
	if !named {
		c.BaseURL = baseURL("", "9931") // of many models; that above is of one
		list = append(list, c)
	}
	return append(list, Candidate{ID: "vllm", Name: "vLLM", BaseURL: "http://127.0.0.1:8000/v1"})
}

// llama is the id and the name of a llama.cpp server.
const llama = "llama.cpp"

// LlamaKeyVar is the variable that holds the key of a llama.cpp server.
const LlamaKeyVar = "LLAMA_API_KEY"

// Llama is the llama.cpp server that the variable LLAMA_BASE_URL names, or, when it
// names none and ok is false, that at the usual place.
func Llama(lookup func(string) string) (c Candidate, ok bool) {
	value := lookup("LLAMA_BASE_URL")
	c = Candidate{ID: llama, Name: llama, BaseURL: baseURL(value, "8080"), Key: lookup(LlamaKeyVar)}
	if c.Key != "" {
		c.KeyVar = LlamaKeyVar
	}
	return c, strings.TrimSpace(value) != ""
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
			models, err := compatible.ListModels(ctx, client, c.BaseURL, c.Key)
			if err == nil {
				found[i] = Server{c, facts(ctx, client, c, models)}
			}
		})
	}
	wg.Wait()
	var out []Server
	for _, s := range found {
		// One kind of server may have several usual places; the first that answers is it.
		if len(s.Models) > 0 && !slices.ContainsFunc(out, func(have Server) bool { return have.ID == s.ID }) {
			out = append(out, s)
		}
	}
	return out
}

// Provider makes the server usable in this process.
func (s Server) Provider() (ai.Provider, error) {
	config := compatible.Config{ID: s.ID, Name: s.Name, BaseURL: s.BaseURL, Models: s.Models, KeyOptional: true}
	switch {
	case s.KeyVar != "":
		config.Env = []string{s.KeyVar}
	case s.Key != "":
		config.Key = func(context.Context) (string, error) { return s.Key, nil }
	}
	return compatible.New(config)
}

// NoKey is what a models.json holds for a server that wants no key.
const NoKey = "none"

// fileKey is what a models.json holds for the key, where it held have. A key is never
// written: the file names the variable that it is in, and one from elsewhere, such as
// auth.json, comes before what the file says.
func (s Server) fileKey(have string) string {
	switch {
	case have != "" && have != NoKey:
		return have
	case s.KeyVar != "":
		return "$" + s.KeyVar
	}
	return NoKey
}

// entry is what a new server is in a models.json.
type entry struct {
	Name    string `json:"name"`
	BaseURL string `json:"baseUrl"`
	API     string `json:"api"`
	APIKey  string `json:"apiKey"`
}

// model is a model in a models.json.
type model struct {
	ID            string   `json:"id"`
	Reasoning     bool     `json:"reasoning,omitempty"`
	Input         []string `json:"input,omitempty"`
	ContextWindow int64    `json:"contextWindow,omitempty"`
}

func describe(m *ai.Model) model {
	d := model{ID: m.ID, Reasoning: m.Reasoning, ContextWindow: m.ContextWindow}
	if m.Accepts("image") {
		d.Input = m.Input
	}
	return d
}

// Keep describes the server in a models.json, so that it is there the next time,
// too. The rest of the file stays as it is, comments included; so does what is there
// of the server already: only its address is brought up to date, and models that it has
// and the file does not are added.
func (s Server) Keep(ctx context.Context, file string) error {
	return lockfile.Update(ctx, file, lockfile.Options{}, func(old []byte) ([]byte, error) {
		doc, err := jsonobj.Open(file, old, jsonobj.Relaxed)
		if err != nil {
			return nil, err
		}
		return s.keepIn(doc)
	})
}

func (s Server) keepIn(doc *jsonobj.Document) ([]byte, error) {
	var list []json.RawMessage
	have, known := doc.Get("providers", s.ID)
	if known && string(have) != "null" {
		var there struct {
			APIKey string            `json:"apiKey"`
			API    string            `json:"api"`
			Models []json.RawMessage `json:"models"`
		}
		if err := json.Unmarshal(have, &there); err != nil {
			return nil, doc.ErrorAt("this is no provider; mend it first", "providers", s.ID)
		}
		for _, k := range []struct{ key, value string }{
			{"baseUrl", s.BaseURL}, {"api", cmp.Or(there.API, "openai-completions")}, {"apiKey", s.fileKey(there.APIKey)},
		} {
			if err := doc.Set(k.value, "providers", s.ID, k.key); err != nil {
				return nil, err
			}
		}
		list = there.Models
	} else if err := doc.Set(entry{Name: s.Name, BaseURL: s.BaseURL, API: "openai-completions", APIKey: s.fileKey("")}, "providers", s.ID); err != nil {
		return nil, err
	}
	before := len(list)
	for _, m := range s.Models {
		if slices.ContainsFunc(list, func(raw json.RawMessage) bool {
			var have struct{ ID string }
			return json.Unmarshal(raw, &have) == nil && have.ID == m.ID
		}) {
			continue
		}
		raw, err := jsonobj.Marshal(describe(m))
		if err != nil {
			return nil, err
		}
		list = append(list, raw)
	}
	if len(list) > before {
		// Comments between the models that were there are lost; those elsewhere stay.
		if err := doc.Set(list, "providers", s.ID, "models"); err != nil {
			return nil, err
		}
	}
	return doc.Bytes(), nil
}
