package auth

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Host is what a program lends to a login: the network, the clock, the
// environment, and what is configured for the provider. The zero value works, with
// the clock, the randomness and the HTTP client of the process.
type Host struct {
	// HTTP sends the requests; nil means [http.DefaultClient].
	HTTP *http.Client
	// Env looks up settings; nil knows none.
	Env Environment
	// Now is the clock, Sleep waits by it, and Random is the source of secrets;
	// nil means those of the process.
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	Random io.Reader
	// UserAgent is sent with each request; empty means "pi-go".
	UserAgent string
	// Name is what a vendor shows a person who is asked to let this program in;
	// empty means "pi".
	Name string
	// ClientID is the OAuth client id that was configured for the provider; ""
	// means none.
	ClientID string
	// InstallationID gives a UUID that stays the same on this machine, for
	// vendors that register each installation; nil means that there is none.
	InstallationID func(ctx context.Context) (string, error)
}

// WithDefaults fills in what is left open.
func (h Host) WithDefaults() Host {
	if h.HTTP == nil {
		h.HTTP = http.DefaultClient
	}
	if h.Now == nil {
		h.Now = time.Now
	}
	if h.Sleep == nil {
		h.Sleep = sleep
	}
	if h.Random == nil {
		h.Random = rand.Reader
	}
	if h.UserAgent == "" {
		h.UserAgent = "pi-go"
	}
	if h.Name == "" {
		h.Name = "pi"
	}
	return h
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ClientIDVariable is the environment variable that holds the OAuth client id of a
// provider, such as PI_OAUTH_CLIENT_ID_GITHUB_COPILOT.
func ClientIDVariable(provider string) string {
	return "PI_OAUTH_CLIENT_ID_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, provider)
}

// NeedClientID gives the configured client id of a provider, or the error that says
// how to configure one. keyVars are the variables of the provider's keys, the
// other way to use it.
func (h Host) NeedClientID(provider string, keyVars ...string) (string, error) {
	if h.ClientID == "" {
		return "", &MissingClientError{Provider: provider, KeyVars: keyVars}
	}
	return h.ClientID, nil
}

// ClientIDLogin is an [OAuthMethod] that tells whether signing in needs an OAuth
// client id that was issued to the person; see [Host.NeedClientID].
type ClientIDLogin interface {
	NeedsClientID() bool
}

// MissingClientError says that a login needs an OAuth client id and none is
// configured. Vendors issue client ids to programs; one that was issued to another
// program is not ours to use, so none is built in.
type MissingClientError struct {
	Provider string
	KeyVars  []string // variables that can hold a key instead
}

// Error names the ways on.
func (e *MissingClientError) Error() string {
	text := fmt.Sprintf("signing in to %s needs an OAuth client id that was issued to you: put it into %q of the provider in models.json, or into %s",
		e.Provider, "oauthClientId", ClientIDVariable(e.Provider))
	if len(e.KeyVars) > 0 {
		text += "; or use an API key instead (" + strings.Join(e.KeyVars, " or ") + ", or a stored one)"
	}
	return text
}
