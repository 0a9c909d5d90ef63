package extension_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

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

// framed is an editor in a frame of its own, with a key that writes the date.
type framed struct {
	own   extension.Editor
	theme extension.Theme
}

func (f *framed) Render(width int) []string {
	return append(f.own.Lines(width), f.theme.Foreground("dim", fmt.Sprintf(" %d characters", len(f.own.Text()))))
}

func (f *framed) HandleKey(k extension.Key) bool {
	if k.ID != "alt+d" {
		return false // all else is the editor's
	}
	f.own.Insert(time.Now().Format(time.DateOnly))
	return true
}

// A component in the place of the editor, and one that lies over everything until the
// person closes it.
func ExampleScreen() {
	_ = extension.Extension{
		Name: "framed",
		Setup: func(_ context.Context, api *extension.API) error {
			api.Events.SessionStart.Listen(func(_ context.Context, x *extension.Context, _ *extension.SessionStart) error {
				if screen := x.UI().Screen(); screen != nil { // nil over rpc, and where nobody looks
					screen.SetEditor(func(_ extension.Surface, own extension.Editor) extension.Component {
						return &framed{own, screen.Theme()}
					})
				}
				return nil
			})
			return api.RegisterCommand("clock", extension.Command{Run: func(ctx context.Context, x *extension.CommandContext, _ string) error {
				screen := x.UI().Screen()
				if screen == nil {
					return extension.ErrNoScreen
				}
				_, err := screen.Custom(ctx, func(extension.Surface, func(any)) extension.Component {
					return extension.Lines(func(int) []string { return []string{time.Now().Format(time.TimeOnly)} })
				}, extension.CustomOptions{
					Overlay: true, Anchor: "top-right", Width: "8", NonCapturing: true,
					OnHandle: func(o extension.Overlay) { time.AfterFunc(time.Minute, o.Close) },
				})
				if errors.Is(err, extension.ErrDismissed) {
					return nil
				}
				return err
			}})
		},
	}
}
