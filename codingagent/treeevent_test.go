package codingagent_test

import (
	"context"
	"testing"

	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent/extension"
)

// Before a move, extensions learn where both branches part.
func TestBeforeTreeNamesTheCommonAncestor(t *testing.T) {
	var got extension.BeforeTree
	r := with(t, func(api *extension.API) error {
		api.Events.SessionBeforeTree.Handle(func(_ context.Context, _ *extension.Context, ev *extension.BeforeTree) (*extension.TreeDecision, error) {
			got = *ev
			return nil, nil
		})
		return nil
	})
	r.model.Queue(faux.Say("one"), faux.Say("two"))
	r.prompt("first")
	r.prompt("second")
	ids := map[string]string{} // by what was said
	entries, err := r.Session().Branch(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if m, ok := e.(*session.MessageEntry); ok {
			switch m := m.Message.(type) {
			case *ai.UserMessage:
				ids[ai.TextOf(m.Content, "")] = e.Head().ID
			case *ai.AssistantMessage:
				ids[ai.TextOf(m.Content, "")] = e.Head().ID
			}
		}
	}
	for _, c := range []struct {
		to, ancestor string
		left         int
	}{
		{"one", "one", 2}, // back: "second" and "two" stay behind
		{"two", "one", 0}, // and forth
	} {
		before := r.Session().Leaf()
		if _, err := r.Navigate(t.Context(), ids[c.to], harness.NavigateOptions{}); err != nil {
			t.Fatal(err)
		}
		if got.TargetID != ids[c.to] || got.OldLeafID != before || got.CommonAncestorID != ids[c.ancestor] || len(got.Left) != c.left {
			t.Errorf("to %q: ancestor %q, want %q (of %v); %d left", c.to, got.CommonAncestorID, ids[c.ancestor], ids, len(got.Left))
		}
	}
}
