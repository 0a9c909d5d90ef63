//go:build unix

package interactive_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pi-go/pi/codingagent/mcp"
)

// guarded is an MCP server that wants a sign-in, with the server that gives it.
func guarded(t *testing.T) *httptest.Server {
	t.Helper()
	own := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return sdk.NewServer(&sdk.Implementation{Name: "gate"}, nil) }, nil)
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	answer := func(path string, status int, v map[string]any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			if err := json.NewEncoder(w).Encode(v); err != nil {
				t.Error(err)
			}
		})
	}
	u := server.URL
	answer("/.well-known/oauth-protected-resource", http.StatusOK, map[string]any{"resource": u + "/mcp", "authorization_servers": []string{u}})
	answer("/.well-known/oauth-authorization-server", http.StatusOK, map[string]any{
		"issuer": u, "authorization_endpoint": u + "/authorize", "token_endpoint": u + "/token", "registration_endpoint": u + "/register",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "token_endpoint_auth_methods_supported": []string{"none"},
	})
	answer("/register", http.StatusCreated, map[string]any{"client_id": "registered"})
	answer("/token", http.StatusOK, map[string]any{"access_token": "good", "token_type": "Bearer", "expires_in": 3600})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		http.Redirect(w, r, q.Get("redirect_uri")+"?code=the-code&state="+url.QueryEscape(q.Get("state")), http.StatusFound)
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer good" {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource"`, u))
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		own.ServeHTTP(w, r)
	})
	return server
}

// One signs in to an MCP server without leaving the chat: in a browser, or with what it
// ends at.
func TestSignInToAnMCPServer(t *testing.T) {
	t.Parallel()
	gate := guarded(t)
	pages := make(chan string, 4)
	credentials := &mcp.Credentials{Path: filepath.Join(t.TempDir(), "mcp-auth.json")}
	d := sit(t, 100, 40, mcp.Extension(mcp.Options{
		Servers: []mcp.Server{{Name: "gate", URL: gate.URL + "/mcp"}}, Auth: credentials.Authorize, Credentials: credentials,
		Browser: func(address string) bool { pages <- address; return true },
	}))
	d.wait("faux", "gate wants you to sign in: run /mcp login gate")
	d.keys("/mcp login nowhere", enter)
	d.wait(`no MCP server is called "nowhere"`)
	d.keys("/mcp login gate", enter)
	d.wait("gate: Or paste the address", "Sign in in the browser")
	<-pages
	for _, width := range []int{40, 80, 120, 200, 100} {
		d.resized(width, 40, "gate: Or paste the")
	}
	d.keys(escape)
	d.wait("nothing was changed")
	d.keys("/mcp login gate", enter)
	d.wait("gate: Or paste the address")
	res, err := http.Get(<-pages) // what the browser does
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	d.wait("MCP server gate is connected.")
	if s := d.gone("Or paste"); strings.Contains(s, "the-code") {
		t.Errorf("the screen shows the code:\n%s", s)
	}
	d.keys("/mcp logout gate", enter)
	d.wait("Signed out of gate.")
	d.keys("/mcp login gate", enter)
	d.wait("gate: Or paste the address")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err = client.Get(<-pages)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	d.keys(paste(res.Header.Get("Location")), enter)
	d.until("it is connected again", func(s string) bool { return strings.Count(s, "MCP server gate is connected.") == 2 })
}
