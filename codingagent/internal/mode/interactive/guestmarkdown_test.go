package interactive_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/changelog"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
)

// A transformer is told what sort of text it gets, when it was made and which entry
// keeps it; texts of other types do not reach it.
func TestMarkdownTransformersGetTheirTypes(t *testing.T) {
	t.Parallel()
	marked := func(name string, types ...extension.MarkdownType) extension.Extension {
		return extension.Extension{Name: name, Setup: func(_ context.Context, api *extension.API) error {
			if err := api.RegisterMarkdownTransformer(nil, "poem"); err == nil || !strings.Contains(err.Error(), `"poem"`) {
				t.Errorf("a type that there is not: %v", err)
			}
			return api.RegisterMarkdownTransformer(func(s string, v extension.MarkdownView) string {
				kept := "unstored"
				if v.EntryID != "" {
					kept = "stored"
				}
				if v.Time.IsZero() != (v.MessageType == extension.MarkdownChangelog) {
					kept += " at the wrong time"
				}
				return strings.ReplaceAll(s, "secret", fmt.Sprintf("%s(%s %s)", name, v.MessageType, kept))
			}, types...)
		}}
	}
	d := sitAs(t, 100, 40, func(c *interactive.Config, o *codingagent.Options) {
		c.Changes = []changelog.Section{{Title: "1", Body: "The secret is new."}}
		o.Extensions = []extension.Extension{
			marked("usual"), marked("more", extension.MarkdownCustom, extension.MarkdownSummary, extension.MarkdownChangelog),
			within(func(api *extension.API) {
				api.Events.TurnEnd.Handle(func(context.Context, *extension.Context, *extension.TurnEnd) (*extension.BoundaryDecision, error) {
					return &extension.BoundaryDecision{Entries: []session.Entry{&session.CompactionEntry{Summary: "the secret of it all"}}}, nil
				})
				command(t, api, "say", func(ctx context.Context, _ *extension.CommandContext, _ string) error {
					return api.Send(ctx, &session.CustomMessage{CustomType: "x", Content: []ai.Block{&ai.Text{Text: "a secret"}}, Display: true}, extension.SendOptions{})
				})
			}),
		}
	})
	d.wait("faux")
	d.llm.Queue(faux.Calls(faux.Thinking("the secret thought", ""), faux.Text("the secret answer")))
	d.keys("my secret", "\r")
	d.wait("my usual(user unstored)", "the usual(assistant-thinking unstored) thought", "the usual(assistant unstored) answer")
	d.gone("Working")
	d.keys("/say", "\r")
	d.wait("a more(custom unstored)")
	d.keys("/changelog", "\r")
	d.wait("The more(changelog unstored) is new.")
	d.keys("/clone", "\r")
	d.wait("my usual(user stored)", "the usual(assistant-thinking stored) thought", "the usual(assistant stored) answer", "a more(custom stored)")
	d.wait("Summed up from")
	d.keys("\x0f") // ctrl+o
	d.wait("the more(summary stored) of it all")
}
