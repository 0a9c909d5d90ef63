package login

import (
	"context"
	"net/url"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

const (
	anthropicAuthorize = "https://claude.ai/oauth/authorize"
	anthropicToken     = "https://platform.claude.com/v1/oauth/token"
	anthropicCopy      = "https://platform.claude.com/oauth/code/callback"
	anthropicScopes    = "org:create_api_key user:profile user:inference user:sessions:claude_code user:mcp_servers user:file_upload"
)

// Anthropic is the login of Claude subscriptions: in a browser, or by a code to copy
// where there is none. It needs a client id.
func Anthropic() auth.OAuthMethod {
	return anthropic{vendor{"anthropic", "Anthropic (Claude Pro/Max)", []string{"ANTHROPIC_API_KEY"}}}
}

type anthropic struct{ vendor }

// Login runs the flow.
func (a anthropic) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	client, err := a.clientID(h)
	if err != nil {
		return nil, err
	}
	way, err := oauth.Choose(ctx, ui,
		auth.Option{ID: "browser", Label: "In a browser on this machine"},
		auth.Option{ID: "copy", Label: "By a code to copy", Description: "for a machine without a browser"})
	if err != nil {
		return nil, err
	}
	flow := oauth.Browser{
		AuthorizeURL: anthropicAuthorize,
		Params:       url.Values{"code": {"true"}, "client_id": {client}, "response_type": {"code"}, "scope": {anthropicScopes}},
		Callback:     oauth.Callback{Port: 53692, AnyPort: true, Path: "/callback", Host: "localhost"},
		State:        func(p oauth.PKCE) string { return p.Verifier },
	}
	if way == "copy" {
		flow.Paste = anthropicCopy
		flow.Message = "Sign in with any browser and paste the code that it shows here."
	}
	return flow.Run(ctx, h, ui, func(ctx context.Context, g oauth.Grant) (*auth.Credential, error) {
		return a.token(ctx, h, nil, map[string]string{
			"grant_type": "authorization_code", "client_id": client, "code": g.Code, "state": g.State,
			"redirect_uri": g.RedirectURI, "code_verifier": g.Verifier,
		})
	})
}

// Refresh renews the login.
func (a anthropic) Refresh(ctx context.Context, h auth.Host, c *auth.Credential) (*auth.Credential, error) {
	client, err := a.clientID(h)
	if err != nil {
		return nil, err
	}
	return a.token(ctx, h, c, map[string]string{"grant_type": "refresh_token", "refresh_token": c.Refresh, "client_id": client})
}

func (a anthropic) token(ctx context.Context, h auth.Host, old *auth.Credential, fields map[string]string) (*auth.Credential, error) {
	t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: anthropicToken, JSON: fields})
	if err != nil {
		return nil, err
	}
	return t.Credential(h, old, oauth.Lifetime{Margin: 5 * time.Minute})
}

// ToAuth sends the token as a bearer token.
func (a anthropic) ToAuth(c *auth.Credential) (*auth.Resolved, error) { return bearer(c) }
