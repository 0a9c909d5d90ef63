package ai

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Detach has the adapter run on a goroutine of its own that is not waited for without
// end: when it goes on for longer than grace after the context has ended, or the reader
// has left, the stream ends as an aborted answer with what was received, and the adapter
// is left behind. left, if not nil, is told of that, on the reader's goroutine; what the
// adapter does from then on has no effect. Until then the adapter and the reader take
// turns, as ever. It is for providers that nobody vouches for, and must be called before
// the stream is read; the result is s.
func (s *Stream) Detach(grace time.Duration, left func()) *Stream {
	s.detached = &detached{grace: grace, left: left}
	return s
}

// detached is what a stream needs whose adapter may be left behind.
type detached struct {
	grace time.Duration
	left  func()
	// answer is the answer when the adapter was left behind, nil otherwise.
	answer *AssistantMessage
	// received are the texts of the blocks so far.
	received []*receivedBlock
}

type receivedBlock struct {
	kind EventType // that of its start
	text strings.Builder
}

// note keeps what an event brings. The message of the event is the adapter's, and can
// not be looked at any more when that is left behind.
func (d *detached) note(ev Event) {
	switch ev.Type {
	case EventTextStart, EventThinkingStart, EventToolCallStart:
		for len(d.received) <= ev.Index {
			d.received = append(d.received, &receivedBlock{})
		}
		d.received[ev.Index].kind = ev.Type
	case EventTextDelta, EventThinkingDelta:
		if ev.Index < len(d.received) {
			d.received[ev.Index].text.WriteString(ev.Delta)
		}
	}
}

// blocks are the texts that were received. Calls are left out: none is whole for certain.
func (d *detached) blocks() []Block {
	var out []Block
	for _, b := range d.received {
		switch {
		case b.text.Len() == 0:
		case b.kind == EventTextStart:
			out = append(out, &Text{Text: b.text.String()})
		case b.kind == EventThinkingStart:
			out = append(out, &Thinking{Text: b.text.String()})
		}
	}
	return out
}

// driveDetached is drive with the adapter on a goroutine of its own.
func (s *Stream) driveDetached() {
	yield := s.e.yield
	events, more := make(chan Event), make(chan bool)
	over, gone := make(chan struct{}), make(chan struct{})
	settled := false
	s.e.yield = func(ev Event) bool {
		select {
		case events <- ev:
		case <-gone:
			return false
		}
		select {
		case ok := <-more:
			return ok
		case <-gone:
			return false
		}
	}
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	begin := s.e.now()
	stopped := ctx.Done()
	s.ctx = ctx
	defer func() {
		close(gone)
		if !settled { // the reader panicked, and the adapter may go on
			s.abandoned(ctx, begin, nil, errors.New("the consumer of the stream panicked"))
		}
	}()
	go func() {
		defer close(over)
		s.drive()
	}()
	var late <-chan time.Time
	left := false
	for {
		select {
		case ev := <-events:
			s.detached.note(ev)
			ok := left || yield(ev)
			if !ok {
				left = true
				cancel() // the adapter has to end now, in time
			}
			more <- ok
		case <-over:
			settled = true
			return
		case <-stopped:
			stopped = nil
			timer := time.NewTimer(s.detached.grace)
			defer timer.Stop()
			late = timer.C
		case <-late:
			settled = true
			if left {
				yield = nil
			}
			s.abandoned(ctx, begin, yield, fmt.Errorf("the provider went on after it was told to stop, and was left behind: %w", context.Cause(ctx)))
			if s.detached.left != nil {
				s.detached.left()
			}
			return
		}
	}
}

// abandoned ends a stream whose adapter is not waited for; without yield nobody reads.
func (s *Stream) abandoned(ctx context.Context, begin time.Time, yield func(Event) bool, err error) {
	d := s.detached
	e := &Emitter{yield: yield, model: s.e.model, now: s.e.now, begin: begin, gone: yield == nil}
	e.msg = AssistantMessage{ThinkingLevel: s.thinking, Timestamp: begin.UnixMilli(), Content: d.blocks()}
	if e.model != nil {
		e.msg.API, e.msg.Provider, e.msg.Model = e.model.API, e.model.Provider, e.model.ID
	}
	d.answer = &e.msg
	e.finish(ctx, err)
}
