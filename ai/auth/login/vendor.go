package login

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

// vendor is what all logins have in common.
type vendor struct {
	id      string // of the provider
	name    string // for people
	keyVars []string
}

// Name is for people.
func (v vendor) Name() string { return v.name }

// NeedsClientID is true of most vendors.
func (v vendor) NeedsClientID() bool { return true }

func (v vendor) clientID(h auth.Host) (string, error) {
	return h.NeedClientID(v.id, v.keyVars...)
}

// bearer authenticates by the access token.
func bearer(c *auth.Credential) (*auth.Resolved, error) {
	if c.Access == "" {
		return nil, errors.New("the stored login has no token; sign in again")
	}
	return &auth.Resolved{APIKey: c.Access, Bearer: true, OAuth: true, Env: c.Env, Source: "OAuth"}, nil
}

// refreshForm is a renewal as RFC 6749 has it.
func refreshForm(c *auth.Credential, client string) (url.Values, error) {
	if c.Refresh == "" {
		return nil, errors.New("the stored login can not be renewed, as it has no refresh token; sign in again")
	}
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c.Refresh}, "client_id": {client}}, nil
}

// codeForm is the exchange of a code as RFC 6749 and 7636 have it.
func codeForm(g oauth.Grant, client string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "client_id": {client}, "code": {g.Code},
		"code_verifier": {g.Verifier}, "redirect_uri": {g.RedirectURI},
	}
}

// deviceLogin is a login as RFC 8628 has it. check, which may be nil, looks at the
// code before it is shown.
func deviceLogin(ctx context.Context, h auth.Host, ui auth.Interaction, codeURL string, form url.Values, tokenURL string, check func(*oauth.Device) error, store func(context.Context, *oauth.Token) (*auth.Credential, error)) (*auth.Credential, error) {
	d, err := oauth.RequestDevice(ctx, h, oauth.Request{URL: codeURL, Form: form})
	if err != nil {
		return nil, err
	}
	if check != nil {
		if err := check(d); err != nil {
			return nil, err
		}
	}
	var t *oauth.Token
	poll := func(ctx context.Context) (*auth.Credential, error) {
		t, err = oauth.RequestToken(ctx, h, oauth.Request{URL: tokenURL, Form: url.Values{
			"grant_type": {oauth.DeviceGrant}, "client_id": form["client_id"], "device_code": {d.Code},
		}})
		return nil, err
	}
	if _, err := d.Run(ctx, h, ui, poll); err != nil {
		return nil, err
	}
	return store(ctx, t)
}

// claims reads the payload of a JSON web token, in the URL-safe alphabet that they
// are written in. The signature is not looked at: the token came from the vendor
// itself over TLS.
func claims(token string, into any) error {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return errors.New("the token is no JSON web token")
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return errors.New("the payload of the token is not base64")
	}
	if err := json.Unmarshal(payload, into); err != nil {
		return errors.New("the payload of the token is not what was expected")
	}
	return nil
}
