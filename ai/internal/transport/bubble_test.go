package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// bubble runs a test in a synctest bubble: time is fake, and a goroutine that is
// still there at the end fails the test, so each of these tests is a leak check.
// The server is a real http.Server and the Client's connections are its own, over
// net.Pipe.
func bubble(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, c *Client)) {
	t.Helper()
	bubbleWith(t, Options{Random: func() float64 { return 0 }}, handler, test)
}

func bubbleWith(t *testing.T, opt Options, handler http.HandlerFunc, test func(t *testing.T, c *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		var handlers sync.WaitGroup // srv.Close does not wait for them
		handlers.Add(1)             // so that it is not zero while they begin
		srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			handlers.Add(1)
			defer handlers.Done()
			handler(w, r)
		})}
		served := make(chan error)
		go func() { served <- srv.Serve(l) }()
		if opt.Dial == nil {
			opt.Dial = l.dial
		}
		c := New(opt)
		test(t, c)
		c.Close()
		srv.Close()
		<-served
		handlers.Done()
		handlers.Wait()
	})
}

const base = "http://api.test/v1"

type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

// roundTripper is a transport that reports no phases.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
	}
	return f(r)
}

func fake(f roundTripper, opt Options) *Client {
	opt.HTTP = &http.Client{Transport: f}
	if opt.Random == nil {
		opt.Random = func() float64 { return 0 }
	}
	return New(opt)
}

func answer(status int, body string, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// typed returns err as an *Error and fails the test when it is none.
func typed(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want an *Error", err, err)
	}
	return e
}

func readAll(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
