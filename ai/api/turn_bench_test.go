package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// deaf is a vendor that does not read what it is asked.
type deaf struct{ rendered }

func (d *deaf) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Body.Close()
	r.Body = http.NoBody
	return d.rendered.RoundTrip(r)
}

// What a turn costs before its first byte is sent, by how many were before it. What
// grows with them is to see that nothing of them has changed.
func BenchmarkTurn(b *testing.B) {
	for _, p := range protocols() {
		for _, turn := range []int{2, 200, 400, -400} {
			name, counted := fmt.Sprint(p.api.ID(), "/", turn), ai.Usage{Total: 1000}
			if turn < 0 { // the vendor does not tell how long the conversation is
				turn = -turn
				name, counted = fmt.Sprint(p.api.ID(), "/", turn, "/uncounted"), ai.Usage{}
			}
			b.Run(name, func(b *testing.B) {
				kind := "text/event-stream"
				if p.mock == mockllm.Bedrock {
					kind = "application/vnd.amazon.eventstream"
				}
				answer := mockllm.Stream(p.mock, p.model, mockllm.Say("ok"))
				m := p.ai()
				m.ContextWindow = 100_000_000
				models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: &deaf{rendered{kind, answer}}}, Env: func(string) string { return "" }}.New(
					ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{p.api}}))
				messages := []ai.Message{ai.UserText("go")}
				for i := range turn {
					id := fmt.Sprint("call_", i)
					messages = append(messages,
						&ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopToolUse, Usage: counted, Content: []ai.Block{
							&ai.Text{Text: strings.Repeat("text ", 40)}, &ai.ToolCall{ID: id, Name: "read", Arguments: json.RawMessage(`{"path":"file.go"}`)},
						}},
						&ai.ToolResultMessage{ToolCallID: id, ToolName: "read", Content: []ai.Block{&ai.Text{Text: strings.Repeat("a line of a file\n", 200)}}})
				}
				conversation := ai.NewConversation("c")
				defer conversation.Close()
				opts := (&line{p: p}).options()
				opts.Conversation = conversation
				ask := func() {
					if s := models.Stream(context.Background(), m, ai.Request{System: "Be brief.", Tools: tools(), Messages: messages}, opts).Result(); s.Err() != nil {
						b.Fatal(s.ErrorMessage)
					}
				}
				ask()
				b.ReportAllocs()
				for b.Loop() {
					ask()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(messages)), "ns/message")
			})
		}
	}
}
