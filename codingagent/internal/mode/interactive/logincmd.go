package interactive

import (
	"cmp"
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

// wellKnown are the vendors that most people have.
func wellKnown() []string {
	return []string{"anthropic", "openai", "google", "openrouter", "github-copilot"}
}

// loginChoices lists the ways to connect: those that are in use first, then the
// vendors that most people have, then the others by name. An account comes before a
// key, unless it needs something else before.
func (u *ui) loginChoices(ctx context.Context) []tui.ListItem {
	models := u.session().Models()
	configured := models.Configured(ctx)
	var choices []loginChoice
	for _, p := range models.Providers() {
		if p.ID() == demo.ProviderID {
			continue
		}
		m := p.Auth()
		if m.OAuth != nil {
			choices = append(choices, loginChoice{p, auth.TypeOAuth})
		}
		if m.APIKey != nil {
			choices = append(choices, loginChoice{p, auth.TypeAPIKey})
		}
	}
	known := wellKnown()
	place := func(c loginChoice) int {
		id := c.provider.ID()
		switch at := slices.Index(known, id); {
		case configured[id]:
			return -1
		case at >= 0:
			return at
		}
		return len(known)
	}
	late := func(c loginChoice) int {
		switch {
		case c.kind == auth.TypeAPIKey:
			return 1
		case models.SignInReady(c.provider.ID()):
			return 0
		}
		return 2
	}
	slices.SortStableFunc(choices, func(a, b loginChoice) int {
		return cmp.Or(place(a)-place(b), strings.Compare(strings.ToLower(a.provider.Name()), strings.ToLower(b.provider.Name())), late(a)-late(b))
	})
	var items []tui.ListItem
	for _, c := range choices {
		value, about := c.provider.ID(), "key"
		if c.kind == auth.TypeOAuth {
			value, about = value+" oauth", "account: "+oneLine(c.provider.Auth().OAuth.Name())
			if late(c) > 1 {
				about += " · needs a client id"
			}
		}
		if configured[c.provider.ID()] {
			about = "✓ connected · " + about
		}
		items = append(items, tui.ListItem{Value: value, Label: oneLine(c.provider.Name()), Description: about, Data: c})
	}
	return items
}

func providerItems(ctx context.Context, u *ui) []tui.ListItem {
	var items []tui.ListItem
	for _, it := range u.loginChoices(ctx) {
		if c := it.Data.(loginChoice); c.kind == auth.TypeAPIKey {
			items = append(items, tui.ListItem{Value: c.provider.ID(), Description: it.Label})
		}
	}
	return append(items, tui.ListItem{Value: onThisMachine, Description: "a server on this machine"})
}

// onThisMachine is what /login calls the servers of this machine, unless a provider
// has that name.
const onThisMachine = "local"

// withLocal puts the servers of this machine after the vendors that most people have.
func withLocal(items []tui.ListItem) []tui.ListItem {
	at := 0
	for i, it := range items {
		if slices.Contains(wellKnown(), it.Data.(loginChoice).provider.ID()) {
			at = i + 1
		}
	}
	return slices.Insert(items, at, tui.ListItem{Value: onThisMachine, Label: "This machine", Description: "server: Ollama, LM Studio, llama.cpp, vLLM"})
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
			if len(same) == 0 && name == onThisMachine {
				u.connectLocal()
				return
			}
			list := withLocal(items)
			if len(same) > 1 {
				list, name = same, ""
			}
			p := u.pick("Connect a provider", list, func(it tui.ListItem) {
				if c, ok := it.Data.(loginChoice); ok {
					u.login(c)
				} else {
					u.connectLocal()
				}
			})
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
				what := "key"
				if c.kind == auth.TypeOAuth {
					what = "login"
				}
				u.note("success", fmt.Sprintf("%s is connected. The %s is kept in %s.", Clean(c.provider.Name()), what, u.homePath(u.cfg.AgentDir+"/auth.json")))
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
			items = append(items, tui.ListItem{Value: m.Ref(), Label: oneLine(m.Ref()), Description: modelName(m), Data: m})
		}
	}
	if len(items) == 1 {
		u.useModel(items[0].Data.(*ai.Model))
	} else if len(items) > 1 {
		u.pickModel(items, "")
	}
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
