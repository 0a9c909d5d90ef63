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
		c.env = []string{"LLAMA_BASE_URL=" + r.URL, "HF_ENDPOINT=http://127.0.0.1:1"}
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

// newHub is a Hugging Face that wants a token; stopped gets a value when somebody has
// had enough of waiting for an answer.
func newHub(t *testing.T) (s *httptest.Server, stopped chan struct{}) {
	t.Helper()
	stopped = make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/models", func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Query().Get("search") {
		case "slow":
			<-q.Context().Done()
			stopped <- struct{}{}
		case "busy":
			w.WriteHeader(http.StatusTooManyRequests)
		case "nothing":
			fmt.Fprint(w, "[]")
		default:
			fmt.Fprint(w, `[{"id":"someone/tiny-GGUF","downloads":1234567,"gated":false},{"id":"\u001b[31mred/\u001b","downloads":9},{"id":"maker/closed-GGUF","downloads":12,"gated":"manual"}]`)
		}
	})
	files := func(gated string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"gated":`+gated+`,"siblings":[{"rfilename":"README.md","size":9},{"rfilename":"m-Q8_0.gguf","size":2100000000},{"rfilename":"m-Q4_K_M.gguf","size":900000000},{"rfilename":"m-Q2_K.gguf","size":500000000},{"rfilename":"mmproj-F16.gguf","size":5}]}`)
		}
	}
	mux.HandleFunc("GET /api/models/someone/tiny-GGUF", files("false"))
	mux.HandleFunc("GET /api/models/maker/closed-GGUF", files(`"manual"`))
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Header.Get("Authorization") != "Bearer hf_secret" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, "%s is no token", q.Header.Get("Authorization"))
			return
		}
		mux.ServeHTTP(w, q)
	}))
	t.Cleanup(s.Close)
	return s, stopped
}

// What is searched on Hugging Face is downloaded by the router, in the quantization
// that was chosen, after a warning if not everybody may.
func TestLlamaSearch(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		r := newRouter(t)
		hub, stopped := newHub(t)
		c := place(t)
		c.env = []string{"LLAMA_BASE_URL=" + r.URL, "HF_ENDPOINT=" + hub.URL}
		c.put("../home/.cache/huggingface/token", "hf_secret\n")
		c.open(width, 30)
		c.keys("/llama", enter)
		c.wait("── Models of llama.cpp")
		c.keys("download", enter)
		c.wait("── Download a model")
		c.keys("slow", enter)
		c.wait("── Searching Hugging Face", "escape stops")
		c.keys(escape)
		<-stopped
		c.wait("── Download a model", "slow")
		c.keys(ctrlU, "nothing", enter)
		c.wait("Hugging Face has nothing", "── Download a model")
		c.keys(ctrlU, "busy", enter)
		c.wait("too many", "wait a little", "── Download a model")
		c.keys(ctrlU, "tiny", enter)
		if s := c.wait("── Models on Hugging Face", "→ someone/tiny-GGUF", "maker/closed-GGUF"); strings.Contains(s, "red/") {
			t.Errorf("a name that is none is shown:\n%s", s)
		}
		c.resize(width+9, 28)
		c.wait("→ someone/tiny-GGUF")
		c.keys(enter)
		if s := c.wait("── Quantizations of someone/tiny-GGUF", "Q2_K", "500 MB", "→ Q4_K_M", "Q8_0", "2.1 GB"); strings.Contains(s, "F16") {
			t.Errorf("what is no model is offered:\n%s", s)
		}
		c.keys(escape)
		c.wait("── Models on Hugging Face")
		c.keys("closed", enter)
		c.wait("── Quantizations of maker/closed-GGUF", "→ Q4_K_M")
		c.keys("q8", enter)
		c.until("it is said what to do", func(s string) bool {
			return strings.Contains(s, "maker/closed-GGUF is gated") && strings.Contains(s, "→ Cancel") && strings.Contains(strings.Join(strings.Fields(s), ""), hub.URL+"/maker/closed-GGUF.")
		})
		c.keys(enter)
		c.wait("── Quantizations of maker/closed-GGUF")
		c.keys("q8", enter)
		c.wait("maker/closed-GGUF is gated")
		c.keys("all the same", enter)
		c.wait("downloading · 75%")
		c.wait("── Models of llama.cpp", "maker/closed-GGUF:Q8_0")
		c.keys("download a", enter)
		c.wait("── Download a model")
		c.keys("someone/tiny-GGUF", enter)
		c.wait("── Quantizations of someone/tiny-GGUF")
		c.keys(enter)
		c.wait("── Models of llama.cpp", "someone/tiny-GGUF:Q4_K_M")
		c.keys(escape)
		c.gone("── Models of")
		c.leave()
		r.mu.Lock()
		defer r.mu.Unlock()
		if got := strings.Join(r.asked, ", "); got != "downloading maker/closed-GGUF:Q8_0, downloading someone/tiny-GGUF:Q4_K_M" {
			t.Errorf("the server was told: %s", got)
		}
		if strings.Contains(c.raw.String(), "hf_secret") {
			t.Error("the token is shown")
		}
	})
}
