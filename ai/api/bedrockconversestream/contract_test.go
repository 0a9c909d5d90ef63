package bedrockconversestream_test

import (
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/bedrockconversestream"
)

func TestContract(t *testing.T) {
	aitest.Run(t, aitest.OverMock(bedrockconversestream.New(), mockllm.Bedrock, testModel()))
}

// testModel is a model that thinks by budget.
func testModel() *ai.Model {
	return &ai.Model{
		ID: "us.anthropic.claude-sonnet-4-5-20250929-v1:0", Name: "Claude", Provider: "amazon-bedrock", API: bedrockconversestream.ID,
		BaseURL: "https://bedrock-runtime.us-east-1.amazonaws.com", Reasoning: true, Input: []string{"text", "image"},
		ContextWindow: 200_000, MaxTokens: 64_000, Cost: ai.Rates{Input: 1, Output: 10, CacheRead: 0.1, CacheWrite: 2},
	}
}

func keys(context.Context, *ai.Call) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "SECRET", SessionToken: "SESSION"}, nil
}
