package ai_test

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// Asking again when a whole answer failed and a later one may not.
func ExampleRetryPolicy() {
	p := faux.New(faux.Config{})
	p.Queue(faux.Failure(&ai.APIError{Kind: ai.KindOverloaded, Message: "busy"}), faux.Say("Here I am."))
	models := ai.NewModels(p)
	defer models.Close()

	ctx := context.Background()
	policy := ai.DefaultRetryPolicy()
	policy.BaseDelay = 1 // a nanosecond: this is an example
	var answer *ai.AssistantMessage
	for attempt := 1; ; attempt++ {
		answer = models.Stream(ctx, p.Model(), ai.Request{Messages: []ai.Message{ai.UserText("Hello?")}}, ai.Options{}).Result()
		delay, again := policy.Next(answer, p.Model(), attempt, nil)
		if !again {
			break
		}
		fmt.Println("again, because:", answer.ErrorMessage)
		if err := ai.Wait(ctx, delay); err != nil {
			break
		}
	}
	fmt.Println(answer.Text())
	// Output:
	// again, because: busy
	// Here I am.
}
