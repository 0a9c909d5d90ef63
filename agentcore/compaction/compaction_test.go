package compaction_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// talk makes a session of turns: a question, three calls with their results,
// an answer.
func talk(t *testing.T, turns int) *session.Session {
	t.Helper()
	s, err := session.Create(t.Context(), session.NewMemory(), session.Header{}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(m agentcore.Message) {
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	for i := range turns {
		add(ai.UserText(fmt.Sprintf("question %d", i)))
		call := &ai.AssistantMessage{StopReason: ai.StopToolUse}
		for _, id := range []string{"a", "b", "c"} {
			call.Content = append(call.Content, &ai.ToolCall{ID: fmt.Sprint(id, i), Name: "read", Arguments: json.RawMessage(fmt.Sprintf(`{"path":"f%d"}`, i))})
		}
		add(call)
		for _, c := range call.ToolCalls() {
			add(&ai.ToolResultMessage{ToolCallID: c.ID, ToolName: c.Name, Content: []ai.Block{&ai.Text{Text: strings.Repeat("text ", 20)}}})
		}
		add(&ai.AssistantMessage{StopReason: ai.StopEnd, Content: []ai.Block{&ai.Text{Text: fmt.Sprintf("answer %d", i)}}})
	}
	return s
}

func visible(t *testing.T, s *session.Session) []session.Entry {
	t.Helper()
	entries, err := s.Visible(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// Whatever is kept, each call keeps its result, and the kept part begins with
// no result; two compactions in a row too.
func TestCutKeepsPairsTogether(t *testing.T) {
	for keep := int64(1); keep < 2500; keep++ {
		s := talk(t, 20)
		for round := range 2 {
			entries := visible(t, s)
			settings := compaction.Settings{KeepRecent: keep}
			plan, err := compaction.Prepare(entries, s.Leaf(), settings, compaction.Policy{})
			if errors.Is(err, compaction.ErrNothing) || errors.Is(err, compaction.ErrAlready) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Append(t.Context(), plan.Entry(compaction.Summary{Text: "s"})); err != nil {
				t.Fatal(err)
			}
			c, err := s.Context(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			called := make(map[string]bool)
			answered := make(map[string]bool)
			for _, m := range c.Messages {
				switch m := m.(type) {
				case *ai.AssistantMessage:
					for _, call := range m.ToolCalls() {
						called[call.ID] = true
					}
				case *ai.ToolResultMessage:
					if !called[m.ToolCallID] {
						t.Fatalf("keep %d, round %d: a result without its call", keep, round)
					}
					answered[m.ToolCallID] = true
				}
			}
			if len(called) != len(answered) {
				t.Fatalf("keep %d, round %d: %d calls, %d answered", keep, round, len(called), len(answered))
			}
			if _, err := s.AppendMessage(t.Context(), ai.UserText("go on")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestPrepareUpdatesTheFormerSummary(t *testing.T) {
	s := talk(t, 10)
	policy := compaction.Policy{Files: func(messages []agentcore.Message) compaction.Files {
		var f compaction.Files
		for _, m := range messages {
			if a, ok := m.(*ai.AssistantMessage); ok {
				for _, c := range a.ToolCalls() {
					var args struct{ Path string }
					if json.Unmarshal(c.Arguments, &args) == nil {
						f.Read = append(f.Read, args.Path)
					}
				}
			}
		}
		return f
	}}
	settings := compaction.Settings{KeepRecent: 300}
	plan, err := compaction.Prepare(visible(t, s), s.Leaf(), settings, policy)
	if err != nil {
		t.Fatal(err)
	}
	if plan.PreviousSummary != "" || len(plan.Files.Read) == 0 {
		t.Errorf("first plan %+v", plan.Files)
	}
	if _, err := s.Append(t.Context(), plan.Entry(compaction.Summary{Text: "first"})); err != nil {
		t.Fatal(err)
	}
	if _, err := compaction.Prepare(visible(t, s), s.Leaf(), settings, policy); !errors.Is(err, compaction.ErrAlready) {
		t.Errorf("right after: %v", err)
	}
	for range 3 {
		if _, err := s.AppendMessage(t.Context(), ai.UserText(strings.Repeat("more ", 300))); err != nil {
			t.Fatal(err)
		}
	}
	second, err := compaction.Prepare(visible(t, s), s.Leaf(), settings, policy)
	if err != nil {
		t.Fatal(err)
	}
	if second.PreviousSummary != "first" || len(second.Files.Read) < len(plan.Files.Read) {
		t.Errorf("second plan: previous %q, files %v", second.PreviousSummary, second.Files)
	}
}

func TestNothingToCompact(t *testing.T) {
	s := talk(t, 1)
	for name, entries := range map[string][]session.Entry{"recent": visible(t, s), "empty": nil} {
		if _, err := compaction.Prepare(entries, s.Leaf(), compaction.DefaultSettings(), compaction.Policy{}); !errors.Is(err, compaction.ErrNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func generator(p *faux.Provider) *compaction.Generator {
	return &compaction.Generator{
		Stream: ai.NewModels(p).Stream, Model: p.Model(),
		Retry: ai.RetryPolicy{Enabled: true, Max: 2}, Wait: func(context.Context, time.Duration) error { return nil },
	}
}

func TestOnlyAWholeTextIsASummary(t *testing.T) {
	cases := map[string]struct {
		answer faux.Response
		want   string
	}{
		"empty":   {faux.Say(" \n"), "is empty"},
		"cut off": {faux.Response{Steps: []faux.Step{faux.Text("half")}, Stop: ai.StopLength}, "cut off"},
		"call":    {faux.Calls(faux.Call("read", nil)), "called a tool"},
		"failure": {faux.Failure(&ai.APIError{Kind: ai.KindAuth, Message: "no key"}), "no key"},
	}
	for name, c := range cases {
		p := faux.New(faux.Config{})
		p.Queue(c.answer)
		plan := &compaction.Preparation{History: []agentcore.Message{ai.UserText("hi")}}
		if got, err := generator(p).Summarize(t.Context(), plan, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q %v", name, got.Text, err)
		}
	}
}

func TestSummaryIsAskedForAgain(t *testing.T) {
	p := faux.New(faux.Config{})
	busy := faux.Failure(&ai.APIError{Kind: ai.KindOverloaded, Message: "busy"})
	p.Queue(busy, busy, faux.Say("got it"))
	g := generator(p)
	var log []string
	g.OnRetry = func(r ai.Retry) { log = append(log, fmt.Sprint("retry ", r.Attempt)) }
	g.OnAttempt = func() { log = append(log, "attempt") }
	g.OnFinished = func() { log = append(log, "finished") }
	plan := &compaction.Preparation{History: []agentcore.Message{ai.UserText("hi")}, Files: compaction.Files{Read: []string{"a"}, Modified: []string{"b"}}}
	got, err := g.Summarize(t.Context(), plan, "")
	if err != nil || got.Text != "got it\n\n<read-files>\na\n</read-files>\n\n<modified-files>\nb\n</modified-files>" {
		t.Errorf("%q %v", got.Text, err)
	}
	if l := strings.Join(log, ","); l != "retry 1,attempt,retry 2,attempt,finished" {
		t.Errorf("events %s", l)
	}
}

func TestRequestForASummaryFitsTheWindow(t *testing.T) {
	p := faux.New(faux.Config{Models: []*ai.Model{{ID: "m", API: faux.APIID, ContextWindow: 8000, MaxTokens: 2000}}})
	p.Queue(faux.Say("ok"))
	var messages []agentcore.Message
	for range 50 {
		messages = append(messages, ai.UserText(strings.Repeat("All work and no play. ", 500)),
			&ai.ToolResultMessage{ToolCallID: "x", IsError: true, Content: []ai.Block{&ai.Text{Text: strings.Repeat("noise ", 2000) + "THE ERROR AT THE END"}}})
	}
	if _, err := generator(p).Summarize(t.Context(), &compaction.Preparation{History: messages}, ""); err != nil {
		t.Fatal(err)
	}
	asked := p.Requests()[0].Call.Messages
	if n := ai.EstimateContext(asked); n > 8000-2000 {
		t.Errorf("the request has %d tokens", n)
	}
	text := ai.TextOf(asked[len(asked)-1].(*ai.UserMessage).Content, "")
	if !strings.Contains(text, "THE ERROR AT THE END") {
		t.Error("the end of an error was cut off")
	}
}
