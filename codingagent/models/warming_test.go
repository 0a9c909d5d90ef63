package models

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
)

func TestWarmDelay(t *testing.T) {
	for lifetime, want := range map[time.Duration]time.Duration{
		300 * time.Second: 270 * time.Second, 3600 * time.Second: 3240 * time.Second, 60 * time.Second: 50 * time.Second,
		10 * time.Second: -1, 0: -1,
	} {
		got, ok := WarmDelay(lifetime)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%s: %s %v, want %s", lifetime, got, ok, want)
		}
	}
	m := &ai.Model{PromptCache: &ai.CacheLifetimes{Short: 300, Long: 3600}}
	if CacheLifetime(m, false) != 5*time.Minute || CacheLifetime(m, true) != time.Hour || CacheLifetime(&ai.Model{}, false) != 0 || CacheLifetime(nil, true) != 0 {
		t.Error("lifetimes of models")
	}
}

func TestDecideWarming(t *testing.T) {
	// Dollars per million tokens.
	m := &ai.Model{Cost: ai.Rates{Input: 10, Output: 50, CacheRead: 1, CacheWrite: 12.5}}
	free := &ai.Model{Cost: ai.Rates{Input: 10, CacheRead: 1}}
	for _, c := range []struct {
		name        string
		m           *ai.Model
		used        ai.Usage
		long        bool
		running     bool
		age         time.Duration
		warm, extra float64
		want        bool
	}{
		// 100k tokens: using them costs 0.10005, missing them 1.25 - 0.1.
		{"while it works", m, ai.Usage{CacheRead: 90_000, Input: 10_000}, false, true, time.Minute, 0.10005, 1.15, true},
		{"while it waits", m, ai.Usage{CacheWrite: 100_000}, false, false, time.Minute, 0.10005, 1.15, true}, // 0.1725 - 0.10005
		{"too little, waiting", m, ai.Usage{CacheWrite: 60_000}, false, false, time.Minute, 0.06005, 0.69, false},
		{"the same, working", m, ai.Usage{CacheWrite: 60_000}, false, true, time.Minute, 0.06005, 0.69, true},
		{"too small", m, ai.Usage{CacheWrite: 4000}, false, true, time.Minute, 0.00405, 0.046, false},
		{"kept for an hour costs twice the input", m, ai.Usage{CacheWrite: 100_000}, true, true, time.Minute, 0.10005, 1.9, true},
		{"keeping costs nothing", free, ai.Usage{Input: 100_000}, false, true, time.Minute, 0.1, 0.9, true},
		{"too long ago, waiting", m, ai.Usage{CacheWrite: 1_000_000}, false, false, 31 * time.Minute, 1.00005, 11.5, false},
		{"not too long ago, working", m, ai.Usage{CacheWrite: 1_000_000}, false, true, 59 * time.Minute, 1.00005, 11.5, true},
		{"too long ago, working", m, ai.Usage{CacheWrite: 1_000_000}, false, true, 61 * time.Minute, 1.00005, 11.5, false},
	} {
		got := DecideWarming(c.m, c.used, c.long, c.running, c.age)
		if math.Abs(got.WarmCost-c.warm) > 1e-9 || math.Abs(got.MissCost-c.extra) > 1e-9 || got.Warm != c.want || got.Warm != (got.Reason == "") {
			t.Errorf("%s: %+v, want %v %v %v", c.name, got, c.warm, c.extra, c.want)
		}
	}
}

func TestReplayable(t *testing.T) {
	model := func(api, compat string) *ai.Model {
		return &ai.Model{API: api, Reasoning: true, Compat: json.RawMessage(compat)}
	}
	for _, c := range []struct {
		m     *ai.Model
		level ai.ThinkingLevel
		want  bool
	}{
		{model("anthropic-messages", ""), "high", false},
		{model("anthropic-messages", `{"forceAdaptiveThinking":false}`), "high", false},
		{model("anthropic-messages", `{"forceAdaptiveThinking":true}`), "high", true},
		{model("anthropic-messages", `{"supportsMidConvoEffort":true}`), "high", true},
		{model("anthropic-messages", ""), "off", true},
		{model("pi-messages", ""), "high", true},
	} {
		if got := Replayable(c.m, c.level); got != c.want {
			t.Errorf("%s %s at %s: %v", c.m.API, c.m.Compat, c.level, got)
		}
	}
}
