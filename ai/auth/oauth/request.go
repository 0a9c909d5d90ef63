package oauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/pi-go/pi/ai/auth"
)

const (
	// maxAnswer caps what a server may send: tokens are a few kilobytes.
	maxAnswer = 1 << 20
	// requestTime is how long one request may take.
	requestTime = 30 * time.Second
)

// Request is one request of a login. With neither Form nor JSON it is a GET.
type Request struct {
	URL    string
	Form   url.Values // sent as application/x-www-form-urlencoded
	JSON   any        // sent as application/json
	Bearer string     // a token for the Authorization header
	Header map[string]string
	// Timeout is for the whole request; 0 means 30 s.
	Timeout time.Duration
	// MaxAnswer caps the answer in bytes; 0 means 1 MiB.
	MaxAnswer int64
}

// Error is a request of a login that was refused or went wrong. It holds nothing
// that was sent.
type Error struct {
	// Endpoint is the address without its query.
	Endpoint string
	Status   int // 0 when there was no answer
	// Code is the OAuth error code, such as "invalid_grant"; "" when the answer
	// has none.
	Code string
	// Description is the server's text for people; it may be empty.
	Description string
	// Interval is the wait between polls that the answer asks for, 0 for none.
	Interval time.Duration
	Err      error // the cause, when there was no answer
}

// Error says which server refused and why.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Endpoint)
	b.WriteString(": ")
	switch {
	case e.Code != "" && e.Description != "":
		fmt.Fprintf(&b, "%s: %s", e.Code, e.Description)
	case e.Code != "" || e.Description != "":
		b.WriteString(e.Code + e.Description)
	case e.Err != nil:
		b.WriteString(e.Err.Error())
	default:
		b.WriteString("the server refused")
	}
	if e.Status != 0 {
		fmt.Fprintf(&b, " (%d)", e.Status)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether the same request may succeed a little later.
func (e *Error) Temporary() bool {
	return e.Status == 0 && !errors.Is(e.Err, context.Canceled) || e.Status == http.StatusTooManyRequests || e.Status >= 500
}

// Send sends a request and gives the body of a successful answer. Every error is an
// *Error. A redirect is not followed: what a login sends is for one server only.
func Send(ctx context.Context, h auth.Host, r Request) ([]byte, error) {
	h = h.WithDefaults()
	e := &Error{Endpoint: endpoint(r.URL)}
	fail := func(err error) ([]byte, error) {
		e.Err = r.secrets().error(hideAddress(err))
		return nil, e
	}
	if _, err := WebURL(r.URL); err != nil {
		return fail(err)
	}
	limit := r.Timeout
	if limit <= 0 {
		limit = requestTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %v: %w", limit, context.DeadlineExceeded))
	defer cancel()
	req, err := r.build(ctx)
	if err != nil {
		return fail(err)
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", h.UserAgent)
	}
	client := *h.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	res, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fail(err)
	}
	defer res.Body.Close()
	most := r.MaxAnswer
	if most <= 0 {
		most = maxAnswer
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fail(fmt.Errorf("read the answer: %w", err))
	}
	if int64(len(body)) > most {
		return fail(fmt.Errorf("the answer is longer than %d KiB", most>>10))
	}
	if code, description, interval := problem(body); res.StatusCode < 200 || res.StatusCode > 299 || code != "" {
		e.Status, e.Interval = res.StatusCode, interval
		known := r.secrets()
		e.Code, e.Description = Plain(known.Text(code), 500), Plain(known.Text(description), 500)
		if e.Code == "" && e.Description == "" && res.StatusCode >= 300 && res.StatusCode < 400 {
			e.Description = "a redirect that is not followed; check the network's sign-in"
		}
		return nil, e
	}
	return body, nil
}

// SendJSON sends a request and decodes the answer, which must be a JSON object.
func SendJSON(ctx context.Context, h auth.Host, r Request, into any) error {
	body, err := Send(ctx, h, r)
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return &Error{Endpoint: endpoint(r.URL), Description: "the answer is not a JSON object; check the address and the network's sign-in"}
	}
	if err := json.Unmarshal(body, into); err != nil {
		// The text of err may quote the answer.
		return &Error{Endpoint: endpoint(r.URL), Description: "the answer is not what was expected" + wrongField(err)}
	}
	return nil
}

func wrongField(err error) string {
	var e *json.UnmarshalTypeError
	if errors.As(err, &e) && e.Field != "" {
		return fmt.Sprintf(": the field %q has the wrong type", e.Field)
	}
	return ""
}

func (r *Request) build(ctx context.Context) (*http.Request, error) {
	method, kind := http.MethodGet, ""
	var body io.Reader
	switch {
	case r.Form != nil:
		method, kind, body = http.MethodPost, "application/x-www-form-urlencoded", strings.NewReader(r.Form.Encode())
	case r.JSON != nil:
		data, err := json.Marshal(r.JSON)
		if err != nil {
			return nil, err
		}
		method, kind, body = http.MethodPost, "application/json", bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, r.URL, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if r.Bearer != "" {
		req.Header.Set("Authorization", "Bearer "+r.Bearer)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	return req, nil
}

// problem finds the error in an answer: {"error": "code", "error_description": …}
// as OAuth has it, {"error": {"code"|"type": …, "message": …}}, or a message or
// detail alone. An answer of success with an "error" member is a refusal too, as
// GitHub sends it.
func problem(body []byte) (code, description string, interval time.Duration) {
	var answer struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
		Message     json.RawMessage `json:"message"`
		Detail      json.RawMessage `json:"detail"`
		Interval    json.RawMessage `json:"interval"`
	}
	if json.Unmarshal(body, &answer) != nil {
		return "", "", 0
	}
	interval, _ = seconds(answer.Interval)
	description = answer.Description
	if text(answer.Error) != "" {
		code = text(answer.Error)
	} else {
		var inner struct {
			Code    json.RawMessage `json:"code"`
			Type    string          `json:"type"`
			Message string          `json:"message"`
		}
		if len(answer.Error) > 0 && json.Unmarshal(answer.Error, &inner) == nil {
			if code = text(inner.Code); code == "" {
				code = inner.Type
			}
			description = inner.Message
			if code == "" && description != "" {
				code = "error"
			}
		}
	}
	for _, more := range []json.RawMessage{answer.Message, answer.Detail} {
		if description == "" {
			description = text(more)
		}
	}
	return code, description, interval
}

// text is a JSON string, and "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// WebURL checks that an address can be handed to a browser: http or https, with a
// host and without a user.
func WebURL(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the address is not one that begins with http:// or https://")
	}
	return u, nil
}

// endpoint is an address without what may be secret.
func endpoint(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "the server"
	}
	return u.Host + u.EscapedPath()
}

// hideAddress drops the wrapping of net/http, which repeats the address with its
// query.
func hideAddress(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Plain makes text of a server safe to show: no control characters, no more than
// most characters.
func Plain(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.TrimSpace(s))
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return s
}
