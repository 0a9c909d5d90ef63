package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

// deviceCode is a code that a person types on a vendor's page.
type deviceCode struct {
	Device      string  `json:"device_code"`
	User        string  `json:"user_code"`
	URI         string  `json:"verification_uri"`
	URIComplete string  `json:"verification_uri_complete"`
	ExpiresIn   float64 `json:"expires_in"` // seconds
	Interval    float64 `json:"interval"`   // seconds
}

const (
	standardInterval = 5 * time.Second
	leastInterval    = time.Second
	standardExpiry   = 15 * time.Minute
)

// deviceLogin shows a code and asks the vendor until it was typed. try gives the
// token, or an *Error with the code authorization_pending or slow_down.
func (m *method) deviceLogin(ctx context.Context, ui auth.Interaction, d deviceCode, try func(context.Context) (*token, error)) (*token, error) {
	if d.User == "" || d.URI == "" {
		return nil, errors.New("the vendor gave no code to type")
	}
	page := d.URI
	if d.URIComplete != "" {
		page = d.URIComplete
	}
	if u, err := url.Parse(page); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the vendor names a page that is none: %q", page)
	}
	ui.Notify(ctx, auth.Notification{Kind: "device_code", URL: page, UserCode: d.User, Message: "Open the page and type the code to sign in with " + m.name + "."})
	interval := standardInterval
	if d.Interval > 0 {
		interval = max(leastInterval, time.Duration(d.Interval*float64(time.Second)))
	}
	expiry := standardExpiry
	if d.ExpiresIn > 0 {
		expiry = time.Duration(d.ExpiresIn * float64(time.Second))
	}
	expired := fmt.Errorf("the code was not typed within %v", expiry)
	ctx, cancel := context.WithTimeoutCause(ctx, expiry, expired)
	defer cancel()
	for {
		if err := m.Sleep(ctx, interval); err != nil {
			return nil, err
		}
		t, err := try(ctx)
		var refused *Error
		switch {
		case err == nil:
			return t, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !errors.As(err, &refused):
			continue // the network may come back before the code expires
		}
		switch refused.Code {
		case "authorization_pending":
		case "slow_down":
			interval += 5 * time.Second
		case "expired_token":
			return nil, expired
		default:
			return nil, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// standardDevice is the device login of RFC 8628.
type standardDevice struct {
	codeURL, tokenURL string
	scopes            string
}

func (m *method) standardDeviceLogin(ctx context.Context, ui auth.Interaction, s standardDevice, id string, header map[string]string) (*token, error) {
	form := url.Values{"client_id": {id}}
	if s.scopes != "" {
		form.Set("scope", s.scopes)
	}
	var d deviceCode
	if err := m.send(ctx, call{url: s.codeURL, form: form, header: header}, &d); err != nil {
		return nil, fmt.Errorf("ask %s for a code: %w", m.name, err)
	}
	return m.deviceLogin(ctx, ui, d, func(ctx context.Context) (*token, error) {
		return m.token(ctx, call{url: s.tokenURL, header: header, form: url.Values{
			"client_id": {id}, "device_code": {d.Device}, "grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
		}})
	})
}

// refreshForm renews a token as RFC 6749 has it.
func (m *method) refreshForm(ctx context.Context, tokenURL string, c *auth.Credential, id string) (*auth.Credential, error) {
	t, err := m.token(ctx, call{url: tokenURL, form: url.Values{
		"grant_type": {"refresh_token"}, "refresh_token": {c.Refresh}, "client_id": {id},
	}})
	if err != nil {
		return nil, err
	}
	return m.renewed(c, t), nil
}
