package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/jsonobj"
)

// GitHubCopilot is the login of Copilot subscriptions at github.com or at a GitHub
// Enterprise domain, by a code to type.
func GitHubCopilot(s Settings) auth.OAuthMethod {
	return &copilot{newMethod(s, "github-copilot", "GitHub Copilot", 5*time.Minute)}
}

type copilot struct{ method }

// Login runs the flow. The stored refresh token is GitHub's, the access token
// Copilot's.
func (g *copilot) Login(ctx context.Context, ui auth.Interaction) (*auth.Credential, error) {
	id, err := g.needID()
	if err != nil {
		return nil, err
	}
	domain, err := g.domain(ctx, ui)
	if err != nil {
		return nil, err
	}
	host := domain
	if host == "" {
		host = "github.com"
	}
	t, err := g.standardDeviceLogin(ctx, ui, standardDevice{
		codeURL: "https://" + host + "/login/device/code", tokenURL: "https://" + host + "/login/oauth/access_token", scopes: "read:user",
	}, id, nil)
	if err != nil {
		return nil, err
	}
	c := &auth.Credential{Type: auth.TypeOAuth, Refresh: t.Access}
	if domain != "" {
		c.Extra = map[string]json.RawMessage{"enterpriseUrl": jsonobj.AppendString(nil, domain)}
	}
	if c, err = g.Refresh(ctx, c); err != nil {
		return nil, err
	}
	ui.Notify(ctx, auth.Notification{Kind: "progress", Message: "Asking which models the account may use."})
	ids, err := g.models(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("list the models of the account: %w", err)
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	if c.Extra == nil {
		c.Extra = make(map[string]json.RawMessage)
	}
	c.Extra["availableModelIds"] = list
	return c, nil
}

// domain asks for the domain of GitHub Enterprise; "" means github.com.
func (g *copilot) domain(ctx context.Context, ui auth.Interaction) (string, error) {
	text, err := ui.Prompt(ctx, auth.Prompt{Kind: "text", Message: "Domain of GitHub Enterprise (empty for github.com)", Placeholder: "company.ghe.com"})
	if err != nil {
		return fallback(err, "")
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || !strings.Contains(u.Host, ".") {
		return "", fmt.Errorf("%q is no domain", text)
	}
	if u.Host == "github.com" {
		return "", nil
	}
	return u.Host, nil
}

func enterprise(c *auth.Credential) string {
	var domain string
	if json.Unmarshal(c.Extra["enterpriseUrl"], &domain) != nil {
		return ""
	}
	return domain
}

// Refresh exchanges GitHub's token for one of Copilot. It needs no client id.
func (g *copilot) Refresh(ctx context.Context, c *auth.Credential) (*auth.Credential, error) {
	host := "api.github.com"
	if domain := enterprise(c); domain != "" {
		host = "api." + domain
	}
	var answer struct {
		Token   string  `json:"token"`
		Expires float64 `json:"expires_at"` // Unix seconds
	}
	err := g.send(ctx, call{
		method: http.MethodGet, url: "https://" + host + "/copilot_internal/v2/token",
		header: map[string]string{"Authorization": "Bearer " + c.Refresh},
	}, &answer)
	switch {
	case err != nil:
		return nil, fmt.Errorf("get a Copilot token: %w", err)
	case answer.Token == "":
		return nil, errors.New("get a Copilot token: the vendor gave none")
	}
	fresh := c.Clone()
	fresh.Access = answer.Token
	fresh.Expires = time.Unix(int64(answer.Expires), 0).Add(-g.margin).UnixMilli()
	return fresh, nil
}

// ToAuth sends the token as a bearer token to the host that it names.
func (g *copilot) ToAuth(c *auth.Credential) (*auth.Resolved, error) {
	r, err := bearer(c)
	if err != nil {
		return nil, err
	}
	r.BaseURL = g.baseURL(c)
	return r, nil
}

// baseURL is where a token is good for.
func (g *copilot) baseURL(c *auth.Credential) string {
	for field := range strings.SplitSeq(c.Access, ";") {
		if proxy, ok := strings.CutPrefix(strings.TrimSpace(field), "proxy-ep="); ok && proxy != "" {
			if rest, ok := strings.CutPrefix(proxy, "proxy."); ok {
				proxy = "api." + rest
			}
			return "https://" + proxy
		}
	}
	if domain := enterprise(c); domain != "" {
		return "https://copilot-api." + domain
	}
	return "https://api.individual.githubcopilot.com"
}

// models lists the models that the account may use with tools. Where the account
// has picked none, those whose policy is enabled count; models that were never
// decided on are enabled first, as far as the account may.
func (g *copilot) models(ctx context.Context, c *auth.Credential) ([]string, error) {
	base := g.baseURL(c)
	header := map[string]string{"Authorization": "Bearer " + c.Access, "X-GitHub-Api-Version": "2026-06-01"}
	type model struct {
		ID     string `json:"id"`
		Picker bool   `json:"model_picker_enabled"`
		Policy *struct {
			State string `json:"state"`
		} `json:"policy"`
		Capabilities struct {
			Supports struct {
				ToolCalls bool `json:"tool_calls"`
			} `json:"supports"`
		} `json:"capabilities"`
	}
	var list struct {
		Data []model `json:"data"`
	}
	if err := g.send(ctx, call{method: http.MethodGet, url: base + "/models", header: header}, &list); err != nil {
		return nil, err
	}
	var picked, enabled []string
	for _, m := range list.Data {
		if !m.Capabilities.Supports.ToolCalls {
			continue
		}
		state := ""
		if m.Policy != nil {
			state = m.Policy.State
		}
		if state == "unconfigured" {
			err := g.send(ctx, call{url: base + "/models/" + url.PathEscape(m.ID) + "/policy", header: header, json: map[string]string{"state": "enabled"}}, nil)
			if err == nil {
				state = "enabled"
			}
		}
		if m.Picker {
			picked = append(picked, m.ID)
		}
		if state == "enabled" || state == "" {
			enabled = append(enabled, m.ID)
		}
	}
	if len(picked) == 0 {
		return enabled, nil
	}
	return picked, nil
}
