package azureopenairesponses

import (
	"context"
	"encoding/json"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/responses"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
)

// ID is the name of the protocol.
const ID = "azure-openai-responses"

// Compat is that of the Responses protocol; here supportsStrictMode is true
// unless it is set.
type Compat = responses.Compat

// Options are what only this protocol has; see [ai.Options].Protocol. An empty
// field leaves the choice to the environment.
type Options struct {
	// ReasoningEffort replaces the word for the thinking level.
	ReasoningEffort string
	// ReasoningSummary is "auto" (also when empty), "detailed", "concise", or
	// "off" for none.
	ReasoningSummary string
	// ToolChoice replaces the general tool choice, in the protocol's form.
	ToolChoice json.RawMessage
	// BaseURL and ResourceName say where the resource is.
	BaseURL      string
	ResourceName string
	// Deployment is the deployment's name.
	Deployment string
	// APIVersion is the version of the interface.
	APIVersion string
}

// New gives the protocol. It holds no state and may be shared.
func New() ai.API { return api{} }

type api struct{}

func (api) ID() string { return ID }

func (api) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	st, release := wire.State[responses.State](call)
	defer release()
	o := wire.Options[Options](call)
	target, err := Locate(call, o)
	if err != nil {
		return err
	}
	r, err := responses.NewRequest(call, &responses.Dialect{
		Strict: true, MaxTokens: true, Model: target.Deployment, PairedIDs: true,
	}, &responses.Options{
		ReasoningEffort: o.ReasoningEffort, ReasoningSummary: o.ReasoningSummary, ToolChoice: o.ToolChoice,
	}, st)
	if err != nil {
		return err
	}
	out.Message().ProviderThinkingLevel = r.Effort
	d := responses.NewDecoder(call, out, r)
	err = wire.Stream(ctx, out, &wire.Request{
		Call: call, URL: target.URL("/responses"), Auth: apiKey(call), Body: r.Body(),
	}, func(f sse.Frame) (bool, error) { return d.Frame(f.Data) })
	return d.End(err)
}

// apiKey carries the key as Azure wants it. Tokens of Entra ID go into the
// Authorization header.
func apiKey(call *ai.Call) map[string]string {
	if call.Auth.APIKey == "" || call.Auth.Bearer || call.Auth.OAuth {
		return wire.Bearer(call)
	}
	return map[string]string{"api-key": call.Auth.APIKey}
}
