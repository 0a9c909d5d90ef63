package transport

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// DefaultMaxDelay caps the wait a server may ask for.
const DefaultMaxDelay = 60 * time.Second

const (
	firstDelay = 500 * time.Millisecond
	lastDelay  = 8 * time.Second
	jitter     = 0.25 // at most this part of a delay is taken off
)

// Retry says how often a request that failed before its answer began is sent
// again. The zero value means never.
type Retry struct {
	Max int // tries after the first
	// MaxDelay caps the wait a server may ask for; a longer one fails at once.
	// 0 means DefaultMaxDelay, negative no cap.
	MaxDelay time.Duration
	// Final lists statuses that are not worth a retry at this vendor although
	// they usually are. The header x-should-retry still decides.
	Final []int
	// Refuse says of a failed answer that it is not worth a retry although its
	// status is, because of what its body says. nil refuses none, and the header
	// x-should-retry still decides.
	Refuse func(*Error) bool
}

// Wait describes a wait that is about to begin.
type Wait struct {
	Attempt int // of the coming try, from 1
	Max     int
	Delay   time.Duration
	Asked   bool // the server asked for this delay
	Err     *Error
}

// retryable reports whether a status is worth another try.
func (r Retry) retryable(status int, h http.Header) bool {
	switch strings.ToLower(strings.TrimSpace(h.Get("X-Should-Retry"))) {
	case "true":
		return true
	case "false":
		return false
	}
	if slices.Contains(r.Final, status) {
		return false
	}
	return status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooManyRequests || status >= 500
}

// delay returns the wait before try n, counted from 1 for the first retry, and
// whether the server asked for it. It is an error when that is above the cap.
func (r Retry) delay(n int, e *Error, random float64) (d time.Duration, asked bool, err error) {
	if e.RetryAfter > 0 {
		limit := r.MaxDelay
		if limit == 0 {
			limit = DefaultMaxDelay
		}
		if limit > 0 && e.RetryAfter > limit {
			return 0, true, fmt.Errorf("the server asks to wait %v before the next try, longer than the limit of %v", e.RetryAfter, limit)
		}
		return e.RetryAfter, true, nil
	}
	d = min(firstDelay<<min(n-1, 10), lastDelay)
	return d - time.Duration(float64(d)*jitter*random), false, nil
}

// retryAfter returns the wait a server asks for: retry-after-ms, or retry-after in
// seconds or as a date. A date is taken relative to the server's own clock, if it
// tells that; ours may be wrong. It is 0 when there is none, or none in the future.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	value := h.Get("Retry-After")
	if d, ok := number(value, time.Second); ok {
		return d
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return max(at.Sub(now), 0)
}

// number reads a count of units, fractions allowed.
func number(s string, unit time.Duration) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || f != f {
		return 0, false
	}
	const most = 100 * 365 * 24 * time.Hour
	return time.Duration(min(max(f, 0)*float64(unit), float64(most))), true
}

// sleep waits for d or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
