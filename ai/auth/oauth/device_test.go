package oauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/authtest"
	"github.com/pi-go/pi/ai/auth/oauth"
)

// clock is a clock that moves when somebody waits by it.
type clock struct {
	now   time.Time
	waits []time.Duration
}

func (c *clock) host(srv *authtest.Server) auth.Host {
	c.now = time.UnixMilli(1_900_000_000_000)
	return auth.Host{HTTP: srv.Client(), Now: func() time.Time { return c.now }, Sleep: func(ctx context.Context, d time.Duration) error {
		c.waits, c.now = append(c.waits, d), c.now.Add(d)
		return ctx.Err()
	}}
}

func device(ctx context.Context, h auth.Host, ui auth.Interaction) (*auth.Credential, error) {
	d, err := oauth.RequestDevice(ctx, h, oauth.Request{URL: "https://auth.example/device", Form: url.Values{"client_id": {"id"}}})
	if err != nil {
		return nil, err
	}
	return d.Run(ctx, h, ui, func(ctx context.Context) (*auth.Credential, error) {
		t, err := oauth.RequestToken(ctx, h, oauth.Request{URL: "https://" + tokenAt, Form: url.Values{"grant_type": {oauth.DeviceGrant}, "client_id": {"id"}, "device_code": {d.Code}}})
		if err != nil {
			return nil, err
		}
		return t.Credential(h, nil, oauth.Lifetime{})
	})
}

func TestDevice(t *testing.T) {
	type answers = []authtest.Response
	pending, slow := authtest.Refuse(400, "authorization_pending", ""), authtest.Refuse(400, "slow_down", "")
	slower := authtest.Response{Status: 400, Body: map[string]any{"error": "slow_down", "interval": 30}}
	down := authtest.Response{Status: 503, Body: "<html>"}
	denied, expired := authtest.Refuse(400, "access_denied", ""), authtest.Refuse(400, "expired_token", "")
	github := authtest.Response{Body: map[string]string{"error": "authorization_pending"}} // a refusal with status 200
	for name, c := range map[string]struct {
		start   map[string]any
		answers answers
		waits   []int
		err     string
	}{
		"server's interval":     {map[string]any{"interval": 7}, answers{pending, github}, []int{7, 7, 7}, ""},
		"default":               {map[string]any{"interval": nil}, answers{}, []int{5}, ""},
		"minimum":               {map[string]any{"interval": 0.2}, answers{pending}, []int{1, 1}, ""},
		"a string":              {map[string]any{"interval": "3"}, answers{}, []int{3}, ""},
		"slow down":             {nil, answers{slow, pending, slow}, []int{5, 10, 10, 15}, ""},
		"slow down to":          {nil, answers{slower, pending}, []int{5, 30, 30}, ""},
		"out of reach":          {nil, answers{down, down, pending}, []int{5, 10, 15, 15}, ""},
		"out of reach for ever": {nil, answers{down, down, down, down, down, down}, []int{5, 10, 15, 20, 25, 30}, "503"},
		"denied":                {nil, answers{pending, denied}, []int{5, 5}, "refused at the vendor's page"},
		"expired":               {nil, answers{expired}, []int{5}, "has expired"},
		"runs out":              {map[string]any{"expires_in": 12}, answers{pending, pending, pending}, []int{5, 5, 2}, "has expired"},
		"another error":         {nil, answers{authtest.Refuse(401, "invalid_client", "who are you")}, []int{5}, "invalid_client: who are you (401)"},
		"no code":               {map[string]any{"user_code": "\x1b"}, nil, nil, "no code to type"},
		"no device code":        {map[string]any{"device_code": ""}, nil, nil, "no device_code"},
		"a page of scripts":     {map[string]any{"verification_uri": "javascript:x"}, nil, nil, "can not be opened"},
		"nonsense":              {map[string]any{"interval": true}, nil, nil, "interval is not a number"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := authtest.New()
			srv.Handle("auth.example/device", srv.Device(0, c.start))
			good := srv.Token(authtest.Tokens{Access: "at", ExpiresIn: 60})
			left := c.answers
			srv.Handle(tokenAt, func(r *authtest.Request) authtest.Response {
				if len(left) == 0 {
					return good(r)
				}
				a := left[0]
				left = left[1:]
				return a
			})
			clk := &clock{}
			person := &authtest.Person{}
			cred, err := device(t.Context(), clk.host(srv), person)
			var waits []int
			for _, w := range clk.waits {
				waits = append(waits, int(w.Seconds()))
			}
			if !slices.Equal(waits, c.waits) {
				t.Errorf("waited %v, want %v", waits, c.waits)
			}
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %v, want %s", err, c.err)
				}
				return
			}
			if err != nil || cred.Access != "at-1" {
				t.Fatalf("%v, %v", cred, err)
			}
			if n := person.Notes(); len(n) != 1 || n[0].Kind != auth.NoteDevice || n[0].UserCode != "ABCD-1234" || n[0].URL != "https://auth.example/device" {
				t.Errorf("shown %+v", n)
			}
		})
	}
}

func TestDeviceCancelled(t *testing.T) {
	srv := authtest.New()
	srv.Handle("auth.example/device", srv.Device(9, nil))
	ctx, cancel := context.WithCancel(t.Context())
	h := (&clock{}).host(srv)
	h.Sleep = func(ctx context.Context, _ time.Duration) error { cancel(); return context.Cause(ctx) }
	if _, err := device(ctx, h, &authtest.Person{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestCompleteAddress(t *testing.T) {
	for complete, want := range map[string]string{
		"https://auth.example/device?code=A": "https://auth.example/device?code=A",
		"https://other.example/?code=A":      "https://auth.example/device",
		"http://auth.example/device?code=A":  "https://auth.example/device",
		"":                                   "https://auth.example/device",
	} {
		raw, err := json.Marshal(complete)
		if err != nil {
			t.Fatal(err)
		}
		d, err := oauth.ParseDevice(map[string]json.RawMessage{
			"device_code": []byte(`"x"`), "user_code": []byte(`"A"`), "verification_url": []byte(`"https://auth.example/device"`), "verification_uri_complete": raw,
		})
		if err != nil || d.URL != want {
			t.Errorf("%s: %+v, %v", complete, d, err)
		}
	}
}

func FuzzParseDevice(f *testing.F) {
	f.Add([]byte(`{"device_code":"d","user_code":"U","verification_uri":"https://a.example/x","interval":"5","expires_in":1e9}`))
	f.Add([]byte(`{"device_code":"d","verification_url":"http://[::1]/","verification_uri_complete":"javascript:x"}`))
	f.Add([]byte(`{"device_code":"\u0000","interval":-1}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(in, &fields) != nil {
			return
		}
		d, err := oauth.ParseDevice(fields)
		if err != nil {
			return
		}
		if !strings.HasPrefix(d.URL, "http") || d.Code == "" || d.Interval < 0 || d.ExpiresIn < 0 {
			t.Errorf("took %+v", d)
		}
	})
}
