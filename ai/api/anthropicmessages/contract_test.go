package anthropicmessages_test

import (
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
)

func TestContract(t *testing.T) {
	aitest.Run(t, aitest.OverMock(anthropicmessages.New(), mockllm.Anthropic, testModel()))
}

// testModel is a model that thinks by budget, with prices that are easy to add.
func testModel() *ai.Model {
	return &ai.Model{
		ID: "claude-x", Name: "Claude X", Provider: "anthropic", API: anthropicmessages.ID, BaseURL: "http://mock",
		Reasoning: true, Input: []string{"text", "image"}, ContextWindow: 200_000, MaxTokens: 64_000,
		Cost: ai.Rates{Input: 1, Output: 10, CacheRead: 0.1, CacheWrite: 2},
	}
}
