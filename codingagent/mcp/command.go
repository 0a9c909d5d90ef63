package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pi-go/pi/codingagent/extension"
)

// command is /mcp: how the servers are, one of them connected again, and sign-ins.
func (m *connections) command() extension.Command {
	return extension.Command{
		Description: "show MCP servers, connect one again, or sign in to one", Hint: "[reconnect|login|logout SERVER]",
		Complete: func(_ context.Context, prefix string) []extension.Suggestion {
			var out []extension.Suggestion
			for _, c := range m.all() {
				actions := []string{"reconnect"}
				if c.server.URL != "" && m.opts.Credentials != nil {
					actions = append(actions, "login", "logout")
				}
				for _, a := range actions {
					if v := a + " " + c.server.Name; strings.HasPrefix(v, prefix) {
						out = append(out, extension.Suggestion{Value: v})
					}
				}
			}
			return out
		},
		Run: func(ctx context.Context, x *extension.CommandContext, args string) error {
			action, name, _ := strings.Cut(strings.TrimSpace(args), " ")
			switch action {
			case "":
				x.UI().Notify(m.report(), extension.Info)
				return nil
			case "reconnect":
				return m.reconnect(ctx, x, strings.TrimSpace(name))
			case "login":
				return m.signIn(ctx, x, strings.TrimSpace(name))
			case "logout":
				return m.signOut(ctx, x, strings.TrimSpace(name))
			}
			return fmt.Errorf("/mcp has no %q; there is reconnect, login and logout", action)
		},
	}
}

// report tells how the servers are.
func (m *connections) report() string {
	list := m.statuses()
	if len(list) == 0 {
		return "There are no MCP servers; pi mcp add puts one into mcp.json."
	}
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%s: %s, %d tools", s.Server.Name, s.State, len(s.Tools))
		if s.Err != nil {
			fmt.Fprintf(&b, " (%v)", s.Err)
		}
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}

func (m *connections) reconnect(ctx context.Context, x *extension.CommandContext, name string) error {
	c := m.find(name)
	if c == nil {
		return errNoServer(name, m.names())
	}
	closed := c.close()
	if _, err := c.dial(ctx); err != nil {
		return errors.Join(err, closed)
	}
	x.UI().Notify(fmt.Sprintf("MCP server %s is connected.", c.server.Name), extension.Info)
	return nil
}

// Probe connects servers, all at once, and tells how that went; nothing stays
// connected.
func Probe(ctx context.Context, o Options) []Status {
	m := &connections{opts: o}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := make([]Status, len(o.Servers))
	for i, s := range o.Servers {
		m.work.Go(func() {
			c := newConnection(s, &o, func(*connection) {})
			if !s.Disabled {
				_, _ = c.dial(ctx) // why it failed is in its status
			}
			out[i] = c.status()
			_ = c.close() // it was only a try
		})
	}
	m.work.Wait()
	return out
}
