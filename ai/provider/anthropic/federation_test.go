package anthropic_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/provider/anthropic"
)

// issuer exchanges identities for tokens; everything else goes to the models.
type issuer struct {
	models http.RoundTripper
	bodies []map[string]string
	fail   bool
}

func (i *issuer) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/v1/oauth/token" {
		return i.models.RoundTrip(r)
	}
	var body map[string]string
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	i.bodies = append(i.bodies, body)
	status, answer := 200, fmt.Sprintf(`{"access_token":"sk-ant-oat01-%d","token_type":"Bearer","expires_in":3600}`, len(i.bodies))
	if i.fail {
		status, answer = 400, `{"error":"invalid_grant","error_description":"the rule does not match"}`
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), Request: r}, nil
}

func TestFederation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(" platform-1\n")
	env := map[string]string{"ANTHROPIC_FEDERATION_RULE_ID": "fdrl_1", "ANTHROPIC_ORGANIZATION_ID": "org", "ANTHROPIC_IDENTITY_TOKEN_FILE": file}
	srv := mockllm.New()
	from := &issuer{models: srv.Client().Transport}
	models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: from}, Env: func(n string) string { return env[n] }}.New(anthropic.New())
	model, err := models.Model("anthropic", "claude-haiku-4-5")
	if err != nil {
		t.Fatal(err)
	}
	ask := func(answer mockllm.Answer) (*ai.AssistantMessage, string) {
		t.Helper()
		srv.Queue(answer)
		n := len(srv.Requests())
		m := models.Stream(t.Context(), model, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{}).Result()
		if all := srv.Requests(); len(all) > n {
			return m, all[n].Header.Get("Authorization") + " " + all[n].Header.Get("anthropic-beta")
		}
		return m, ""
	}
	if s, err := models.CheckAuth(t.Context(), "anthropic"); err != nil || s.Source != "workload identity federation" || len(from.bodies) != 0 {
		t.Errorf("status %+v, %v after %d exchanges", s, err, len(from.bodies))
	}
	for range 2 { // the second time from what is kept
		if m, sent := ask(mockllm.Say("ok")); m.Err() != nil || sent != "Bearer sk-ant-oat01-1 oauth-2025-04-20" {
			t.Errorf("%v, sent %s", m.Err(), sent)
		}
	}
	want := map[string]string{"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "platform-1", "federation_rule_id": "fdrl_1", "organization_id": "org"}
	if fmt.Sprint(from.bodies) != fmt.Sprint([]map[string]string{want}) {
		t.Errorf("exchanged %v", from.bodies)
	}
	// A token that was withdrawn is not used again; the platform's own is read anew.
	write("platform-2")
	if m, _ := ask(mockllm.Failure(401, "authentication_error", "revoked")); m.Failure == nil || m.Failure.Kind != ai.KindAuth {
		t.Errorf("revoked: %v", m.Err())
	}
	env["ANTHROPIC_SERVICE_ACCOUNT_ID"], env["ANTHROPIC_WORKSPACE_ID"] = "svac", "wrkspc"
	if m, sent := ask(mockllm.Say("ok")); m.Err() != nil || !strings.HasPrefix(sent, "Bearer sk-ant-oat01-2") {
		t.Errorf("%v, sent %s", m.Err(), sent)
	}
	if b := from.bodies[1]; b["assertion"] != "platform-2" || b["service_account_id"] != "svac" || b["workspace_id"] != "wrkspc" {
		t.Errorf("exchanged %v", b)
	}
	// A key wins.
	env["ANTHROPIC_API_KEY"] = "k"
	if m, sent := ask(mockllm.Say("ok")); m.Err() != nil || strings.Contains(sent, "Bearer") {
		t.Errorf("%v, sent %s", m.Err(), sent)
	}
	delete(env, "ANTHROPIC_API_KEY")
	env["ANTHROPIC_WORKSPACE_ID"] = "other"
	from.fail = true
	if m, sent := ask(mockllm.Say("ok")); m.Failure == nil || m.Failure.Kind != ai.KindAuth || sent != "" || !strings.Contains(m.ErrorMessage, "the rule does not match") || strings.Contains(m.ErrorMessage, "platform-2") {
		t.Errorf("refused: %v", m.Err())
	}
	env["ANTHROPIC_IDENTITY_TOKEN_FILE"] = filepath.Join(t.TempDir(), "none")
	if m, _ := ask(mockllm.Say("ok")); m.Failure == nil || m.Failure.Kind != ai.KindAuth || !strings.Contains(m.ErrorMessage, "platform's token") {
		t.Errorf("no file: %v", m.Err())
	}
}
