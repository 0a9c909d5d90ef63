package compaction

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// Generator asks a model for summaries.
type Generator struct {
	Stream   agentcore.StreamFunc
	Model    *ai.Model
	Thinking ai.ThinkingLevel
	// Options are passed to the requests; cache and conversation are not used.
	Options ai.Options
	Policy  Policy
	// Reserve is the room to keep free in the window of each request, in tokens; what
	// the answer needs is kept free in any case.
	Reserve int64
	// Retry says how failed requests are made again; Wait waits, nil means
	// [ai.Wait]; Random spreads the waits.
	Retry  ai.RetryPolicy
	Wait   func(ctx context.Context, d time.Duration) error
	Random func() float64
	// OnRetry is told before each wait, OnAttempt before each further try,
	// OnFinished after the last of several tries. nil ones are not called.
	OnRetry    func(r ai.Retry)
	OnAttempt  func()
	OnFinished func()
}

// Summary is what a model wrote.
type Summary struct {
	Text  string
	Usage ai.Usage
}

// Summarize makes the summary of a plan: of its history, and of the beginning
// of a cut turn apart. focus, if not empty, says what matters above all.
func (g *Generator) Summarize(ctx context.Context, p *Preparation, focus string) (Summary, error) {
	in := g.Policy.Instructions
	var out Summary
	if len(p.History) > 0 {
		s, err := g.ask(ctx, p.History, p.PreviousSummary, in.history(p.PreviousSummary != ""), focus)
		if err != nil {
			return Summary{}, err
		}
		out = s
	} else {
		out.Text = p.PreviousSummary
		if out.Text == "" && len(p.Prefix) > 0 {
			out.Text = noHistory
		}
	}
	if len(p.Prefix) > 0 {
		s, err := g.ask(ctx, p.Prefix, "", in.prefix(), focus)
		if err != nil {
			return Summary{}, err
		}
		out.Text += "\n\n---\n\n" + turnHeading + "\n\n" + s.Text
		out.Usage = out.Usage.Add(s.Usage)
	}
	if strings.TrimSpace(out.Text) == "" {
		// Only edits were planned: there is nothing to say about the past.
		out.Text = noHistory
	}
	out.Text += fileLists(p.Files)
	return out, nil
}

// Entry makes the entry of a finished compaction.
func (p *Preparation) Entry(s Summary) *session.CompactionEntry {
	builtIn := false
	return &session.CompactionEntry{
		Summary: s.Text, FirstKept: p.FirstKept, TokensBefore: p.TokensBefore,
		Details: p.Files.details(), Usage: &s.Usage, FromHook: &builtIn,
	}
}

// SummarizeBranch sums up the entries of a branch that is left. instructions
// replace the usual ones when replace is set, and are added otherwise.
func (g *Generator) SummarizeBranch(ctx context.Context, entries []session.Entry, instructions string, replace bool) (Summary, Files, error) {
	messages, files := branchMessages(entries, g.Policy)
	if len(messages) == 0 {
		return Summary{Text: "(Nothing was said on the branch that was left.)"}, files, nil
	}
	ask, focus := g.Policy.Instructions.branch(), instructions
	if replace && instructions != "" {
		ask, focus = instructions, ""
	}
	s, err := g.ask(ctx, messages, "", ask, focus)
	if err != nil {
		return Summary{}, files, err
	}
	s.Text = branchPreamble + s.Text + fileLists(files)
	return s, files, nil
}

const branchPreamble = "The user went back to an earlier point and goes another way from there.\nWhat follows sums up the way that was left.\n\n"

// BranchEntry makes the entry of a branch summary; from is the leaf that was
// left.
func BranchEntry(s Summary, f Files, from string) *session.BranchSummaryEntry {
	builtIn := false
	return &session.BranchSummaryEntry{FromID: from, Summary: s.Text, Details: f.details(), Usage: &s.Usage, FromHook: &builtIn}
}

// branchMessages are what is worth summing up of a branch: what was said, not
// the results of tools.
func branchMessages(entries []session.Entry, p Policy) ([]agentcore.Message, Files) {
	var out []agentcore.Message
	var files Files
	for i, list := range session.Project(entries) {
		if c, ok := entries[i].(*session.CompactionEntry); ok && c.Summary != "" {
			out = append(out, &session.CompactionSummary{Summary: c.Summary, Timestamp: c.Time.UnixMilli()})
			files = files.merge(filesOf(c.Details, c.FromHook))
			continue
		}
		for _, m := range list {
			switch m.Role() {
			case ai.RoleSystem, ai.RoleToolResult, session.RoleCompactionSummary:
			default:
				out = append(out, m)
			}
		}
		files = files.merge(p.files(list))
	}
	return out, files
}

// ask makes one request for a summary, several times if need be.
func (g *Generator) ask(ctx context.Context, messages []agentcore.Message, previous, instructions, focus string) (Summary, error) {
	conversation := fit(g.Policy.convert(messages...), g.room(previous+instructions+focus))
	req := ai.Request{
		System:   g.Policy.Instructions.system(),
		Messages: []ai.Message{ai.UserText(question(conversation, previous, instructions, focus))},
	}
	opts := g.Options
	opts.Cache, opts.Conversation, opts.SessionID = ai.CacheNone, nil, ""
	opts.Thinking, opts.ToolChoice = g.Thinking, ""
	pause := g.Wait
	if pause == nil {
		pause = ai.Wait
	}
	for attempt := 1; ; attempt++ {
		answer := g.Stream(ctx, g.Model, req, opts).Result()
		delay, again := g.Retry.Next(answer, g.Model, attempt, g.Random)
		if answer.StopReason != ai.StopError || !again || ctx.Err() != nil {
			if attempt > 1 && g.OnFinished != nil {
				g.OnFinished()
			}
			return read(answer)
		}
		if g.OnRetry != nil {
			g.OnRetry(ai.Retry{Attempt: attempt, Max: g.Retry.Max, Delay: delay, Err: answer.Err()})
		}
		if err := pause(ctx, delay); err != nil {
			return Summary{}, err
		}
		if g.OnAttempt != nil {
			g.OnAttempt()
		}
	}
}

// room is how many tokens of conversation fit into one request, 0 for any
// number.
func (g *Generator) room(rest string) int64 {
	window := g.Model.ContextWindow
	if window <= 0 {
		return 0
	}
	answer := max(min(g.Model.MaxTokens, window/4), g.Reserve)
	return max(window-answer-ai.EstimateText(rest)-ai.EstimateText(g.Policy.Instructions.system())-window/10, window/8)
}

// read takes the summary out of an answer; anything but a whole text is a
// failure, so that no half of a memory replaces the real one.
func read(a *ai.AssistantMessage) (Summary, error) {
	switch err := a.Err(); {
	case err != nil:
		return Summary{}, fmt.Errorf("ask for a summary: %w", err)
	case len(a.ToolCalls()) > 0:
		return Summary{}, errors.New("ask for a summary: the model called a tool instead")
	case a.StopReason == ai.StopLength:
		return Summary{}, errors.New("ask for a summary: the answer was cut off at the model's output limit")
	}
	text := strings.TrimSpace(a.Text())
	if text == "" {
		return Summary{}, errors.New("ask for a summary: the answer is empty")
	}
	return Summary{Text: text, Usage: a.Usage}, nil
}
