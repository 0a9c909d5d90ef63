package interactive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/codingagent/internal/demo"
	"github.com/pi-go/pi/tui"
)

// errCancelled ends a login that the person does not want.
var errCancelled = errors.New("cancelled")

// loginChoice is a way to connect a provider.
type loginChoice struct {
	provider ai.Provider
	kind     auth.CredentialType
}

func (u *ui) loginChoices(ctx context.Context) []tui.ListItem {
	models := u.session().Models()
	configured := models.Configured(ctx)
	var items []tui.ListItem
	for _, p := range models.Providers() {
		if p.ID() == demo.ProviderID {
			continue
		}
		state := "not connected"
		if configured[p.ID()] {
			state = "✓ connected"
		}
		m := p.Auth()
		if m.OAuth != nil {
			items = append(items, tui.ListItem{
				Value: p.ID() + " oauth", Label: oneLine(p.Name()), Description: "sign in: " + oneLine(m.OAuth.Name()) + " · " + state, Data: loginChoice{p, auth.TypeOAuth},
			})
		}
		if m.APIKey != nil {
			items = append(items, tui.ListItem{
				Value: p.ID(), Label: oneLine(p.Name()), Description: "key · " + state, Data: loginChoice{p, auth.TypeAPIKey},
			})
		}
	}
	slices.SortStableFunc(items, func(a, b tui.ListItem) int {
		return strings.Compare(strings.ToLower(a.Label), strings.ToLower(b.Label))
	})
	return items
}

func providerItems(ctx context.Context, u *ui) []tui.ListItem {
	var items []tui.ListItem
	for _, it := range u.loginChoices(ctx) {
		if c := it.Data.(loginChoice); c.kind == auth.TypeAPIKey {
			items = append(items, tui.ListItem{Value: c.provider.ID(), Description: it.Label})
		}
	}
	return items
}

// loginCommand connects a provider.
func (u *ui) loginCommand(name string) {
	u.spawn(func() {
		items := u.loginChoices(u.ctx)
		u.p.Do(func() {
			var same []tui.ListItem
			for _, it := range items {
				if it.Data.(loginChoice).provider.ID() == name {
					same = append(same, it)
				}
			}
			if len(same) == 1 {
				u.login(same[0].Data.(loginChoice))
				return
			}
			list := items
			if len(same) > 1 {
				list, name = same, ""
			}
			p := u.pick("Connect a provider", list, func(it tui.ListItem) { u.login(it.Data.(loginChoice)) })
			p.list.SetFilter(name)
		})
	})
}

func (u *ui) login(c loginChoice) {
	models := u.session().Models()
	ctx, cancel := context.WithCancel(u.ctx)
	u.spawn(func() {
		defer cancel()
		err := u.connect(ctx, models, c, &dialogs{ui: u, title: c.provider.Name(), cancel: cancel})
		var list []*ai.Model
		if err == nil {
			list = u.available(u.ctx)
		}
		stopped := ctx.Err() != nil
		u.p.Do(func() {
			u.back()
			switch {
			case errors.Is(err, errCancelled), err != nil && stopped:
				u.hint("Nothing was changed.")
				if u.unconnected() {
					u.firstRun()
				}
			case err != nil:
				u.fail(err)
				if u.unconnected() {
					u.firstRun()
				}
			default:
				u.note("success", fmt.Sprintf("%s is connected. The key is kept in %s.", Clean(c.provider.Name()), u.homePath(u.cfg.AgentDir+"/auth.json")))
				if u.unconnected() {
					u.chooseOf(c.provider.ID(), list)
				}
			}
		})
	})
}

// unconnected reports whether there is no model but the demo.
func (u *ui) unconnected() bool {
	have := u.session().Model()
	return have == nil || have.Provider == demo.ProviderID
}

// chooseOf lets the person choose a model of a provider that was just
// connected.
func (u *ui) chooseOf(provider string, list []*ai.Model) {
	var items []tui.ListItem
	for _, m := range list {
		if m.Provider == provider {
			items = append(items, tui.ListItem{Value: m.Ref(), Label: oneLine(m.Ref()), Description: oneLine(m.Name), Data: m})
		}
	}
	if len(items) == 1 {
		u.useModel(items[0].Data.(*ai.Model))
	} else if len(items) > 1 {
		u.pickModel(items, "")
	}
}

// dialogs asks what a login wants to know. Its methods are called on the
// login's goroutine.
type dialogs struct {
	ui     *ui
	title  string
	cancel context.CancelFunc
}

// Prompt asks, and waits.
func (d *dialogs) Prompt(ctx context.Context, p auth.Prompt) (string, error) {
	type reply struct {
		text string
		err  error
	}
	answered := make(chan reply, 1)
	title := oneLine(d.title + ": " + p.Message)
	d.ui.p.Do(func() {
		no := func() {
			d.ui.back()
			answered <- reply{err: errCancelled}
		}
		if p.Kind == auth.PromptSelect {
			var items []tui.ListItem
			for _, o := range p.Options {
				items = append(items, tui.ListItem{Value: o.ID, Label: oneLine(o.Label), Description: oneLine(o.Description)})
			}
			d.ui.pick(title, items, func(it tui.ListItem) { answered <- reply{text: it.Value} }).list.OnCancel = no
			return
		}
		q := d.ui.ask(title, "", p.Kind == auth.PromptSecret, func(s string) { answered <- reply{text: strings.TrimSpace(s)} }, no)
		q.line.Placeholder = oneLine(p.Placeholder)
	})
	select {
	case r := <-answered:
		if r.err != nil {
			d.cancel()
		}
		return r.text, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// Notify shows what a login has to say.
func (d *dialogs) Notify(_ context.Context, n auth.Notification) {
	parts := []string{}
	for _, s := range []string{n.Message, n.URL} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if n.UserCode != "" {
		parts = append(parts, "Code: "+n.UserCode)
	}
	d.ui.p.Do(func() { d.ui.note("accent", strings.Join(parts, "\n")) })
}

// logoutCommand removes a stored credential.
func (u *ui) logoutCommand(name string) {
	models := u.session().Models()
	u.spawn(func() {
		var items []tui.ListItem
		for _, p := range models.Providers() {
			status, err := models.CheckAuth(u.ctx, p.ID())
			if err == nil && (status.OAuth || strings.Contains(status.Source, "stored")) {
				items = append(items, tui.ListItem{Value: p.ID(), Label: oneLine(p.Name()), Description: oneLine(status.Source)})
			}
		}
		u.p.Do(func() {
			if len(items) == 0 {
				u.hint("No key and no login is stored. Keys of the environment are not pi's to remove.")
				return
			}
			p := u.pick("Remove a stored key or login", items, func(it tui.ListItem) {
				u.later(func(ctx context.Context) error {
					_, err := models.Logout(ctx, it.Value)
					return err
				}, func() { u.note("success", it.Label+" is no longer connected.") })
			})
			p.list.SetFilter(name)
		})
	})
}
