package models

import (
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

func TestParseFileErrors(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"syntax", "{\n \"providers\": {\n  oops\n }\n}", "models.json:3:3: "},
		{"no providers", "{}", `models.json:1: expected an object with the key "providers"`},
		{"wrong type", "{\"providers\": {\n \"p\": {\"baseUrl\": 7}}}", "models.json:2: "},
		{"model without id", "{\"providers\": {\n\n \"p\": {\"models\": [{}]}}}", `models.json:3: provider "p", model 1: expected an "id"`},
		{"wrong type in a model", `{"providers":{"p":{"models":[{"id":"x","contextWindow":"big"}]}}}`, "contextWindow: expected a whole number, found a string"},
		{"a list for a number", `{"providers":{"p":{"models":[{"id":"x","contextWindow":[]}]}}}`, "found an array"},
		{"window", `{"providers":{"p":{"models":[{"id":"x","contextWindow":0}]}}}`, "contextWindow: expected a number above 0"},
	}
	for _, c := range cases {
		_, err := ParseFile("models.json", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if f, err := ParseFile("models.json", []byte(" \n")); err != nil || len(f.Providers) != 0 {
		t.Errorf("a blank file: %v", err)
	}
}

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := ParseFile("models.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFileModels(t *testing.T) {
	f := parse(t, `{"providers": { // mine
		"local": {"baseUrl": "http://x/v1", "api": "openai-completions", "compat": {"supportsStore": false, "chatTemplateKwargs": {"a": 1}},
			"models": [{"id": "m", "reasoning": true, "compat": {"chatTemplateKwargs": {"b": 2}}, "cost": {"input": 1}},]},
	}}`)
	got, err := f.Providers["local"].models("local", nil)
	if err != nil {
		t.Fatal(err)
	}
	m := got[0]
	if m.Ref() != "local/m" || m.Name != "m" || m.API != "openai-completions" || m.BaseURL != "http://x/v1" || !m.Reasoning ||
		m.ContextWindow != 128_000 || m.MaxTokens != 16_384 || !m.Accepts("text") || m.Cost.Input != 1 {
		t.Errorf("%+v", m)
	}
	if want := `{"chatTemplateKwargs":{"a":1,"b":2},"supportsStore":false}`; string(m.Compat) != want {
		t.Errorf("compat %s, want %s", m.Compat, want)
	}
}

func TestFileChangesBuiltInModels(t *testing.T) {
	builtin := []*ai.Model{
		{ID: "a", Name: "A", Provider: "p", API: "anthropic-messages", BaseURL: "https://p", ContextWindow: 10, Cost: ai.Rates{Input: 1, Output: 2}},
		{ID: "b", Provider: "p", API: "anthropic-messages", BaseURL: "https://p"},
	}
	f := parse(t, `{"providers": {"p": {"baseUrl": "http://proxy", "modelOverrides": {"a": {"contextWindow": 20, "cost": {"output": 5}}},
		"models": [{"id": "c"}, {"id": "b", "name": "Mine"}]}}}`)
	got, err := f.Providers["p"].models("p", builtin)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0].ContextWindow != 20 || got[0].Cost.Input != 1 || got[0].Cost.Output != 5 || got[0].BaseURL != "http://proxy" {
		t.Errorf("override: %+v", got[0])
	}
	if got[1].Name != "Mine" || got[1].ContextWindow != 128_000 || got[2].API != "anthropic-messages" || got[2].BaseURL != "http://proxy" {
		t.Errorf("replaced and added: %+v %+v", got[1], got[2])
	}
	if builtin[0].ContextWindow != 10 {
		t.Error("the catalog was changed")
	}
}

func TestUnusableProviderSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		`{"providers":{"p":{"baseUrl":"http://x","models":[{"id":"m"}]}}}`:                                     `no "api"`,
		`{"providers":{"p":{"api":"openai-completions","models":[{"id":"m"}]}}}`:                               `no "baseUrl"`,
		`{"providers":{"p":{"baseUrl":"http://x","api":"openai-completions"}}}`:                                `provider p: no "models"`,
		`{"providers":{"p":{"baseUrl":"127.0.0.1:8080/v1","api":"openai-completions","models":[{"id":"m"}]}}}`: `baseUrl is "127.0.0.1:8080/v1"; it must begin with http://`,
		`{"providers":{"p":{"api":"openai-completions","models":[{"id":"m","baseUrl":"localhost:8080/v1"}]}}}`: `model p/m: baseUrl is "localhost:8080/v1"`,
	} {
		if _, err := parse(t, text).Providers["p"].models("p", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
