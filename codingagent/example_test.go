package codingagent_test

import (
	"context"
	"fmt"
	"os"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
)

// A session with a scripted model; with a real one only the provider differs.
func Example() {
	ctx := context.Background()
	provider := faux.New(faux.Config{})
	provider.Queue(
		faux.Calls(faux.Call("bash", map[string]any{"command": "echo 6 times 7 is $((6*7))"})),
		faux.Say("It is 42."),
	)
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := codingagent.NewSession(ctx, codingagent.Options{
		Dir: dir, Models: ai.NewModels(provider), Model: provider.Model(), Session: codingagent.InMemory(),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close(ctx)
	result, err := s.Prompt(ctx, codingagent.Prompt{Text: "What is 6 times 7? Ask the shell."}, codingagent.PromptOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Answer.Text())
	// Output: It is 42.
}
