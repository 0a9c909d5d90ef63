package models

import (
	"slices"

	"github.com/pi-go/pi/ai"
)

// preferred lists, in order, the model to start with for each provider. A
// provider that may be configured by accident (AWS variables are set for many
// reasons) comes last.
func preferred() [][2]string {
	return [][2]string{
		{"anthropic", "claude-opus-5-5"},
		{"openai", "gpt-6.2-sol"},
		{"azure", "gpt-6.2-sol"},
		{"openai-codex", "gpt-6.2-sol"},
		{"radius", "balanced"},
		{"nvidia", "nvidia/nemotron-3.5-super-vl-120b-a12b"},
		{"deepseek", "deepseek-v4-pro"},
		{"google", "gemini-4-argon"},
		{"google-vertex", "gemini-4-argon"},
		{"github-copilot", "gpt-6.1-sol"},
		{"openrouter", "moonshotai/kimi-k2.7-code"},
		{"vercel-ai-gateway", "zai/glm-5.3"},
		{"xai", "grok-4.7"},
		{"groq", "openai/gpt-oss-120b"},
		{"cerebras", "gpt-oss-120b"},
		{"zai", "glm-5.3"},
		{"zai-coding-cn", "glm-5.3"},
		{"mistral", "devstral-medium-latest"},
		{"minimax", "MiniMax-M3"},
		{"minimax-cn", "MiniMax-M3"},
		{"moonshotai", "kimi-k2.7-code"},
		{"moonshotai-cn", "kimi-k2.7-code"},
		{"huggingface", "moonshotai/Kimi-K2.7-Code"},
		{"fireworks", "accounts/fireworks/models/kimi-k3"},
		{"together", "moonshotai/Kimi-K3"},
		{"baseten", "zai-org/GLM-5.3"},
		{"opencode", "kimi-k2.7-code"},
		{"opencode-go", "kimi-k3.1-pro"},
		{"kimi-coding", "kimi-for-coding"},
		{"meta", "muse-spark-1.3"},
		{"cloudflare-workers-ai", "@cf/moonshotai/kimi-k2.7-code"},
		{"cloudflare-ai-gateway", "workers-ai/@cf/moonshotai/kimi-k2.7-code"},
		{"ant-ling", "Ring-2.6-1T"},
		{"qwen-token-plan", "qwen3.8-max"},
		{"qwen-token-plan-cn", "qwen3.8-max"},
		{"qwen-token-plan-individual", "qwen3.8-max"},
		{"qwen-token-plan-individual-cn", "qwen3.8-max"},
		{"xiaomi", "mimo-v2.6-pro"},
		{"xiaomi-token-plan-cn", "mimo-v2.6-pro"},
		{"xiaomi-token-plan-ams", "mimo-v2.6-pro"},
		{"xiaomi-token-plan-sgp", "mimo-v2.6-pro"},
		{"amazon-bedrock", "us.anthropic.claude-opus-5-5"},
	}
}

// Default chooses the model to start with when nobody said: the saved one if
// its provider is configured, else the first provider of a fixed list that is,
// else the first model available. nil when nothing is available.
func Default(available []*ai.Model, savedProvider, savedModel string) *ai.Model {
	find := func(provider, id string) *ai.Model {
		at := slices.IndexFunc(available, func(m *ai.Model) bool { return m.Provider == provider && m.ID == id })
		if at < 0 {
			return nil
		}
		return available[at]
	}
	if m := find(savedProvider, savedModel); m != nil {
		return m
	}
	for _, p := range preferred() {
		if m := find(p[0], p[1]); m != nil {
			return m
		}
	}
	if len(available) > 0 {
		return available[0]
	}
	return nil
}
