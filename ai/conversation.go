package ai

import (
	"errors"
	"io"
	"sync"
)

// Conversation keeps what makes the next call of the same conversation
// cheaper: encoded history, sockets, server-side threads, and what was learned
// about a vendor's limits. Its owner passes it in [Options] and closes it when
// the conversation is over.
//
// A Conversation is safe for concurrent use; calls that run at the same time
// do not share state.
type Conversation struct {
	id string

	mu     sync.Mutex
	closed bool
	slots  map[slotKey]*slot
}

type slotKey struct{ api, provider, model string }

type slot struct {
	state any
	busy  bool
}

// NewConversation makes a conversation. The id is the cache and affinity key
// that vendors see; an empty id sends none.
func NewConversation(id string) *Conversation {
	return &Conversation{id: id, slots: make(map[slotKey]*slot)}
}

// ID gives the id, also for a nil conversation (empty).
func (c *Conversation) ID() string {
	if c == nil {
		return ""
	}
	return c.id
}

// Acquire gives an adapter its state for one model, made by fresh at the
// first call, and the function that returns it. While one call holds the
// state, another gets a fresh one that is dropped afterwards; so does a nil or
// closed conversation. States that are an [io.Closer] are closed with the
// conversation, or at release when they were not kept.
func (c *Conversation) Acquire(m *Model, fresh func() any) (state any, release func()) {
	if c == nil {
		return dropped(fresh())
	}
	key := slotKey{m.API, m.Provider, m.ID}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.slots[key]
	switch {
	case c.closed, s != nil && s.busy:
		return dropped(fresh())
	case s == nil:
		s = &slot{state: fresh()}
		c.slots[key] = s
	}
	s.busy = true
	return s.state, func() {
		c.mu.Lock()
		s.busy = false
		drop := c.closed
		c.mu.Unlock()
		if drop {
			closeState(s.state)
		}
	}
}

func dropped(state any) (any, func()) {
	return state, func() { closeState(state) }
}

func closeState(state any) error {
	if c, ok := state.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Close frees everything. State that a running call holds is freed when the
// call ends.
func (c *Conversation) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	var errs []error
	for _, s := range c.slots {
		if !s.busy {
			errs = append(errs, closeState(s.state))
		}
	}
	c.slots = nil
	return errors.Join(errs...)
}
