package transport

import (
	"context"
	"errors"
	"io"
	"sync"
)

// segments reads a request body that lies in several pieces of memory.
type segments struct {
	rest [][]byte
	at   int // what was read of rest[0]
}

func (s *segments) Read(p []byte) (n int, err error) {
	for n < len(p) && len(s.rest) > 0 {
		m := copy(p[n:], s.rest[0][s.at:])
		n += m
		if s.at += m; s.at == len(s.rest[0]) {
			s.rest, s.at = s.rest[1:], 0
		}
	}
	if n == 0 && len(s.rest) == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (s *segments) Close() error { return nil }

// errClosed is what Read says after Close.
var errClosed = errors.New("read of a closed answer")

// body is an answer's body under the limits of its request.
type body struct {
	rc     io.ReadCloser
	ctx    context.Context // the caller's
	within context.Context // the exchange's, ended by a limit
	end    func()          // releases what the exchange holds
	e      Error           // what an error will say besides its cause

	pace  *Pace
	limit int64
	left  int64

	quit func() bool // stops the watch over within

	mu  sync.Mutex
	err error // what Read says from now on
}

// newBody wraps rc. cancel ends within with a cause; end is called once, when the
// body is read to its end, failed or was closed.
func newBody(ctx, within context.Context, cancel context.CancelCauseFunc, rc io.ReadCloser, pace *Pace, limit int64, e Error, end func()) *body {
	b := &body{rc: rc, ctx: ctx, within: within, e: e, pace: pace, limit: limit, left: limit}
	b.end = func() {
		cancel(errClosed)
		end()
	}
	// Not every body of an injected client notices that its context ended.
	b.quit = context.AfterFunc(within, func() { rc.Close() })
	return b
}

// Read reads from the answer. Every error but io.EOF is an *Error.
func (b *body) Read(p []byte) (int, error) {
	if err := b.state(); err != nil {
		return 0, err
	}
	if b.limit > 0 {
		p = p[:min(int64(len(p)), b.left+1)]
	}
	b.pace.Wait()
	n, err := b.rc.Read(p)
	b.pace.Stop()
	if b.limit > 0 {
		if b.left -= int64(n); b.left < 0 {
			n, err = n-1, &SizeError{Limit: b.limit}
		}
	}
	if err == nil {
		return n, nil
	}
	if err != io.EOF {
		e := b.e
		e.Phase = PhaseBody
		err = failure(b.ctx, b.within, err, &e)
	}
	return n, b.finish(err)
}

// Close releases the connection. It may be called at any time and again, also
// while a Read waits, which then fails.
func (b *body) Close() error {
	b.finish(errClosed)
	return nil
}

func (b *body) state() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// finish ends the body with err, unless it has ended, and returns what it ended
// with.
func (b *body) finish(err error) error {
	b.mu.Lock()
	first := b.err == nil
	if first {
		b.err = err
	}
	err = b.err
	b.mu.Unlock()
	if first {
		b.quit()
		b.rc.Close()
		b.end()
	}
	return err
}
