package extension

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// How long an extension may go on with what it was asked, once nobody wants it any
// more.
const (
	// grace is what it has after its context has ended.
	grace = 2 * time.Second
	// patience is what it has before its context ends, where nothing else would end it
	// and somebody waits.
	patience = 2 * time.Second
	// busPatience is the same for those that listen to other extensions, which have no
	// context. It is shorter, so that it is not the one they listen to that is left behind.
	busPatience = time.Second
	// farewell is what all of an extension's listeners have to hear that the session
	// ends.
	farewell = 5 * time.Second
)

// LeftBehind is the error of a handler that did not return although its context has
// ended: nobody waits for it any longer, and what it still answers is not used.
type LeftBehind struct {
	// After is how long it was waited for.
	After time.Duration
}

// Error says so.
func (e *LeftBehind) Error() string {
	return fmt.Sprintf("it went on for %v after it was told to stop (its context had ended), and was left behind", e.After)
}

func leftBehind(err error) bool {
	_, is := errors.AsType[*LeftBehind](err)
	return is
}

// waiting is whether somebody waits for handlers that nothing else would end.
type waiting struct {
	mu    sync.Mutex
	count int
	begun chan struct{} // closed while somebody waits
}

// some gives what is closed as soon as somebody waits. The lock is held.
func (w *waiting) some() chan struct{} {
	if w.begun == nil {
		w.begun = make(chan struct{})
	}
	return w.begun
}

// Hurry says that somebody waits for what is under way to end, such as an abort: what
// handlers do that have no end of their own is given one. The returned function takes
// it back.
func (r *Runner) Hurry() (done func()) {
	w := &r.waiting
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count++; w.count == 1 {
		close(w.some())
	}
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.count--; w.count == 0 {
			w.begun = nil
		}
	})
}

// bounded runs code of an extension like contained, on a goroutine of its own, and does
// not wait for it for ever: see [LeftBehind].
func (r *Runner) bounded(ctx context.Context, f func(ctx context.Context) error) error {
	return r.boundedBy(ctx, patience, grace, f)
}

// boundedBy is bounded with other times: before its context ends because somebody waits,
// and after it has ended.
func (r *Runner) boundedBy(ctx context.Context, patience, grace time.Duration, f func(ctx context.Context) error) error {
	var hurry <-chan struct{}
	if ctx.Done() == nil { // nothing else ends it
		r.waiting.mu.Lock()
		hurry = r.waiting.some()
		r.waiting.mu.Unlock()
	}
	own, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- contained(func() error { return f(own) }) }()
	within := func(d time.Duration) (over bool, err error) {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case err = <-done:
			return true, err
		case <-t.C:
			return false, nil
		}
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	case <-hurry:
		if over, err := within(patience); over {
			return err
		}
		cancel()
	}
	if over, err := within(grace); over {
		return err
	}
	return &LeftBehind{cmp.Or(grace, patience)}
}
