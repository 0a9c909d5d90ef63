package extension

import (
	"slices"
	"sync"
)

// bus is how extensions of a session talk to one another.
type bus struct {
	mu       sync.Mutex
	channels map[string][]*subscriber
}

type subscriber struct{ f func(data any) }

func (b *bus) on(channel string, f func(data any)) (remove func()) {
	s := &subscriber{f}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.channels == nil {
		b.channels = make(map[string][]*subscriber)
	}
	b.channels[channel] = append(slices.Clone(b.channels[channel]), s)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.channels[channel] = slices.DeleteFunc(slices.Clone(b.channels[channel]), func(o *subscriber) bool { return o == s })
	}
}

func (b *bus) emit(channel string, data any) {
	b.mu.Lock()
	list := b.channels[channel]
	b.mu.Unlock()
	for _, s := range list {
		s.f(data)
	}
}
