package transport

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// ProxyError says that a proxy is configured in a way that can not be used.
type ProxyError struct {
	Variable string // the environment variable that holds it
	Problem  string
}

func (e *ProxyError) Error() string { return "proxy from " + e.Variable + ": " + e.Problem }

type envKey struct{}

// WithEnv returns a context for requests made through Client.HTTPClient: env wins
// over the Client's environment when the proxy is chosen.
func WithEnv(ctx context.Context, env map[string]string) context.Context {
	return context.WithValue(ctx, envKey{}, env)
}

// proxy chooses the proxy of a request, in the form http.Transport wants.
func (c *Client) proxy(r *http.Request) (*url.URL, error) {
	own, _ := r.Context().Value(envKey{}).(map[string]string)
	return chooseProxy(r.URL, func(name string) (variable, value string) {
		for _, variable := range [2]string{strings.ToLower(name), strings.ToUpper(name)} {
			if value, ok := own[variable]; ok {
				return variable, value
			}
		}
		if c.opt.Env == nil {
			return "", ""
		}
		for _, variable := range [2]string{strings.ToLower(name), strings.ToUpper(name)} {
			if value := c.opt.Env(variable); value != "" {
				return variable, value
			}
		}
		return "", ""
	})
}

// chooseProxy returns the proxy for target, nil for none: <scheme>_proxy, else
// all_proxy, unless no_proxy names the host. A program on this machine is reached
// directly, unless the proxy is on this machine too.
func chooseProxy(target *url.URL, lookup func(name string) (variable, value string)) (*url.URL, error) {
	variable, value := lookup(target.Scheme + "_proxy")
	if value == "" && variable == "" {
		variable, value = lookup("all_proxy")
	}
	if value = strings.TrimSpace(value); value == "" {
		return nil, nil
	}
	if _, not := lookup("no_proxy"); bypassed(target, not) {
		return nil, nil
	}
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	proxy, err := url.Parse(value)
	if err != nil || proxy.Hostname() == "" {
		// The value may hold a password, so it is not shown.
		return nil, &ProxyError{variable, "the value is not an address; write http://host:port"}
	}
	switch proxy.Scheme {
	case "http", "https", "socks5", "socks5h":
	default:
		return nil, &ProxyError{variable, fmt.Sprintf("scheme %q is not supported; use http, https or socks5", proxy.Scheme)}
	}
	if loopback(target.Hostname()) && !loopback(proxy.Hostname()) {
		return nil, nil
	}
	return proxy, nil
}

// bypassed reports whether list, a no_proxy value, names the host of target: "*",
// or entries separated by commas or space, each a domain (with all below it), an
// address or a network, optionally with a port.
func bypassed(target *url.URL, list string) bool {
	host, port := strings.ToLower(strings.TrimSuffix(target.Hostname(), ".")), target.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[target.Scheme]
	}
	addr, addrErr := netip.ParseAddr(host)
	separator := func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '\r' }
	for entry := range strings.FieldsFuncSeq(strings.ToLower(list), separator) {
		if entry == "*" {
			return true
		}
		if network, err := netip.ParsePrefix(entry); err == nil {
			if addrErr == nil && network.Contains(addr.Unmap()) {
				return true
			}
			continue
		}
		name := entry
		if a, err := netip.ParseAddr(strings.Trim(entry, "[]")); err == nil { // an IPv6 address is full of colons
			name = a.String()
		} else if i := strings.LastIndexByte(entry, ':'); i >= 0 {
			if entry[i+1:] != port {
				continue
			}
			name = strings.Trim(entry[:i], "[]")
		}
		name = strings.TrimPrefix(strings.TrimPrefix(name, "*"), ".")
		if name != "" && (host == name || strings.HasSuffix(host, "."+name)) {
			return true
		}
	}
	return false
}

func loopback(host string) bool {
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsLoopback()
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
