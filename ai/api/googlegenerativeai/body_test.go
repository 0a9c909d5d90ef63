package googlegenerativeai_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/googlegenerativeai"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func client(srv *mockllm.Server, model *ai.Model) *ai.Models {
	p := ai.NewProvider(ai.ProviderConfig{ID: model.Provider, Models: []*ai.Model{model}, APIs: []ai.API{googlegenerativeai.New()}})
	return ai.ModelsConfig{HTTPClient: srv.Client()}.New(p)
}

func send(t *testing.T, model *ai.Model, req ai.Request, opts ai.Options) *mockllm.Request {
	t.Helper()
	srv := mockllm.New()
	srv.Queue(mockllm.Say("ok"))
	opts.APIKey = "key"
	if m := client(srv, model).Stream(t.Context(), model, req, opts).Result(); m.Err() != nil {
		t.Fatal(m.Err())
	}
	return srv.Requests()[0]
}

func named(id string) *ai.Model {
	m := *testModel()
	m.ID = id
	return &m
}

func fullHistory(model string) []ai.Message {
	answer := func(blocks ...ai.Block) *ai.AssistantMessage {
		return &ai.AssistantMessage{API: googlegenerativeai.ID, Provider: "google", Model: model, StopReason: ai.StopToolUse, Content: blocks}
	}
	image := &ai.Image{Data: "aW1n", MIMEType: "image/png"}
	return []ai.Message{
		&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "Look <here>"}, image}},
		answer(
			&ai.Thinking{Text: "Hm.", Signature: "c2lnbg=="}, &ai.Thinking{Text: "", Signature: "not base64"},
			&ai.Text{Text: "", Signature: "dGV4dA=="}, &ai.Text{Text: "Looking."},
			&ai.ToolCall{ID: "t 1", Name: "read", Arguments: json.RawMessage(`{"path":"a.txt", "n":1.50}`), ThoughtSignature: "Y2FsbA=="},
			&ai.ToolCall{ID: "t2", Name: "shot", Arguments: json.RawMessage(`{}`), ThoughtSignature: "bad"},
		),
		&ai.ToolResultMessage{ToolCallID: "t 1", ToolName: "read", Content: []ai.Block{&ai.Text{Text: "one"}, &ai.Text{Text: "two"}}},
		&ai.ToolResultMessage{ToolCallID: "t2", ToolName: "shot", IsError: true, Content: []ai.Block{image}},
		&ai.AssistantMessage{API: "x", Provider: "other", Model: "y", StopReason: ai.StopEnd, Content: []ai.Block{&ai.Thinking{Text: "foreign"}, &ai.Text{Text: "Done.", Signature: "c2lnbg=="}}},
		ai.UserText("Thanks."),
	}
}

func TestBodies(t *testing.T) {
	temperature := 0.5
	tool := ai.Tool{
		Name: "read", Description: "Read a file.", Sampling: ai.StrictPreferred(),
		Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"mode":{"type":"string","const":"r"}},"required":["path"]}`),
	}
	loose := ai.Tool{Name: "ls", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"anyOf":[{"const":1},{"const":"x"},{"const":null}],"default":{"const":2}}}}`)}
	hello := []ai.Message{ai.UserText("Hello")}
	capital := "minimal"
	levels := named("gemini-4-neon")
	levels.ThinkingLevels = map[ai.ThinkingLevel]*string{ai.ThinkingOff: nil, ai.ThinkingMinimal: &capital}
	for _, tt := range []struct {
		name  string
		model *ai.Model
		req   ai.Request
		opts  ai.Options
	}{
		{"plain", testModel(), ai.Request{System: "Be kind.", Messages: hello}, ai.Options{Temperature: &temperature, MaxTokens: 100}},
		{"history", testModel(), ai.Request{Tools: []ai.Tool{tool, loose}, Messages: fullHistory("gemini-3.5-flash")}, ai.Options{Thinking: ai.ThinkingHigh}},
		{"history-older-model", named("gemini-2.5-pro"), ai.Request{Tools: []ai.Tool{tool}, Messages: fullHistory("gemini-2.5-pro")}, ai.Options{Thinking: ai.ThinkingMinimal}},
		{"level-of-the-catalog", levels, ai.Request{Messages: hello}, ai.Options{Thinking: ai.ThinkingOff}},
		{"budget-by-caller", named("gemini-2.5-flash-lite"), ai.Request{Messages: hello}, ai.Options{Thinking: ai.ThinkingLow, ThinkingBudgets: ai.ThinkingBudgets{ai.ThinkingLow: 77}}},
		{"budget-lite", named("gemini-2.5-flash-lite"), ai.Request{Messages: hello}, ai.Options{Thinking: ai.ThinkingMinimal}},
		{"budget-dynamic", named("gemini-2.0-thinking-exp"), ai.Request{Messages: hello}, ai.Options{Thinking: ai.ThinkingLow}},
		{"tool-choice", testModel(), ai.Request{Tools: []ai.Tool{loose}, Messages: hello}, ai.Options{ToolChoice: "ls"}},
		{"tool-choice-none", testModel(), ai.Request{Tools: []ai.Tool{tool}, Messages: hello}, ai.Options{ToolChoice: ai.ToolChoiceNone}},
		{"tool-choice-auto", named("gemini-2.5-pro"), ai.Request{Tools: []ai.Tool{tool}, Messages: hello}, ai.Options{ToolChoice: ai.ToolChoiceAuto}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := send(t, tt.model, tt.req, tt.opts)
			if r.Header.Get("x-goog-api-key") != "key" || r.Header.Get("x-goog-api-client") != "" || r.Header.Get("Authorization") != "" {
				t.Errorf("headers %v", r.Header)
			}
			var b bytes.Buffer
			fmt.Fprintf(&b, "// %s %s\n", r.Method, r.URL)
			if err := json.Indent(&b, r.Body, "", "  "); err != nil {
				t.Fatalf("the body is not JSON: %v\n%s", err, r.Body)
			}
			b.WriteByte('\n')
			path := filepath.Join("testdata", "bodies", tt.name+".json")
			if *update {
				if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), b.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

// The same conversation gives the same bytes whether or not history is kept.
func TestStableBytes(t *testing.T) {
	m := testModel()
	messages := fullHistory(m.ID)
	kept := ai.NewConversation("c")
	defer kept.Close()
	for n := 1; n <= len(messages); n++ {
		req := ai.Request{System: "Be kind.", Messages: messages[:n]}
		fresh := string(send(t, m, req, ai.Options{}).Body)
		for range 2 {
			if again := string(send(t, m, req, ai.Options{Conversation: kept}).Body); again != fresh {
				t.Fatalf("%d messages, without and with kept history:\n%s\n%s", n, fresh, again)
			}
		}
	}
}

func TestRefusedRequests(t *testing.T) {
	must := ai.Tool{Name: "a", Sampling: &ai.ConstrainedSampling{Type: ai.SamplingJSONSchema, Strict: "require"}}
	hello := []ai.Message{ai.UserText("x")}
	for says, try := range map[string]struct {
		model *ai.Model
		req   ai.Request
	}{
		"the model does not support that": {named("gemini-2.5-pro"), ai.Request{Tools: []ai.Tool{must}, Messages: hello}},
		"nothing to send":                 {testModel(), ai.Request{System: "x"}},
	} {
		m := client(mockllm.New(), try.model).Stream(t.Context(), try.model, try.req, ai.Options{APIKey: "k"}).Result()
		if m.StopReason != ai.StopError || !strings.Contains(m.ErrorMessage, says) {
			t.Errorf("%s: %s %q", says, m.StopReason, m.ErrorMessage)
		}
	}
}
