package ai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

const (
	// refreshMargin is how long before its expiry a token is renewed.
	refreshMargin = 5 * time.Minute
	// refreshTime is how long a renewal may take. It goes on when its caller has
	// given up: a refresh token that was used must not be lost.
	refreshTime = 15 * time.Second
)

// host is what this collection lends to the logins of a provider.
func (m *Models) host(p Provider, env auth.Environment) auth.Host {
	id := ""
	if m.cfg.OAuthClientID != nil {
		id = m.cfg.OAuthClientID(p.ID())
	}
	if id == "" {
		id = env.Lookup(auth.ClientIDVariable(p.ID()))
	}
	return auth.Host{
		HTTP: m.http.HTTPClient(), Env: env, Now: m.cfg.Now, UserAgent: m.cfg.Identity.UserAgent, Name: m.cfg.Identity.Name,
		ClientID: id, InstallationID: m.cfg.InstallationID,
	}
}

// SignInReady reports whether a person can sign in to a provider now: it has a
// login, and the OAuth client id that this needs, if it needs one, is configured.
func (m *Models) SignInReady(provider string) bool {
	p := m.Provider(provider)
	if p == nil || p.Auth().OAuth == nil {
		return false
	}
	needs, ok := p.Auth().OAuth.(auth.ClientIDLogin)
	return !ok || !needs.NeedsClientID() || m.host(p, m.cfg.Env).ClientID != ""
}

// Login signs in to a provider, with its login or by asking for a key, and stores
// what that gives. It takes as long as the person does, and holds no lock
// meanwhile.
func (m *Models) Login(ctx context.Context, provider string, kind auth.CredentialType, ui auth.Interaction) error {
	p := m.Provider(provider)
	if p == nil {
		return Errorf(KindConfig, "unknown provider %q%s", provider, DidYouMean(provider, m.providerIDs()))
	}
	if m.cfg.Credentials == nil {
		return Errorf(KindConfig, "there is nowhere to store credentials")
	}
	methods := p.Auth()
	var c *auth.Credential
	var err error
	switch kind {
	case auth.TypeOAuth:
		if methods.OAuth == nil {
			return Errorf(KindConfig, "provider %s has no login, only keys", p.ID())
		}
		c, err = methods.OAuth.Login(ctx, m.host(p, m.cfg.Env), ui)
	default:
		login, ok := methods.APIKey.(auth.KeyLogin)
		if !ok {
			return Errorf(KindConfig, "provider %s takes no key that can be stored", p.ID())
		}
		c, err = login.Login(ctx, ui)
	}
	if err == nil && c == nil {
		err = errors.New("the login gave nothing to store")
	}
	if err != nil {
		return authError(p, fmt.Errorf("sign in to %s: %w", p.ID(), err))
	}
	_, err = m.cfg.Credentials.Modify(ctx, p.ID(), func(old *auth.Credential) (*auth.Credential, error) {
		if old != nil && c.Env == nil {
			c.Env = old.Env // settings of the provider, not of the login
		}
		return c, nil
	})
	if err != nil {
		return authError(p, fmt.Errorf("store the login of %s: %w", p.ID(), err))
	}
	return nil
}

// Logout removes the stored credential of a provider and reports whether there was
// one. The provider need not be in the collection. Keys of the environment stay.
func (m *Models) Logout(ctx context.Context, provider string) (bool, error) {
	if m.cfg.Credentials == nil {
		return false, nil
	}
	had := false
	_, err := m.cfg.Credentials.Modify(ctx, provider, func(c *auth.Credential) (*auth.Credential, error) {
		had = c != nil
		return nil, nil
	})
	if err != nil {
		return false, &APIError{Kind: KindAuth, Phase: PhaseSetup, Provider: provider, Message: fmt.Sprintf("remove the login of %s: %v", provider, err), Err: err}
	}
	return had, nil
}

func authError(p Provider, err error) *APIError {
	return &APIError{Kind: KindAuth, Phase: PhaseSetup, Provider: p.ID(), Message: err.Error(), Err: err}
}

// left is how long a login is good for.
func (m *Models) left(c *auth.Credential) time.Duration {
	if c.Expires == 0 || c.Expires >= 1<<53-1 {
		return math.MaxInt64 // for ever
	}
	return time.UnixMilli(c.Expires).Sub(m.cfg.Now())
}

// Token gives the access token of a stored login, for programs that call the
// vendor themselves. It is renewed when it would end within least; a token that is
// not good for that long even then is an error.
func (m *Models) Token(ctx context.Context, provider string, least time.Duration) (string, error) {
	p := m.Provider(provider)
	if p == nil {
		return "", Errorf(KindConfig, "unknown provider %q%s", provider, DidYouMean(provider, m.providerIDs()))
	}
	in, err := m.authInput(ctx, p, nil)
	if err != nil {
		return "", err
	}
	c, method := in.Credential, p.Auth().OAuth
	if c == nil || c.Type != auth.TypeOAuth || method == nil {
		return "", Errorf(KindAuth, "nobody is signed in to %s, so there is no token", p.ID())
	}
	if c, err = m.fresh(ctx, p, method, c, in.Env, max(least, refreshMargin)); err != nil {
		return "", authError(p, err)
	}
	if left := m.left(c); left < least {
		return "", Errorf(KindAuth, "the token of %s is good for %v only, and the vendor gives none for %v", p.ID(), left.Round(time.Second), least)
	}
	r, err := method.ToAuth(c)
	if err != nil {
		return "", authError(p, fmt.Errorf("use the login of %s: %w", p.ID(), err))
	}
	return r.APIKey, nil
}

// fresh gives a login that is valid for least, renewing it under the store's lock
// if need be; another process may have done so meanwhile. When it can not be renewed
// what is stored stays as it is.
func (m *Models) fresh(ctx context.Context, p Provider, method auth.OAuthMethod, c *auth.Credential, env auth.Environment, least time.Duration) (*auth.Credential, error) {
	if m.left(c) > least {
		return c, nil
	}
	renewed, err := m.cfg.Credentials.Modify(ctx, p.ID(), func(c *auth.Credential) (*auth.Credential, error) {
		if c == nil || c.Type != auth.TypeOAuth {
			return c, errors.New("the stored login was removed meanwhile")
		}
		if m.left(c) > least {
			return c, nil
		}
		within, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), refreshTime, fmt.Errorf("it took longer than %v", refreshTime))
		defer cancel()
		return method.Refresh(within, m.host(p, env), c)
	})
	if err == nil {
		return renewed, nil
	}
	// It may be good for some minutes more, or another program that shares the
	// store has renewed it.
	again, readErr := m.cfg.Credentials.Read(ctx, p.ID())
	if readErr == nil && again != nil && again.Type == auth.TypeOAuth && m.left(again) > 0 {
		return again, nil
	}
	var missing *auth.MissingClientError
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("the stored login of %s has expired and was left as it is: use the program that made it once more, which renews it, or renew it here; %w", p.ID(), err)
	}
	return nil, fmt.Errorf("renew the login of %s: %w", p.ID(), err)
}
