package oauth

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

const (
	requestTime = 30 * time.Second
	maxAnswer   = 1 << 20
)

// token is what a vendor gives.
type token struct {
	Access    string  `json:"access_token"`
	Refresh   string  `json:"refresh_token"`
	ExpiresIn float64 `json:"expires_in"` // seconds
	Scope     string  `json:"scope"`
}

// Error is a vendor's refusal.
type Error struct {
	Status      int    // of HTTP
	Code        string // such as "invalid_grant"
	Description string
}

// Error says what the vendor said.
func (e *Error) Error() string {
	text := e.Code
	if e.Description != "" {
		text = strings.TrimPrefix(text+": "+e.Description, ": ")
	}
	if text == "" {
		return fmt.Sprintf("the vendor answered with status %d", e.Status)
	}
	return fmt.Sprintf("%s (status %d)", text, e.Status)
}

// call is one request to a vendor.
type call struct {
	method string // "" means POST
	url    string
	form   url.Values
	json   any
	header map[string]string
}

// send makes a request and decodes the JSON of a successful answer into v. Another
// answer is an *Error; secrets never get into one.
func (m *method) send(ctx context.Context, c call, v any) error {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	var body io.Reader
	kind := ""
	switch {
	case c.form != nil:
		body, kind = strings.NewReader(c.form.Encode()), "application/x-www-form-urlencoded"
	case c.json != nil:
		b, err := json.Marshal(c.json)
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		body, kind = bytes.NewReader(b), "application/json"
	}
	if c.method == "" {
		c.method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, c.method, m.url(c.url), body)
	if err != nil {
		return err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", m.UserAgent)
	for name, value := range c.header {
		req.Header.Set(name, value)
	}
	res, err := m.HTTPClient.Do(req)
	if err != nil {
		return withoutQuery(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", req.URL.Host, err)
	}
	failed := refusal(res.StatusCode, text)
	if failed != nil {
		return failed
	}
	if v == nil {
		return nil
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("the answer of %s is not what was expected: %w", req.URL.Host, err)
	}
	return nil
}

// withoutQuery keeps what a query may hold out of an error.
func withoutQuery(err error) error {
	var u *url.Error
	if !errors.As(err, &u) {
		return err
	}
	shown, _, _ := strings.Cut(u.URL, "?")
	return fmt.Errorf("%s %s: %w", u.Op, shown, u.Err)
}

// refusal reads an error: some vendors send one with status 200.
func refusal(status int, text []byte) error {
	var body struct {
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
		Message     string          `json:"message"`
	}
	decoded := json.Unmarshal(text, &body) == nil
	if status >= 200 && status < 300 && (!decoded || len(body.Error) == 0 || string(body.Error) == "null") {
		return nil
	}
	e := &Error{Status: status, Description: body.Description}
	if json.Unmarshal(body.Error, &e.Code) != nil {
		var inner struct{ Code, Type, Message string }
		if json.Unmarshal(body.Error, &inner) == nil {
			e.Code = inner.Code
			if e.Code == "" {
				e.Code = inner.Type
			}
			if e.Description == "" {
				e.Description = inner.Message
			}
		}
	}
	if e.Description == "" {
		e.Description = body.Message
	}
	return e
}

// token makes a token request; one without an access token is an error.
func (m *method) token(ctx context.Context, c call) (*token, error) {
	var t token
	if err := m.send(ctx, c, &t); err != nil {
		return nil, err
	}
	if t.Access == "" {
		return nil, errors.New("the vendor gave no access token")
	}
	return &t, nil
}

// random is n random bytes in the alphabet of URLs.
func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// challenge is the S256 challenge of a verifier.
func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// claims reads the payload of a JSON web token. The signature is the vendor's
// business: the token came from it over TLS.
func claims(jwt string) (map[string]json.RawMessage, error) {
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return nil, errors.New("the token is no JSON web token")
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return nil, fmt.Errorf("decode the token's payload: %w", err)
	}
	var c map[string]json.RawMessage
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, fmt.Errorf("decode the token's payload: %w", err)
	}
	return c, nil
}

// fallback gives a standard answer where nobody could be asked.
func fallback(err error, standard string) (string, error) {
	if errors.Is(err, auth.ErrNoPrompt) {
		return standard, nil
	}
	return "", err
}
