package mockllm

import (
	"context"
	"io"
	"net/http"
	"sync"
)

// Client gives an HTTP client whose requests reach this server in the
// process, whatever host they name. Each write of the server is one read of
// the client, so chunk boundaries are exact. It works inside
// testing/synctest.
func (s *Server) Client() *http.Client { return &http.Client{Transport: inProcess{s}} }

type inProcess struct{ s *Server }

// RoundTrip runs the handler on a goroutine that ends with the body.
func (t inProcess) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	pr, pw := io.Pipe()
	w := &pipeWriter{header: make(http.Header), body: pw, ready: make(chan struct{})}
	in := req.Clone(ctx)
	if in.Host == "" {
		in.Host = in.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			switch r := recover(); r {
			case nil:
				w.WriteHeader(http.StatusOK)
				_ = pw.Close()
			case any(http.ErrAbortHandler):
				w.drop()
				_ = pw.CloseWithError(io.ErrUnexpectedEOF)
			default:
				panic(r)
			}
		}()
		t.s.ServeHTTP(w, in)
	}()
	body := &pipeBody{PipeReader: pr, cancel: cancel, done: done}
	select {
	case <-w.ready:
	case <-done:
	case <-ctx.Done():
		_ = body.Close()
		return nil, context.Cause(req.Context())
	}
	if w.dropped {
		_ = body.Close()
		return nil, io.EOF
	}
	stop := context.AfterFunc(req.Context(), func() { _ = pr.CloseWithError(context.Cause(req.Context())) })
	body.stop = stop
	return &http.Response{
		StatusCode: w.status, Status: http.StatusText(w.status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.sent, Body: body, ContentLength: -1, Request: req,
	}, nil
}

// pipeBody ends the handler when it is closed.
type pipeBody struct {
	*io.PipeReader
	cancel context.CancelFunc
	stop   func() bool
	done   <-chan struct{}
}

func (b *pipeBody) Close() error {
	if b.stop != nil {
		b.stop()
	}
	b.cancel()
	err := b.PipeReader.Close()
	<-b.done
	return err
}

type pipeWriter struct {
	header http.Header
	body   *io.PipeWriter
	ready  chan struct{}

	once    sync.Once // closes ready
	status  int
	sent    http.Header
	dropped bool // the handler broke the connection before the status
}

func (w *pipeWriter) Header() http.Header { return w.header }
func (w *pipeWriter) Flush()              {}

func (w *pipeWriter) WriteHeader(status int) {
	w.once.Do(func() {
		w.status, w.sent = status, w.header.Clone()
		close(w.ready)
	})
}

func (w *pipeWriter) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if len(b) == 0 {
		return 0, nil
	}
	return w.body.Write(b)
}

// drop ends a response whose status was never sent.
func (w *pipeWriter) drop() {
	w.once.Do(func() {
		w.dropped = true
		close(w.ready)
	})
}
