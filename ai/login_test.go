package ai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/authtest"
	"github.com/pi-go/pi/ai/auth/oauth"
	"github.com/pi-go/pi/ai/faux"
)

const acmeToken = "auth.acme.example/token"

// acme is a vendor whose logins need a client id.
type acme struct{}

func (acme) Name() string { return "Acme" }

func (acme) Login(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	code, err := ui.Prompt(ctx, auth.Prompt{Kind: auth.PromptCode})
	if err != nil {
		return nil, err
	}
	return &auth.Credential{Type: auth.TypeOAuth, Access: code + " of " + h.ClientID + " by " + h.UserAgent, Refresh: "r", Expires: h.Now().Add(time.Hour).UnixMilli()}, nil
}

func (acme) Refresh(ctx context.Context, h auth.Host, c *auth.Credential) (*auth.Credential, error) {
	id, err := h.NeedClientID("acme", "ACME_KEY")
	if err != nil {
		return nil, err
	}
	t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: "https://" + acmeToken, Form: url.Values{"grant_type": {"refresh_token"}, "refresh_token": {c.Refresh}, "client_id": {id}}})
	if err != nil {
		return nil, err
	}
	return t.Credential(h, c, oauth.Lifetime{})
}

func (acme) ToAuth(c *auth.Credential) (*auth.Resolved, error) {
	return &auth.Resolved{APIKey: c.Access, Source: "OAuth"}, nil
}

func (acme) NeedsClientID() bool { return true }

func acmeProvider(t *testing.T) ai.Provider {
	t.Helper()
	api, err := faux.New(faux.Config{}).API(nil)
	if err != nil {
		t.Fatal(err)
	}
	return ai.NewProvider(ai.ProviderConfig{
		ID: "acme", APIs: []ai.API{api}, Models: []*ai.Model{{ID: "m", Provider: "acme"}},
		Auth: auth.Methods{OAuth: acme{}, APIKey: auth.EnvKey{Vars: []string{"ACME_KEY"}, Needs: []string{"ACME_REGION"}}},
	})
}

func TestSignInReady(t *testing.T) {
	p := acmeProvider(t)
	if ai.NewModels(p).SignInReady("nobody") {
		t.Error("a provider that is not there lets people sign in")
	}
	none := func(string) string { return "" }
	if (ai.ModelsConfig{Env: none}).New(p).SignInReady("acme") {
		t.Error("ready without the client id that is needed")
	}
	for name, c := range map[string]ai.ModelsConfig{
		"configured":  {Env: none, OAuthClientID: func(string) string { return "id" }},
		"environment": {Env: func(n string) string { return map[string]string{auth.ClientIDVariable("acme"): "id"}[n] }},
	} {
		if !c.New(p).SignInReady("acme") {
			t.Errorf("%s: not ready", name)
		}
	}
}

func TestLoginAndLogout(t *testing.T) {
	store := auth.NewMemoryStore(nil)
	env := map[string]string{"PI_OAUTH_CLIENT_ID_ACME": "env-id", "ACME_REGION": ""}
	models := ai.ModelsConfig{Credentials: store, Env: func(n string) string { return env[n] }}.New(acmeProvider(t))
	person := &authtest.Person{Answers: map[string][]string{auth.PromptCode: {"c1", "c2"}, auth.PromptSecret: {" k ", ""}, auth.PromptText: {"eu"}}}
	if err := models.Login(t.Context(), "acme", auth.TypeOAuth, person); err != nil {
		t.Fatal(err)
	}
	if c, _ := store.Read(t.Context(), "acme"); c.Access != "c1 of env-id by pi-go/"+ai.Version {
		t.Errorf("stored %q", c.Access)
	}
	configured := ai.ModelsConfig{Credentials: store, Env: func(n string) string { return env[n] }, OAuthClientID: func(p string) string { return "file-id for " + p }}.New(acmeProvider(t))
	if err := configured.Login(t.Context(), "acme", auth.TypeOAuth, person); err != nil {
		t.Fatal(err)
	}
	if c, _ := store.Read(t.Context(), "acme"); !strings.HasPrefix(c.Access, "c2 of file-id for acme") {
		t.Errorf("stored %q", c.Access)
	}
	if err := models.Login(t.Context(), "acme", auth.TypeAPIKey, person); err != nil {
		t.Fatal(err)
	}
	if c, _ := store.Read(t.Context(), "acme"); c.Type != auth.TypeAPIKey || c.Key != "k" || c.Env["ACME_REGION"] != "eu" {
		t.Errorf("stored %#v", c)
	}
	if r, err := models.Auth(t.Context(), "acme", ai.Options{}); err != nil || r.APIKey != "k" {
		t.Errorf("%v, %v", r, err)
	}
	// An empty answer changes nothing.
	if err := models.Login(t.Context(), "acme", auth.TypeAPIKey, person); err == nil || !strings.Contains(err.Error(), "nothing was stored") {
		t.Errorf("got %v", err)
	}
	for range 2 {
		had, err := models.Logout(t.Context(), "acme")
		if c, _ := store.Read(t.Context(), "acme"); err != nil || c != nil {
			t.Errorf("%v, %v", had, err)
		}
	}
	for want, run := range map[string]func() error{
		`unknown provider "acm"; did you mean acme?`: func() error { return models.Login(t.Context(), "acm", auth.TypeOAuth, person) },
		"nowhere to store":                           func() error { return ai.NewModels(acmeProvider(t)).Login(t.Context(), "acme", auth.TypeOAuth, person) },
	} {
		if err := run(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A login that can not be renewed is not replaced by a key of the environment, and
// stays as it is.
func TestRenewalFails(t *testing.T) {
	const stored = `{"acme": {"type":"oauth", "access":"old","refresh":"bad","expires": 5, "mine":[1, 2.0]} }`
	path := filepath.Join(t.TempDir(), "auth.json")
	if err := os.WriteFile(path, []byte(stored), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := authtest.New()
	srv.Handle(acmeToken, srv.Token(authtest.Tokens{Access: "new", ExpiresIn: 3600}))
	env := map[string]string{"ACME_KEY": "from the environment", "ACME_REGION": "eu"}
	store := auth.NewFileStore(path)
	models := ai.ModelsConfig{Credentials: store, Env: func(n string) string { return env[n] }, HTTPClient: srv.Client()}.New(acmeProvider(t))
	for _, id := range []string{"", "id"} {
		env["PI_OAUTH_CLIENT_ID_ACME"] = id
		r, err := models.Auth(t.Context(), "acme", ai.Options{})
		var api *ai.APIError
		if r.APIKey != "" || !errors.As(err, &api) || api.Kind != ai.KindAuth {
			t.Errorf("%v, %v", r, err)
		}
		want := "invalid_grant"
		if id == "" {
			want = "has expired and was left as it is"
			for _, way := range []string{"the program that made it", "PI_OAUTH_CLIENT_ID_ACME", "oauthClientId", "ACME_KEY"} {
				if !strings.Contains(err.Error(), way) {
					t.Errorf("%v does not name %s", err, way)
				}
			}
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if b, _ := os.ReadFile(path); string(b) != stored {
			t.Errorf("the file became %s", b)
		}
	}
	// The other program renews it: that is noticed without a restart.
	env["PI_OAUTH_CLIENT_ID_ACME"] = ""
	renewed := strings.NewReplacer(`"old"`, `"theirs"`, "5,", fmt.Sprint(time.Now().Add(time.Hour).UnixMilli(), ",")).Replace(stored)
	if err := os.WriteFile(path, []byte(renewed), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := models.Auth(t.Context(), "acme", ai.Options{}); err != nil || r.APIKey != "theirs" {
		t.Errorf("%v, %v", r, err)
	}
	// What is good for some minutes more is used, although it should be renewed.
	soon := strings.NewReplacer(`"old"`, `"still good"`, "5,", fmt.Sprint(time.Now().Add(time.Minute).UnixMilli(), ",")).Replace(stored)
	if err := os.WriteFile(path, []byte(soon), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := models.Auth(t.Context(), "acme", ai.Options{}); err != nil || r.APIKey != "still good" {
		t.Errorf("%v, %v", r, err)
	}
	if b, _ := os.ReadFile(path); string(b) != soon {
		t.Errorf("the file became %s", b)
	}
}

// A token is renewed while it is still good for some minutes, so that it does not
// expire under a request.
func TestRenewedBeforeItExpires(t *testing.T) {
	now := time.UnixMilli(1_900_000_000_000)
	for left, want := range map[time.Duration]string{5*time.Minute + time.Second: "old", 5*time.Minute - time.Second: "new-1"} {
		srv := authtest.New()
		srv.AllowRefresh("r0")
		srv.Handle(acmeToken, srv.Token(authtest.Tokens{Access: "new", Refresh: "r", ExpiresIn: 3600}))
		store := auth.NewMemoryStore(map[string]*auth.Credential{"acme": {Type: auth.TypeOAuth, Access: "old", Refresh: "r0", Expires: now.Add(left).UnixMilli()}})
		models := ai.ModelsConfig{
			Credentials: store, HTTPClient: srv.Client(), OAuthClientID: func(string) string { return "id" }, Now: func() time.Time { return now },
		}.New(acmeProvider(t))
		if r, err := models.Auth(t.Context(), "acme", ai.Options{}); err != nil || r.APIKey != want {
			t.Errorf("%v before it expires: %q, %v; want %s", left, r.APIKey, err, want)
		}
	}
}

// A renewal that has begun is finished and stored when its caller gives up: the old
// refresh token is good no more.
func TestRenewalOutlivesItsCaller(t *testing.T) {
	srv := authtest.New()
	srv.AllowRefresh("r0")
	ctx, cancel := context.WithCancel(t.Context())
	good := srv.Token(authtest.Tokens{Access: "new", Refresh: "r", ExpiresIn: 3600})
	srv.Handle(acmeToken, func(r *authtest.Request) authtest.Response {
		cancel()
		return good(r)
	})
	store := auth.NewMemoryStore(map[string]*auth.Credential{"acme": {Type: auth.TypeOAuth, Access: "old", Refresh: "r0", Expires: 5}})
	models := ai.ModelsConfig{Credentials: store, HTTPClient: srv.Client(), OAuthClientID: func(string) string { return "id" }}.New(acmeProvider(t))
	_, _ = models.Auth(ctx, "acme", ai.Options{})
	if c, err := store.Read(t.Context(), "acme"); err != nil || c.Access != "new-1" || c.Refresh != "r-1" {
		t.Errorf("stored %s %s, %v", c.Access, c.Refresh, err)
	}
}

// Processes that find the same stale login renew it once.
func TestProcessesRenewOnce(t *testing.T) {
	if path := os.Getenv("AI_TEST_AUTH_FILE"); path != "" {
		renewInChild(t, path, os.Getenv("AI_TEST_TOKEN_SERVER"))
		return
	}
	srv := authtest.New()
	srv.AllowRefresh("r0")
	srv.Handle(acmeToken, srv.Token(authtest.Tokens{Access: "new", Refresh: "r", ExpiresIn: 3600}))
	listening := httptest.NewServer(srv)
	defer listening.Close()
	path := filepath.Join(t.TempDir(), "auth.json")
	if err := os.WriteFile(path, []byte(`{"acme":{"type":"oauth","access":"old","refresh":"r0","expires":5,"mine":true},"other":{"type":"api_key","key":"k"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcessesRenewOnce$", "-test.count=1")
			cmd.Env = append(os.Environ(), "AI_TEST_AUTH_FILE="+path, "AI_TEST_TOKEN_SERVER="+listening.URL)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	if n := srv.Count(acmeToken); n != 1 {
		t.Errorf("the token was renewed %d times", n)
	}
	c, err := auth.NewFileStore(path).Read(t.Context(), "acme")
	if err != nil || c.Access != "new-1" || c.Refresh != "r-1" || string(c.Extra["mine"]) != "true" {
		t.Errorf("stored %s %s %v, %v", c.Access, c.Refresh, c.Extra, err)
	}
	if other, err := auth.NewFileStore(path).Read(t.Context(), "other"); err != nil || other.Key != "k" {
		t.Errorf("the other entry: %v, %v", other, err)
	}
}

func renewInChild(t *testing.T, path, server string) {
	models := ai.ModelsConfig{
		Credentials: auth.NewFileStore(path), HTTPClient: authtest.Redirect(server), OAuthClientID: func(string) string { return "id" },
	}.New(acmeProvider(t))
	var wg sync.WaitGroup
	for range 4 { // goroutines at once, too
		wg.Go(func() {
			if r, err := models.Auth(t.Context(), "acme", ai.Options{}); err != nil || r.APIKey != "new-1" {
				t.Errorf("%q, %v", r.APIKey, err)
			}
		})
	}
	wg.Wait()
}

// Programs that call a vendor themselves get a token that is good for as long as
// they say.
func TestToken(t *testing.T) {
	srv := authtest.New()
	srv.AllowRefresh("r0")
	srv.Handle(acmeToken, srv.Token(authtest.Tokens{Access: "new", Refresh: "r", ExpiresIn: 3600}))
	now := time.Now()
	store := auth.NewMemoryStore(map[string]*auth.Credential{
		"acme": {Type: auth.TypeOAuth, Access: "old", Refresh: "r0", Expires: now.Add(20 * time.Minute).UnixMilli()},
	})
	models := ai.ModelsConfig{
		Credentials: store, HTTPClient: srv.Client(), Env: func(string) string { return "" }, OAuthClientID: func(string) string { return "id" },
		Now: func() time.Time { return now },
	}.New(acmeProvider(t))
	if got, err := models.Token(t.Context(), "acme", 10*time.Minute); got != "old" || err != nil {
		t.Errorf("for ten minutes: %q, %v", got, err)
	}
	if got, err := models.Token(t.Context(), "acme", 30*time.Minute); got != "new-1" || err != nil {
		t.Errorf("for half an hour: %q, %v", got, err)
	}
	if _, err := models.Token(t.Context(), "acme", 2*time.Hour); err == nil || !strings.Contains(err.Error(), "the vendor gives none for 2h") {
		t.Errorf("for longer than the vendor gives: %v", err)
	}
	if _, err := models.Logout(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if _, err := models.Token(t.Context(), "acme", 0); err == nil || !strings.Contains(err.Error(), "nobody is signed in") {
		t.Errorf("without a login: %v", err)
	}
}
