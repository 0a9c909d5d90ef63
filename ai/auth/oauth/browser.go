package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/pi-go/pi/ai/auth"
)

// browser is a login in a browser, with PKCE.
type browser struct {
	authorize string     // address of the vendor's page
	params    url.Values // besides those of the protocol
	scopes    []string
	// The callback: its port (0 takes any), whether another will do, its path, and
	// the name of this machine in it.
	port    int
	anyPort bool
	path    string
	host    string
	// noState leaves the state out; verifierIsState uses the verifier as state.
	noState, verifierIsState bool
	// copyTo, if set, is the vendor's own page that shows the code to copy,
	// instead of a callback.
	copyTo string
	// redirectName is the parameter of the callback's address; "" means
	// redirect_uri.
	redirectName string
}

// grant is what a browser login gives: enough to ask for a token.
type grant struct {
	code, verifier, state, redirect string
}

// browserLogin shows the vendor's page, waits for the code from the callback or
// from the keyboard, and exchanges it.
func (m *method) browserLogin(ctx context.Context, ui auth.Interaction, b browser, exchange func(context.Context, grant) (*auth.Credential, error)) (*auth.Credential, error) {
	g := grant{verifier: random(32), redirect: b.copyTo}
	if !b.noState {
		g.state = random(24)
	}
	if b.verifierIsState {
		g.state = g.verifier
	}
	var lo *loopback
	if b.copyTo == "" {
		var err error
		if lo, err = m.listen(ctx, b.port, b.anyPort, b.path, g.state); err != nil {
			return nil, err
		}
		defer lo.close()
		g.redirect = fmt.Sprintf("http://%s:%d%s", b.host, lo.port(), b.path)
	}
	ui.Notify(ctx, auth.Notification{Kind: "auth_url", URL: m.page(b, g), Message: "Sign in with " + m.name + " in your browser."})

	typed, stop := ask(ctx, ui, g)
	defer stop()
	var arrived chan string
	if lo != nil {
		arrived = lo.arrived
	}
	for {
		select {
		case g.code = <-arrived:
			c, err := exchange(ctx, g)
			lo.outcome <- err
			return c, err
		case t := <-typed:
			switch {
			case t.err == nil:
				g.code = t.code
				return exchange(ctx, g)
			case errors.Is(t.err, auth.ErrNoPrompt) && lo != nil:
				typed = nil // wait for the callback alone
			default:
				return nil, t.err
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// page is the address to open.
func (m *method) page(b browser, g grant) string {
	q := url.Values{}
	for name, values := range b.params {
		q[name] = values
	}
	name := b.redirectName
	if name == "" {
		name = "redirect_uri"
		q.Set("response_type", "code")
	}
	q.Set(name, g.redirect)
	q.Set("code_challenge", challenge(g.verifier))
	q.Set("code_challenge_method", "S256")
	if g.state != "" {
		q.Set("state", g.state)
	}
	if len(b.scopes) > 0 {
		q.Set("scope", strings.Join(b.scopes, " "))
	}
	return m.url(b.authorize) + "?" + q.Encode()
}

// typedCode is what a person pasted.
type typedCode struct {
	code string
	err  error
}

// ask waits for a code from the keyboard, beside everything else. stop ends the
// prompt and waits for it.
func ask(ctx context.Context, ui auth.Interaction, g grant) (<-chan typedCode, func()) {
	ctx, cancel := context.WithCancel(ctx)
	answers := make(chan typedCode, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		message := "Paste the code, or the address of the page you were sent to"
		for {
			text, err := ui.Prompt(ctx, auth.Prompt{Kind: "manual_code", Message: message, Placeholder: "code"})
			if err != nil {
				answers <- typedCode{err: err}
				return
			}
			code, err := codeIn(text, g.state)
			if err == nil {
				answers <- typedCode{code: code}
				return
			}
			message = "That did not work (" + err.Error() + "). Paste the code, or the address of the page you were sent to"
		}
	}()
	return answers, func() {
		cancel()
		<-done
	}
}

// codeIn finds the code in what a person pasted: the whole address, its query,
// code#state, or the code alone.
func codeIn(text, state string) (string, error) {
	text = strings.TrimSpace(text)
	code, given := text, ""
	switch {
	case strings.Contains(text, "code="):
		if at := strings.IndexByte(text, '?'); at >= 0 {
			text = text[at+1:]
		}
		text, _, _ = strings.Cut(text, "#")
		q, err := url.ParseQuery(text)
		if err != nil {
			return "", errNoCode
		}
		code, given = q.Get("code"), q.Get("state")
	case strings.Contains(text, "#"):
		code, given, _ = strings.Cut(text, "#")
	case strings.Contains(text, "://") || strings.ContainsAny(text, " \t\n"):
		return "", errNoCode
	}
	if code == "" {
		return "", errNoCode
	}
	if given != "" && state != "" && given != state {
		return "", errors.New("it belongs to another login")
	}
	return code, nil
}
