package interactive

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/codingagent/internal/demo"
	"github.com/pi-go/pi/codingagent/internal/localserver"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// connectMenu is the first thing that a person without a model sees: the ways to
// get one, in the editor's place. Whoever just begins to write gets the editor, and
// the demo for an answer.
type connectMenu struct {
	ui    *ui
	list  *tui.SelectList
	short bool // the descriptions are left out
}

// connectWays are the ways; those of a narrow menu have no descriptions.
func connectWays(short bool) []tui.ListItem {
	items := []tui.ListItem{
		{Value: "1", Label: "1  Sign in with a subscription", Description: "an account that you have at a vendor"},
		{Value: "2", Label: "2  Paste an API key", Description: "typed unseen, and checked before it is stored"},
		{Value: "3", Label: "3  Use a server on this machine", Description: "Ollama, LM Studio, llama.cpp, vLLM"},
		{Value: "4", Label: "4  Try it without a model", Description: "a helper with real tools, no language model"},
	}
	for i := range items {
		if items[i].Data = items[i].Description; short {
			items[i].Description = ""
		}
	}
	return items
}

// shortWidth is the width below which descriptions have no room.
const shortWidth = 80

// firstRun shows the ways to connect a model.
func (u *ui) firstRun() {
	m := &connectMenu{ui: u}
	m.list = tui.NewSelectList(u.keys, connectWays(false)...)
	m.list.OnSelect = func(it tui.ListItem) { m.choose(it.Value) }
	m.list.OnCancel = m.demo
	u.show(m)
}

func (m *connectMenu) choose(way string) {
	u := m.ui
	switch way {
	case "1":
		u.connectBy(auth.TypeOAuth, "Sign in")
	case "2":
		u.connectBy(auth.TypeAPIKey, "Paste a key of")
	case "3":
		u.connectLocal()
	default:
		m.demo()
	}
}

// demo goes on without a model.
func (m *connectMenu) demo() {
	m.ui.back()
	m.ui.demoNote()
}

// demoNote says who answers as long as there is no model.
func (u *ui) demoNote() {
	if have := u.session().Model(); have != nil && have.Provider == demo.ProviderID && !u.demoTold {
		u.demoTold = true // once is enough
		u.note("muted", "Until a model is connected, demo/guide answers: a built-in helper that is no language model but works with the real tools. "+
			"Say help. /login connects a model, and pi finds keys in variables such as ANTHROPIC_API_KEY when it starts.")
	}
}

// Render gives the lines.
func (m *connectMenu) Render(width int) []string {
	l := m.ui.look
	m.list.Style = l.list
	if short := width < shortWidth; short != m.short {
		m.short = short
		m.list.SetItems(connectWays(short))
	}
	rule := tui.Rule{Style: l.theme.Fg("borderAccent"), Title: l.bold("accent", "Connect a model")}
	out := slices.Clone(rule.Render(width))
	for _, line := range text.Wrap("No key was found. pi needs a language model to work with.", max(width-2, 1)) {
		out = append(out, " "+l.fg("text", line))
	}
	out = append(out, m.list.Render(width)...)
	if it, ok := m.list.Selected(); ok && m.short {
		for _, line := range text.Wrap(it.Data.(string), max(width-5, 1)) {
			out = append(out, "     "+l.fg("muted", line))
		}
	}
	return append(out, fit([]string{" " + l.fg("dim", "enter chooses · or just begin to write")}, width)...)
}

// HandleInput chooses; what is typed otherwise is for the editor.
func (m *connectMenu) HandleInput(ev input.Event) bool {
	u := m.ui
	k, ok := ev.(input.Key)
	_, pasted := ev.(input.Paste)
	switch {
	case ok && k.Action == input.Release:
		return false
	case ok && len(k.Text) == 1 && k.Text >= "1" && k.Text <= "4":
		m.choose(k.Text)
		return true
	case ok && k.Text != "" && k.Text != " ", pasted:
		m.demo()
		return u.box.HandleInput(ev)
	case ok && u.keys.Is(k, "app.exit"):
		u.quit(nil)
		return true
	case ok && u.keys.Is(k, "app.suspend"):
		u.suspend()
		return true
	}
	return m.list.HandleInput(ev)
}

// CapturesScrolling tells that the keys that scroll are for the list.
func (m *connectMenu) CapturesScrolling() bool { return true }

// connectBy lists the vendors of one way to connect; those that most people have
// come first, and those that need something else before come last.
func (u *ui) connectBy(kind auth.CredentialType, title string) {
	u.spawn(func() {
		models := u.session().Models()
		var items []tui.ListItem
		for _, it := range u.loginChoices(u.ctx) {
			c := it.Data.(loginChoice)
			if c.kind != kind {
				continue
			}
			if kind == auth.TypeOAuth {
				it.Label, it.Description = oneLine(c.provider.Auth().OAuth.Name()), ""
				if !models.SignInReady(c.provider.ID()) {
					it.Description = "needs a client id of yours; enter tells how"
				}
			}
			items = append(items, it)
		}
		known := []string{"anthropic", "openai", "google", "openrouter"}
		slices.SortStableFunc(items, func(a, b tui.ListItem) int {
			rank := func(it tui.ListItem) int {
				id := it.Data.(loginChoice).provider.ID()
				switch at := slices.Index(known, id); {
				case kind == auth.TypeOAuth && !models.SignInReady(id):
					return 1000
				case at >= 0:
					return at
				}
				return 100
			}
			return rank(a) - rank(b)
		})
		u.p.Do(func() {
			p := u.pick(title, items, func(it tui.ListItem) { u.login(it.Data.(loginChoice)) })
			p.list.OnCancel = u.firstRun
		})
	})
}

// connectLocal looks for servers on this machine and lists their models.
func (u *ui) connectLocal() {
	u.hint("Looking for servers on this machine…")
	lookup := u.cfg.Getenv
	if lookup == nil {
		lookup = func(string) string { return "" }
	}
	u.spawn(func() {
		places := localserver.Known(lookup)
		servers := localserver.Find(u.ctx, places)
		u.p.Do(func() {
			if len(servers) == 0 {
				var looked []string
				for _, c := range places {
					looked = append(looked, c.Name+" ("+strings.TrimSuffix(strings.TrimPrefix(c.BaseURL, "http://"), "/v1")+")")
				}
				u.note("warning", "No server with a model answered: "+strings.Join(looked, ", ")+
					". Start one, then choose this again. A server at another address is described in "+u.homePath(u.cfg.AgentDir)+"/models.json.")
				if u.unconnected() {
					u.firstRun()
				}
				return
			}
			var items []tui.ListItem
			for _, s := range servers {
				for _, m := range s.Models {
					items = append(items, tui.ListItem{
						Value: s.ID + "/" + m.ID, Label: oneLine(m.ID), Description: oneLine(s.Name + " at " + s.BaseURL), Data: localChoice{s, m.ID},
					})
				}
			}
			p := u.pick("Models on this machine", items, func(it tui.ListItem) { u.useLocal(it.Data.(localChoice)) })
			if u.unconnected() {
				p.list.OnCancel = u.firstRun
			}
		})
	})
}

// localChoice is a model of a server on this machine.
type localChoice struct {
	server localserver.Server
	id     string
}

// useLocal makes a server's models usable, now and later, and uses one.
func (u *ui) useLocal(c localChoice) {
	file := filepath.Join(u.cfg.AgentDir, "models.json")
	models := u.session().Models()
	var kept error
	var model *ai.Model
	u.later(func(ctx context.Context) error {
		p, err := c.server.Provider()
		if err != nil {
			return err
		}
		models.SetProvider(p)
		kept = c.server.Keep(ctx, file)
		model, err = models.Model(c.server.ID, c.id)
		return err
	}, func() {
		u.useModel(model)
		if kept != nil {
			u.note("warning", fmt.Sprintf("%s is connected for this run only: %v", c.server.Name, kept))
			return
		}
		u.note("success", fmt.Sprintf("%s is connected. Its models are described in %s.", c.server.Name, u.homePath(file)))
		u.save("", map[string]any{"defaultProvider": model.Provider, "defaultModel": model.ID})
	})
}
