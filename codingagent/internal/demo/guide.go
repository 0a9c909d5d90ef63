// Package demo holds demo/guide, a model that needs no key and no network.
//
// It is not a language model and never pretends to be one: it recognises a
// handful of English requests, works on them through the agent's real tools,
// and otherwise says what it is and how to connect a real model. It exists so
// that a person can see the whole program work in the first minute, and so
// that tests and examples run offline. It is deterministic: the same
// conversation gives the same answer.
package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
)

const (
	// ProviderID is the first part of the model's name, demo/guide.
	ProviderID = "demo"
	// ModelID is the second part of the model's name.
	ModelID = "guide"
	apiID   = "demo-guide"
)

// Options tune the model.
type Options struct {
	// Pace is the wait between two words, for a screen that a person watches;
	// 0 means none.
	Pace time.Duration
}

// Provider gives the provider "demo" with its one model.
func Provider(o Options) ai.Provider {
	return ai.NewProvider(ai.ProviderConfig{
		ID: ProviderID, Name: "Built-in demo",
		Models: []*ai.Model{{
			ID: ModelID, Name: "Guide (demo, not an LLM)", API: apiID, Provider: ProviderID,
			Input: []string{"text"}, ContextWindow: 200_000, MaxTokens: 16_384,
		}},
		APIs: []ai.API{&guide{o}},
	})
}

type guide struct{ opts Options }

// ID is the protocol's name; it never leaves the process.
func (*guide) ID() string { return apiID }

// Stream answers the newest user message, or goes on with it when tool
// results have come in.
func (g *guide) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	turn, err := readTurn(call.Messages)
	if err != nil {
		return err
	}
	next := decide(turn)
	out.Start()
	if next.say != "" {
		if err := g.speak(ctx, out, next.say); err != nil {
			return err
		}
	}
	for i, c := range next.calls {
		args, err := json.Marshal(c.args)
		if err != nil {
			return fmt.Errorf("encode arguments of %s: %w", c.tool, err)
		}
		w := out.ToolCall(fmt.Sprintf("demo-%d-%d", turn.number, len(turn.steps)+i+1), c.tool)
		w.Append(string(args))
		w.End()
	}
	msg := out.Message()
	msg.StopReason = ai.StopEnd
	if len(next.calls) > 0 {
		msg.StopReason = ai.StopToolUse
	}
	msg.Usage = ai.Usage{Input: ai.EstimateContext(call.Messages), Output: ai.EstimateMessage(msg)}
	msg.Usage.Total = msg.Usage.Input + msg.Usage.Output
	return nil
}

// speak streams text word by word.
func (g *guide) speak(ctx context.Context, out *ai.Emitter, text string) error {
	w := out.Text()
	defer w.End()
	for word := range strings.SplitAfterSeq(text, " ") {
		if out.Stopped() {
			return nil
		}
		if err := g.wait(ctx); err != nil {
			return err
		}
		w.Append(word)
	}
	return nil
}

func (g *guide) wait(ctx context.Context) error {
	if g.opts.Pace <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(g.opts.Pace)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// turn is the newest request and what has been done for it.
type turn struct {
	text   string
	number int // of the user message in the conversation, from 1
	steps  []step
	tools  map[string]bool
}

// step is one finished tool call.
type step struct {
	tool   string
	args   map[string]any
	output string
	failed bool
}

func (t *turn) last() *step {
	if len(t.steps) == 0 {
		return nil
	}
	return &t.steps[len(t.steps)-1]
}

// readTurn takes the newest user message and the calls made since.
func readTurn(messages []ai.Message) (*turn, error) {
	t := &turn{tools: make(map[string]bool)}
	for _, tool := range ai.ReplaySystem(messages).Tools {
		t.tools[tool.Name] = true
	}
	calls := make(map[string]*ai.ToolCall)
	for _, m := range messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			t.text, t.steps = ai.TextOf(m.Content, "\n"), nil
			t.number++
		case *ai.AssistantMessage:
			for _, c := range m.ToolCalls() {
				calls[c.ID] = c
			}
		case *ai.ToolResultMessage:
			c := calls[m.ToolCallID]
			if c == nil {
				continue
			}
			s := step{tool: c.Name, output: ai.TextOf(m.Content, "\n"), failed: m.IsError}
			if err := json.Unmarshal(c.Arguments, &s.args); err != nil {
				return nil, fmt.Errorf("read arguments of call %s: %w", c.ID, err)
			}
			t.steps = append(t.steps, s)
		}
	}
	if t.number == 0 {
		return nil, ai.Errorf(ai.KindBadRequest, "there is no user message to answer")
	}
	return t, nil
}

// action is what to do next: something to say, then calls to make. Without
// calls the answer is finished.
type action struct {
	say   string
	calls []toolCall
}

type toolCall struct {
	tool string
	args map[string]any
}
