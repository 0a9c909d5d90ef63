package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

// CallbackHostVariable is the environment variable with the address to listen at
// instead of 127.0.0.1, for programs whose loopback is not the browser's.
const CallbackHostVariable = "PI_OAUTH_CALLBACK_HOST"

// Callback says where a browser comes back to.
type Callback struct {
	// Port is where to listen; 0 means any free port.
	Port int
	// AnyPort takes any free port when Port is taken; otherwise that is an error.
	AnyPort bool
	Path    string // such as "/callback"
	// Host is the host in the redirect address; empty means the one that is
	// listened at.
	Host string
	// WithoutState is for vendors that do not send a state back. Path must then
	// be one that nobody can guess.
	WithoutState bool
}

// Answer is what a browser brought.
type Answer struct {
	// Query has a code, or an error.
	Query url.Values
	// done gets the outcome, for the page that the browser waits for.
	done chan error
}

// Done says how it went, for the page that the browser shows. Call it once.
func (a Answer) Done(err error) { a.done <- err }

// Err says why the vendor did not sign the person in; nil if it did.
func (a Answer) Err() error { return refusal(a.Query) }

// Listener waits on this machine for a browser to come back. [Browser] makes its own;
// this is for a protocol whose requests something else makes.
type Listener struct {
	cb       Callback
	redirect string
	server   *http.Server
	served   chan error
	answers  chan Answer
	quit     chan struct{} // closed when the login is over

	mu    sync.Mutex
	state string // of the login; "" takes no answer
	taken bool   // an answer was accepted; there is only one
}

// Redirect is the address that the browser is to be sent to.
func (l *Listener) Redirect() string { return l.redirect }

// Expect says which login is answered: what a browser brings with another state is
// refused.
func (l *Listener) Expect(state string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = state
}

// Answers gives the one answer that is taken; see [Answer.Done].
func (l *Listener) Answers() <-chan Answer { return l.answers }

// mine reports whether a state is that of the login.
func (l *Listener) mine(state string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cb.WithoutState || l.state != "" && subtle.ConstantTimeCompare([]byte(state), []byte(l.state)) == 1
}

// Listen starts to listen, at the host that [CallbackHostVariable] names in h. Say what
// is expected, see [Listener.Expect], and close the listener.
func Listen(ctx context.Context, h auth.Host, cb Callback) (*Listener, error) {
	host := h.Env.Lookup(CallbackHostVariable)
	if host == "" {
		host = "127.0.0.1"
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(cb.Port)))
	if err != nil && cb.Port != 0 && cb.AnyPort {
		l, err = config.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return nil, fmt.Errorf("the vendor sends the browser back to port %d of this machine, and another program uses it (maybe another login): end that one and try again", cb.Port)
		}
		return nil, fmt.Errorf("listen for the browser at %s: %w", net.JoinHostPort(host, strconv.Itoa(cb.Port)), err)
	}
	shown := cb.Host
	if shown == "" {
		shown = host
	}
	port := l.Addr().(*net.TCPAddr).Port
	s := &Listener{
		cb: cb, served: make(chan error, 1), answers: make(chan Answer), quit: make(chan struct{}),
		redirect: "http://" + net.JoinHostPort(shown, strconv.Itoa(port)) + cb.Path,
	}
	s.server = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	go func() { s.served <- s.server.Serve(l) }()
	return s, nil
}

// Close ends the listener. A page that is being sent is finished first.
func (l *Listener) Close() {
	l.take() // what still comes is too late
	close(l.quit)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		l.server.Close()
	}
	<-l.served
}

// take claims the one answer; false when there was one already.
func (l *Listener) take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.taken
	l.taken = true
	return first
}

// ServeHTTP answers the browser. What is no answer to this login changes nothing:
// any page can send a browser here.
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != l.cb.Path || r.Method != http.MethodGet {
		page(w, http.StatusNotFound, "Not found", "There is nothing here.")
		return
	}
	q := r.URL.Query()
	if !l.mine(q.Get("state")) {
		page(w, http.StatusBadRequest, "Not this login", "This answer does not belong to the login that is waiting. Start the login again.")
		return
	}
	if q.Get("code") == "" && q.Get("error") == "" {
		page(w, http.StatusBadRequest, "No code", "The answer has no code. Start the login again.")
		return
	}
	if !l.take() {
		page(w, http.StatusConflict, "Already handled", "This login was answered before. You can close this page.")
		return
	}
	a := Answer{Query: q, done: make(chan error, 1)}
	select {
	case l.answers <- a:
	case <-l.quit:
		page(w, http.StatusConflict, "Already handled", "This login is over. Start a new one.")
		return
	case <-r.Context().Done():
		return
	}
	select {
	case err := <-a.done:
		switch {
		case err == nil:
			page(w, http.StatusOK, "Signed in", "You can close this page and go back to the program.")
		case q.Get("error") != "":
			page(w, http.StatusBadRequest, "Not signed in", err.Error())
		default:
			page(w, http.StatusBadGateway, "Not signed in", err.Error())
		}
	case <-r.Context().Done():
	}
}

// page writes a page that loads nothing and is kept nowhere.
func page(w http.ResponseWriter, status int, title, message string) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Connection", "close")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, pageText(title, message))
}
