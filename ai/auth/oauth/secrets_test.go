package oauth_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/oauth"
)

const planted = `MARKER/7+secret"0123456789`

// echo answers with what it makes of the secret.
type echo func() *http.Response

func (e echo) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	res := e()
	if res == nil {
		return nil, errors.New("malformed MIME header line: " + planted)
	}
	res.Request = r
	return res, nil
}

func answered(status int, body string) echo {
	return func() *http.Response {
		return &http.Response{StatusCode: status, Header: http.Header{"Location": {"https://x.example/?t=" + planted}}, Body: io.NopCloser(strings.NewReader(body))}
	}
}

// Nothing that a login sends or gets comes up in its errors, however a server quotes it.
func TestNothingOfALoginIsTold(t *testing.T) {
	t.Parallel()
	const at = "https://vendor.example/token"
	quoted := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	servers := map[string]echo{
		"broken header": func() *http.Response { return nil },
		"redirect":      answered(302, ""),
		"token type":    answered(200, `{"access_token":`+quoted("x"+planted)+`,"token_type":`+quoted(planted)+`}`),
		"interval":      answered(200, `{"device_code":"x","interval":`+quoted(planted)+`,"expires_in":`+quoted(planted)+`}`),
		"page":          answered(500, "<html><title>"+html.EscapeString(planted)+"</title>"),
	}
	for name, encode := range map[string]func(string) string{
		"plain": func(s string) string { return s }, "query": url.QueryEscape, "JSON": func(s string) string { q := quoted(s); return q[1 : len(q)-1] },
		"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }, "HTML": html.EscapeString,
	} {
		whole := encode(planted)
		for _, cut := range []int{len(encode(planted[:6])), len(whole) / 2, len(whole) - 1, len(whole)} {
			said := quoted("you sent " + whole[:cut] + " to me")
			for shape, body := range map[string]string{
				"code": `{"error":` + said + `}`, "description": `{"error":"invalid_grant","error_description":` + said + `}`,
				"object": `{"error":{"code":` + said + `,"message":` + said + `}}`, "message": `{"message":` + said + `}`, "detail": `{"detail":` + said + `}`,
			} {
				servers[fmt.Sprint(name, " ", cut, " ", shape)] = answered(400, body)
			}
		}
	}
	requests := map[string]oauth.Request{
		"form":       {URL: at, Form: url.Values{"grant_type": {"refresh_token"}, "refresh_token": {planted}}},
		"JSON":       {URL: at, JSON: map[string]string{"assertion": planted}},
		"other JSON": {URL: at, JSON: map[string]any{"n": 1, "code": planted}},
		"bearer":     {URL: at, Bearer: planted},
		"query":      {URL: at + "?code=" + url.QueryEscape(planted)},
		"header":     {URL: at, Header: map[string]string{"authorization": planted}},
	}
	for what, r := range requests {
		for how, server := range servers {
			h := auth.Host{HTTP: &http.Client{Transport: server}}
			_, tokenErr := oauth.RequestToken(t.Context(), h, r)
			_, deviceErr := oauth.RequestDevice(t.Context(), h, r)
			for _, err := range []error{tokenErr, deviceErr} {
				if err == nil {
					t.Fatalf("%s, %s: no error", what, how)
				}
				for ; err != nil; err = errors.Unwrap(err) {
					told := fmt.Sprintf("%v %+v", err, err)
					for _, first := range []string{"MARKER", "TUFSS0VS"} { // and in base64
						if strings.Contains(told, first) {
							t.Errorf("%s, %s: %s", what, how, told)
						}
					}
				}
			}
		}
	}
}

func TestARefusalTellsNothing(t *testing.T) {
	t.Parallel()
	b := oauth.Browser{AuthorizeURL: "https://vendor.example/authorize", Paste: "https://vendor.example/shown", Callback: oauth.Callback{WithoutState: true}}
	_, err := b.Run(t.Context(), auth.Host{}, pasting("https://vendor.example/shown?code="+url.QueryEscape(planted)+"&error=denied&error_description="+url.QueryEscape("not with "+planted[:12])), nil)
	if err == nil || !strings.Contains(err.Error(), "denied") || strings.Contains(err.Error(), "MARKER") {
		t.Errorf("got %v", err)
	}
}

// pasting is a person who pastes this.
type pasting string

func (p pasting) Prompt(context.Context, auth.Prompt) (string, error) { return string(p), nil }

func (pasting) Notify(context.Context, auth.Notification) {}
