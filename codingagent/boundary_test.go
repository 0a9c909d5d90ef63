package codingagent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
)

// conversation shows what people, models and programs said, a line each.
func conversation(messages []ai.Message) []string {
	var out []string
	for _, m := range messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			out = append(out, "user "+ai.TextOf(m.Content, ""))
		case *ai.AssistantMessage:
			out = append(out, "assistant "+ai.TextOf(m.Content, ""))
		}
	}
	return out
}

func remark(text string) *session.CustomMessageEntry {
	return &session.CustomMessageEntry{CustomType: "remark", Content: []ai.Block{&ai.Text{Text: text}}}
}

// At the end of a turn an extension sees what the model would see, with what was
// proposed before it and with what it thinks of proposing itself.
func TestBoundaryPreviews(t *testing.T) {
	previews := map[string]extension.BoundaryContext{}
	see := func(t *testing.T, name string, b *extension.Boundary, entries []session.Entry) {
		t.Helper()
		c, err := b.Preview(t.Context(), entries)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		previews[name] = c
	}
	r := newRig(t, func(o *codingagent.Options) {
		o.Extensions = []extension.Extension{
			inline("first", func(api *extension.API) error {
				api.Events.TurnEnd.Handle(func(ctx context.Context, _ *extension.Context, ev *extension.TurnEnd) (*extension.BoundaryDecision, error) {
					if ev.Index > 0 {
						return nil, nil
					}
					see(t, "at first", &ev.Boundary, ev.Entries)
					see(t, "asked", &ev.Boundary, []session.Entry{remark("sure?")})
					see(t, "hidden from the model", &ev.Boundary, []session.Entry{&session.MessageEntry{Message: &codingagent.BashExecution{Command: "ls", ExcludeFromContext: true}}})
					never := false
					if err := api.Send(ctx, &session.CustomMessage{CustomType: "remark", Content: remark("said").Content}, extension.SendOptions{Trigger: &never}); err != nil {
						return nil, err
					}
					see(t, "said", &ev.Boundary, nil)
					return &extension.BoundaryDecision{Entries: []session.Entry{&session.ContextEditEntry{
						TargetID: ev.MessageEntry, Replacement: &session.Replacement{Content: []ai.Block{&ai.Text{Text: "forty-two"}}},
					}}}, nil
				})
				return nil
			}),
			inline("second", func(api *extension.API) error {
				api.Events.TurnEnd.Handle(func(_ context.Context, _ *extension.Context, ev *extension.TurnEnd) (*extension.BoundaryDecision, error) {
					if ev.Index > 0 {
						return nil, nil
					}
					see(t, "after the first", &ev.Boundary, ev.Entries)
					more := append(slices.Clone(ev.Entries), remark("sure?"))
					see(t, "its own", &ev.Boundary, more)
					return &extension.BoundaryDecision{Entries: more, Continue: new(true)}, nil
				})
				return nil
			}),
		}
	})
	r.model.Queue(faux.Say("42"), faux.Say("43"))
	r.prompt("the answer?")
	for name, want := range map[string]string{
		"at first":              "user the answer?, assistant 42; 0 pending, can continue: false",
		"asked":                 "user the answer?, assistant 42, user sure?; 0 pending, can continue: true",
		"hidden from the model": "user the answer?, assistant 42; 0 pending, can continue: false",
		"said":                  "user the answer?, assistant 42; 1 pending, can continue: true",
		"after the first":       "user the answer?, assistant forty-two; 1 pending, can continue: true",
		"its own":               "user the answer?, assistant forty-two, user sure?; 1 pending, can continue: true",
	} {
		c := previews[name]
		got := fmt.Sprintf("%s; %d pending, can continue: %v", strings.Join(conversation(c.ModelMessages), ", "), len(c.Pending), c.CanContinue)
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
		if len(c.Entries) < len(c.Messages) || len(c.Messages) < 2 {
			t.Errorf("%s: %d entries, %d messages", name, len(c.Entries), len(c.Messages))
		}
	}
	// What came of it is what was to be seen, and then what was said.
	messages, _ := r.request(1)
	want := []string{"user the answer?", "assistant forty-two", "user sure?", "user said"}
	if d := cmp.Diff(want, conversation(messages)); d != "" {
		t.Errorf("the request (-want +got):\n%s", d)
	}
}

// Proposals that can not be stored, and a request that has nothing to answer, are
// told of; the turn ends as if nobody had wanted them.
func TestBoundaryProposalsThatCanNotBe(t *testing.T) {
	twice := remark("twice")
	for name, c := range map[string]struct {
		decision extension.BoundaryDecision
		want     string
	}{
		"an edit of nothing":   {extension.BoundaryDecision{Entries: []session.Entry{remark("lost"), &session.ContextEditEntry{TargetID: "nowhere"}}}, `"nowhere" to be edited`},
		"nil of a type":        {extension.BoundaryDecision{Entries: []session.Entry{(*session.CustomEntry)(nil)}}, "there is none"},
		"an entry twice":       {extension.BoundaryDecision{Entries: []session.Entry{twice, twice}}, "entry 1 is there twice"},
		"nothing to answer":    {extension.BoundaryDecision{Continue: new(true)}, "nothing is left to be answered"},
		"nothing, once edited": {extension.BoundaryDecision{Entries: []session.Entry{&session.CustomEntry{CustomType: "x"}}, Continue: new(true)}, "nothing is left to be answered"},
	} {
		for _, event := range []string{"turn_end", "agent_before_settle"} {
			t.Run(name+" at "+event, func(t *testing.T) {
				var faults []string
				asked := 0
				answer := func() (*extension.BoundaryDecision, error) {
					if asked++; asked > 1 {
						return nil, nil
					}
					d := c.decision
					return &d, nil
				}
				r := newRig(t, func(o *codingagent.Options) {
					o.OnFault = func(f *extension.Fault) { faults = append(faults, f.Event+" "+f.Err.Error()) }
					o.Extensions = []extension.Extension{inline("wrong", func(api *extension.API) error {
						if event == "turn_end" {
							api.Events.TurnEnd.Handle(func(context.Context, *extension.Context, *extension.TurnEnd) (*extension.BoundaryDecision, error) {
								return answer()
							})
							return nil
						}
						api.Events.AgentBeforeSettle.Handle(func(context.Context, *extension.Context, *extension.BeforeSettle) (*extension.BoundaryDecision, error) {
							return answer()
						})
						return nil
					})}
				})
				r.model.Queue(faux.Say("42"))
				if got := r.prompt("the answer?"); ai.TextOf(got.Answer.Content, "") != "42" {
					t.Errorf("the answer is %v", got.Answer)
				}
				if len(faults) != 1 || !strings.HasPrefix(faults[0], event+" ") || !strings.Contains(faults[0], c.want) {
					t.Errorf("faults %q, want one with %q", faults, c.want)
				}
				for _, s := range r.Session().Stubs() {
					if s.Type == session.TypeCustomMessage || s.Type == session.TypeContextEdit {
						t.Errorf("a %s entry is stored", s.Type)
					}
				}
			})
		}
	}
}
