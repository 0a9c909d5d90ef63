package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
)

// problem is an error that a client is told.
type problem struct {
	status        int
	code, message string
}

func (p *problem) Error() string { return p.message }

func (p *problem) write(w http.ResponseWriter) {
	type body struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	reply(w, p.status, map[string]body{"error": {p.code, p.message}})
}

func invalid(format string, args ...any) *problem {
	return &problem{http.StatusBadRequest, "invalid_request", fmt.Sprintf(format, args...)}
}

// reply answers with a value as JSON.
func reply(w http.ResponseWriter, status int, v any) {
	data, err := encode(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// Not every ResponseWriter has deadlines; those of Serve do.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(stall))
	w.WriteHeader(status)
	_, _ = w.Write(data) // an error means that the client has left
}

// encode gives a value as one line of JSON, with a line feed.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return b.Bytes(), nil
}

// patience is how long a body may take to arrive, stall how long a client may
// leave what we send unread before its connection is closed.
const (
	patience = time.Minute
	stall    = time.Minute
)

// read decodes the body of a request into v, which points to a struct. What
// the struct does not have is refused, so that a misspelt field is no silent
// surprise.
func (s *Server) read(w http.ResponseWriter, r *http.Request, v any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		// A form of a foreign page can not send this type.
		return &problem{http.StatusUnsupportedMediaType, "wrong_type", "the body must be JSON: Content-Type: application/json"}
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(patience))
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, s.cfg.MaxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return s.unreadable(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		if large := s.tooLarge(err); large != nil {
			return large
		}
		return invalid("the body has something behind its JSON object")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return nil
}

func (s *Server) tooLarge(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return &problem{http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("the body is larger than %d bytes", large.Limit)}
	}
	return nil
}

// unreadable says what is wrong with a body.
func (s *Server) unreadable(err error) error {
	if large := s.tooLarge(err); large != nil {
		return large
	}
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF):
		return invalid("the body is empty; send a JSON object")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return invalid("the body ends in the middle of its JSON")
	case errors.As(err, &kind) && kind.Field != "":
		return invalid("%s: want %s, got %s", kind.Field, kindName(kind.Type.Kind().String()), kind.Value)
	case errors.As(err, &kind):
		return invalid("the body is a JSON %s; send an object", kind.Value)
	}
	return invalid("the body can not be read: %s", strings.TrimPrefix(err.Error(), "json: "))
}

// kindName is what JSON calls a kind of Go value.
func kindName(kind string) string {
	switch kind {
	case "bool", "string":
		return kind
	case "slice":
		return "array"
	case "struct", "map":
		return "object"
	}
	return "number"
}

// handle makes a handler of a function whose error is told to the client.
func (s *Server) handle(f func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := f(w, r)
		if err == nil {
			return
		}
		var p *problem
		switch {
		case errors.As(err, &p):
		case errors.Is(err, harness.ErrClosed), errors.Is(err, session.ErrClosed):
			p = errClosed
		default:
			p = &problem{http.StatusInternalServerError, "internal", err.Error()}
			s.cfg.Logger.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		}
		p.write(w)
	}
}
