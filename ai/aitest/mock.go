package aitest

import (
	"bytes"
	"context"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// OverMock is the fixture of a protocol that mockllm speaks: protocol is its
// name there. The model's base URL does not matter.
func OverMock(api ai.API, protocol string, model *ai.Model) Fixture {
	return Fixture{
		Stream: func(ctx context.Context, t testing.TB, s Scenario) *ai.Stream {
			srv := mockllm.New()
			srv.Queue(MockAnswer(protocol, s))
			m := *model
			if m.BaseURL == "" {
				m.BaseURL = "http://mock/v1"
			}
			p := ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{&m}, APIs: []ai.API{api}})
			models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(p)
			req := ai.Request{
				Messages: []ai.Message{ai.UserText("Go on.")},
				Tools:    []ai.Tool{{Name: "read"}, {Name: "status"}},
			}
			t.Cleanup(func() {
				for _, r := range srv.Requests() {
					select {
					case <-r.Done():
					default:
						t.Error("the connection is still open after the stream")
					}
				}
			})
			return models.Stream(ctx, &m, req, ai.Options{APIKey: "key", Thinking: ai.ThinkingLow})
		},
	}
}

// MockAnswer is what a mock server sends for a scenario.
func MockAnswer(protocol string, s Scenario) mockllm.Answer {
	hello := mockllm.Text("Hel", "lo, 東", "京 🧭", ".")
	half := mockllm.Text("Half", " an ans")
	a := mockllm.Answer{Delivery: mockllm.Delivery{Chunk: 11}} // cuts lines and characters
	switch s {
	case Plain:
		a.Content = []mockllm.Block{hello}
	case Thoughtful:
		a.Content = []mockllm.Block{mockllm.Thinking("signature", "Let me", " see."), hello}
	case Tools:
		a.Content = []mockllm.Block{
			mockllm.Text("Looking."),
			mockllm.ToolCall("t1", "read", `{"path":`, `"a.txt"}`),
			mockllm.ToolCall("t2", "status"),
		}
	case BadArguments:
		a.Content = []mockllm.Block{mockllm.ToolCall("t1", "read", `{"path":`)}
	case Truncated:
		a.Content = []mockllm.Block{mockllm.ToolCall("t1", "read", `{"path":`, `"a`)}
		a.Stop = "length"
		switch protocol {
		case mockllm.Anthropic, mockllm.Bedrock:
			a.Stop = "max_tokens"
		case mockllm.Google:
			a.Stop = "MAX_TOKENS"
		}
	case Unauthorized:
		return mockllm.Failure(401, "authentication_error", "invalid key")
	case Overloaded:
		return mockllm.Failure(529, "overloaded_error", "Overloaded")
	case FailsMidway:
		a.Content = []mockllm.Block{half}
		a.Error = &mockllm.Error{Type: "overloaded_error", Message: "Overloaded"}
		if protocol == mockllm.Bedrock {
			a.Error.Type = "serviceUnavailableException"
		}
	case CutText, HangsMidway:
		a.Content, a.Model = []mockllm.Block{half}, "-"
		data := mockllm.Stream(protocol, "", a)
		end := lastDelta(protocol, data, " an ans")
		if s == CutText {
			a.Delivery.EndAt = end
			break
		}
		a.Delivery.Hold, a.Delivery.HoldAt = make(chan struct{}), end
	case CutCall:
		a.Content = []mockllm.Block{mockllm.ToolCall("t1", "read", `{"path":`, `"a.txt"}`)}
		a.Model = "-" // so that the stream is the same for all
		a.Delivery.CutAt = lastDelta(protocol, mockllm.Stream(protocol, "", a), `a.txt`)
	case HangsAtOnce:
		a.Delivery.HoldHeader = make(chan struct{})
	}
	return a
}

// lastDelta is the offset behind the event that holds text.
func lastDelta(protocol string, stream []byte, text string) int {
	at := bytes.Index(stream, []byte(text))
	for _, end := range mockllm.EventEnds(protocol, stream) {
		if at >= 0 && end > at {
			return end
		}
	}
	panic("aitest: the mock stream holds no " + text)
}
