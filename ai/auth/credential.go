package auth

import (
	"context"
	"encoding/json"
	"errors"
	"time"
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
	// BaseURL is the address that a person's configuration gives the provider, such as
	// that of models.json; "" when there is none.
	BaseURL string
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

// KeyAdviser is an [APIKeyMethod] that knows what it lacks; of others it is assumed to
// be one of EnvVars.
type KeyAdviser interface {
	// Advice says what would make the method usable when Check says that it is not,
	// such as "set GROQ_API_KEY"; "" when it does not know. It has no side effects.
	Advice(in Input) string
}

// OAuthMethod authenticates by a login. Implementations hold no state and are safe
// for concurrent use.
type OAuthMethod interface {
	// Name is for people, such as "Anthropic (Claude Pro/Max)".
	Name() string
	// Login runs the flow and gives what to store.
	Login(ctx context.Context, h Host, ui Interaction) (*Credential, error)
	// Refresh renews a credential that has expired or is about to. What it does
	// not know of c it keeps.
	Refresh(ctx context.Context, h Host, c *Credential) (*Credential, error)
	// ToAuth derives the request's authentication; it calls no server.
	ToAuth(c *Credential) (*Resolved, error)
}

// KeyLogin is an [APIKeyMethod] that can ask a person for what it needs.
type KeyLogin interface {
	// Login asks for the key and gives what to store.
	Login(ctx context.Context, ui Interaction) (*Credential, error)
}

// ErrCancelled is what an [Interaction] answers when the person gave up.
var ErrCancelled = errors.New("the login was cancelled")

// ErrNoPrompt is what an [Interaction] answers a prompt with when there is nobody
// to ask. A flow that can go on without the answer does so.
var ErrNoPrompt = errors.New("there is nobody to ask: this needs a terminal")

// Interaction is how a login talks to a person. Its methods may be called from
// several goroutines.
type Interaction interface {
	// Prompt asks and waits for the answer; an error means that there is none. It
	// returns soon after ctx ends: a flow takes a question back when the answer
	// came another way.
	Prompt(ctx context.Context, p Prompt) (string, error)
	// Notify shows something and returns at once.
	Notify(ctx context.Context, n Notification)
}

// The kinds of prompts.
const (
	PromptText   = "text"
	PromptSecret = "secret" // not to be shown while it is typed
	PromptSelect = "select" // the answer is the ID of one of Options
	PromptCode   = "manual_code"
)

// Prompt is a question to a person.
type Prompt struct {
	Kind        string // one of the Prompt constants
	Message     string
	Placeholder string
	Options     []Option // for PromptSelect
}

// Option is one choice of a select prompt.
type Option struct{ ID, Label, Description string }

// The kinds of notifications.
const (
	NoteInfo     = "info"
	NoteAuthURL  = "auth_url"    // open URL in a browser
	NoteDevice   = "device_code" // open URL and type UserCode there
	NoteProgress = "progress"
)

// Notification is something to show to a person.
type Notification struct {
	Kind    string // one of the Note constants
	Message string
	// URL is always http or https, so that it can be handed to a browser.
	URL string
	// UserCode is what to type at URL for NoteDevice, and ExpiresIn how long it
	// is good for, 0 when that is not known.
	UserCode  string
	ExpiresIn time.Duration
}
