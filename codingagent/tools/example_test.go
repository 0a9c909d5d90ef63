package tools_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools"
)

func ExampleNew() {
	env := execenv.Memory(nil)
	env.FS.(*execenv.MemoryFS).Put("/work/config.txt", "color = red\nsize = 3\n")
	edit, _ := tools.Find(tools.New(tools.Options{Env: env}), "edit")

	res, err := edit.Execute(context.Background(), agentcore.ToolCall{
		Name:      "edit",
		Arguments: json.RawMessage(`{"path":"config.txt","edits":[{"oldText":"red","newText":"blue"}]}`),
	}, func(agentcore.ToolResult) {})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Content[0].(*ai.Text).Text)
	fmt.Println(res.Details.(tools.EditDetails).Diff)
	// Output:
	// Replaced 1 block in config.txt.
	// -1 color = red
	// +1 color = blue
	//  2 size = 3
}
