package compact

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

func sample() []*ai.Model {
	word := "x"
	return []*ai.Model{
		{ID: "a", Name: "A", Provider: "p", API: "x", BaseURL: "https://x", Input: []string{"text"}, ContextWindow: 5, MaxTokens: 3},
		{
			ID: "b/c", Name: "b/c", Provider: "p", API: "x", Type: ai.ModelImage, Reasoning: true, Input: []string{"text", "image"}, Output: []string{"image"},
			Cost:           ai.Rates{Input: 0.05, Output: 1e-7, CacheRead: 3, CacheWrite: 1e9, Tiers: []ai.RateTier{{InputAbove: 9, Output: 2}}},
			ThinkingLevels: map[ai.ThinkingLevel]*string{ai.ThinkingOff: nil, ai.ThinkingMax: &word},
			Compat:         []byte(`{"a":1}`), InputLimits: &ai.InputLimits{MaxRequestBytes: 7},
			PromptCache: &ai.CacheLifetimes{Short: 300}, Headers: map[string]string{"H": "v"},
		},
		// The same text as a compat object and as another value.
		{ID: "d", Name: "D", Provider: "p", API: "x", Compat: []byte(`{"promptCache":{"short":1}}`), PromptCache: &ai.CacheLifetimes{Short: 1}},
	}
}

func TestRoundTrip(t *testing.T) {
	data, err := Append(nil, sample())
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(string(data), "p")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample(), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRefusals(t *testing.T) {
	if _, err := Append(nil, []*ai.Model{{ID: "a\tb"}}); err == nil {
		t.Error("a tab in an id is accepted")
	}
	for text, want := range map[string]string{
		"":                                  "first line",
		"pi-models 1\nq\n":                  "line 2: neither",
		"pi-models 1\nm\ta\n":               "20 fields",
		"pi-models 1\nm\ta\t\t9" + tabs(16): "refers to value",
		"pi-models 1\nm\ta" + tabs(7) + "\tx" + tabs(10):       "field 10",
		"pi-models 1\nv\t{\nm\ta" + tabs(13) + "\t1" + tabs(4): "field 16",
	} {
		if _, err := Decode(text, "p"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
}

func tabs(n int) string { return strings.Repeat("\t", n) }

func FuzzDecode(f *testing.F) {
	data, err := Append(nil, sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(data))
	f.Add("pi-models 1\nv\t{\nm\ta" + tabs(13) + "\t1" + tabs(4))
	f.Fuzz(func(t *testing.T, text string) {
		models, err := Decode(text, "p")
		if err != nil {
			return
		}
		// What can be read can be written and read again.
		again, err := Append(nil, models)
		if err != nil {
			return
		}
		if _, err := Decode(string(again), "p"); err != nil {
			t.Errorf("%q is written as %q: %v", text, again, err)
		}
	})
}
