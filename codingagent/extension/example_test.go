package extension_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
)

// An extension that keeps files out of reach, and one that has a tool.
func Example() {
	protect := extension.Extension{
		Name: "protect",
		Setup: func(_ context.Context, api *extension.API) error {
			api.Events.ToolCall.Handle(func(_ context.Context, _ *extension.Context, ev *extension.ToolCall) (*extension.ToolCallDecision, error) {
				if !strings.Contains(string(ev.Arguments), "secrets") {
					return nil, nil
				}
				return &extension.ToolCallDecision{Block: true, Reason: "the directory secrets is off limits"}, nil
			})
			return nil
		},
	}
	dice := extension.Extension{
		Name: "dice",
		Setup: func(_ context.Context, api *extension.API) error {
			return api.RegisterTool(extension.Tool{
				Tool:    agentcore.Tool{Name: "dice", Description: "Roll a die.", Parameters: json.RawMessage(`{"type":"object"}`)},
				Snippet: "rolls a die",
				Execute: func(context.Context, *extension.Context, agentcore.ToolCall, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
					return agentcore.TextResult("4"), nil // chosen by a fair roll
				},
			})
		},
	}
	model := faux.New(faux.Config{})
	model.Queue(
		faux.Calls(faux.Call("dice", map[string]any{}), faux.Call("read", map[string]any{"path": "secrets/key"})),
		faux.Say("A four, and I may not look."),
	)
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := codingagent.NewSession(ctx, codingagent.Options{
		Dir: dir, Models: ai.NewModels(model), Model: model.Model(), Extensions: []extension.Extension{protect, dice},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(ctx)
	if _, err := s.Prompt(ctx, codingagent.Prompt{Text: "Roll a die and read my key."}, codingagent.PromptOptions{}); err != nil {
		fmt.Println(err)
	}
	for _, m := range s.State().Messages {
		switch m := m.(type) {
		case *ai.ToolResultMessage:
			fmt.Printf("%s: %s\n", m.ToolName, ai.TextOf(m.Content, ""))
		case *ai.AssistantMessage:
			if text := ai.TextOf(m.Content, ""); text != "" {
				fmt.Println(text)
			}
		}
	}
	// Output:
	// dice: 4
	// read: the directory secrets is off limits
	// A four, and I may not look.
}
