package ai

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime/debug"
	"time"
)

// Stream is one answer in the making. Nothing is sent before the first pull
// of [Stream.Events] or a call of [Stream.Result]; the request then runs on
// the caller's goroutine. A Stream belongs to one goroutine.
type Stream struct {
	ctx     context.Context
	cancel  context.CancelFunc
	run     func(context.Context, *Emitter) error
	started bool
	e       Emitter

	thinking ThinkingLevel
	detached *detached // nil unless its adapter may be left behind
}

// StreamInfo is what a new stream needs to know besides its adapter.
type StreamInfo struct {
	Model *Model
	// Thinking is recorded in the answer.
	Thinking ThinkingLevel
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
	// MaxAnswer caps the bytes of content; 0 means 256 MiB.
	MaxAnswer int64
}

// NewStream makes a stream of an adapter: a function that sends one request
// and writes the answer into the emitter. Whatever the adapter does (return an
// error or none, panic, leave blocks open, say no stop reason), the consumer
// sees well-formed events with one terminal event at the end.
//
// Callers of models use [Models.Stream]; NewStream is for providers.
func NewStream(ctx context.Context, info StreamInfo, run func(context.Context, *Emitter) error) *Stream {
	if info.Now == nil {
		info.Now = time.Now
	}
	if info.MaxAnswer == 0 {
		info.MaxAnswer = 256 << 20
	}
	s := &Stream{run: run, ctx: ctx, thinking: info.Thinking}
	s.e.model, s.e.now, s.e.room = info.Model, info.Now, info.MaxAnswer
	s.e.msg.StopReason = StopPending
	s.e.msg.ThinkingLevel = info.Thinking
	if info.Model != nil {
		s.e.msg.API, s.e.msg.Provider, s.e.msg.Model = info.Model.API, info.Model.Provider, info.Model.ID
	}
	return s
}

// Model is the model that is asked, nil if none was chosen.
func (s *Stream) Model() *Model { return s.e.model }

// FailedStream is a stream that ends at once with err.
func FailedStream(ctx context.Context, info StreamInfo, err error) *Stream {
	return NewStream(ctx, info, func(context.Context, *Emitter) error { return err })
}

// Events yields the answer as it arrives and ends with one done or error
// event. It can be ranged once; a second range yields nothing. Leaving the
// loop early closes the connection, and Result is then an aborted answer with
// what came so far.
func (s *Stream) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		if s.started {
			return
		}
		s.started = true
		s.e.yield = yield
		s.begin()
	}
}

// Result gives the whole answer, never nil. It reads what was not consumed
// yet. Look at StopReason, or at Err of the message.
func (s *Stream) Result() *AssistantMessage {
	if !s.started {
		s.started = true
		s.e.yield = func(Event) bool { return true }
		s.begin()
	}
	if s.detached != nil && s.detached.answer != nil {
		return s.detached.answer
	}
	return &s.e.msg
}

func (s *Stream) begin() {
	if s.detached != nil {
		s.driveDetached()
		return
	}
	s.drive()
}

// drive runs the adapter to its end and closes the books.
func (s *Stream) drive() {
	// Not before: a stream that nobody pulls must leave nothing behind in the
	// caller's context.
	s.ctx, s.cancel = context.WithCancel(s.ctx)
	defer s.cancel()
	s.e.stop = s.cancel
	s.e.begin = s.e.now()
	s.e.msg.Timestamp = s.e.begin.UnixMilli()
	settled := false
	defer func() {
		if !settled { // the consumer panicked: leave a well-formed result behind
			s.e.gone = true
			s.e.finish(s.ctx, errors.New("the consumer of the stream panicked"))
		}
	}()
	err := s.guard()
	s.e.finish(s.ctx, err)
	settled = true
}

// guard contains a panic of the adapter; a panic of the consumer's loop body
// is not ours to eat.
func (s *Stream) guard() (err error) {
	defer func() {
		if r := recover(); r != nil {
			if s.e.inBody {
				panic(r)
			}
			if r == any(errAnswerTooLarge) {
				err = errAnswerTooLarge
				return
			}
			err = &APIError{
				Kind: KindInternal, Phase: PhaseStream,
				Message: fmt.Sprintf("protocol adapter failed: %v", r),
				Err:     &panicError{value: r, stack: debug.Stack()},
			}
		}
	}()
	if err := s.ctx.Err(); err != nil {
		return context.Cause(s.ctx)
	}
	return s.run(s.ctx, &s.e)
}

// panicError keeps a recovered panic for logs; its text holds no stack.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }
