package anthropicmessages

import (
	"encoding/json"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/wire"
)

// Compat says which features a vendor has. It is the shape of
// [ai.Model].Compat for this protocol. A field that is nil or empty has its
// default.
type Compat struct {
	// SupportsEagerToolInputStreaming: tool arguments stream as the model
	// writes them (default true).
	SupportsEagerToolInputStreaming *bool `json:"supportsEagerToolInputStreaming,omitempty"`
	// SupportsLongCacheRetention: prompts can be cached for an hour (true).
	SupportsLongCacheRetention *bool `json:"supportsLongCacheRetention,omitempty"`
	// SendSessionAffinityHeaders: requests of one conversation name it in a
	// header (true on OpenRouter). SessionAffinityFormat "openrouter" chooses
	// that vendor's header.
	SendSessionAffinityHeaders *bool  `json:"sendSessionAffinityHeaders,omitempty"`
	SessionAffinityFormat      string `json:"sessionAffinityFormat,omitempty"`
	// SupportsCacheControlOnTools: the last tool can carry a cache mark (true).
	SupportsCacheControlOnTools *bool `json:"supportsCacheControlOnTools,omitempty"`
	// SupportsTemperature (true).
	SupportsTemperature *bool `json:"supportsTemperature,omitempty"`
	// ForceAdaptiveThinking: the model takes an effort instead of a budget.
	ForceAdaptiveThinking *bool `json:"forceAdaptiveThinking,omitempty"`
	// AllowEmptySignature: thinking without a signature is sent back as thinking
	// instead of text.
	AllowEmptySignature *bool `json:"allowEmptySignature,omitempty"`
	// SupportsStrictTools: tools can ask for arguments sampled to fit.
	SupportsStrictTools *bool `json:"supportsStrictTools,omitempty"`
	// SupportsMidConvoEffort, …SystemMessages, …ToolChanges: effort, system
	// messages and tools can change in the middle of a conversation without
	// losing the cached prompt.
	SupportsMidConvoEffort         *bool `json:"supportsMidConvoEffort,omitempty"`
	SupportsMidConvoSystemMessages *bool `json:"supportsMidConvoSystemMessages,omitempty"`
	SupportsMidConvoToolChanges    *bool `json:"supportsMidConvoToolChanges,omitempty"`
	// SupportsMessageThreads: the vendor keeps a conversation, and a request
	// sends only what is new (true on api.anthropic.com).
	SupportsMessageThreads *bool `json:"supportsMessageThreads,omitempty"`
	// AllowedFallbackModels are models that the vendor may answer with when the
	// one asked for declines.
	AllowedFallbackModels []FallbackModel `json:"allowedFallbackModels,omitempty"`
}

// FallbackModel is a model that may answer instead, and what it costs.
type FallbackModel struct {
	Provider string   `json:"provider,omitempty"`
	Model    string   `json:"model"`
	Cost     ai.Rates `json:"cost"`
}

// traits are the answers to all questions of [Compat] for one model.
type traits struct {
	eager, longCache, affinity, toolCache, temperature bool
	affinityHeader                                     string
	adaptive, emptySignature, strict                   bool
	midEffort, midSystem, midTools, threads            bool
	openRouter                                         bool // serves the model
	fallbacks                                          []FallbackModel
}

func traitsOf(m *ai.Model, baseURL string) (*traits, error) {
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
	openRouter := wire.IsOpenRouter(m.Provider, baseURL)
	t := &traits{
		openRouter:     openRouter,
		eager:          pick(c.SupportsEagerToolInputStreaming, true),
		longCache:      pick(c.SupportsLongCacheRetention, true),
		affinity:       pick(c.SendSessionAffinityHeaders, openRouter),
		affinityHeader: "x-session-affinity",
		toolCache:      pick(c.SupportsCacheControlOnTools, true),
		temperature:    pick(c.SupportsTemperature, true),
		adaptive:       pick(c.ForceAdaptiveThinking, false),
		emptySignature: pick(c.AllowEmptySignature, false),
		strict:         pick(c.SupportsStrictTools, false),
		midEffort:      pick(c.SupportsMidConvoEffort, false),
		midSystem:      pick(c.SupportsMidConvoSystemMessages, false),
		midTools:       pick(c.SupportsMidConvoToolChanges, false),
		threads:        pick(c.SupportsMessageThreads, wire.HostMatches(baseURL, "api.anthropic.com")),
		fallbacks:      c.AllowedFallbackModels,
	}
	switch c.SessionAffinityFormat {
	case "openrouter":
		t.affinityHeader = "x-session-id"
	case "":
		if openRouter {
			t.affinityHeader = "x-session-id"
		}
	default:
		return nil, ai.Errorf(ai.KindConfig, "compat of model %s: unknown sessionAffinityFormat %q; known is %q", m.Ref(), c.SessionAffinityFormat, "openrouter")
	}
	return t, nil
}
