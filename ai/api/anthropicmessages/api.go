package anthropicmessages

import (
	"context"
	"errors"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/claude"
	"github.com/pi-go/pi/ai/internal/wire"
)

// ID is the protocol's name.
const ID = "anthropic-messages"

// New gives the protocol. It holds no state and serves any number of providers.
func New() ai.API { return api{} }

type api struct{}

func (api) ID() string { return ID }

// Stream sends the call and writes the answer.
func (api) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	t, err := traitsOf(call.Model, call.BaseURL)
	if err != nil {
		return err
	}
	st, release := wire.State[state](call)
	defer release()
	r, err := newRequest(call, t, st)
	if err != nil {
		return err
	}
	if err := r.send(ctx, out); err != nil {
		return err
	}
	if r.threads() {
		r.remember(out.Message())
	}
	return nil
}

// send makes the request. Where the vendor refuses a thread or strict tools, the
// request is made once more without them; nothing was answered by then.
func (r *request) send(ctx context.Context, out *ai.Emitter) error {
	thread, from := "", 0
	if r.threads() {
		thread, from = r.continued()
	}
	for {
		body, err := r.body(from, thread)
		if err != nil {
			return err
		}
		d := newDecoder(r, out)
		err = wire.Stream(ctx, out, r.post(body, thread != ""), d.frame)
		if err == nil && !out.Stopped() {
			err = d.end()
		}
		var failed *ai.APIError
		if d.started || !errors.As(err, &failed) {
			return err
		}
		problem := threadFine
		if thread != "" {
			problem = problemOf(failed)
		}
		switch {
		case problem == threadLost && from > 0:
			out.Diagnose("anthropic_thread_fallback", map[string]any{"reason": failed.Message, "retry": "new thread"})
			thread, from = `{"type":"create"}`, 0
		case problem != threadFine:
			out.Diagnose("anthropic_thread_fallback", map[string]any{"reason": failed.Message, "retry": "no thread"})
			r.state.threadsOff = true
			thread, from = "", 0
		case r.encoder.tools.strict && claude.StrictRefused(failed):
			out.Diagnose("anthropic_strict_tools_fallback", map[string]any{"reason": failed.Message})
			r.state.strictOff = true
			if err := r.relax(); err != nil {
				return err
			}
		default:
			return err
		}
	}
}

// relax encodes the tools again, none strict. A tool that must be strict is an
// error then.
func (r *request) relax() error {
	again, err := newRequest(r.call, r.traits, r.state)
	if err == nil {
		*r = *again
	}
	return err
}
