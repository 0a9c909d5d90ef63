package ai

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Deferral lets a vendor answer later, usually at a lower price: the answer then
// ends with [StopDeferred] and a handle. A protocol that can not defer answers at
// once.
type Deferral struct {
	// Window is how long the vendor may take, such as "15m", "1h" or "24h"; empty
	// leaves it to the vendor.
	Window string
}

// DeferredHandle names an answer that is to be fetched later. It is stored with
// the message whose StopReason is [StopDeferred], and may be kept for longer than
// the process lives.
type DeferredHandle struct {
	Provider string `json:"provider"`
	Model    string `json:"modelId"`
	API      string `json:"api"`
	// ID is the vendor's name of the answer.
	ID string `json:"id"`
	// ExpiresAt is when the vendor forgets it, in Unix milliseconds; 0 when that is
	// not known.
	ExpiresAt int64 `json:"expiresAt,omitempty"`
	// PollAfterMS is how long to wait before asking, in milliseconds.
	PollAfterMS int64 `json:"pollAfterMs,omitempty"`
	// Data is what else the protocol needs to find it.
	Data json.RawMessage `json:"data,omitempty"`
}

// JSON is the stored form.
func (h DeferredHandle) JSON() json.RawMessage {
	if len(h.Data) > 0 && !json.Valid(h.Data) {
		h.Data = nil
	}
	b, err := json.Marshal(h)
	if err != nil {
		return nil // strings, numbers and checked JSON always encode
	}
	return b
}

// expired reports whether the vendor has forgotten the answer by now.
func (h DeferredHandle) expired(now time.Time) bool {
	return h.ExpiresAt > 0 && now.UnixMilli() >= h.ExpiresAt
}

// DeferredHandle reads the handle of an answer that was deferred. What the handle
// leaves out, the message tells.
func (m *AssistantMessage) DeferredHandle() (DeferredHandle, error) {
	if len(m.Deferred) == 0 {
		return DeferredHandle{}, Errorf(KindBadRequest, "the answer of %s/%s was not deferred (it ended with %q)", m.Provider, m.Model, m.StopReason)
	}
	h := DeferredHandle{Provider: m.Provider, Model: m.Model, API: m.API}
	if err := json.Unmarshal(m.Deferred, &h); err != nil {
		return DeferredHandle{}, Errorf(KindBadRequest, "read the handle of a deferred answer of %s/%s: %w", m.Provider, m.Model, err)
	}
	if h.ID == "" {
		return DeferredHandle{}, Errorf(KindBadRequest, "the handle of a deferred answer of %s/%s has no id", m.Provider, m.Model)
	}
	return h, nil
}

// DeferredAPI is an [API] whose answers may come later.
type DeferredAPI interface {
	API
	// FetchDeferred writes the answer into out, as Stream does. When it is not ready
	// within wait, it sets the stop reason to [StopDeferred] and Deferred to the
	// handle by which to go on. The call has no messages.
	FetchDeferred(ctx context.Context, call *Call, h DeferredHandle, wait time.Duration, out *Emitter) error
	// CancelDeferred gives the answer up. One that is already done or forgotten is no
	// error.
	CancelDeferred(ctx context.Context, call *Call, h DeferredHandle) error
}

// FetchDeferred asks for an answer that was deferred and lets the vendor wait for it
// that long; 0 only looks. An answer that is not ready ends with [StopDeferred] and
// the handle to use from then on. Like Stream it never fails and never panics.
func (m *Models) FetchDeferred(ctx context.Context, h DeferredHandle, wait time.Duration, opts Options) *Stream {
	info := StreamInfo{Now: m.cfg.Now, MaxAnswer: opts.Limits.Answer}
	model, err := m.deferredModel(h)
	if err != nil {
		return FailedStream(ctx, info, err)
	}
	info.Model = model
	return NewStream(ctx, info, func(ctx context.Context, out *Emitter) error {
		ctx, out.watch = m.watch(ctx, spanPoll, model, "")
		if h.expired(m.cfg.Now()) {
			return Errorf(KindNotFound, "the deferred answer %s of %s expired at %s", h.ID, model.Ref(), time.UnixMilli(h.ExpiresAt).UTC().Format(time.RFC3339))
		}
		api, call, err := m.deferredCall(ctx, model, opts)
		if err != nil {
			return err
		}
		out.secrets = call.secrets
		err = api.FetchDeferred(ctx, call, h, wait, out)
		if msg := out.Message(); msg.StopReason == StopDeferred && len(msg.Deferred) == 0 {
			msg.Deferred = h.JSON()
		}
		return err
	})
}

// pollEvery is the wait between two looks when the vendor names none.
const pollEvery = 30 * time.Second

// AwaitDeferred asks until the answer is there, has failed or has expired, or ctx
// ends. Between two looks it waits as long as the vendor asked, else 30 seconds. The
// error is that of [AssistantMessage.Err]; the answer is never nil.
func (m *Models) AwaitDeferred(ctx context.Context, h DeferredHandle, opts Options) (*AssistantMessage, error) {
	for {
		if err := pause(ctx, h.pollAfter()); err != nil {
			info := StreamInfo{Now: m.cfg.Now}
			info.Model, _ = m.deferredModel(h) // without one the answer just names none
			msg := FailedStream(ctx, info, err).Result()
			return msg, msg.Err()
		}
		msg := m.FetchDeferred(ctx, h, 0, opts).Result()
		if msg.StopReason != StopDeferred {
			return msg, msg.Err()
		}
		next, err := msg.DeferredHandle()
		if err != nil {
			return msg, err
		}
		if h = next; h.PollAfterMS <= 0 {
			h.PollAfterMS = pollEvery.Milliseconds()
		}
	}
}

// pollAfter is how long to wait before the next look. What a vendor asks for may be
// beyond what a Duration holds.
func (h DeferredHandle) pollAfter() time.Duration {
	return time.Duration(min(h.PollAfterMS, int64(math.MaxInt64/time.Millisecond))) * time.Millisecond
}

// pause waits, or ends early with the context's error.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// CancelDeferred gives a deferred answer up, so that the vendor need not make it.
func (m *Models) CancelDeferred(ctx context.Context, h DeferredHandle, opts Options) (err error) {
	model, err := m.deferredModel(h)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = &APIError{Kind: KindInternal, Message: fmt.Sprintf("protocol adapter failed: %v", r)}
		}
		if err != nil {
			err = asAPIError(ctx, err, model)
		}
	}()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	api, call, err := m.deferredCall(ctx, model, opts)
	if err != nil {
		return err
	}
	return call.secrets.error(api.CancelDeferred(ctx, call, h))
}

// deferredModel finds the model of a handle, speaking the protocol that it spoke
// when the answer was asked for.
func (m *Models) deferredModel(h DeferredHandle) (*Model, error) {
	if h.ID == "" {
		return nil, Errorf(KindBadRequest, "the handle of a deferred answer has no id")
	}
	model, err := m.Model(h.Provider, h.Model)
	if err != nil {
		return nil, Errorf(KindConfig, "deferred answer %s: %w", h.ID, err)
	}
	if h.API != "" && h.API != model.API {
		then := *model
		then.API = h.API
		model = &then
	}
	return model, nil
}

func (m *Models) deferredCall(ctx context.Context, model *Model, opts Options) (DeferredAPI, *Call, error) {
	p, api, resolved, err := m.open(ctx, model, opts)
	if err != nil {
		return nil, nil, err
	}
	later, ok := api.(DeferredAPI)
	if !ok {
		return nil, nil, Errorf(KindConfig, "the protocol %s of model %s has no deferred answers", api.ID(), model.Ref())
	}
	call, err := m.call(p, model, ThinkingOff, Request{}, opts, resolved)
	return later, call, err
}
