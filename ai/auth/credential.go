package auth

import (
	"context"
	"encoding/json"
	"errors"
)

// CredentialType says what kind of credential is stored.
type CredentialType string

// The credential types.
const (
	TypeAPIKey CredentialType = "api_key"
	TypeOAuth  CredentialType = "oauth"
)

// Credential is what is stored for one provider.
type Credential struct {
	Type CredentialType
	// Key is a literal, or an indirection as [Resolver] describes.
	Key string
	// Env holds variables that win over the environment for this provider.
	Env map[string]string
	// Access, Refresh and Expires (Unix milliseconds) belong to TypeOAuth.
	Access  string
	Refresh string
	Expires int64
	// Extra holds the provider's own fields and those this package does not
	// know. They are written back.
	Extra map[string]json.RawMessage
}

// Info says that something is stored, without its secret.
type Info struct {
	Provider string
	Type     CredentialType
}

// Store keeps credentials. Implementations are safe for concurrent use.
type Store interface {
	// Read gives the credential of a provider, nil when there is none.
	Read(ctx context.Context, provider string) (*Credential, error)
	// List says which providers have credentials. It resolves nothing.
	List(ctx context.Context) ([]Info, error)
	// Modify is the only way to write: change gets the stored credential (nil
	// when there is none) and returns what to store (nil deletes). Calls for
	// one provider are serialised, where the store is shared across processes
	// too. An error of change is returned and nothing is written.
	Modify(ctx context.Context, provider string, change func(*Credential) (*Credential, error)) (*Credential, error)
}

// Delete removes a provider's credential from a store.
func Delete(ctx context.Context, s Store, provider string) error {
	_, err := s.Modify(ctx, provider, func(*Credential) (*Credential, error) { return nil, nil })
	return err
}

// Environment looks up a variable; "" means unset.
type Environment func(name string) string

// Overlay gives an environment in which the variables of over win.
func (e Environment) Overlay(over map[string]string) Environment {
	if len(over) == 0 {
		return e
	}
	return func(name string) string {
		if v := over[name]; v != "" {
			return v
		}
		return e.Lookup(name)
	}
}

// Lookup is e(name), and "" for a nil environment.
func (e Environment) Lookup(name string) string {
	if e == nil {
		return ""
	}
	return e(name)
}

// Resolved is how one request authenticates.
type Resolved struct {
	// APIKey goes where the protocol puts keys.
	APIKey string
	// Bearer says that APIKey is a token for the Authorization header also in
	// protocols that have a header of their own for keys.
	Bearer bool
	// Headers are set, RemoveHeaders deleted, above the protocol's own.
	Headers       map[string]string
	RemoveHeaders []string
	// BaseURL, if set, replaces the model's.
	BaseURL string
	// Env holds provider-scoped variables found with the credential.
	Env map[string]string
	// Source says where the key came from: a variable's name, "stored
	// credential", "OAuth". Never the key.
	Source string
	// OAuth says that the key is a token of a login, not an API key.
	OAuth bool
}

// Methods are the ways a provider authenticates; a nil one is not offered.
// With both nil the provider needs no credentials.
type Methods struct {
	APIKey APIKeyMethod
	OAuth  OAuthMethod
}

// Input is what a method may look at.
type Input struct {
	// Credential is the stored one, nil when there is none.
	Credential *Credential
	// Env is the environment, the credential's own variables on top.
	Env Environment
	// FileExists reports whether a path exists; a leading ~ is the home
	// directory. nil means that no file is looked at.
	FileExists func(path string) bool
	// Resolve expands key indirections; nil leaves values as they are.
	Resolve func(ctx context.Context, value string) (string, error)
}

// APIKeyMethod authenticates by key or by what the environment offers.
type APIKeyMethod interface {
	// Name is for people, such as "API key".
	Name() string
	// EnvVars lists the variables that can hold the key, first set wins.
	EnvVars() []string
	// Check says where the key would come from, "" when there is none. It has
	// no side effects: it runs no command and calls no server.
	Check(in Input) (source string)
	// Resolve gives the key; nil when there is none.
	Resolve(ctx context.Context, in Input) (*Resolved, error)
}

// OAuthMethod authenticates by a login.
type OAuthMethod interface {
	// Name is for people, such as "Anthropic (Claude Pro/Max)".
	Name() string
	// Login runs the flow and gives what to store.
	Login(ctx context.Context, ui Interaction) (*Credential, error)
	// Refresh renews a credential that has expired or is about to.
	Refresh(ctx context.Context, c *Credential) (*Credential, error)
	// ToAuth derives the request's authentication; it calls no server.
	ToAuth(c *Credential) (*Resolved, error)
}

// ErrCancelled is the error of a person who gave up a login.
var ErrCancelled = errors.New("the login was cancelled")

// ErrNoPrompt is the error of an [Interaction] that can not ask anybody. A login
// then goes on if it can do so without an answer.
var ErrNoPrompt = errors.New("nobody can be asked here")

// Interaction is how a login talks to a person.
type Interaction interface {
	// Prompt asks and waits for the answer. It returns when ctx ends, as it does
	// when the answer came another way. ErrCancelled ends the login, ErrNoPrompt
	// means that there is nobody to ask.
	Prompt(ctx context.Context, p Prompt) (string, error)
	// Notify shows something and returns at once.
	Notify(ctx context.Context, n Notification)
}

// Prompt is a question to a person.
type Prompt struct {
	Kind        string // "text", "secret", "select" or "manual_code"
	Message     string
	Placeholder string
	Options     []Option // for "select"; the answer is an option's ID
}

// Option is one choice of a select prompt.
type Option struct{ ID, Label, Description string }

// Notification is something to show to a person.
type Notification struct {
	Kind    string // "info", "auth_url", "device_code" or "progress"
	Message string
	URL     string
	// UserCode is what to type at URL for "device_code".
	UserCode string
}
