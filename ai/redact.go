package ai

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pi-go/pi/ai/internal/transport"
	"github.com/pi-go/pi/ai/jsonobj"
)

// hidden stands where a secret was.
const hidden = "[redacted]"

// redactor takes the secrets of one request out of what is reported of it:
// servers and gateways quote keys and whole requests in their errors. nil takes
// nothing out.
type redactor struct {
	mu      sync.Mutex
	secrets []string // in every form in which they may be quoted, the longest first
}

// newRedactor gathers the secrets of a call.
func newRedactor(c *Call) *redactor {
	r := new(redactor)
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
	if u, err := url.Parse(c.BaseURL); err == nil {
		if password, ok := u.User.Password(); ok {
			r.add(password)
		}
		for name, values := range u.Query() {
			for _, value := range values {
				if sensitiveHeader(name) {
					r.add(value)
				}
			}
		}
	}
	return r
}

// addHeader adds the value of a header: all of it, what stands behind "Bearer",
// and each cookie.
func (r *redactor) addHeader(value string) {
	r.add(value)
	r.add(value[strings.LastIndexByte(value, ' ')+1:])
	for pair := range strings.SplitSeq(value, ";") {
		if _, secret, ok := strings.Cut(pair, "="); ok {
			r.add(strings.TrimSpace(secret))
		}
	}
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

// add adds a secret. What is shorter than any real key ("none", "ollama") is
// none, and would only mutilate messages.
func (r *redactor) add(secret string) {
	if r == nil || len(secret) < 8 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	forms := []string{secret, url.QueryEscape(secret), url.PathEscape(secret)}
	for _, inJSON := range [][]byte{jsonobj.AppendString(nil, secret), strconv.AppendQuote(nil, secret)} {
		forms = append(forms, string(inJSON[1:len(inJSON)-1]))
	}
	if inJSON, err := json.Marshal(secret); err == nil { // with <, > and & escaped
		forms = append(forms, string(inJSON[1:len(inJSON)-1]))
	}
	for _, form := range forms {
		if !slices.Contains(r.secrets, form) {
			r.secrets = append(r.secrets, form)
		}
	}
	slices.SortStableFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
}

func (r *redactor) text(s string) string {
	if r == nil {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, hidden)
	}
	return r.clipped(s)
}

// leastKept is how many characters of a secret may be left by a text that was cut
// in the middle of it.
const leastKept = 5

// clipped hides the beginning of a secret that stands where a text was cut, in
// front of an ellipsis. The lock is held.
func (r *redactor) clipped(s string) string {
	const mark = "…"
	for at := strings.Index(s, mark); at >= 0; {
		for _, secret := range r.secrets {
			for n := min(len(secret)-1, at); n > leastKept; n-- {
				if strings.HasSuffix(s[:at], secret[:n]) {
					s = s[:at-n] + hidden + s[at:]
					at += len(hidden) - n
					break
				}
			}
		}
		next := strings.Index(s[at+len(mark):], mark)
		if next < 0 {
			break
		}
		at += len(mark) + next
	}
	return s
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
