package harness

import (
	"context"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/pi-go/pi/agentcore"
)

// bus delivers events to listeners, one event at a time.
type bus struct {
	mu         sync.Mutex
	free       *sync.Cond
	listeners  []*subscription
	delivering bool
	later      []agentcore.Event
	// delivered counts events that all listeners have heard; waiters wait in
	// heard for it to grow.
	delivered uint64
	heard     *sync.Cond
	waiters   int
	// onPanic learns of panics of listeners; nil drops their stacks.
	onPanic func(*agentcore.PanicError)
}

// call calls a listener; a panic is an error of it.
func (b *bus) call(ctx context.Context, l agentcore.Listener, ev agentcore.Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p := &agentcore.PanicError{In: "listener", Value: v, Stack: debug.Stack()}
			tellPanic(b.onPanic, p)
			err = &Error{Code: CodeListener, Err: p}
		}
	}()
	if err := l(ctx, ev); err != nil {
		return &Error{Code: CodeListener, Err: err}
	}
	return nil
}

type subscription struct{ f agentcore.Listener }

func (b *bus) subscribe(l agentcore.Listener) func() {
	s := &subscription{l}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listeners = append(slices.Clip(b.listeners), s)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.listeners = slices.DeleteFunc(slices.Clone(b.listeners), func(o *subscription) bool { return o == s })
	}
}

// send delivers an event of the run: it waits for its turn, and gives the
// first error of a listener.
func (b *bus) send(ctx context.Context, ev agentcore.Event) error {
	b.mu.Lock()
	if b.free == nil {
		b.free = sync.NewCond(&b.mu)
	}
	for b.delivering {
		b.free.Wait()
	}
	return b.deliver(ctx, ev)
}

// post delivers an event that may come from any goroutine, a listener's
// included: while another event is being delivered it comes right after it.
func (b *bus) post(ctx context.Context, ev agentcore.Event) {
	b.mu.Lock()
	if b.free == nil {
		b.free = sync.NewCond(&b.mu)
	}
	if b.delivering {
		b.later = append(b.later, ev)
		b.mu.Unlock()
		return
	}
	// What a listener has to say against it concerns no run.
	_ = b.deliver(ctx, ev)
}

// drained waits until the events that were posted so far, and the one that is
// being delivered, have been heard.
func (b *bus) drained() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.delivering {
		return
	}
	if b.heard == nil {
		b.heard = sync.NewCond(&b.mu)
	}
	b.waiters++
	for until := b.delivered + 1 + uint64(len(b.later)); b.delivering && b.delivered < until; {
		b.heard.Wait()
	}
	b.waiters--
}

// deliver is called with the lock held and returns without it.
func (b *bus) deliver(ctx context.Context, ev agentcore.Event) error {
	b.delivering = true
	var first error
	for {
		listeners := b.listeners
		b.mu.Unlock()
		for _, l := range listeners {
			if err := b.call(ctx, l.f, ev); err != nil && first == nil {
				first = err
			}
		}
		b.mu.Lock()
		b.delivered++
		if b.waiters > 0 {
			b.heard.Broadcast()
		}
		if len(b.later) == 0 {
			break
		}
		ev = b.later[0]
		b.later = b.later[1:]
	}
	b.delivering = false
	if b.waiters > 0 {
		b.heard.Broadcast()
	}
	b.free.Signal()
	b.mu.Unlock()
	return first
}
