package interactive

import (
	"sync"
	"time"
)

// inOrder does what a person has asked to be kept, one after the other on a
// goroutine of its own: of two changes the later one counts, and the end of the
// program waits for the last.
type inOrder struct {
	mu   sync.Mutex
	work []func()
	idle chan struct{} // closed when all is done; nil while there is nothing to do
}

// add has f done after all that was added before.
func (o *inOrder) add(spawn func(func()), f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.work = append(o.work, f)
	if o.idle == nil {
		o.idle = make(chan struct{})
		spawn(o.run)
	}
}

func (o *inOrder) run() {
	for {
		o.mu.Lock()
		if len(o.work) == 0 {
			close(o.idle)
			o.idle = nil
			o.mu.Unlock()
			return
		}
		f := o.work[0]
		o.work = o.work[1:]
		o.mu.Unlock()
		f()
	}
}

// flush waits until all is done, but not for longer than flushTime.
func (o *inOrder) flush() {
	o.mu.Lock()
	idle := o.idle
	o.mu.Unlock()
	if idle == nil {
		return
	}
	select {
	case <-idle:
	case <-time.After(flushTime):
	}
}
