package agentcore_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// scripted gives a model that answers from a script, so that the examples run
// without a network. A program uses real providers instead:
//
//	models := ai.NewModels(anthropic.New())
//	model, err := models.Model("anthropic", "claude-sonnet-5")
func scripted(responses ...faux.Response) (agentcore.StreamFunc, *ai.Model) {
	p := faux.New(faux.Config{})
	p.Queue(responses...)
	return ai.NewModels(p).Stream, p.Model()
}

type sum struct {
	Op string  `json:"op" jsonschema:"enum=add,enum=multiply,enum=divide" jsonschema_description:"What to do with a and b"`
	A  float64 `json:"a"`
	B  float64 `json:"b"`
}

func calculate(_ context.Context, in sum, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
	var result float64
	switch in.Op {
	case "add":
		result = in.A + in.B
	case "multiply":
		result = in.A * in.B
	case "divide":
		if in.B == 0 {
			return agentcore.ToolResult{}, errors.New("division by zero")
		}
		result = in.A / in.B
	}
	return agentcore.TextResult(fmt.Sprint(result)), nil
}

// An agent with one typed tool. The model asks for two calculations at once,
// one of which fails; it sees both results and answers.
func Example() {
	stream, model := scripted(
		faux.Calls(
			faux.Call("calculate", map[string]any{"op": "multiply", "a": 6, "b": "7"}), // b is mended
			faux.Call("calculate", map[string]any{"op": "divide", "a": 1, "b": 0}),
		),
		faux.Say("6 × 7 is 42; 1 / 0 is undefined."),
	)
	agent := agentcore.New(agentcore.AgentConfig{
		// One call after the other, so that the output is always the same.
		Loop:   agentcore.LoopConfig{Stream: stream, Execution: agentcore.ExecuteSequential},
		Model:  model,
		System: "You are a careful calculator.",
		Tools:  []*agentcore.Tool{agentcore.NewTool("calculate", "Calculates with two numbers.", calculate)},
	})
	agent.Subscribe(func(_ context.Context, ev agentcore.Event) error {
		switch ev := ev.(type) {
		case *agentcore.ToolStart:
			fmt.Printf("%s %s\n", ev.Name, ev.Arguments)
		case *agentcore.ToolEnd:
			fmt.Printf("  = %s (error: %v)\n", ai.TextOf(ev.Result.Content, ""), ev.Result.IsError)
		}
		return nil
	})
	answer, err := agent.Prompt(context.Background(), ai.UserText("What are 6 × 7 and 1 / 0?"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text())
	// Output:
	// calculate {"a":6,"b":"7","op":"multiply"}
	//   = 42 (error: false)
	// calculate {"a":1,"b":0,"op":"divide"}
	//   = division by zero (error: true)
	// 6 × 7 is 42; 1 / 0 is undefined.
}
