package models_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/models"
)

// A llama.cpp server that a variable names can be used at once.
func TestLlamaOfTheEnvironment(t *testing.T) {
	key := ""
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key = r.Header.Get("Authorization")
		_, _ = io.WriteString(w, `{"data":[{"id":"qwen.gguf","meta":{"n_ctx":8192}}]}`)
	}))
	t.Cleanup(s.Close)
	open := func(url string) (*models.Runtime, []error) {
		env := map[string]string{"LLAMA_BASE_URL": url, "LLAMA_API_KEY": "sk-llama"}
		return models.Home{AgentDir: t.TempDir(), Files: execenv.LocalFS{}, Env: func(name string) string { return env[name] }, Dir: t.TempDir()}.Open(t.Context())
	}
	r, faults := open(s.URL)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	list := r.Models.Available(t.Context())
	if len(list) != 1 || list[0].Ref() != "llama.cpp/qwen.gguf" || list[0].ContextWindow != 8192 || list[0].BaseURL != s.URL+"/v1" || key != "Bearer sk-llama" {
		t.Errorf("models %v, key %q", list, key)
	}
	if _, faults := open("http://127.0.0.1:1"); len(faults) != 1 || !strings.Contains(faults[0].Error(), "LLAMA_BASE_URL: no models come from http://127.0.0.1:1/v1") {
		t.Errorf("a server that is away: %v", faults)
	}
	if r, faults := open(""); len(faults) > 0 || r.Models.Provider("llama.cpp") != nil {
		t.Errorf("no server named: %v", faults)
	}
}
