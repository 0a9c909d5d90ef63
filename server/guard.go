package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// refuse says why a request is not answered, nil if it is.
func (s *Server) refuse(r *http.Request) *problem {
	switch {
	case !s.ours(r.Host):
		// A page whose name was pointed at this machine sends its own name.
		return &problem{http.StatusForbidden, "wrong_host", "this server is not known by the name in the Host header; use 127.0.0.1 or localhost"}
	case !s.sameOrigin(r):
		return &problem{http.StatusForbidden, "wrong_origin", "requests from pages of another origin are refused"}
	case !s.shown(r.Header.Get("Authorization")):
		return &problem{http.StatusUnauthorized, "wrong_token", "show the server's token: Authorization: Bearer TOKEN"}
	}
	return nil
}

// ours reports whether a Host header names this server; the port does not
// matter, as connections may be forwarded.
func (s *Server) ours(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	} else if inner, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inner, "]")
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback() || slices.Contains(s.cfg.Hosts, host)
	}
	return strings.EqualFold(host, "localhost") || slices.ContainsFunc(s.cfg.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// sameOrigin reports whether a request comes from no web page, or from one that
// was loaded from this server.
func (s *Server) sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, err := url.Parse(origins[0])
	return err == nil && len(origins) == 1 && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

// shown reports whether an Authorization header has the token. How long it takes
// says nothing about the token, its length included.
func (s *Server) shown(header string) bool {
	scheme, token, _ := strings.Cut(header, " ")
	digest := sha256.Sum256([]byte(strings.TrimSpace(token)))
	return subtle.ConstantTimeCompare(digest[:], s.digest[:]) == 1 && strings.EqualFold(scheme, "Bearer")
}
