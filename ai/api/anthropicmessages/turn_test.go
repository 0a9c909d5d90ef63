package anthropicmessages_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
)

// sink takes requests and answers with a word.
type sink struct {
	answer string
	bytes  int64
}

func (s *sink) RoundTrip(r *http.Request) (*http.Response, error) {
	n, err := io.Copy(io.Discard, r.Body)
	s.bytes = n
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(s.answer)), Request: r}, err
}

// turns is a conversation of n turns that each read a file of 4 KiB.
func turns(n int) []ai.Message {
	messages := []ai.Message{ai.UserText("Look at all files.")}
	text := strings.Repeat("a line of text, \"quoted\"\n", 160)
	for i := range n {
		id := fmt.Sprintf("toolu_%d", i)
		said := answer(&ai.Thinking{Text: "The next one.", Signature: "c2ln"}, &ai.Text{Text: "Reading."}, call(id, "read", fmt.Sprintf(`{"path":"file%d.go"}`, i)))
		said.Usage = ai.Usage{Input: 500, Output: 20} // a vendor counts each time
		messages = append(messages, said,
			result(id, "read", text))
	}
	return messages
}

// What a turn costs this client, from the call to the end of the answer, without the
// vendor: with kept history it hardly depends on how long the conversation is.
func BenchmarkTurn(b *testing.B) {
	for _, kept := range []bool{true, false} {
		for _, n := range []int{2, 50, 200} {
			name := fmt.Sprintf("kept/%d", n)
			if !kept {
				name = fmt.Sprintf("fresh/%d", n)
			}
			b.Run(name, func(b *testing.B) {
				to := &sink{answer: string(mockllm.Stream(mockllm.Anthropic, "claude-x", mockllm.Say("ok")))}
				m := testModel()
				p := ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{anthropicmessages.New()}})
				models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: to}}.New(p)
				req := ai.Request{System: "Be kind.", Tools: []ai.Tool{readTool(), strictTool()}, Messages: turns(n)}
				opts := ai.Options{APIKey: "k"}
				if kept {
					opts.Conversation = ai.NewConversation("c")
					defer opts.Conversation.Close()
				}
				b.ReportAllocs()
				for b.Loop() {
					if a := models.Stream(b.Context(), m, req, opts).Result(); a.Err() != nil {
						b.Fatal(a.Err())
					}
				}
				b.ReportMetric(float64(to.bytes)/1024, "KiB/request")
			})
		}
	}
}
