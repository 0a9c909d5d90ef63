package compaction_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// paths is a policy for conversations whose calls have a path: read reads,
// anything else changes.
var paths = compaction.Policy{Files: func(messages []agentcore.Message) (f compaction.Files) {
	for _, m := range messages {
		a, ok := m.(*ai.AssistantMessage)
		if !ok {
			continue
		}
		for _, c := range a.ToolCalls() {
			var args struct{ Path string }
			if json.Unmarshal(c.Arguments, &args) != nil {
				continue
			}
			if c.Name == "read" {
				f.Read = append(f.Read, args.Path)
			} else {
				f.Modified = append(f.Modified, args.Path)
			}
		}
	}
	return f
}}

func asking(p *faux.Provider, policy compaction.Policy) *compaction.Generator {
	return &compaction.Generator{Stream: ai.NewModels(p).Stream, Model: p.Model(), Policy: policy}
}

func counted(text string, input int64) faux.Response {
	r := faux.Say(text)
	r.Usage = &ai.Usage{Input: input, Output: 1, Total: input + 1}
	return r
}

// questions are the texts that the model was asked with.
func questions(p *faux.Provider) (out []string) {
	for _, q := range p.Requests() {
		out = append(out, ai.TextOf(q.Last().(*ai.UserMessage).Content, ""))
	}
	return out
}

// A turn that is too long to stay is cut: its beginning is summed up apart,
// both requests are paid for.
func TestCutTurnIsSummedUpInTwoParts(t *testing.T) {
	s := talk(t, 3)
	plan, err := compaction.Prepare(visible(t, s), s.Leaf(), compaction.Settings{KeepRecent: 30}, paths)
	if err != nil {
		t.Fatal(err)
	}
	if !plan.SplitTurn() || len(plan.History) == 0 {
		t.Fatalf("the plan cuts no turn: %+v", plan)
	}
	p := faux.New(faux.Config{})
	p.Queue(counted("the past", 100), counted("how it began", 10))
	got, err := asking(p, paths).Summarize(t.Context(), plan, "the numbers")
	if err != nil {
		t.Fatal(err)
	}
	past, began := strings.Index(got.Text, "the past"), strings.Index(got.Text, "how it began")
	if past != 0 || began < past || !strings.Contains(got.Text[past:began], "\n\n---\n\n") {
		t.Errorf("summary %q", got.Text)
	}
	if !strings.Contains(got.Text, "<read-files>\nf0\nf1\nf2\n</read-files>") {
		t.Errorf("the files are missing: %q", got.Text)
	}
	if got.Usage.Input != 110 || got.Usage.Output != 2 {
		t.Errorf("usage %+v", got.Usage)
	}
	asked := questions(p)
	if len(asked) != 2 || !strings.Contains(asked[0], "question 1") || strings.Contains(asked[0], "question 2") || !strings.Contains(asked[1], "question 2") {
		t.Errorf("asked %q", asked)
	}
	for _, q := range asked {
		if !strings.Contains(q, "the numbers") {
			t.Errorf("the focus is missing: %q", q)
		}
	}
}

// Files of what was summed up before are not forgotten; one that was read and
// is changed later is listed once.
func TestFilesGatherOverCompactions(t *testing.T) {
	s := talk(t, 3)
	settings := compaction.Settings{KeepRecent: 1}
	plan, err := compaction.Prepare(visible(t, s), s.Leaf(), settings, paths)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(t.Context(), plan.Entry(compaction.Summary{Text: "s"})); err != nil {
		t.Fatal(err)
	}
	for _, m := range []agentcore.Message{
		ai.UserText("change f1"),
		&ai.AssistantMessage{StopReason: ai.StopToolUse, Content: []ai.Block{&ai.ToolCall{ID: "w", Name: "write", Arguments: json.RawMessage(`{"path":"f1"}`)}}},
		&ai.ToolResultMessage{ToolCallID: "w", ToolName: "write", Content: []ai.Block{&ai.Text{Text: "done"}}},
		&ai.AssistantMessage{StopReason: ai.StopEnd, Content: []ai.Block{&ai.Text{Text: "done"}}},
		ai.UserText("and now?"),
	} {
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	plan, err = compaction.Prepare(visible(t, s), s.Leaf(), settings, paths)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(plan.Files.Read, " ") + "|" + strings.Join(plan.Files.Modified, " "); got != "f0 f2|f1" {
		t.Errorf("files %s", got)
	}
}

func TestSummaryOfABranch(t *testing.T) {
	tests := []struct {
		name, instructions string
		replace            bool
		has, hasNot        string // of what the model is asked
	}{
		{"plain", "", false, "question 1", "why it failed"},
		{"with a focus", "why it failed", false, "why it failed", ""},
		{"replaced", "List the numbers.", true, "List the numbers.", "## Goal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := faux.New(faux.Config{})
			p.Queue(counted("it led nowhere", 50))
			got, files, err := asking(p, paths).SummarizeBranch(t.Context(), visible(t, talk(t, 2)), tt.instructions, tt.replace)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got.Text, "it led nowhere") || got.Usage.Input != 50 || len(files.Read) != 2 {
				t.Errorf("%+v, files %+v", got, files)
			}
			asked := questions(p)[0]
			if !strings.Contains(asked, tt.has) || tt.hasNot != "" && strings.Contains(asked, tt.hasNot) {
				t.Errorf("asked %q", asked)
			}
			if strings.Contains(asked, "text text") {
				t.Errorf("results of tools are not worth it: %q", asked)
			}
			e := compaction.BranchEntry(got, files, "left")
			if e.FromID != "left" || e.Usage.Input != 50 || e.FromHook == nil || *e.FromHook {
				t.Errorf("entry %+v", e)
			}
		})
	}
	t.Run("nothing was said", func(t *testing.T) {
		p := faux.New(faux.Config{})
		got, _, err := asking(p, paths).SummarizeBranch(t.Context(), []session.Entry{&session.ModelEntry{}}, "", false)
		if err != nil || got.Text == "" || len(p.Requests()) != 0 {
			t.Errorf("%+v %v, %d requests", got, err, len(p.Requests()))
		}
	})
}
