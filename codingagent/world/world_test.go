package world_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/codingagent/world"
)

// The models of a person are those of the files in the directory, and what is wrong
// with them is said.
func TestModels(t *testing.T) {
	home := t.TempDir()
	agent := filepath.Join(home, ".pi", "agent")
	if err := os.MkdirAll(agent, 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"providers": {"mine": {"baseUrl": "http://127.0.0.1:1", "api": "openai-completions", "apiKey": "k", "models": [{"id": "m"}]}, "bad": {}}}`
	if err := os.WriteFile(filepath.Join(agent, "models.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	p := world.Process{Err: &errs, Home: home, Env: func(string) string { return "" }}
	if _, err := p.Models(t.Context()).Models.Model("mine", "m"); err != nil {
		t.Error(err)
	}
	if p.AgentDir() != agent || !strings.Contains(errs.String(), "models.json:1:") || !strings.Contains(errs.String(), "providers.bad") {
		t.Errorf("directory %s, said %q", p.AgentDir(), errs.String())
	}
}
