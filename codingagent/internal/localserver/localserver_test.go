package localserver_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/internal/localserver"
)

func TestKnown(t *testing.T) {
	for _, tc := range []struct{ host, want string }{
		{"", "http://127.0.0.1:11434/v1"},
		{"0.0.0.0", "http://127.0.0.1:11434/v1"},
		{"box:99", "http://box:99/v1"},
		{"https://box/", "https://box:11434/v1"},
		{"http://box:1/v1/", "http://box:1/v1"},
		{"[::1]", "http://[::1]:11434/v1"},
		{"http://%zz", "http://127.0.0.1:11434/v1"},
	} {
		got := localserver.Known(func(name string) string { return map[string]string{"OLLAMA_HOST": tc.host}[name] })
		if got[0].BaseURL != tc.want {
			t.Errorf("%q gives %s, want %s", tc.host, got[0].BaseURL, tc.want)
		}
	}
}

func TestFindAndKeep(t *testing.T) {
	ctx := t.Context()
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL + "/v1"
	}
	good := serve(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"data":[{"id":"small:1b","max_model_len":4096},{"id":"big"}]}`))
	})
	hangs := serve(func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	page := serve(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("<html>")) })
	none := serve(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(`{"data":[]}`)) })
	away := serve(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, good+"/models", http.StatusFound) })
	found := localserver.Find(ctx, []localserver.Candidate{
		{"hangs", "", hangs},
		{"page", "", page},
		{"none", "", none},
		{"away", "", away},
		{"gone", "", "http://127.0.0.1:1/v1"},
		{"llama.cpp", "llama.cpp", good},
	})
	if len(found) != 1 || found[0].ID != "llama.cpp" || len(found[0].Models) != 2 {
		t.Fatalf("found %+v", found)
	}
	p, err := found[0].Provider()
	if err != nil {
		t.Fatal(err)
	}
	models := ai.NewModels(p)
	if m, err := models.Model("llama.cpp", "small:1b"); err != nil || m.ContextWindow != 4096 || len(models.Available(ctx)) != 2 {
		t.Errorf("model %+v, %v", m, err)
	}
	file := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(file, []byte("{\n  // mine\n  \"providers\": {\n    \"x\": {}, // keep\n  }\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := found[0].Keep(ctx, file); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if s := string(data); err != nil || !strings.Contains(s, "// mine") || !strings.Contains(s, "// keep") || strings.Count(s, `"llama.cpp": {`) != 1 {
		t.Errorf("%v\n%s", err, data)
	}
	fresh := filepath.Join(t.TempDir(), "models.json")
	if err := found[0].Keep(ctx, fresh); err != nil {
		t.Fatal(err)
	}
	data, err = os.ReadFile(fresh)
	want := `{
  "providers": {
    "llama.cpp": {
      "name": "llama.cpp",
      "baseUrl": "` + good + `",
      "api": "openai-completions",
      "apiKey": "none",
      "models": [
        {
          "id": "small:1b",
          "contextWindow": 4096
        },
        {
          "id": "big"
        }
      ]
    }
  }
}`
	if diff := cmp.Diff(want, strings.TrimSpace(string(data))); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
