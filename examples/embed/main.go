// Command embed is the coding agent inside another program: it looks at a
// directory with the read-only tools and says what it finds. It uses package
// codingagent; with no key it runs on the built-in demo model.
//
//	go run ./examples/embed . "describe this project"
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/provider/anthropic"
	"github.com/pi-go/pi/codingagent"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if len(os.Args) != 3 {
		return errors.New("usage: embed DIRECTORY REQUEST")
	}
	dir, err := filepath.Abs(os.Args[1])
	if err != nil {
		return err
	}
	models := ai.NewModels(anthropic.New(), codingagent.DemoProvider(0))
	model, err := models.Model("demo", "guide")
	if os.Getenv("ANTHROPIC_API_KEY") != "" {
		model, err = models.Model("anthropic", "claude-sonnet-5")
	}
	if err != nil {
		return err
	}
	answer, err := look(ctx, models, model, dir, os.Args[2])
	if err != nil {
		return err
	}
	fmt.Println(answer)
	return nil
}

// look lets the agent work on a request in a directory. It offers only tools
// that change nothing, and keeps the conversation in memory.
func look(ctx context.Context, models *ai.Models, model *ai.Model, dir, request string) (answer string, err error) {
	s, err := codingagent.NewSession(ctx, codingagent.Options{
		Dir: dir, Models: models, Model: model,
		Session: codingagent.InMemory(),
		Tools:   codingagent.ToolSelection{Allow: []string{"read", "ls", "grep", "find"}},
	})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()
	s.Subscribe(func(_ context.Context, ev agentcore.Event) error {
		if call, ok := ev.(*agentcore.ToolStart); ok {
			fmt.Fprintf(os.Stderr, "%s %s\n", call.Name, call.Arguments)
		}
		return nil
	})
	result, err := s.Prompt(ctx, codingagent.Prompt{Text: request}, codingagent.PromptOptions{})
	if err != nil {
		return "", err
	}
	if err := result.Answer.Err(); err != nil {
		return "", err
	}
	return result.Answer.Text(), nil
}
