package oauth

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai/internal/redact"
)

// secrets takes what was sent or received out of texts of a server.
type secrets struct{ redact.Redactor }

// public are the parameters of a login that anybody may see.
var public = []string{"grant_type", "client_id", "redirect_uri", "scope", "resource", "code_challenge_method", "response_type", "token_type", "expires_in", "interval"}

// secrets are those of a request.
func (r *Request) secrets() *secrets {
	known := new(secrets)
	known.values(r.Form)
	if u, err := url.Parse(r.URL); err == nil {
		known.values(u.Query())
	}
	if data, err := json.Marshal(r.JSON); err == nil {
		var fields map[string]json.RawMessage
		if json.Unmarshal(data, &fields) == nil {
			known.fields(fields)
		}
	}
	known.Add(r.Bearer)
	for name, value := range r.Header {
		if strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "Cookie") {
			known.Add(value)
		}
	}
	return known
}

func (s *secrets) values(q url.Values) {
	for name, values := range q {
		for _, value := range values {
			if !slices.Contains(public, name) {
				s.Add(value)
			}
		}
	}
}

// fields adds the texts of an object, be it of a request or an answer.
func (s *secrets) fields(object map[string]json.RawMessage) {
	for name, raw := range object {
		if !slices.Contains(public, name) {
			s.Add(text(raw))
		}
	}
}

// error gives err, or its text without the secrets.
func (s *secrets) error(err error) error {
	if clean := s.Text(err.Error()); clean != err.Error() {
		return errors.New(clean)
	}
	return err
}
