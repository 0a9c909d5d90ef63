package oauth_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/authtest"
	"github.com/pi-go/pi/ai/auth/oauth"
)

// Whatever the server answers, the error holds nothing that was secret.
func TestErrorsHoldNoSecrets(t *testing.T) {
	const secret = "s3cret-value"
	for name, answer := range map[string]authtest.Response{
		"echo":         authtest.Refuse(400, "invalid_grant", "the code "+secret+" is bad"),
		"echo as code": authtest.Refuse(400, secret, ""),
		"openai's":     {Status: 401, Body: map[string]any{"error": map[string]any{"message": "bad " + secret, "type": "auth", "code": nil}}},
		"message":      {Status: 422, Body: map[string]any{"message": "bad " + secret}},
		"text":         {Status: 500, Body: secret},
		"html":         {Body: "<html>" + secret},
		"wrong types":  {Body: map[string]any{"access_token": []string{secret}}},
		"odd token":    {Body: map[string]any{"access_token": secret + "\nX-Evil: 1"}},
		"redirect":     {Status: 302, Header: map[string]string{"Location": "https://evil.example/?" + secret}, Body: ""},
		"long":         {Body: strings.Repeat(secret, 1<<17)},
	} {
		for _, r := range []oauth.Request{
			{Form: url.Values{"code": {secret}}}, {JSON: map[string]string{"refresh_token": secret}}, {Bearer: secret},
		} {
			srv := authtest.New()
			srv.Handle(tokenAt, func(*authtest.Request) authtest.Response { return answer })
			r.URL = "https://" + tokenAt + "?q=" + secret
			_, err := oauth.RequestToken(t.Context(), auth.Host{HTTP: srv.Client()}, r)
			var e *oauth.Error
			if !errors.As(err, &e) || strings.Contains(err.Error(), secret) || !strings.HasPrefix(err.Error(), tokenAt+": ") {
				t.Errorf("%s: %v", name, err)
			}
			if n := len(srv.Requests()); n != 1 {
				t.Errorf("%s: %d requests", name, n)
			}
		}
	}
	down := &http.Client{Transport: failing{errors.New("no route")}}
	_, err := oauth.Send(t.Context(), auth.Host{HTTP: down}, oauth.Request{URL: "https://" + tokenAt + "?key=" + secret})
	if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "no route") {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestTimeout(t *testing.T) {
	h := auth.Host{HTTP: &http.Client{Transport: hanging{}}}
	_, err := oauth.Send(t.Context(), h, oauth.Request{URL: "https://" + tokenAt, Timeout: time.Nanosecond})
	var e *oauth.Error
	if !errors.As(err, &e) || !e.Temporary() || !strings.Contains(err.Error(), "no answer within 1ns") {
		t.Errorf("got %v", err)
	}
}

func TestParseToken(t *testing.T) {
	for in, want := range map[string]string{
		`{"access_token":"a","expires_in":3600}`:                                "",
		`{"access_token":"a","expires_in":"3600","token_type":"bearer"}`:        "",
		`{"access_token":"a","refresh_token":null}`:                             "",
		`{"access_token":""}`:                                                   "the answer has a access_token that is no token",
		`{}`:                                                                    "the answer has no access_token",
		`{"access_token":5}`:                                                    "no token",
		`{"access_token":"a b"}`:                                                "no token",
		`{"access_token":"a","refresh_token":"é"}`:                              "refresh_token that is no token",
		`{"access_token":"a","token_type":"mac"}`:                               `of the type "mac"`,
		`{"access_token":"a","expires_in":-1}`:                                  "not a positive number",
		`{"access_token":"a","expires_in":"soon"}`:                              "not a number",
		`{"access_token":"` + strings.Repeat("x", 70000) + `","expires_in":60}`: "no token",
	} {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(in), &fields); err != nil {
			t.Fatal(err)
		}
		_, err := oauth.ParseToken(fields)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60s: %v, want %q", in, err, want)
		}
	}
}

func TestCredentialOfToken(t *testing.T) {
	now := time.UnixMilli(1_900_000_000_000)
	h := auth.Host{Now: func() time.Time { return now }}
	old := &auth.Credential{Type: auth.TypeOAuth, Access: "old", Refresh: "r", Env: map[string]string{"A": "1"}, Extra: map[string]json.RawMessage{"x": []byte("[1]")}}
	c, err := (&oauth.Token{Access: "new"}).Credential(h, old, oauth.Lifetime{Default: time.Hour, Margin: 5 * time.Minute})
	if err != nil || c.Access != "new" || c.Refresh != "r" || c.Env["A"] != "1" || string(c.Extra["x"]) != "[1]" || c.Expires != now.Add(55*time.Minute).UnixMilli() {
		t.Errorf("%#v %v", c.Extra, err)
	}
	if old.Access != "old" {
		t.Error("the old credential was changed")
	}
	if c, err = (&oauth.Token{Access: "new", ExpiresIn: 4 * time.Minute}).Credential(h, nil, oauth.Lifetime{Margin: 5 * time.Minute}); err != nil || c.Expires != now.Add(2*time.Minute).UnixMilli() {
		t.Errorf("a short life ends at %v, %v", time.UnixMilli(c.Expires), err)
	}
	if _, err := (&oauth.Token{Access: "new"}).Credential(h, nil, oauth.Lifetime{}); err == nil {
		t.Error("a token without an end is taken")
	}
}

func FuzzParseToken(f *testing.F) {
	f.Add([]byte(`{"access_token":"a","refresh_token":"b","expires_in":1e3,"scope":"x"}`))
	f.Add([]byte(`{"access_token":"\u0000","expires_in":1e400}`))
	f.Add([]byte(`{"expires_in":"NaN"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(in, &fields) != nil {
			return
		}
		tok, err := oauth.ParseToken(fields)
		if err != nil {
			return
		}
		req := http.Header{}
		req.Set("Authorization", "Bearer "+tok.Access)
		if tok.Access == "" || strings.ContainsAny(tok.Access+tok.Refresh, "\r\n \x00") || tok.ExpiresIn < 0 {
			t.Errorf("took %q %q %v", tok.Access, tok.Refresh, tok.ExpiresIn)
		}
	})
}

func TestMissingClient(t *testing.T) {
	_, err := auth.Host{}.NeedClientID("github-copilot", "COPILOT_GITHUB_TOKEN")
	var missing *auth.MissingClientError
	if !errors.As(err, &missing) {
		t.Fatal(err)
	}
	for _, want := range []string{"oauthClientId", "models.json", "PI_OAUTH_CLIENT_ID_GITHUB_COPILOT", "COPILOT_GITHUB_TOKEN"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not name %s", err, want)
		}
	}
}
