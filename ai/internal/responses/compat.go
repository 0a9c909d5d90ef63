package responses

import (
	"encoding/json"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/wire"
)

// Compat says how a vendor or model differs. It is the shape of
// [ai.Model].Compat for these protocols. A nil or empty field means the default.
type Compat struct {
	// SupportsDeveloperRole (default true): the prompt of a reasoning model has
	// the role "developer", not "system".
	SupportsDeveloperRole *bool `json:"supportsDeveloperRole,omitempty"`
	// SupportsMidConvoSystemMessages (default false): later system messages
	// stay where they are.
	SupportsMidConvoSystemMessages *bool `json:"supportsMidConvoSystemMessages,omitempty"`
	// SessionAffinityFormat is "openai", "openai-nosession" or "openrouter".
	SessionAffinityFormat string `json:"sessionAffinityFormat,omitempty"`
	// PromptCacheKeyMode is "auto", "enabled" or "disabled"; auto sends the key.
	PromptCacheKeyMode string `json:"promptCacheKeyMode,omitempty"`
	// SupportsLongCacheRetention defaults to true.
	SupportsLongCacheRetention *bool `json:"supportsLongCacheRetention,omitempty"`
	// SupportsStrictMode defaults to true for Azure and Codex.
	SupportsStrictMode *bool `json:"supportsStrictMode,omitempty"`
	// SupportsOpenAIGrammarTools (default false): tools under a grammar.
	SupportsOpenAIGrammarTools *bool `json:"supportsOpenAIGrammarTools,omitempty"`
	// SupportsAdditionalTools and SupportsToolSearch (default false): tools can
	// be declared on the way, as items, or as the result of a search.
	SupportsAdditionalTools *bool `json:"supportsAdditionalTools,omitempty"`
	SupportsToolSearch      *bool `json:"supportsToolSearch,omitempty"`
	// SupportsExplicitPromptCacheMode (default false): prompt_cache_options.
	SupportsExplicitPromptCacheMode *bool `json:"supportsExplicitPromptCacheMode,omitempty"`
	// SupportsMidConvoEffort (default false): the effort may change without
	// voiding the prompt cache.
	SupportsMidConvoEffort *bool `json:"supportsMidConvoEffort,omitempty"`
	// SupportsMaxOutputTokens defaults to true.
	SupportsMaxOutputTokens *bool `json:"supportsMaxOutputTokens,omitempty"`
}

// Dialect is what sets the protocols apart.
type Dialect struct {
	// Strict is the default for strict arguments; StrictNull sends null instead
	// of false for tools without.
	Strict, StrictNull bool
	// Retention and ServiceTier say that these members exist.
	Retention, ServiceTier bool
	// MaxTokens says that an output cap exists.
	MaxTokens bool
	// Codex adds what only ChatGPT's back end wants: verbosity, the include in
	// every request, parallel calls and a tool choice, and an effort for off.
	Codex bool
	// Model, if set, is sent instead of the model's id.
	Model string
	// PairedIDs says that calls have an item id behind their own.
	PairedIDs bool
}

// Options are what callers can set for these protocols only.
type Options struct {
	// ReasoningEffort replaces the word for the thinking level.
	ReasoningEffort string
	// ReasoningSummary is "auto" (also when empty), "detailed", "concise", or
	// "off" for none.
	ReasoningSummary string
	// ServiceTier is "auto", "default", "flex" or "priority".
	ServiceTier string
	// ToolChoice replaces the general tool choice, in the protocol's form.
	ToolChoice json.RawMessage
	// TextVerbosity is "low" (also when empty), "medium" or "high"; Codex only.
	TextVerbosity string
}

// traits are the answers to all questions for one call.
type traits struct {
	developerRole, midSystem, longCache, strict, grammar bool
	additionalTools, toolSearch, explicitCache           bool
	midEffort, maxTokens, cacheKey                       bool
	affinity                                             string
	login                                                bool // a ChatGPT login at OpenAI's own address
	noOff, alwaysInclude                                 bool
}

// traitsOf decides all questions for a call.
func traitsOf(call *ai.Call, d *Dialect) (*traits, error) {
	m := call.Model
	var c Compat
	if len(m.Compat) > 0 {
		if err := json.Unmarshal(m.Compat, &c); err != nil {
			return nil, ai.Errorf(ai.KindConfig, "compat of model %s: %w", m.Ref(), err)
		}
	}
	pick := func(set *bool, standard bool) bool {
		if set != nil {
			return *set
		}
		return standard
	}
	t := &traits{
		developerRole:   pick(c.SupportsDeveloperRole, true),
		midSystem:       pick(c.SupportsMidConvoSystemMessages, false),
		longCache:       pick(c.SupportsLongCacheRetention, true),
		strict:          pick(c.SupportsStrictMode, d.Strict),
		grammar:         pick(c.SupportsOpenAIGrammarTools, false),
		additionalTools: pick(c.SupportsAdditionalTools, false),
		toolSearch:      pick(c.SupportsToolSearch, false),
		explicitCache:   pick(c.SupportsExplicitPromptCacheMode, false),
		midEffort:       pick(c.SupportsMidConvoEffort, false),
		maxTokens:       pick(c.SupportsMaxOutputTokens, true) && d.MaxTokens,
		cacheKey:        c.PromptCacheKeyMode != "disabled",
		affinity:        c.SessionAffinityFormat,
		login:           call.Auth.OAuth && !d.Codex && wire.HostMatches(call.BaseURL, "api.openai.com"),
		noOff:           m.Provider == "github-copilot",
		alwaysInclude:   m.Provider == "xai" || d.Codex,
	}
	if t.affinity == "" {
		t.affinity = "openai"
		if m.Provider == "openrouter" || wire.HostMatches(call.BaseURL, "openrouter.ai") {
			t.affinity = "openrouter"
		}
	}
	for _, check := range []struct {
		field, value string
		known        []string
	}{
		{"sessionAffinityFormat", t.affinity, []string{"openai", "openai-nosession", "openrouter"}},
		{"promptCacheKeyMode", c.PromptCacheKeyMode, []string{"", "auto", "enabled", "disabled"}},
	} {
		if !slices.Contains(check.known, check.value) {
			return nil, ai.Errorf(ai.KindConfig, "compat of model %s: unknown %s %q", m.Ref(), check.field, check.value)
		}
	}
	// A login at OpenAI's own address takes none of these.
	if t.login {
		t.maxTokens, t.midEffort = false, false
	}
	return t, nil
}
