package openaicompletions_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/auth"
)

// A server that speaks the protocol, but has names of its own for things.
func Example() {
	srv := mockllm.New() // in place of a server at BaseURL
	srv.Queue(mockllm.Say("Good ", "morning."))

	supported := false
	compat, err := json.Marshal(openaicompletions.Compat{
		MaxTokensField: "max_tokens",
		ThinkingFormat: openaicompletions.FormatQwenChatTemplate,
		SupportsStore:  &supported,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := &ai.Model{
		ID: "qwen3", Provider: "local", API: openaicompletions.ID, BaseURL: "http://localhost:8000/v1",
		Reasoning: true, Input: []string{"text"}, ContextWindow: 40_000, MaxTokens: 8_000, Compat: compat,
	}
	local := ai.NewProvider(ai.ProviderConfig{
		ID:     "local",
		Auth:   auth.Methods{APIKey: auth.EnvKey{Vars: []string{"LOCAL_API_KEY"}, Optional: true}},
		Models: []*ai.Model{model},
		APIs:   []ai.API{openaicompletions.New()},
	})
	models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(local)
	defer models.Close()

	s := models.Stream(context.Background(), model, ai.Request{Messages: []ai.Message{ai.UserText("Hello")}}, ai.Options{})
	for ev := range s.Events() {
		if ev.Type == ai.EventTextDelta {
			fmt.Print(ev.Delta)
		}
	}
	fmt.Println()
	fmt.Println(s.Result().StopReason)
	// Output:
	// Good morning.
	// stop
}
