package interactive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/trust"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/term"
)

// TrustQuestion asks a person whether a project is trusted, see [AskTrust].
type TrustQuestion struct {
	// Dir is the project's directory, Found what of it would steer the agent.
	Dir   string
	Found []string
	// Home, AgentDir, Files, Settings, Getenv and Open are as in [Config].
	Home, AgentDir string
	Files          execenv.FileSystem
	Settings       settings.Terminal
	Getenv         func(string) string
	Open           func(term.Options) (*term.Terminal, error)
}

// AskTrust asks on a screen of its own. To go away without an answer is a refusal
// for this time. The error is [ErrNoTerminal] where nothing can be drawn, or the
// cause of ctx.
func AskTrust(ctx context.Context, q TrustQuestion) (_ trust.Answer, err error) {
	u, tm, err := standalone(ctx, Config{
		Env: execenv.Env{FS: q.Files}, Home: q.Home, AgentDir: q.AgentDir, Dir: q.Dir, Getenv: q.Getenv, Open: q.Open,
	}, q.Settings)
	if err != nil {
		return trust.Refuse, err
	}
	defer func() { err = errors.Join(err, tm.Close()) }()
	u.p.Transcript.Append(&trustNotice{ui: u, found: q.Found})
	answer := trust.Refuse
	p := u.pick("Is this project to be trusted?", trustItems(), nil)
	p.list.OnSelect = func(it tui.ListItem) {
		answer = it.Data.(trust.Answer)
		u.p.Quit(nil)
	}
	p.list.OnCancel = func() { u.p.Quit(nil) }
	p.hint = []string{"enter chooses", "escape: not this time"}
	p.list.Typing = false
	err = u.p.Run(ctx)
	return answer, err
}

// standalone opens the terminal for a screen without a session. The caller closes
// it.
func standalone(ctx context.Context, cfg Config, set settings.Terminal) (*ui, *term.Terminal, error) {
	getenv := cfg.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	open := cfg.Open
	if open == nil {
		open = term.Open
	}
	tm, err := open(term.Options{FullScreen: true, Getenv: getenv})
	if err != nil {
		return nil, nil, err
	}
	u := &ui{
		cfg: cfg, settings: set, ctx: ctx,
		look: &look{depth: tm.Facts().Depth}, keys: newBindings(thisPlatform(getenv)), area: tui.NewContainer(),
	}
	u.readKeys()
	u.loadThemes()
	t, _ := themeFor(u.settings.Theme, term.NewCapabilities(tm.Facts()), u.themes)
	u.look.set(t)
	u.p = tui.New(tui.Options{Terminal: tm, Bindings: u.keys, OnCapabilities: func(c term.Capabilities) {
		t, _ := themeFor(u.settings.Theme, c, u.themes)
		u.look.set(t)
		u.p.Redraw()
	}})
	u.p.Bottom.Add(u.area)
	return u, tm, nil
}

// trustItems are the answers, the safe ones last.
func trustItems() []tui.ListItem {
	item := func(a trust.Answer, label, about string) tui.ListItem {
		return tui.ListItem{Value: fmt.Sprint(a), Label: label, Description: about, Data: a}
	}
	return []tui.ListItem{
		item(trust.Allow, "Yes, always", "this directory and all in it"),
		item(trust.AllowParent, "Yes, and its neighbours", "all in the directory above it"),
		item(trust.AllowOnce, "Only this time", "nothing is kept"),
		item(trust.Refuse, "No, not this time", "its files are left out"),
		item(trust.RefuseAlways, "No, never", "its files are always left out"),
	}
}

// trustNotice says what it is about.
type trustNotice struct {
	ui    *ui
	found []string
}

// Render gives the lines.
func (n *trustNotice) Render(width int) []string {
	u, l := n.ui, n.ui.look
	text := tui.NewText(l.bold("accent", shorten(oneLine(u.homePath(u.cfg.Dir)), width-2)) + "\n\n" +
		"This project brings files that steer the agent: they can change settings and instructions, and what they name is run " +
		"with your rights. Whoever wrote them may not be you.\n\n" + l.fg("muted", Clean(strings.Join(relative(u.cfg.Dir, n.found), "\n"))))
	text.PadX = 1
	return fit(append([]string{""}, text.Render(width)...), width)
}

// relative shortens the paths that are in a directory.
func relative(dir string, paths []string) []string {
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = p
		if rel, err := filepath.Rel(dir, p); err == nil && !strings.HasPrefix(rel, "..") {
			out[i] = rel
		}
	}
	return out
}

// trustCommand shows what is decided about the project and lets the person decide
// anew.
func (u *ui) trustCommand(string) {
	if u.cfg.Trust == nil || u.cfg.Load == nil {
		u.hint("Nothing is kept about projects here.")
		return
	}
	if !u.idle("decide about this project") {
		return
	}
	dir := u.cfg.Dir
	u.spawn(func() {
		_, v, _ := u.cfg.Load(u.ctx, dir)
		kept, found, err := u.cfg.Trust.Nearest(u.ctx, v.Dir)
		u.p.Do(func() {
			if err != nil {
				u.fail(err)
				return
			}
			state := "not used"
			if v.Trusted {
				state = "used"
			}
			if len(v.Found) == 0 {
				state = "there are none yet"
			}
			decision := "nothing is decided"
			if found {
				decision = map[bool]string{true: "trusted", false: "not trusted"}[kept.Trusted] + ", decided for " + u.homePath(kept.Dir)
			}
			rows := [][2]string{{"Project", u.homePath(v.Dir)}, {"Its files", fmt.Sprintf("%s (%s)", state, v.Reason)}, {"Kept", decision}}
			for _, f := range relative(v.Dir, v.Found) {
				rows = append(rows, [2]string{"", f})
			}
			u.table("Trust", rows)
			var items []tui.ListItem
			for _, it := range trustItems() {
				if a := it.Data.(trust.Answer); a == trust.Allow || a == trust.AllowParent || a == trust.RefuseAlways {
					items = append(items, it)
				}
			}
			p := u.pick("Is this project to be trusted?", items, func(it tui.ListItem) { u.decideTrust(v.Dir, it.Data.(trust.Answer)) })
			if found && !kept.Trusted {
				p.list.Select(fmt.Sprint(trust.RefuseAlways))
			}
		})
	})
}

// decideTrust keeps a decision and lets it count at once.
func (u *ui) decideTrust(dir string, a trust.Answer) {
	u.later(func(ctx context.Context) error {
		switch a {
		case trust.AllowParent:
			return u.cfg.Trust.TrustParent(ctx, dir)
		default:
			return u.cfg.Trust.Trust(ctx, dir, a == trust.Allow)
		}
	}, func() { u.reloadCommand("") })
}
