package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pi-go/pi/server"
)

func TestWhoMayAsk(t *testing.T) {
	r := newRig(t, func(c *server.Config) {
		c.Token, c.Hosts = "a-token-of-some-length", []string{"pi.example", "192.0.2.7"}
	})
	path := r.open()
	for _, tt := range []struct {
		name   string
		change func(q *http.Request)
		status int
		code   string
	}{
		{"as usual", func(*http.Request) {}, 200, ""},
		{"no token", func(q *http.Request) { q.Header.Del("Authorization") }, 401, "wrong_token"},
		{"empty token", func(q *http.Request) { q.Header.Set("Authorization", "Bearer ") }, 401, "wrong_token"},
		{"another token", func(q *http.Request) { q.Header.Set("Authorization", "Bearer a-token-of-some-lengtH") }, 401, "wrong_token"},
		{"beginning of the token", func(q *http.Request) { q.Header.Set("Authorization", "Bearer a-token") }, 401, "wrong_token"},
		{"more than the token", func(q *http.Request) { q.Header.Set("Authorization", "Bearer a-token-of-some-length2") }, 401, "wrong_token"},
		{"another scheme", func(q *http.Request) { q.Header.Set("Authorization", "Basic a-token-of-some-length") }, 401, "wrong_token"},
		{"scheme in other letters", func(q *http.Request) { q.Header.Set("Authorization", "bearer a-token-of-some-length") }, 200, ""},
		{"token in the address", func(q *http.Request) {
			q.Header.Del("Authorization")
			q.URL.RawQuery = "token=a-token-of-some-length"
		}, 401, "wrong_token"},
		{"localhost", func(q *http.Request) { q.Host = "localhost:1" }, 200, ""},
		{"loopback of IPv6", func(q *http.Request) { q.Host = "[::1]:7717" }, 200, ""},
		{"mapped loopback", func(q *http.Request) { q.Host = "[::ffff:127.0.0.1]" }, 200, ""},
		{"a configured name", func(q *http.Request) { q.Host = "PI.example" }, 200, ""},
		{"a configured address", func(q *http.Request) { q.Host = "192.0.2.7:80" }, 200, ""},
		{"a name that was pointed here", func(q *http.Request) { q.Host = "evil.example:7717" }, 403, "wrong_host"},
		{"a name that looks like ours", func(q *http.Request) { q.Host = "localhost.evil.example" }, 403, "wrong_host"},
		{"an address with a name behind", func(q *http.Request) { q.Host = "127.0.0.1.evil.example" }, 403, "wrong_host"},
		{"another address", func(q *http.Request) { q.Host = "10.0.0.1" }, 403, "wrong_host"},
		{"any address", func(q *http.Request) { q.Host = "0.0.0.0" }, 403, "wrong_host"},
		{"our own page", func(q *http.Request) { q.Header.Set("Origin", "http://"+q.Host) }, 200, ""},
		{"a foreign page", func(q *http.Request) { q.Header.Set("Origin", "https://evil.example") }, 403, "wrong_origin"},
		{"a page of another port", func(q *http.Request) { q.Header.Set("Origin", "http://127.0.0.1:1") }, 403, "wrong_origin"},
		{"a sandboxed page", func(q *http.Request) { q.Header.Set("Origin", "null") }, 403, "wrong_origin"},
		{"two origins", func(q *http.Request) { q.Header["Origin"] = []string{"http://" + q.Host, "https://evil.example"} }, 403, "wrong_origin"},
		{"an image on a foreign page", func(q *http.Request) { q.Header.Set("Sec-Fetch-Site", "cross-site") }, 403, "wrong_origin"},
		{"a page of the same site", func(q *http.Request) { q.Header.Set("Sec-Fetch-Site", "same-site") }, 403, "wrong_origin"},
		{"an address typed by a person", func(q *http.Request) { q.Header.Set("Sec-Fetch-Site", "none") }, 200, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q := r.request(t.Context(), "GET", path, "")
			q.Host = strings.TrimPrefix(r.http.URL, "http://")
			tt.change(q)
			a, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Body.Close()
			data, err := io.ReadAll(a.Body)
			if err != nil {
				t.Fatal(err)
			}
			if a.StatusCode != tt.status || tt.code != "" && !strings.Contains(string(data), `"code":"`+tt.code+`"`) {
				t.Errorf("got %d %s", a.StatusCode, data)
			}
			for name := range a.Header {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("the answer has %s", name)
				}
			}
			if (a.StatusCode == 401) != (a.Header.Get("WWW-Authenticate") != "") {
				t.Errorf("WWW-Authenticate is %q", a.Header.Get("WWW-Authenticate"))
			}
			if strings.Contains(string(data), "a-token") {
				t.Error("the answer has the token")
			}
		})
	}
}

// What is refused has no effect, whatever it asks for.
func TestRefusedRequestsDoNothing(t *testing.T) {
	r := newRig(t, nil)
	path := r.open()
	for _, q := range []*http.Request{
		r.request(t.Context(), "DELETE", path, ""),
		r.request(t.Context(), "POST", path+"/prompt", `{"message":"hi"}`),
		r.request(t.Context(), "POST", "/v1/sessions", `{"dir":"/"}`),
		r.request(t.Context(), "OPTIONS", path+"/prompt", ""), // a preflight
	} {
		q.Header.Set("Origin", "https://evil.example")
		if status, body := r.send(q); status != 403 {
			t.Errorf("%s %s: %d %s", q.Method, q.URL.Path, status, body)
		}
	}
	var list struct{ Sessions []server.Info }
	r.must(200, "GET", "/v1/sessions", "", &list)
	if len(list.Sessions) != 1 || list.Sessions[0].Busy || len(r.model.Requests()) != 0 {
		t.Errorf("sessions %+v, %d requests", list.Sessions, len(r.model.Requests()))
	}
}

func TestTokens(t *testing.T) {
	open := server.Template{}.Open
	a, err := server.New(server.Config{Open: open})
	if err != nil {
		t.Fatal(err)
	}
	b, err := server.New(server.Config{Open: open})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Token()) < 32 || a.Token() == b.Token() {
		t.Errorf("random tokens %q and %q", a.Token(), b.Token())
	}
	for token, want := range map[string]string{"short": "at least 16", "a long token with blanks": "visible ASCII", "ein-längeres-Kennwort": "visible ASCII"} {
		if _, err := server.New(server.Config{Open: open, Token: token}); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), token) {
			t.Errorf("token %q: %v", token, err)
		}
	}
	if _, err := server.New(server.Config{}); err == nil || !strings.Contains(err.Error(), "Config.Open") {
		t.Errorf("got %v", err)
	}
}
