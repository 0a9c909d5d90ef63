package ai

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"
)

func TestThinkingLevelsOfModels(t *testing.T) {
	t.Parallel()
	levels := func(pairs ...string) map[ThinkingLevel]*string {
		m := map[ThinkingLevel]*string{}
		for _, p := range pairs {
			name, word, set := strings.Cut(p, "=")
			m[ThinkingLevel(name)] = nil
			if set {
				m[ThinkingLevel(name)] = &word
			}
		}
		return m
	}
	for _, tt := range []struct {
		name      string
		m         Model
		supported string
		clamp     map[ThinkingLevel]ThinkingLevel
	}{
		{"can not think", Model{}, "off", map[ThinkingLevel]ThinkingLevel{"high": "off", "": "off"}},
		{"no map", Model{Reasoning: true}, "off minimal low medium high", map[ThinkingLevel]ThinkingLevel{"max": "high", "xhigh": "high", "low": "low", "": "off", "moon": "off"}},
		{
			"gaps",
			Model{Reasoning: true, ThinkingLevels: levels("off", "minimal", "medium", "xhigh", "low=l", "high=h", "max=m")},
			"low high max",
			map[ThinkingLevel]ThinkingLevel{"medium": "high", "off": "low", "xhigh": "max", "": "low"},
		},
		{"no off", Model{Reasoning: true, ThinkingLevels: levels("off", "minimal")}, "low medium high", map[ThinkingLevel]ThinkingLevel{"off": "low", "max": "high"}},
		{"nothing left", Model{Reasoning: true, ThinkingLevels: levels("off", "minimal", "low", "medium", "high")}, "", map[ThinkingLevel]ThinkingLevel{"high": "off"}},
	} {
		if got := fmt.Sprint(tt.m.SupportedThinking()); got != "["+tt.supported+"]" {
			t.Errorf("%s: supported %s", tt.name, got)
		}
		for want, clamped := range tt.clamp {
			if got := tt.m.ClampThinking(want); got != clamped {
				t.Errorf("%s: %q becomes %q, want %q", tt.name, want, got, clamped)
			}
		}
	}
	b := ThinkingBudgets{ThinkingHigh: 5, ThinkingLow: 1}
	for level, want := range map[ThinkingLevel]int64{"off": 0, "minimal": 1024, "low": 1, "medium": 8192, "high": 5, "xhigh": 5, "max": 5} {
		if got := b.Budget(level); got != want {
			t.Errorf("budget of %s is %d, want %d", level, got, want)
		}
	}
	if got := ThinkingBudgets(nil).Budget(ThinkingMax); got != 16384 {
		t.Errorf("default budget of max is %d", got)
	}
}

func TestFitMaxTokens(t *testing.T) {
	t.Parallel()
	used := func(n int64) []Message {
		if n == 0 {
			return nil
		}
		return []Message{&AssistantMessage{StopReason: StopEnd, Usage: Usage{Total: n}}}
	}
	for _, tt := range []struct {
		name                    string
		window, cap, want, used int64
		got                     int64
	}{
		{"room left", 200_000, 128_000, 128_000, 100_000, 85_000},
		{"small window", 32_768, 32_768, 32_768, 0, 28_672},
		{"asked for less", 200_000, 128_000, 10, 100_000, 10},
		{"the model's cap", 200_000, 1000, 0, 0, 1000},
		{"no window known", 0, 1000, 0, 5000, 1000},
		{"nothing known", 0, 0, 0, 5000, 0},
		{"no cap known", 200_000, 0, 0, 5000, 0},
		{"no room", 1000, 500, 0, 5000, 1},
	} {
		m := &Model{ContextWindow: tt.window, MaxTokens: tt.cap}
		if got := FitMaxTokens(m, used(tt.used), tt.want); got != tt.got {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.got)
		}
	}
}

// Eight bytes at a time give what one at a time gives.
func TestEstimateTextByWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }), rapid.StringMatching(`[a-zé東🧭 ]*`)).Draw(t, "text")
		ascii, other := 0, 0
		for i := range len(s) {
			switch {
			case s[i] < 0x80:
				ascii++
			case s[i] >= 0xC0:
				other++
			}
		}
		want := int64(float64(ascii)/asciiPerToken+0.999) + int64(other)
		if got := EstimateText(s); got != want || EstimateText([]byte(s)) != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

func TestEstimates(t *testing.T) {
	t.Parallel()
	if got := EstimateText("1234567"); got != 2 {
		t.Errorf("ASCII: %d", got)
	}
	if got := EstimateText("東京"); got != 2 {
		t.Errorf("CJK: %d", got)
	}
	if got := EstimateText([]byte("")); got != 0 {
		t.Errorf("nothing: %d", got)
	}
	long := UserText(strings.Repeat("x", 3500))
	failed := &AssistantMessage{StopReason: StopError, Usage: Usage{Total: 9}}
	for name, tt := range map[string]struct {
		in       []Message
		min, max int64
	}{
		"all estimated":            {[]Message{long}, 1000, 1010},
		"counted":                  {[]Message{long, &AssistantMessage{StopReason: StopEnd, Usage: Usage{Input: 3, CacheRead: 900, CacheWrite: 100, Output: 12}}}, 1015, 1015},
		"counted and more":         {[]Message{&AssistantMessage{StopReason: StopEnd, Usage: Usage{Total: 50}}, long}, 1050, 1060},
		"failures do not count":    {[]Message{long, failed}, 1000, 1015},
		"counted before a summary": {[]Message{&UserMessage{Timestamp: 9, Content: long.Content}, &AssistantMessage{Timestamp: 5, StopReason: StopEnd, Usage: Usage{Total: 90_000}}}, 1000, 1010},
		"counted in order":         {[]Message{&UserMessage{Timestamp: 5}, &AssistantMessage{Timestamp: 5, StopReason: StopEnd, Usage: Usage{Total: 90_000}}}, 90_000, 90_000},
		"image":                    {[]Message{&UserMessage{Content: []Block{&Image{}}}}, 1200, 1210},
		"system":                   {[]Message{&SystemMessage{Content: "x", ToolsAdded: []Tool{{Name: "t", Description: strings.Repeat("x", 350)}}}}, 100, 140},
	} {
		if got := EstimateContext(tt.in); got < tt.min || got > tt.max {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	r := Rates{Input: 1, Output: 1, CacheRead: 0.1, CacheWrite: 1.25, Tiers: []RateTier{{InputAbove: 200_000, Input: 2, Output: 2, CacheRead: 0.2, CacheWrite: 2.5}}}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	c := r.Price(Usage{Input: 100_000, CacheRead: 100_000, CacheWrite: 1000, CacheWrite1h: 500})
	if !near(c.Input, 0.2) || !near(c.CacheRead, 0.02) || !near(c.CacheWrite, 0.00325) || !near(c.Total, 0.22325) || c.FromProvider || !c.HasFromProvider {
		t.Errorf("above the tier: %+v", c)
	}
	if c := r.Price(Usage{Input: 200_000}); !near(c.Total, 0.2) {
		t.Errorf("at the tier's edge: %+v", c)
	}
	r.Tiers = append(r.Tiers, RateTier{InputAbove: 100, Input: 9})
	if c := r.Price(Usage{Input: 201_000}); !near(c.Input, 0.402) {
		t.Errorf("the highest tier counts: %+v", c)
	}
}

func TestUsageAdds(t *testing.T) {
	t.Parallel()
	got := Usage{Input: 1, Output: 2, Cost: Cost{Total: 1}}.Add(Usage{Input: 10, CacheRead: 20, Total: 35, Reasoning: 4, HasReasoning: true, Cost: Cost{Total: 2}})
	want := Usage{Input: 11, Output: 2, CacheRead: 20, Reasoning: 4, HasReasoning: true, Total: 38, Cost: Cost{Total: 3}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSameModel(t *testing.T) {
	t.Parallel()
	m := &Model{ID: "m", Provider: "p"}
	for _, tt := range []struct {
		o    *Model
		want bool
	}{{&Model{ID: "m", Provider: "p", Type: ModelChat}, true}, {&Model{ID: "m", Provider: "p", Type: ModelImage}, false}, {&Model{ID: "m", Provider: "q"}, false}, {nil, false}} {
		if m.Same(tt.o) != tt.want {
			t.Errorf("%+v", tt.o)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"anthropic", "openai", "openai-codex", "openrouter", "google"}
	for name, want := range map[string]string{"opena": "openai", "antrhopic": "anthropic", "gogle": "google", "xyzzy": ""} {
		got := Nearest(name, known, 3)
		if want == "" && len(got) > 0 || want != "" && !slices.Contains(got, want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
