package transport

import (
	"context"
	"net/http"
)

// DefaultMaxBody caps an answer: far above what any model writes, and low enough
// to end a stream that never would.
const DefaultMaxBody = 512 << 20

// Request is one request. It is only read, and may be sent again.
type Request struct {
	Method string // "" means POST with a body, GET without
	URL    string
	// Headers are merged by BuildHeader, over "Content-Type: application/json" if
	// there is a body. EditHeaders sees the result last.
	Headers     []Headers
	EditHeaders func(http.Header)
	// Body is the concatenation of its segments. They must not change before
	// the answer's body was closed.
	Body [][]byte

	Timeouts Timeouts
	// Progress counts what came of the answer, for the limit of that name: bytes
	// that grow no number are a server that only says that it is alive. It is called
	// by Read of the body. nil never grows.
	Progress func() int64
	Retry    Retry
	// OnWait is called before each wait for another try.
	OnWait func(Wait)

	// MaxBody caps the bytes of the answer, decompressed; 0 means
	// DefaultMaxBody, negative no cap.
	MaxBody int64
	// AllowHTML takes a successful answer that is an HTML page. Otherwise that
	// is an error, as no vendor answers so: it comes from a portal or from a
	// wrong address.
	AllowHTML bool

	// Env wins over the Client's environment when a proxy is chosen. A variable
	// set to "" there means none.
	Env map[string]string
	// HTTP sends this request instead of the Client's own client.
	HTTP *http.Client
}

// Do sends a request and returns an answer with a status of success (200 to 299),
// its body under the request's limits. Every error is an *Error.
func (c *Client) Do(ctx context.Context, r *Request) (*http.Response, error) {
	x, err := c.prepare(r)
	if err != nil {
		return nil, err
	}
	within, cancel := ctx, context.CancelFunc(func() {})
	if x.limits.Total > 0 {
		within, cancel = context.WithTimeoutCause(ctx, x.limits.Total, &TimeoutError{What: "total", After: x.limits.Total})
	}
	for n := 1; ; n++ {
		resp, e := x.try(ctx, within, cancel)
		if e == nil {
			return resp, nil
		}
		e.Attempts = n
		if !e.Retryable || n > r.Retry.Max {
			cancel()
			return nil, e
		}
		if e := x.wait(ctx, within, n, e); e != nil {
			cancel()
			return nil, e
		}
	}
}
