package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// loopback receives the callback of a browser on this machine.
type loopback struct {
	path  string
	state string // "" checks none
	// arrived gets the code; the page then waits for the outcome.
	arrived chan string
	outcome chan error
	quit    chan struct{} // the login is over

	listener net.Listener
	server   *http.Server
	serving  sync.WaitGroup

	mu      sync.Mutex
	handled bool
}

// listen starts to listen on a port of the loopback interface; anyPort takes
// another one when it is in use.
func (m *method) listen(ctx context.Context, port int, anyPort bool, path, state string) (*loopback, error) {
	host := m.Env.Lookup("PI_OAUTH_CALLBACK_HOST")
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil && anyPort {
		l, err = new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, fmt.Errorf("wait for the browser on port %d: %w; another login may be running", port, err)
	}
	lo := &loopback{path: path, state: state, listener: l, arrived: make(chan string), outcome: make(chan error, 1), quit: make(chan struct{})}
	lo.server = &http.Server{Handler: lo, ReadHeaderTimeout: 10 * time.Second}
	lo.serving.Go(func() {
		_ = lo.server.Serve(l) // http.ErrServerClosed
	})
	return lo, nil
}

// port is the one it listens on.
func (l *loopback) port() int {
	if a, ok := l.listener.Addr().(*net.TCPAddr); ok {
		return a.Port
	}
	return 0
}

// close stops listening, after the page has been sent.
func (l *loopback) close() {
	close(l.quit)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := l.server.Shutdown(ctx); err != nil {
		_ = l.server.Close()
	}
	l.serving.Wait()
}

// ServeHTTP takes the callback: 404 for another path, 400 without a code or with a
// wrong state, 409 the second time, then 200 or 502 as the exchange went.
func (l *loopback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	switch {
	case r.URL.Path != l.path:
		page(w, http.StatusNotFound, "There is nothing here.")
		return
	case l.state != "" && subtle.ConstantTimeCompare([]byte(q.Get("state")), []byte(l.state)) != 1:
		page(w, http.StatusBadRequest, "This page does not belong to the login that is running.")
		return
	case q.Get("code") == "":
		text := "The vendor sent no code."
		if q.Get("error") != "" {
			text = "The vendor refused: " + q.Get("error") + " " + q.Get("error_description")
		}
		page(w, http.StatusBadRequest, text)
		return
	}
	l.mu.Lock()
	again := l.handled
	l.handled = true
	l.mu.Unlock()
	if again {
		page(w, http.StatusConflict, "This login was completed already.")
		return
	}
	select {
	case l.arrived <- q.Get("code"):
		l.answer(w, <-l.outcome)
	case <-l.quit:
		page(w, http.StatusConflict, "This login is over.")
	case <-r.Context().Done():
	}
}

// answer tells how the exchange went. Who takes a code always says.
func (l *loopback) answer(w http.ResponseWriter, err error) {
	if err != nil {
		page(w, http.StatusBadGateway, "Signing in failed: "+err.Error())
		return
	}
	page(w, http.StatusOK, "You are signed in. You can close this page.")
}

func page(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("Connection", "close")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!doctype html><meta charset=utf-8><title>Sign in</title><body style=\"font:1.2em sans-serif;margin:4em\"><p>%s</p>", html.EscapeString(text))
}

var errNoCode = errors.New("that holds no code")
