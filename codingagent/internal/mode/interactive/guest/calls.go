package guest

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// How long code of an extension is waited for.
const (
	// patience is how long the screen stands still for it the first time, hurry
	// once it was too slow.
	patience = 250 * time.Millisecond
	hurry    = 10 * time.Millisecond
	// stuckTime is when it is told that it does not come back.
	stuckTime = 5 * time.Second
)

// Host is a program that shows guests. Its functions may be called from any
// goroutine.
type Host struct {
	// Late is called when something is done that was not waited for.
	Late func()
	// Fault learns of what went wrong: what did it, and how.
	Fault func(what string, err error)
	// Run runs f on the program's goroutine, later; it is false when that has ended. It is
	// for [Calls.Ask], nil without that.
	Run func(f func()) bool
}

// Panic is the error of code that panicked.
type Panic struct {
	Value any
	Stack []byte
}

// Error gives the value of the panic.
func (p *Panic) Error() string { return fmt.Sprintf("it panicked: %v", p.Value) }

// Calls runs code of one guest, one call after the other.
type Calls struct {
	host *Host
	what string

	mu      sync.Mutex
	queue   []func()
	running bool
	slow    bool // it was not waited for before
	late    bool // what runs is not waited for any more
	watch   *time.Timer

	asks chan func() // for the host, while it waits
}

// Calls makes a queue of calls; what names the guest in messages.
func (h *Host) Calls(what string) *Calls {
	return &Calls{host: h, what: what, asks: make(chan func())}
}

// Ask runs f on the program's goroutine and waits for it: at once while that waits for
// this guest, else when it is its turn. It is false when the program has ended. Only
// code of guests may call it.
func (c *Calls) Ask(f func()) bool {
	over := make(chan struct{})
	once := sync.OnceFunc(func() {
		defer close(over)
		f()
	})
	if !c.host.Run(once) {
		return false
	}
	select {
	case c.asks <- once:
	case <-over:
	}
	<-over
	return true
}

// Post has f run after all calls before it, and does not wait.
func (c *Calls) Post(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.post(f)
}

func (c *Calls) post(f func()) {
	c.queue = append(c.queue, f)
	if !c.running {
		c.running = true
		go c.run()
	}
}

func (c *Calls) run() {
	for {
		c.mu.Lock()
		if len(c.queue) == 0 {
			c.running = false
			c.mu.Unlock()
			return
		}
		f := c.queue[0]
		c.queue = c.queue[1:]
		c.mu.Unlock()
		if err := Contained(f); err != nil {
			c.host.Fault(c.what, err)
		}
	}
}

// Contained runs f; a panic is an error.
func Contained(f func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{v, debug.Stack()}
		}
	}()
	f()
	return nil
}

// Do runs f and waits for it for a moment. It is false when f is still running;
// then the host is told when it is done. While that is so nothing else is begun:
// Do is false at once. f must not touch what the caller goes on to use.
func (c *Calls) Do(f func()) (done bool) {
	c.mu.Lock()
	if c.late {
		c.mu.Unlock()
		return false
	}
	wait := patience
	if c.slow {
		wait = hurry
	}
	over := make(chan struct{})
	c.post(func() {
		defer c.done(over)
		f()
	})
	c.mu.Unlock()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for waits := true; waits; {
		select {
		case <-over:
			return true
		case f := <-c.asks:
			f()
		case <-timer.C:
			waits = false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-over:
		return true
	default:
	}
	c.slow, c.late = true, true
	c.watch = time.AfterFunc(stuckTime, func() {
		c.host.Fault(c.what, fmt.Errorf("it has not come back for %d seconds, and is not waited for", int(stuckTime.Seconds())))
	})
	return false
}

// done tells that a call is over.
func (c *Calls) done(over chan struct{}) {
	c.mu.Lock()
	close(over)
	late := c.late
	c.late = false
	if c.watch != nil {
		c.watch.Stop()
		c.watch = nil
	}
	c.mu.Unlock()
	if late {
		c.host.Late()
	}
}

// Stuck reports whether a call is not waited for any more.
func (c *Calls) Stuck() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.late
}
