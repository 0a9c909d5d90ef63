package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"

	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
)

// Credentials keeps what signs in to servers, in a file that only its owner can
// read: mcp-auth.json, as other programs of the same format have it. Fields that
// are not known stay.
type Credentials struct {
	Path string
	// HTTPClient renews tokens; nil is one without options.
	HTTPClient *http.Client
	Now        func() time.Time // nil means [time.Now]
}

// login is what is kept of one server.
type login struct {
	ServerURL string         `json:"serverUrl"`
	Client    *loginClient   `json:"clientInformation,omitempty"`
	Tokens    *loginTokens   `json:"tokens,omitempty"`
	Expires   int64          `json:"tokensExpireAt,omitempty"` // Unix milliseconds
	Discovery *loginEndpoint `json:"discovery,omitempty"`
}

type loginClient struct {
	ID     string   `json:"client_id"`
	Secret string   `json:"client_secret,omitempty"`
	URIs   []string `json:"redirect_uris,omitempty"`
}

type loginTokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Refresh string `json:"refresh_token,omitempty"`
	Scope   string `json:"scope,omitempty"`
}

type loginEndpoint struct {
	Server   string `json:"authorizationServerUrl"`
	Metadata struct {
		Issuer        string   `json:"issuer"`
		Authorization string   `json:"authorization_endpoint"`
		Token         string   `json:"token_endpoint"`
		ResponseTypes []string `json:"response_types_supported"`
	} `json:"authorizationServerMetadata"`
}

// key is what a server's login is kept under: name and address, so that one
// server never gets the login of another.
func key(s Server) (string, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return "", fmt.Errorf("server %s: %w", s.Name, err)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return "mcp__" + plain(s.Name) + "|" + u.String(), nil
}

func (c *Credentials) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

func (c *Credentials) load(ctx context.Context, s Server) (*login, error) {
	at, err := key(s)
	if err != nil {
		return nil, err
	}
	data, err := lockfile.Read(ctx, c.Path, lockfile.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the sign-ins of MCP servers: %w", err)
	}
	all := make(map[string]json.RawMessage)
	if err := jsonobj.Decode(c.Path, data, jsonobj.Strict, &all); err != nil {
		return nil, err
	}
	if all[at] == nil {
		return nil, nil
	}
	var l login
	if err := json.Unmarshal(all[at], &l); err != nil {
		return nil, fmt.Errorf("%s: the sign-in of %s can not be read; sign in again", c.Path, s.Name)
	}
	return &l, nil
}

// save keeps fields of a login; nil removes it.
func (c *Credentials) save(ctx context.Context, s Server, fields map[string]any) error {
	at, err := key(s)
	if err != nil {
		return err
	}
	return lockfile.Update(ctx, c.Path, lockfile.Options{Perm: 0o600}, func(old []byte) ([]byte, error) {
		doc, err := jsonobj.Open(c.Path, old, jsonobj.Strict)
		if err != nil {
			return nil, err
		}
		if fields == nil {
			if _, err := doc.Delete(at); err != nil {
				return nil, err
			}
			return doc.Bytes(), nil
		}
		for name, v := range fields {
			if err := doc.Set(v, at, name); err != nil {
				return nil, err
			}
		}
		return doc.Bytes(), nil
	})
}

// Forget signs out of a server; it reports whether there was a sign-in.
func (c *Credentials) Forget(ctx context.Context, s Server) (bool, error) {
	have, err := c.load(ctx, s)
	if err != nil || have == nil {
		return false, err
	}
	return true, c.save(ctx, s, nil)
}

// Authorize is an [Authorizer]: it signs requests by what is kept, and never asks
// a person.
func (c *Credentials) Authorize(_ context.Context, s Server) (auth.OAuthHandler, error) {
	return &keptLogin{c: c, s: s}, nil
}

// keptLogin signs requests to one server.
type keptLogin struct {
	c *Credentials
	s Server

	mu      sync.Mutex
	renewed oauth2.TokenSource
	used    string // the access token that was given out last
}

// TokenSource gives the tokens, nil when nobody has signed in.
func (k *keptLogin) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.renewed != nil {
		return k.renewed, nil
	}
	l, err := k.c.load(ctx, k.s)
	if err != nil || l == nil || l.Tokens == nil {
		return nil, err
	}
	k.renewed = k.source(l)
	k.used = l.Tokens.Access
	return k.renewed, nil
}

// Authorize is called when the server refuses what it got: another program may
// have signed in again meanwhile; if not, a person has to.
func (k *keptLogin) Authorize(ctx context.Context, _ *http.Request, r *http.Response) error {
	if err := r.Body.Close(); err != nil {
		return err
	}
	l, err := k.c.load(ctx, k.s)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if l == nil || l.Tokens == nil || l.Tokens.Access == k.used {
		return ErrNeedsLogin
	}
	k.renewed, k.used = k.source(l), l.Tokens.Access
	return nil
}

// source renews tokens when they end, and keeps the new ones.
func (k *keptLogin) source(l *login) oauth2.TokenSource {
	token := &oauth2.Token{AccessToken: l.Tokens.Access, TokenType: l.Tokens.Type, RefreshToken: l.Tokens.Refresh}
	if l.Expires > 0 {
		token.Expiry = time.UnixMilli(l.Expires)
	}
	if l.Tokens.Refresh == "" || l.Client == nil || l.Discovery == nil {
		return oauth2.StaticTokenSource(token)
	}
	config := &oauth2.Config{
		ClientID: l.Client.ID, ClientSecret: l.Client.Secret,
		Endpoint: oauth2.Endpoint{TokenURL: l.Discovery.Metadata.Token, AuthURL: l.Discovery.Metadata.Authorization},
	}
	return oauth2.ReuseTokenSource(token, &renewal{k: k, config: config, refresh: l.Tokens.Refresh})
}

// renewal asks for new tokens.
type renewal struct {
	k       *keptLogin
	config  *oauth2.Config
	refresh string
}

// Token asks for a new token, unless another program has done so.
func (r *renewal) Token() (*oauth2.Token, error) {
	c := r.k.c
	ctx, cancel := context.WithTimeout(context.Background(), DefaultTimeout)
	defer cancel()
	if c.HTTPClient != nil {
		ctx = context.WithValue(ctx, oauth2.HTTPClient, c.HTTPClient)
	}
	if l, err := c.load(ctx, r.k.s); err == nil && l != nil && l.Tokens != nil && l.Tokens.Refresh != r.refresh && time.UnixMilli(l.Expires).After(c.now()) {
		r.refresh = l.Tokens.Refresh
		return &oauth2.Token{AccessToken: l.Tokens.Access, TokenType: l.Tokens.Type, RefreshToken: l.Tokens.Refresh, Expiry: time.UnixMilli(l.Expires)}, nil
	}
	t, err := r.config.TokenSource(ctx, &oauth2.Token{RefreshToken: r.refresh}).Token()
	if err != nil {
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response != nil && refused.Response.StatusCode < 500 {
			return nil, fmt.Errorf("%w: the sign-in has ended (%s)", ErrNeedsLogin, refused.ErrorCode)
		}
		return nil, fmt.Errorf("renew the sign-in: %w", err)
	}
	if t.RefreshToken != "" {
		r.refresh = t.RefreshToken
	}
	return t, c.keep(context.WithoutCancel(ctx), r.k.s, t, nil)
}

// keep stores tokens, and with config what they were got by.
func (c *Credentials) keep(ctx context.Context, s Server, t *oauth2.Token, config *oauth2.Config) error {
	fields := map[string]any{
		"serverUrl": s.URL,
		"tokens":    loginTokens{Access: t.AccessToken, Type: t.Type(), Refresh: t.RefreshToken},
	}
	if !t.Expiry.IsZero() {
		fields["tokensExpireAt"] = t.Expiry.UnixMilli()
	}
	if config != nil {
		fields["clientInformation"] = loginClient{ID: config.ClientID, Secret: config.ClientSecret, URIs: []string{config.RedirectURL}}
		var d loginEndpoint
		d.Metadata.Token, d.Metadata.Authorization = config.Endpoint.TokenURL, config.Endpoint.AuthURL
		d.Metadata.ResponseTypes = []string{"code"}
		if u, err := url.Parse(config.Endpoint.TokenURL); err == nil {
			d.Server = u.Scheme + "://" + u.Host
			d.Metadata.Issuer = d.Server
		}
		fields["discovery"] = d
	}
	return c.save(ctx, s, fields)
}
