package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/transport"
)

// Request is one request of a protocol.
type Request struct {
	Call *ai.Call
	// URL is where to send it.
	URL string
	// Headers are the protocol's own, below those of the credentials; Auth is
	// the header that carries the key, nil when there is none. The headers of
	// the credentials, of the model and of the call come on top, in this order.
	Headers map[string]string
	Auth    map[string]string
	// Body is the concatenation of its segments, one JSON value. They must not
	// change before the answer was read.
	Body [][]byte
	// Encode, if set, replaces the body after the caller has seen it, and names
	// the content encoding.
	Encode func(body [][]byte) (encoded [][]byte, encoding string)
	// Out is where the answer is written as it comes; nil when it comes whole.
	Out *ai.Emitter
	// Final lists statuses that are not worth another try at this vendor.
	Final []int
}

// Bearer carries the key of a call in the Authorization header; nil without a
// key.
func Bearer(call *ai.Call) map[string]string {
	if call.Auth.APIKey == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + call.Auth.APIKey}
}

// Payload gives the body as the caller's hook wants it.
func (r *Request) Payload() [][]byte {
	hook := r.Call.Options.OnPayload
	if hook == nil {
		return r.Body
	}
	payload := bytes.Join(r.Body, nil)
	if other := hook(payload, r.Call.Model); other != nil {
		payload = other
	}
	return [][]byte{payload}
}

// layers are the headers in their order of precedence.
func (r *Request) layers(encoding string) []transport.Headers {
	call := r.Call
	list := []transport.Headers{{Set: identity(call)}, {Set: r.Headers}}
	if encoding != "" {
		list = append(list, transport.Headers{Set: map[string]string{"Content-Encoding": encoding}})
	}
	return append(list,
		transport.Headers{Set: r.Auth},
		transport.Headers{Remove: call.Auth.RemoveHeaders, Set: call.Auth.Headers},
		transport.Headers{Set: call.Model.Headers},
		transport.Headers{Remove: call.Options.RemoveHeaders, Set: call.Options.Headers},
	)
}

// Header gives the headers of a request that does not go through Post, such as
// the handshake of a WebSocket.
func (r *Request) Header() (http.Header, error) {
	h, err := transport.BuildHeader(r.layers("")...)
	if err != nil {
		return nil, &ai.APIError{Kind: ai.KindConfig, Phase: ai.PhaseSetup, Message: err.Error(), Err: err}
	}
	h.Del("Accept")
	if edit := r.Call.Options.TransformHeaders; edit != nil {
		edit(h)
	}
	return h, nil
}

// Env is the environment of the call as far as it was given with it; it wins over
// that of the process when a proxy is chosen.
func (r *Request) Env() map[string]string {
	env := maps.Clone(r.Call.Auth.Env)
	if env == nil {
		return r.Call.Options.Env
	}
	maps.Copy(env, r.Call.Options.Env)
	return env
}

// hopeless reports that trying again can not help, whatever the status says.
func hopeless(e *transport.Error) bool {
	return !ai.ResponseError(e.Status, e.Header, e.Raw).Retryable()
}

// Post sends the request and gives the answer, whose body the caller must
// close. Every error is an *ai.APIError.
func Post(ctx context.Context, r *Request) (*http.Response, error) {
	call := r.Call
	opts := &call.Options
	body, encoding := r.Payload(), ""
	if r.Encode != nil {
		if encoded, name := r.Encode(body); name != "" {
			body, encoding = encoded, name
		}
	}
	client := transport.New(transport.Options{HTTP: call.HTTP, Env: call.Env.Lookup})
	if call.HTTP == nil {
		defer client.Close()
	}
	resp, err := client.Do(ctx, &transport.Request{
		URL: r.URL, Headers: r.layers(encoding), EditHeaders: opts.TransformHeaders, Body: body,
		Timeouts: transport.Timeouts(opts.Timeouts), Progress: r.progress(), Env: r.Env(), MaxBody: MaxBody(opts.Limits),
		Retry:  transport.Retry{Max: opts.MaxRetries, MaxDelay: opts.MaxRetryDelay, Final: r.Final, Refuse: hopeless},
		OnWait: onWait(opts, call),
	})
	if err != nil {
		var failed *transport.Error
		if errors.As(err, &failed) && failed.Status != 0 && opts.OnResponse != nil {
			opts.OnResponse(failed.Status, failed.Header, call.Model)
		}
		return nil, Error(err)
	}
	if opts.OnResponse != nil {
		opts.OnResponse(resp.StatusCode, resp.Header, call.Model)
	}
	return resp, nil
}

// progress counts what the consumer was told of the answer.
func (r *Request) progress() func() int64 {
	if r.Out == nil {
		return nil
	}
	return r.Out.Sent
}

// MaxBody caps the bytes of an answer as it comes: framing takes several times the
// content where deltas are short.
func MaxBody(l ai.Limits) int64 {
	if l.Answer == 0 {
		return transport.DefaultMaxBody
	}
	return max(l.Answer, l.Event) * 64
}

func onWait(opts *ai.Options, call *ai.Call) func(transport.Wait) {
	if opts.OnRetry == nil {
		return nil
	}
	return func(w transport.Wait) {
		opts.OnRetry(ai.Retry{Attempt: w.Attempt, Max: w.Max, Delay: w.Delay, Err: located(Error(w.Err), call)})
	}
}

// located names the provider in an error that does not go through a stream.
func located(e *ai.APIError, call *ai.Call) *ai.APIError {
	e.Provider, e.API = call.Model.Provider, call.Model.API
	return e
}

func identity(call *ai.Call) map[string]string {
	h := map[string]string{"Accept": "text/event-stream"}
	if call.Identity.UserAgent != "" {
		h["User-Agent"] = call.Identity.UserAgent
	}
	setVendorHeaders(h, call)
	return h
}

// Error makes an *ai.APIError of an error of the transport or of reading its
// answer. Cancellation is passed through for the stream to tell.
func Error(err error) *ai.APIError {
	var api *ai.APIError
	if errors.As(err, &api) {
		return api
	}
	var e *transport.Error
	if !errors.As(err, &e) {
		return &ai.APIError{Kind: ai.KindCutStream, Phase: ai.PhaseStream, Message: "read the answer: " + err.Error(), Err: err}
	}
	if e.Phase == transport.PhaseStatus && e.Status >= 400 {
		return statusError(e)
	}
	out := &ai.APIError{Kind: ai.KindNetwork, Status: e.Status, Phase: phase(e.Phase), Message: e.Error(), Err: err, RetryAfter: e.RetryAfter}
	var timeout *transport.TimeoutError
	var size *transport.SizeError
	switch {
	case errors.As(err, &timeout):
		out.Kind = ai.KindTimeout
	case errors.As(err, &size):
		out.Kind = ai.KindLimit
	case errors.Is(err, context.Canceled):
		out.Kind = ai.KindAborted
	case errors.Is(err, context.DeadlineExceeded):
		out.Kind = ai.KindTimeout
	case e.Phase == transport.PhaseRequest:
		out.Kind = ai.KindConfig
	case e.Phase == transport.PhaseStatus:
		out.Kind = ai.KindProtocol // a success that is none, or a redirect
	case e.Phase == transport.PhaseBody:
		out.Kind = ai.KindCutStream
	case !e.Retryable:
		out.Kind = ai.KindConfig // certificates, proxies: they do not mend themselves
	}
	return out
}

func statusError(e *transport.Error) *ai.APIError {
	out := ai.ResponseError(e.Status, e.Header, e.Raw)
	out.Err = e
	if e.RetryAfter > 0 {
		out.RetryAfter = e.RetryAfter.Round(time.Millisecond)
	}
	if e.Err != nil {
		out.Message += " (" + e.Err.Error() + ")"
	}
	return out
}

func phase(p transport.Phase) ai.Phase {
	switch p {
	case transport.PhaseRequest:
		return ai.PhaseSetup
	case transport.PhaseStatus, transport.PhaseWait:
		return ai.PhaseStatus
	case transport.PhaseBody:
		return ai.PhaseStream
	}
	return ai.PhaseConnect
}

// Settings tells apart two calls whose history is encoded differently: it is
// for history.Prefix.
func Settings(m *ai.Model, more string) string {
	b, err := json.Marshal([]string{m.API, m.Provider, m.ID, string(m.Compat), more})
	if err != nil {
		return more // strings always encode
	}
	return string(b)
}
