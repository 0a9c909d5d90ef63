//go:build unix

package interactive_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// router is a llama.cpp server in its mode with many models.
type router struct {
	*httptest.Server
	mu     sync.Mutex
	names  []string
	states map[string]string
	asked  []string
	steps  map[string]int // how often a model is still seen at work
	key    string         // what the server wants to be asked with
}

func newRouter(t *testing.T) *router {
	t.Helper()
	r := &router{names: []string{"small", "large", "broken"}, states: map[string]string{"small": "loaded", "large": "unloaded", "broken": "unloaded"}, steps: map[string]int{}}
	mux := http.NewServeMux()
	list := func(w http.ResponseWriter, _ *http.Request) {
		r.mu.Lock()
		defer r.mu.Unlock()
		var data []map[string]any
		for _, n := range r.names {
			status := map[string]any{"value": r.states[n]}
			switch {
			case r.steps[n] > 0:
				r.steps[n]--
				status["progress"] = map[string]any{"weights": map[string]any{"done": 30, "total": 40}}
			case r.states[n] == "loading" && n == "broken":
				r.states[n] = "unloaded"
				status = map[string]any{"value": "unloaded", "failed": true, "exit_code": 137}
			case r.states[n] == "loading":
				r.states[n] = "loaded"
			case r.states[n] == "downloading":
				r.states[n] = "unloaded"
			}
			data = append(data, map[string]any{"id": n, "status": status, "meta": map[string]any{"n_ctx": 8192}})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"data": data}); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("GET /models", list)
	mux.HandleFunc("GET /v1/models", list)
	tell := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, q *http.Request) {
			var body struct{ Model string }
			if err := json.NewDecoder(q.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			r.asked = append(r.asked, to+" "+body.Model)
			if body.Model == "nobody/nothing" {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprint(w, `{"error":{"message":"there is no such repository"}}`)
				return
			}
			if !slices.Contains(r.names, body.Model) {
				r.names = append(r.names, body.Model)
			}
			r.states[body.Model], r.steps[body.Model] = to, 3
			if to == "unloaded" {
				r.steps[body.Model] = 0
			}
			fmt.Fprint(w, `{"success":true}`)
		}
	}
	mux.HandleFunc("POST /models/load", tell("loading"))
	mux.HandleFunc("POST /models/unload", tell("unloaded"))
	mux.HandleFunc("POST /models", tell("downloading"))
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"llamas hum"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	})
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if r.key != "" && q.Header.Get("Authorization") != "Bearer "+r.key {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error":{"message":"Invalid API Key"}}`)
			return
		}
		mux.ServeHTTP(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

func TestLlamaCommand(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		r := newRouter(t)
		c := place(t)
		c.env = []string{"LLAMA_BASE_URL=" + r.URL}
		c.open(width, 30)
		c.keys("/llama", enter)
		c.wait("── Models of llama.cpp", "small", "loaded · 8.2k", "unloaded", "Download a model…")
		c.resized(width+9, 28, "Download a model…")
		c.keys("large", enter)
		c.wait("Other models are loaded: small", "Keep them")
		c.keys("unload", enter)
		c.wait("loading · 75%")
		c.wait("The model is llama.cpp/large.")
		c.keys("/llama", enter)
		c.wait("── Models of llama.cpp")
		c.keys("broken", enter)
		c.wait("Keep them")
		c.keys(enter)
		c.wait("broken could not be loaded", "137")
		c.keys("/llama", enter)
		c.wait("── Models of llama.cpp")
		c.keys("large", enter)
		c.wait("Use it", "Unload it")
		c.keys("unload", enter)
		c.wait("── Models of llama.cpp")
		c.gone(" loaded ·") // all of them are unloaded
		c.keys("download", enter)
		c.wait("── Download a model")
		c.keys("nobody/nothing", enter)
		c.wait("there is no such repository")
		c.keys("/llama", enter)
		c.wait("── Models of llama.cpp")
		c.keys("download", enter)
		c.wait("── Download a model")
		c.keys("someone/tiny:Q4", enter)
		c.wait("downloading · 75%")
		c.wait("── Models of llama.cpp", "someone/tiny:Q4")
		c.keys(escape)
		c.gone("── Models of")
		c.leave()
		r.mu.Lock()
		defer r.mu.Unlock()
		if got := strings.Join(r.asked, ", "); got != "unloaded small, loading large, loading broken, unloaded large, downloading nobody/nothing, downloading someone/tiny:Q4" {
			t.Errorf("the server was told: %s", got)
		}
		if f := c.file(agentFiles + "models.json"); !strings.Contains(f, "llama.cpp") {
			t.Errorf("models.json is %s", f)
		}
	})
}

// Without a router one is told how to start it.
func TestLlamaWithoutARouter(t *testing.T) {
	t.Parallel()
	single := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[{"id":"the-one"}]}`) }))
	t.Cleanup(single.Close)
	for address, says := range map[string]string{"127.0.0.1:1": "connection refused", single.URL: "runs one model"} {
		c := place(t)
		c.env = []string{"LLAMA_BASE_URL=" + address}
		c.open(200, 24)
		c.keys("/llama", enter)
		c.wait("No llama.cpp router was found", says, "llama serve --no-models-autoload")
		c.leave()
	}
}

// The models of a router that wants a key can be used from the list, and later from
// models.json, which holds the name of the variable and not the key.
func TestLlamaWithAKey(t *testing.T) {
	t.Parallel()
	r := newRouter(t)
	r.key = "sk-llama"
	c := place(t)
	c.env = []string{"LLAMA_BASE_URL=" + r.URL, "LLAMA_API_KEY=sk-llama"}
	c.open(100, 30)
	c.keys("/llama", enter)
	c.wait("── Models of llama.cpp")
	c.keys("small", enter)
	c.wait("Use it")
	c.keys(enter)
	c.wait("The model is llama.cpp/small.")
	c.keys("what do they do?", enter)
	c.wait("llamas hum")
	c.leave()
	if f := c.file(agentFiles + "models.json"); !strings.Contains(f, "$LLAMA_API_KEY") || strings.Contains(f, "sk-llama") {
		t.Errorf("models.json is %s", f)
	}
	c.env = []string{"LLAMA_API_KEY=sk-llama"} // the address is in the file
	c.start(100, 30, "--model", "llama.cpp/small")
	c.wait("of 8.2k")
	c.keys("and now?", enter)
	c.wait("llamas hum")
	c.keys("/llama", enter)
	c.wait("── Models of llama.cpp at " + r.URL)
	c.keys(escape)
	c.gone("── Models of")
	c.leave()
}
