package agentcore_test

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

func writeTool() *agentcore.Tool {
	type input struct {
		Path string `json:"path"`
	}
	return agentcore.NewTool("write", "Writes a file.",
		func(_ context.Context, in input, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			return agentcore.TextResult("wrote " + in.Path), nil
		})
}

// Two hooks make an agent that plans first, without tools and thinking hard,
// and then acts on its plan, with tools: FinishTurn asks for one more turn
// after the plan, PrepareNextTurn sets that turn up.
func Example_planThenAct() {
	stream, model := scripted(
		faux.Say("Plan: write notes.txt."),
		faux.Calls(faux.Call("write", map[string]any{"path": "notes.txt"})),
		faux.Say("Done."),
	)
	planned := false
	agent := agentcore.New(agentcore.AgentConfig{
		Model: model, Thinking: ai.ThinkingHigh,
		Loop: agentcore.LoopConfig{
			Stream: stream,
			FinishTurn: func(context.Context, agentcore.Turn) (agentcore.TurnAction, error) {
				if planned {
					return agentcore.TurnNormal, nil
				}
				return agentcore.TurnContinue, nil
			},
			PrepareNextTurn: func(context.Context, agentcore.Turn) (*agentcore.ContextUpdate, error) {
				if planned {
					return nil, nil
				}
				planned = true
				return &agentcore.ContextUpdate{
					Tools: []*agentcore.Tool{writeTool()}, Thinking: ai.ThinkingOff,
					Append: []agentcore.Message{ai.UserText("Good. Now carry out the plan.")},
				}, nil
			},
		},
	})
	if _, err := agent.Prompt(context.Background(), ai.UserText("Plan how to keep notes. Do nothing yet.")); err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range agent.State().Messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			fmt.Println("user:", ai.TextOf(m.Content, ""))
		case *ai.AssistantMessage:
			fmt.Printf("assistant (%s): %s%d calls\n", m.ThinkingLevel, m.Text(), len(m.ToolCalls()))
		case *ai.ToolResultMessage:
			fmt.Println("tool:", ai.TextOf(m.Content, ""))
		case *ai.SystemMessage:
			fmt.Println("system: tools added:", m.ToolsAdded[0].Name)
		}
	}
	// Output:
	// user: Plan how to keep notes. Do nothing yet.
	// assistant (high): Plan: write notes.txt.0 calls
	// system: tools added: write
	// user: Good. Now carry out the plan.
	// assistant (off): 1 calls
	// tool: wrote notes.txt
	// assistant (off): Done.0 calls
}

// A permission gate: BeforeToolCall sees each call after its arguments were
// checked and may refuse it; the reason is for the model. A gate that asks a
// person simply waits, and returns when ctx is cancelled.
func Example_permissionGate() {
	stream, model := scripted(
		faux.Calls(
			faux.Call("write", map[string]any{"path": "notes.txt"}),
			faux.Call("write", map[string]any{"path": "/etc/passwd"}),
		),
		faux.Say("I wrote the notes; the other file is off limits."),
	)
	gate := func(_ context.Context, c agentcore.BeforeToolCall) (*agentcore.BeforeToolCallResult, error) {
		in, err := agentcore.DecodeArguments[struct{ Path string }](agentcore.ToolCall{Name: c.Call.Name, Arguments: c.Arguments})
		if err != nil {
			return nil, err // refuses the call too
		}
		if in.Path[0] == '/' {
			return &agentcore.BeforeToolCallResult{Block: true, Reason: "absolute paths are not allowed: " + in.Path}, nil
		}
		return nil, nil
	}
	agent := agentcore.New(agentcore.AgentConfig{
		Loop:  agentcore.LoopConfig{Stream: stream, BeforeToolCall: gate, Execution: agentcore.ExecuteSequential},
		Model: model, Tools: []*agentcore.Tool{writeTool()},
	})
	agent.Subscribe(func(_ context.Context, ev agentcore.Event) error {
		if end, ok := ev.(*agentcore.ToolEnd); ok {
			fmt.Println(ai.TextOf(end.Result.Content, ""))
		}
		return nil
	})
	answer, err := agent.Prompt(context.Background(), ai.UserText("Write both files."))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text())
	// Output:
	// wrote notes.txt
	// absolute paths are not allowed: /etc/passwd
	// I wrote the notes; the other file is off limits.
}

// A budget: FinishTurn adds up what the answers and the tools have cost and
// ends the run when it is too much. The transcript stays well-formed, so a
// later Continue can go on.
func Example_budgetLimit() {
	work := func() faux.Response {
		r := faux.Calls(faux.Call("write", map[string]any{"path": "more.txt"}))
		r.Usage = &ai.Usage{Input: 1000, Output: 100, Total: 1100, Cost: ai.Cost{Total: 0.04}}
		return r
	}
	stream, model := scripted(work(), work(), work(), work(), work())
	const limit = 0.10 // US dollars
	spent := 0.0
	agent := agentcore.New(agentcore.AgentConfig{
		Model: model, Tools: []*agentcore.Tool{writeTool()},
		Loop: agentcore.LoopConfig{
			Stream: stream,
			FinishTurn: func(_ context.Context, t agentcore.Turn) (agentcore.TurnAction, error) {
				spent += t.Message.Usage.Cost.Total
				for _, r := range t.ToolResults {
					if r.Usage != nil {
						spent += r.Usage.Cost.Total
					}
				}
				if spent >= limit {
					return agentcore.TurnEndRun, nil
				}
				return agentcore.TurnNormal, nil
			},
		},
	})
	if _, err := agent.Prompt(context.Background(), ai.UserText("Write for ever.")); err != nil {
		fmt.Println(err)
		return
	}
	turns := 0
	for _, m := range agent.State().Messages {
		if m.Role() == ai.RoleAssistant {
			turns++
		}
	}
	fmt.Printf("%d turns, $%.2f\n", turns, spent)
	// Output:
	// 3 turns, $0.12
}
