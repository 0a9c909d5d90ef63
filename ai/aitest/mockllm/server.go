package mockllm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Server answers model requests from a script. It is safe for concurrent use.
type Server struct {
	// URL is the base URL on loopback, without a path; empty for a server
	// that was not started.
	URL string
	// Scenarios answers what neither the queue nor Respond does. Set it before
	// the first request.
	Scenarios ScenarioOptions
	// Protocol is what requests of a known path speak, where that is not what their
	// path says; empty leaves it to the path. Set it before the first request.
	Protocol string
	// OnRequest is called for each request before its answer is chosen, on the
	// request's goroutine. Set it before the first request.
	OnRequest func(*Request)

	http    *http.Server
	serving sync.WaitGroup // the listener's goroutine

	mu       sync.Mutex
	idle     *sync.Cond // active became 0
	active   int        // requests being answered
	closed   bool
	queue    []Answer
	respond  func(*Request) Answer
	requests []*Request
	other    map[string]int
	arrived  chan struct{} // closed and replaced at each arrival
	rendered map[string][]byte
}

// New makes a server without a socket: use [Server.Client], or mount it as a
// handler.
func New() *Server {
	s := &Server{other: make(map[string]int), arrived: make(chan struct{}), rendered: make(map[string][]byte)}
	s.idle = sync.NewCond(&s.mu)
	return s
}

// Start makes a server that listens on a free port of 127.0.0.1.
func Start() (*Server, error) { return Listen("127.0.0.1:0") }

// Listen makes a server that listens on this loopback address.
func Listen(addr string) (*Server, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("start mock server: %w", err)
	}
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return nil, errors.Join(fmt.Errorf("start mock server: %s is not a loopback address", l.Addr()), l.Close())
	}
	s := New()
	s.URL = "http://" + l.Addr().String()
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute, ErrorLog: nil}
	s.serving.Go(func() {
		_ = s.http.Serve(l) // always http.ErrServerClosed after Close
	})
	return s, nil
}

// Close breaks all connections and waits for the requests to end.
func (s *Server) Close() error {
	if s.http == nil {
		return nil
	}
	err := s.http.Close()
	s.serving.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for s.active > 0 {
		s.idle.Wait()
	}
	return err
}

// enter counts a request in; false means that the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.active++
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active--
	s.idle.Broadcast()
}

// Queue adds answers; each is for one request, in order of arrival.
func (s *Server) Queue(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, answers...)
}

// Respond sets the function that answers when the queue is empty; nil leaves
// it to the scenarios.
func (s *Server) Respond(f func(*Request) Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.respond = f
}

// Requests lists the requests of the protocols so far, in order of arrival.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// WaitRequest waits until n requests have arrived and gives the n-th.
func (s *Server) WaitRequest(ctx context.Context, n int) (*Request, error) {
	for {
		s.mu.Lock()
		arrived := s.arrived
		if len(s.requests) >= n {
			r := s.requests[n-1]
			s.mu.Unlock()
			return r, nil
		}
		s.mu.Unlock()
		select {
		case <-arrived:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for request %d: %w", n, context.Cause(ctx))
		}
	}
}

// Reset forgets the recorded requests.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.other = nil, make(map[string]int)
}

// ServeHTTP answers a request. Besides the protocols it knows a list of
// models, GET /stats and POST /reset.
func (s *Server) ServeHTTP(w http.ResponseWriter, hr *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.leave()
	arrived := time.Now()
	path := hr.URL.Path
	api := protocolOf(hr.Method, path)
	if api == "" {
		s.serveOther(w, hr)
		return
	}
	if s.Protocol != "" {
		api = s.Protocol
	}
	body, err := readBody(hr)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r := &Request{
		API: api, Method: hr.Method, Host: hr.Host, URL: hr.URL.RequestURI(), Header: hr.Header.Clone(), Body: body,
		Arrived: arrived, BodyRead: time.Now(), done: make(chan struct{}),
	}
	aborted := true
	defer func() { r.finish(aborted || hr.Context().Err() != nil) }()
	parseErr := r.parse()
	answer := s.choose(r)
	if parseErr != nil {
		answer = Failure(http.StatusBadRequest, "invalid_request_error", "the body is not a request: "+parseErr.Error())
	}
	aborted = !s.deliver(hr.Context(), w, r, answer)
	if aborted {
		panic(http.ErrAbortHandler) // closes the connection, quietly
	}
}

// readBody returns the body of a request as it was before it was compressed.
func readBody(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "":
		return body, nil
	case "zstd":
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("read the request: %w", err)
		}
		defer z.Close()
		if body, err = z.DecodeAll(body, nil); err != nil {
			return nil, fmt.Errorf("decompress the request: %w", err)
		}
		return body, nil
	default:
		return nil, fmt.Errorf("the request has an unknown encoding, %q", encoding)
	}
}

// choose records the request and picks its answer.
func (s *Server) choose(r *Request) Answer {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	r.N = len(s.requests)
	close(s.arrived)
	s.arrived = make(chan struct{})
	var answer Answer
	queued := len(s.queue) > 0
	if queued {
		answer = s.queue[0]
		s.queue = s.queue[1:]
	}
	respond := s.respond
	s.mu.Unlock()
	if s.OnRequest != nil {
		s.OnRequest(r)
	}
	switch {
	case queued:
		return answer
	case respond != nil:
		return respond(r)
	}
	return s.Scenarios.Answer(r)
}

func (s *Server) serveOther(w http.ResponseWriter, hr *http.Request) {
	_, _ = io.Copy(io.Discard, hr.Body)
	path := hr.URL.Path
	switch {
	case path == "/stats":
		w.Header().Set("content-type", "application/json")
		_ = json.NewEncoder(w).Encode(s.stats())
		return
	case path == "/reset" && hr.Method == http.MethodPost:
		s.Reset()
		return
	}
	s.mu.Lock()
	s.other[hr.Method+" "+path]++
	s.mu.Unlock()
	switch {
	case hr.Method == http.MethodGet && strings.HasSuffix(path, "/models"):
		w.Header().Set("content-type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"text-50","object":"model","created":1700000000,"owned_by":"mock"}]}`)
	case strings.HasSuffix(path, "/count_tokens"):
		w.Header().Set("content-type", "application/json")
		_, _ = io.WriteString(w, `{"input_tokens":1000}`)
	default:
		http.NotFound(w, hr)
	}
}

// Stat is one request in the answer of GET /stats. Times are Unix
// nanoseconds.
type Stat struct {
	API       string `json:"api"`
	Model     string `json:"model"`
	Bytes     int    `json:"bytes"`
	Messages  int    `json:"messages"`
	Results   int    `json:"results"`
	Out       int    `json:"out"`
	StartNS   int64  `json:"start_ns"`
	BodyNS    int64  `json:"body_ns"`
	EndNS     int64  `json:"end_ns"` // 0 while the answer is being sent
	Aborted   bool   `json:"aborted,omitempty"`
	UserAgent string `json:"ua"`
}

func (s *Server) stats() any {
	var out struct {
		Requests []Stat         `json:"requests"`
		Other    map[string]int `json:"other"`
	}
	for _, r := range s.Requests() {
		n, end := r.Sent()
		st := Stat{
			API: r.API, Model: r.Model, Bytes: len(r.Body), Messages: r.Messages, Results: r.Results, Out: n,
			StartNS: r.Arrived.UnixNano(), BodyNS: r.BodyRead.UnixNano(), Aborted: r.Aborted(), UserAgent: r.Header.Get("user-agent"),
		}
		if !end.IsZero() {
			st.EndNS = end.UnixNano()
		}
		out.Requests = append(out.Requests, st)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	out.Other = make(map[string]int)
	for k, v := range s.other {
		out.Other[k] = v
	}
	return out
}
