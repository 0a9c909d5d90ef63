// Command bookkeeper is an agent that has nothing to do with code: it keeps a
// list of expenses with two tools. It uses packages ai and agentcore.
//
//	ANTHROPIC_API_KEY=… go run ./examples/bookkeeper "Lunch was 12.50, the train 8. What did I spend?"
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/provider/anthropic"
)

func main() {
	models := ai.NewModels(anthropic.New())
	model, err := models.Model("anthropic", "claude-sonnet-5")
	if err == nil {
		var answer string
		if answer, err = new(ledger).ask(context.Background(), models.Stream, model, strings.Join(os.Args[1:], " ")); err == nil {
			fmt.Println(answer)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bookkeeper:", err)
		os.Exit(1)
	}
}

// ledger is what the agent works on.
type ledger struct{ expenses []expense }

type expense struct {
	What   string  `json:"what" jsonschema_description:"What was bought, in a few words"`
	Amount float64 `json:"amount" jsonschema:"minimum=0" jsonschema_description:"Price in euros"`
}

// tools are what the model can do with the ledger. Schemas come from the Go
// types; arguments that do not fit never reach the functions.
func (l *ledger) tools() []*agentcore.Tool {
	record := agentcore.NewTool("record", "Writes one expense into the ledger.",
		func(_ context.Context, e expense, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			l.expenses = append(l.expenses, e)
			return agentcore.TextResult(fmt.Sprintf("recorded: %s, %.2f", e.What, e.Amount)), nil
		})
	record.Sequential = true // the ledger is no place for two pens at once
	total := agentcore.NewTool("total", "Adds up all expenses.",
		func(context.Context, struct{}, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			sum := 0.0
			for _, e := range l.expenses {
				sum += e.Amount
			}
			return agentcore.TextResult(fmt.Sprintf("%.2f euros in %d expenses", sum, len(l.expenses))), nil
		})
	return []*agentcore.Tool{record, total}
}

// ask lets an agent work on a request and gives its last words.
func (l *ledger) ask(ctx context.Context, stream agentcore.StreamFunc, model *ai.Model, request string) (string, error) {
	agent := agentcore.New(agentcore.AgentConfig{
		Loop:   agentcore.LoopConfig{Stream: stream},
		System: "You keep a ledger of expenses. Record every expense you are told, then answer.",
		Model:  model,
		Tools:  l.tools(),
	})
	answer, err := agent.Prompt(ctx, ai.UserText(request))
	if err != nil {
		return "", err
	}
	return answer.Text(), nil
}
