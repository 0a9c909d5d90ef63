package oauth_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/authtest"
	"github.com/pi-go/pi/ai/auth/oauth"
)

const (
	authorizeAt = "auth.example/authorize"
	tokenAt     = "auth.example/token"
)

// vendor is a server with a page and a token endpoint.
func vendor() *authtest.Server {
	srv := authtest.New()
	srv.Handle(authorizeAt, srv.Authorize("", nil))
	srv.Handle(tokenAt, srv.Token(authtest.Tokens{Access: "at", Refresh: "rt", ExpiresIn: 3600}))
	return srv
}

func flow() oauth.Browser {
	return oauth.Browser{
		AuthorizeURL: "https://" + authorizeAt, Params: url.Values{"client_id": {"id"}, "response_type": {"code"}},
		Callback: oauth.Callback{Path: "/callback", Host: "localhost"},
	}
}

func exchange(h auth.Host) func(context.Context, oauth.Grant) (*auth.Credential, error) {
	return func(ctx context.Context, g oauth.Grant) (*auth.Credential, error) {
		t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: "https://" + tokenAt, Form: url.Values{
			"grant_type": {"authorization_code"}, "client_id": {"id"}, "code": {g.Code}, "code_verifier": {g.Verifier}, "redirect_uri": {g.RedirectURI},
		}})
		if err != nil {
			return nil, err
		}
		return t.Credential(h, nil, oauth.Lifetime{Margin: 5 * time.Minute})
	}
}

func get(t *testing.T, address string) (status int, header http.Header) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode, res.Header
}

func TestBrowser(t *testing.T) {
	srv := vendor()
	now := time.UnixMilli(1_900_000_000_000)
	h := auth.Host{HTTP: srv.Client(), Now: func() time.Time { return now }, UserAgent: "prog/1"}
	person := &authtest.Person{Browser: srv}
	c, err := flow().Run(t.Context(), h, person, exchange(h))
	if err != nil {
		t.Fatal(err)
	}
	if c.Type != auth.TypeOAuth || c.Access != "at-1" || c.Refresh != "rt-1" || c.Expires != now.Add(55*time.Minute).UnixMilli() {
		t.Errorf("%q %q expires %d", c.Access, c.Refresh, c.Expires)
	}
	if pages := person.Pages(); len(pages) != 1 || pages[0].Status != 200 || !strings.Contains(pages[0].Text, "Signed in") {
		t.Errorf("pages %+v", pages)
	}
	all := srv.Requests()
	q := all[0].Values
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || back.Hostname() != "localhost" || back.Path != "/callback" || len(q.Get("state")) != 43 || len(q.Get("code_challenge")) != 43 || q.Get("client_id") != "id" {
		t.Errorf("authorize request %v", q)
	}
	if v := all[1].Values.Get("code_verifier"); len(v) != 43 || v == q.Get("state") || all[1].Header.Get("User-Agent") != "prog/1" {
		t.Errorf("token request %v %v", all[1].Values, all[1].Header)
	}
	if conn, err := net.Dial("tcp", "127.0.0.1:"+back.Port()); err == nil {
		conn.Close()
		t.Error("the port is still open")
	}
}

// What comes to the port and is no answer changes nothing.
func TestCallbackPages(t *testing.T) {
	srv := vendor()
	h := auth.Host{HTTP: srv.Client()}
	address := make(chan *url.URL, 1)
	person := &authtest.Person{Opened: func(a string) {
		u, err := url.Parse(a)
		if err != nil {
			t.Error(err)
		}
		address <- u
	}}
	exchanging, goOn := make(chan struct{}), make(chan struct{})
	type result struct {
		c   *auth.Credential
		err error
	}
	done := make(chan result, 1)
	go func() {
		c, err := flow().Run(t.Context(), h, person, func(ctx context.Context, g oauth.Grant) (*auth.Credential, error) {
			close(exchanging)
			<-goOn
			return nil, errors.New("<b>the vendor is closed</b>")
		})
		done <- result{c, err}
	}()
	u := <-address
	base, state := u.Query().Get("redirect_uri"), u.Query().Get("state")
	for path, want := range map[string]int{
		"/":                              404,
		"/callback/more?code=x":          404,
		"/callback?code=x":               400,
		"/callback?code=x&state=guess":   400,
		"/callback?error=denied&state=x": 400,
		"/callback?state=" + state:       400,
		"/callback?code=&state=" + state: 400,
		"/favicon.ico":                   404,
	} {
		status, header := get(t, strings.TrimSuffix(base, "/callback")+path)
		if status != want || header.Get("Cache-Control") != "no-store" || header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %d %v, want %d", path, status, header, want)
		}
	}
	page := make(chan string, 1)
	go func() {
		res, err := http.Get(base + "?code=x&state=" + state)
		if err != nil {
			page <- err.Error()
			return
		}
		defer res.Body.Close()
		b := make([]byte, 4096)
		n, _ := res.Body.Read(b)
		page <- strconv.Itoa(res.StatusCode) + string(b[:n])
	}()
	<-exchanging
	if status, _ := get(t, base+"?code=y&state="+state); status != http.StatusConflict {
		t.Errorf("a second answer gets %d", status)
	}
	close(goOn)
	if r := <-done; r.c != nil || r.err == nil || !strings.Contains(r.err.Error(), "the vendor is closed") {
		t.Errorf("%v, %v", r.c, r.err)
	}
	if text := <-page; !strings.HasPrefix(text, "502") || !strings.Contains(text, "&lt;b&gt;the vendor is closed") {
		t.Errorf("the page is %s", text)
	}
}

func TestRefusedAtThePage(t *testing.T) {
	srv := vendor()
	srv.Handle(authorizeAt, func(r *authtest.Request) authtest.Response {
		q := url.Values{"error": {"access_denied"}, "error_description": {"No plan\x1b[31m"}, "state": {r.Values.Get("state")}}
		return authtest.Response{Status: 302, Header: map[string]string{"Location": r.Values.Get("redirect_uri") + "?" + q.Encode()}, Body: ""}
	})
	h := auth.Host{HTTP: srv.Client()}
	person := &authtest.Person{Browser: srv}
	_, err := flow().Run(t.Context(), h, person, exchange(h))
	if err == nil || err.Error() != "the vendor did not sign you in: access_denied: No plan[31m" {
		t.Errorf("got %v", err)
	}
	if pages := person.Pages(); len(pages) != 1 || pages[0].Status != 400 {
		t.Errorf("pages %+v", pages)
	}
}

// The pasted answer wins when the browser can not come back.
func TestPaste(t *testing.T) {
	for _, form := range []string{"url", "code#state", "code", "query"} {
		t.Run(form, func(t *testing.T) {
			srv := vendor()
			h := auth.Host{HTTP: srv.Client()}
			person := &authtest.Person{Answers: map[string][]string{auth.PromptCode: {"", "https://localhost/callback?code=x&state=of-another-login"}}}
			person.Opened = func(address string) {
				client := srv.Client()
				client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
				res, err := client.Get(address)
				if err != nil {
					t.Error(err)
					return
				}
				back, err := res.Location()
				if err != nil {
					t.Error(err)
					return
				}
				q := back.Query()
				text := map[string]string{
					"url": " " + back.String() + "\n", "code#state": q.Get("code") + "#" + q.Get("state"), "code": q.Get("code"), "query": back.RawQuery,
				}[form]
				person.Answers[auth.PromptCode] = append(person.Answers[auth.PromptCode], text)
			}
			c, err := flow().Run(t.Context(), h, person, exchange(h))
			if err != nil || c.Access != "at-1" {
				t.Fatalf("%v, %v", c, err)
			}
			notes := person.Notes()
			if len(notes) != 3 || notes[1].Message != "nothing was pasted" || !strings.Contains(notes[2].Message, "another login") {
				t.Errorf("notes %+v", notes)
			}
		})
	}
}

func TestNobodyAnswers(t *testing.T) {
	srv := vendor()
	h := auth.Host{HTTP: srv.Client()}
	f := flow()
	f.Timeout = time.Nanosecond
	if _, err := f.Run(t.Context(), h, &authtest.Person{}, exchange(h)); err == nil || !strings.Contains(err.Error(), "nobody signed in within 1ns") {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	person := &authtest.Person{Opened: func(string) { cancel(errors.New("escape")) }}
	if _, err := flow().Run(ctx, h, person, exchange(h)); err == nil || err.Error() != "escape" && !strings.Contains(err.Error(), "escape") {
		t.Errorf("got %v", err)
	}
	// Without anybody to paste, the browser alone is enough.
	quiet := &unattended{Person: authtest.Person{Browser: srv}}
	if c, err := flow().Run(t.Context(), h, quiet, exchange(h)); err != nil || c.Access != "at-1" {
		t.Errorf("%v, %v", c, err)
	}
	// But not where only a paste counts.
	f = flow()
	f.Paste = "https://auth.example/shown"
	if _, err := f.Run(t.Context(), h, quiet, exchange(h)); !errors.Is(err, auth.ErrNoPrompt) {
		t.Errorf("got %v", err)
	}
}

type unattended struct{ authtest.Person }

func (*unattended) Prompt(context.Context, auth.Prompt) (string, error) {
	return "", auth.ErrNoPrompt
}

func TestBusyPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	srv := vendor()
	h := auth.Host{HTTP: srv.Client()}
	f := flow()
	f.Callback.Port = l.Addr().(*net.TCPAddr).Port
	if _, err := f.Run(t.Context(), h, &authtest.Person{}, exchange(h)); err == nil || !strings.Contains(err.Error(), "another program uses it") || !strings.Contains(err.Error(), strconv.Itoa(f.Callback.Port)) {
		t.Errorf("got %v", err)
	}
	f.Callback.AnyPort = true
	if _, err := f.Run(t.Context(), h, &authtest.Person{Browser: srv}, exchange(h)); err != nil {
		t.Errorf("any port: %v", err)
	}
}

func TestCallbackHost(t *testing.T) {
	srv := vendor()
	h := auth.Host{HTTP: srv.Client(), Env: func(name string) string {
		return map[string]string{oauth.CallbackHostVariable: "localhost"}[name]
	}}
	f := flow()
	f.Callback.Host = ""
	person := &authtest.Person{Browser: srv}
	if _, err := f.Run(t.Context(), h, person, exchange(h)); err != nil {
		t.Fatal(err)
	}
	if back := srv.Requests()[0].Values.Get("redirect_uri"); !strings.HasPrefix(back, "http://localhost:") {
		t.Errorf("back at %s", back)
	}
	h.Env = func(string) string { return "no such host." }
	if _, err := f.Run(t.Context(), h, person, exchange(h)); err == nil || !strings.Contains(err.Error(), "listen for the browser at no such host.") {
		t.Errorf("got %v", err)
	}
}

func TestAddressOfThePage(t *testing.T) {
	for _, address := range []string{"file:///etc/passwd", "javascript:alert(1)", "https://", "https://user@host/", "::"} {
		f := flow()
		f.AuthorizeURL = address
		person := &authtest.Person{}
		if _, err := f.Run(t.Context(), auth.Host{}, person, nil); err == nil || len(person.Notes()) != 0 {
			t.Errorf("%s was shown: %v", address, err)
		}
	}
}

func FuzzParsePasted(f *testing.F) {
	for _, s := range []string{
		"", "abc", "abc#state", "#s", "code=a&state=b", "?code=a%23b", "http://localhost:1/cb?code=a&state=b#frag", "http://x/#code=a&state=b",
		"https://x/?error=access_denied", "a b", "'code'", "%%%", "http://[::1", "code=%zz", "x://?code=a#b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := oauth.ParsePasted(s)
		if err == nil && p.Code == "" && p.Query.Get("error") == "" {
			t.Errorf("%q gives neither a code nor an error", s)
		}
		if err != nil && len(s) > 12 && strings.Contains(err.Error(), s) {
			t.Errorf("the error repeats %q", s)
		}
	})
}
