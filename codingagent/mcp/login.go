package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
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
	door, err := listen(s.OAuth)
	if err != nil {
		return fmt.Errorf("sign in to MCP server %s: %w", s.Name, err)
	}
	defer door.close()
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
	address  string
	listener net.Listener
	server   *http.Server
	answers  chan *sdkauth.AuthorizationResult
	refusals chan error
}

func listen(o OAuth) (*door, error) {
	path, host, fixed := "/callback", "127.0.0.1", ""
	if o.CallbackURL != "" {
		u, err := url.Parse(o.CallbackURL)
		if err != nil || u.Scheme != "http" || u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" && u.Hostname() != "::1" {
			return nil, fmt.Errorf("the callbackUrl %q is not an http address of this machine", o.CallbackURL)
		}
		path, host, fixed = u.Path, u.Hostname(), u.Port()
	}
	port := fixed
	if port == "" {
		port = fmt.Sprint(o.CallbackPort)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listen for the browser: %w", err)
	}
	d := &door{listener: l, answers: make(chan *sdkauth.AuthorizationResult, 1), refusals: make(chan error, 1)}
	d.address = o.CallbackURL
	if fixed == "" {
		_, taken, err := net.SplitHostPort(l.Addr().String())
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		d.address = "http://" + net.JoinHostPort(host, taken) + path
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, d.hear)
	d.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = d.server.Serve(l) }() // it ends when the door is closed
	return d, nil
}

func (d *door) close() { _ = d.server.Close() }

// hear takes the browser that comes back.
func (d *door) hear(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	text := "You are signed in. You can close this window."
	if refused := q.Get("error"); refused != "" {
		text = "The sign-in was refused. You can close this window."
		select {
		case d.refusals <- fmt.Errorf("it was refused: %s", oauth.Plain(strings.TrimSpace(refused+" "+q.Get("error_description")), 200)):
		default:
		}
	} else {
		select {
		case d.answers <- &sdkauth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}:
		default:
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(w, text) // the browser may have gone
}

// ask sends a person to the page of the server, and waits for the way back.
func (d *door) ask(ctx context.Context, page string, ui auth.Interaction) (*sdkauth.AuthorizationResult, error) {
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
	for {
		select {
		case got := <-d.answers:
			return got, nil
		case err := <-d.refusals:
			return nil, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case text := <-pasted:
			u, err := url.Parse(strings.TrimSpace(text))
			if err != nil || u.Query().Get("code") == "" {
				return nil, errors.New("what was pasted is not the address that the browser ended at")
			}
			q := u.Query()
			return &sdkauth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
		}
	}
}
