package openairesponses_test

import (
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/openairesponses"
)

func TestContract(t *testing.T) {
	t.Parallel()
	aitest.Run(t, aitest.OverMock(openairesponses.New(), mockllm.Responses, &ai.Model{
		ID: "m", Provider: "p", API: openairesponses.ID, Reasoning: true, Input: []string{"text"},
	}))
}
