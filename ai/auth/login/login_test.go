package login_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/authtest"
	"github.com/pi-go/pi/ai/auth/login"
)

const start = 1_900_000_000_000

// machine is a host whose clock moves when somebody waits by it.
type machine struct {
	auth.Host
	now   time.Time
	waits []time.Duration
	env   map[string]string
}

func newMachine(srv *authtest.Server) *machine {
	m := &machine{now: time.UnixMilli(start), env: make(map[string]string)}
	m.Host = auth.Host{
		HTTP: srv.Client(), ClientID: "my-id", UserAgent: "prog/1", Name: "prog",
		Env: func(n string) string { return m.env[n] },
		Now: func() time.Time { return m.now },
		Sleep: func(ctx context.Context, d time.Duration) error {
			m.waits, m.now = append(m.waits, d), m.now.Add(d)
			return ctx.Err()
		},
		InstallationID: func(context.Context) (string, error) { return "0B8E3C1A-6d1f-4c5e-9f0a-1234567890ab", nil },
	}
	return m
}

func in(d time.Duration) int64 { return time.UnixMilli(start).Add(d).UnixMilli() }

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func jwt(claims any) string {
	b, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	return "h." + base64.RawURLEncoding.EncodeToString(b) + ".s"
}

// last is the last request to an endpoint.
func last(t *testing.T, srv *authtest.Server, endpoint string) *authtest.Request {
	t.Helper()
	all := srv.Requests()
	slices.Reverse(all)
	for _, r := range all {
		if r.Endpoint() == endpoint {
			return r
		}
	}
	t.Fatalf("nothing asked %s", endpoint)
	return nil
}

func check(t *testing.T, c *auth.Credential, err error, access, refresh string, expires int64) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if c.Type != auth.TypeOAuth || c.Access != access || c.Refresh != refresh || c.Expires != expires {
		t.Fatalf("stored %s, %s, expires %d; want %s, %s, %d", c.Access, c.Refresh, c.Expires, access, refresh, expires)
	}
}

// freePort skips when the port of a vendor is in use on this machine.
func freePort(t *testing.T, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Skipf("port %s of this machine is in use: %v", port, err)
	}
	l.Close()
}

func TestAnthropic(t *testing.T) {
	srv := authtest.New()
	srv.Handle("claude.ai/oauth/authorize", srv.Authorize("", nil))
	srv.Handle("platform.claude.com/v1/oauth/token", srv.Token(authtest.Tokens{Access: "at", Refresh: "rt", ExpiresIn: 3600}))
	m := newMachine(srv)
	person := &authtest.Person{Browser: srv}
	c, err := login.Anthropic().Login(t.Context(), m.Host, person)
	check(t, c, err, "at-1", "rt-1", in(55*time.Minute))
	q, v := last(t, srv, "claude.ai/oauth/authorize").Values, last(t, srv, "platform.claude.com/v1/oauth/token")
	if q.Get("state") != v.Values.Get("code_verifier") || v.Values.Get("state") != q.Get("state") || v.Header.Get("Content-Type") != "application/json" ||
		!strings.HasPrefix(q.Get("redirect_uri"), "http://localhost:") || !strings.HasSuffix(q.Get("redirect_uri"), "/callback") || !strings.Contains(q.Get("scope"), "user:inference") {
		t.Errorf("authorize %v, token %v", q, v.Values)
	}
	c.Extra = map[string]json.RawMessage{"unknown": []byte("[1]")}
	again, err := login.Anthropic().Refresh(t.Context(), m.Host, c)
	check(t, again, err, "at-2", "rt-2", in(55*time.Minute))
	if string(again.Extra["unknown"]) != "[1]" {
		t.Error("a field was lost")
	}
	if _, err := login.Anthropic().Refresh(t.Context(), m.Host, c); err == nil || !strings.Contains(err.Error(), "invalid_grant") {
		t.Errorf("a refresh token is good twice: %v", err)
	}
	r, err := login.Anthropic().ToAuth(again)
	if err != nil || r.APIKey != "at-2" || !r.Bearer {
		t.Errorf("%+v, %v", r, err)
	}
}

// Where there is no browser the page shows a code.
func TestAnthropicCopy(t *testing.T) {
	srv := authtest.New()
	srv.Handle("claude.ai/oauth/authorize", srv.Authorize("", nil))
	srv.Handle("platform.claude.com/v1/oauth/token", srv.Token(authtest.Tokens{Access: "at", Refresh: "rt", ExpiresIn: 3600}))
	m := newMachine(srv)
	person := &authtest.Person{Answers: map[string][]string{auth.PromptSelect: {"copy"}}}
	person.Opened = func(address string) {
		client := srv.Client()
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		res, err := client.Get(address)
		if err != nil {
			t.Error(err)
			return
		}
		back, err := res.Location()
		if err != nil || back.Host != "platform.claude.com" {
			t.Errorf("back to %v, %v", back, err)
			return
		}
		person.Answers[auth.PromptCode] = []string{back.Query().Get("code") + "#" + back.Query().Get("state")}
	}
	c, err := login.Anthropic().Login(t.Context(), m.Host, person)
	check(t, c, err, "at-1", "rt-1", in(55*time.Minute))
}

// openAI gives what the vendor answers; tweak changes the OpenID token.
func openAI(scope string, tweak func(claims map[string]any)) *authtest.Server {
	srv := authtest.New()
	nonce := ""
	page := srv.Authorize("", url.Values{"client_id": {"oaiapp_issued"}})
	srv.Handle("auth.openai.com/api/accounts/authorize", func(r *authtest.Request) authtest.Response {
		nonce = r.Values.Get("nonce")
		return page(r)
	})
	srv.Handle("auth.openai.com/api/accounts/oauth/token", func(r *authtest.Request) authtest.Response {
		claims := map[string]any{"iss": "https://auth.openai.com", "aud": []string{"oaiapp_issued"}, "exp": start/1000 + 60, "nonce": nonce}
		if tweak != nil {
			tweak(claims)
		}
		return srv.Token(authtest.Tokens{Access: "at", Refresh: "rt", ExpiresIn: 3600, Extra: map[string]any{"id_token": jwt(claims), "scope": scope}})(r)
	})
	return srv
}

const planScopes = "openid offline_access chatgpt.tokens.use.direct"

func TestOpenAI(t *testing.T) {
	freePort(t, "1455")
	srv := openAI(planScopes, nil)
	m := newMachine(srv)
	m.ClientID = ""
	c, err := login.OpenAI().Login(t.Context(), m.Host, &authtest.Person{Browser: srv})
	check(t, c, err, "at-1", "rt-1", in(57*time.Minute))
	if string(c.Extra["clientId"]) != `"oaiapp_issued"` || string(c.Extra["scopes"]) != `["openid","offline_access","chatgpt.tokens.use.direct"]` {
		t.Errorf("stored %s %s", c.Extra["clientId"], c.Extra["scopes"])
	}
	q, v := last(t, srv, "auth.openai.com/api/accounts/authorize").Values, last(t, srv, "auth.openai.com/api/accounts/oauth/token").Values
	if q.Get("client_id") != "dynamic_agent_client" || q.Get("agent_name_hint") != "prog" || q.Get("ext_agent_host_id") != "urn:uuid:0b8e3c1a-6d1f-4c5e-9f0a-1234567890ab" ||
		q.Get("redirect_uri") != "http://127.0.0.1:1455/auth/callback" || q.Get("resource") != "https://api.openai.com/v1" {
		t.Errorf("authorize %v", q)
	}
	if v.Get("client_id") != "oaiapp_issued" || v.Get("resource") != "https://api.openai.com/v1" {
		t.Errorf("token %v", v)
	}
	c, err = login.OpenAI().Refresh(t.Context(), m.Host, c)
	check(t, c, err, "at-1", "rt-1", in(57*time.Minute)) // the endpoint is made anew
	if v := last(t, srv, "auth.openai.com/api/accounts/oauth/token").Values; v.Get("client_id") != "oaiapp_issued" || string(c.Extra["clientId"]) != `"oaiapp_issued"` {
		t.Errorf("renewed by %v", v)
	}
}

func TestOpenAIRefuses(t *testing.T) {
	freePort(t, "1455")
	for want, c := range map[string]struct {
		scope string
		tweak func(map[string]any)
	}{
		"did not allow this program to use your plan": {"openid", nil},
		"of another issuer":                           {planScopes, func(c map[string]any) { c["iss"] = "https://evil.example" }},
		"for another client":                          {planScopes, func(c map[string]any) { c["aud"] = "other" }},
		"of another login":                            {planScopes, func(c map[string]any) { c["nonce"] = "x" }},
		"has expired":                                 {planScopes, func(c map[string]any) { c["exp"] = start/1000 - 3600 }},
	} {
		srv := openAI(c.scope, c.tweak)
		person := &authtest.Person{Browser: srv}
		if _, err := login.OpenAI().Login(t.Context(), newMachine(srv).Host, person); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if p := person.Pages(); len(p) != 1 || p[0].Status != http.StatusBadGateway {
			t.Errorf("%s: pages %+v", want, p)
		}
	}
	m := newMachine(authtest.New())
	m.InstallationID = nil
	if _, err := login.OpenAI().Login(t.Context(), m.Host, &authtest.Person{}); err == nil || !strings.Contains(err.Error(), "id of this installation") {
		t.Errorf("got %v", err)
	}
	m.InstallationID = func(context.Context) (string, error) { return "me", nil }
	if _, err := login.OpenAI().Login(t.Context(), m.Host, &authtest.Person{}); err == nil || !strings.Contains(err.Error(), "no UUID") {
		t.Errorf("got %v", err)
	}
}

// The payload of a token is in the URL-safe alphabet: this one has both of its
// characters.
func codexToken(account string) string {
	return jwt(map[string]any{"https://api.openai.com/auth": map[string]string{"chatgpt_account_id": account}, "name": "~~~???>>>ÿÿ"})
}

func TestOpenAICodex(t *testing.T) {
	token := codexToken("acc-1")
	if !strings.ContainsAny(strings.Split(token, ".")[1], "-_") {
		t.Fatal("the test's token would decode by the plain alphabet too")
	}
	serve := func() *authtest.Server {
		srv := authtest.New()
		srv.Handle("auth.openai.com/oauth/authorize", srv.Authorize("", nil))
		good := srv.Token(authtest.Tokens{Access: "unused", Refresh: "rt", ExpiresIn: 3600, Extra: map[string]any{"access_token": token}})
		srv.Handle("auth.openai.com/oauth/token", good)
		return srv
	}
	t.Run("browser", func(t *testing.T) {
		freePort(t, "1455")
		srv := serve()
		m := newMachine(srv)
		c, err := login.OpenAICodex().Login(t.Context(), m.Host, &authtest.Person{Browser: srv})
		check(t, c, err, token, "rt-1", in(time.Hour))
		r, err := login.OpenAICodex().ToAuth(c)
		if err != nil || r.Headers["chatgpt-account-id"] != "acc-1" || string(c.Extra["accountId"]) != `"acc-1"` {
			t.Errorf("%+v, %v", r, err)
		}
		c, err = login.OpenAICodex().Refresh(t.Context(), m.Host, c)
		check(t, c, err, token, "rt-2", in(time.Hour))
		delete(c.Extra, "accountId") // as older files have it
		if r, err := login.OpenAICodex().ToAuth(c); err != nil || r.Headers["chatgpt-account-id"] != "acc-1" {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("device", func(t *testing.T) {
		srv := serve()
		pending := []int{403, 404}
		srv.Handle("auth.openai.com/api/accounts/deviceauth/usercode", func(r *authtest.Request) authtest.Response {
			return authtest.Response{Body: map[string]any{"device_auth_id": "dev", "user_code": "WXYZ", "interval": "3"}}
		})
		srv.Handle("auth.openai.com/api/accounts/deviceauth/token", func(r *authtest.Request) authtest.Response {
			if len(pending) > 0 {
				status := pending[0]
				pending = pending[1:]
				return authtest.Response{Status: status, Body: map[string]any{"error": map[string]string{"message": "not yet"}}}
			}
			const verifier = "vendors-own-verifier"
			return authtest.Response{Body: map[string]string{
				"authorization_code": srv.IssueCode("my-id", "https://auth.openai.com/deviceauth/callback", challenge(verifier)), "code_verifier": verifier,
			}}
		})
		m := newMachine(srv)
		person := &authtest.Person{Answers: map[string][]string{auth.PromptSelect: {"device"}}}
		c, err := login.OpenAICodex().Login(t.Context(), m.Host, person)
		check(t, c, err, token, "rt-1", in(time.Hour+9*time.Second))
		if n := person.Notes()[0]; n.UserCode != "WXYZ" || n.URL != "https://auth.openai.com/codex/device" || n.ExpiresIn != 15*time.Minute {
			t.Errorf("shown %+v", n)
		}
		if !slices.Equal(m.waits, []time.Duration{3 * time.Second, 3 * time.Second, 3 * time.Second}) {
			t.Errorf("waited %v", m.waits)
		}
	})
	for _, bad := range []string{"x", "a.b.c", "a.!!.c", jwt(map[string]any{}), jwt([]int{1})} {
		if _, err := login.OpenAICodex().ToAuth(&auth.Credential{Type: auth.TypeOAuth, Access: bad}); err == nil || strings.Contains(err.Error(), bad) && len(bad) > 1 {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestGitHubCopilot(t *testing.T) {
	models := func(list ...string) authtest.Response {
		var data []json.RawMessage
		for _, m := range list {
			data = append(data, json.RawMessage(m))
		}
		return authtest.Response{Body: map[string]any{"data": data}}
	}
	model := func(id string, picker bool, policy string, tools bool) string {
		return fmt.Sprintf(`{"id":%q,"model_picker_enabled":%v,"policy":{"state":%q},"capabilities":{"supports":{"tool_calls":%v}}}`, id, picker, policy, tools)
	}
	for name, c := range map[string]struct {
		domain, host, proxy, base string
		list                      authtest.Response
		ids                       string
	}{
		"individual": {
			"", "github.com", "", "api.individual.githubcopilot.com",
			models(model("a", true, "enabled", true), model("b", true, "unconfigured", true), model("c", false, "enabled", true), model("d", true, "enabled", false), `{"id":"e","model_picker_enabled":true,"capabilities":{"supports":{"tool_calls":true}}}`),
			`["a","b","e"]`,
		},
		"no picker": {
			"", "github.com", ";proxy-ep=proxy.individual.githubcopilot.com;x=1", "api.individual.githubcopilot.com",
			models(model("a", false, "enabled", true), model("b", false, "unconfigured", true), model("no/policy", false, "unconfigured", true), model("c", false, "disabled", true)),
			`["a","b"]`,
		},
		"business": {
			"", "github.com", ";proxy-ep=proxy.business.githubcopilot.com", "api.business.githubcopilot.com",
			models(model("a", false, "enabled", true)), `[]`,
		},
		"enterprise": {
			"https://Acme.ghe.com/", "acme.ghe.com", "", "copilot-api.acme.ghe.com",
			models(model("a", true, "enabled", true)), `["a"]`,
		},
		"no list": {"", "github.com", "", "api.individual.githubcopilot.com", authtest.Refuse(500, "oops", ""), ``},
	} {
		t.Run(name, func(t *testing.T) {
			srv := authtest.New()
			srv.Handle(c.host+"/login/device/code", srv.Device(1, nil))
			srv.Handle(c.host+"/login/oauth/access_token", srv.Token(authtest.Tokens{Access: "gho"}))
			api := "api." + c.host
			token := "tid=1" + c.proxy
			srv.Handle(api+"/copilot_internal/v2/token", func(r *authtest.Request) authtest.Response {
				return authtest.Response{Body: map[string]any{"token": token, "expires_at": start/1000 + 1800}}
			})
			srv.Handle(c.base+"/models", func(*authtest.Request) authtest.Response { return c.list })
			srv.Handle(c.base+"/models/b/policy", func(*authtest.Request) authtest.Response { return authtest.Response{} })
			m := newMachine(srv)
			person := &authtest.Person{Answers: map[string][]string{auth.PromptText: {c.domain}}}
			cred, err := login.GitHubCopilot().Login(t.Context(), m.Host, person)
			check(t, cred, err, token, "gho-1", in(25*time.Minute))
			if string(cred.Extra["availableModelIds"]) != c.ids {
				t.Errorf("models %s, want %s", cred.Extra["availableModelIds"], c.ids)
			}
			r, err := login.GitHubCopilot().ToAuth(cred)
			if err != nil || r.BaseURL != "https://"+c.base || r.APIKey != token || !r.Bearer {
				t.Errorf("%+v %s, %v", r, r.BaseURL, err)
			}
			list := last(t, srv, c.base+"/models")
			if list.Header.Get("X-GitHub-Api-Version") != "2026-06-01" || list.Header.Get("Authorization") != "Bearer "+token || list.Header.Get("User-Agent") != "prog/1" {
				t.Errorf("list asked with %v", list.Header)
			}
			for _, r := range srv.Requests() {
				for name := range r.Header {
					if strings.HasPrefix(name, "Editor") || name == "Copilot-Integration-Id" {
						t.Errorf("%s names another product: %v", r.Endpoint(), r.Header)
					}
				}
			}
			m.ClientID = "" // not needed to renew
			again, err := login.GitHubCopilot().Refresh(t.Context(), m.Host, cred)
			check(t, again, err, token, "gho-1", in(25*time.Minute))
			if string(again.Extra["availableModelIds"]) != c.ids || (c.domain != "") != (string(again.Extra["enterpriseUrl"]) == `"acme.ghe.com"`) {
				t.Errorf("kept %v", again.Extra)
			}
		})
	}
	m := newMachine(authtest.New())
	for _, bad := range []string{"no dots", "localhost", "a.b:99", "user@a.b"} {
		if _, err := login.GitHubCopilot().Login(t.Context(), m.Host, &authtest.Person{Answers: map[string][]string{auth.PromptText: {bad}}}); err == nil || !strings.Contains(err.Error(), "is no domain") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	// A token can not send requests elsewhere than to a host.
	for proxy, want := range map[string]string{"proxy.x.example/evil?": "https://api.x.example", "user@evil": "https://api.individual.githubcopilot.com", "": "https://api.individual.githubcopilot.com"} {
		r, err := login.GitHubCopilot().ToAuth(&auth.Credential{Access: "t;proxy-ep=" + proxy})
		if err != nil || r.BaseURL != want {
			t.Errorf("%s: %s, %v", proxy, r.BaseURL, err)
		}
	}
}

func TestXAI(t *testing.T) {
	srv := authtest.New()
	srv.Handle("auth.x.ai/oauth2/device/code", srv.Device(0, nil))
	srv.Handle("auth.x.ai/oauth2/token", srv.Token(authtest.Tokens{Access: "at", Refresh: "rt", Keep: true}))
	m := newMachine(srv)
	c, err := login.XAI().Login(t.Context(), m.Host, &authtest.Person{})
	check(t, c, err, "at-1", "rt-1", in(55*time.Minute+5*time.Second))
	c, err = login.XAI().Refresh(t.Context(), m.Host, c)
	check(t, c, err, "at-2", "rt-1", in(55*time.Minute+5*time.Second)) // kept, as the answer has none
	if scope := last(t, srv, "auth.x.ai/oauth2/device/code").Values.Get("scope"); strings.Contains(scope, "cli") {
		t.Errorf("the scope of another program: %s", scope)
	}
	srv.Handle("auth.x.ai/oauth2/device/code", srv.Device(0, map[string]any{"verification_uri": "http://auth.x.ai/device"}))
	person := &authtest.Person{}
	if _, err := login.XAI().Login(t.Context(), m.Host, person); err == nil || !strings.Contains(err.Error(), "not https") || len(person.Notes()) != 0 {
		t.Errorf("got %v", err)
	}
}

func TestMeta(t *testing.T) {
	srv := authtest.New()
	srv.Handle("auth.meta.com/oidc/device/authorization/", srv.Device(0, nil))
	srv.Handle("auth.meta.com/oidc/device/token/", srv.Token(authtest.Tokens{Access: "identity", ExpiresIn: 60}))
	keys := 0
	srv.Handle("api.meta.ai/muse-code/key", func(r *authtest.Request) authtest.Response {
		if r.Header.Get("Authorization") != "Bearer identity-1" || keys == 2 {
			return authtest.Response{Status: 401, Body: map[string]string{"detail": "no"}}
		}
		keys++
		return authtest.Response{Body: map[string]string{"key": fmt.Sprint("key-", keys)}}
	})
	m := newMachine(srv)
	c, err := login.Meta().Login(t.Context(), m.Host, &authtest.Person{})
	check(t, c, err, "key-1", "identity-1", in(24*time.Hour+5*time.Second))
	m.ClientID = "" // not needed to renew
	c, err = login.Meta().Refresh(t.Context(), m.Host, c)
	check(t, c, err, "key-2", "identity-1", in(24*time.Hour+5*time.Second))
	if _, err := login.Meta().Refresh(t.Context(), m.Host, c); err == nil || !strings.Contains(err.Error(), "sign in again") {
		t.Errorf("got %v", err)
	}
}

func TestKimiCoding(t *testing.T) {
	srv := authtest.New()
	srv.Handle("auth.kimi.com/api/oauth/device_authorization", srv.Device(0, nil))
	good := srv.Token(authtest.Tokens{Access: "at", Refresh: "rt", ExpiresIn: 900})
	busy := 0
	srv.Handle("auth.kimi.com/api/oauth/token", func(r *authtest.Request) authtest.Response {
		if busy > 0 {
			busy--
			return authtest.Response{Status: 429 + 71*(busy%2)} // 429 and 500
		}
		return good(r)
	})
	m := newMachine(srv)
	c, err := login.KimiCoding().Login(t.Context(), m.Host, &authtest.Person{})
	check(t, c, err, "at-1", "rt-1", in(15*time.Minute+5*time.Second))
	m.waits, busy = nil, 3
	c, err = login.KimiCoding().Refresh(t.Context(), m.Host, c)
	check(t, c, err, "at-2", "rt-2", in(15*time.Minute+12*time.Second))
	if !slices.Equal(m.waits, []time.Duration{time.Second, 2 * time.Second, 4 * time.Second}) {
		t.Errorf("waited %v", m.waits)
	}
	m.waits, busy = nil, 4
	if _, err := login.KimiCoding().Refresh(t.Context(), m.Host, c); err == nil || len(m.waits) != 3 {
		t.Errorf("%v after %v", err, m.waits)
	}
	busy, m.waits = 0, nil
	m.env["KIMI_OAUTH_HOST"] = "old.example"
	m.env["KIMI_CODE_OAUTH_HOST"] = "http://other.example/"
	if _, err := login.KimiCoding().Refresh(t.Context(), m.Host, c); err == nil || len(m.waits) != 0 || srv.Count("other.example/api/oauth/token") != 1 {
		t.Errorf("another host: %v", err)
	}
}

func TestOpenRouter(t *testing.T) {
	srv := authtest.New()
	srv.Handle("openrouter.ai/auth", srv.Authorize("callback_url", nil))
	srv.Handle("openrouter.ai/api/v1/auth/keys", func(r *authtest.Request) authtest.Response {
		if refused := srv.Redeem(r); refused != nil {
			return *refused
		}
		return authtest.Response{Body: map[string]string{"key": "sk-or-1"}}
	})
	m := newMachine(srv)
	m.ClientID = ""
	person := &authtest.Person{Browser: srv}
	c, err := login.OpenRouter().Login(t.Context(), m.Host, person)
	check(t, c, err, "sk-or-1", "", 1<<53-1)
	q := last(t, srv, "openrouter.ai/auth").Values
	back, err := url.Parse(q.Get("callback_url"))
	if err != nil || len(back.Path) != 44 || q.Has("state") || q.Has("client_id") {
		t.Errorf("authorize %v", q)
	}
	if p := person.Pages(); p[0].Status != 200 {
		t.Errorf("pages %+v", p)
	}
	if again, err := login.OpenRouter().Refresh(t.Context(), m.Host, c); err != nil || again != c {
		t.Errorf("%v", err)
	}
}

func TestRadius(t *testing.T) {
	serve := func(register bool) *authtest.Server {
		srv := authtest.New()
		found := map[string]string{"authorizationEndpoint": "https://radius.example/authorize"}
		if register {
			found["registrationEndpoint"] = "https://gate.example/v1/oauth/register"
		}
		srv.Handle("gate.example/v1/oauth", func(*authtest.Request) authtest.Response { return authtest.Response{Body: found} })
		srv.Handle("gate.example/v1/oauth/register", func(r *authtest.Request) authtest.Response {
			return authtest.Response{Status: 201, Body: map[string]string{"client_id": "issued to " + r.Values.Get("client_name")}}
		})
		srv.Handle("radius.example/authorize", srv.Authorize("", nil))
		srv.Handle("gate.example/v1/oauth/device", srv.Device(0, nil))
		srv.Handle("gate.example/v1/oauth/token", srv.Token(authtest.Tokens{Access: "at", Refresh: "rt", ExpiresIn: 3600, Extra: map[string]any{"scope": "gateway offline_access"}}))
		return srv
	}
	method := login.Radius(login.RadiusOptions{Gateway: "gate.example/v1/"})
	t.Run("browser", func(t *testing.T) {
		freePort(t, "1456")
		srv := serve(false)
		m := newMachine(srv)
		c, err := method.Login(t.Context(), m.Host, &authtest.Person{Browser: srv})
		check(t, c, err, "at-1", "rt-1", in(59*time.Minute))
		if q := last(t, srv, "radius.example/authorize").Values; q.Get("redirect_uri") != "http://127.0.0.1:1456/oauth/callback" || q.Get("scope") != "gateway offline_access" {
			t.Errorf("authorize %v", q)
		}
		if string(c.Extra["scope"]) != `"gateway offline_access"` || c.Extra["clientId"] != nil {
			t.Errorf("stored %v", c.Extra)
		}
		c, err = method.Refresh(t.Context(), m.Host, c)
		check(t, c, err, "at-2", "rt-2", in(59*time.Minute))
	})
	t.Run("device, registered", func(t *testing.T) {
		srv := serve(true)
		m := newMachine(srv)
		m.ClientID = ""
		person := &authtest.Person{Answers: map[string][]string{auth.PromptSelect: {"device"}}}
		c, err := method.Login(t.Context(), m.Host, person)
		check(t, c, err, "at-1", "rt-1", in(59*time.Minute+5*time.Second))
		c, err = method.Refresh(t.Context(), m.Host, c)
		check(t, c, err, "at-2", "rt-2", in(59*time.Minute+5*time.Second))
		if v := last(t, srv, "gate.example/v1/oauth/token").Values; v.Get("client_id") != "issued to prog" {
			t.Errorf("renewed as %v", v)
		}
	})
	t.Run("not secure", func(t *testing.T) {
		srv := serve(false)
		srv.Handle("gate.example/v1/oauth", func(*authtest.Request) authtest.Response {
			return authtest.Response{Body: map[string]string{"authorizationEndpoint": "http://radius.example/authorize"}}
		})
		if _, err := method.Login(t.Context(), newMachine(srv).Host, &authtest.Person{}); err == nil || !strings.Contains(err.Error(), "not https") {
			t.Errorf("got %v", err)
		}
	})
	for in, want := range map[string]string{"": "https://radius.pi.dev", "http://localhost:1/v1": "http://localhost:1", "a.example": "https://a.example"} {
		if got := login.NormalizeGateway(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestSomeNeedNoClientID(t *testing.T) {
	for id, method := range map[string]auth.OAuthMethod{"openai": login.OpenAI(), "openrouter": login.OpenRouter()} {
		if needs, ok := method.(auth.ClientIDLogin); !ok || needs.NeedsClientID() {
			t.Errorf("%s claims to need a client id", id)
		}
	}
}

// Without a client id nothing is sent, and the error names all ways on.
func TestNoClientID(t *testing.T) {
	for id, method := range map[string]auth.OAuthMethod{
		"anthropic": login.Anthropic(), "openai-codex": login.OpenAICodex(), "github-copilot": login.GitHubCopilot(), "xai": login.XAI(),
		"meta": login.Meta(), "kimi-coding": login.KimiCoding(),
	} {
		srv := authtest.New()
		m := newMachine(srv)
		m.ClientID = ""
		_, err := method.Login(t.Context(), m.Host, &authtest.Person{})
		var missing *auth.MissingClientError
		if !errors.As(err, &missing) || missing.Provider != id || len(srv.Requests()) != 0 || !strings.Contains(err.Error(), auth.ClientIDVariable(id)) || !strings.Contains(err.Error(), "models.json") {
			t.Errorf("%s: %v", id, err)
		}
		if needs, ok := method.(auth.ClientIDLogin); !ok || !needs.NeedsClientID() {
			t.Errorf("%s does not tell that it needs a client id", id)
		}
		if id != "openai-codex" && !strings.Contains(err.Error(), "use an API key instead") {
			t.Errorf("%s: %v", id, err)
		}
		if id == "github-copilot" || id == "meta" {
			continue
		}
		if _, err := method.Refresh(t.Context(), m.Host, &auth.Credential{Type: auth.TypeOAuth, Refresh: "r"}); !errors.As(err, &missing) || len(srv.Requests()) != 0 {
			t.Errorf("%s: renew: %v", id, err)
		}
	}
}
