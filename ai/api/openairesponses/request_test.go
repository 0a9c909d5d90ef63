package openairesponses_test

import (
	"encoding/json"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/openairesponses"
)

// What a model thought goes back as it came, and costs follow the tier.
func TestTwoTurns(t *testing.T) {
	t.Parallel()
	srv := mockllm.New()
	srv.Queue(mockllm.Blocks(mockllm.Thinking("secret", "Hm."), mockllm.ToolCall("c1", "read", `{"path":"a"}`)), mockllm.Say("Done."))
	m := &ai.Model{ID: "m", Provider: "p", API: openairesponses.ID, BaseURL: "http://mock/v1", Reasoning: true, Input: []string{"text"}, Cost: ai.Rates{Input: 10}}
	models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(ai.NewProvider(ai.ProviderConfig{ID: "p", Models: []*ai.Model{m}, APIs: []ai.API{openairesponses.New()}}))
	conv := ai.NewConversation("conv")
	defer func() {
		if err := conv.Close(); err != nil {
			t.Error(err)
		}
	}()
	opts := ai.Options{APIKey: "k", Conversation: conv, Thinking: ai.ThinkingHigh, Protocol: openairesponses.Options{ServiceTier: "flex"}}
	messages := []ai.Message{ai.UserText("go")}
	first, err := models.Complete(t.Context(), m, ai.Request{Messages: messages, Tools: []ai.Tool{{Name: "read"}}}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if first.Usage.Cost.Total != 0.005 || first.ProviderThinkingLevel != "high" {
		t.Errorf("cost %v, level %q", first.Usage.Cost.Total, first.ProviderThinkingLevel)
	}
	messages = append(messages, first, &ai.ToolResultMessage{ToolCallID: first.ToolCalls()[0].ID, ToolName: "read", Content: []ai.Block{&ai.Text{Text: "r"}}})
	if _, err := models.Complete(t.Context(), m, ai.Request{Messages: messages, Tools: []ai.Tool{{Name: "read"}}}, opts); err != nil {
		t.Fatal(err)
	}
	r := srv.Requests()[1]
	if r.Header.Get("Authorization") != "Bearer k" || r.Header.Get("session-id") != "conv" || r.URL != "/v1/responses" {
		t.Errorf("%s, headers %v", r.URL, r.Header)
	}
	var body struct {
		Input []struct {
			Type      string `json:"type"`
			ID        string `json:"id"`
			CallID    string `json:"call_id"`
			Encrypted string `json:"encrypted_content"`
		} `json:"input"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	if len(body.Input) != 4 || body.Input[1].Encrypted != "secret" || body.Input[2].ID != "fc_1" || body.Input[2].CallID != "c1" || body.Input[3].CallID != "c1" {
		t.Errorf("input %+v", body.Input)
	}
}
