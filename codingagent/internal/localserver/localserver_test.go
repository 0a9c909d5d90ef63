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
		{ID: "hangs", BaseURL: hangs},
		{ID: "page", BaseURL: page},
		{ID: "none", BaseURL: none},
		{ID: "away", BaseURL: away},
		{ID: "gone", BaseURL: "http://127.0.0.1:1/v1"},
		{ID: "llama.cpp", Name: "llama.cpp", BaseURL: good},
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

// A server that wants a key is found, asked and used with it, and the file that
// describes the server names where the key is, or keeps what the person wrote there.
func TestAServerThatWantsAKey(t *testing.T) {
	ctx := t.Context()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer sk-llama":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/props":
			_, _ = w.Write([]byte(`{"default_generation_settings":{"n_ctx":4096}}`))
		default:
			_, _ = w.Write([]byte(`{"data":[{"id":"small"}]}`))
		}
	}))
	t.Cleanup(s.Close)
	env := map[string]string{"LLAMA_BASE_URL": s.URL}
	lookup := func(name string) string { return env[name] }
	place, _ := localserver.Llama(lookup)
	if found := localserver.Find(ctx, []localserver.Candidate{place}); len(found) != 0 {
		t.Errorf("found without a key: %+v", found)
	}
	env[localserver.LlamaKeyVar] = "sk-llama"
	named, _ := localserver.Llama(lookup)
	elsewhere := place
	elsewhere.Key = "sk-llama"
	for _, tc := range []struct {
		place     localserver.Candidate
		had, want string
	}{
		{named, "", "$LLAMA_API_KEY"},
		{named, "none", "$LLAMA_API_KEY"},
		{named, "sk-mine", "sk-mine"},
		{named, "!pass llama", "!pass llama"},
		{elsewhere, "", "none"},
		{elsewhere, "$OTHER", "$OTHER"},
	} {
		found := localserver.Find(ctx, []localserver.Candidate{tc.place})
		if len(found) != 1 || found[0].Models[0].ContextWindow != 4096 {
			t.Fatalf("found %+v", found)
		}
		p, err := found[0].Provider()
		if err != nil {
			t.Fatal(err)
		}
		models := ai.ModelsConfig{Env: lookup}.New(p)
		if a, err := models.Auth(ctx, "llama.cpp", ai.Options{}); err != nil || a.APIKey != "sk-llama" {
			t.Errorf("requests go with %+v, %v", a, err)
		}
		file := filepath.Join(t.TempDir(), "models.json")
		if tc.had != "" {
			if err := os.WriteFile(file, []byte(`{"providers":{"llama.cpp":{"apiKey":"`+tc.had+`"}}}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := found[0].Keep(ctx, file); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(strings.ReplaceAll(string(text), ": ", ":"), `"apiKey":"`+tc.want+`"`) || strings.Contains(string(text), "sk-llama") {
			t.Errorf("%q becomes %s, %v", tc.had, text, err)
		}
	}
}
