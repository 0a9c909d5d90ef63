package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/codingagent/extension"
)

// errStopped ends a sign-in that the person does not want any more.
var errStopped = errors.New("nothing was changed")

// signIn signs a person in to a server from within a session, and connects it again.
func (m *connections) signIn(ctx context.Context, x *extension.CommandContext, name string) error {
	c, err := m.withAccount(name)
	if err != nil {
		return err
	}
	if !x.HasUI() {
		return errors.New("nobody can be asked here; run pi mcp login " + c.server.Name)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ask := &chatQuestions{ui: x.UI(), server: c.server.Name, browser: m.opts.Browser, stop: func() { cancel(errStopped) }}
	if err := Login(ctx, c.server, m.opts, m.opts.Credentials, ask); err != nil {
		return err
	}
	return m.reconnect(ctx, x, c.server.Name)
}

// signOut forgets a sign-in. The server stays connected until it is asked for it.
func (m *connections) signOut(ctx context.Context, x *extension.CommandContext, name string) error {
	c, err := m.withAccount(name)
	if err != nil {
		return err
	}
	had, err := m.opts.Credentials.Forget(ctx, c.server)
	if err != nil {
		return err
	}
	text := "There was no sign-in to " + c.server.Name + "."
	if had {
		text = "Signed out of " + c.server.Name + "."
	}
	x.UI().Notify(text, extension.Info)
	return nil
}

func (m *connections) withAccount(name string) (*connection, error) {
	c := m.find(name)
	switch {
	case c == nil:
		return nil, errNoServer(name, m.names())
	case m.opts.Credentials == nil:
		return nil, errors.New("sign-ins are not kept here")
	}
	return c, nil
}

// chatQuestions asks what a sign-in wants to know in the dialogs of a session.
type chatQuestions struct {
	ui      extension.UI
	server  string
	browser func(address string) bool
	stop    func()
}

// Prompt asks, and waits. Whoever cancels the question ends the sign-in.
func (q *chatQuestions) Prompt(ctx context.Context, p auth.Prompt) (string, error) {
	answer, ok := q.ui.Input(ctx, fmt.Sprintf("%s: %s", q.server, p.Message), p.Placeholder, extension.DialogOptions{})
	if err := context.Cause(ctx); err != nil {
		return "", err // the browser was quicker
	}
	if !ok {
		q.stop()
		return "", errStopped
	}
	return strings.TrimSpace(answer), nil
}

// Notify shows something, and opens the page that it names.
func (q *chatQuestions) Notify(_ context.Context, n auth.Notification) {
	parts := []string{n.Message}
	if n.URL != "" {
		parts = append(parts, n.URL)
	}
	q.ui.Notify(strings.Join(parts, "\n"), extension.Info)
	if n.URL != "" && q.browser != nil {
		q.browser(n.URL)
	}
}
