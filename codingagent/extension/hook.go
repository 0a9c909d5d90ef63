package extension

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
)

// Hook is an event that handlers can answer: E is what happened, R what a
// handler wants of it; a nil answer leaves things as they are. The zero value
// has no handlers.
type Hook[E, R any] struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*handler[E, R]]
}

// Handler answers an event. Handlers are called one at a time, and everything waits
// for them; ctx ends when what happens is aborted. One that does not return within
// two seconds from then is left behind: that is reported ([LeftBehind]), and what it
// answers later is not used. The event is only valid until the handler returns. An
// error or a panic is reported, and counts as no answer unless the event says
// otherwise.
type Handler[E, R any] func(ctx context.Context, x *Context, ev *E) (*R, error)

type handler[E, R any] struct{ f Handler[E, R] }

// Handle adds a handler behind those there are; the returned function removes
// it. A handler that is added or removed while the event is handled takes part,
// or no longer takes part, from the next one on.
func (h *Hook[E, R]) Handle(f Handler[E, R]) (remove func()) {
	own := &handler[E, R]{f}
	h.change(func(list []*handler[E, R]) []*handler[E, R] { return append(list, own) })
	return func() {
		h.change(func(list []*handler[E, R]) []*handler[E, R] {
			return slices.DeleteFunc(list, func(o *handler[E, R]) bool { return o == own })
		})
	}
}

func (h *Hook[E, R]) change(f func([]*handler[E, R]) []*handler[E, R]) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := f(slices.Clone(h.handlers()))
	h.list.Store(&list)
}

// handlers gives the handlers as they are now; the list is never changed.
func (h *Hook[E, R]) handlers() []*handler[E, R] {
	if p := h.list.Load(); p != nil {
		return *p
	}
	return nil
}

// Topic is an event that handlers learn of and can not answer.
type Topic[E any] struct{ hook Hook[E, struct{}] }

// Listener hears of an event. What [Handler] says of goroutines and errors
// holds for it too.
type Listener[E any] func(ctx context.Context, x *Context, ev *E) error

// Listen adds a listener behind those there are; the returned function removes
// it.
func (t *Topic[E]) Listen(f Listener[E]) (remove func()) {
	return t.hook.Handle(func(ctx context.Context, x *Context, ev *E) (*struct{}, error) { return nil, f(ctx, x, ev) })
}
