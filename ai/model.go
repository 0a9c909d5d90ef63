package ai

import "encoding/json"

// ModelType says what a model is for.
type ModelType string

// The model types.
const (
	ModelChat       ModelType = "chat" // also the meaning of an empty type
	ModelImage      ModelType = "image"
	ModelClassifier ModelType = "classifier"
)

// Model is what is known of one model of one provider. Treat it as read-only:
// models are shared.
type Model struct {
	ID   string    `json:"id"` // sent on the wire
	Name string    `json:"name"`
	Type ModelType `json:"type,omitempty"`
	// API is the wire protocol, such as "openai-completions".
	API      string `json:"api"`
	Provider string `json:"provider"`
	// BaseURL may be empty or hold {PLACEHOLDERS} that the provider fills in.
	BaseURL   string   `json:"baseUrl"`
	Reasoning bool     `json:"reasoning"`
	Input     []string `json:"input"` // "text", "image"
	Output    []string `json:"output,omitempty"`
	Cost      Rates    `json:"cost"`
	// ContextWindow and MaxTokens are in tokens; 0 means unknown.
	ContextWindow int64             `json:"contextWindow"`
	MaxTokens     int64             `json:"maxTokens"`
	Headers       map[string]string `json:"headers,omitempty"`
	// Compat holds the flags by which the protocol adapts to this vendor; its
	// shape belongs to the protocol's package.
	Compat json.RawMessage `json:"compat,omitempty"`
	// ThinkingLevels maps a level to the vendor's word for it; nil means that
	// the level is not supported.
	ThinkingLevels map[ThinkingLevel]*string `json:"thinkingLevelMap,omitempty"`
	InputLimits    *InputLimits              `json:"inputLimits,omitempty"`
	PromptCache    *CacheLifetimes           `json:"promptCache,omitempty"`
	// SamplingParams is merged into the request body last, then those of the
	// thinking level, then those of the call.
	SamplingParams                map[string]json.RawMessage                   `json:"samplingParams,omitempty"`
	SamplingParamsByThinkingLevel map[ThinkingLevel]map[string]json.RawMessage `json:"samplingParamsByThinkingLevel,omitempty"`
}

// Rates are prices in US dollars per million tokens.
type Rates struct {
	Input      float64    `json:"input"`
	Output     float64    `json:"output"`
	CacheRead  float64    `json:"cacheRead"`
	CacheWrite float64    `json:"cacheWrite"`
	Tiers      []RateTier `json:"tiers,omitempty"`
}

// RateTier replaces all four rates of a request whose prompt is larger than
// InputAbove tokens.
type RateTier struct {
	InputAbove int64   `json:"inputTokensAbove"`
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// InputLimits are the vendor's limits on what it accepts.
type InputLimits struct {
	MaxRequestBytes int64        `json:"maxRequestBytes,omitempty"`
	Images          *ImageLimits `json:"images,omitempty"`
}

// ImageLimits are the vendor's limits on images.
type ImageLimits struct {
	Resize        *ImageResize `json:"resize,omitempty"`
	MaxPerMessage int          `json:"maxPerMessage,omitempty"`
	MaxPerRequest int          `json:"maxPerRequest,omitempty"`
}

// ImageResize says how large an image may be. MaxBytes counts base64 text.
type ImageResize struct {
	MaxWidth    int   `json:"maxWidth,omitempty"`
	MaxHeight   int   `json:"maxHeight,omitempty"`
	MaxBytes    int64 `json:"maxBytes,omitempty"`
	JPEGQuality int   `json:"jpegQuality,omitempty"`
}

// CacheLifetimes are how long the vendor keeps a cached prompt, in seconds;
// 0 means unknown.
type CacheLifetimes struct {
	Short int64 `json:"short,omitempty"`
	Long  int64 `json:"long,omitempty"`
}

// Ref names the model as "provider/id".
func (m *Model) Ref() string { return m.Provider + "/" + m.ID }

// Accepts reports whether the model takes a kind of input, "text" or "image".
func (m *Model) Accepts(kind string) bool {
	for _, in := range m.Input {
		if in == kind {
			return true
		}
	}
	return false
}

// Same reports whether both are the same model of the same provider.
func (m *Model) Same(o *Model) bool {
	return m != nil && o != nil && m.ID == o.ID && m.Provider == o.Provider && m.kind() == o.kind()
}

// kind is the type, with the meaning of an empty one.
func (m *Model) kind() ModelType {
	if m.Type == "" {
		return ModelChat
	}
	return m.Type
}
