package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

// loginPatience is how long a person may take to sign in.
const loginPatience = 5 * time.Minute

// Login signs a person in to a server, in a browser that comes back to this
// machine or by a pasted address, and keeps the result.
func Login(ctx context.Context, s Server, o Options, c *Credentials, ui auth.Interaction) error {
	if s.URL == "" {
		return fmt.Errorf("MCP server %s is a program of this machine: there is nothing to sign in to", s.Name)
	}
	if s.OAuth.Registration == "cimd" {
		return fmt.Errorf("MCP server %s asks for a client document (clientRegistration cimd), which this program has none of; give it a clientId, or remove the setting", s.Name)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginPatience, errors.New("nobody signed in in time"))
	defer cancel()
	door, err := listen(ctx, s.OAuth)
	if err != nil {
		return fmt.Errorf("sign in to MCP server %s: %w", s.Name, err)
	}
	defer door.Close()
	var kept error
	config := &sdkauth.AuthorizationCodeHandlerConfig{
		RedirectURL: door.address, RequestRefreshToken: true, Client: o.HTTPClient,
		AuthorizationCodeFetcher: func(ctx context.Context, args *sdkauth.AuthorizationArgs) (*sdkauth.AuthorizationResult, error) {
			return door.ask(ctx, args.URL, ui)
		},
		NewTokenSource: func(ctx context.Context, config *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			kept = c.keep(context.WithoutCancel(ctx), s, t, config)
			return oauth2.StaticTokenSource(t), kept
		},
	}
	if scope := strings.Fields(s.OAuth.Scope); len(scope) > 0 {
		config.ScopeFilter = func([]string) []string { return scope }
	}
	if err := register(ctx, s, o, config, door.address); err != nil {
		return err
	}
	handler, err := sdkauth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return fmt.Errorf("sign in to MCP server %s: %w", s.Name, err)
	}
	o.Auth = func(context.Context, Server) (sdkauth.OAuthHandler, error) { return handler, nil }
	patient := s
	patient.Timeout = loginPatience
	conn := newConnection(patient, &o, func(*connection) {})
	if _, err := conn.dial(ctx); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("sign in to MCP server %s: %w", s.Name, err)
	}
	if source, err := handler.TokenSource(ctx); err == nil && source == nil {
		return errors.Join(fmt.Errorf("MCP server %s wants no sign-in", s.Name), conn.close())
	}
	return errors.Join(kept, conn.close())
}

// register says who asks: a client that was configured, or one to be registered.
func register(ctx context.Context, s Server, o Options, config *sdkauth.AuthorizationCodeHandlerConfig, address string) error {
	if s.OAuth.ClientID != "" {
		client := &oauthex.ClientCredentials{ClientID: s.OAuth.ClientID}
		if secret := s.OAuth.ClientSecret; secret != "" {
			if o.Resolve != nil {
				var err error
				if secret, err = o.Resolve(ctx, secret); err != nil {
					return fmt.Errorf("the client secret of MCP server %s: %w", s.Name, err)
				}
			}
			client.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: secret}
		}
		config.PreregisteredClient = client
		return nil
	}
	name := s.OAuth.ClientName
	if name == "" {
		name = "pi"
	}
	config.DynamicClientRegistrationConfig = &sdkauth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{address}, TokenEndpointAuthMethod: "none", ClientName: name,
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
	}}
	return nil
}

// door is where a browser comes back to.
type door struct {
	*oauth.Listener
	address string
}

func listen(ctx context.Context, o OAuth) (*door, error) {
	cb, host := oauth.Callback{Path: "/callback", Port: o.CallbackPort}, "127.0.0.1"
	fixed := false
	if o.CallbackURL != "" {
		u, err := url.Parse(o.CallbackURL)
		if err != nil || u.Scheme != "http" || u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" && u.Hostname() != "::1" {
			return nil, fmt.Errorf("the callbackUrl %q is not an http address of this machine", o.CallbackURL)
		}
		cb.Path, host = cmp.Or(u.Path, "/"), u.Hostname()
		if fixed = u.Port() != ""; fixed {
			if cb.Port, err = strconv.Atoi(u.Port()); err != nil {
				return nil, fmt.Errorf("the callbackUrl %q: %w", o.CallbackURL, err)
			}
		}
	}
	env := auth.Environment(nil).Overlay(map[string]string{oauth.CallbackHostVariable: host})
	l, err := oauth.Listen(ctx, auth.Host{Env: env}, cb)
	if err != nil {
		return nil, err
	}
	d := &door{Listener: l, address: l.Redirect()}
	if fixed {
		d.address = o.CallbackURL // as it was registered
	}
	return d, nil
}

// ask sends a person to the page of the server, and waits for the way back.
func (d *door) ask(ctx context.Context, page string, ui auth.Interaction) (*sdkauth.AuthorizationResult, error) {
	u, err := url.Parse(page)
	if err != nil {
		return nil, fmt.Errorf("the page to sign in at: %w", err)
	}
	state := u.Query().Get("state")
	d.Expect(state)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ui.Notify(ctx, auth.Notification{Kind: auth.NoteAuthURL, URL: page, Message: "Sign in in the browser; it comes back here by itself."})
	pasted := make(chan string, 1)
	go func() {
		text, err := ui.Prompt(ctx, auth.Prompt{Kind: auth.PromptCode, Message: "Or paste the address that the browser ends at:"})
		if err == nil && text != "" {
			pasted <- text
		}
	}()
	select {
	case a := <-d.Answers():
		err := a.Err()
		a.Done(err)
		return brought(a.Query), err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case text := <-pasted:
		p, err := oauth.ParsePasted(text)
		if err != nil {
			return nil, fmt.Errorf("what was pasted is not the address that the browser ended at: %w", err)
		}
		if p.Query == nil { // the code alone
			p.Query = url.Values{"code": {p.Code}, "state": {cmp.Or(p.State, state)}}
		}
		return brought(p.Query), oauth.Answer{Query: p.Query}.Err()
	}
}

func brought(q url.Values) *sdkauth.AuthorizationResult {
	return &sdkauth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}
}
