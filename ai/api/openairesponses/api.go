package openairesponses

import (
	"context"
	"encoding/json"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/responses"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
)

// ID is the name of the protocol.
const ID = "openai-responses"

// Compat says how a vendor or model differs; it is the shape of
// [ai.Model].Compat for this protocol. The fields are named like their members
// in JSON: supportsDeveloperRole (default true), supportsMidConvoSystemMessages,
// sessionAffinityFormat ("openai", "openai-nosession" or "openrouter"),
// promptCacheKeyMode ("auto", "enabled" or "disabled"),
// supportsLongCacheRetention (default true), supportsStrictMode,
// supportsOpenAIGrammarTools, supportsAdditionalTools, supportsToolSearch,
// supportsExplicitPromptCacheMode, supportsMidConvoEffort and
// supportsMaxOutputTokens (default true).
type Compat = responses.Compat

// Options are what only this protocol has; see [ai.Options].Protocol.
type Options struct {
	// ReasoningEffort replaces the word for the thinking level.
	ReasoningEffort string
	// ReasoningSummary is "auto" (also when empty), "detailed", "concise", or
	// "off" for none.
	ReasoningSummary string
	// ServiceTier is "auto", "default", "flex" or "priority"; empty sends none.
	// The answer's cost follows the tier that the vendor used.
	ServiceTier string
	// ToolChoice replaces the general tool choice, in the protocol's form.
	ToolChoice json.RawMessage
}

// New gives the protocol. It holds no state and may be shared.
func New() ai.API { return api{} }

type api struct{}

func (api) ID() string { return ID }

func (api) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	st, release := wire.State[responses.State](call)
	defer release()
	o := wire.Options[Options](call)
	r, err := responses.NewRequest(call, dialect(), &responses.Options{
		ReasoningEffort: o.ReasoningEffort, ReasoningSummary: o.ReasoningSummary, ServiceTier: o.ServiceTier, ToolChoice: o.ToolChoice,
	}, st)
	if err != nil {
		return err
	}
	out.Message().ProviderThinkingLevel = r.Effort
	url, err := wire.Endpoint(call, "/responses")
	if err != nil {
		return err
	}
	d := responses.NewDecoder(call, out, r)
	err = wire.Stream(ctx, out, &wire.Request{
		Call: call, URL: url, Headers: r.AffinityHeaders(), Auth: wire.Bearer(call), Body: r.Body(),
	}, func(f sse.Frame) (bool, error) { return d.Frame(f.Data) })
	return d.End(err)
}

func dialect() *responses.Dialect {
	return &responses.Dialect{Retention: true, ServiceTier: true, MaxTokens: true, PairedIDs: true}
}
