package models

import (
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

func scoped(list []Choice) []string {
	var out []string
	for _, c := range list {
		ref := c.Model.Ref()
		if c.Thinking != "" {
			ref += ":" + string(c.Thinking)
		}
		out = append(out, ref)
	}
	return out
}

func TestScope(t *testing.T) {
	all := []string{"anthropic", "openai", "openrouter"}
	cases := []struct {
		name       string
		patterns   []string
		configured []string
		want       []string
		warning    string
	}{
		{"* goes over slashes", []string{"openrouter/*"}, all, []string{"openrouter/openai/gpt-4o", "openrouter/openrouter/free", "openrouter/anthropic/claude-opus-5", "openrouter/shared"}, ""},
		{"in the middle of ids of other vendors", []string{"*opus*"}, all, []string{"anthropic/claude-opus-5", "openrouter/anthropic/claude-opus-5"}, ""},
		{"bare id", []string{"gpt-?o"}, all, []string{"openai/gpt-4o"}, ""},
		{"case", []string{"ANTHROPIC/Claude-OPUS-*"}, all, []string{"anthropic/claude-opus-5"}, ""},
		{"level", []string{"anthropic/*opus*:high"}, all, []string{"anthropic/claude-opus-5:high"}, ""},
		{"set", []string{"claude-sonnet-[5-9]"}, all, []string{"anthropic/claude-sonnet-5"}, ""},
		{"set of others", []string{"claude-sonnet-[!5]*"}, all, []string{"anthropic/claude-sonnet-10", "anthropic/claude-sonnet-9-20251101", "anthropic/claude-sonnet-11:batch"}, ""},
		{
			"braces",
			[]string{"{openai,anthropic}/{gpt-4o,claude-opus-5}"},
			all,
			[]string{"anthropic/claude-opus-5", "openai/gpt-4o", "openrouter/openai/gpt-4o", "openrouter/anthropic/claude-opus-5"},
			"",
		},
		{"a vendor that has no key by a gateway", []string{"anthropic/*opus*"}, []string{"openrouter"}, []string{"openrouter/anthropic/claude-opus-5"}, ""},
		{"an id with a colon by wildcard", []string{"*:batch"}, all, []string{"anthropic/claude-sonnet-11:batch"}, ""},
		{
			"order of the patterns, each once",
			[]string{"gpt-4o", "sonnet:low", "anthropic/claude-sonnet-10:max", "openai/*"},
			[]string{"anthropic", "openai"},
			[]string{"openai/gpt-4o", "anthropic/claude-sonnet-10:low", "openai/shared"},
			"",
		},
		{"only configured ones", []string{"*"}, []string{"openai"}, []string{"openai/gpt-4o", "openai/shared"}, ""},
		{"several providers", []string{"shared"}, all, []string{"openai/shared", "openrouter/shared"}, `model pattern "shared" fits several models, and all are taken: openai/shared, openrouter/shared`},
		{"level that is none", []string{"sonnet:bogus"}, all, []string{"anthropic/claude-sonnet-10"}, `"bogus" is no thinking level; it is left out`},
		{"last level", []string{"sonnet:xhigh:low"}, all, []string{"anthropic/claude-sonnet-10:low"}, ""},
		{"nothing", []string{"nonsense*"}, all, nil, `no available model matches the pattern "nonsense*"`},
		{"near", []string{"claude-opus-6"}, all, nil, "did you mean claude-opus-5"},
		{"no credentials", []string{"gpt*"}, []string{"anthropic"}, nil, "models of openai do, which has no credentials"},
		{"blank", []string{" ", ""}, all, nil, ""},
		{"unclosed", []string{"gpt[4"}, all, nil, "no available model"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, warnings := catalog(c.configured...).Scope(nil, c.patterns)
			if !slices.Equal(scoped(got), c.want) {
				t.Errorf("got %v, want %v", scoped(got), c.want)
			}
			if text := strings.Join(warnings, "\n"); (text == "") != (c.warning == "") || !strings.Contains(text, c.warning) {
				t.Errorf("warnings %q, want %q", text, c.warning)
			}
		})
	}
}

// What is not offered does not count, configured or not.
func TestScopeOfWhatIsAvailable(t *testing.T) {
	c := catalog("openai", "anthropic")
	got, warnings := c.Scope(c.Models[5:6], []string{"*", "claude-opus-5"})
	if !slices.Equal(scoped(got), []string{"openai/gpt-4o"}) || len(warnings) != 1 {
		t.Errorf("%v, %q", scoped(got), warnings)
	}
}

// An id may itself have brackets.
func TestScopeOfAnIDWithBrackets(t *testing.T) {
	c := Catalog{Models: []*ai.Model{{ID: "m[1m]", Provider: "p"}, {ID: "m1", Provider: "p"}}, Providers: []string{"p"}, Configured: func(string) bool { return true }}
	for _, pattern := range []string{"m[1m]", "p/m[1m]:low"} {
		if got, _ := c.Scope(nil, []string{pattern}); len(got) != 1 || got[0].Model.ID != "m[1m]" {
			t.Errorf("%s: %v", pattern, scoped(got))
		}
	}
}

func TestStartAndNext(t *testing.T) {
	a, b, d := &ai.Model{ID: "a", Provider: "p"}, &ai.Model{ID: "b", Provider: "p"}, &ai.Model{ID: "d", Provider: "p"}
	list := []Choice{{Model: a}, {Model: b, Thinking: "low"}}
	if c, ok := Start(list, "p", "b"); !ok || c.Model != b || c.Thinking != "low" {
		t.Errorf("saved default: %v", c)
	}
	if c, ok := Start(list, "p", "x"); !ok || c.Model != a {
		t.Errorf("first: %v", c)
	}
	if _, ok := Start(nil, "p", "a"); ok {
		t.Error("a scope of nothing begins with something")
	}
	for _, c := range []struct {
		list    []Choice
		current *ai.Model
		back    bool
		want    *ai.Model
	}{
		{list, a, false, b},
		{list, b, false, a},
		{list, a, true, b},
		{list, b, true, a},
		{list, d, false, a},
		{list, d, true, b},
		{list, nil, false, a},
		{list[:1], a, false, nil},
		{list[:1], d, false, a},
		{nil, a, false, nil},
	} {
		got, ok := Next(c.list, c.current, c.back)
		if ok != (c.want != nil) || got.Model != c.want {
			t.Errorf("after %v, back %v: %v, want %v", c.current, c.back, got.Model, c.want)
		}
	}
}

func FuzzGlob(f *testing.F) {
	f.Add("a*[!b-", "x")
	f.Add("{a,{b,c}", "b")
	f.Fuzz(func(t *testing.T, pattern, id string) {
		c := Catalog{Models: []*ai.Model{{ID: id, Provider: "p"}}, Configured: func(string) bool { return true }}
		c.Scope(nil, []string{pattern, pattern + "*"})
	})
}
