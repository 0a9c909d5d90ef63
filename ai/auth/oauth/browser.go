package oauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

const (
	// loginTime is how long a person may take.
	loginTime = 10 * time.Minute
	// maxPastes is how often a person may paste what is no answer.
	maxPastes = 5
)

// Browser is a login in a browser that comes back to this machine. Its answer races
// with a pasted one, for browsers on another machine.
type Browser struct {
	// AuthorizeURL is the vendor's page; Params are added to its query, and then
	// the redirect address, the challenge and the state.
	AuthorizeURL string
	Params       url.Values
	// RedirectParam is the name of the redirect address in the query; empty means
	// "redirect_uri".
	RedirectParam string
	Callback      Callback
	// State makes the state of the request; nil means a random one.
	State func(PKCE) string
	// Paste is the redirect address of a login without a browser on this machine:
	// the vendor's page shows a code, nothing is listened at, and only the paste
	// counts.
	Paste string
	// Message tells a person what to do with the address.
	Message string
	// Timeout is how long a person may take; 0 means 10 minutes.
	Timeout time.Duration
}

// Grant is what a login brought: to be exchanged for a token.
type Grant struct {
	Code        string
	State       string
	Verifier    string
	Challenge   string
	RedirectURI string
	// Query holds all parameters of the answer; nil when only a code was pasted.
	Query url.Values
}

// Run shows the address, waits for the answer, and exchanges it. The browser's page
// waits for the exchange and shows how it went.
func (b Browser) Run(ctx context.Context, h auth.Host, ui auth.Interaction, exchange func(context.Context, Grant) (*auth.Credential, error)) (*auth.Credential, error) {
	h = h.WithDefaults()
	limit := b.Timeout
	if limit <= 0 {
		limit = loginTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("nobody signed in within %v; start the login again", limit))
	defer cancel()
	pkce, err := NewPKCE(h)
	if err != nil {
		return nil, err
	}
	state := ""
	switch {
	case b.Callback.WithoutState:
	case b.State != nil:
		state = b.State(pkce)
	default:
		if state, err = RandomToken(h); err != nil {
			return nil, err
		}
	}
	grant := Grant{State: state, Verifier: pkce.Verifier, Challenge: pkce.Challenge, RedirectURI: b.Paste}
	var l *Listener
	if b.Paste == "" {
		if l, err = Listen(ctx, h, b.Callback); err != nil {
			return nil, err
		}
		defer l.Close()
		l.Expect(state)
		grant.RedirectURI = l.redirect
	}
	address, err := b.address(grant)
	if err != nil {
		return nil, err
	}
	message := b.Message
	if message == "" {
		message = "Sign in with your browser. If it is on another machine, paste the address it ends at here."
	}
	ui.Notify(ctx, auth.Notification{Kind: auth.NoteAuthURL, URL: address, Message: message})
	return b.race(ctx, ui, grant, l, exchange)
}

// address is the page to open.
func (b Browser) address(g Grant) (string, error) {
	u, err := WebURL(b.AuthorizeURL)
	if err != nil {
		return "", fmt.Errorf("the page to sign in at: %w", err)
	}
	q := u.Query()
	maps.Copy(q, b.Params)
	name := b.RedirectParam
	if name == "" {
		name = "redirect_uri"
	}
	q.Set(name, g.RedirectURI)
	q.Set("code_challenge", g.Challenge)
	q.Set("code_challenge_method", "S256")
	if g.State != "" {
		q.Set("state", g.State)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// race takes the answer that comes first. l is nil when only a paste counts.
func (b Browser) race(ctx context.Context, ui auth.Interaction, g Grant, l *Listener, exchange func(context.Context, Grant) (*auth.Credential, error)) (*auth.Credential, error) {
	var answers <-chan Answer
	if l != nil {
		answers = l.answers
	}
	asking, stop := context.WithCancel(ctx)
	type paste struct {
		Pasted
		err error
	}
	pastes := make(chan paste, 1)
	go func() {
		p, err := b.ask(asking, ui, g.State)
		pastes <- paste{p, err}
	}()
	asked := pastes // to wait for on the way out
	defer func() {
		stop()
		if asked != nil {
			<-asked
		}
	}()
	for {
		select {
		case a := <-answers:
			stop()
			g.Code, g.Query = a.Query.Get("code"), a.Query
			c, err := finish(ctx, g, exchange)
			a.Done(err)
			return c, err
		case p := <-pastes:
			asked = nil
			if errors.Is(p.err, auth.ErrNoPrompt) && answers != nil {
				pastes = nil // the browser may still come
				continue
			}
			if p.err != nil {
				return nil, p.err
			}
			if l != nil && !l.take() {
				pastes = nil // the browser was faster after all
				continue
			}
			g.Code, g.Query = p.Code, p.Query
			return finish(ctx, g, exchange)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// finish exchanges a grant, or says why there is none.
func finish(ctx context.Context, g Grant, exchange func(context.Context, Grant) (*auth.Credential, error)) (*auth.Credential, error) {
	if err := refusal(g.Query); err != nil {
		return nil, err
	}
	return exchange(ctx, g)
}

// refusal says why the vendor did not sign a person in; nil if it did.
func refusal(q url.Values) error {
	code := q.Get("error")
	if code == "" {
		return nil
	}
	known := new(secrets)
	known.Add(q.Get("code"))
	known.Add(q.Get("state"))
	err := "the vendor did not sign you in: " + Plain(known.Text(code), 100)
	if why := q.Get("error_description"); why != "" {
		err += ": " + Plain(known.Text(why), 300)
	}
	return errors.New(err)
}

// ask asks for the pasted answer until it is one.
func (b Browser) ask(ctx context.Context, ui auth.Interaction, state string) (Pasted, error) {
	message := "Paste the code or the address the browser ends at"
	if b.Paste != "" {
		message = "Paste the code that the page shows"
	}
	for range maxPastes {
		text, err := ui.Prompt(ctx, auth.Prompt{Kind: auth.PromptCode, Message: message})
		if err != nil {
			return Pasted{}, fmt.Errorf("ask for the code: %w", err)
		}
		p, err := ParsePasted(text)
		if err == nil && p.State != "" && state != "" && subtle.ConstantTimeCompare([]byte(p.State), []byte(state)) != 1 {
			err = errors.New("the pasted answer belongs to another login; paste the one of this login")
		}
		if err == nil {
			return p, nil
		}
		ui.Notify(ctx, auth.Notification{Kind: auth.NoteInfo, Message: err.Error()})
	}
	return Pasted{}, errors.New("no code was pasted; start the login again")
}
