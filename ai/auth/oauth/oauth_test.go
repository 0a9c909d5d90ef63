package oauth_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

// vendor is a local authorization server.
type vendor struct {
	t   *testing.T
	srv *httptest.Server

	mu       sync.Mutex
	seen     []string              // "METHOD path"
	bodies   map[string]url.Values // the last body by path, JSON flattened
	replies  map[string][]string   // queued answers by path: "status body"
	slept    []time.Duration
	redirect url.Values // the last query of the authorize page
}

func newVendor(t *testing.T) *vendor {
	t.Helper()
	v := &vendor{t: t, bodies: make(map[string]url.Values), replies: make(map[string][]string)}
	v.srv = httptest.NewServer(v)
	t.Cleanup(v.srv.Close)
	return v
}

func (v *vendor) reply(path string, answers ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.replies[path] = append(v.replies[path], answers...)
}

func (v *vendor) body(path string) url.Values {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.bodies[path]
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/authorize") || r.URL.Path == "/auth" {
		q := r.URL.Query()
		v.mu.Lock()
		v.redirect = q
		v.mu.Unlock()
		back := q.Get("redirect_uri")
		if back == "" {
			back = q.Get("callback_url")
		}
		if strings.HasPrefix(back, "https:") {
			return // the page shows the code
		}
		http.Redirect(w, r, back+"?"+url.Values{"code": {"the code"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
		return
	}
	text, _ := io.ReadAll(r.Body)
	values, _ := url.ParseQuery(string(text))
	var object map[string]any
	if json.Unmarshal(text, &object) == nil {
		values = url.Values{}
		for k, x := range object {
			values.Set(k, fmt.Sprint(x))
		}
	}
	values.Set("Authorization", r.Header.Get("Authorization"))
	v.mu.Lock()
	v.seen = append(v.seen, r.Method+" "+r.URL.Path)
	v.bodies[r.URL.Path] = values
	answer := `404 {"error":"not_found"}`
	if queue := v.replies[r.URL.Path]; len(queue) > 0 {
		answer = queue[0]
		if len(queue) > 1 {
			v.replies[r.URL.Path] = queue[1:]
		}
	}
	v.mu.Unlock()
	var status int
	code, body, _ := strings.Cut(answer, " ")
	fmt.Sscan(code, &status)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

// settings send all hosts to the local server.
func (v *vendor) settings(id string) oauth.Settings {
	hosts := make(map[string]string)
	for _, h := range []string{
		"claude.ai", "platform.claude.com", "openrouter.ai", "auth.x.ai", "auth.kimi.com", "auth.openai.com", "github.com", "api.github.com",
		"api.individual.githubcopilot.com", "api.from-token.example", "ghe.example.com", "api.ghe.example.com", "copilot-api.ghe.example.com",
	} {
		hosts[h] = v.srv.URL
	}
	return oauth.Settings{ClientID: id, Hosts: hosts, Env: func(string) string { return "" }, Now: func() time.Time { return time.UnixMilli(1_000_000) }, Sleep: v.sleep}
}

// sleep takes no time.
func (v *vendor) sleep(ctx context.Context, d time.Duration) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.slept = append(v.slept, d)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// person answers prompts and opens pages.
type person struct {
	t        *testing.T
	answers  map[string]string // by kind of prompt
	opens    bool              // opens pages in a "browser"
	mu       sync.Mutex
	notes    []auth.Notification
	status   chan int // of the page the browser ended on
	prompted int
}

func (p *person) Prompt(ctx context.Context, q auth.Prompt) (string, error) {
	p.mu.Lock()
	answer, ok := p.answers[q.Kind]
	p.prompted++
	n := p.prompted
	p.mu.Unlock()
	if !ok {
		if q.Kind == "manual_code" { // nobody types
			<-ctx.Done()
			return "", context.Cause(ctx)
		}
		return "", auth.ErrNoPrompt
	}
	if q.Kind == "manual_code" && n > 10 {
		return "", errors.New("asked too often")
	}
	return answer, nil
}

func (p *person) Notify(_ context.Context, n auth.Notification) {
	p.mu.Lock()
	p.notes = append(p.notes, n)
	p.mu.Unlock()
	if n.Kind == "auth_url" && p.opens {
		go func() {
			res, err := http.Get(n.URL)
			if err != nil {
				p.t.Error(err)
				p.status <- 0
				return
			}
			res.Body.Close()
			p.status <- res.StatusCode
		}()
	}
}

func newPerson(t *testing.T, answers map[string]string) *person {
	return &person{t: t, answers: answers, status: make(chan int, 1)}
}

func jwt(payload string) string {
	return "h." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".s"
}

func TestBrowserLogin(t *testing.T) {
	v := newVendor(t)
	v.reply("/v1/oauth/token", `200 {"access_token":"sk-ant-oat01-a","refresh_token":"r","expires_in":3600}`)
	p := newPerson(t, nil)
	p.opens = true
	c, err := oauth.Anthropic(v.settings("my-id")).Login(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if status := <-p.status; status != http.StatusOK {
		t.Errorf("the browser ends with status %d", status)
	}
	if c.Type != auth.TypeOAuth || c.Access != "sk-ant-oat01-a" || c.Refresh != "r" || c.Expires != 1_000_000+3600_000-300_000 {
		t.Errorf("stored %s, expires %d", c.Access, c.Expires)
	}
	b := v.body("/v1/oauth/token")
	if b.Get("grant_type") != "authorization_code" || b.Get("client_id") != "my-id" || b.Get("code") != "the code" || b.Get("state") != b.Get("code_verifier") ||
		!strings.HasPrefix(b.Get("redirect_uri"), "http://localhost:") || v.redirect.Get("code_challenge_method") != "S256" || v.redirect.Get("code_challenge") == b.Get("code_verifier") {
		t.Errorf("token request %v after %v", b, v.redirect)
	}
}

func TestPastedCode(t *testing.T) {
	v := newVendor(t)
	v.reply("/v1/oauth/token", `200 {"access_token":"a","refresh_token":"r","expires_in":3600}`)
	for _, pasted := range []string{"abc", " https://x.example/cb?code=abc ", "code=abc&foo=1", "abc#"} {
		p := newPerson(t, map[string]string{"select": "copy", "manual_code": pasted})
		if _, err := oauth.Anthropic(v.settings("id")).Login(t.Context(), p); err != nil {
			t.Fatalf("%q: %v", pasted, err)
		}
		if b := v.body("/v1/oauth/token"); b.Get("code") != "abc" || b.Get("redirect_uri") != "https://platform.claude.com/oauth/code/callback" {
			t.Errorf("%q: %v", pasted, b)
		}
	}
	for _, pasted := range []string{"", "some words", "https://x.example/", "abc#another-login", "code="} {
		p := newPerson(t, map[string]string{"select": "copy", "manual_code": pasted})
		if _, err := oauth.Anthropic(v.settings("id")).Login(t.Context(), p); err == nil || err.Error() != "asked too often" {
			t.Errorf("%q: %v; want to be asked again", pasted, err)
		}
	}
	cancel := newPerson(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, stop)
	if _, err := oauth.Anthropic(v.settings("id")).Login(ctx, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestCallbackPages(t *testing.T) {
	v := newVendor(t)
	v.reply("/v1/oauth/token", `400 {"error":"invalid_grant","error_description":"too old"}`)
	p := newPerson(t, nil)
	base := make(chan string, 1)
	ui := watch{p, func(n auth.Notification) {
		u, _ := url.Parse(n.URL)
		base <- u.Query().Get("redirect_uri") + "?state=" + u.Query().Get("state")
	}}
	result := make(chan error, 1)
	go func() {
		_, err := oauth.Anthropic(v.settings("id")).Login(t.Context(), ui)
		result <- err
	}()
	callback := <-base
	get := func(address string) int {
		res, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		return res.StatusCode
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(callback, "http://"), "/")
	for address, want := range map[string]int{
		"http://" + host + "/other":                             404,
		strings.Split(callback, "?")[0] + "?code=x&state=wrong": 400,
		callback: 400,
		callback + "&error=access_denied&error_description=you+said+no": 400,
	} {
		if got := get(address); got != want {
			t.Errorf("%s: %d, want %d", address, got, want)
		}
	}
	if got := get(callback + "&code=x"); got != http.StatusBadGateway {
		t.Errorf("a failed exchange: %d", got)
	}
	var refused *oauth.Error
	if err := <-result; !errors.As(err, &refused) || refused.Code != "invalid_grant" || !strings.Contains(err.Error(), "too old") {
		t.Errorf("got %v", err)
	}
}

// watch is a person who is watched.
type watch struct {
	*person
	see func(auth.Notification)
}

func (w watch) Notify(_ context.Context, n auth.Notification) { w.see(n) }

func TestOpenRouter(t *testing.T) {
	v := newVendor(t)
	v.reply("/api/v1/auth/keys", `200 {"key":"sk-or-1"}`)
	p := newPerson(t, nil)
	p.opens = true
	login := oauth.OpenRouter(v.settings(""))
	c, err := login.Login(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	<-p.status
	if c.Access != "sk-or-1" || c.Expires != 0 || v.redirect.Get("state") != "" || v.body("/api/v1/auth/keys").Get("code_challenge_method") != "S256" {
		t.Errorf("%s, %v", c.Access, v.redirect)
	}
	if r, err := login.ToAuth(c); err != nil || r.APIKey != "sk-or-1" || r.Bearer {
		t.Errorf("%v", err)
	}
	if again, err := login.Refresh(t.Context(), c); err != nil || again != c {
		t.Errorf("refreshing changes the key: %v", err)
	}
}

func TestDeviceLogins(t *testing.T) {
	const code = `200 {"device_code":"d","user_code":"WXYZ","verification_uri":"https://page.example","interval":7}`
	for _, tt := range []struct {
		name               string
		method             func(oauth.Settings) auth.OAuthMethod
		codePath, tokePath string
	}{
		{"xai", oauth.XAI, "/oauth2/device/code", "/oauth2/token"},
		{"kimi", oauth.KimiCoding, "/api/oauth/device_authorization", "/api/oauth/token"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newVendor(t)
			v.reply(tt.codePath, code)
			v.reply(tt.tokePath, `400 {"error":"authorization_pending"}`, `400 {"error":"slow_down"}`, `200 {"access_token":"a","refresh_token":"r"}`)
			p := newPerson(t, nil)
			login := tt.method(v.settings("id"))
			c, err := login.Login(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if c.Access != "a" || c.Refresh != "r" || len(p.notes) != 1 || p.notes[0].UserCode != "WXYZ" || p.notes[0].URL != "https://page.example" {
				t.Errorf("%s %s, %+v", c.Access, c.Refresh, p.notes)
			}
			if want := []time.Duration{7 * time.Second, 7 * time.Second, 12 * time.Second}; !slices.Equal(v.slept, want) {
				t.Errorf("waited %v, want %v", v.slept, want)
			}
			if b := v.body(tt.tokePath); b.Get("device_code") != "d" || b.Get("client_id") != "id" {
				t.Errorf("%v", b)
			}
			v2 := newVendor(t)
			busy := `503 {}`
			if tt.name == "xai" {
				busy = `200 {"access_token":"b"}`
			}
			v2.reply(tt.tokePath, busy, `200 {"access_token":"b"}`)
			c.Extra = map[string]json.RawMessage{"kept": []byte("1")}
			fresh, err := tt.method(v2.settings("id")).Refresh(t.Context(), c)
			if err != nil || fresh.Access != "b" || fresh.Refresh != "r" || fresh.Extra["kept"] == nil {
				t.Errorf("renewed to %v, %v", fresh, err)
			}
		})
	}
	for answer, want := range map[string]string{
		`200 {"device_code":"d","user_code":"W","verification_uri":"javascript:alert(1)"}`: "a page that is none",
		`200 {}`:                         "no code to type",
		`400 {"error":"invalid_client"}`: "invalid_client",
	} {
		v := newVendor(t)
		v.reply("/oauth2/device/code", answer)
		if _, err := oauth.XAI(v.settings("id")).Login(t.Context(), newPerson(t, nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", answer, err)
		}
	}
	v := newVendor(t)
	v.reply("/oauth2/device/code", code)
	v.reply("/oauth2/token", `400 {"error":"access_denied"}`)
	if _, err := oauth.XAI(v.settings("id")).Login(t.Context(), newPerson(t, nil)); err == nil || !strings.Contains(err.Error(), "access_denied") {
		t.Errorf("denied: %v", err)
	}
	v = newVendor(t)
	v.reply("/oauth2/device/code", `200 {"device_code":"d","user_code":"W","verification_uri":"https://p.example","interval":0.01,"expires_in":0.05}`)
	v.reply("/oauth2/token", `400 {"error":"authorization_pending"}`)
	if _, err := oauth.XAI(v.settings("id")).Login(t.Context(), newPerson(t, nil)); err == nil || !strings.Contains(err.Error(), "was not typed") {
		t.Errorf("expired: %v", err)
	}
}

func TestOpenAICodex(t *testing.T) {
	token := jwt(`{"https://api.openai.com/auth":{"chatgpt_account_id":"acc-1>?"},"x":"` + strings.Repeat("?>", 20) + `"}`)
	if !strings.ContainsAny(token, "-_") {
		t.Fatal("the test token does not need the alphabet of URLs")
	}
	v := newVendor(t)
	v.reply("/api/accounts/deviceauth/usercode", `200 {"device_auth_id":"d","user_code":"W","interval":"0.01"}`)
	v.reply("/api/accounts/deviceauth/token", `403 {}`, `404 {}`, `200 {"authorization_code":"c","code_verifier":"v"}`)
	v.reply("/oauth/token", `200 {"access_token":"`+token+`","refresh_token":"r","expires_in":60}`)
	login := oauth.OpenAICodex(v.settings("id"))
	c, err := login.Login(t.Context(), newPerson(t, map[string]string{"select": "device"}))
	if err != nil {
		t.Fatal(err)
	}
	if string(c.Extra["accountId"]) != `"acc-1>?"` || v.body("/oauth/token").Get("code_verifier") != "v" {
		t.Errorf("%s, %v", c.Extra["accountId"], v.body("/oauth/token"))
	}
	if r, err := login.ToAuth(c); err != nil || r.Headers["chatgpt-account-id"] != "acc-1>?" || !r.Bearer {
		t.Errorf("%v, %v", r.Headers, err)
	}
	if _, err := login.ToAuth(&auth.Credential{Type: auth.TypeOAuth, Access: "no token"}); err == nil {
		t.Error("a token that is none is used")
	}
	if fresh, err := login.Refresh(t.Context(), c); err != nil || fresh.Access != token {
		t.Errorf("%v", err)
	}
}

func TestGitHubCopilot(t *testing.T) {
	const code = `200 {"device_code":"d","user_code":"W","verification_uri":"https://github.com/login/device","interval":0.01}`
	models := `200 {"data":[
		{"id":"a","model_picker_enabled":true,"policy":{"state":"enabled"},"capabilities":{"supports":{"tool_calls":true}}},
		{"id":"b","model_picker_enabled":true,"policy":{"state":"unconfigured"},"capabilities":{"supports":{"tool_calls":true}}},
		{"id":"c","model_picker_enabled":true,"capabilities":{"supports":{}}},
		{"id":"d","capabilities":{"supports":{"tool_calls":true}}}]}`
	for _, tt := range []struct{ domain, token, base string }{
		{"", "tid=1;proxy-ep=proxy.from-token.example;x=2", "https://api.from-token.example"},
		{"", "tid=1", "https://api.individual.githubcopilot.com"},
		{"https://ghe.example.com/path", "tid=1", "https://copilot-api.ghe.example.com"},
	} {
		v := newVendor(t)
		v.reply("/login/device/code", code)
		v.reply("/login/oauth/access_token", `200 {"error":"authorization_pending"}`, `200 {"access_token":"gho_1","token_type":"bearer"}`)
		v.reply("/copilot_internal/v2/token", `200 {"token":"`+tt.token+`","expires_at":2000}`)
		v.reply("/models", models)
		v.reply("/models/b/policy", `200 {}`)
		login := oauth.GitHubCopilot(v.settings("id"))
		c, err := login.Login(t.Context(), newPerson(t, map[string]string{"text": tt.domain}))
		if err != nil {
			t.Fatal(err)
		}
		if c.Refresh != "gho_1" || c.Access != tt.token || c.Expires != 2000_000-300_000 || string(c.Extra["availableModelIds"]) != `["a","b"]` {
			t.Errorf("%s %s %d %s", c.Refresh, c.Access, c.Expires, c.Extra["availableModelIds"])
		}
		if r, err := login.ToAuth(c); err != nil || r.BaseURL != tt.base || !r.Bearer {
			t.Errorf("%s, %v; want %s", r.BaseURL, err, tt.base)
		}
		if got := v.body("/copilot_internal/v2/token").Get("Authorization"); got != "Bearer gho_1" {
			t.Errorf("authorised by %q", got)
		}
	}
	v := newVendor(t)
	if _, err := oauth.GitHubCopilot(v.settings("id")).Login(t.Context(), newPerson(t, map[string]string{"text": "nonsense"})); err == nil {
		t.Error("nonsense is a domain")
	}
}

// Without a client id nothing is asked of anybody, and the error names the ways
// on.
func TestNoClientID(t *testing.T) {
	v := newVendor(t)
	for name, m := range map[string]func(oauth.Settings) auth.OAuthMethod{
		"ANTHROPIC": oauth.Anthropic, "XAI": oauth.XAI, "KIMI_CODING": oauth.KimiCoding, "OPENAI_CODEX": oauth.OpenAICodex, "GITHUB_COPILOT": oauth.GitHubCopilot,
	} {
		login := m(v.settings(""))
		if _, err := login.Login(t.Context(), newPerson(t, nil)); err == nil || !strings.Contains(err.Error(), "PI_OAUTH_CLIENT_ID_"+name) || !strings.Contains(err.Error(), "API key") {
			t.Errorf("%s: %v", name, err)
		}
		if name == "GITHUB_COPILOT" {
			continue // renews without one
		}
		old := &auth.Credential{Type: auth.TypeOAuth, Access: "secret-a", Refresh: "secret-r", Expires: 1}
		if _, err := login.Refresh(t.Context(), old); err == nil || !strings.Contains(err.Error(), "the program that made it") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(v.seen) != 0 {
		t.Errorf("requests without a client id: %v", v.seen)
	}
}
