//go:build unix

package interactive_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
	"github.com/pi-go/pi/codingagent/models"
)

// Of a virtual model the footer names who answers, and shows that one's window.
func TestWhoAnswersForAVirtualModel(t *testing.T) {
	t.Parallel()
	p := faux.New(faux.Config{ID: "real", Models: []*ai.Model{
		{ID: "small", API: faux.APIID, ContextWindow: 4000, MaxTokens: 500},
		{ID: "big", API: faux.APIID, ContextWindow: 64_000, MaxTokens: 5000, Reasoning: true},
	}})
	runtime, wrong := models.New(t.Context(), models.Config{Providers: []ai.Provider{p}, Env: func(string) string { return "" }})
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	routes := make(chan models.Dispatch, 2)
	err := runtime.RegisterVirtual(models.VirtualModel{
		Provider: "router", ID: "auto", Name: "Auto", ContextWindow: 9000,
		Route: func(context.Context, models.RouteRequest) (models.Route, error) {
			return models.Route{Dispatch: <-routes}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	auto, err := runtime.Models.Model("router", "auto")
	if err != nil {
		t.Fatal(err)
	}
	d := sitAs(t, 80, 24, func(_ *interactive.Config, o *codingagent.Options) {
		o.Models, o.ModelRuntime, o.Model = nil, runtime, auto
		o.SystemPrompt, o.Tools.None = "x", true
	})
	if s := d.wait("of 9.0k", "auto"); strings.Contains(s, "→") {
		t.Errorf("somebody answers already:\n%s", s)
	}
	p.Queue(faux.Say("from the small one"), faux.Say("from the big one"))
	routes <- models.Dispatch{Model: p.Models()[0]}
	d.keys("hi", enter)
	d.wait("from the small one", "auto → small", "of 4.0k")
	routes <- models.Dispatch{Model: p.Models()[1], Thinking: ai.ThinkingHigh}
	d.keys("again", enter)
	d.wait("from the big one", "auto → big · high", "of 64k")
}

// The footer sums up what was used and what it cost, and how much of it the vendor had
// read before.
func TestFiguresOfTheFooter(t *testing.T) {
	t.Parallel()
	d := sit(t, 120, 24)
	say := func(text string, u ai.Usage) {
		r := faux.Say(text)
		r.Usage = &u
		d.llm.Queue(r)
		d.keys("go on", enter)
		d.wait(text)
	}
	say("first", ai.Usage{Input: 1200, Output: 300, CacheWrite: 20_000, Cost: ai.Cost{Total: 0.25}})
	if s := d.wait("↑1.2k ↓300 $0.25"); strings.Contains(s, "cache ") {
		t.Errorf("nothing came from a cache:\n%s", s)
	}
	say("second", ai.Usage{Input: 800, Output: 700, CacheRead: 22_000, Cost: ai.Cost{Total: 0.5}})
	d.wait("↑2.0k ↓1.0k cache 22k (50%) $0.75")
}
