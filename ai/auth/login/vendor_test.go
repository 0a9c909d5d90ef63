package login

import (
	"encoding/base64"
	"strings"
	"testing"
)

// Whatever a token holds, an error about it does not repeat it.
func FuzzCodexAccount(f *testing.F) {
	token := func(payload string) string {
		return "h." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".s"
	}
	f.Add(token(`{"https://api.openai.com/auth":{"chatgpt_account_id":"a"}}`))
	f.Add(token(`{"https://api.openai.com/auth":7}`))
	f.Add(token(`[]`) + "=")
	f.Add("..")
	f.Add("a.b.c.d")
	f.Fuzz(func(t *testing.T, token string) {
		account, err := codexAccount(token)
		if (err == nil) == (account == "") {
			t.Errorf("%q: %q, %v", token, account, err)
		}
		if err != nil && len(token) > 20 && strings.Contains(err.Error(), token) {
			t.Errorf("the error repeats the token: %v", err)
		}
	})
}

func FuzzHostName(f *testing.F) {
	for _, s := range []string{"acme.ghe.com", "https://Acme.ghe.com/x", "a b", "user@a.b", "a.b:1", "http://[::1]", "..", "-.-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if host := hostName(s); strings.ContainsAny(host, "/@:?#% ") {
			t.Errorf("%q gives %q", s, host)
		}
	})
}
