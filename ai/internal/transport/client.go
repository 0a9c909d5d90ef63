package transport

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"
)

// mostConnect bounds a connection attempt even without a Connect limit.
const mostConnect = 2 * time.Minute

// Options configure a Client. The zero value is a Client with connections of its
// own, no proxies, and the system's clock and randomness.
type Options struct {
	// HTTP sends the requests instead of a client of our own. Its proxies, its
	// redirects and its connections are its owner's business.
	HTTP *http.Client
	// Env looks up an environment variable ("" for unset) when a proxy is
	// chosen; nil knows none.
	Env func(name string) string

	// Dial makes the connections of our own client instead of a net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// Now, Sleep and Random replace the clock, the wait between tries and the
	// source of jitter, a number in [0,1).
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	Random func() float64
}

// Client sends requests. Make one with New. It is safe for concurrent use.
type Client struct {
	opt  Options
	http *http.Client
	own  *http.Transport // nil with an injected client
}

// New returns a Client. Close it when it is no longer needed.
func New(opt Options) *Client {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Sleep == nil {
		opt.Sleep = sleep
	}
	if opt.Random == nil {
		opt.Random = rand.Float64
	}
	if opt.Dial == nil {
		opt.Dial = (&net.Dialer{Timeout: mostConnect}).DialContext
	}
	c := &Client{opt: opt, http: opt.HTTP}
	if c.http == nil {
		c.own = &http.Transport{
			Proxy:               c.proxy,
			DialContext:         c.dial,
			TLSHandshakeTimeout: mostConnect,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 16,
			IdleConnTimeout:     90 * time.Second,
			ReadBufferSize:      16 << 10,
			// No server has more to say there; net/http would take ten times that.
			MaxResponseHeaderBytes: 1 << 20,
			// A connection that died with the network (a laptop that slept) is
			// noticed by a ping instead of by the idle limit.
			HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
		}
		c.http = &http.Client{Transport: c.own, CheckRedirect: redirect}
	}
	return c
}

type tryKey struct{}

// dial connects for a try and gives up with it. net/http would let a dial that
// hangs go on after its request has ended, in case another could use it.
func (c *Client) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if try, ok := ctx.Value(tryKey{}).(context.Context); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(try, cancel)()
	}
	return c.opt.Dial(ctx, network, addr)
}

// Close ends the connections that are not in use, if they are the Client's own.
// Answers still being read go on.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// HTTPClient returns the client that sends the requests, for what is not plain
// request and answer, such as the handshake of a WebSocket. See WithEnv.
func (c *Client) HTTPClient() *http.Client { return c.http }

// errRedirects says that a server sends requests in circles.
var errRedirects = errors.New("stopped after 10 redirects")

// redirect follows a redirect only where it still says the same and can not carry
// a secret to somebody else: with the same method, and within the same host, or
// without a body and then without our headers.
func redirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errRedirects
	}
	from := via[0].URL
	if req.Method != via[0].Method { // a POST that would go on as a GET
		return http.ErrUseLastResponse
	}
	if strings.EqualFold(req.URL.Host, from.Host) && (req.URL.Scheme == from.Scheme || req.URL.Scheme == "https") {
		return nil
	}
	if first := via[0].Method; first != http.MethodGet && first != http.MethodHead || req.URL.Scheme != "https" && from.Scheme == "https" {
		return http.ErrUseLastResponse
	}
	for name := range req.Header {
		switch name {
		case "Accept", "Accept-Language", "User-Agent", "Range", "If-None-Match", "If-Modified-Since":
		default:
			req.Header.Del(name)
		}
	}
	return nil
}
