package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/jsonobj"
)

// Anthropic is the login of Claude subscriptions: in the browser, or by a code to
// copy for machines without one.
func Anthropic(s Settings) auth.OAuthMethod {
	return &anthropic{newMethod(s, "anthropic", "Anthropic (Claude Pro/Max)", 5*time.Minute)}
}

type anthropic struct{ method }

const anthropicToken = "https://platform.claude.com/v1/oauth/token"

// Login runs the flow.
func (a *anthropic) Login(ctx context.Context, ui auth.Interaction) (*auth.Credential, error) {
	id, err := a.needID()
	if err != nil {
		return nil, err
	}
	way, err := choose(ctx, ui, "How do you want to sign in?",
		auth.Option{ID: "browser", Label: "In a browser on this machine"},
		auth.Option{ID: "copy", Label: "By copying a code", Description: "for a machine without a browser"})
	if err != nil {
		return nil, err
	}
	b := browser{
		authorize: "https://claude.ai/oauth/authorize", params: url.Values{"code": {"true"}, "client_id": {id}},
		scopes: []string{"org:create_api_key", "user:profile", "user:inference", "user:sessions:claude_code", "user:mcp_servers", "user:file_upload"},
		port:   53692, anyPort: true, path: "/callback", host: "localhost", verifierIsState: true,
	}
	if way == "copy" {
		b.copyTo = "https://platform.claude.com/oauth/code/callback"
	}
	return a.browserLogin(ctx, ui, b, func(ctx context.Context, g grant) (*auth.Credential, error) {
		t, err := a.token(ctx, call{url: anthropicToken, json: map[string]string{
			"grant_type": "authorization_code", "client_id": id, "code": g.code, "state": g.state,
			"redirect_uri": g.redirect, "code_verifier": g.verifier,
		}})
		if err != nil {
			return nil, fmt.Errorf("exchange the code: %w", err)
		}
		return a.credential(t), nil
	})
}

// Refresh renews the login.
func (a *anthropic) Refresh(ctx context.Context, c *auth.Credential) (*auth.Credential, error) {
	id, err := a.needIDToRenew()
	if err != nil {
		return nil, err
	}
	t, err := a.token(ctx, call{url: anthropicToken, json: map[string]string{
		"grant_type": "refresh_token", "refresh_token": c.Refresh, "client_id": id,
	}})
	if err != nil {
		return nil, err
	}
	return a.renewed(c, t), nil
}

// ToAuth sends the token as a bearer token.
func (a *anthropic) ToAuth(c *auth.Credential) (*auth.Resolved, error) { return bearer(c) }

// OpenRouter is the login of OpenRouter. It makes a key that never expires, and
// needs no client id.
func OpenRouter(s Settings) auth.OAuthMethod {
	return &openRouter{newMethod(s, "openrouter", "OpenRouter", 0)}
}

type openRouter struct{ method }

// Login runs the flow.
func (o *openRouter) Login(ctx context.Context, ui auth.Interaction) (*auth.Credential, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Minute, errors.New("the login was not completed within 5 minutes"))
	defer cancel()
	b := browser{
		authorize: "https://openrouter.ai/auth", anyPort: true, path: "/" + random(12), host: "localhost",
		noState: true, redirectName: "callback_url",
	}
	return o.browserLogin(ctx, ui, b, func(ctx context.Context, g grant) (*auth.Credential, error) {
		var answer struct {
			Key string `json:"key"`
		}
		err := o.send(ctx, call{url: "https://openrouter.ai/api/v1/auth/keys", json: map[string]string{
			"code": g.code, "code_verifier": g.verifier, "code_challenge_method": "S256",
		}}, &answer)
		switch {
		case err != nil:
			return nil, fmt.Errorf("exchange the code: %w", err)
		case answer.Key == "":
			return nil, errors.New("the vendor gave no key")
		}
		return &auth.Credential{Type: auth.TypeOAuth, Access: answer.Key}, nil
	})
}

// Refresh gives the login as it is: the key does not expire.
func (o *openRouter) Refresh(_ context.Context, c *auth.Credential) (*auth.Credential, error) {
	return c, nil
}

// ToAuth sends the key where the protocol puts keys.
func (o *openRouter) ToAuth(c *auth.Credential) (*auth.Resolved, error) {
	r, err := bearer(c)
	r.Bearer = false
	return r, err
}

// XAI is the login of Grok and X subscriptions, by a code to type.
func XAI(s Settings) auth.OAuthMethod {
	return &deviceMethod{
		method: newMethod(s, "xai", "xAI (Grok/X subscription)", 5*time.Minute),
		device: standardDevice{codeURL: "https://auth.x.ai/oauth2/device/code", tokenURL: "https://auth.x.ai/oauth2/token", scopes: "openid profile email offline_access"},
		expiry: 3600,
	}
}

// KimiCoding is the login of Kimi Code subscriptions, by a code to type. The
// variable KIMI_CODE_OAUTH_HOST or KIMI_OAUTH_HOST names another host.
func KimiCoding(s Settings) auth.OAuthMethod {
	m := newMethod(s, "kimi-coding", "Kimi Code (subscription)", 5*time.Minute)
	host := "https://auth.kimi.com"
	for _, name := range []string{"KIMI_OAUTH_HOST", "KIMI_CODE_OAUTH_HOST"} {
		if h := m.Env.Lookup(name); h != "" {
			host = strings.TrimRight(h, "/")
			if !strings.Contains(host, "://") {
				host = "https://" + host
			}
		}
	}
	return &deviceMethod{
		method: m, retries: 3,
		device: standardDevice{codeURL: host + "/api/oauth/device_authorization", tokenURL: host + "/api/oauth/token"},
	}
}

// deviceMethod is the login of vendors that keep to RFC 8628.
type deviceMethod struct {
	method
	device  standardDevice
	expiry  float64 // seconds, where the vendor names none
	retries int     // of a refresh that the vendor was too busy for
}

// Login runs the flow.
func (d *deviceMethod) Login(ctx context.Context, ui auth.Interaction) (*auth.Credential, error) {
	id, err := d.needID()
	if err != nil {
		return nil, err
	}
	t, err := d.standardDeviceLogin(ctx, ui, d.device, id, nil)
	if err != nil {
		return nil, err
	}
	if t.ExpiresIn == 0 {
		t.ExpiresIn = d.expiry
	}
	return d.credential(t), nil
}

// Refresh renews the login.
func (d *deviceMethod) Refresh(ctx context.Context, c *auth.Credential) (*auth.Credential, error) {
	id, err := d.needIDToRenew()
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		fresh, err := d.refreshForm(ctx, d.device.tokenURL, c, id)
		var refused *Error
		busy := errors.As(err, &refused) && (refused.Status == 429 || refused.Status >= 500)
		if err == nil || !busy || n >= d.retries {
			return fresh, err
		}
		if err := d.Sleep(ctx, time.Second<<n); err != nil {
			return nil, err
		}
	}
}

// ToAuth sends the token as a bearer token.
func (d *deviceMethod) ToAuth(c *auth.Credential) (*auth.Resolved, error) { return bearer(c) }

// OpenAICodex is the login of ChatGPT subscriptions: in the browser, or by a code
// to type.
func OpenAICodex(s Settings) auth.OAuthMethod {
	return &codex{newMethod(s, "openai-codex", "OpenAI (ChatGPT Plus/Pro)", 0)}
}

type codex struct{ method }

const (
	codexIssuer = "https://auth.openai.com"
	codexToken  = codexIssuer + "/oauth/token"
)

// Login runs the flow.
func (x *codex) Login(ctx context.Context, ui auth.Interaction) (*auth.Credential, error) {
	id, err := x.needID()
	if err != nil {
		return nil, err
	}
	way, err := choose(ctx, ui, "How do you want to sign in?",
		auth.Option{ID: "browser", Label: "In a browser on this machine"},
		auth.Option{ID: "device", Label: "By a code on another device"})
	if err != nil {
		return nil, err
	}
	if way == "device" {
		return x.byDevice(ctx, ui, id)
	}
	b := browser{
		authorize: codexIssuer + "/oauth/authorize", params: url.Values{"client_id": {id}, "originator": {"pi"}},
		scopes: []string{"openid", "profile", "email", "offline_access"}, port: 1455, path: "/auth/callback", host: "localhost",
	}
	return x.browserLogin(ctx, ui, b, func(ctx context.Context, g grant) (*auth.Credential, error) {
		return x.exchange(ctx, id, g)
	})
}

func (x *codex) exchange(ctx context.Context, id string, g grant) (*auth.Credential, error) {
	t, err := x.token(ctx, call{url: codexToken, form: url.Values{
		"grant_type": {"authorization_code"}, "client_id": {id}, "code": {g.code}, "code_verifier": {g.verifier}, "redirect_uri": {g.redirect},
	}})
	if err != nil {
		return nil, fmt.Errorf("exchange the code: %w", err)
	}
	return x.withAccount(x.credential(t))
}

// withAccount notes the account that the token is for.
func (x *codex) withAccount(c *auth.Credential) (*auth.Credential, error) {
	payload, err := claims(c.Access)
	if err != nil {
		return nil, err
	}
	var openai struct {
		Account string `json:"chatgpt_account_id"`
	}
	if err := json.Unmarshal(payload["https://api.openai.com/auth"], &openai); err != nil || openai.Account == "" {
		return nil, errors.New("the token names no ChatGPT account")
	}
	if c.Extra == nil {
		c.Extra = make(map[string]json.RawMessage)
	}
	c.Extra["accountId"] = jsonobj.AppendString(nil, openai.Account)
	return c, nil
}

// byDevice is the vendor's own kind of device login: what it gives is a code to
// exchange, together with its verifier.
func (x *codex) byDevice(ctx context.Context, ui auth.Interaction, id string) (*auth.Credential, error) {
	var d struct {
		ID       string          `json:"device_auth_id"`
		User     string          `json:"user_code"`
		Interval json.RawMessage `json:"interval"` // a number, or text
	}
	const base = codexIssuer + "/api/accounts/deviceauth"
	if err := x.send(ctx, call{url: base + "/usercode", json: map[string]string{"client_id": id}}, &d); err != nil {
		return nil, fmt.Errorf("ask %s for a code: %w", x.name, err)
	}
	var interval float64
	_ = json.Unmarshal([]byte(strings.Trim(string(d.Interval), `"`)), &interval) // the standard one otherwise
	var g grant
	_, err := x.deviceLogin(ctx, ui, deviceCode{User: d.User, URI: codexIssuer + "/codex/device", Interval: interval}, func(ctx context.Context) (*token, error) {
		var answer struct {
			Code     string `json:"authorization_code"`
			Verifier string `json:"code_verifier"`
		}
		err := x.send(ctx, call{url: base + "/token", json: map[string]string{"device_auth_id": d.ID, "user_code": d.User}}, &answer)
		var refused *Error
		if errors.As(err, &refused) && (refused.Status == 403 || refused.Status == 404) {
			return nil, &Error{Status: refused.Status, Code: "authorization_pending"}
		}
		if err != nil {
			return nil, err
		}
		g = grant{code: answer.Code, verifier: answer.Verifier, redirect: codexIssuer + "/deviceauth/callback"}
		return &token{}, nil
	})
	if err != nil {
		return nil, err
	}
	return x.exchange(ctx, id, g)
}

// Refresh renews the login.
func (x *codex) Refresh(ctx context.Context, c *auth.Credential) (*auth.Credential, error) {
	id, err := x.needIDToRenew()
	if err != nil {
		return nil, err
	}
	fresh, err := x.refreshForm(ctx, codexToken, c, id)
	if err != nil {
		return nil, err
	}
	return x.withAccount(fresh)
}

// ToAuth sends the token as a bearer token, and the account it is for.
func (x *codex) ToAuth(c *auth.Credential) (*auth.Resolved, error) {
	r, err := bearer(c)
	if err != nil {
		return nil, err
	}
	var account string
	if json.Unmarshal(c.Extra["accountId"], &account) != nil || account == "" {
		withAccount, err := x.withAccount(c.Clone())
		if err != nil {
			return nil, err
		}
		_ = json.Unmarshal(withAccount.Extra["accountId"], &account) // it was just written
	}
	r.Headers = map[string]string{"chatgpt-account-id": account}
	return r, nil
}
