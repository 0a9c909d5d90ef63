// Command ask puts one question to a model and streams the answer. It uses
// package ai alone.
//
//	ANTHROPIC_API_KEY=… go run ./examples/ask "Why is the sky blue?"
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/provider/anthropic"
)

func main() {
	models := ai.NewModels(anthropic.New())
	model, err := models.Model("anthropic", "claude-sonnet-5")
	if err == nil {
		err = ask(context.Background(), models, model, strings.Join(os.Args[1:], " "), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

// ask streams the answer to a question into out.
func ask(ctx context.Context, models *ai.Models, model *ai.Model, question string, out io.Writer) error {
	answer := models.Stream(ctx, model, ai.Request{Messages: []ai.Message{ai.UserText(question)}}, ai.Options{})
	for ev := range answer.Events() {
		if ev.Type == ai.EventTextDelta {
			if _, err := io.WriteString(out, ev.Delta); err != nil {
				return err // leaving the loop closes the connection
			}
		}
	}
	if err := answer.Result().Err(); err != nil {
		return err
	}
	used := answer.Result().Usage
	_, err := fmt.Fprintf(out, "\n(%d tokens in, %d out, $%.4f)\n", used.Input+used.CacheRead+used.CacheWrite, used.Output, used.Cost.Total)
	return err
}
