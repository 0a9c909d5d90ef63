package googlevertex_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/googlevertex"
)

func testModel() *ai.Model {
	return &ai.Model{
		ID: "gemini-3.5-flash", Provider: "google-vertex", API: googlevertex.ID, BaseURL: "http://mock",
		Reasoning: true, Input: []string{"text", "image"}, ContextWindow: 1_000_000, MaxTokens: 64_000,
	}
}

// skip: calls come whole in one chunk, so they can be cut or left out, not begun.
func skip() []aitest.Scenario { return []aitest.Scenario{aitest.CutCall} }

func TestContract(t *testing.T) {
	f := aitest.OverMock(googlevertex.New(), mockllm.Google, testModel())
	f.Skip = skip()
	aitest.Run(t, f)
}

// issuing gives an access token for each request to the address of tokens and sends
// the others on.
type issuing struct {
	models http.RoundTripper
	seen   *http.Header
}

func (i issuing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != "tokens" {
		*i.seen = r.Header.Clone()
		return i.models.RoundTrip(r)
	}
	if r.Body != nil {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return nil, err
		}
	}
	return &http.Response{
		StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"access_token":"token-of-the-project","token_type":"Bearer","expires_in":3600}`)),
	}, nil
}

// credentials writes a file of application default credentials, and gives the
// environment that names it.
func credentials(t *testing.T) func(name string) string {
	t.Helper()
	text, err := json.Marshal(map[string]string{"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r", "token_uri": "http://tokens/token"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "adc.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"GOOGLE_APPLICATION_CREDENTIALS": file, "GOOGLE_CLOUD_PROJECT": "proj", "GOOGLE_CLOUD_LOCATION": "europe-west4"}
	return func(name string) string { return env[name] }
}

// provider serves one model by this protocol.
func provider(m *ai.Model) ai.Provider {
	return ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{googlevertex.New()}})
}

// The contract holds as well where the request is preceded by one for a token.
func TestContractWithApplicationDefaultCredentials(t *testing.T) {
	env := credentials(t)
	aitest.Run(t, aitest.Fixture{Skip: skip(), Stream: func(ctx context.Context, t testing.TB, s aitest.Scenario) *ai.Stream {
		srv := mockllm.New()
		srv.Protocol = mockllm.Google
		srv.Queue(aitest.MockAnswer(mockllm.Google, s))
		var seen http.Header
		t.Cleanup(func() {
			if got := seen.Get("Authorization"); seen != nil && got != "Bearer token-of-the-project" {
				t.Errorf("Authorization %q", got)
			}
		})
		m := testModel()
		models := ai.ModelsConfig{
			HTTPClient: &http.Client{Transport: issuing{srv.Client().Transport, &seen}},
			Env:        env,
		}.New(provider(m))
		req := ai.Request{Messages: []ai.Message{ai.UserText("Go on.")}, Tools: []ai.Tool{{Name: "read"}, {Name: "status"}}}
		return models.Stream(ctx, m, req, ai.Options{Thinking: ai.ThinkingLow})
	}})
}

// quoting refuses a request and repeats its headers.
type quoting struct{}

func (quoting) RoundTrip(r *http.Request) (*http.Response, error) {
	body := `{"error":{"code":403,"status":"PERMISSION_DENIED","message":"refused: ` + r.Header.Get("Authorization") + `"}}`
	return &http.Response{StatusCode: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// A token that the protocol was given is a secret as a key is: a server that quotes it
// does not bring it into an error.
func TestTokenStaysSecret(t *testing.T) {
	m := testModel()
	var seen http.Header
	models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: issuing{quoting{}, &seen}}, Env: credentials(t)}.New(provider(m))
	answer := models.Stream(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("Go on.")}}, ai.Options{}).Result()
	if got := seen.Get("Authorization"); got != "Bearer token-of-the-project" {
		t.Fatalf("Authorization %q", got)
	}
	if answer.Failure == nil || answer.Failure.Kind != ai.KindAuth || !strings.Contains(answer.ErrorMessage, "refused") {
		t.Errorf("%+v", answer.Failure)
	}
	stored, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{answer.ErrorMessage, answer.Err().Error(), string(stored), answer.Failure.Body} {
		if strings.Contains(text, "token-of") {
			t.Errorf("the token is in %s", text)
		}
	}
}
