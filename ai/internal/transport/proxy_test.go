package transport

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestChooseProxy(t *testing.T) {
	t.Parallel()
	type env map[string]string
	for _, c := range []struct {
		name     string
		own, env env
		target   string
		want     string // "direct", a proxy, or part of an error behind "!"
	}{
		{"nothing set", nil, nil, "https://api.test/", "direct"},
		{"by scheme", nil, env{"https_proxy": "http://p:1", "http_proxy": "http://q:1"}, "https://api.test/", "http://p:1"},
		{"by the other scheme", nil, env{"https_proxy": "http://p:1", "http_proxy": "http://q:1"}, "http://api.test/", "http://q:1"},
		{"for another scheme only", nil, env{"http_proxy": "http://q:1"}, "https://api.test/", "direct"},
		{"upper case", nil, env{"HTTPS_PROXY": "http://p:1"}, "https://api.test/", "http://p:1"},
		{"lower case wins", nil, env{"HTTPS_PROXY": "http://p:1", "https_proxy": "http://q:1"}, "https://api.test/", "http://q:1"},
		{"all", nil, env{"ALL_PROXY": "http://p:1"}, "https://api.test/", "http://p:1"},
		{"scheme before all", nil, env{"ALL_PROXY": "http://p:1", "HTTPS_PROXY": "http://q:1"}, "https://api.test/", "http://q:1"},
		{"the request's own wins", env{"HTTPS_PROXY": "http://own:1"}, env{"https_proxy": "http://p:1"}, "https://api.test/", "http://own:1"},
		{"the request wants none", env{"https_proxy": ""}, env{"https_proxy": "http://p:1", "all_proxy": "http://p:1"}, "https://api.test/", "direct"},
		{"the request's own exception", env{"no_proxy": "api.test"}, env{"https_proxy": "http://p:1"}, "https://api.test/", "direct"},
		{"without scheme", nil, env{"https_proxy": "p:3128"}, "https://api.test/", "http://p:3128"},
		{"with a password", nil, env{"https_proxy": "http://u:pw@p:1"}, "https://api.test/", "http://u:pw@p:1"},
		{"socks", nil, env{"all_proxy": "socks5://p:1080"}, "https://api.test/", "socks5://p:1080"},
		{"unknown scheme", nil, env{"all_proxy": "pac+http://p/x.pac"}, "https://api.test/", `!proxy from all_proxy: scheme "pac+http" is not supported`},
		{"socks 4", nil, env{"HTTPS_PROXY": "socks4://p:1"}, "https://api.test/", "!proxy from HTTPS_PROXY: scheme"},
		{"no address", nil, env{"https_proxy": "http://"}, "https://api.test/", "!is not an address"},
		{"nonsense hides its value", nil, env{"https_proxy": "http://u:secret@a b"}, "https://api.test/", "!proxy from https_proxy: the value is not an address"},
		{"this machine", nil, env{"http_proxy": "http://p:1"}, "http://localhost:11434/", "direct"},
		{"this machine by address", nil, env{"http_proxy": "http://p:1"}, "http://[::1]:11434/", "direct"},
		{"this machine through a proxy on it", nil, env{"http_proxy": "http://127.0.0.1:8080"}, "http://localhost:11434/", "http://127.0.0.1:8080"},
		{"a network of our own is not this machine", nil, env{"http_proxy": "http://p:1"}, "http://10.0.0.1/", "http://p:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			client := New(Options{Env: func(name string) string { return c.env[name] }})
			req := httptest.NewRequest("GET", c.target, nil)
			req = req.WithContext(WithEnv(req.Context(), c.own))
			proxy, err := client.proxy(req)
			got := "direct"
			if err != nil {
				got = "!" + err.Error()
			} else if proxy != nil {
				got = proxy.String()
			}
			if want, isErr := strings.CutPrefix(c.want, "!"); isErr && strings.HasPrefix(got, "!") && strings.Contains(got, want) && !strings.Contains(got, "secret") {
				return
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestNoProxy(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list, target string
		want         bool
	}{
		{"", "https://api.test/", false},
		{"*", "https://api.test/", true},
		{"api.test", "https://api.test/", true},
		{"API.test", "https://api.TEST/", true},
		{"test", "https://api.test/", true},
		{".test", "https://api.test/", true},
		{"*.test", "https://api.test/", true},
		{".api.test", "https://api.test/", true},
		{"pi.test", "https://api.test/", false},
		{"api.test", "https://api.test.evil.example/", false},
		{"a.example, b.example\tapi.test", "https://api.test/", true},
		{"a.example,b.example", "https://api.test/", false},
		{"api.test:443", "https://api.test/", true},
		{"api.test:8443", "https://api.test/", false},
		{"api.test:8443", "https://api.test:8443/", true},
		{"api.test:80", "http://api.test/", true},
		{"api.test", "https://api.test:8443/", true},
		{"10.0.0.1", "https://10.0.0.1/", true},
		{"10.0.0.0/8", "https://10.1.2.3/", true},
		{"10.0.0.0/8", "https://11.1.2.3/", false},
		{"10.0.0.0/8", "https://api.test/", false},
		{"::1", "https://[::1]/", true},
		{"[::1]:8443", "https://[::1]:8443/", true},
		{"[::1]:8443", "https://[::1]/", false},
		{"fd00::/8", "https://[fd00::7]/", true},
		{",, ,", "https://api.test/", false},
		{".", "https://api.test/", false},
		{"api.test", "https://api.test./", true},
	} {
		target, err := url.Parse(c.target)
		if err != nil {
			t.Fatal(err)
		}
		if got := bypassed(target, c.list); got != c.want {
			t.Errorf("no_proxy %q for %s: %v, want %v", c.list, c.target, got, c.want)
		}
	}
}

func TestThroughAProxy(t *testing.T) {
	t.Parallel()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			http.Error(w, "not that one", http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, "proxied %s", r.URL)
	}))
	defer proxy.Close()
	c := New(Options{Env: func(name string) string {
		if name == "http_proxy" {
			return "http://127.0.0.1:1" // nobody is there
		}
		return ""
	}})
	defer c.Close()
	env := map[string]string{"HTTP_PROXY": proxy.URL, "HTTPS_PROXY": proxy.URL}

	resp, err := c.Do(t.Context(), &Request{URL: "http://api.test/v1", Env: env})
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, resp); got != "proxied http://api.test/v1" {
		t.Errorf("answer %q", got)
	}

	req, err := http.NewRequestWithContext(WithEnv(t.Context(), env), "GET", "http://api.test/v2", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err = c.HTTPClient().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if string(b) != "proxied http://api.test/v2" {
		t.Errorf("through HTTPClient: %q", b)
	}

	_, err = c.Do(t.Context(), &Request{URL: "https://api.test/v1", Env: env})
	if e := typed(t, err); e.Phase != PhaseConnect || !strings.Contains(e.Error(), "Forbidden") {
		t.Errorf("phase %s: %v", e.Phase, e)
	}
	_, err = c.Do(t.Context(), &Request{URL: "https://api.test/v1", Env: map[string]string{"https_proxy": "gopher://p"}, Retry: Retry{Max: 2}})
	if e := typed(t, err); e.Retryable || !strings.Contains(e.Error(), "https_proxy") {
		t.Errorf("retryable %v: %v", e.Retryable, e)
	}
}
