package anthropic

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

// federated is where a key comes from that is no key: the platform that a program
// runs on vouches for it, and the vendor exchanges that for a short-lived token
// (workload identity federation).
const federated = "workload identity federation"

// The variables of federation. The first three are needed.
const (
	ruleVar      = "ANTHROPIC_FEDERATION_RULE_ID"
	orgVar       = "ANTHROPIC_ORGANIZATION_ID"
	fileVar      = "ANTHROPIC_IDENTITY_TOKEN_FILE"
	accountVar   = "ANTHROPIC_SERVICE_ACCOUNT_ID"
	workspaceVar = "ANTHROPIC_WORKSPACE_ID"
)

// key is a key or token of the environment, or federation when there is none.
type key struct{ auth.EnvKey }

func canFederate(in auth.Input) bool {
	return (in.Credential == nil || in.Credential.Key == "") &&
		in.Env.Lookup(ruleVar) != "" && in.Env.Lookup(orgVar) != "" && in.Env.Lookup(fileVar) != ""
}

// Check says where the key would come from.
func (k key) Check(in auth.Input) string {
	if source := k.EnvKey.Check(in); source != "" || !canFederate(in) {
		return source
	}
	return federated
}

// Resolve gives the key, or leave to exchange the identity for a token.
func (k key) Resolve(ctx context.Context, in auth.Input) (*auth.Resolved, error) {
	r, err := k.EnvKey.Resolve(ctx, in)
	if r != nil || err != nil || !canFederate(in) {
		return r, err
	}
	r = &auth.Resolved{Source: federated}
	if in.Credential != nil {
		r.Env = in.Credential.Env
	}
	return r, nil
}

// federatedAPI fetches the token of a call that has leave to; see key.
type federatedAPI struct {
	ai.API
	tokens *tokens
}

// Stream sends the call and writes the answer.
func (f federatedAPI) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	if call.Auth.Source != federated {
		return f.API.Stream(ctx, call, out)
	}
	who := identityOf(call)
	token, err := f.tokens.get(ctx, call, who, out.Now())
	if err != nil {
		return err
	}
	call.Hide(token)
	with := *call
	with.Auth.APIKey, with.Auth.Bearer = token, true
	err = f.API.Stream(ctx, &with, out)
	var refused *ai.APIError
	if errors.As(err, &refused) && refused.Status == 401 {
		f.tokens.drop(who, token) // it was withdrawn; the next call gets another
	}
	return err
}

// identity is what a token is exchanged for, besides the platform's own token.
type identity struct{ rule, org, file, account, workspace, base string }

func identityOf(call *ai.Call) identity {
	env := call.Env.Lookup
	return identity{env(ruleVar), env(orgVar), env(fileVar), env(accountVar), env(workspaceVar), strings.TrimSuffix(call.BaseURL, "/v1")}
}

// tokens keeps tokens until they expire.
type tokens struct {
	turn chan struct{} // holds one while somebody fetches; the others find the token then
	mu   sync.Mutex
	kept map[identity]token
}

type token struct {
	text    string
	expires time.Time
}

func newTokens() *tokens {
	return &tokens{turn: make(chan struct{}, 1), kept: make(map[identity]token)}
}

// margin is how long a token must still be valid to be used.
const margin = time.Minute

func (t *tokens) get(ctx context.Context, call *ai.Call, who identity, now time.Time) (string, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	t.mu.Lock()
	kept := t.kept[who]
	t.mu.Unlock()
	if kept.text != "" && kept.expires.Sub(now) > margin {
		return kept.text, nil
	}
	fresh, err := exchange(ctx, call, who, now)
	if err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		return "", &ai.APIError{Kind: ai.KindAuth, Phase: ai.PhaseSetup, Message: federated + ": " + err.Error(), Err: err}
	}
	t.mu.Lock()
	t.kept[who] = fresh
	t.mu.Unlock()
	return fresh.text, nil
}

func (t *tokens) drop(who identity, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept[who].text == text {
		delete(t.kept, who)
	}
}

// exchange asks the vendor for a token. The platform renews its own in the file, so
// that is read each time.
func exchange(ctx context.Context, call *ai.Call, who identity, now time.Time) (token, error) {
	own, err := os.ReadFile(who.file)
	if err != nil {
		return token{}, fmt.Errorf("read the platform's token: %w", err)
	}
	assertion := strings.TrimSpace(string(own))
	if assertion == "" {
		return token{}, fmt.Errorf("the platform's token in %s is empty", who.file)
	}
	call.Hide(assertion)
	request := map[string]string{
		"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion,
		"federation_rule_id": who.rule, "organization_id": who.org,
	}
	if who.account != "" {
		request["service_account_id"] = who.account
	}
	if who.workspace != "" {
		request["workspace_id"] = who.workspace
	}
	answer, err := oauth.RequestToken(ctx, auth.Host{HTTP: call.HTTP, Env: call.Env, UserAgent: call.Identity.UserAgent}.WithDefaults(),
		oauth.Request{URL: who.base + "/v1/oauth/token", JSON: request})
	if err != nil {
		return token{}, err
	}
	return token{answer.Access, now.Add(answer.ExpiresIn)}, nil
}
