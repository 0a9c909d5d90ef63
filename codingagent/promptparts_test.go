package codingagent_test

import (
	"context"
	"os"
	"path/filepath"
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

func TestAPromptIsMadeOfOtherParts(t *testing.T) {
	var seen extension.PromptParts
	setup := func(api *extension.API) error {
		api.Events.BeforeAgentStart.Handle(func(_ context.Context, x *extension.Context, ev *extension.BeforeAgentStart) (*extension.StartDecision, error) {
			p := x.PromptParts()
			if d := cmp.Diff(ev.Sections, p.Sections()); d != "" {
				t.Errorf("the sections differ from those of their parts: %s", d)
			}
			p.Tools = slices.DeleteFunc(p.Tools, func(t extension.PromptTool) bool { return t.Name == "bash" })
			p.Files = append(p.Files, extension.PromptFile{Path: "/RULES.md", Text: "Be brief."})
			ev.Sections = p.Sections()
			seen = x.PromptParts()
			return nil, nil
		})
		return nil
	}
	r := newRig(t, func(o *codingagent.Options) {
		o.Extensions = []extension.Extension{inline("test", setup)}
		o.OnFault = func(f *extension.Fault) { t.Errorf("fault: %v", f) }
		if err := os.WriteFile(filepath.Join(o.Dir, "AGENTS.md"), []byte("Speak softly."), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	r.model.Queue(faux.Say("done"))
	r.prompt("go")
	if seen.Dir != r.Dir() || !slices.ContainsFunc(seen.Tools, func(t extension.PromptTool) bool { return t.Name == "bash" && t.Snippet != "" }) || seen.Manual == "" {
		t.Errorf("the parts are %+v", seen)
	}
	if !slices.ContainsFunc(seen.Files, func(f extension.PromptFile) bool {
		return f.Path == filepath.Join(r.Dir(), "AGENTS.md") && f.Text == "Speak softly."
	}) {
		t.Errorf("the files of the prompt are %+v", seen.Files)
	}
	_, sent := r.request(0)
	if !strings.Contains(sent.Text, "Be brief.") || strings.Contains(sent.Text, "\n- bash:") || !strings.Contains(sent.Text, "\n- read:") {
		t.Errorf("the prompt is %q", sent.Text)
	}
}

func TestTurnsTellTheirEntries(t *testing.T) {
	var answers, results []string
	r := with(t, func(api *extension.API) error {
		api.Events.TurnEnd.Handle(func(_ context.Context, _ *extension.Context, ev *extension.TurnEnd) (*extension.BoundaryDecision, error) {
			answers, results = append(answers, ev.MessageEntry), append(results, ev.ResultEntries...)
			return nil, nil
		})
		return api.RegisterTool(echo())
	})
	r.model.Queue(faux.Calls(faux.Call("echo", map[string]any{"text": "a"}), faux.Call("echo", map[string]any{"text": "b"})), faux.Say("done"))
	r.prompt("go")
	var wantAnswers, wantResults []string
	entries, err := r.Session().Visible(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		m, ok := e.(*session.MessageEntry)
		switch {
		case !ok:
		case m.Message.Role() == ai.RoleAssistant:
			wantAnswers = append(wantAnswers, m.Head().ID)
		case m.Message.Role() == ai.RoleToolResult:
			wantResults = append(wantResults, m.Head().ID)
		}
	}
	if d := cmp.Diff([][]string{wantAnswers, wantResults}, [][]string{answers, results}); d != "" || len(answers) != 2 || len(results) != 2 {
		t.Errorf("(-want +got):\n%s", d)
	}
}
