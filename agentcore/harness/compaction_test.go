package harness_test

import (
	"context"
	"errors"
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

// small gives a rig whose model has a small window and refuses what does not
// fit into it, as vendors do.
func small(t *testing.T, window int64, change func(*harness.Config)) *rig {
	t.Helper()
	p := faux.New(faux.Config{Models: []*ai.Model{{ID: "small", API: faux.APIID, ContextWindow: window, MaxTokens: window / 4}}})
	r := newRig(t, func(c *harness.Config) {
		c.Model = p.Models()[0]
		c.Loop.Stream = ai.NewModels(p).Stream
		c.Compaction = func(*ai.Model) compaction.Settings {
			return compaction.Settings{Enabled: true, Reserve: window / 4, KeepRecent: window / 4}
		}
		if change != nil {
			change(c)
		}
	})
	r.model = p
	return r
}

// answering gives what the model answers: summaries to requests for them, the
// texts of say to others, and an overflow error to what is too large.
func answering(window int64, say func(n int) string) func(faux.Request) faux.Response {
	n := 0
	return func(q faux.Request) faux.Response {
		var size int64
		for _, m := range q.Call.Messages {
			size += ai.EstimateMessage(m)
		}
		if size > window {
			return faux.Failure(&ai.APIError{Kind: ai.KindOverflow, Message: fmt.Sprintf("prompt is too long: %d tokens > %d", size, window)})
		}
		used := func(r faux.Response) faux.Response {
			r.Usage = &ai.Usage{Input: size, Output: 10, Total: size + 10}
			return r
		}
		if strings.Contains(ai.ReplaySystem(q.Call.Messages).Text, "notes for an assistant") {
			return used(faux.Say("## Goal\nthe summary"))
		}
		n++
		return used(faux.Say(say(n)))
	}
}

func (r *rig) count(prefix string) int {
	n := 0
	for _, l := range r.log {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

func TestLongConversationIsCompactedBeforeItOverflows(t *testing.T) {
	const window = 4000
	r := small(t, window, nil)
	r.model.Respond(answering(window, func(int) string { return strings.Repeat("word ", 400) }))
	for i := range 20 {
		if got := r.prompt(fmt.Sprint("question ", i)); got.Answer.Err() != nil {
			t.Fatalf("question %d: %v", i, got.Answer.Err())
		}
	}
	starts, ends := r.count("compaction_start"), r.count("compaction_end")
	if starts == 0 || starts != ends {
		t.Errorf("%d compactions began, %d ended", starts, ends)
	}
	if starts > 15 {
		t.Errorf("%d compactions for 20 questions", starts)
	}
	last := r.model.Requests()[len(r.model.Requests())-1].Call.Messages
	if text := fmt.Sprint(ai.TextOf(last[0].(*ai.UserMessage).Content, "")); !strings.Contains(text, "the summary") {
		t.Errorf("the context begins with %q", text)
	}
}

func TestOverflowIsRecoveredOnce(t *testing.T) {
	const window = 4000
	r := small(t, window, func(c *harness.Config) {
		c.Compaction = func(*ai.Model) compaction.Settings {
			return compaction.Settings{Enabled: true, Reserve: 0, KeepRecent: 500} // never by threshold
		}
	})
	r.model.Respond(answering(window, func(int) string { return strings.Repeat("word ", 900) }))
	for i := range 6 {
		if got := r.prompt(fmt.Sprint("question ", i)); got.Answer.Err() != nil {
			t.Fatalf("question %d: %v", i, got.Answer.Err())
		}
	}
	if r.count("compaction_start") == 0 {
		t.Fatalf("no compaction: %v", r.log)
	}
	// The refused attempt is in the session, but out of sight.
	if !slices.Contains(r.stored(), "assistant:error") {
		t.Errorf("the refused attempt was not kept: %v", r.stored())
	}
	for _, m := range r.Agent().Messages {
		if a, ok := m.(*ai.AssistantMessage); ok && a.Err() != nil {
			t.Errorf("the model still sees the failure %v", a.Err())
		}
	}
}

// A message larger than the whole window.
func TestHugeMessageIsShownShorterAndKeptWhole(t *testing.T) {
	const window = 8000
	r := small(t, window, nil)
	r.model.Respond(answering(window, func(int) string { return "fine" }))
	huge := strings.Repeat("All work and no play. ", 60_000/22)
	got := r.prompt(huge)
	if got.Answer.Err() != nil {
		t.Fatalf("%v\n%v", got.Answer.Err(), r.log)
	}
	r.prompt("continue")
	if n := r.count("compaction_start"); n > 3 {
		t.Errorf("%d compactions", n)
	}
	for e, err := range r.Session().Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := e.(*session.MessageEntry); ok && m.Message.Role() == ai.RoleUser {
			if text := ai.TextOf(m.Message.(*ai.UserMessage).Content, ""); text != huge {
				t.Errorf("the stored message has %d bytes, want %d", len(text), len(huge))
			}
			break
		}
	}
}

func TestOverflowThatNothingHelpsIsReported(t *testing.T) {
	r := small(t, 4000, nil)
	r.model.Respond(func(faux.Request) faux.Response {
		return faux.Failure(&ai.APIError{Kind: ai.KindOverflow, Message: "prompt is too long"})
	})
	got := r.prompt("hi")
	if got.Answer == nil || got.Answer.ErrorMessage != "prompt is too long" {
		t.Errorf("answer %+v", got.Answer)
	}
	if r.count("compaction_end") != 1 {
		t.Errorf("events %v", r.log)
	}
	if s := r.stored(); s[len(s)-1] != "assistant:error" {
		t.Errorf("the failure is hidden: %v", s)
	}
}

func TestManualCompaction(t *testing.T) {
	r := small(t, 4000, nil)
	r.model.Respond(answering(4000, func(int) string { return strings.Repeat("word ", 300) }))
	if _, err := r.Compact(t.Context(), ""); !errors.Is(err, compaction.ErrNothing) {
		t.Errorf("an empty conversation: %v", err)
	}
	for range 4 {
		r.prompt("q")
	}
	got, err := r.Compact(t.Context(), "the numbers")
	if err != nil || !strings.HasPrefix(got.Summary, "## Goal\nthe summary") || got.TokensAfter >= got.TokensBefore {
		t.Errorf("%+v %v", got, err)
	}
	asked := r.model.Requests()[4].Call
	if text := ai.TextOf(asked.Messages[len(asked.Messages)-1].(*ai.UserMessage).Content, ""); !strings.Contains(text, "Above all: the numbers") || asked.Options.Cache != ai.CacheNone || asked.SessionID != "" {
		t.Errorf("asked %q, cache %s, session %q", text, asked.Options.Cache, asked.SessionID)
	}
	if _, err := r.Compact(t.Context(), ""); !errors.Is(err, compaction.ErrAlready) {
		t.Errorf("again: %v", err)
	}
	if r.Busy() {
		t.Error("still busy")
	}
}

func TestFailedSummaryChangesNothing(t *testing.T) {
	r := small(t, 4000, func(c *harness.Config) { c.Retry.Enabled = false })
	fail := false
	normal := answering(4000, func(int) string { return strings.Repeat("word ", 300) })
	r.model.Respond(func(q faux.Request) faux.Response {
		if fail {
			return faux.Say("  \n")
		}
		return normal(q)
	})
	for range 4 {
		r.prompt("q")
	}
	before := len(r.stored())
	fail = true
	if _, err := r.Compact(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("err %v", err)
	}
	if after := len(r.stored()); after != before {
		t.Errorf("%d entries became %d", before, after)
	}
}

func TestHookSuppliesTheSummary(t *testing.T) {
	r := small(t, 4000, func(c *harness.Config) {
		c.Hooks.BeforeCompact = func(_ context.Context, b harness.BeforeCompact) (*harness.CompactDecision, error) {
			return &harness.CompactDecision{Entry: &session.CompactionEntry{Summary: "mine", FirstKept: b.Preparation.FirstKept}}, nil
		}
	})
	r.model.Respond(answering(4000, func(int) string { return strings.Repeat("word ", 300) }))
	for range 4 {
		r.prompt("q")
	}
	got, err := r.Compact(t.Context(), "")
	if err != nil || got.Summary != "mine" || got.Entry.FromHook == nil || !*got.Entry.FromHook {
		t.Errorf("%+v %v", got, err)
	}
}

func TestNavigate(t *testing.T) {
	r := small(t, 100_000, nil)
	r.model.Respond(answering(100_000, func(n int) string { return fmt.Sprint("answer ", n) }))
	r.prompt("first")
	r.prompt("second")
	var second string
	for e, err := range r.Session().Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := e.(*session.MessageEntry); ok && m.Message.Role() == ai.RoleUser {
			second = m.ID
		}
	}
	got, err := r.Navigate(t.Context(), second, harness.NavigateOptions{Summarize: true, Label: "left"})
	if err != nil || got.EditorText != "second" || got.Summary == nil || !got.Moved {
		t.Fatalf("%+v %v", got, err)
	}
	r.prompt("another")
	last := r.model.Requests()[len(r.model.Requests())-1].Call.Messages
	var texts []string
	for _, m := range last {
		switch m := m.(type) {
		case *ai.UserMessage:
			texts = append(texts, ai.TextOf(m.Content, ""))
		case *ai.AssistantMessage:
			texts = append(texts, m.Text())
		}
	}
	if len(texts) != 4 || texts[0] != "first" || texts[1] != "answer 1" || !strings.Contains(texts[2], "the summary") || texts[3] != "another" {
		t.Errorf("the model sees %q", texts)
	}
	if label, err := r.Session().Label(t.Context(), got.Summary.ID); err != nil || label != "left" {
		t.Errorf("label %q %v", label, err)
	}
}

func TestCompactionBetweenTurns(t *testing.T) {
	const window = 4000
	read := agentcore.NewTool("read", "Reads.", func(context.Context, struct{}, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
		return agentcore.TextResult(strings.Repeat("line of text\n", 120)), nil
	})
	r := small(t, window, func(c *harness.Config) { c.Tools = []*agentcore.Tool{read} })
	turns := 0
	normal := answering(window, func(int) string { return "done" })
	r.model.Respond(func(q faux.Request) faux.Response {
		if turns < 20 && !strings.Contains(ai.ReplaySystem(q.Call.Messages).Text, "notes for an assistant") {
			turns++
			return faux.Calls(faux.Call("read", nil))
		}
		return normal(q)
	})
	if got := r.prompt("go"); got.Answer.Text() != "done" {
		t.Errorf("answer %+v\n%v", got.Answer, r.log)
	}
	if r.count("agent_start") != 1 || r.count("compaction_start") == 0 {
		t.Errorf("%d runs, %d compactions", r.count("agent_start"), r.count("compaction_start"))
	}
}
