package transport

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"
)

// Default limits.
const (
	DefaultConnect = 30 * time.Second
	DefaultHeader  = 10 * time.Minute
	DefaultIdle    = 5 * time.Minute
	// DefaultProgress is above what the slowest models think without a word.
	DefaultProgress = time.Hour
)

// Timeouts bound the parts of a request. A zero field means its default, a
// negative one no limit.
type Timeouts struct {
	Connect time.Duration // until the connection stands, TLS and proxy included; default 30 s
	Header  time.Duration // from then until the status line, sending included; default 10 min
	Idle    time.Duration // for each read of the answer; default 5 min
	Total   time.Duration // all tries, waits and the answer; default no limit
	// Progress bounds the wait between two pieces of the answer, however often the
	// server says that it is alive; see Request.Progress. Default 1 h, or Idle if
	// that is longer, and none if Idle has no limit.
	Progress time.Duration
}

func (t Timeouts) withDefaults() Timeouts {
	limit := func(d, standard time.Duration) time.Duration {
		if d == 0 {
			return standard
		}
		return max(d, 0)
	}
	idle := limit(t.Idle, DefaultIdle)
	progress := max(idle, DefaultProgress)
	if idle == 0 {
		progress = 0
	}
	return Timeouts{limit(t.Connect, DefaultConnect), limit(t.Header, DefaultHeader), idle, limit(t.Total, 0), limit(t.Progress, progress)}
}

// watch bounds the phases of one try before its answer begins. A transport that
// reports nothing (an injected one) is in the header phase all the time.
type watch struct {
	cancel context.CancelCauseFunc
	limits Timeouts

	mu    sync.Mutex
	phase Phase
	timer *time.Timer
	turn  int // counts phases, so that a timer knows whether it is still meant
	done  bool
}

func newWatch(cancel context.CancelCauseFunc, limits Timeouts) *watch {
	w := &watch{cancel: cancel, limits: limits}
	w.enter(PhaseHeader)
	return w
}

// trace has net/http report the phases. It may do so from any goroutine, and
// again for a redirect or a connection that was found dead.
func (w *watch) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { w.enter(PhaseConnect) },
		GotConn: func(httptrace.GotConnInfo) { w.enter(PhaseHeader) },
	})
}

func (w *watch) enter(p Phase) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.done {
		return
	}
	w.stop()
	w.phase = p
	what, limit := "header", w.limits.Header
	if p == PhaseConnect {
		what, limit = "connect", w.limits.Connect
	}
	if limit <= 0 {
		return
	}
	turn := w.turn
	w.timer = time.AfterFunc(limit, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.turn == turn {
			w.cancel(&TimeoutError{What: what, After: limit})
		}
	})
}

func (w *watch) stop() {
	w.turn++
	if w.timer != nil {
		w.timer.Stop()
	}
}

// end stops watching and says in which phase the try was.
func (w *watch) end() Phase {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop()
	w.done = true
	return w.phase
}
