package faux

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/pi-go/pi/ai"
)

// Response is one scripted answer: its steps in order, then how it ends.
type Response struct {
	Steps []Step
	// Stop is how it ends. Empty means ai.StopToolUse when there was a tool
	// call, else ai.StopEnd.
	Stop ai.StopReason
	// Usage is what it reports. nil means an estimate of request and answer,
	// priced at the model's rates.
	Usage *ai.Usage
	// ResponseID and ResponseModel are reported when set.
	ResponseID    string
	ResponseModel string
	// Deferred is the handle of an answer to fetch later; it makes Stop
	// ai.StopDeferred unless set. See also [Later].
	Deferred json.RawMessage
}

// Later is a response that is deferred under this id. The responses that are queued
// by then answer whoever fetches it (see [ai.Models.FetchDeferred]), one a look;
// pollAfter is the wait that the handle asks for.
func Later(id string, pollAfter time.Duration) Response {
	handle, err := json.Marshal(map[string]any{"id": id, "pollAfterMs": pollAfter.Milliseconds()})
	if err != nil {
		return Failure(err) // a text and a number always encode
	}
	return Response{Deferred: handle}
}

// Step is one thing an answer does. An error ends the answer with it.
type Step func(ctx context.Context, w *Writer) error

// Writer is what a [Step] writes with.
type Writer struct {
	// Emitter is the stream's; a step may use it directly.
	Emitter *ai.Emitter
	// Call is the request being answered.
	Call *ai.Call

	p *Provider
}

// Say is a response of one text.
func Say(text string) Response { return Response{Steps: []Step{Text(text)}} }

// Calls is a response of tool calls (or any other steps).
func Calls(steps ...Step) Response { return Response{Steps: steps} }

// Failure is a response that fails before anything was said.
func Failure(err error) Response { return Response{Steps: []Step{Fail(err)}} }

// Text writes a text block.
func Text(text string) Step {
	return func(ctx context.Context, w *Writer) error { return w.Stream(ctx, w.Emitter.Text(), text) }
}

// Thinking writes a thinking block; an empty signature is left out.
func Thinking(text, signature string) Step {
	return func(ctx context.Context, w *Writer) error {
		b := w.Emitter.Thinking()
		b.SetSignature(signature)
		return w.Stream(ctx, b, text)
	}
}

// Call writes a tool call with the next free id ("call_1", …). The arguments
// are encoded as JSON; a json.RawMessage or string is sent as it is, broken or
// not.
func Call(name string, arguments any) Step { return CallID("", name, arguments) }

// CallID is [Call] with a chosen id.
func CallID(id, name string, arguments any) Step {
	return func(ctx context.Context, w *Writer) error {
		text, err := argumentText(arguments)
		if err != nil {
			return fmt.Errorf("encode arguments of scripted call %s: %w", name, err)
		}
		if id == "" {
			id = w.p.callID()
		}
		return w.Stream(ctx, w.Emitter.ToolCall(id, name), text)
	}
}

func argumentText(arguments any) (string, error) {
	switch a := arguments.(type) {
	case nil:
		return "", nil
	case string:
		return a, nil
	case json.RawMessage:
		return string(a), nil
	}
	b, err := json.Marshal(arguments)
	return string(b), err
}

// Partial writes the beginning of a block and leaves it open: follow it with
// [Fail], [Cut] or [Wait] to break off an answer in the middle. kind is
// ai.BlockText, ai.BlockThinking or ai.BlockToolCall (a call of the tool
// "partial").
func Partial(kind ai.BlockType, text string) Step {
	return func(ctx context.Context, w *Writer) error {
		switch kind {
		case ai.BlockThinking:
			return w.pieces(ctx, w.Emitter.Thinking(), text)
		case ai.BlockToolCall:
			return w.pieces(ctx, w.Emitter.ToolCall(w.p.callID(), "partial"), text)
		}
		return w.pieces(ctx, w.Emitter.Text(), text)
	}
}

// Fail ends the answer with an error; an *ai.APIError keeps its kind.
func Fail(err error) Step {
	return func(context.Context, *Writer) error { return err }
}

// Cut ends the answer as a broken connection does.
func Cut() Step { return Fail(ai.Errorf(ai.KindCutStream, "the stream ended before the answer did")) }

// Wait pauses until release is closed (or sent to) or the request is
// cancelled.
func Wait(release <-chan struct{}) Step {
	return func(ctx context.Context, _ *Writer) error {
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Hang pauses until the request is cancelled.
func Hang() Step { return Wait(nil) }

// Pause waits for a time, by the provider's clock.
func Pause(d time.Duration) Step {
	return func(ctx context.Context, w *Writer) error { return w.p.cfg.Sleep(ctx, d) }
}

// Do runs f, to look or signal in the middle of an answer.
func Do(f func()) Step {
	return func(context.Context, *Writer) error {
		f()
		return nil
	}
}

// Stream writes text into a block piece by piece and ends the block.
func (w *Writer) Stream(ctx context.Context, b *ai.BlockWriter, text string) error {
	if err := w.pieces(ctx, b, text); err != nil {
		return err
	}
	b.End()
	return nil
}

func (w *Writer) pieces(ctx context.Context, b *ai.BlockWriter, text string) error {
	for len(text) > 0 {
		if err := w.p.cfg.Sleep(ctx, w.p.cfg.Delay); err != nil {
			return err
		}
		n := pieceLen(text, w.p.cfg.Chunk)
		b.Append(text[:n])
		text = text[n:]
	}
	return ctx.Err()
}

// pieceLen is the length in bytes of the first runes characters of text.
func pieceLen(text string, runes int) int {
	if runes < 0 {
		return len(text)
	}
	n := 0
	for range runes {
		if n == len(text) {
			break
		}
		_, size := utf8.DecodeRuneInString(text[n:])
		n += size
	}
	return n
}

// play runs the steps and closes the answer.
func (r Response) play(ctx context.Context, p *Provider, call *ai.Call, out *ai.Emitter) error {
	w := &Writer{Emitter: out, Call: call, p: p}
	m := out.Message()
	m.ResponseID, m.ResponseModel, m.Deferred = r.ResponseID, r.ResponseModel, r.Deferred
	for _, step := range r.Steps {
		if err := step(ctx, w); err != nil {
			m.Usage = r.usage(call, m)
			return err
		}
	}
	out.Start()
	m.Usage = r.usage(call, m)
	switch {
	case r.Stop != "":
		m.StopReason = r.Stop
	case len(r.Deferred) > 0:
		m.StopReason = ai.StopDeferred
	case len(m.ToolCalls()) > 0:
		m.StopReason = ai.StopToolUse
	default:
		m.StopReason = ai.StopEnd
	}
	if m.StopReason == ai.StopError || m.StopReason == ai.StopAborted {
		return ai.Errorf(ai.KindServer, "scripted stop reason %q", m.StopReason)
	}
	return nil
}

func (r Response) usage(call *ai.Call, m *ai.AssistantMessage) ai.Usage {
	if r.Usage != nil {
		return *r.Usage
	}
	u := ai.Usage{}
	for _, msg := range call.Messages {
		u.Input += ai.EstimateMessage(msg)
	}
	u.Output = ai.EstimateMessage(m)
	return u
}
