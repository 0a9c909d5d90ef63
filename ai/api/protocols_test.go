package api_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
	"github.com/pi-go/pi/ai/api/azureopenairesponses"
	"github.com/pi-go/pi/ai/api/bedrockconversestream"
	"github.com/pi-go/pi/ai/api/googlegenerativeai"
	"github.com/pi-go/pi/ai/api/googlevertex"
	"github.com/pi-go/pi/ai/api/mistralconversations"
	"github.com/pi-go/pi/ai/api/openaicodexresponses"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/api/openairesponses"
	"github.com/pi-go/pi/ai/api/pimessages"
)

// protocol is one protocol under test, and the dialect in which the mock server
// answers it.
type protocol struct {
	api     ai.API
	mock    string
	model   string
	base    string
	key     string
	options any
	// cannot names what the protocol, or the mock's dialect of it, has no way to
	// express.
	cannot string
	// stops are the vendor's words.
	length, refusal string
}

func protocols() []protocol {
	login := "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"https://api.openai.com/auth":{"chatgpt_account_id":"a"}}`)) + ".s"
	return []protocol{
		{api: anthropicmessages.New(), mock: mockllm.Anthropic, model: "claude-x", base: "http://mock", length: "max_tokens", refusal: "refusal"},
		{api: openaicompletions.New(), mock: mockllm.Completions, model: "m", base: "http://mock/v1", length: "length", refusal: "content_filter"},
		{api: openairesponses.New(), mock: mockllm.Responses, model: "m", base: "http://mock/v1", length: "length", refusal: "content_filter"},
		{api: azureopenairesponses.New(), mock: mockllm.Responses, model: "m", base: "http://mock/v1", length: "length", refusal: "content_filter"},
		{api: openaicodexresponses.New(), mock: mockllm.Responses, model: "m", base: "http://mock/backend-api", key: login, options: openaicodexresponses.Options{Transport: openaicodexresponses.TransportSSE}, length: "length", refusal: "content_filter"},
		{api: googlegenerativeai.New(), mock: mockllm.Google, model: "gemini-3.5-flash", base: "http://mock/v1beta", cannot: "broken arguments", length: "MAX_TOKENS", refusal: "SAFETY"},
		{api: googlevertex.New(), mock: mockllm.Google, model: "gemini-3.5-flash", base: "http://mock", cannot: "broken arguments", length: "MAX_TOKENS", refusal: "SAFETY"},
		{api: bedrockconversestream.New(), mock: mockllm.Bedrock, model: "anthropic.claude-sonnet-4-5", base: "http://mock", length: "max_tokens", refusal: "guardrail_intervened"},
		{api: mistralconversations.New(), mock: mockllm.Mistral, model: "m", base: "http://mock", length: "length", refusal: "content_filter"},
		{api: pimessages.New(), mock: mockllm.PiMessages, model: "m", base: "http://mock", length: "length", refusal: "content_filter: it was declined"},
	}
}

func (p protocol) ai() *ai.Model {
	return &ai.Model{
		ID: p.model, Provider: "at-" + p.api.ID(), API: p.api.ID(), BaseURL: p.base, Reasoning: true, Input: []string{"text", "image"},
		ContextWindow: 200_000, MaxTokens: 32_000, Cost: ai.Rates{Input: 1, Output: 2, CacheRead: 0.5},
	}
}

// line is a protocol with a server behind it.
type line struct {
	p      protocol
	srv    *mockllm.Server
	models *ai.Models
	model  *ai.Model
}

func (p protocol) connect(answers ...mockllm.Answer) *line {
	l := &line{p: p, srv: mockllm.New(), model: p.ai()}
	l.srv.Protocol = p.mock
	l.srv.Queue(answers...)
	l.models = ai.ModelsConfig{HTTPClient: l.srv.Client(), Env: func(string) string { return "" }}.New(
		ai.NewProvider(ai.ProviderConfig{ID: l.model.Provider, Models: []*ai.Model{l.model}, APIs: []ai.API{p.api}}))
	return l
}

func (l *line) options() ai.Options {
	key := l.p.key
	if key == "" {
		key = "key"
	}
	return ai.Options{APIKey: key, Protocol: l.p.options, Thinking: ai.ThinkingLow}
}

func tools() []ai.Tool {
	return []ai.Tool{{Name: "read", Description: "Read."}, {Name: "status", Description: "Say how it goes."}}
}

func (l *line) ask(t testing.TB, messages ...ai.Message) *ai.Stream {
	return l.models.Stream(t.Context(), l.model, ai.Request{System: "Be brief.", Tools: tools(), Messages: messages}, l.options())
}

// outline is an answer without what only its vendor understands.
func outline(m *ai.AssistantMessage) string {
	var b strings.Builder
	for _, block := range m.Content {
		switch c := block.(type) {
		case *ai.Thinking:
			if c.Text != "" {
				fmt.Fprintf(&b, "thinking %q\n", c.Text)
			}
		case *ai.Text:
			fmt.Fprintf(&b, "text %q\n", c.Text)
		case *ai.ToolCall:
			fmt.Fprintf(&b, "call %s %s", c.Name, c.Arguments)
			if c.ArgumentsError != "" {
				b.WriteString(" not runnable")
			}
			if c.ID == "" {
				b.WriteString(" without id")
			}
			b.WriteByte('\n')
		}
	}
	b.WriteString(string(m.StopReason))
	if m.Failure != nil {
		fmt.Fprintf(&b, " %s", m.Failure.Kind)
	}
	return b.String()
}
