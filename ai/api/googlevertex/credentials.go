package googlevertex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
)

// scope is the right to use Google Cloud.
const scope = "https://www.googleapis.com/auth/cloud-platform"

// CredentialsFile is where the application default credentials are: the file that
// GOOGLE_APPLICATION_CREDENTIALS names, else the one that gcloud writes, with a
// leading ~ for the home directory.
func CredentialsFile(env auth.Environment) string {
	if path := env.Lookup("GOOGLE_APPLICATION_CREDENTIALS"); path != "" {
		return path
	}
	if dir := env.Lookup("APPDATA"); dir != "" {
		return filepath.Join(dir, "gcloud", "application_default_credentials.json")
	}
	return "~/.config/gcloud/application_default_credentials.json"
}

// tokens keeps access tokens by the credentials that gave them.
type tokens struct {
	mu   sync.Mutex
	kept map[string]*oauth2.Token
	turn chan struct{} // holds a token while one is fetched
}

func newTokens() *tokens {
	return &tokens{kept: make(map[string]*oauth2.Token), turn: make(chan struct{}, 1)}
}

// margin is how long a token must still be valid to be used.
const margin = time.Minute

// get gives an access token for a call that is made now.
func (t *tokens) get(ctx context.Context, call *ai.Call, now time.Time) (string, error) {
	path, text, err := read(call.Env)
	if err != nil {
		return "", err
	}
	key := path + "\x00" + string(text)
	select { // one at a time; the next finds it here
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	t.mu.Lock()
	kept := t.kept[key]
	t.mu.Unlock()
	if kept != nil && kept.Expiry.Sub(now) > margin {
		return kept.AccessToken, nil
	}
	hide(call, text)
	token, err := fetch(ctx, call.HTTP, text)
	if err != nil {
		return "", authError(ctx, fmt.Errorf("access token from the credentials in %s: %w", path, err))
	}
	t.mu.Lock()
	t.kept[key] = token
	t.mu.Unlock()
	return token.AccessToken, nil
}

// hide keeps what is secret in credentials out of what is told of a call: servers
// quote requests in their errors.
func hide(call *ai.Call, credentials []byte) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(credentials, &fields) != nil {
		return // fetch tells
	}
	for _, name := range []string{"client_secret", "refresh_token", "private_key", "private_key_id"} {
		var secret string
		if json.Unmarshal(fields[name], &secret) == nil {
			call.Hide(secret)
		}
	}
}

func authError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return err // the stream tells cancelling from failing
	}
	return &ai.APIError{Kind: ai.KindAuth, Phase: ai.PhaseSetup, Message: err.Error(), Err: err}
}

// read gives the credentials and where they are from.
func read(env auth.Environment) (path string, text []byte, err error) {
	path = CredentialsFile(env)
	full := path
	if rest, ok := cutHome(path); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return path, nil, ai.Errorf(ai.KindAuth, "find the application default credentials: %w", err)
		}
		full = filepath.Join(home, rest)
	}
	text, err = os.ReadFile(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil, ai.Errorf(ai.KindAuth, "no credentials for Google Cloud: %s does not exist; set GOOGLE_CLOUD_API_KEY, or run gcloud auth application-default login", path)
	case err != nil:
		return path, nil, ai.Errorf(ai.KindAuth, "read the application default credentials: %w", err)
	}
	return path, text, nil
}

func cutHome(path string) (rest string, ok bool) {
	if len(path) > 1 && path[0] == '~' && (path[1] == '/' || path[1] == filepath.Separator) {
		return path[2:], true
	}
	return "", false
}

// fetch exchanges credentials for an access token.
func fetch(ctx context.Context, client *http.Client, text []byte) (*oauth2.Token, error) {
	var file struct {
		Type google.CredentialsType `json:"type"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("the file is not JSON: %w", err)
	}
	switch file.Type {
	case google.ServiceAccount, google.AuthorizedUser, google.ExternalAccount, google.ExternalAccountAuthorizedUser, google.ImpersonatedServiceAccount:
	default:
		return nil, fmt.Errorf("credentials of type %q are not known", file.Type)
	}
	if client != nil {
		ctx = context.WithValue(ctx, oauth2.HTTPClient, client)
	}
	c, err := google.CredentialsFromJSONWithType(ctx, text, file.Type, scope)
	if err != nil {
		return nil, err
	}
	return c.TokenSource.Token()
}
