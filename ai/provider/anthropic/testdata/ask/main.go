// Command ask is the smallest useful client: one provider, one question. A test
// looks at what it links.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/provider/anthropic"
)

func main() {
	models := ai.NewModels(anthropic.New())
	model, err := models.Model("anthropic", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	req := ai.Request{Messages: []ai.Message{ai.UserText(os.Args[2])}}
	for ev := range models.Stream(context.Background(), model, req, ai.Options{}).Events() {
		if ev.Type == ai.EventTextDelta {
			fmt.Print(ev.Delta)
		}
	}
}
