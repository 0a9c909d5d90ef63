package googlegenerativeai_test

import (
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/googlegenerativeai"
)

func TestContract(t *testing.T) {
	f := aitest.OverMock(googlegenerativeai.New(), mockllm.Google, testModel())
	// Calls come whole in one chunk: they can be cut or left out, not begun.
	f.Skip = []aitest.Scenario{aitest.CutCall}
	aitest.Run(t, f)
}

func testModel() *ai.Model {
	return &ai.Model{
		ID: "gemini-3.5-flash", Name: "Gemini", Provider: "google", API: googlegenerativeai.ID, BaseURL: "http://mock/v1beta",
		Reasoning: true, Input: []string{"text", "image"}, ContextWindow: 1_000_000, MaxTokens: 64_000,
		Cost: ai.Rates{Input: 1, Output: 10, CacheRead: 0.1},
	}
}
