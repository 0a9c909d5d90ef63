package ai

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrorKind sorts failures by what a caller can do about them.
type ErrorKind string

// The kinds of failure.
const (
	KindUnknown    ErrorKind = "unknown"     // nothing better is known; not retried
	KindConfig     ErrorKind = "config"      // no such provider, model, protocol or option
	KindAuth       ErrorKind = "auth"        // no key, or the vendor refused it
	KindBilling    ErrorKind = "billing"     // plan, quota or balance used up; waiting does not help
	KindRateLimit  ErrorKind = "rate_limit"  // too many requests; wait
	KindOverloaded ErrorKind = "overloaded"  // the vendor is busy; wait
	KindServer     ErrorKind = "server"      // the vendor failed
	KindNetwork    ErrorKind = "network"     // the vendor was not reached, or the line broke
	KindTimeout    ErrorKind = "timeout"     // nothing came for too long
	KindCutStream  ErrorKind = "cut_stream"  // the answer began and its end never came
	KindOverflow   ErrorKind = "overflow"    // the conversation is larger than the model's window
	KindBadRequest ErrorKind = "bad_request" // the vendor did not accept the request
	KindNotFound   ErrorKind = "not_found"   // the vendor does not know the model or path
	KindRefusal    ErrorKind = "refusal"     // the model or a safety filter declined
	KindProtocol   ErrorKind = "protocol"    // the vendor sent what its protocol does not allow
	KindLimit      ErrorKind = "limit"       // the answer exceeded a limit of this client
	KindAborted    ErrorKind = "aborted"     // the caller cancelled
	KindInternal   ErrorKind = "internal"    // a fault of this program, contained
)

// Phase says how far a request had come when it failed.
type Phase string

// The phases of a request.
const (
	PhaseSetup   Phase = "setup"   // before anything was sent
	PhaseConnect Phase = "connect" // sending, and waiting for the status line
	PhaseStatus  Phase = "status"  // the vendor answered with an error status
	PhaseStream  Phase = "stream"  // while the answer streamed
)

// APIError is a failed request. Its Kind, not its text, says what can be done.
type APIError struct {
	Kind     ErrorKind
	Status   int    // HTTP status, 0 when there was none
	Code     string // the vendor's own code or type, if any
	Phase    Phase
	Provider string
	API      string
	// RetryAfter is the wait the vendor asked for, 0 when it did not.
	RetryAfter time.Duration
	// Message is for people: what happened, and what to do where that is known.
	Message string
	// Body is the vendor's error body, at most 4000 characters.
	Body string
	// Err is the cause; its text is part of Message already.
	Err error
}

// Error gives the message for people.
func (e *APIError) Error() string {
	if e.Message != "" {
		return e.Message
	}
	if e.Err != nil {
		return e.Err.Error()
	}
	return string(e.Kind)
}

// Unwrap gives the cause.
func (e *APIError) Unwrap() error { return e.Err }

// Is makes an aborted request match [context.Canceled].
func (e *APIError) Is(target error) bool {
	return target == context.Canceled && e.Kind == KindAborted
}

// Retryable reports whether the same request may succeed a little later.
func (e *APIError) Retryable() bool {
	switch e.Kind {
	case KindRateLimit, KindOverloaded, KindServer, KindNetwork, KindTimeout, KindCutStream:
		return true
	}
	return false
}

// Errorf makes an APIError of a kind; %w keeps a cause.
func Errorf(kind ErrorKind, format string, args ...any) *APIError {
	err := fmt.Errorf(format, args...)
	return &APIError{Kind: kind, Message: err.Error(), Err: errors.Unwrap(err)}
}

// asAPIError turns whatever an adapter returned into a typed error.
func asAPIError(ctx context.Context, err error, model *Model) *APIError {
	var api *APIError
	cause := context.Cause(ctx)
	switch {
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) && !errors.Is(cause, context.DeadlineExceeded):
		api = &APIError{Kind: KindAborted, Message: "request was aborted", Err: err}
	case errors.As(err, &api):
		api = new(*api)
	case errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil:
		api = &APIError{Kind: KindTimeout, Message: "deadline exceeded: " + err.Error(), Err: err}
	case errors.Is(err, context.Canceled):
		api = &APIError{Kind: KindAborted, Message: "request was aborted", Err: err}
	default:
		api = &APIError{Kind: KindUnknown, Message: strings.TrimSpace(err.Error()), Err: err}
	}
	if model != nil {
		if api.Provider == "" {
			api.Provider = model.Provider
		}
		if api.API == "" {
			api.API = model.API
		}
	}
	return api
}
