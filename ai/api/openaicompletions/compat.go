package openaicompletions

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/wire"
)

// Compat says how a vendor differs from OpenAI. It is the shape of
// [ai.Model].Compat for this protocol. A field that is nil or empty is decided
// by the provider's id and the host of the base URL.
type Compat struct {
	SupportsStore                               *bool                      `json:"supportsStore,omitempty"`
	SupportsDeveloperRole                       *bool                      `json:"supportsDeveloperRole,omitempty"`
	SupportsReasoningEffort                     *bool                      `json:"supportsReasoningEffort,omitempty"`
	SupportsUsageInStreaming                    *bool                      `json:"supportsUsageInStreaming,omitempty"`
	SupportsFinishReason                        *bool                      `json:"supportsFinishReason,omitempty"`
	MaxTokensField                              string                     `json:"maxTokensField,omitempty"` // "max_tokens" or "max_completion_tokens"
	RequiresToolResultName                      *bool                      `json:"requiresToolResultName,omitempty"`
	RequiresAssistantAfterToolResult            *bool                      `json:"requiresAssistantAfterToolResult,omitempty"`
	RequiresNonNullAssistantContent             *bool                      `json:"requiresNonNullAssistantContent,omitempty"`
	RequiresToolsWithToolHistory                *bool                      `json:"requiresToolsWithToolHistory,omitempty"`
	RequiresThinkingAsText                      *bool                      `json:"requiresThinkingAsText,omitempty"`
	RequiresReasoningContentOnAssistantMessages *bool                      `json:"requiresReasoningContentOnAssistantMessages,omitempty"`
	ThinkingFormat                              ThinkingFormat             `json:"thinkingFormat,omitempty"`
	ChatTemplateKwargs                          map[string]json.RawMessage `json:"chatTemplateKwargs,omitempty"`
	ChatTemplateArgs                            map[string]json.RawMessage `json:"chatTemplateArgs,omitempty"`
	// OpenRouterRouting goes into the body as "provider".
	OpenRouterRouting json.RawMessage `json:"openRouterRouting,omitempty"`
	// VercelGatewayRouting goes into providerOptions.gateway.
	VercelGatewayRouting *GatewayRouting `json:"vercelGatewayRouting,omitempty"`
	ZaiToolStream        *bool           `json:"zaiToolStream,omitempty"`
	// ThinkingTokenBudgetField is the vendor's field for a budget of thinking
	// tokens: "thinking_token_budget" (vLLM), "thinking_budget" (Qwen, SGLang)
	// or "thinking_budget_tokens" (llama.cpp).
	ThinkingTokenBudgetField string `json:"thinkingTokenBudgetField,omitempty"`
	// SupportsThinkingTokenBudget is another way to name vLLM's field.
	SupportsThinkingTokenBudget    *bool  `json:"supportsThinkingTokenBudget,omitempty"`
	SupportsOpenAIGrammarTools     *bool  `json:"supportsOpenAIGrammarTools,omitempty"`
	SupportsMidConvoSystemMessages *bool  `json:"supportsMidConvoSystemMessages,omitempty"`
	SupportsMidConvoToolAdditions  *bool  `json:"supportsMidConvoToolAdditions,omitempty"`
	SupportsStrictMode             *bool  `json:"supportsStrictMode,omitempty"`
	CacheControlFormat             string `json:"cacheControlFormat,omitempty"` // "anthropic"
	SendSessionAffinityHeaders     *bool  `json:"sendSessionAffinityHeaders,omitempty"`
	// SessionAffinityFormat is "openai", "openai-nosession" or "openrouter".
	SessionAffinityFormat string `json:"sessionAffinityFormat,omitempty"`
	// PromptCacheKeyMode is "auto", "enabled" or "disabled".
	PromptCacheKeyMode         string          `json:"promptCacheKeyMode,omitempty"`
	SupportsLongCacheRetention *bool           `json:"supportsLongCacheRetention,omitempty"`
	VLLMPriority               json.RawMessage `json:"vllmPriority,omitempty"`
}

// GatewayRouting chooses among the vendors behind a gateway.
type GatewayRouting struct {
	Only  []string `json:"only,omitempty"`
	Order []string `json:"order,omitempty"`
}

// traits are the answers to all questions of Compat for one model.
type traits struct {
	store, developerRole, reasoningEffort, usageInStream, finishReason bool
	maxTokensField                                                     string
	resultName, bridge, nonNullContent, emptyTools                     bool
	thinkingAsText, reasoningContent                                   bool
	thinking                                                           ThinkingFormat
	kwargs, args                                                       map[string]json.RawMessage
	routing                                                            json.RawMessage
	gateway                                                            *GatewayRouting
	zaiToolStream                                                      bool
	budgetField                                                        string
	grammar, midSystem, midTools, strict                               bool
	cacheMarkers, affinity                                             bool
	affinityFormat, cacheKeyMode                                       string
	longCache, openAIHost                                              bool
	priority                                                           json.RawMessage
	billedCost                                                         bool   // usage.cost is what the vendor bills
	reasoningAs                                                        string // under which name "reasoning" is sent back
}

// traitsOf decides all questions for a model.
func traitsOf(m *ai.Model, baseURL string) (*traits, error) {
	var c Compat
	if len(m.Compat) > 0 {
		if err := json.Unmarshal(m.Compat, &c); err != nil {
			return nil, ai.Errorf(ai.KindConfig, "compat of model %s: %w", m.Ref(), err)
		}
	}
	v := vendorsOf(m.Provider, baseURL)
	t := &traits{
		store:            pick(c.SupportsStore, !v.any(withoutStore()...)),
		developerRole:    pick(c.SupportsDeveloperRole, v.any(openAI)),
		reasoningEffort:  pick(c.SupportsReasoningEffort, !v.any(withoutEffort()...)),
		usageInStream:    pick(c.SupportsUsageInStreaming, true),
		finishReason:     pick(c.SupportsFinishReason, true),
		maxTokensField:   c.MaxTokensField,
		resultName:       pick(c.RequiresToolResultName, false),
		bridge:           pick(c.RequiresAssistantAfterToolResult, false),
		nonNullContent:   pick(c.RequiresNonNullAssistantContent, false),
		emptyTools:       pick(c.RequiresToolsWithToolHistory, false),
		thinkingAsText:   pick(c.RequiresThinkingAsText, false),
		reasoningContent: pick(c.RequiresReasoningContentOnAssistantMessages, v.any(deepSeek)),
		thinking:         c.ThinkingFormat,
		kwargs:           c.ChatTemplateKwargs,
		args:             c.ChatTemplateArgs,
		routing:          c.OpenRouterRouting,
		gateway:          c.VercelGatewayRouting,
		zaiToolStream:    pick(c.ZaiToolStream, false),
		budgetField:      c.ThinkingTokenBudgetField,
		grammar:          pick(c.SupportsOpenAIGrammarTools, false),
		midSystem:        pick(c.SupportsMidConvoSystemMessages, false),
		midTools:         pick(c.SupportsMidConvoToolAdditions, false),
		strict:           pick(c.SupportsStrictMode, false),
		cacheMarkers:     c.CacheControlFormat == "anthropic",
		affinity:         pick(c.SendSessionAffinityHeaders, v.any(openRouter)),
		affinityFormat:   c.SessionAffinityFormat,
		cacheKeyMode:     c.PromptCacheKeyMode,
		longCache:        pick(c.SupportsLongCacheRetention, !v.any(withoutLongCache()...)),
		openAIHost:       wire.HostMatches(baseURL, "api.openai.com"),
		priority:         c.VLLMPriority,
		billedCost:       v.any(openRouter),
		reasoningAs:      "reasoning",
	}
	if t.maxTokensField == "" {
		t.maxTokensField = "max_completion_tokens"
		if v.any(withMaxTokens()...) {
			t.maxTokensField = "max_tokens"
		}
	}
	if t.thinking == "" {
		t.thinking = v.thinkingFormat()
	}
	if !t.thinking.known() {
		return nil, ai.Errorf(ai.KindConfig, "compat of model %s: unknown thinkingFormat %q; known are %s", m.Ref(), t.thinking, joined(thinkingFormats()))
	}
	if t.budgetField == "" && pick(c.SupportsThinkingTokenBudget, false) {
		t.budgetField = "thinking_token_budget"
	}
	if c.CacheControlFormat == "" {
		t.cacheMarkers = m.Provider == "openrouter" && len(m.ID) > len("anthropic/") && m.ID[:len("anthropic/")] == "anthropic/"
	}
	if t.affinityFormat == "" {
		t.affinityFormat = "openai"
		if v.any(openRouter) {
			t.affinityFormat = "openrouter"
		}
	}
	if v.any(openCodeGo) {
		t.reasoningAs = "reasoning_content"
	}
	for _, check := range []struct {
		field, value string
		known        []string
	}{
		{"maxTokensField", t.maxTokensField, []string{"max_tokens", "max_completion_tokens"}},
		{"sessionAffinityFormat", t.affinityFormat, []string{"openai", "openai-nosession", "openrouter"}},
		{"promptCacheKeyMode", t.cacheKeyMode, []string{"", "auto", "enabled", "disabled"}},
		{"thinkingTokenBudgetField", t.budgetField, []string{"", "thinking_token_budget", "thinking_budget", "thinking_budget_tokens"}},
	} {
		if !slices.Contains(check.known, check.value) {
			return nil, ai.Errorf(ai.KindConfig, "compat of model %s: unknown %s %q; known are %s", m.Ref(), check.field, check.value, joined(check.known))
		}
	}
	return t, nil
}

func pick(set *bool, detected bool) bool {
	if set != nil {
		return *set
	}
	return detected
}

func joined[S ~string](names []S) string {
	var out string
	for _, n := range names {
		if n == "" {
			continue
		}
		if out != "" {
			out += ", "
		}
		out += fmt.Sprintf("%q", string(n))
	}
	return out
}
