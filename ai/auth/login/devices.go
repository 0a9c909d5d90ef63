package login

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

const (
	xaiDevice = "https://auth.x.ai/oauth2/device/code"
	xaiToken  = "https://auth.x.ai/oauth2/token"
	xaiScopes = "openid profile email offline_access api:access"
)

// XAI is the login of Grok and X subscriptions, by a code to type. It needs a client
// id.
func XAI() auth.OAuthMethod {
	return xai{vendor{"xai", "xAI (Grok/X subscription)", []string{"XAI_API_KEY"}}}
}

type xai struct{ vendor }

// Login runs the flow.
func (x xai) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	client, err := x.clientID(h)
	if err != nil {
		return nil, err
	}
	secure := func(d *oauth.Device) error {
		if !strings.HasPrefix(d.URL, "https://") {
			return errors.New("the vendor names a page that is not https")
		}
		return nil
	}
	return deviceLogin(ctx, h, ui, xaiDevice, url.Values{"client_id": {client}, "scope": {xaiScopes}}, xaiToken, secure,
		func(_ context.Context, t *oauth.Token) (*auth.Credential, error) { return x.store(h, t, nil) })
}

// Refresh renews the login.
func (x xai) Refresh(ctx context.Context, h auth.Host, c *auth.Credential) (*auth.Credential, error) {
	client, err := x.clientID(h)
	if err != nil {
		return nil, err
	}
	form, err := refreshForm(c, client)
	if err != nil {
		return nil, err
	}
	t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: xaiToken, Form: form})
	if err != nil {
		return nil, err
	}
	return x.store(h, t, c)
}

func (x xai) store(h auth.Host, t *oauth.Token, old *auth.Credential) (*auth.Credential, error) {
	return t.Credential(h, old, oauth.Lifetime{Margin: 5 * time.Minute, Default: time.Hour})
}

// ToAuth sends the token as a bearer token.
func (x xai) ToAuth(c *auth.Credential) (*auth.Resolved, error) { return bearer(c) }

const (
	kimiHost    = "https://auth.kimi.com"
	kimiRetries = 3
)

// KimiCoding is the login of Kimi Code subscriptions, by a code to type. It needs a
// client id. The variable KIMI_CODE_OAUTH_HOST, or KIMI_OAUTH_HOST, names another
// host.
func KimiCoding() auth.OAuthMethod {
	return kimi{vendor{"kimi-coding", "Kimi Code (subscription)", []string{"KIMI_API_KEY"}}}
}

type kimi struct{ vendor }

func (k kimi) host(h auth.Host) string {
	for _, name := range []string{"KIMI_CODE_OAUTH_HOST", "KIMI_OAUTH_HOST"} {
		if host := strings.TrimRight(strings.TrimSpace(h.Env.Lookup(name)), "/"); host != "" {
			if !strings.Contains(host, "://") {
				host = "https://" + host
			}
			return host
		}
	}
	return kimiHost
}

// Login runs the flow.
func (k kimi) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	client, err := k.clientID(h)
	if err != nil {
		return nil, err
	}
	host := k.host(h)
	return deviceLogin(ctx, h, ui, host+"/api/oauth/device_authorization", url.Values{"client_id": {client}}, host+"/api/oauth/token", nil,
		func(_ context.Context, t *oauth.Token) (*auth.Credential, error) {
			return t.Credential(h, nil, oauth.Lifetime{Default: time.Hour})
		})
}

// Refresh renews the login. When the vendor is too busy it tries again after 1, 2 and
// 4 seconds.
func (k kimi) Refresh(ctx context.Context, h auth.Host, c *auth.Credential) (*auth.Credential, error) {
	client, err := k.clientID(h)
	if err != nil {
		return nil, err
	}
	form, err := refreshForm(c, client)
	if err != nil {
		return nil, err
	}
	h = h.WithDefaults()
	for n := 0; ; n++ {
		t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: k.host(h) + "/api/oauth/token", Form: form})
		if err == nil {
			return t.Credential(h, c, oauth.Lifetime{Default: time.Hour})
		}
		var e *oauth.Error
		if n >= kimiRetries || !errors.As(err, &e) || e.Status != http.StatusTooManyRequests && e.Status < 500 {
			return nil, err
		}
		if err := h.Sleep(ctx, time.Second<<n); err != nil {
			return nil, err
		}
	}
}

// ToAuth sends the token as a bearer token.
func (k kimi) ToAuth(c *auth.Credential) (*auth.Resolved, error) { return bearer(c) }

const (
	metaDevice = "https://auth.meta.com/oidc/device/authorization/"
	metaToken  = "https://auth.meta.com/oidc/device/token/"
	metaKey    = "https://api.meta.ai/muse-code/key"
	// metaKeyLife is how long a key is good for; the vendor's answer does not say.
	metaKeyLife = 24 * time.Hour
)

// Meta is the login of Muse subscriptions, by a code to type: it gives an identity,
// for which the vendor makes a key of a day. It needs a client id, but not to make
// another key.
func Meta() auth.OAuthMethod {
	return meta{vendor{"meta", "Meta (Muse subscription)", []string{"META_API_KEY"}}}
}

type meta struct{ vendor }

// Login runs the flow.
func (m meta) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	client, err := m.clientID(h)
	if err != nil {
		return nil, err
	}
	return deviceLogin(ctx, h, ui, metaDevice, url.Values{"client_id": {client}}, metaToken, nil,
		func(ctx context.Context, t *oauth.Token) (*auth.Credential, error) {
			return m.Refresh(ctx, h, &auth.Credential{Type: auth.TypeOAuth, Refresh: t.Access})
		})
}

// Refresh has a key made for the identity.
func (m meta) Refresh(ctx context.Context, h auth.Host, c *auth.Credential) (*auth.Credential, error) {
	var answer struct {
		Key string `json:"key"`
	}
	err := oauth.SendJSON(ctx, h, oauth.Request{
		URL: metaKey, Bearer: c.Refresh, JSON: map[string]string{}, Header: map[string]string{"x-api-version": "1.0.0"},
	}, &answer)
	var e *oauth.Error
	switch {
	case errors.As(err, &e) && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden):
		return nil, errors.New("the login has ended, and the vendor renews none; sign in again")
	case err != nil:
		return nil, err
	case !oauth.Sendable(answer.Key):
		return nil, errors.New("the vendor made no key")
	}
	fresh := c.Clone()
	fresh.Access = answer.Key
	fresh.Expires = h.WithDefaults().Now().Add(metaKeyLife).UnixMilli()
	return fresh, nil
}

// ToAuth sends the key as a bearer token.
func (m meta) ToAuth(c *auth.Credential) (*auth.Resolved, error) { return bearer(c) }
