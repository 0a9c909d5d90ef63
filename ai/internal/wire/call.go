package wire

import (
	"io"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
)

// Options gives the options of a protocol that a call has, which may be given as a
// value or as a pointer; the zero T when there are none.
func Options[T any](call *ai.Call) T {
	switch o := call.Options.Protocol.(type) {
	case T:
		return o
	case *T:
		if o != nil {
			return *o
		}
	}
	var none T
	return none
}

// State gives what a conversation keeps for the model of a call, and what returns it.
// When another implementation of the protocol left something else there, the call
// gets a state of its own; see [ai.Conversation.Acquire].
func State[T any](call *ai.Call) (state *T, release func()) {
	held, giveBack := call.Options.Conversation.Acquire(call.Model, func() any { return new(T) })
	if st, ok := held.(*T); ok {
		return st, giveBack
	}
	own := new(T)
	return own, func() {
		if c, ok := any(own).(io.Closer); ok {
			_ = c.Close()
		}
		giveBack()
	}
}

// Oddity notes the first event of a stream that was not understood in full.
type Oddity struct{ noted bool }

// Note puts a diagnosis on the message, the first time.
func (o *Oddity) Note(out *ai.Emitter, problem string, data []byte) {
	if o.noted {
		return
	}
	o.noted = true
	out.Diagnose("unexpected_stream_event", map[string]string{"problem": problem, "event": Clip(data)})
}

// NotJSON is the error for an event that can not be read. One that ends too early was
// cut with the line.
func NotJSON(err error, data []byte) error {
	kind := ai.KindProtocol
	if jsonscan.EndsEarly(err) {
		kind = ai.KindCutStream
	}
	e := ai.Errorf(kind, "the stream holds an event that is not JSON: %v: %s", err, Clip(data))
	e.Phase, e.Err = ai.PhaseStream, err
	return e
}
