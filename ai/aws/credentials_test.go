package aws_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aws"
)

func TestMain(m *testing.M) {
	// Nothing here may ask the network of the machine.
	for name, value := range map[string]string{
		"AWS_EC2_METADATA_DISABLED": "true", "AWS_PROFILE": "", "AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_SESSION_TOKEN": "",
		"AWS_REGION": "", "AWS_DEFAULT_REGION": "", "AWS_CONFIG_FILE": "/nonexistent/config", "AWS_SHARED_CREDENTIALS_FILE": "/nonexistent/credentials",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "", "AWS_CONTAINER_CREDENTIALS_FULL_URI": "", "AWS_WEB_IDENTITY_TOKEN_FILE": "",
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func call(env map[string]string) *ai.Call {
	return &ai.Call{Env: func(name string) string { return env[name] }}
}

func TestChain(t *testing.T) {
	credentials := write(t, "credentials", "[default]\naws_access_key_id = DEF\naws_secret_access_key = s\n\n[work]\naws_access_key_id = WORK\naws_secret_access_key = s\naws_session_token = tok\n")
	file := write(t, "config", "[default]\nregion = eu-west-3\n\n[profile work]\nregion = ap-south-1\n\n[profile script]\ncredential_process = echo '{\"Version\":1,\"AccessKeyId\":\"PROC\",\"SecretAccessKey\":\"s\"}'\n")
	files := func(more map[string]string) map[string]string {
		env := map[string]string{"AWS_CONFIG_FILE": file, "AWS_SHARED_CREDENTIALS_FILE": credentials}
		for k, v := range more {
			env[k] = v
		}
		return env
	}
	chain := new(aws.Chain)
	for _, tt := range []struct {
		name        string
		env         map[string]string
		key, region string
	}{
		{"keys", map[string]string{"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"}, "ENV", ""},
		{"the default profile", files(nil), "DEF", ""},
		{"a named profile wins over keys", files(map[string]string{"AWS_PROFILE": "work", "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"}), "WORK", "ap-south-1"},
		{"a profile that runs a program", files(map[string]string{"AWS_PROFILE": "script"}), "PROC", ""},
	} {
		for range 2 { // the second time from what is kept
			keys, err := chain.Credentials(t.Context(), call(tt.env))
			if err != nil || keys.AccessKeyID != tt.key {
				t.Errorf("%s: %s, %v; want %s", tt.name, keys.AccessKeyID, err, tt.key)
			}
			if got := chain.Region(t.Context(), call(tt.env)); got != tt.region {
				t.Errorf("%s: region %q, want %q", tt.name, got, tt.region)
			}
		}
	}
	if _, err := chain.Credentials(t.Context(), call(files(map[string]string{"AWS_PROFILE": "none"}))); err == nil || !strings.Contains(err.Error(), "profile none") {
		t.Errorf("a profile that is not there: %v", err)
	}
	if _, err := chain.Credentials(t.Context(), call(nil)); err == nil {
		t.Error("keys out of nothing")
	}
}
