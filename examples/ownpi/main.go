// Command ownpi is pi with extensions of one's own, linked in: a gate that asks
// before a command removes something, a list of things to do with a widget, and a
// tool with a picture of its own.
//
//	go run ./examples/ownpi             as pi, with /todo and --strict
//	go run ./examples/ownpi --help
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/program"
)

func main() { os.Exit(program.Main(gate(), todo(), dice())) }

// gate asks a person before a command removes something; where nobody can be
// asked, or with --strict, such commands are not run.
func gate() extension.Extension {
	return extension.Extension{Name: "gate", Setup: func(_ context.Context, api *extension.API) error {
		api.Events.ToolCall.Handle(func(ctx context.Context, x *extension.Context, ev *extension.ToolCall) (*extension.ToolCallDecision, error) {
			var args struct{ Command string }
			if ev.Name != "bash" || json.Unmarshal(ev.Arguments, &args) != nil || !removes(args.Command) {
				return nil, nil
			}
			if strict, _ := api.Flag("strict").(bool); strict {
				return &extension.ToolCallDecision{Block: true, Reason: "nothing is removed here"}, nil
			}
			if x.UI().Confirm(ctx, "Run this command?", args.Command, extension.DialogOptions{}) {
				return nil, nil
			}
			return &extension.ToolCallDecision{Block: true, Reason: "the person does not want that"}, nil
		})
		return api.RegisterFlag("strict", extension.Flag{Description: "run no commands that remove something"})
	}}
}

// removes reports whether a command looks as if it removed something.
func removes(command string) bool {
	for _, word := range strings.Fields(command) {
		switch word {
		case "rm", "rmdir", "shred", "truncate":
			return true
		}
	}
	return false
}

// todo keeps a list in the session: /todo adds to it, /todo done empties it. It is
// seen above the editor, and is there again when the session is opened again.
func todo() extension.Extension {
	return extension.Extension{Name: "todo", Setup: func(_ context.Context, api *extension.API) error {
		var mu sync.Mutex
		var list []string
		show := func(ui extension.UI) {
			mu.Lock()
			defer mu.Unlock()
			var lines []string
			for _, item := range list {
				lines = append(lines, " ☐ "+item)
			}
			ui.SetWidget("todo", extension.Widget{Lines: lines})
			status := ""
			if len(list) > 0 {
				status = fmt.Sprintf("%d to do", len(list))
			}
			ui.SetStatus("todo", status)
		}
		api.Events.SessionStart.Listen(func(ctx context.Context, x *extension.Context, _ *extension.SessionStart) error {
			entries, err := x.Session().Branch(ctx, x.Session().Leaf())
			if err != nil {
				return err
			}
			for _, e := range entries {
				if c, ok := e.(*session.CustomEntry); ok && c.CustomType == "todo" {
					mu.Lock()
					list = nil
					err = json.Unmarshal(c.Data, &list)
					mu.Unlock()
					if err != nil {
						return fmt.Errorf("read the list: %w", err)
					}
				}
			}
			show(x.UI())
			return nil
		})
		return api.RegisterCommand("todo", extension.Command{
			Description: "add to the list of things to do", Hint: "<what>|done",
			Complete: func(context.Context, string) []extension.Suggestion {
				return []extension.Suggestion{{Value: "done", Description: "empties the list"}}
			},
			Run: func(ctx context.Context, x *extension.CommandContext, what string) error {
				if what = strings.TrimSpace(what); what == "" {
					var ok bool
					if what, ok = x.UI().Input(ctx, "What is to be done?", "", extension.DialogOptions{}); !ok {
						return nil
					}
				}
				mu.Lock()
				if list = append(list, what); what == "done" {
					list = []string{}
				}
				kept := append([]string{}, list...)
				mu.Unlock()
				show(x.UI())
				_, err := api.AppendEntry(ctx, "todo", kept)
				return err
			},
		})
	}}
}

// dice is a tool that shows its result as the face of a die.
func dice() extension.Extension {
	faces := []string{"⚀", "⚁", "⚂", "⚃", "⚄", "⚅"}
	return extension.Extension{Name: "dice", Setup: func(_ context.Context, api *extension.API) error {
		return api.RegisterTool(extension.Tool{
			Tool:    agentcore.Tool{Name: "dice", Description: "Roll a die.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)},
			Snippet: "rolls a die",
			Execute: func(context.Context, *extension.Context, agentcore.ToolCall, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
				r := agentcore.TextResult("4") // chosen by a fair roll
				r.Details = 4
				return r, nil
			},
			RenderCall: func(v extension.ToolView) extension.Component {
				return extension.Lines(func(int) []string { return []string{v.Theme.Bold("rolls a die")} })
			},
			RenderResult: func(v extension.ToolView, r agentcore.ToolResult) extension.Component {
				var n int
				data, err := json.Marshal(r.Details) // from a file it is JSON already
				if err != nil || json.Unmarshal(data, &n) != nil || n < 1 || n > len(faces) {
					return nil // the program shows it as any other
				}
				return extension.Lines(func(int) []string { return []string{v.Theme.Foreground("accent", faces[n-1])} })
			},
		})
	}}
}
