package cli

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/modelsfile"
)

func TestModelsCommand(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			_, _ = io.WriteString(w, `{"data":[{"id":"tiny"}]}`)
		case "/props":
			_, _ = io.WriteString(w, `{"default_generation_settings":{"n_ctx":4096}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	home := t.TempDir()
	env := map[string]string{"OLLAMA_HOST": "127.0.0.1:1"}
	run := func(args ...string) (string, string, int) {
		t.Helper()
		var out, errs bytes.Buffer
		code := Run(t.Context(), args, &System{
			In: strings.NewReader(""), Out: &out, Err: &errs, Dir: home, Home: home, Environ: []string{"PATH=/bin"},
			Protocols: modelsfile.Protocols{Chat: []ai.API{openaicompletions.New()}},
			Env:       func(name string) string { return env[name] },
		})
		return out.String(), errs.String(), code
	}
	// Nothing can be used yet: that is said, and is no failure.
	for _, args := range [][]string{{"--list-models"}, {"models", "list"}} {
		if out, errs, code := run(args...); code != 0 || errs != "" || !strings.HasPrefix(out, "No model is available. Do one of these:") {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
	if out, _, code := run("models", "list", "--json"); code != 0 || strings.TrimSpace(out) != "[]" {
		t.Errorf("%d %q", code, out)
	}
	// The server is found where the variable says, and can be kept.
	env["LLAMA_BASE_URL"] = s.URL
	if out, errs, code := run("models", "local"); code != 0 || !strings.Contains(out, "llama.cpp  tiny   4.1K") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	if _, errs, code := run("models", "add", "ollma"); code != 1 || !strings.Contains(errs, `no server "ollma" answers`) {
		t.Errorf("%d %q", code, errs)
	}
	if out, errs, code := run("models", "add", "llama.cpp"); code != 0 || !strings.Contains(out, "llama.cpp is in ") {
		t.Errorf("%d %q %q", code, out, errs)
	}
	text, err := os.ReadFile(filepath.Join(home, ".pi", "agent", "models.json"))
	if err != nil || !strings.Contains(string(text), `"contextWindow": 4096`) {
		t.Errorf("%s %v", text, err)
	}
	env["LLAMA_BASE_URL"] = ""
	if out, errs, code := run("--list-models", "tiny"); code != 0 || errs != "" || !strings.Contains(out, "llama.cpp  tiny   4.1K     16.4K") {
		t.Errorf("%d\n%s%s", code, out, errs)
	}
	if out, _, code := run("--list-models", "huge"); code != 0 || out != "No models matching \"huge\"\n" {
		t.Errorf("%d %q", code, out)
	}
	if _, errs, code := run("models"); code != 1 || !strings.Contains(errs, "pi models what? list, local, add") {
		t.Errorf("%d %q", code, errs)
	}
}
