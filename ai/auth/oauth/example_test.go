package oauth_test

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/authtest"
	"github.com/pi-go/pi/ai/auth/oauth"
)

// A login of one's own is a flow and the exchange of what it brings.
func ExampleBrowser() {
	login := func(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
		id, err := h.NeedClientID("acme", "ACME_API_KEY")
		if err != nil {
			return nil, err
		}
		flow := oauth.Browser{
			AuthorizeURL: "https://acme.example/authorize",
			Params:       url.Values{"client_id": {id}, "response_type": {"code"}, "scope": {"chat"}},
			Callback:     oauth.Callback{Path: "/callback"},
		}
		return flow.Run(ctx, h, ui, func(ctx context.Context, g oauth.Grant) (*auth.Credential, error) {
			t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: "https://acme.example/token", Form: url.Values{
				"grant_type": {"authorization_code"}, "client_id": {id}, "code": {g.Code},
				"code_verifier": {g.Verifier}, "redirect_uri": {g.RedirectURI},
			}})
			if err != nil {
				return nil, err
			}
			return t.Credential(h, nil, oauth.Lifetime{Margin: 5 * time.Minute})
		})
	}

	// A server and a person with a browser, as a test has them.
	vendor := authtest.New()
	vendor.Handle("acme.example/authorize", vendor.Authorize("", nil))
	vendor.Handle("acme.example/token", vendor.Token(authtest.Tokens{Access: "access", Refresh: "refresh", ExpiresIn: 3600}))
	person := &authtest.Person{Browser: vendor}

	c, err := login(context.Background(), auth.Host{HTTP: vendor.Client(), ClientID: "my-id"}, person)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Access, c.Refresh, c)
	// Output: access-1 refresh-1 credential(oauth)
}
