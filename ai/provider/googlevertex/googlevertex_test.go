package googlevertex_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/googlevertex"
	provider "github.com/pi-go/pi/ai/provider/googlevertex"
)

// ask sends a request with this environment and gives the answer and what the
// server saw; tokens count the exchanges.
func ask(t *testing.T, models *ai.Models, srv *mockllm.Server, opts ai.Options) (*ai.AssistantMessage, *mockllm.Request) {
	t.Helper()
	srv.Queue(mockllm.Say("ok"))
	model, err := models.Model("google-vertex", "gemini-2.5-flash")
	if err != nil {
		t.Fatal(err)
	}
	before := len(srv.Requests())
	m := models.Stream(t.Context(), model, ai.Request{Messages: []ai.Message{ai.UserText("Hi")}}, opts).Result()
	if all := srv.Requests(); len(all) > before {
		return m, all[before]
	}
	return m, nil
}

// router sends token requests to one server and model requests to another.
type router struct{ tokens, models http.RoundTripper }

func (r router) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.HasSuffix(req.URL.Path, "/token") || strings.HasSuffix(req.URL.Path, ":generateAccessToken") {
		return r.tokens.RoundTrip(req)
	}
	return r.models.RoundTrip(req)
}

func TestCredentials(t *testing.T) {
	exchanges := 0
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		exchanges++
		if err := r.ParseForm(); err != nil || r.Form.Get("refresh_token") == "revoked" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant"}`)
			return
		}
		w.Header().Set("content-type", "application/json")
		fmt.Fprintf(w, `{"access_token":"t%d","token_type":"Bearer","expires_in":3600}`, exchanges)
	}))
	defer issuer.Close()
	dir := t.TempDir()
	write := func(name string, v map[string]any) string {
		t.Helper()
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	user := write("user.json", map[string]any{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r", "token_uri": issuer.URL + "/token"})
	service := write("service.json", map[string]any{"type": "service_account", "client_email": "a@b", "private_key": testKey, "token_uri": issuer.URL + "/token"})
	odd := write("odd.json", map[string]any{"type": "brand_new"})

	srv := mockllm.New()
	env := map[string]string{}
	ahead := time.Duration(0) // of the real clock, by which the tokens of the issuer end
	models := ai.ModelsConfig{
		Env: func(n string) string { return env[n] }, HTTPClient: &http.Client{Transport: router{redirect{issuer.URL}, srv.Client().Transport}},
		Now: func() time.Time { return time.Now().Add(ahead) },
	}.New(provider.New())

	m, r := ask(t, models, srv, ai.Options{})
	if r != nil || m.Failure.Kind != ai.KindAuth || !strings.Contains(m.ErrorMessage, "GOOGLE_CLOUD_API_KEY") || !strings.Contains(m.ErrorMessage, "GOOGLE_CLOUD_LOCATION") {
		t.Errorf("without anything: %v", m.Err())
	}
	env["GOOGLE_CLOUD_API_KEY"] = "k"
	m, r = ask(t, models, srv, ai.Options{})
	if m.Err() != nil || r.Host != "aiplatform.googleapis.com" || r.Header.Get("x-goog-api-key") != "k" || r.URL != "/v1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse" {
		t.Errorf("with a key: %v, %+v", m.Err(), r)
	}
	env["GOOGLE_CLOUD_API_KEY"] = "<your key>"
	env["GCLOUD_PROJECT"], env["GOOGLE_CLOUD_LOCATION"] = "p 1", "europe-west4"
	for i, file := range []string{user, service} {
		env["GOOGLE_APPLICATION_CREDENTIALS"] = file
		for range 2 { // the second time the token is kept
			m, r = ask(t, models, srv, ai.Options{})
			if m.Err() != nil {
				t.Fatalf("%s: %v", file, m.Err())
			}
			want := "/v1/projects/p%201/locations/europe-west4/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
			if r.Host != "europe-west4-aiplatform.googleapis.com" || r.URL != want || r.Header.Get("Authorization") != fmt.Sprintf("Bearer t%d", i+1) || r.Header.Get("x-goog-api-key") != "" {
				t.Errorf("%s: %s%s %v", file, r.Host, r.URL, r.Header)
			}
		}
	}
	for _, at := range []struct {
		after time.Duration
		token string
	}{{50 * time.Minute, "t2"}, {59*time.Minute + 30*time.Second, "t3"}} { // too near the end of the hour for a request
		ahead = at.after
		if m, r = ask(t, models, srv, ai.Options{}); m.Err() != nil || r.Header.Get("Authorization") != "Bearer "+at.token {
			t.Errorf("after %v: %v, %v; want the token %s", at.after, m.Err(), r.Header, at.token)
		}
	}
	ahead = 0
	m, r = ask(t, models, srv, ai.Options{Protocol: googlevertex.Options{Project: "q", Location: "global"}})
	if m.Err() != nil || r.Host != "aiplatform.googleapis.com" || !strings.HasPrefix(r.URL, "/v1/projects/q/locations/global/") {
		t.Errorf("global: %v, %+v", m.Err(), r)
	}
	env["GOOGLE_APPLICATION_CREDENTIALS"] = odd
	if m, _ = ask(t, models, srv, ai.Options{}); m.Failure == nil || m.Failure.Kind != ai.KindAuth || !strings.Contains(m.ErrorMessage, "brand_new") {
		t.Errorf("unknown credentials: %v", m.Err())
	}
	env["GOOGLE_APPLICATION_CREDENTIALS"] = write("revoked.json", map[string]any{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "revoked", "token_uri": issuer.URL + "/token"})
	if m, _ = ask(t, models, srv, ai.Options{}); m.Failure == nil || m.Failure.Kind != ai.KindAuth || !strings.Contains(m.ErrorMessage, "invalid_grant") {
		t.Errorf("revoked credentials: %v", m.Err())
	}
	if s, err := models.CheckAuth(t.Context(), "google-vertex"); err != nil || s.Source != "application default credentials" {
		t.Errorf("status %+v, %v", s, err)
	}
}

// redirect sends requests to another host, since a user's credentials always go to
// the vendor's own address.
type redirect struct{ to string }

func (r redirect) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.URL.Scheme, req.URL.Host = "http", strings.TrimPrefix(r.to, "http://")
	return http.DefaultTransport.RoundTrip(req)
}

func TestCustomBase(t *testing.T) {
	for base, want := range map[string]string{
		"":                                 "/v1/publishers/google/models/m:streamGenerateContent?alt=sse",
		"https://proxy.example":            "/v1/publishers/google/models/m:streamGenerateContent?alt=sse",
		"https://proxy.example/x/v1beta1/": "/x/v1beta1/publishers/google/models/m:streamGenerateContent?alt=sse",
	} {
		srv := mockllm.New()
		srv.Queue(mockllm.Say("ok"))
		model := &ai.Model{ID: "m", Provider: "v", API: googlevertex.ID, BaseURL: base}
		p := ai.NewProvider(ai.ProviderConfig{ID: "v", Models: []*ai.Model{model}, APIs: []ai.API{googlevertex.New()}})
		m := ai.ModelsConfig{HTTPClient: srv.Client()}.New(p).Stream(t.Context(), model, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{APIKey: "k"}).Result()
		if m.Err() != nil || srv.Requests()[0].URL != want {
			t.Errorf("%q: %v, %s", base, m.Err(), srv.Requests()[0].URL)
		}
	}
}

// Credentials that stand for somebody else's: of a platform that vouches for a program,
// and of a service account that a person may act as.
func TestCredentialsOfOthers(t *testing.T) {
	expires := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	issuer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, ":generateAccessToken") && r.Header.Get("Authorization") == "Bearer of-a-person":
			fmt.Fprintf(w, `{"accessToken":"acting","expireTime":%q}`, expires)
		case r.FormValue("subject_token") == "vouched for":
			fmt.Fprint(w, `{"access_token":"federated","issued_token_type":"urn:ietf:params:oauth:token-type:access_token","token_type":"Bearer","expires_in":3600}`)
		case r.FormValue("refresh_token") == "r":
			fmt.Fprint(w, `{"access_token":"of-a-person","token_type":"Bearer","expires_in":3600}`)
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	defer issuer.Close()
	dir := t.TempDir()
	subject := filepath.Join(dir, "subject")
	if err := os.WriteFile(subject, []byte("vouched for"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string]map[string]any{
		"federated": {
			"type": "external_account", "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
			"subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": "https://sts.googleapis.com/v1/token",
			"credential_source": map[string]any{"file": subject},
		},
		"acting": {
			"type":                              "impersonated_service_account",
			"service_account_impersonation_url": "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b:generateAccessToken",
			"source_credentials":                map[string]any{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"},
		},
	} {
		text, err := json.Marshal(file)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, want)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		env := map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": path, "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "global"}
		srv := mockllm.New()
		models := ai.ModelsConfig{
			Env: func(n string) string { return env[n] }, HTTPClient: &http.Client{Transport: router{redirect{issuer.URL}, srv.Client().Transport}},
		}.New(provider.New())
		if m, r := ask(t, models, srv, ai.Options{}); m.Err() != nil || r.Header.Get("Authorization") != "Bearer "+want {
			t.Errorf("%s: %v", want, m.Err())
		}
	}
}
