package authtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
)

// Request is what the server got.
type Request struct {
	Method string
	URL    *url.URL // as the client meant it
	Header http.Header
	// Values are the query and the form, or the members of a JSON body that are
	// strings.
	Values url.Values
}

// Endpoint is host and path, as in Handle.
func (r *Request) Endpoint() string { return r.URL.Host + r.URL.Path }

// Response is what the server answers. The zero value is an empty JSON object with
// status 200.
type Response struct {
	Status int // 0 means 200
	Header map[string]string
	// Body is encoded as JSON, unless it is a string.
	Body any
}

// Refuse answers with an OAuth error.
func Refuse(status int, code, description string) Response {
	return Response{Status: status, Body: map[string]string{"error": code, "error_description": description}}
}

// Handler answers one request. It runs under the server's lock.
type Handler func(*Request) Response

// Server is an authorization server. Make one with [New]. It is safe for concurrent
// use.
type Server struct {
	mu       sync.Mutex
	handlers map[string]Handler
	requests []*Request
	grants   map[string]*grant
	devices  map[string]*device
	refresh  map[string]bool // the refresh tokens that are good
	serial   int
}

// New makes a server without endpoints.
func New() *Server {
	return &Server{
		handlers: make(map[string]Handler), grants: make(map[string]*grant),
		devices: make(map[string]*device), refresh: make(map[string]bool),
	}
}

// Handle sets what answers at an endpoint, which is a host and a path such as
// "auth.example/token". Anything else is answered with 404.
func (s *Server) Handle(endpoint string, h Handler) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handlers[endpoint] = h
}

// Requests lists what the server got so far.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request(nil), s.requests...)
}

// Count says how many requests an endpoint got.
func (s *Server) Count(endpoint string) int {
	n := 0
	for _, r := range s.Requests() {
		if r.Endpoint() == endpoint {
			n++
		}
	}
	return n
}

// AllowRefresh makes a refresh token good that the server did not give out.
func (s *Server) AllowRefresh(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh[token] = true
}

// Client gives an HTTP client whose requests reach this server in the process,
// whatever host they name.
func (s *Server) Client() *http.Client { return &http.Client{Transport: s} }

// RoundTrip implements [http.RoundTripper].
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	res := w.Result()
	res.Request = r
	return res, nil
}

// hostHeader carries the host a client meant to a server in another process.
const hostHeader = "X-Authtest-Host"

// Redirect gives a client for another process: its requests go to a server that
// listens at base, such as the URL of an [httptest.Server] with this handler.
func Redirect(base string) *http.Client { return &http.Client{Transport: redirect(base)} }

type redirect string

// RoundTrip implements [http.RoundTripper].
func (base redirect) RoundTrip(r *http.Request) (*http.Response, error) {
	to, err := url.Parse(string(base))
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set(hostHeader, r.URL.Host)
	r.URL.Scheme, r.URL.Host, r.Host = to.Scheme, to.Host, to.Host
	return http.DefaultTransport.RoundTrip(r)
}

// ServeHTTP answers as the endpoint does.
func (s *Server) ServeHTTP(w http.ResponseWriter, in *http.Request) {
	r := &Request{Method: in.Method, URL: new(*in.URL), Header: in.Header.Clone(), Values: in.URL.Query()}
	if host := in.Header.Get(hostHeader); host != "" {
		r.URL.Host = host
		r.Header.Del(hostHeader)
	}
	if in.Body != nil {
		body, err := io.ReadAll(in.Body)
		if err == nil {
			err = r.read(body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, r)
	handler := s.handlers[r.Endpoint()]
	answer := Response{Status: http.StatusNotFound, Body: "no such endpoint: " + r.Endpoint()}
	if handler != nil {
		answer = handler(r)
	}
	s.mu.Unlock()
	answer.write(w)
}

func (r *Request) read(body []byte) error {
	if len(body) == 0 {
		return nil
	}
	if r.Header.Get("Content-Type") != "application/json" {
		form, err := url.ParseQuery(string(body))
		for name, values := range form {
			r.Values[name] = values
		}
		return err
	}
	var fields map[string]any
	if err := json.Unmarshal(body, &fields); err != nil {
		return err
	}
	for name, v := range fields {
		r.Values.Set(name, fmt.Sprint(v))
	}
	return nil
}

func (a Response) write(w http.ResponseWriter) {
	text, plain := a.Body.(string)
	if !plain {
		w.Header().Set("Content-Type", "application/json")
		b, err := json.Marshal(a.Body)
		if err != nil {
			panic("authtest: " + err.Error()) // a test that answers with what is no JSON
		}
		if text = string(b); a.Body == nil {
			text = "{}"
		}
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, text)
}
