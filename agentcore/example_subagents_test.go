package agentcore_test

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// A tool may run agents of its own. The calls of one answer run side by side,
// and so do the sub-agents; aborting the outer agent aborts them all, because
// they run under the context of the call. What they spend is passed up in
// Usage.
func Example_subAgents() {
	type task struct {
		Topic string `json:"topic" jsonschema_description:"What to look into"`
	}
	// Each sub-agent has a model of its own here; in a program all share one.
	research := agentcore.NewTool("research", "Looks into one topic and reports.",
		func(ctx context.Context, in task, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			stream, model := scripted(faux.Say("All about " + in.Topic + "."))
			sub := agentcore.New(agentcore.AgentConfig{
				Loop: agentcore.LoopConfig{Stream: stream}, Model: model, System: "You are a researcher.",
			})
			answer, err := sub.Prompt(ctx, ai.UserText("Report on "+in.Topic))
			if err != nil {
				return agentcore.ToolResult{}, err
			}
			result := agentcore.TextResult(answer.Text())
			result.Usage = &answer.Usage
			return result, nil
		})

	stream, model := scripted(
		faux.Calls(
			faux.Call("research", map[string]any{"topic": "tides"}),
			faux.Call("research", map[string]any{"topic": "moons"}),
			faux.Call("research", map[string]any{"topic": "rings"}),
		),
		faux.Say("Here is my summary of three reports."),
	)
	lead := agentcore.New(agentcore.AgentConfig{
		Loop: agentcore.LoopConfig{Stream: stream}, Model: model, Tools: []*agentcore.Tool{research},
	})
	answer, err := lead.Prompt(context.Background(), ai.UserText("Compare tides, moons and rings."))
	if err != nil {
		fmt.Println(err)
		return
	}
	// The results stand in the order of the calls, whichever was done first.
	for _, m := range lead.State().Messages {
		if r, ok := m.(*ai.ToolResultMessage); ok {
			fmt.Println(ai.TextOf(r.Content, ""), r.Usage.ContextTokens() > 0)
		}
	}
	fmt.Println(answer.Text())
	// Output:
	// All about tides. true
	// All about moons. true
	// All about rings. true
	// Here is my summary of three reports.
}
