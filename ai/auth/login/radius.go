package login

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

// RadiusGateway is the vendor's own gateway.
const RadiusGateway = "https://radius.pi.dev"

const radiusScopes = "gateway offline_access"

// RadiusOptions name a gateway. The zero value is the vendor's own.
type RadiusOptions struct {
	Provider string // the provider's id; empty means "radius"
	Name     string // for people; empty means "Radius"
	Gateway  string // its address, with or without https:// and /v1
	KeyVars  []string
}

// Radius is the login of a Radius gateway: in a browser, or by a code to type. It
// needs a client id, unless the gateway registers programs itself.
func Radius(o RadiusOptions) auth.OAuthMethod {
	if o.Provider == "" {
		o.Provider = "radius"
		o.KeyVars = []string{"RADIUS_API_KEY"}
	}
	if o.Name == "" {
		o.Name = "Radius"
	}
	return radius{vendor{o.Provider, o.Name, o.KeyVars}, NormalizeGateway(o.Gateway)}
}

// NormalizeGateway gives the address of a gateway with a scheme and without /v1; an
// empty one is [RadiusGateway].
func NormalizeGateway(address string) string {
	address = strings.TrimSuffix(strings.TrimRight(strings.TrimSpace(address), "/"), "/v1")
	switch {
	case address == "":
		return RadiusGateway
	case !strings.Contains(address, "://"):
		return "https://" + address
	}
	return address
}

type radius struct {
	vendor
	gateway string
}

func (r radius) callback() oauth.Callback {
	return oauth.Callback{Port: 1456, Path: "/oauth/callback", Host: "127.0.0.1"}
}

// NeedsClientID is false: the vendor lets this program sign in as it is.
func (radius) NeedsClientID() bool { return false }

// Login runs the flow.
func (r radius) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	var found struct {
		Authorize string `json:"authorizationEndpoint"`
		Register  string `json:"registrationEndpoint"`
	}
	if err := oauth.SendJSON(ctx, h, oauth.Request{URL: r.gateway + "/v1/oauth"}, &found); err != nil {
		return nil, err
	}
	client, err := r.client(ctx, h, found.Register)
	if err != nil {
		return nil, err
	}
	way, err := oauth.Choose(ctx, ui,
		auth.Option{ID: "browser", Label: "In a browser on this machine"},
		auth.Option{ID: "device", Label: "By a code to type", Description: "on any device with a browser"})
	if err != nil {
		return nil, err
	}
	token := r.gateway + "/v1/oauth/token"
	if way == "device" {
		return deviceLogin(ctx, h, ui, r.gateway+"/v1/oauth/device", url.Values{"client_id": {client}, "scope": {radiusScopes}}, token, nil,
			func(_ context.Context, t *oauth.Token) (*auth.Credential, error) { return r.store(h, t, nil, client) })
	}
	if err := r.trusted(found.Authorize); err != nil {
		return nil, fmt.Errorf("the gateway's page to sign in at: %w", err)
	}
	flow := oauth.Browser{
		AuthorizeURL: found.Authorize, Callback: r.callback(),
		Params: url.Values{"client_id": {client}, "response_type": {"code"}, "scope": {radiusScopes}},
	}
	return flow.Run(ctx, h, ui, func(ctx context.Context, g oauth.Grant) (*auth.Credential, error) {
		t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: token, Form: codeForm(g, client)})
		if err != nil {
			return nil, err
		}
		return r.store(h, t, nil, client)
	})
}

// client is the configured client id, or one that the gateway issues (RFC 7591).
func (r radius) client(ctx context.Context, h auth.Host, register string) (string, error) {
	if h.ClientID != "" || register == "" {
		return r.clientID(h)
	}
	if err := r.trusted(register); err != nil {
		return "", fmt.Errorf("the gateway's address to register at: %w", err)
	}
	cb := r.callback()
	var answer struct {
		ID string `json:"client_id"`
	}
	err := oauth.SendJSON(ctx, h, oauth.Request{URL: register, JSON: map[string]any{
		"client_name": h.WithDefaults().Name, "token_endpoint_auth_method": "none", "scope": radiusScopes,
		"redirect_uris":  []string{fmt.Sprintf("http://%s:%d%s", cb.Host, cb.Port, cb.Path)},
		"grant_types":    []string{"authorization_code", "refresh_token", oauth.DeviceGrant},
		"response_types": []string{"code"},
	}}, &answer)
	if err == nil && answer.ID == "" {
		err = errors.New("the answer has no client id")
	}
	if err != nil {
		return "", fmt.Errorf("register with the gateway: %w", err)
	}
	return answer.ID, nil
}

// trusted checks an address that the gateway names: it must not be less secure than
// the gateway.
func (r radius) trusted(address string) error {
	u, err := oauth.WebURL(address)
	if err != nil {
		return err
	}
	if u.Scheme != "https" && strings.HasPrefix(r.gateway, "https://") {
		return errors.New("it is not https")
	}
	return nil
}

func (r radius) store(h auth.Host, t *oauth.Token, old *auth.Credential, client string) (*auth.Credential, error) {
	c, err := t.Credential(h, old, oauth.Lifetime{Margin: time.Minute})
	if err != nil {
		return nil, err
	}
	if t.Scope != "" {
		if err := oauth.SetExtra(c, "scope", t.Scope); err != nil {
			return nil, err
		}
	}
	if client != h.ClientID { // it was issued for this login
		err = oauth.SetExtra(c, "clientId", client)
	}
	return c, err
}

// Refresh renews the login.
func (r radius) Refresh(ctx context.Context, h auth.Host, c *auth.Credential) (*auth.Credential, error) {
	client := oauth.Extra(c, "clientId")
	if client == "" {
		var err error
		if client, err = r.clientID(h); err != nil {
			return nil, err
		}
	}
	form, err := refreshForm(c, client)
	if err != nil {
		return nil, err
	}
	t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: r.gateway + "/v1/oauth/token", Form: form})
	if err != nil {
		return nil, err
	}
	return r.store(h, t, c, client)
}

// ToAuth sends the token as a bearer token.
func (r radius) ToAuth(c *auth.Credential) (*auth.Resolved, error) { return bearer(c) }
