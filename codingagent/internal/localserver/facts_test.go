package localserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/internal/localserver"
)

// answers serves fixed texts by method and path; /api/show by the model that is named.
func answers(t *testing.T, texts map[string]string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Method + " " + r.URL.Path
		if r.Method == http.MethodPost {
			var body struct{ Model string }
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				t.Error(err)
			}
			key += " " + body.Model
		}
		text, ok := texts[key]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func found(t *testing.T, id, url string) []string {
	t.Helper()
	servers := localserver.Find(t.Context(), []localserver.Candidate{{ID: id, Name: id, BaseURL: url}})
	if len(servers) != 1 {
		t.Fatalf("found %+v", servers)
	}
	var out []string
	for _, m := range servers[0].Models {
		out = append(out, fmt.Sprintf("%s %d %s thinks=%v", m.ID, m.ContextWindow, strings.Join(m.Input, "+"), m.Reasoning))
	}
	return out
}

// What servers tell of their models in their own ways is known; a server that does not
// know the question keeps its list.
func TestFacts(t *testing.T) {
	list := func(ids ...string) string {
		var b strings.Builder
		for _, id := range ids {
			fmt.Fprintf(&b, `,{"id":%q}`, id)
		}
		return `{"data":[` + strings.TrimPrefix(b.String(), ",") + `]}`
	}
	for _, c := range []struct {
		name, id string
		texts    map[string]string
		want     []string
	}{
		{"ollama", "ollama", map[string]string{
			"GET /v1/models":                  list("qwen3:8b", "llava:7b", "nomic-embed-text", "tuned", "old"),
			"GET /api/ps":                     `{"models":[{"name":"qwen3:8b","context_length":8192}]}`,
			"POST /api/show qwen3:8b":         `{"capabilities":["completion","tools","thinking"],"model_info":{"general.architecture":"qwen3","qwen3.context_length":40960}}`,
			"POST /api/show llava:7b":         `{"capabilities":["completion","vision"],"model_info":{"llama.context_length":32768}}`,
			"POST /api/show nomic-embed-text": `{"capabilities":["embedding"],"model_info":{"nomic-bert.context_length":2048}}`,
			"POST /api/show tuned":            `{"capabilities":["completion"],"parameters":"stop    \"x\"\nnum_ctx                        16384","model_info":{"llama.context_length":131072}}`,
		}, []string{"qwen3:8b 8192 text thinks=true", "llava:7b 32768 text+image thinks=false", "tuned 16384 text thinks=false", "old 0  thinks=false"}},
		{"lm studio", "lmstudio", map[string]string{
			"GET /v1/models": list("a", "see", "embed", "b"),
			"GET /api/v0/models": `{"data":[{"id":"a","type":"llm","max_context_length":32768,"loaded_context_length":4096},
				{"id":"see","type":"vlm","max_context_length":8192},{"id":"embed","type":"embeddings"}]}`,
		}, []string{"a 4096 text thinks=false", "see 8192 text+image thinks=false", "b 0  thinks=false"}},
		{"llama.cpp with one model", "llama.cpp", map[string]string{
			"GET /v1/models": `{"data":[{"id":"m.gguf","meta":{"n_ctx_train":131072}}]}`,
			"GET /props":     `{"default_generation_settings":{"n_ctx":16384},"modalities":{"vision":true}}`,
		}, []string{"m.gguf 16384 text+image thinks=false"}},
		{"llama.cpp with many", "llama.cpp", map[string]string{
			"GET /v1/models": list("chat", "see", "judge"),
			"GET /models": `{"data":[{"id":"chat","architecture":{"input_modalities":["text"],"output_modalities":["text"]}},
				{"id":"see","architecture":{"input_modalities":["text","image"],"output_modalities":["text"]}},
				{"id":"judge","architecture":{"input_modalities":["text"],"output_modalities":["decisions"]}}]}`,
		}, []string{"chat 0 text thinks=false", "see 0 text+image thinks=false"}},
		{"none of these", "ollama", map[string]string{"GET /v1/models": list("x"), "GET /api/ps": "<html>"}, []string{"x 0  thinks=false"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, found(t, c.id, answers(t, c.texts))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The first place where a kind of server answers is it.
func TestTwoPlacesOfOneKind(t *testing.T) {
	a, b := answers(t, map[string]string{"GET /v1/models": `{"data":[{"id":"a"},{"id":"a2"}]}`}), answers(t, map[string]string{"GET /v1/models": `{"data":[{"id":"b"}]}`})
	got := localserver.Find(t.Context(), []localserver.Candidate{{ID: "llama.cpp", BaseURL: "http://127.0.0.1:1/v1"}, {ID: "llama.cpp", BaseURL: a}, {ID: "llama.cpp", BaseURL: b}})
	if len(got) != 1 || got[0].BaseURL != a {
		t.Errorf("found %+v", got)
	}
	known := localserver.Known(func(name string) string { return map[string]string{"LLAMA_BASE_URL": "http://127.0.0.1:9931"}[name] })
	if n := len(slices.DeleteFunc(known, func(c localserver.Candidate) bool {
		return c.ID != "llama.cpp" || c.BaseURL != "http://127.0.0.1:9931/v1"
	})); n != 1 {
		t.Errorf("the variable gives %d places", n)
	}
}

// What a person wrote about a server stays.
func TestKeepLeavesWhatIsThere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "models.json")
	const before = `{
  // my servers
  "providers": {
    "ollama": {
      "name": "The box", // in the cellar
      "apiKey": "$BOX_KEY",
      "baseUrl": "http://127.0.0.1:1/v1",
      "headers": {"x": "y"},
      "models": [
        {
          "id": "a",
          "contextWindow": 99
        }
      ]
    }
  }
}
`
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	s := localserver.Server{
		Candidate: localserver.Candidate{ID: "ollama", Name: "Ollama", BaseURL: "http://127.0.0.1:11434/v1"},
		Models:    []*ai.Model{{ID: "a", ContextWindow: 5}, {ID: "b", Reasoning: true, Input: []string{"text", "image"}, ContextWindow: 4096}},
	}
	for range 2 {
		if err := s.Keep(t.Context(), file); err != nil {
			t.Fatal(err)
		}
	}
	want := strings.NewReplacer(`127.0.0.1:1/v1`, `127.0.0.1:11434/v1`, `          "contextWindow": 99
        }
      ]`, `          "contextWindow": 99
        },
        {
          "id": "b",
          "reasoning": true,
          "input": [
            "text",
            "image"
          ],
          "contextWindow": 4096
        }
      ],
      "api": "openai-completions"`).Replace(before)
	got, err := os.ReadFile(file)
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := os.WriteFile(file, []byte(`{"providers": {"ollama": []}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Keep(t.Context(), file); err == nil || !strings.Contains(err.Error(), "models.json:1:26: providers.ollama: this is no provider") {
		t.Errorf("%v", err)
	}
}
