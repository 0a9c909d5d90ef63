package login

import (
	"context"
	"errors"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

const (
	openRouterAuthorize = "https://openrouter.ai/auth"
	openRouterKeys      = "https://openrouter.ai/api/v1/auth/keys"
)

// OpenRouter is the login of OpenRouter, in a browser. It makes a key that does not
// expire, and needs no client id.
func OpenRouter() auth.OAuthMethod {
	return openRouter{vendor{"openrouter", "OpenRouter OAuth", []string{"OPENROUTER_API_KEY"}}}
}

type openRouter struct{ vendor }

// NeedsClientID is false: the vendor lets this program sign in as it is.
func (openRouter) NeedsClientID() bool { return false }

// Login runs the flow.
func (o openRouter) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	// The vendor sends no state back: the path is what nobody else knows.
	path, err := oauth.RandomToken(h)
	if err != nil {
		return nil, err
	}
	flow := oauth.Browser{
		AuthorizeURL: openRouterAuthorize, RedirectParam: "callback_url", Timeout: 5 * time.Minute,
		Callback: oauth.Callback{Path: "/" + path, Host: "localhost", WithoutState: true},
	}
	return flow.Run(ctx, h, ui, func(ctx context.Context, g oauth.Grant) (*auth.Credential, error) {
		var answer struct {
			Key string `json:"key"`
		}
		err := oauth.SendJSON(ctx, h, oauth.Request{URL: openRouterKeys, JSON: map[string]string{
			"code": g.Code, "code_verifier": g.Verifier, "code_challenge_method": "S256",
		}}, &answer)
		switch {
		case err != nil:
			return nil, err
		case !oauth.Sendable(answer.Key):
			return nil, errors.New("the vendor gave no key")
		}
		return &auth.Credential{Type: auth.TypeOAuth, Access: answer.Key, Expires: oauth.Never}, nil
	})
}

// Refresh gives the login as it is: the key does not expire.
func (o openRouter) Refresh(_ context.Context, _ auth.Host, c *auth.Credential) (*auth.Credential, error) {
	return c, nil
}

// ToAuth sends the key as a bearer token.
func (o openRouter) ToAuth(c *auth.Credential) (*auth.Resolved, error) { return bearer(c) }
