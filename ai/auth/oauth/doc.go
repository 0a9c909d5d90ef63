// Package oauth holds the flows by which a program signs in to a vendor: a browser
// that comes back to this machine, a code that is pasted, and a code that is typed
// at another device. A vendor's login is one of these flows and a few requests.
//
//	func (login) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
//		h = h.WithDefaults()
//		id, err := h.NeedClientID("acme", "ACME_API_KEY")
//		if err != nil {
//			return nil, err
//		}
//		flow := oauth.Browser{
//			AuthorizeURL: "https://acme.example/authorize",
//			Params:       url.Values{"client_id": {id}, "response_type": {"code"}, "scope": {"chat"}},
//			Callback:     oauth.Callback{Path: "/callback"},
//		}
//		return flow.Run(ctx, h, ui, func(ctx context.Context, g oauth.Grant) (*auth.Credential, error) {
//			t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: "https://acme.example/token", Form: url.Values{
//				"grant_type": {"authorization_code"}, "client_id": {id}, "code": {g.Code},
//				"code_verifier": {g.Verifier}, "redirect_uri": {g.RedirectURI},
//			}})
//			if err != nil {
//				return nil, err
//			}
//			return t.Credential(h, nil, oauth.Lifetime{Margin: 5 * time.Minute})
//		})
//	}
//
// Browser flows use PKCE (RFC 7636, S256) with a verifier of 32 random bytes.
// Answers of servers are capped in size and checked before they are believed, only
// http and https addresses reach a browser, and no error holds a code, a verifier
// or a token. Package authtest has a server to test a login against.
package oauth
