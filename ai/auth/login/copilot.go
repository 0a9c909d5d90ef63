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
	copilotIndividual = "https://api.individual.githubcopilot.com"
	copilotMargin     = 5 * time.Minute
	// copilotVersion is the version of the API that lists models.
	copilotVersion = "2026-06-01"
)

// GitHubCopilot is the login of Copilot subscriptions at github.com or a domain of
// GitHub Enterprise, by a code to type. It needs a client id, but not to renew: the
// stored refresh token is GitHub's, the access token Copilot's.
func GitHubCopilot() auth.OAuthMethod {
	return copilot{vendor{"github-copilot", "GitHub Copilot", []string{"COPILOT_GITHUB_TOKEN"}}}
}

type copilot struct{ vendor }

// Login runs the flow and notes which models the account has.
func (g copilot) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	client, err := g.clientID(h)
	if err != nil {
		return nil, err
	}
	domain, err := g.askDomain(ctx, ui)
	if err != nil {
		return nil, err
	}
	host := domain
	if host == "" {
		host = "github.com"
	}
	form := url.Values{"client_id": {client}, "scope": {"read:user"}}
	return deviceLogin(ctx, h, ui, "https://"+host+"/login/device/code", form, "https://"+host+"/login/oauth/access_token", nil,
		func(ctx context.Context, t *oauth.Token) (*auth.Credential, error) {
			c := &auth.Credential{Type: auth.TypeOAuth, Refresh: t.Access}
			if domain != "" {
				if err := oauth.SetExtra(c, "enterpriseUrl", domain); err != nil {
					return nil, err
				}
			}
			if c, err = g.Refresh(ctx, h, c); err != nil {
				return nil, err
			}
			ui.Notify(ctx, auth.Notification{Kind: auth.NoteProgress, Message: "Asking which models the account has …"})
			ids, err := g.models(ctx, h, c)
			if err != nil {
				ui.Notify(ctx, auth.Notification{Kind: auth.NoteInfo, Message: "The models of the account can not be listed (" + err.Error() + "); all models are offered."})
				return c, nil
			}
			return c, oauth.SetExtra(c, "availableModelIds", ids)
		})
}

// askDomain asks for the domain of GitHub Enterprise; "" is github.com.
func (g copilot) askDomain(ctx context.Context, ui auth.Interaction) (string, error) {
	text, err := ui.Prompt(ctx, auth.Prompt{Kind: auth.PromptText, Message: "Domain of GitHub Enterprise, empty for github.com", Placeholder: "company.ghe.com"})
	if errors.Is(err, auth.ErrNoPrompt) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("ask for the domain: %w", err)
	}
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	domain := hostName(text)
	switch {
	case domain == "":
		return "", fmt.Errorf("%q is no domain", oauth.Plain(text, 80))
	case domain == "github.com":
		return "", nil
	}
	return domain, nil
}

// hostName finds the host in a domain or an address; "" when there is none.
func hostName(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := oauth.WebURL(text)
	if err != nil || u.Port() != "" || !strings.Contains(strings.Trim(u.Host, "."), ".") || strings.Contains(u.Host, "..") || strings.ContainsFunc(u.Host, func(r rune) bool {
		return r != '.' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	}) {
		return ""
	}
	return u.Host
}

// Refresh exchanges GitHub's token for one of Copilot.
func (g copilot) Refresh(ctx context.Context, h auth.Host, c *auth.Credential) (*auth.Credential, error) {
	host := "api.github.com"
	if domain := hostName(oauth.Extra(c, "enterpriseUrl")); domain != "" {
		host = "api." + domain
	}
	var answer struct {
		Token   string  `json:"token"`
		Expires float64 `json:"expires_at"` // Unix seconds
	}
	if err := oauth.SendJSON(ctx, h, oauth.Request{URL: "https://" + host + "/copilot_internal/v2/token", Bearer: c.Refresh}, &answer); err != nil {
		return nil, fmt.Errorf("get a token of Copilot: %w", err)
	}
	if !oauth.Sendable(answer.Token) || answer.Expires <= 0 || answer.Expires > 1e11 {
		return nil, errors.New("get a token of Copilot: the answer has none")
	}
	fresh := c.Clone()
	fresh.Access = answer.Token
	fresh.Expires = time.Unix(int64(answer.Expires), 0).Add(-copilotMargin).UnixMilli()
	return fresh, nil
}

// ToAuth sends the token as a bearer token to the host that it names.
func (g copilot) ToAuth(c *auth.Credential) (*auth.Resolved, error) {
	r, err := bearer(c)
	if err != nil {
		return nil, err
	}
	r.BaseURL = copilotBase(c)
	return r, nil
}

// copilotBase is where a token is good for.
func copilotBase(c *auth.Credential) string {
	for field := range strings.SplitSeq(c.Access, ";") {
		if proxy, ok := strings.CutPrefix(strings.TrimSpace(field), "proxy-ep="); ok {
			if host := hostName(proxy); host != "" {
				if rest, ok := strings.CutPrefix(host, "proxy."); ok {
					host = "api." + rest
				}
				return "https://" + host
			}
		}
	}
	if domain := hostName(oauth.Extra(c, "enterpriseUrl")); domain != "" {
		return "https://copilot-api." + domain
	}
	return copilotIndividual
}

// copilotModel is a model as the vendor lists it.
type copilotModel struct {
	ID     string `json:"id"`
	Picker bool   `json:"model_picker_enabled"`
	Policy struct {
		State string `json:"state"`
	} `json:"policy"`
	Capabilities struct {
		Supports struct {
			ToolCalls bool `json:"tool_calls"`
		} `json:"supports"`
	} `json:"capabilities"`
}

// models lists the models that the account can use with tools: those that the vendor
// offers for picking. What nobody has decided on yet is enabled first, as far as the
// account may. At the host for individuals the enabled ones count when none is
// offered.
func (g copilot) models(ctx context.Context, h auth.Host, c *auth.Credential) ([]string, error) {
	base := copilotBase(c)
	header := map[string]string{"X-GitHub-Api-Version": copilotVersion}
	var list struct {
		Data []copilotModel `json:"data"`
	}
	if err := oauth.SendJSON(ctx, h, oauth.Request{URL: base + "/models", Bearer: c.Access, Header: header, MaxAnswer: 8 << 20}, &list); err != nil {
		return nil, err
	}
	picked, enabled := []string{}, []string{}
	for _, m := range list.Data {
		if m.ID == "" || !m.Capabilities.Supports.ToolCalls {
			continue
		}
		if m.Policy.State == "unconfigured" {
			_, err := oauth.Send(ctx, h, oauth.Request{
				URL: base + "/models/" + url.PathEscape(m.ID) + "/policy", Bearer: c.Access, Header: header, JSON: map[string]string{"state": "enabled"},
			})
			if err == nil {
				m.Policy.State = "enabled"
			}
		}
		if m.Picker {
			picked = append(picked, m.ID)
		}
		if m.Policy.State == "enabled" {
			enabled = append(enabled, m.ID)
		}
	}
	if len(picked) == 0 && base == copilotIndividual {
		return enabled, nil
	}
	return picked, nil
}

// CopilotModels gives the ids of the models that a stored login found, and whether it
// has looked.
func CopilotModels(c *auth.Credential) (ids []string, known bool) {
	if c == nil || c.Type != auth.TypeOAuth {
		return nil, false
	}
	if json.Unmarshal(c.Extra["availableModelIds"], &ids) != nil || len(ids) == 0 {
		return nil, false
	}
	return slices.Clip(ids), true
}
