package ai

import (
	"errors"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/ai/internal/redact"
	"github.com/pi-go/pi/ai/internal/transport"
)

// redactor takes the secrets of one request out of what is reported of it. nil takes
// nothing out.
type redactor struct{ known redact.Redactor }

// newRedactor gathers the secrets of a call.
func newRedactor(c *Call) *redactor {
	r := new(redactor)
	r.known.Public(c.Model.Provider, c.Model.API, c.Model.ID, c.Model.Name)
	address, err := url.Parse(c.BaseURL)
	if err == nil {
		r.known.Public(address.Host)
	}
	r.add(c.Auth.APIKey)
	for _, headers := range []map[string]string{c.Auth.Headers, c.Model.Headers, c.Options.Headers} {
		for name, value := range headers {
			last := value[strings.LastIndexByte(value, ' ')+1:] // behind "Bearer"
			if sensitiveHeader(name) || !plainHeader(name) && looksLikeKey(last) {
				r.addHeader(value)
			}
		}
	}
	for _, env := range []map[string]string{c.Auth.Env, c.Options.Env} {
		for name, value := range env {
			if sensitiveHeader(name) {
				r.add(value)
			}
		}
	}
	if err == nil {
		if password, ok := address.User.Password(); ok {
			r.add(password)
		}
		for name, values := range address.Query() {
			for _, value := range values {
				if sensitiveHeader(name) {
					r.add(value)
				}
			}
		}
	}
	return r
}

// addHeader adds the value of a header: its words but for the name of the scheme, and
// of those with a name, such as cookies, what stands behind it.
func (r *redactor) addHeader(value string) {
	words := strings.FieldsFunc(value, func(c rune) bool { return c == ' ' || c == ';' || c == ',' })
	for i, word := range words {
		if i == 0 && len(words) > 1 && !strings.ContainsAny(word, "=0123456789") {
			continue // "Bearer"
		}
		if name, text, ok := strings.Cut(word, "="); ok && strings.Trim(text, "=") != "" && sendable(name) {
			word = strings.Trim(text, `"`)
		}
		r.add(word)
	}
	r.known.AddWhole(value)
}

// sendable reports whether a text can be the name of a cookie or parameter, which no
// key with a "=" at its end can.
func sendable(name string) bool {
	return len(name) <= 40 && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '-' && c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9')
	})
}

// sensitiveHeader reports whether a header or variable of this name carries a
// secret.
func sensitiveHeader(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"auth", "key", "token", "secret", "cookie", "password"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// plainHeader reports whether a header of this name says what is no secret, and is
// quoted by vendors where it helps.
func plainHeader(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"beta", "version", "agent", "referer", "title", "content", "accept", "origin"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// looksLikeKey reports whether a text could be a secret under a name that does not
// say so: gateways have headers of their own.
func looksLikeKey(value string) bool {
	const shortest = 12
	return len(value) >= shortest && strings.ContainsAny(value, "0123456789") &&
		strings.ContainsAny(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// add adds a secret. Of one that is an address or the path of a file only the whole is
// hidden, as it begins with what anybody may know.
func (r *redactor) add(secret string) {
	switch {
	case r == nil:
	case strings.Contains(secret, "://"), strings.HasPrefix(secret, "/"), strings.HasPrefix(secret, "~"), strings.HasPrefix(secret, "."), filepath.IsAbs(secret):
		r.known.AddWhole(secret)
	default:
		r.known.Add(secret)
	}
}

func (r *redactor) text(s string) string {
	if r == nil {
		return s
	}
	return r.known.Text(s)
}

// quoted reports whether the answer that a failed request got holds a secret.
func (r *redactor) quoted(err error) bool {
	var e *transport.Error
	if !errors.As(err, &e) {
		return false
	}
	for _, values := range e.Header {
		for _, v := range values {
			if r.text(v) != v {
				return true
			}
		}
	}
	return r.text(string(e.Raw)) != string(e.Raw)
}

// error gives err, or one like it without the secrets. The cause of such a
// one is its text only.
func (r *redactor) error(err error) error {
	if err == nil || r == nil {
		return err
	}
	var api *APIError
	if !errors.As(err, &api) {
		if text := r.text(err.Error()); text != err.Error() || r.quoted(err) {
			return errors.New(text)
		}
		return err
	}
	clean := new(*api)
	clean.Message, clean.Body, clean.Code = r.text(api.Message), r.text(api.Body), r.text(api.Code)
	if clean.Err != nil {
		if text := r.text(clean.Err.Error()); text != clean.Err.Error() || clean.Body != api.Body || clean.Message != api.Message || r.quoted(clean.Err) {
			clean.Err = errors.New(text)
		}
	}
	if *clean == *api {
		return err
	}
	return clean
}

// note takes the secrets out of a note.
func (r *redactor) note(text []byte) []byte {
	if clean := r.text(string(text)); clean != string(text) {
		return []byte(clean)
	}
	return text
}

// Hide keeps a secret that the protocol came by itself, such as a token it was
// given for the credentials, out of all that is reported of the call. It may be
// used from several goroutines.
func (c *Call) Hide(secret string) { c.secrets.add(secret) }
