package transport

import (
	"context"
	"sync/atomic"
	"time"
)

// Pace bounds the waits for the pieces of an answer: Idle for anything to come at
// all, Progress for what counts. The time between two waits is the consumer's and
// counts for neither. Only the limits act from another goroutine; the methods belong
// to the one that reads.
type Pace struct {
	idle, progress time.Duration
	now            func() time.Time
	count          func() int64
	counted        int64
	waited         time.Duration // since count changed
	began          time.Time     // of the wait
	timer          *time.Timer
	exceeded       atomic.Pointer[TimeoutError] // what it means if timer fires
}

// NewPace gives a Pace that ends a context by cancel, with a *TimeoutError as cause.
// count grows whenever the answer has got on; nil means that it never does. Limits of
// 0 take their default as those of a Request.
func NewPace(cancel context.CancelCauseFunc, limits Timeouts, count func() int64, now func() time.Time) *Pace {
	return newPace(cancel, limits.withDefaults(), count, now)
}

func newPace(cancel context.CancelCauseFunc, limits Timeouts, count func() int64, now func() time.Time) *Pace {
	p := &Pace{idle: limits.Idle, progress: limits.Progress, count: count, now: now}
	if count == nil {
		p.count = func() int64 { return 0 }
	}
	if p.idle > 0 || p.progress > 0 {
		p.timer = time.AfterFunc(time.Hour, func() { cancel(p.exceeded.Load()) })
		p.timer.Stop()
	}
	return p
}

// Wait says that waiting for more begins.
func (p *Pace) Wait() {
	if p.timer == nil {
		return
	}
	if n := p.count(); n != p.counted {
		p.counted, p.waited = n, 0
	}
	p.began = p.now()
	limit, means := p.idle, &TimeoutError{What: "idle", After: p.idle}
	if left := p.progress - p.waited; p.progress > 0 && (limit == 0 || left < limit) {
		limit, means = max(left, 0), &TimeoutError{What: "progress", After: p.progress}
	}
	p.exceeded.Store(means)
	p.timer.Reset(limit)
}

// Stop says that waiting is over.
func (p *Pace) Stop() {
	if p.timer != nil {
		p.timer.Stop()
		p.waited += p.now().Sub(p.began)
	}
}
