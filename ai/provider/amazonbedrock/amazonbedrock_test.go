package amazonbedrock_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/provider/amazonbedrock"
)

func TestMain(m *testing.M) {
	// Nothing here may ask the network of the machine.
	if err := os.Setenv("AWS_EC2_METADATA_DISABLED", "true"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func TestCredentials(t *testing.T) {
	path := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(path, []byte("[work]\naws_access_key_id = WORK\naws_secret_access_key = s\nregion = eu-north-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "config")
	stored := auth.NewMemoryStore(map[string]*auth.Credential{amazonbedrock.ID: {Type: auth.TypeAPIKey, Env: map[string]string{"AWS_ACCESS_KEY_ID": "STORED", "AWS_SECRET_ACCESS_KEY": "s"}}})
	for _, tt := range []struct {
		name          string
		env           map[string]string
		store         auth.Store
		source, says  string
		authorization string
	}{
		{"nothing", nil, nil, "", "AWS_BEARER_TOKEN_BEDROCK", ""},
		{"key", map[string]string{"AWS_BEARER_TOKEN_BEDROCK": "k", "AWS_PROFILE": "work"}, nil, "AWS_BEARER_TOKEN_BEDROCK", "", "Bearer k"},
		{"profile", map[string]string{"AWS_PROFILE": "work", "AWS_SHARED_CREDENTIALS_FILE": path, "AWS_CONFIG_FILE": none}, nil, "AWS_PROFILE", "", "Credential=WORK/"},
		{"keys", map[string]string{"AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "B"}, nil, "AWS_ACCESS_KEY_ID", "", "Credential=A/"},
		{"stored keys", nil, stored, "AWS_ACCESS_KEY_ID", "", "Credential=STORED/"},
	} {
		srv := mockllm.New()
		srv.Queue(mockllm.Say("ok"))
		models := ai.ModelsConfig{HTTPClient: srv.Client(), Credentials: tt.store, Env: func(n string) string { return tt.env[n] }}.New(amazonbedrock.New())
		if s, err := models.CheckAuth(t.Context(), amazonbedrock.ID); err != nil || s.Source != tt.source {
			t.Errorf("%s: status %+v, %v; want %q", tt.name, s, err, tt.source)
		}
		model, err := models.Model(amazonbedrock.ID, "anthropic.claude-sonnet-5")
		if err != nil {
			t.Fatal(err)
		}
		m := models.Stream(t.Context(), model, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{}).Result()
		if tt.says != "" {
			if m.Failure == nil || m.Failure.Kind != ai.KindAuth || !strings.Contains(m.ErrorMessage, tt.says) {
				t.Errorf("%s: %v", tt.name, m.Err())
			}
			continue
		}
		if m.Err() != nil {
			t.Errorf("%s: %v", tt.name, m.Err())
			continue
		}
		r := srv.Requests()[0]
		if !strings.Contains(r.Header.Get("Authorization"), tt.authorization) {
			t.Errorf("%s: %s", tt.name, r.Header.Get("Authorization"))
		}
		if tt.name == "profile" && r.Host != "bedrock-runtime.eu-north-1.amazonaws.com" {
			t.Errorf("the region of the profile is not used: %s", r.Host)
		}
	}
}
