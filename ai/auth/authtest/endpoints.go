package authtest

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"net/url"
)

type grant struct {
	client, redirect, challenge string
}

type device struct {
	client string
	left   int // polls before it is allowed
}

// next gives a fresh value. The lock is held.
func (s *Server) next(what string) string {
	s.serial++
	return fmt.Sprintf("%s-%d-secret", what, s.serial)
}

// Authorize is the page where a person signs in: it sends the browser back with a
// code. redirectParam is the name of the redirect address, "" for "redirect_uri";
// extra is added to what the browser brings back.
func (s *Server) Authorize(redirectParam string, extra url.Values) Handler {
	if redirectParam == "" {
		redirectParam = "redirect_uri"
	}
	return func(r *Request) Response {
		v := r.Values
		if v.Get("code_challenge") == "" || v.Get("code_challenge_method") != "S256" {
			return Refuse(http.StatusBadRequest, "invalid_request", "PKCE with S256 is required")
		}
		back, err := url.Parse(v.Get(redirectParam))
		if err != nil || back.Host == "" {
			return Refuse(http.StatusBadRequest, "invalid_request", "there is no address to go back to")
		}
		client := v.Get("client_id")
		if issued := extra.Get("client_id"); issued != "" {
			client = issued
		}
		code := s.IssueCode(client, v.Get(redirectParam), v.Get("code_challenge"))
		q := back.Query()
		maps.Copy(q, extra)
		q.Set("code", code)
		if state := v.Get("state"); state != "" {
			q.Set("state", state)
		}
		back.RawQuery = q.Encode()
		return Response{Status: http.StatusFound, Header: map[string]string{"Location": back.String()}, Body: ""}
	}
}

// Tokens is what a token endpoint gives.
type Tokens struct {
	// Access is the access token; Tokens are numbered: "at" gives at-1, at-2, ….
	Access string
	// Refresh is the refresh token, numbered as well. Each renewal gives a new one
	// and ends the old one, unless Keep is set: then the answer of a renewal has
	// none. Empty means none at all.
	Refresh string
	Keep    bool
	// ExpiresIn is the life in seconds; 0 leaves it out.
	ExpiresIn int
	// Extra is added to the answer.
	Extra map[string]any
}

// Token is a token endpoint: it exchanges codes and device codes, and renews.
func (s *Server) Token(t Tokens) Handler {
	n := 0
	return func(r *Request) Response {
		v := r.Values
		switch v.Get("grant_type") {
		case "authorization_code", "":
			if refused := s.redeem(v); refused != nil {
				return *refused
			}
		case "urn:ietf:params:oauth:grant-type:device_code":
			if refused := s.poll(v); refused != nil {
				return *refused
			}
		case "refresh_token":
			if !s.refresh[v.Get("refresh_token")] {
				return Refuse(http.StatusBadRequest, "invalid_grant", "the refresh token "+v.Get("refresh_token")+" is not good")
			}
			if !t.Keep {
				delete(s.refresh, v.Get("refresh_token"))
			}
		default:
			return Refuse(http.StatusBadRequest, "unsupported_grant_type", v.Get("grant_type"))
		}
		n++
		body := map[string]any{"access_token": fmt.Sprintf("%s-%d", t.Access, n), "token_type": "Bearer"}
		if t.Refresh != "" && !(t.Keep && v.Get("grant_type") == "refresh_token") {
			token := fmt.Sprintf("%s-%d", t.Refresh, n)
			s.refresh[token] = true
			body["refresh_token"] = token
		}
		if t.ExpiresIn != 0 {
			body["expires_in"] = t.ExpiresIn
		}
		maps.Copy(body, t.Extra)
		return Response{Body: body}
	}
}

// Redeem checks a code and its verifier, for endpoints that give something else than
// a token; nil when they are good. Call it from a Handler.
func (s *Server) Redeem(r *Request) *Response { return s.redeem(r.Values) }

func (s *Server) redeem(v url.Values) *Response {
	g := s.grants[v.Get("code")]
	delete(s.grants, v.Get("code"))
	sum := sha256.Sum256([]byte(v.Get("code_verifier")))
	why := ""
	switch {
	case g == nil:
		why = "the code is not good, or was used"
	case g.challenge != base64.RawURLEncoding.EncodeToString(sum[:]):
		why = "the verifier does not fit the challenge"
	case g.client != v.Get("client_id"):
		why = "the code belongs to another client"
	case v.Has("redirect_uri") && g.redirect != v.Get("redirect_uri"):
		why = "the redirect address is another one"
	default:
		return nil
	}
	return new(Refuse(http.StatusBadRequest, "invalid_grant", why))
}

// IssueCode makes a code that is good for one exchange, as if a person had signed in
// elsewhere. challenge is that of the verifier. Call it from a Handler.
func (s *Server) IssueCode(client, redirect, challenge string) string {
	code := s.next("code")
	s.grants[code] = &grant{client, redirect, challenge}
	return code
}

// Device gives out device codes that are good after some polls. extra is added to
// the answer.
func (s *Server) Device(pending int, extra map[string]any) Handler {
	return func(r *Request) Response {
		code := s.next("device")
		s.devices[code] = &device{r.Values.Get("client_id"), pending}
		body := map[string]any{"device_code": code, "user_code": "ABCD-1234", "verification_uri": "https://" + r.URL.Host + "/device", "expires_in": 600, "interval": 5}
		maps.Copy(body, extra)
		return Response{Body: body}
	}
}

func (s *Server) poll(v url.Values) *Response {
	d := s.devices[v.Get("device_code")]
	switch {
	case d == nil:
		return new(Refuse(http.StatusBadRequest, "expired_token", ""))
	case d.client != v.Get("client_id"):
		return new(Refuse(http.StatusBadRequest, "invalid_client", "the code belongs to another client"))
	case d.left > 0:
		d.left--
		return new(Refuse(http.StatusBadRequest, "authorization_pending", ""))
	}
	delete(s.devices, v.Get("device_code"))
	return nil
}
