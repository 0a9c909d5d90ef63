package harness_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// The limits of the model that answers count, not those of the one that is selected.
func TestLimitsOfAnotherModel(t *testing.T) {
	for _, window := range []int64{0, 4000} {
		var h *harness.Harness
		r := newRig(t, func(c *harness.Config) {
			c.Compaction = func(*ai.Model) compaction.Settings { return compaction.DefaultSettings() }
			c.Limits = func(m *ai.Model) *ai.Model {
				if window == 0 {
					return nil // the selected one's count, which are unknown
				}
				return &ai.Model{ID: "small", Provider: m.Provider, ContextWindow: window, MaxTokens: 500}
			}
		})
		h = r.Harness
		r.model.Respond(func(faux.Request) faux.Response { return faux.Say(strings.Repeat("word ", 400)) })
		for i := range 8 {
			r.prompt(fmt.Sprint("question ", i))
		}
		if got, want := r.count("compaction_start") > 0, window > 0; got != want {
			t.Errorf("window %d: compacted %v, want %v; the selected model is %v", window, got, want, h.Model())
		}
	}
}

// A hook that lets a smaller model answer makes room for it first.
func TestMakeRoomForARequest(t *testing.T) {
	var h *harness.Harness
	routed := &ai.Model{ID: "m", Provider: "faux", API: faux.APIID, ContextWindow: 4000, MaxTokens: 500}
	var updates, requests int
	r := newRig(t, func(c *harness.Config) {
		c.Compaction = func(*ai.Model) compaction.Settings { return compaction.DefaultSettings() }
		c.Loop.PrepareRequest = func(ctx context.Context, _ agentcore.Context) (*agentcore.ContextUpdate, error) {
			requests++
			if requests < 6 {
				return nil, nil
			}
			u, err := h.MakeRoom(ctx, routed)
			if u != nil {
				updates++
			}
			return u, err
		}
	})
	h = r.Harness
	r.model.Respond(func(req faux.Request) faux.Response {
		if strings.Contains(ai.ReplaySystem(req.Call.Messages).Text, "notes for an assistant") {
			return faux.Say("the summary")
		}
		return faux.Say(strings.Repeat("word ", 700))
	})
	for i := range 6 {
		r.prompt(fmt.Sprint("question ", i))
	}
	if updates != 1 || r.count("compaction_start") != 1 {
		t.Fatalf("%d updates, %d compactions, want one each\n%v", updates, r.count("compaction_start"), r.log)
	}
	last := r.model.Requests()[len(r.model.Requests())-1].Call.Messages
	var n int64
	for _, m := range last {
		n += ai.EstimateMessage(m)
	}
	if n > routed.ContextWindow {
		t.Errorf("the request has %d tokens for a window of %d", n, routed.ContextWindow)
	}
	if text := ai.TextOf(last[len(last)-1].(*ai.UserMessage).Content, ""); text != "question 5" {
		t.Errorf("the request ends with %q", text)
	}
}

// An entry of a program is stored and told, in the middle of a run too.
func TestAddEntry(t *testing.T) {
	var h *harness.Harness
	r := newRig(t, func(c *harness.Config) {
		c.Loop.PrepareRequest = func(ctx context.Context, _ agentcore.Context) (*agentcore.ContextUpdate, error) {
			return nil, h.AddEntry(ctx, &session.CustomEntry{CustomType: "mine"})
		}
	})
	h = r.Harness
	r.model.Queue(faux.Say("hi"))
	r.prompt("hello")
	if !slices.Contains(r.log, "entry_appended") || !slices.Contains(r.stored(), "custom") {
		t.Errorf("events %v, entries %v", r.log, r.stored())
	}
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := h.AddEntry(t.Context(), &session.CustomEntry{CustomType: "mine"}); err == nil {
		t.Error("an entry was added to a closed session")
	}
}
