package mistralconversations

import (
	"context"
	"encoding/json"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
)

// ID is the name of the protocol.
const ID = "mistral-conversations"

// Compat says how a model differs; it is the shape of [ai.Model].Compat for this
// protocol. A nil field is false.
type Compat struct {
	// SupportsMidConvoSystemMessages: later system messages stay where they are.
	SupportsMidConvoSystemMessages *bool `json:"supportsMidConvoSystemMessages,omitempty"`
	// SupportsStrictMode: arguments can be made to fit the schema.
	SupportsStrictMode *bool `json:"supportsStrictMode,omitempty"`
}

// Options are what only this protocol has; see [ai.Options].Protocol.
type Options struct {
	// ToolChoice replaces the general tool choice, in the protocol's form.
	ToolChoice json.RawMessage
	// ReasoningEffort replaces the word for the thinking level.
	ReasoningEffort string
	// PromptMode replaces the choice of the prompt mode; "reasoning" is the only
	// one that is known.
	PromptMode string
}

// New gives the protocol. It holds no state and may be shared.
func New() ai.API { return api{} }

type api struct{}

func (api) ID() string { return ID }

// state is what a conversation keeps.
type state struct {
	messages, tools history.Prefix
}

func (api) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	st, release := wire.State[state](call)
	defer release()
	r, err := newRequest(call, st)
	if err != nil {
		return err
	}
	out.Message().ProviderThinkingLevel = r.effort
	url, err := wire.Endpoint(call, "/v1/chat/completions")
	if err != nil {
		return err
	}
	headers := map[string]string{}
	if call.SessionID != "" && call.Options.Cache != ai.CacheNone {
		headers["x-affinity"] = call.SessionID
	}
	d := &decoder{out: out, msg: out.Message(), call: call}
	defer d.settle()
	err = wire.Stream(ctx, out, &wire.Request{
		Call: call, URL: url, Headers: headers, Auth: wire.Bearer(call), Body: r.body,
	}, func(f sse.Frame) (bool, error) { return d.frame(f.Data) })
	if err != nil && !d.complete(err) {
		return err
	}
	return d.end()
}
