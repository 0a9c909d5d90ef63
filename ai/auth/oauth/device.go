package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

const (
	pollInterval    = 5 * time.Second // when the server does not say
	minPollInterval = time.Second
	deviceTime      = 15 * time.Minute // how long a code is good for when the server does not say
	// maxPollFailures is how often in a row the server may be out of reach.
	maxPollFailures = 5
)

// DeviceGrant is the grant type of RFC 8628.
const DeviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

// Device is a code that a person types at another device.
type Device struct {
	Code     string // the secret to poll with
	UserCode string
	// URL is the page to open; it has the code in it where the server offers that.
	URL       string
	Interval  time.Duration // between polls; 0 means 5 s
	ExpiresIn time.Duration // 0 means 15 min
}

// RequestDevice asks for a code (RFC 8628).
func RequestDevice(ctx context.Context, h auth.Host, r Request) (*Device, error) {
	var fields map[string]json.RawMessage
	if err := SendJSON(ctx, h, r, &fields); err != nil {
		return nil, err
	}
	d, err := ParseDevice(fields)
	if err != nil {
		known := r.secrets()
		known.fields(fields)
		return nil, &Error{Endpoint: endpoint(r.URL), Description: known.Text(err.Error())}
	}
	return d, nil
}

// ParseDevice checks the members of a device authorization answer.
func ParseDevice(fields map[string]json.RawMessage) (*Device, error) {
	d := &Device{Code: text(fields["device_code"]), UserCode: text(fields["user_code"]), URL: text(fields["verification_uri"])}
	if d.URL == "" {
		d.URL = text(fields["verification_url"])
	}
	var err error
	if d.Interval, err = seconds(fields["interval"]); err != nil {
		return nil, fmt.Errorf("the answer's interval is %w", err)
	}
	if d.ExpiresIn, err = seconds(fields["expires_in"]); err != nil {
		return nil, fmt.Errorf("the answer's expires_in is %w", err)
	}
	if !Sendable(d.Code) {
		return nil, errors.New("the answer has no device_code")
	}
	page, err := WebURL(d.URL)
	if err != nil {
		return nil, fmt.Errorf("the answer's verification_uri can not be opened: %w", err)
	}
	d.URL = page.String()
	if complete, err := WebURL(text(fields["verification_uri_complete"])); err == nil && complete.Host == page.Host && complete.Scheme == page.Scheme {
		d.URL = complete.String()
	}
	return d, nil
}

// Run shows the code and polls until the person has typed it. poll is called once
// per interval; what it answers with an *Error counts as RFC 8628 says:
// authorization_pending and slow_down go on, and so does, a few times, a server that
// can not be reached. Any other error ends the login.
func (d Device) Run(ctx context.Context, h auth.Host, ui auth.Interaction, poll func(context.Context) (*auth.Credential, error)) (*auth.Credential, error) {
	h = h.WithDefaults()
	if d.UserCode = Plain(d.UserCode, 40); d.UserCode == "" {
		return nil, errors.New("the server gave no code to type")
	}
	if _, err := WebURL(d.URL); err != nil {
		return nil, fmt.Errorf("the page to type the code at: %w", err)
	}
	if d.ExpiresIn <= 0 {
		d.ExpiresIn = deviceTime
	}
	if d.Interval <= 0 {
		d.Interval = pollInterval
	}
	wait := max(d.Interval, minPollInterval)
	end := h.Now().Add(d.ExpiresIn)
	ui.Notify(ctx, auth.Notification{
		Kind: auth.NoteDevice, URL: d.URL, UserCode: d.UserCode, ExpiresIn: d.ExpiresIn,
		Message: "Open the page on any device and type the code.",
	})
	for failures := 0; ; {
		left := end.Sub(h.Now())
		if left <= 0 {
			return nil, errors.New("the code has expired before it was typed; start the login again")
		}
		if err := h.Sleep(ctx, min(wait, left)); err != nil {
			return nil, err
		}
		c, err := poll(ctx)
		var e *Error
		switch {
		case err == nil:
			return c, nil
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !errors.As(err, &e):
			return nil, err
		case e.Code == "authorization_pending":
			failures = 0
		case e.Code == "slow_down":
			failures = 0
			if wait += pollInterval; e.Interval > 0 {
				wait = max(e.Interval, minPollInterval)
			}
		case e.Code == "expired_token":
			return nil, errors.New("the code has expired before it was typed; start the login again")
		case e.Code == "access_denied":
			return nil, errors.New("the login was refused at the vendor's page")
		case e.Temporary() && failures < maxPollFailures:
			failures++
			wait = min(wait+pollInterval, time.Minute)
		default:
			return nil, err
		}
	}
}

// Choose asks which way to sign in. With nobody to ask it is the first.
func Choose(ctx context.Context, ui auth.Interaction, options ...auth.Option) (string, error) {
	id, err := ui.Prompt(ctx, auth.Prompt{Kind: auth.PromptSelect, Message: "How do you want to sign in?", Options: options})
	if errors.Is(err, auth.ErrNoPrompt) {
		return options[0].ID, nil
	}
	if err != nil {
		return "", fmt.Errorf("ask how to sign in: %w", err)
	}
	for _, o := range options {
		if o.ID == id {
			return id, nil
		}
	}
	return "", fmt.Errorf("%q is no way to sign in", Plain(id, 40))
}
