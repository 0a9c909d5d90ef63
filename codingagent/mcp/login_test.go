package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/mcp"
)

// gate is an MCP server that wants a sign-in, and the server that gives it.
type gate struct {
	*httptest.Server
	mu      sync.Mutex
	good    string // the access token that is accepted
	refresh string
	issued  int
	clients []string // names that registered
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{}
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return newServer() }, nil)
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		ok := g.good != "" && r.Header.Get("Authorization") == "Bearer "+g.good
		g.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource"`, g.URL))
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token", "registration_endpoint": g.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
			"grant_types_supported": []string{"authorization_code", "refresh_token"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var client map[string]any
		if err := json.NewDecoder(r.Body).Decode(&client); err != nil {
			t.Error(err)
		}
		g.mu.Lock()
		g.clients = append(g.clients, fmt.Sprint(client["client_name"]))
		g.mu.Unlock()
		client["client_id"] = "registered"
		w.WriteHeader(http.StatusCreated)
		answer(w, client)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		back := q.Get("redirect_uri") + "?code=the-code&state=" + url.QueryEscape(q.Get("state"))
		http.Redirect(w, r, back, http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if r.FormValue("grant_type") == "refresh_token" && (g.refresh == "" || r.FormValue("refresh_token") != g.refresh) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant"}`)
			return
		}
		g.issued++
		g.good, g.refresh = fmt.Sprintf("token-%d", g.issued), fmt.Sprintf("refresh-%d", g.issued)
		answer(w, map[string]any{"access_token": g.good, "token_type": "Bearer", "refresh_token": g.refresh, "expires_in": 3600})
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

// person signs in as a browser would, or pastes where it ended.
type person struct {
	t     *testing.T
	paste bool
	said  chan string
}

func (p *person) Notify(_ context.Context, n auth.Notification) {
	if n.URL == "" {
		return
	}
	client := &http.Client{}
	if p.paste {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	go func() {
		r, err := client.Get(n.URL)
		if err != nil {
			p.t.Error(err)
			return
		}
		defer r.Body.Close()
		if p.paste {
			p.said <- r.Header.Get("Location")
		}
	}()
}

func (p *person) Prompt(ctx context.Context, _ auth.Prompt) (string, error) {
	select {
	case text := <-p.said:
		return text, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func TestSigningIn(t *testing.T) {
	for _, paste := range []bool{false, true} {
		t.Run(fmt.Sprintf("paste %v", paste), func(t *testing.T) {
			g := newGate(t)
			s := mcp.Server{Name: "gate", URL: g.URL + "/mcp", Exposure: extension.ExposeDirect}
			c := &mcp.Credentials{Path: filepath.Join(t.TempDir(), "mcp-auth.json")}
			o := mcp.Options{Servers: []mcp.Server{s}, Auth: c.Authorize}
			// Without a sign-in nothing is asked; the server says what it wants.
			if got := mcp.Probe(t.Context(), o)[0]; got.State != mcp.NeedsLogin {
				t.Fatalf("before: %s, %v", got.State, got.Err)
			}
			if err := mcp.Login(t.Context(), s, o, c, &person{t: t, paste: paste, said: make(chan string, 1)}); err != nil {
				t.Fatal(err)
			}
			if g.clients[0] != "pi" {
				t.Errorf("registered as %q", g.clients)
			}
			if got := mcp.Probe(t.Context(), o)[0]; got.State != mcp.Connected {
				t.Fatalf("after: %s, %v", got.State, got.Err)
			}
			info, err := os.Stat(c.Path)
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the file is %v, %v", info.Mode(), err)
			}
			text, err := os.ReadFile(c.Path)
			if err != nil {
				t.Fatal(err)
			}
			// The form that other programs read.
			var kept map[string]struct {
				ServerURL string
				Client    struct {
					ID string `json:"client_id"`
				} `json:"clientInformation"`
				Tokens struct {
					Access string `json:"access_token"`
				}
				TokensExpireAt int64
			}
			if err := json.Unmarshal(text, &kept); err != nil {
				t.Fatal(err)
			}
			e := kept["mcp__gate|"+g.URL+"/mcp"]
			if e.ServerURL != s.URL || e.Client.ID != "registered" || e.Tokens.Access != "token-1" || e.TokensExpireAt == 0 {
				t.Errorf("kept %s", text)
			}
			if had, err := c.Forget(t.Context(), s); !had || err != nil {
				t.Errorf("forget: %v, %v", had, err)
			}
			if got := mcp.Probe(t.Context(), o)[0]; got.State != mcp.NeedsLogin {
				t.Errorf("after the sign-out: %s", got.State)
			}
		})
	}
}

func TestTokensAreRenewedAndASignInThatEndedIsToldOf(t *testing.T) {
	g := newGate(t)
	s := mcp.Server{Name: "gate", URL: g.URL + "/mcp"}
	path := filepath.Join(t.TempDir(), "mcp-auth.json")
	write := func(refresh string) {
		text := fmt.Sprintf(`{"other":{"x":1},"mcp__gate|%s/mcp":{"serverUrl":"%s/mcp","mine":2,"clientInformation":{"client_id":"c"},`+
			`"tokens":{"access_token":"old","token_type":"Bearer","refresh_token":%q},"tokensExpireAt":%d,`+
			`"discovery":{"authorizationServerUrl":"%s","authorizationServerMetadata":{"issuer":"%s","token_endpoint":"%s/token"}}}}`,
			g.URL, g.URL, refresh, time.Now().Add(-time.Hour).UnixMilli(), g.URL, g.URL, g.URL)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := &mcp.Credentials{Path: path}
	o := mcp.Options{Servers: []mcp.Server{s}, Auth: c.Authorize}
	write("wrong")
	if got := mcp.Probe(t.Context(), o)[0]; got.State != mcp.NeedsLogin || !errors.Is(got.Err, mcp.ErrNeedsLogin) {
		t.Errorf("a sign-in that ended: %s, %v", got.State, got.Err)
	}
	g.mu.Lock()
	g.refresh = "right"
	g.mu.Unlock()
	write("right")
	if got := mcp.Probe(t.Context(), o)[0]; got.State != mcp.Connected {
		t.Fatalf("renewed: %s, %v", got.State, got.Err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"refresh-1", "token-1", `"mine":2`, `"other":{"x":1}`} {
		if !strings.Contains(strings.ReplaceAll(string(text), " ", ""), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

func TestSigningInWhereThereIsNothingToSignInTo(t *testing.T) {
	c := &mcp.Credentials{Path: filepath.Join(t.TempDir(), "mcp-auth.json")}
	for _, k := range []struct {
		s    mcp.Server
		want string
	}{
		{mcp.Server{Name: "a", Command: "x"}, "nothing to sign in to"},
		{mcp.Server{Name: "a", URL: "http://127.0.0.1:1/", OAuth: mcp.OAuth{Registration: "cimd"}}, "client document"},
		{mcp.Server{Name: "a", URL: "http://127.0.0.1:1/", OAuth: mcp.OAuth{CallbackURL: "http://example.com/x"}}, "not an http address of this machine"},
		{mcp.Server{Name: "a", URL: "http://127.0.0.1:1/"}, "connect MCP server a"},
	} {
		if err := mcp.Login(t.Context(), k.s, mcp.Options{}, c, &person{t: t}); err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%+v: %v, want %q", k.s, err, k.want)
		}
	}
}
