package models

import (
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

func catalog(configured ...string) Catalog {
	c := Catalog{
		Providers:  []string{"anthropic", "openai", "openrouter", "open"},
		Configured: func(p string) bool { return slices.Contains(configured, p) },
	}
	for _, ref := range []string{
		"anthropic/claude-sonnet-5", "anthropic/claude-sonnet-10", "anthropic/claude-sonnet-9-20251101", "anthropic/claude-sonnet-11:batch",
		"anthropic/claude-opus-5", "openai/gpt-4o", "openrouter/openai/gpt-4o", "openrouter/openrouter/free", "openrouter/anthropic/claude-opus-5",
		"openai/shared", "openrouter/shared",
	} {
		provider, id, _ := strings.Cut(ref, "/")
		c.Models = append(c.Models, &ai.Model{ID: id, Name: strings.ToUpper(id), Provider: provider})
	}
	return c
}

func TestResolve(t *testing.T) {
	cases := []struct {
		name, ref, provider string
		configured          []string
		want                string
		level               ai.ThinkingLevel
	}{
		{"highest version, not greatest string", "sonnet", "", nil, "anthropic/claude-sonnet-10", ""},
		{"level", "sonnet:high", "", nil, "anthropic/claude-sonnet-10", "high"},
		{"last level wins", "sonnet:xhigh:low", "", nil, "anthropic/claude-sonnet-10", "low"},
		{"an id with a colon is an id", "claude-sonnet-11:batch", "", nil, "anthropic/claude-sonnet-11:batch", ""},
		{"exact beats partial", "claude-sonnet-5", "", nil, "anthropic/claude-sonnet-5", ""},
		{"case does not matter", "Anthropic/CLAUDE-SONNET-5", "", nil, "anthropic/claude-sonnet-5", ""},
		{"only configured provider wins", "openai/gpt-4o", "", []string{"openrouter"}, "openrouter/openai/gpt-4o", ""},
		{"named provider wins without keys", "openai/gpt-4o", "", nil, "openai/gpt-4o", ""},
		{"named provider wins with both keys", "openai/gpt-4o", "", []string{"openai", "openrouter"}, "openai/gpt-4o", ""},
		{"id that starts with its provider", "openrouter/free", "", nil, "openrouter/openrouter/free", ""},
		{"partial in a provider", "openrouter/opus", "", nil, "openrouter/anthropic/claude-opus-5", ""},
		{"provider option", "gpt-4o", "OpenRouter", nil, "openrouter/openai/gpt-4o", ""},
		{"provider option named twice", "openrouter/shared", "openrouter", nil, "openrouter/shared", ""},
		{"same id, one key", "shared", "", []string{"openai"}, "openai/shared", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := catalog(c.configured...).Resolve(c.ref, c.provider)
			if err != nil {
				t.Fatal(err)
			}
			if got.Model.Ref() != c.want || got.Thinking != c.level {
				t.Errorf("got %s %q, want %s %q", got.Model.Ref(), got.Thinking, c.want, c.level)
			}
		})
	}
}

func TestResolveErrors(t *testing.T) {
	cases := []struct {
		ref, provider string
		want          []string
	}{
		{"claude-sonet-5", "", []string{`"claude-sonet-5" is not known`, "did you mean claude-sonnet-5", "--list-models"}},
		{"anthropic/claude-sonet-5", "", []string{"did you mean anthropic/claude-sonnet-5", "models.json"}},
		{"antropic/claude-x9", "", []string{"no provider \"antropic\"", "did you mean anthropic?"}},
		{"ollama/qwen3", "", []string{"no provider \"ollama\"", "models.json can add one"}},
		{"sonnet:bogus", "", []string{"is not known"}},
		{"shared", "", []string{"ambiguous", "openai/shared, openrouter/shared", "none of them"}},
		{"", "", []string{"empty"}},
		{"x", "anthropc", []string{"unknown provider", "did you mean anthropic?"}},
	}
	for _, c := range cases {
		_, err := catalog().Resolve(c.ref, c.provider)
		if err == nil {
			t.Errorf("%q was resolved", c.ref)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %q lacks %q", c.ref, err, w)
			}
		}
	}
}

func TestDefault(t *testing.T) {
	m := func(ref string) *ai.Model {
		provider, id, _ := strings.Cut(ref, "/")
		return &ai.Model{Provider: provider, ID: id}
	}
	bedrock, opus, other := m("amazon-bedrock/us.anthropic.claude-opus-5-5"), m("anthropic/claude-opus-5-5"), m("local/x")
	cases := []struct {
		available       []*ai.Model
		provider, model string
		want            *ai.Model
	}{
		{[]*ai.Model{bedrock, opus, other}, "", "", opus},
		{[]*ai.Model{bedrock, opus, other}, "local", "x", other},
		{[]*ai.Model{bedrock, opus}, "local", "x", opus},
		{[]*ai.Model{other}, "", "", other},
		{nil, "local", "x", nil},
	}
	for i, c := range cases {
		if got := Default(c.available, c.provider, c.model); got != c.want {
			t.Errorf("case %d: %v", i, got)
		}
	}
}
