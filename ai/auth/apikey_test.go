package auth_test

import (
	"testing"

	"github.com/pi-go/pi/ai/auth"
)

// A stored credential owns its provider: a login that this method can not use does not
// give way to a variable. Checking and resolving agree, and the first variable wins.
func TestEnvKeySources(t *testing.T) {
	key := auth.EnvKey{Vars: []string{"FIRST", "SECOND"}, BearerVars: []string{"SECOND"}}
	both := map[string]string{"FIRST": "1", "SECOND": "2"}
	for name, tt := range map[string]struct {
		stored      *auth.Credential
		env         map[string]string
		key, source string
		bearer      bool
	}{
		"nothing":             {},
		"both variables":      {env: both, key: "1", source: "FIRST"},
		"the second one":      {env: map[string]string{"FIRST": "", "SECOND": "2"}, key: "2", source: "SECOND", bearer: true},
		"stored key":          {stored: &auth.Credential{Type: auth.TypeAPIKey, Key: "k"}, env: both, key: "k", source: "stored credential"},
		"stored without key":  {stored: &auth.Credential{Type: auth.TypeAPIKey, Env: map[string]string{"X": "y"}}, env: both, key: "1", source: "stored credential"},
		"login of other kind": {stored: &auth.Credential{Type: auth.TypeOAuth, Access: "a"}, env: both},
	} {
		in := auth.Input{Credential: tt.stored, Env: func(n string) string { return tt.env[n] }}
		if got := key.Check(in); got != tt.source {
			t.Errorf("%s: checked %q, want %q", name, got, tt.source)
		}
		got, err := key.Resolve(t.Context(), in)
		if err != nil || (got == nil) != (tt.key == "") || got != nil && (got.APIKey != tt.key || got.Bearer != tt.bearer) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// A variable of the process that holds only white space counts as unset.
func TestOSEnvironment(t *testing.T) {
	for value, want := range map[string]string{"": "", " \t": "", " k ": " k "} {
		t.Setenv("AI_AUTH_TEST_VARIABLE", value)
		if got := auth.OSEnvironment()("AI_AUTH_TEST_VARIABLE"); got != want {
			t.Errorf("%q is %q", value, got)
		}
	}
}
