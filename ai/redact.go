package ai

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"
)

// hidden stands where a secret was.
const hidden = "[redacted]"

// redactor takes the secrets of one request out of what is reported of it:
// servers and gateways quote keys and whole requests in their errors.
type redactor struct {
	secrets []string // the longest first
}

// newRedactor gathers the secrets of a call.
func newRedactor(c *Call) redactor {
	var r redactor
	r.add(c.Auth.APIKey)
	for _, headers := range []map[string]string{c.Auth.Headers, c.Model.Headers, c.Options.Headers} {
		for name, value := range headers {
			value = value[strings.LastIndexByte(value, ' ')+1:] // behind "Bearer"
			if sensitiveHeader(name) || !plainHeader(name) && looksLikeKey(value) {
				r.add(value)
			}
		}
	}
	for name, value := range maps.All(c.Auth.Env) {
		if sensitiveHeader(name) {
			r.add(value)
		}
	}
	slices.SortFunc(r.secrets, func(a, b string) int { return len(b) - len(a) })
	return r
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
	if len(secret) >= 8 && !slices.Contains(r.secrets, secret) {
		r.secrets = append(r.secrets, secret)
	}
}

func (r redactor) text(s string) string {
	for _, secret := range r.secrets {
		s = strings.ReplaceAll(s, secret, hidden)
	}
	return s
}

// error gives err, or one like it without the secrets. The cause of such a
// one is its text only.
func (r redactor) error(err error) error {
	if err == nil {
		return nil
	}
	var api *APIError
	if !errors.As(err, &api) {
		if text := r.text(err.Error()); text != err.Error() {
			return errors.New(text)
		}
		return err
	}
	clean := new(*api)
	clean.Message, clean.Body, clean.Code = r.text(api.Message), r.text(api.Body), r.text(api.Code)
	if clean.Err != nil {
		if text := r.text(clean.Err.Error()); text != clean.Err.Error() || clean.Body != api.Body || clean.Message != api.Message {
			clean.Err = errors.New(text)
		}
	}
	if *clean == *api {
		return err
	}
	return clean
}

// diagnostics takes the secrets out of the notes of an answer.
func (r redactor) diagnostics(list []Diagnostic) {
	for i := range list {
		for _, secret := range r.secrets {
			list[i].Details = bytes.ReplaceAll(list[i].Details, []byte(secret), []byte(hidden))
		}
	}
}
