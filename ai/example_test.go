package ai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/ai/provider/anthropic"
	"github.com/pi-go/pi/ai/provider/compatible"
)

// The first call: one provider, one question, the whole answer. In these examples a
// mock server stands for the vendors; a real program leaves ModelsConfig out:
// ai.NewModels(anthropic.New()).
func Example() {
	srv := mockllm.New()
	srv.Queue(mockllm.Say("Four."))
	models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(anthropic.New())

	model, err := models.Model("anthropic", "claude-haiku-4-5")
	if err != nil {
		fmt.Println(err)
		return
	}
	req := ai.Request{System: "Answer in one word.", Messages: []ai.Message{ai.UserText("Two and two?")}}
	answer, err := models.Complete(context.Background(), model, req, ai.Options{APIKey: "sk-…"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text(), answer.StopReason)
	// Output: Four. stop
}

// Streaming: text appears as it arrives. Failures are the last event and in the
// result; what came before them is kept.
func ExampleModels_Stream() {
	srv := mockllm.New()
	srv.Queue(mockllm.Blocks(mockllm.Thinking("signature", "Easy. "), mockllm.Text("One, ", "two, ", "three.")))
	models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(anthropic.New())
	model, err := models.Model("anthropic", "claude-haiku-4-5")
	if err != nil {
		fmt.Println(err)
		return
	}
	s := models.Stream(context.Background(), model, ai.Request{Messages: []ai.Message{ai.UserText("Count to three.")}}, ai.Options{
		APIKey: "sk-…", Thinking: ai.ThinkingLow,
	})
	for ev := range s.Events() {
		switch ev.Type {
		case ai.EventThinkingDelta:
			fmt.Printf("(%s) ", strings.TrimSpace(ev.Delta))
		case ai.EventTextDelta:
			fmt.Print(ev.Delta)
		case ai.EventDone, ai.EventError:
			fmt.Println()
		}
	}
	if err := s.Result().Err(); err != nil {
		fmt.Println(err)
	}
	// Output: (Easy.) One, two, three.
}

// Tools: the model asks for a call, the program runs it and answers, until the model
// is done. Arguments are one valid JSON object, or ArgumentsError says why not.
func ExampleTool() {
	srv := mockllm.New()
	srv.Queue(
		mockllm.Blocks(mockllm.ToolCall("call_1", "weather", `{"city":`, `"Rome"}`)),
		mockllm.Say("It is sunny in Rome."),
	)
	models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(anthropic.New())
	model, err := models.Model("anthropic", "claude-haiku-4-5")
	if err != nil {
		fmt.Println(err)
		return
	}
	weather := ai.Tool{
		Name: "weather", Description: "Tells the weather of a city.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
	}
	messages := []ai.Message{ai.UserText("What is the weather in Rome?")}
	for {
		answer, err := models.Complete(context.Background(), model, ai.Request{Tools: []ai.Tool{weather}, Messages: messages}, ai.Options{APIKey: "sk-…"})
		if err != nil {
			fmt.Println(err)
			return
		}
		messages = append(messages, answer)
		if answer.StopReason != ai.StopToolUse {
			fmt.Println(answer.Text())
			return
		}
		for _, call := range answer.ToolCalls() {
			result := &ai.ToolResultMessage{ToolCallID: call.ID, ToolName: call.Name}
			var args struct{ City string }
			switch err := json.Unmarshal(call.Arguments, &args); {
			case call.ArgumentsError != "":
				result.IsError, result.Content = true, []ai.Block{&ai.Text{Text: call.ArgumentsError}}
			case err != nil:
				result.IsError, result.Content = true, []ai.Block{&ai.Text{Text: err.Error()}}
			default:
				fmt.Println("asked for", args.City)
				result.Content = []ai.Block{&ai.Text{Text: "sunny"}}
			}
			messages = append(messages, result)
		}
	}
	// Output:
	// asked for Rome
	// It is sunny in Rome.
}

// Images go into the content of a message, in base64.
func ExampleImage() {
	message := &ai.UserMessage{Content: []ai.Block{
		&ai.Text{Text: "What is this?"},
		&ai.Image{MIMEType: "image/png", Data: "iVBORw0KGgo="},
	}}
	fmt.Println(string(message.AppendJSON(nil)))
	// Output: {"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"timestamp":0}
}

// Switching models in the middle: the same messages go to another vendor. What only
// the first one understands (signatures, ids) is left out or made to fit.
func ExampleModels_Complete() {
	srv := mockllm.New()
	srv.Queue(mockllm.Say("A haiku has three lines."), mockllm.Say("Yes, and seventeen syllables."))
	models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(anthropic.New(), compatible.Groq())
	messages := []ai.Message{ai.UserText("What is a haiku?")}
	for _, ref := range [][2]string{{"anthropic", "claude-haiku-4-5"}, {"groq", "openai/gpt-oss-120b"}} {
		model, err := models.Model(ref[0], ref[1])
		if err != nil {
			fmt.Println(err)
			return
		}
		answer, err := models.Complete(context.Background(), model, ai.Request{Messages: messages}, ai.Options{APIKey: "key"})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %s\n", answer.Provider, answer.Text())
		messages = append(messages, answer, ai.UserText("Is that all?"))
	}
	// Output:
	// anthropic: A haiku has three lines.
	// groq: Yes, and seventeen syllables.
}

// A provider of one's own: any server that speaks a known protocol.
func ExampleNewProvider() {
	srv := mockllm.New()
	srv.Queue(mockllm.Say("Hello from the cellar."))
	work, err := compatible.New(compatible.Config{
		ID: "work", BaseURL: "https://llm.example/v1", Env: []string{"WORK_KEY"},
		Models: []*ai.Model{{ID: "big", ContextWindow: 32_000}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	env := func(name string) string { return map[string]string{"WORK_KEY": "secret"}[name] }
	models := ai.ModelsConfig{HTTPClient: srv.Client(), Env: env}.New(work)
	model, err := models.Model("work", "big")
	if err != nil {
		fmt.Println(err)
		return
	}
	answer := models.Stream(context.Background(), model, ai.Request{Messages: []ai.Message{ai.UserText("Hello")}}, ai.Options{}).Result()
	fmt.Println(answer.Text(), srv.Requests()[0].Header.Get("Authorization"))
	// Output: Hello from the cellar. Bearer secret
}

// Stored credentials: keep them where the program keeps its secrets. A stored
// credential owns its provider; the environment is not tried behind its back.
func ExampleModelsConfig() {
	store := auth.NewMemoryStore(map[string]*auth.Credential{
		"anthropic": {Type: auth.TypeAPIKey, Key: "sk-from-the-vault"},
	})
	models := ai.ModelsConfig{Credentials: store, Env: func(string) string { return "" }}.New(anthropic.New(), compatible.Groq())
	for _, provider := range []string{"anthropic", "groq"} {
		status, err := models.CheckAuth(context.Background(), provider)
		fmt.Println(provider, status.Configured(), status.Source, err)
	}
	// Output:
	// anthropic true stored credential <nil>
	// groq false  <nil>
}

// Failures are typed: their kind says what can be done.
func ExampleAPIError() {
	srv := mockllm.New()
	srv.Queue(mockllm.Status(429, "retry-after", "7"))
	models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(anthropic.New())
	model, err := models.Model("anthropic", "claude-haiku-4-5")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = models.Complete(context.Background(), model, ai.Request{Messages: []ai.Message{ai.UserText("Hi")}}, ai.Options{APIKey: "sk-…"})
	var failed *ai.APIError
	if errors.As(err, &failed) {
		fmt.Println(failed.Kind, failed.Status, failed.Retryable(), failed.RetryAfter)
	}
	// Output: rate_limit 429 true 7s
}

// Testing a program without a vendor: the scripted provider answers what the test
// says and records what it was asked.
func Example_testing() {
	p := faux.New(faux.Config{})
	p.Queue(faux.Calls(faux.Call("read", map[string]any{"path": "go.mod"})), faux.Failure(&ai.APIError{Kind: ai.KindOverloaded, Message: "busy"}))
	models := ai.NewModels(p)
	for range 2 {
		answer := models.Stream(context.Background(), p.Model(), ai.Request{Messages: []ai.Message{ai.UserText("Go.")}}, ai.Options{}).Result()
		fmt.Printf("%s %q\n", answer.StopReason, answer.ErrorMessage)
	}
	fmt.Println(len(p.Requests()), "requests")
	// Output:
	// toolUse ""
	// error "busy"
	// 2 requests
}

// A conversation keeps what makes its next turn cheaper: encoded history, sockets,
// what a vendor keeps on its side. Close it when it is over.
func ExampleNewConversation() {
	srv := mockllm.New()
	srv.Queue(mockllm.Say("One."), mockllm.Say("Two."))
	models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(anthropic.New())
	model, err := models.Model("anthropic", "claude-haiku-4-5")
	if err != nil {
		fmt.Println(err)
		return
	}
	c := ai.NewConversation("session-1")
	defer c.Close()
	var messages []ai.Message
	for range 2 {
		messages = append(messages, ai.UserText("Next number?"))
		answer, err := models.Complete(context.Background(), model, ai.Request{Messages: messages}, ai.Options{APIKey: "sk-…", Conversation: c})
		if err != nil {
			fmt.Println(err)
			return
		}
		messages = append(messages, answer)
		fmt.Println(answer.Text())
	}
	// Output:
	// One.
	// Two.
}

// A protocol of one's own: write the blocks, count the tokens, set the stop reason,
// return. The stream sees to the price and to the rest of the contract; package aitest
// tests it.
func ExampleAPI() {
	models := ai.NewModels(ai.NewProvider(ai.ProviderConfig{
		ID: "mine", APIs: []ai.API{parrot{}},
		Models: []*ai.Model{{ID: "parrot", Provider: "mine", API: "parrot", Cost: ai.Rates{Input: 3, Output: 15}}},
	}))
	model, err := models.Model("mine", "parrot")
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := models.Complete(context.Background(), model, ai.Request{Messages: []ai.Message{ai.UserText("Hello")}}, ai.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(answer.Text())
	fmt.Printf("%d tokens, $%.6f\n", answer.Usage.Total, answer.Usage.Cost.Total)
	// Output:
	// Hello, you said.
	// 4 tokens, $0.000048
}

// parrot is an ai.API that needs no network.
type parrot struct{}

func (parrot) ID() string { return "parrot" }

func (parrot) Stream(_ context.Context, call *ai.Call, out *ai.Emitter) error {
	last, ok := call.Messages[len(call.Messages)-1].(*ai.UserMessage)
	if !ok {
		return ai.Errorf(ai.KindBadRequest, "a parrot answers people only")
	}
	w := out.Text()
	w.Append(ai.TextOf(last.Content, " "))
	w.Append(", you said.")
	w.End()
	out.Message().Usage = ai.Usage{Input: 1, Output: 3}
	out.Message().StopReason = ai.StopEnd
	return nil
}
