package openaicompletions_test

import (
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/openaicompletions"
)

func TestContract(t *testing.T) {
	t.Parallel()
	aitest.Run(t, aitest.OverMock(openaicompletions.New(), mockllm.Completions, &ai.Model{
		ID: "m", Provider: "p", API: openaicompletions.ID, Reasoning: true, Input: []string{"text"},
	}))
}
