package oauth

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

// Settings are what a login needs to know of the program and its surroundings. The
// zero value takes the client id from the environment.
type Settings struct {
	// ClientID is what the vendor issued to this program. Empty means the
	// variable PI_OAUTH_CLIENT_ID_<PROVIDER>, such as
	// PI_OAUTH_CLIENT_ID_GITHUB_COPILOT.
	ClientID string
	// Env is where variables are looked up; nil means the process environment.
	Env auth.Environment
	// HTTPClient sends the requests; nil means [http.DefaultClient].
	HTTPClient *http.Client
	// UserAgent names the program; empty means "pi-go".
	UserAgent string
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
	// Sleep waits between two questions to a vendor; nil means a timer.
	Sleep func(ctx context.Context, d time.Duration) error
	// Hosts replaces hosts of the vendor, for tests and proxies: the original
	// host to a base URL such as "http://127.0.0.1:8080".
	Hosts map[string]string
}

// method is what the logins of all vendors have in common.
type method struct {
	Settings
	provider string
	name     string
	margin   time.Duration // a credential expires so much before its token
}

func newMethod(s Settings, provider, name string, margin time.Duration) method {
	if s.Env == nil {
		s.Env = auth.OSEnvironment()
	}
	if s.HTTPClient == nil {
		s.HTTPClient = http.DefaultClient
	}
	if s.UserAgent == "" {
		s.UserAgent = "pi-go"
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Sleep == nil {
		s.Sleep = sleep
	}
	return method{Settings: s, provider: provider, name: name, margin: margin}
}

// Name is for people.
func (m *method) Name() string { return m.name }

// variable is the one that can hold the client id.
func (m *method) variable() string {
	return "PI_OAUTH_CLIENT_ID_" + strings.ToUpper(strings.ReplaceAll(m.provider, "-", "_"))
}

func (m *method) clientID() string {
	if m.ClientID != "" {
		return m.ClientID
	}
	return m.Env.Lookup(m.variable())
}

// needID gives the client id, or an error that says where one comes from.
func (m *method) needID() (string, error) {
	if id := m.clientID(); id != "" {
		return id, nil
	}
	return "", fmt.Errorf("signing in with %s needs a client id that the vendor issued for this program: set %s, or oauthClientId of provider %s in models.json; an API key needs none", m.name, m.variable(), m.provider)
}

// needIDToRenew is needID for a stored login that has expired.
func (m *method) needIDToRenew() (string, error) {
	if id := m.clientID(); id != "" {
		return id, nil
	}
	return "", fmt.Errorf("the stored login has expired, and only the program that made it can renew it: use that program once, set %s to a client id of your own, sign in again, or store an API key", m.variable())
}

// url gives an address with its host replaced if Hosts says so.
func (m *method) url(address string) string {
	rest, ok := strings.CutPrefix(address, "https://")
	if !ok {
		return address
	}
	host, path, _ := strings.Cut(rest, "/")
	if to := m.Hosts[host]; to != "" {
		return strings.TrimRight(to, "/") + "/" + path
	}
	return address
}

// credential makes what to store of a token.
func (m *method) credential(t *token) *auth.Credential {
	c := &auth.Credential{Type: auth.TypeOAuth, Access: t.Access, Refresh: t.Refresh}
	if t.ExpiresIn > 0 {
		c.Expires = m.Now().Add(time.Duration(t.ExpiresIn)*time.Second - m.margin).UnixMilli()
	}
	return c
}

// renewed lays a new token over a stored login, whose other fields stay.
func (m *method) renewed(old *auth.Credential, t *token) *auth.Credential {
	c := old.Clone()
	n := m.credential(t)
	c.Access, c.Expires = n.Access, n.Expires
	if n.Refresh != "" {
		c.Refresh = n.Refresh
	}
	return c
}

// bearer is how most logins authenticate.
func bearer(c *auth.Credential) (*auth.Resolved, error) {
	return &auth.Resolved{APIKey: c.Access, Bearer: true, OAuth: true, Env: c.Env, Source: "OAuth"}, nil
}

// choose asks a person for one of several ways; the first one when nobody can be
// asked.
func choose(ctx context.Context, ui auth.Interaction, message string, options ...auth.Option) (string, error) {
	answer, err := ui.Prompt(ctx, auth.Prompt{Kind: "select", Message: message, Options: options})
	if err != nil {
		return fallback(err, options[0].ID)
	}
	for _, o := range options {
		if o.ID == answer {
			return answer, nil
		}
	}
	return options[0].ID, nil
}
