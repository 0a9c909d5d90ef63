package login

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

const (
	codexAuthorize = openAIIssuer + "/oauth/authorize"
	codexToken     = openAIIssuer + "/oauth/token"
	codexUserCode  = openAIIssuer + "/api/accounts/deviceauth/usercode"
	codexPoll      = openAIIssuer + "/api/accounts/deviceauth/token"
	codexPage      = openAIIssuer + "/codex/device"
	codexDevice    = openAIIssuer + "/deviceauth/callback"
	codexScopes    = "openid profile email offline_access"
)

// OpenAICodex is the login of ChatGPT plans for the coding service: in a browser, or
// by a code to type. It needs a client id.
func OpenAICodex() auth.OAuthMethod {
	return codex{vendor{id: "openai-codex", name: "OpenAI (ChatGPT Plus/Pro)"}}
}

type codex struct{ vendor }

// Login runs the flow.
func (x codex) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	client, err := x.clientID(h)
	if err != nil {
		return nil, err
	}
	way, err := oauth.Choose(ctx, ui,
		auth.Option{ID: "browser", Label: "In a browser on this machine"},
		auth.Option{ID: "device", Label: "By a code to type", Description: "on any device with a browser"})
	if err != nil {
		return nil, err
	}
	if way == "device" {
		return x.device(ctx, h, ui, client)
	}
	flow := oauth.Browser{
		AuthorizeURL: codexAuthorize,
		Params: url.Values{
			"client_id": {client}, "response_type": {"code"}, "scope": {codexScopes},
			"id_token_add_organizations": {"true"}, "originator": {"pi"},
		},
		Callback: oauth.Callback{Port: 1455, Path: "/auth/callback", Host: "localhost"},
	}
	return flow.Run(ctx, h, ui, func(ctx context.Context, g oauth.Grant) (*auth.Credential, error) {
		return x.token(ctx, h, nil, codeForm(g, client))
	})
}

// device is the vendor's own kind of device login: the poll gives a code to exchange,
// and its verifier.
func (x codex) device(ctx context.Context, h auth.Host, ui auth.Interaction, client string) (*auth.Credential, error) {
	var start struct {
		ID       string          `json:"device_auth_id"`
		UserCode string          `json:"user_code"`
		Other    string          `json:"usercode"`
		Interval json.RawMessage `json:"interval"` // a number, or a string of one
	}
	if err := oauth.SendJSON(ctx, h, oauth.Request{URL: codexUserCode, JSON: map[string]string{"client_id": client}}, &start); err != nil {
		var e *oauth.Error
		if errors.As(err, &e) && e.Status == http.StatusNotFound {
			return nil, errors.New("device codes are not enabled for this account; enable them in the security settings of ChatGPT, or sign in with a browser")
		}
		return nil, err
	}
	if start.UserCode == "" {
		start.UserCode = start.Other
	}
	if start.ID == "" {
		return nil, errors.New("the vendor gave no code to poll with")
	}
	interval, _ := strconv.ParseFloat(strings.Trim(string(start.Interval), `"`), 64) // 0 means the usual one
	d := oauth.Device{UserCode: start.UserCode, URL: codexPage, Interval: time.Duration(min(max(interval, 0), 3600) * float64(time.Second)), ExpiresIn: 15 * time.Minute}
	var form url.Values
	_, err := d.Run(ctx, h, ui, func(ctx context.Context) (*auth.Credential, error) {
		var answer struct {
			Code     string `json:"authorization_code"`
			Verifier string `json:"code_verifier"`
		}
		err := oauth.SendJSON(ctx, h, oauth.Request{URL: codexPoll, JSON: map[string]string{"device_auth_id": start.ID, "user_code": start.UserCode}}, &answer)
		var e *oauth.Error
		if errors.As(err, &e) && (e.Status == http.StatusForbidden || e.Status == http.StatusNotFound) {
			return nil, &oauth.Error{Endpoint: e.Endpoint, Status: e.Status, Code: "authorization_pending"}
		}
		if err == nil && (answer.Code == "" || answer.Verifier == "") {
			err = errors.New("the vendor gave no code to exchange")
		}
		form = codeForm(oauth.Grant{Code: answer.Code, Verifier: answer.Verifier, RedirectURI: codexDevice}, client)
		return nil, err
	})
	if err != nil {
		return nil, err
	}
	return x.token(ctx, h, nil, form)
}

func (x codex) token(ctx context.Context, h auth.Host, old *auth.Credential, form url.Values) (*auth.Credential, error) {
	t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: codexToken, Form: form})
	if err != nil {
		return nil, err
	}
	c, err := t.Credential(h, old, oauth.Lifetime{Default: time.Hour})
	if err != nil {
		return nil, err
	}
	if c.Refresh == "" {
		return nil, errors.New("the vendor gave no refresh token")
	}
	account, err := codexAccount(c.Access)
	if err != nil {
		return nil, err
	}
	return c, oauth.SetExtra(c, "accountId", account)
}

// codexAccount is the account that a token is for.
func codexAccount(token string) (string, error) {
	var c struct {
		OpenAI struct {
			Account string `json:"chatgpt_account_id"`
		} `json:"https://api.openai.com/auth"`
	}
	if err := claims(token, &c); err != nil {
		return "", err
	}
	if c.OpenAI.Account == "" {
		return "", errors.New("the token names no ChatGPT account")
	}
	return c.OpenAI.Account, nil
}

// Refresh renews the login.
func (x codex) Refresh(ctx context.Context, h auth.Host, c *auth.Credential) (*auth.Credential, error) {
	client, err := x.clientID(h)
	if err != nil {
		return nil, err
	}
	form, err := refreshForm(c, client)
	if err != nil {
		return nil, err
	}
	return x.token(ctx, h, c, form)
}

// ToAuth sends the token as a bearer token, and the account it is for.
func (x codex) ToAuth(c *auth.Credential) (*auth.Resolved, error) {
	r, err := bearer(c)
	if err != nil {
		return nil, err
	}
	account := oauth.Extra(c, "accountId")
	if account == "" {
		if account, err = codexAccount(c.Access); err != nil {
			return nil, err
		}
	}
	r.Headers = map[string]string{"chatgpt-account-id": account}
	return r, nil
}
