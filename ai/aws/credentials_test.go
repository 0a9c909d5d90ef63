package aws_test

import (
	"crypto/sha1"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// Keys that others give: a container's agent, Amazon's token service for an identity
// that a platform vouches for, and the portal of a person who has signed in.
func TestKeysOfOthers(t *testing.T) {
	expires := time.Now().Add(time.Hour)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/container" && r.Header.Get("Authorization") == "box":
			fmt.Fprintf(w, `{"AccessKeyId":"BOX","SecretAccessKey":"s","Token":"t","Expiration":%q}`, expires.UTC().Format(time.RFC3339))
		case r.URL.Path == "/federation/credentials" && r.Header.Get("x-amz-sso_bearer_token") == "signed-in":
			fmt.Fprintf(w, `{"roleCredentials":{"accessKeyId":"SSO","secretAccessKey":"s","sessionToken":"t","expiration":%d}}`, expires.UnixMilli())
		case r.FormValue("WebIdentityToken") == "vouched for":
			fmt.Fprintf(w, `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>WEB</AccessKeyId>`+
				`<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>%s</Expiration></Credentials>`+
				`</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`, expires.UTC().Format(time.RFC3339))
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}))
	t.Cleanup(server.Close)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	cache := filepath.Join(home, ".aws", "sso", "cache")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	token := fmt.Sprintf(`{"accessToken":"signed-in","expiresAt":%q}`, expires.UTC().Format(time.RFC3339))
	name := fmt.Sprintf("%x.json", sha1.Sum([]byte("https://portal.example/start")))
	if err := os.WriteFile(filepath.Join(cache, name), []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	config := write(t, "config", "[profile person]\nsso_start_url = https://portal.example/start\nsso_region = eu-west-1\nsso_account_id = 1\nsso_role_name = r\nregion = eu-west-1\n")
	for _, tt := range []struct {
		key          string
		env, process map[string]string
	}{
		{"BOX", nil, map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": server.URL + "/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "box"}},
		{"WEB", nil, map[string]string{
			"AWS_WEB_IDENTITY_TOKEN_FILE": write(t, "token", "vouched for"), "AWS_ROLE_ARN": "arn:aws:iam::1:role/r", "AWS_REGION": "eu-west-1", "AWS_ENDPOINT_URL_STS": server.URL,
		}},
		{"SSO", map[string]string{"AWS_PROFILE": "person", "AWS_CONFIG_FILE": config}, map[string]string{"AWS_ENDPOINT_URL_SSO": server.URL}},
	} {
		t.Run(tt.key, func(t *testing.T) {
			for name, value := range tt.process {
				t.Setenv(name, value)
			}
			keys, err := new(aws.Chain).Credentials(t.Context(), call(tt.env))
			if err != nil || keys.AccessKeyID != tt.key || keys.SessionToken != "t" {
				t.Errorf("%+v, %v", keys.AccessKeyID, err)
			}
		})
	}
}
