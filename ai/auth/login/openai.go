package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

const (
	openAIIssuer    = "https://auth.openai.com"
	openAIAuthorize = openAIIssuer + "/api/accounts/authorize"
	openAIToken     = openAIIssuer + "/api/accounts/oauth/token"
	openAIResource  = "https://api.openai.com/v1"
	openAIScopes    = "openid profile email offline_access resource.invoke " + openAIPlanScope
	// openAIPlanScope is the permission to use the plan; without it the login is
	// good for nothing.
	openAIPlanScope = "chatgpt.tokens.use.direct"
	// openAIRegister is where every program begins that is not registered: the
	// vendor then issues an id and sends it back with the code. See
	// https://developers.openai.com/siwc/token-sharing-open-source/sign-in.
	openAIRegister = "dynamic_agent_client"
)

// OpenAI is the login of ChatGPT plans for OpenAI's own API. It needs no client id:
// the program is registered for the account at the first login. It does need an
// installation id.
func OpenAI() auth.OAuthMethod {
	return openAI{vendor{"openai", "OpenAI (ChatGPT subscription)", []string{"OPENAI_API_KEY"}}}
}

type openAI struct{ vendor }

// NeedsClientID is false: the vendor lets this program sign in as it is.
func (openAI) NeedsClientID() bool { return false }

// Login runs the flow.
func (o openAI) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	h = h.WithDefaults()
	host, err := installation(ctx, h)
	if err != nil {
		return nil, err
	}
	nonce, err := oauth.RandomToken(h)
	if err != nil {
		return nil, err
	}
	params := url.Values{
		"client_id": {openAIRegister}, "agent_name_hint": {h.Name}, "ext_agent_host_id": {host}, "response_type": {"code"},
		"scope": {openAIScopes}, "resource": {openAIResource}, "nonce": {nonce},
	}
	if h.ClientID != "" {
		params.Set("client_id", h.ClientID)
		params.Del("agent_name_hint")
	}
	flow := oauth.Browser{
		AuthorizeURL: openAIAuthorize, Params: params,
		Callback: oauth.Callback{Port: 1455, Path: "/auth/callback", Host: "127.0.0.1"},
		Message:  "Sign in with your browser. If it is on another machine, paste the whole address it ends at here.",
	}
	return flow.Run(ctx, h, ui, func(ctx context.Context, g oauth.Grant) (*auth.Credential, error) {
		client := g.Query.Get("client_id")
		if client == "" {
			client = h.ClientID
		}
		if client == "" {
			return nil, errors.New("the answer has no client id; paste the whole address the browser ended at, not the code alone")
		}
		form := codeForm(g, client)
		form.Set("resource", openAIResource)
		t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: openAIToken, Form: form})
		if err != nil {
			return nil, err
		}
		if err := checkIdentity(t, h, client, nonce); err != nil {
			return nil, err
		}
		return o.store(h, t, nil, client)
	})
}

// installation is the id of this machine as the vendor wants it.
func installation(ctx context.Context, h auth.Host) (string, error) {
	if h.InstallationID == nil {
		return "", errors.New("signing in to openai needs an id of this installation, and this program has none")
	}
	id, err := h.InstallationID(ctx)
	if err != nil {
		return "", fmt.Errorf("the id of this installation: %w", err)
	}
	if id = strings.ToLower(id); !isUUID(id) {
		return "", errors.New("the id of this installation is no UUID")
	}
	return "urn:uuid:" + id, nil
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (c == '-') || !dash && !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
			return false
		}
	}
	return true
}

// checkIdentity looks at the OpenID token: it must be for this login and this client.
func checkIdentity(t *oauth.Token, h auth.Host, client, nonce string) error {
	if t.ID == "" {
		return errors.New("the vendor gave no OpenID token")
	}
	var c struct {
		Issuer   string  `json:"iss"`
		Audience oneMore `json:"aud"`
		Expires  float64 `json:"exp"`
		Nonce    string  `json:"nonce"`
	}
	if err := claims(t.ID, &c); err != nil {
		return fmt.Errorf("OpenID token: %w", err)
	}
	switch {
	case strings.TrimRight(c.Issuer, "/") != openAIIssuer:
		return errors.New("the OpenID token is of another issuer")
	case !slices.Contains(c.Audience, client):
		return errors.New("the OpenID token is for another client")
	case c.Nonce != nonce:
		return errors.New("the OpenID token is of another login")
	case h.Now().Add(-time.Minute).Unix() > int64(c.Expires):
		return errors.New("the OpenID token has expired; is the clock of this machine right?")
	}
	return nil
}

// oneMore is one string, or several.
type oneMore []string

// UnmarshalJSON reads either form.
func (o *oneMore) UnmarshalJSON(data []byte) error {
	var several []string
	if err := json.Unmarshal(data, &several); err == nil {
		*o = several
		return nil
	}
	var one string
	if err := json.Unmarshal(data, &one); err != nil {
		return err
	}
	*o = []string{one}
	return nil
}

func (o openAI) store(h auth.Host, t *oauth.Token, old *auth.Credential, client string) (*auth.Credential, error) {
	scopes := strings.Fields(t.Scope)
	if t.Scope != "" || old == nil {
		if !slices.Contains(scopes, openAIPlanScope) {
			return nil, fmt.Errorf("the vendor did not allow this program to use your plan (%s); sign in again and allow it", openAIPlanScope)
		}
	}
	c, err := t.Credential(h, old, oauth.Lifetime{Margin: 3 * time.Minute})
	if err != nil {
		return nil, err
	}
	if c.Refresh == "" {
		return nil, errors.New("the vendor gave no refresh token")
	}
	if err := oauth.SetExtra(c, "clientId", client); err != nil {
		return nil, err
	}
	if len(scopes) > 0 {
		err = oauth.SetExtra(c, "scopes", scopes)
	}
	return c, err
}

// Refresh renews the login with the client id that was issued for it.
func (o openAI) Refresh(ctx context.Context, h auth.Host, c *auth.Credential) (*auth.Credential, error) {
	client := oauth.Extra(c, "clientId")
	if client == "" {
		client = h.ClientID
	}
	if client == "" {
		return nil, errors.New("the stored login names no client id; sign in again")
	}
	form, err := refreshForm(c, client)
	if err != nil {
		return nil, err
	}
	form.Set("resource", openAIResource)
	t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: openAIToken, Form: form})
	if err != nil {
		return nil, err
	}
	return o.store(h.WithDefaults(), t, c, client)
}

// ToAuth sends the token as a bearer token.
func (o openAI) ToAuth(c *auth.Credential) (*auth.Resolved, error) { return bearer(c) }
