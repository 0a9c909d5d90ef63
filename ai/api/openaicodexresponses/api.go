package openaicodexresponses

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/responses"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
)

// ID is the name of the protocol.
const ID = "openai-codex-responses"

// DefaultBaseURL is where the back end is when the model does not say.
const DefaultBaseURL = "https://chatgpt.com/backend-api"

// Transport says how answers come.
type Transport string

// The transports. An empty one is TransportAuto.
const (
	// TransportAuto tries a WebSocket first.
	TransportAuto Transport = "auto"
	// TransportSSE uses HTTP only.
	TransportSSE Transport = "sse"
	// TransportWebSocket uses a WebSocket only, and sends each request whole.
	TransportWebSocket Transport = "websocket"
	// TransportWebSocketCached uses a WebSocket only, and sends what is new.
	TransportWebSocketCached Transport = "websocket-cached"
)

// Compat is that of the Responses protocol; here supportsStrictMode is true
// unless it is set.
type Compat = responses.Compat

// Options are what only this protocol has; see [ai.Options].Protocol.
type Options struct {
	// ReasoningEffort replaces the word for the thinking level.
	ReasoningEffort string
	// ReasoningSummary is "auto" (also when empty or "on"), "detailed",
	// "concise", or "off" for none.
	ReasoningSummary string
	// ServiceTier is "flex" or "priority"; empty sends none.
	ServiceTier string
	// TextVerbosity is "low" (also when empty), "medium" or "high".
	TextVerbosity string
	// ToolChoice replaces the general tool choice, in the protocol's form.
	ToolChoice json.RawMessage
	Transport  Transport
	// ConnectTimeout bounds the handshake of a WebSocket; 0 means 15 s,
	// negative no limit.
	ConnectTimeout time.Duration
	// DisableContinuation sends each request whole and leaves nothing for the
	// next one to continue.
	DisableContinuation bool
}

// New gives the protocol. It holds no state and may be shared.
func New() ai.API { return api{} }

type api struct{}

func (api) ID() string { return ID }

func (api) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	s, release := wire.State[session](call)
	defer release()
	opts := wire.Options[Options](call)
	x, err := newExchange(call, &opts, s)
	if err != nil {
		return err
	}
	out.Message().ProviderThinkingLevel = x.r.Effort
	switch opts.Transport {
	case "", TransportAuto, TransportWebSocket, TransportWebSocketCached:
	case TransportSSE:
		return x.overHTTP(ctx, out)
	default:
		return ai.Errorf(ai.KindConfig, "unknown transport %q; known are auto, sse, websocket and websocket-cached", opts.Transport)
	}
	auto := opts.Transport == "" || opts.Transport == TransportAuto
	if auto && s.httpOnly {
		return x.overHTTP(ctx, out)
	}
	err = x.overSocket(ctx, out)
	var down *transportError
	if !errors.As(err, &down) || ctx.Err() != nil {
		return err
	}
	if !auto {
		return down.api()
	}
	s.httpOnly = true
	out.Diagnose("provider_transport_failure", map[string]string{"transport": "websocket", "problem": down.Error(), "fallback": "sse"})
	return x.overHTTP(ctx, out)
}

// exchange is one request and its answer.
type exchange struct {
	call *ai.Call
	opts *Options
	s    *session
	r    *responses.Request
	req  *wire.Request
}

func newExchange(call *ai.Call, opts *Options, s *session) (*exchange, error) {
	account, err := accountOf(call)
	if err != nil {
		return nil, err
	}
	at := *call
	if at.BaseURL == "" {
		at.BaseURL = DefaultBaseURL
	}
	url, err := wire.Endpoint(&at, "/codex/responses")
	if err != nil {
		return nil, err
	}
	r, err := responses.NewRequest(&at, &responses.Dialect{
		Strict: true, StrictNull: true, ServiceTier: true, Codex: true, PairedIDs: true,
	}, &responses.Options{
		ReasoningEffort: opts.ReasoningEffort, ReasoningSummary: opts.ReasoningSummary, ServiceTier: opts.ServiceTier,
		TextVerbosity: opts.TextVerbosity, ToolChoice: opts.ToolChoice,
	}, &s.state)
	if err != nil {
		return nil, err
	}
	headers := map[string]string{"originator": "pi", "OpenAI-Beta": "responses=experimental"}
	if id := call.SessionID; id != "" {
		headers["session-id"], headers["x-client-request-id"] = id, id
	}
	auth := wire.Bearer(call)
	if auth != nil {
		auth["chatgpt-account-id"] = account
	}
	return &exchange{call: &at, opts: opts, s: s, r: r, req: &wire.Request{
		Call: &at, URL: url, Headers: headers, Auth: auth, Body: r.Body(),
	}}, nil
}

// overHTTP sends the request as an ordinary one and reads an event stream.
func (x *exchange) overHTTP(ctx context.Context, out *ai.Emitter) error {
	x.req.Encode = compress
	d := responses.NewDecoder(x.call, out, x.r)
	err := wire.Stream(ctx, out, x.req, func(f sse.Frame) (bool, error) { return d.Frame(f.Data) })
	return friendly(d.End(err), out.Now())
}

// transportError says that a WebSocket could not be had, or broke before the
// answer began. The request can be sent another way.
type transportError struct{ err error }

func (e *transportError) Error() string { return e.err.Error() }

func (e *transportError) Unwrap() error { return e.err }

// api is the error for a caller who wants no other way.
func (e *transportError) api() *ai.APIError {
	kind := ai.KindNetwork
	if errors.Is(e.err, context.DeadlineExceeded) {
		kind = ai.KindTimeout
	}
	return &ai.APIError{Kind: kind, Phase: ai.PhaseConnect, Message: fmt.Sprintf("WebSocket error: %v", e.err), Err: e.err}
}
