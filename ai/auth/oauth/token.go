package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

// maxLifetime is the longest life of a token that is believed.
const maxLifetime = 10 * 365 * 24 * time.Hour

// Token is the answer of a token endpoint.
type Token struct {
	Access  string
	Refresh string // "" when there is none
	ID      string // the OpenID token; "" when there is none
	Scope   string // as granted; "" when the answer does not say
	// ExpiresIn is how long Access is good for; 0 when the answer does not say.
	ExpiresIn time.Duration
	// Fields are all members of the answer.
	Fields map[string]json.RawMessage
}

// RequestToken sends a request to a token endpoint and checks the answer.
func RequestToken(ctx context.Context, h auth.Host, r Request) (*Token, error) {
	var fields map[string]json.RawMessage
	if err := SendJSON(ctx, h, r, &fields); err != nil {
		return nil, err
	}
	t, err := ParseToken(fields)
	if err != nil {
		known := r.secrets()
		known.fields(fields)
		return nil, &Error{Endpoint: endpoint(r.URL), Description: known.Text(err.Error())}
	}
	return t, nil
}

// ParseToken checks the members of a token answer. Its errors hold no values.
func ParseToken(fields map[string]json.RawMessage) (*Token, error) {
	t := &Token{Fields: fields, Scope: text(fields["scope"])}
	for name, into := range map[string]*string{"access_token": &t.Access, "refresh_token": &t.Refresh, "id_token": &t.ID} {
		raw := fields[name]
		if len(raw) == 0 || string(raw) == "null" {
			continue
		}
		if *into = text(raw); !Sendable(*into) {
			return nil, fmt.Errorf("the answer has a %s that is no token", name)
		}
	}
	if t.Access == "" {
		return nil, errors.New("the answer has no access_token")
	}
	if kind := text(fields["token_type"]); kind != "" && !strings.EqualFold(kind, "bearer") {
		return nil, fmt.Errorf("the token is of the type %q, not bearer", Plain(kind, 40))
	}
	var err error
	if t.ExpiresIn, err = seconds(fields["expires_in"]); err != nil {
		return nil, fmt.Errorf("the answer's expires_in is %w", err)
	}
	return t, nil
}

// Sendable reports whether a text can be a token in a header.
func Sendable(s string) bool {
	return s != "" && len(s) <= 64<<10 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// seconds reads a number of seconds, which some servers write as a string; 0 when
// there is none.
func seconds(raw json.RawMessage) (time.Duration, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, nil
	}
	var n float64
	if s := text(raw); s != "" {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return 0, errors.New("not a number")
		}
		n = v
	} else if json.Unmarshal(raw, &n) != nil {
		return 0, errors.New("not a number")
	}
	if math.IsNaN(n) || n < 0 {
		return 0, errors.New("not a positive number")
	}
	if n > maxLifetime.Seconds() {
		return maxLifetime, nil
	}
	return time.Duration(n * float64(time.Second)), nil
}

// Never is the expiry of what does not expire: the largest number of milliseconds
// that every program that shares the file can read.
const Never int64 = 1<<53 - 1

// Lifetime says how a token's life is stored.
type Lifetime struct {
	// Margin is taken off, so that a token is renewed in time.
	Margin time.Duration
	// Default is assumed when the answer does not say; 0 makes that an error.
	Default time.Duration
}

// Credential is what to store of a token. Of old, the credential that was renewed,
// it keeps what the answer does not bring: the refresh token, if the server did not
// change it, the env and all extra fields. old is nil after a login.
func (t *Token) Credential(h auth.Host, old *auth.Credential, l Lifetime) (*auth.Credential, error) {
	life := t.ExpiresIn
	if life == 0 {
		life = l.Default
	}
	if life == 0 {
		return nil, errors.New("the server does not say how long the token is good for")
	}
	c := old.Clone()
	if c == nil {
		c = &auth.Credential{}
	}
	c.Type, c.Access = auth.TypeOAuth, t.Access
	if t.Refresh != "" {
		c.Refresh = t.Refresh
	}
	c.Expires = h.WithDefaults().Now().Add(life - min(l.Margin, life/2)).UnixMilli()
	return c, nil
}

// SetExtra stores a field of the vendor's own.
func SetExtra(c *auth.Credential, name string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("store the field %s: %w", name, err)
	}
	if c.Extra == nil {
		c.Extra = make(map[string]json.RawMessage)
	}
	c.Extra[name] = raw
	return nil
}

// Extra reads a field that is a string; "" when there is none.
func Extra(c *auth.Credential, name string) string {
	if c == nil {
		return ""
	}
	return text(c.Extra[name])
}
