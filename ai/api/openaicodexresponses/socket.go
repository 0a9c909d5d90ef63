package openaicodexresponses

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/coder/websocket"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/responses"
	"github.com/pi-go/pi/ai/internal/transport"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

const (
	defaultConnect = 15 * time.Second
	defaultEvent   = 64 << 20
	frameCost      = 16               // bytes that a message counts for besides what it holds
	keepIdle       = 5 * time.Minute  // how long an unused socket is kept
	keepAge        = 45 * time.Minute // the vendor closes sockets after 60
)

// session is what a conversation keeps: the encoded history, the socket, and what
// the vendor remembers on it.
type session struct {
	state    responses.State
	socket   *socket
	httpOnly bool // a WebSocket was tried in vain
}

// Close closes the socket.
func (s *session) Close() error {
	s.drop()
	return nil
}

// drop closes the socket at once: nobody waits for a farewell.
func (s *session) drop() {
	if s.socket != nil {
		_ = s.socket.conn.CloseNow()
		s.socket = nil
	}
}

// socket is an open connection.
type socket struct {
	conn      *websocket.Conn
	key       string // address and account
	born      time.Time
	used      time.Time
	continues continuation
}

// continuation is the last answer on a socket, which a request can continue.
type continuation struct {
	response string // its id; empty when there is none
	head     string // of its request
	units    int    // that its request had
	length   int    // of their items
	sum      uint64 // over them
	seed     maphash.Seed
}

// overSocket sends the request over the conversation's socket, or over a new one,
// and reads the answer. A *transportError means that nothing of an answer came.
func (x *exchange) overSocket(ctx context.Context, out *ai.Emitter) error {
	fresh, whole := false, false
	for range 4 { // each way of failing below leads to one more try
		reused, err := x.connect(ctx, out.Now(), fresh)
		if err != nil {
			return err
		}
		begun, err := x.converse(ctx, out, whole)
		if err == nil {
			return nil
		}
		x.s.drop()
		if begun || ctx.Err() != nil {
			return friendly(err, out.Now())
		}
		var down *transportError
		var api *ai.APIError
		switch {
		case errors.As(err, &down) && reused:
			fresh, whole = true, true // it had been closed since the last turn
		case errors.As(err, &down):
			return err
		case errors.As(err, &api) && api.Code == "previous_response_not_found" && !whole:
			whole = true
		case errors.As(err, &api) && api.Code == "websocket_connection_limit_reached" && !fresh:
			fresh, whole = true, true
		default:
			return friendly(err, out.Now())
		}
	}
	return ai.Errorf(ai.KindProtocol, "the WebSocket refused every form of the request")
}

// connect gives the session an open socket. reused says that it was open before.
func (x *exchange) connect(ctx context.Context, now time.Time, fresh bool) (reused bool, err error) {
	header, err := x.req.Header()
	if err != nil {
		return false, err
	}
	header.Set("OpenAI-Beta", "responses_websockets=2026-02-06")
	key := x.req.URL + " " + header.Get("Authorization") + " " + header.Get("Chatgpt-Account-Id")
	if s := x.s.socket; s != nil {
		if !fresh && s.key == key && now.Sub(s.used) < keepIdle && now.Sub(s.born) < keepAge {
			return true, nil
		}
		x.s.drop()
	}
	limit := x.opts.ConnectTimeout
	if limit == 0 {
		limit = defaultConnect
	}
	dialing := transport.WithEnv(ctx, x.req.Env())
	if limit > 0 {
		var cancel context.CancelFunc
		dialing, cancel = context.WithTimeoutCause(dialing, limit, &transport.TimeoutError{What: "connect", After: limit})
		defer cancel()
	}
	client := x.call.HTTP
	if client == nil {
		own := transport.New(transport.Options{Env: x.call.Env.Lookup})
		defer own.Close()
		client = own.HTTPClient()
	}
	conn, resp, err := websocket.Dial(dialing, x.req.URL, &websocket.DialOptions{HTTPClient: client, HTTPHeader: header})
	if resp != nil && x.call.Options.OnResponse != nil {
		x.call.Options.OnResponse(resp.StatusCode, resp.Header, x.call.Model)
	}
	if err != nil {
		return false, handshakeError(dialing, resp, err)
	}
	event := x.call.Options.Limits.Event
	if event == 0 {
		event = defaultEvent
	}
	conn.SetReadLimit(event)
	x.s.socket = &socket{conn: conn, key: key, born: now, used: now}
	return false, nil
}

// handshakeError tells a vendor that refuses the login from a network that does
// not let WebSockets through.
func handshakeError(ctx context.Context, resp *http.Response, err error) error {
	if resp != nil {
		switch resp.StatusCode {
		case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusTooManyRequests:
			body, readErr := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
			if readErr != nil {
				body = nil
			}
			return ai.ResponseError(resp.StatusCode, resp.Header, body)
		}
	}
	var failed *url.Error
	switch cause := context.Cause(ctx); {
	case cause != nil:
		err = cause
	case errors.As(err, &failed): // its text repeats the address with the query
		err = fmt.Errorf("handshake: %w", failed.Err)
	}
	return &transportError{err}
}

// converse sends the request and reads the answer. begun reports that something of
// it came.
func (x *exchange) converse(ctx context.Context, out *ai.Emitter, whole bool) (begun bool, err error) {
	s := x.s.socket
	frame, err := x.frame(whole)
	if err != nil {
		return false, err
	}
	last := s.continues
	s.continues = continuation{} // until this answer is complete
	if err := x.send(ctx, s.conn, frame); err != nil {
		return false, &transportError{fmt.Errorf("send: %w", err)}
	}
	d := responses.NewDecoder(x.call, out, x.r)
	begun, err = x.read(ctx, out, d)
	if err = d.End(err); err != nil {
		return begun, err
	}
	s.used = out.Now()
	if !out.Stopped() {
		s.continues = x.remember(out.Message().ResponseID, last.seed)
	}
	return begun, nil
}

// send sends a message. The other side may stop taking bytes.
func (x *exchange) send(ctx context.Context, conn *websocket.Conn, frame []byte) error {
	limit := x.call.Options.Timeouts.Header
	if limit == 0 {
		limit = transport.DefaultHeader
	}
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, &transport.TimeoutError{What: "header", After: limit})
		defer cancel()
	}
	err := conn.Write(ctx, websocket.MessageText, frame)
	if err != nil && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	return err
}

// read reads messages until the answer ends.
func (x *exchange) read(ctx context.Context, out *ai.Emitter, d *responses.Decoder) (begun bool, err error) {
	reading, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pace := transport.NewPace(cancel, transport.Timeouts(x.call.Options.Timeouts), out.Sent, out.Now)
	observe := x.call.Options.OnWireEvent
	left := wire.MaxBody(x.call.Options.Limits)
	for {
		pace.Wait()
		_, data, err := x.s.socket.conn.Read(reading)
		pace.Stop()
		if err != nil {
			return begun, x.readError(ctx, reading, begun, err)
		}
		if left -= int64(len(data)) + frameCost; left < 0 {
			return true, &ai.APIError{Kind: ai.KindLimit, Phase: ai.PhaseStream, Message: fmt.Sprintf("the answer is longer than %d bytes", wire.MaxBody(x.call.Options.Limits))}
		}
		if observe != nil && json.Valid(data) {
			observe(json.RawMessage(bytes.Clone(data)), x.call.Model)
		}
		done, err := d.Frame(data)
		begun = begun || len(out.Message().Content) > 0 || out.Message().ResponseID != ""
		if err != nil || done || out.Stopped() {
			return begun, err
		}
	}
}

func (x *exchange) readError(ctx, reading context.Context, begun bool, err error) error {
	var timeout *transport.TimeoutError
	switch {
	case errors.As(context.Cause(reading), &timeout):
		return &ai.APIError{Kind: ai.KindTimeout, Phase: ai.PhaseStream, Message: timeout.Error(), Err: timeout}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case websocket.CloseStatus(err) == websocket.StatusMessageTooBig || errors.Is(err, websocket.ErrMessageTooBig):
		return &ai.APIError{Kind: ai.KindLimit, Phase: ai.PhaseStream, Message: "an event is larger than this client accepts (Limits.Event)", Err: err}
	case !begun:
		return &transportError{err}
	}
	return &ai.APIError{Kind: ai.KindCutStream, Phase: ai.PhaseStream, Message: fmt.Sprintf("websocket closed in the middle of the answer: %v", err), Err: err}
}

// frame is the message that asks: the whole request, or what is new since the
// answer that the vendor remembers.
func (x *exchange) frame(whole bool) ([]byte, error) {
	const kind = `{"type":"response.create",`
	if c := x.s.socket.continues; !whole && x.mayContinue() && x.continues(c) {
		rest, err := x.r.From(c.units + 1)
		if err != nil {
			return nil, err
		}
		head := bytes.TrimSuffix(x.r.Head[1:], []byte(`"input":[`))
		out := append([]byte(kind), head...)
		out = append(out, `"previous_response_id":`...)
		out = append(jsonobj.AppendString(out, c.response), `,"input":[`...)
		return append(append(out, rest...), `]}`...), nil
	}
	body := bytes.Join(x.req.Payload(), nil)
	if len(body) < 2 || body[0] != '{' {
		return nil, ai.Errorf(ai.KindConfig, "OnPayload gave a body that is no JSON object")
	}
	if body[1] == '}' {
		return []byte(`{"type":"response.create"}`), nil
	}
	return append([]byte(kind), body[1:]...), nil
}

// mayContinue reports whether continuing is wanted. A caller who looks at bodies
// is shown whole ones.
func (x *exchange) mayContinue() bool {
	return !x.opts.DisableContinuation && x.opts.Transport != TransportWebSocket && x.call.Options.OnPayload == nil
}

// continues reports whether the request is the remembered one, its answer, and
// more.
func (x *exchange) continues(c continuation) bool {
	if c.response == "" || c.head != string(x.r.Head) || c.units >= len(x.r.Messages) {
		return false
	}
	answer, ok := x.r.Messages[c.units].(*ai.AssistantMessage)
	old := x.r.Input[0]
	return ok && answer.ResponseID == c.response && len(old) >= c.length && maphash.Bytes(c.seed, old[:c.length]) == c.sum
}

// remember notes what the vendor knows after this answer.
func (x *exchange) remember(response string, seed maphash.Seed) continuation {
	if !x.mayContinue() || response == "" {
		return continuation{}
	}
	if seed == (maphash.Seed{}) {
		seed = maphash.MakeSeed()
	}
	old := x.r.Input[0]
	return continuation{
		response: response, head: string(x.r.Head), units: len(x.r.Messages),
		length: len(old), sum: maphash.Bytes(seed, old), seed: seed,
	}
}
