package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/codingagent"
)

// Config describes a server. Open is required.
type Config struct {
	// Open makes the session that a client asks for; see [Template].
	Open func(ctx context.Context, r OpenRequest) (*codingagent.AgentSession, error)
	// Token is what every request must show; "" makes a random one. A given
	// one has at least 16 bytes.
	Token string
	// Hosts are names, without a port, by which clients may address the server
	// besides localhost and loopback addresses: that of a proxy, say.
	Hosts []string
	// MaxBody is how large the body of a request may be, in bytes; 0 means
	// 16 MiB, which holds a few images.
	MaxBody int64
	// MaxSessions is how many sessions may be open at a time; 0 means 64.
	MaxSessions int
	// ReplayBytes is how much of its newest events each session keeps for
	// clients that come back; 0 means 4 MiB. The newest event is always kept.
	ReplayBytes int
	// Heartbeat is the longest silence in a stream of events; 0 means 15 s.
	Heartbeat time.Duration
	// Grace is how long Serve waits for sessions to settle and answers to be
	// sent before it breaks connections; 0 means 10 s.
	Grace time.Duration
	// Logger hears what no client is told; nil means nobody.
	Logger *slog.Logger
}

// Server is an [http.Handler] that owns sessions. Close it, or let Serve do so.
// It is safe for concurrent use.
type Server struct {
	cfg    Config
	token  string
	digest [sha256.Size]byte // of the token
	mux    *http.ServeMux
	ctx    context.Context // of all prompts; ends with Close
	cancel context.CancelFunc

	mu       sync.Mutex
	sessions map[string]*hosted
	opening  int // sessions that are being made
	closed   bool
}

// New makes a server.
func New(c Config) (*Server, error) {
	if c.Open == nil {
		return nil, errors.New("make server: Config.Open is nil; set it to the Open method of a Template")
	}
	const least = 16
	if c.Token != "" && len(c.Token) < least {
		return nil, fmt.Errorf("make server: the token has %d bytes; give it at least %d, or none for a random one", len(c.Token), least)
	}
	if strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("make server: the token may only have visible ASCII characters, as it is sent in a header")
	}
	c.MaxBody = cmp.Or(c.MaxBody, 16<<20)
	c.MaxSessions = cmp.Or(c.MaxSessions, 64)
	c.ReplayBytes = cmp.Or(c.ReplayBytes, 4<<20)
	c.Heartbeat = cmp.Or(c.Heartbeat, 15*time.Second)
	c.Grace = cmp.Or(c.Grace, 10*time.Second)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: c, token: cmp.Or(c.Token, randomToken()), sessions: make(map[string]*hosted)}
	s.digest = sha256.Sum256([]byte(s.token))
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.mux = s.routes()
	return s, nil
}

func randomToken() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Token is what clients must show.
func (s *Server) Token() string { return s.token }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if p := s.refuse(r); p != nil {
		if p.status == http.StatusUnauthorized {
			h.Set("WWW-Authenticate", `Bearer realm="pi"`)
		}
		p.write(w)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// errClosing refuses what comes while the server is being closed.
var errClosing = &problem{http.StatusServiceUnavailable, "closing", "the server is being shut down"}

// reserve makes room for one more session; done gives it back, whether or not
// the session came about.
func (s *Server) reserve() (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosing
	}
	if len(s.sessions)+s.opening >= s.cfg.MaxSessions {
		return nil, &problem{http.StatusTooManyRequests, "too_many_sessions", fmt.Sprintf("%d sessions are open, and no more may be; close one first", s.cfg.MaxSessions)}
	}
	s.opening++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opening--
	}, nil
}

// add puts a session among those that are served.
func (s *Server) add(h *hosted) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosing
	}
	if s.sessions[h.id] != nil {
		return &problem{http.StatusConflict, "already_open", fmt.Sprintf("session %s is open already", h.id)}
	}
	s.sessions[h.id] = h
	return nil
}

// find gives the session that a request is about.
func (s *Server) find(r *http.Request) (*hosted, error) {
	id := r.PathValue("id")
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.sessions[id]; h != nil {
		return h, nil
	}
	return nil, &problem{http.StatusNotFound, "not_found", fmt.Sprintf("no session %.80q is open here; POST /v1/sessions opens one", id)}
}

// remove takes a session out; false means that it was not there any more.
func (s *Server) remove(h *hosted) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[h.id] != h {
		return false
	}
	delete(s.sessions, h.id)
	return true
}

// list gives the sessions, oldest first.
func (s *Server) list() []*hosted {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.sessions), func(a, b *hosted) int {
		return cmp.Or(a.created.Compare(b.created), strings.Compare(a.id, b.id))
	})
}

// Close aborts and closes all sessions, and ends all streams of events. It
// returns the first errors of the sessions; closing twice is fine. The context
// limits how long it waits.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	errs := make([]error, 0)
	var mu sync.Mutex
	var closing sync.WaitGroup
	for _, h := range s.list() {
		if !s.remove(h) {
			continue
		}
		closing.Go(func() {
			if err := h.close(ctx, "the server is being shut down"); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, fmt.Errorf("close session %s: %w", h.id, err))
			}
		})
	}
	closing.Wait()
	s.cancel()
	return errors.Join(errs...)
}
