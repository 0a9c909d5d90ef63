package ai_test

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/authtest"
	"github.com/pi-go/pi/ai/modelstore"
	"github.com/pi-go/pi/ai/provider/compatible"
)

// A login asks a person by an Interaction, here one that answers by script, and keeps
// what it got. A terminal or a window is another one.
func ExampleModels_Login() {
	models := ai.ModelsConfig{Credentials: auth.NewMemoryStore(nil)}.New(compatible.Groq())
	person := &authtest.Person{Answers: map[string][]string{auth.PromptSecret: {"gsk-…"}}}
	if err := models.Login(context.Background(), "groq", auth.TypeAPIKey, person); err != nil {
		fmt.Println(err)
		return
	}
	status, err := models.CheckAuth(context.Background(), "groq")
	fmt.Println(status.Source, err)
	// Output: stored credential <nil>
}

// Lists of models are read from a file first, which needs no network; vendors and
// local servers are asked when there is time.
func ExampleModels_Refresh() {
	models := ai.ModelsConfig{Lists: modelstore.New("models-store.json")}.New(compatible.OpenRouter(), compatible.Local("ollama", "http://localhost:11434/v1"))
	models.Refresh(context.Background(), ai.RefreshOptions{})
	go func() {
		result := models.Refresh(context.Background(), ai.RefreshOptions{AllowNetwork: true})
		for provider, err := range result.Errors {
			fmt.Println(provider, err)
		}
	}()
}
