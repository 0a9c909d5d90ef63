package interactive

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/term"
)

// ConfigOptions are what [ConfigScreen] shows and changes.
type ConfigOptions struct {
	// Load finds the resources as the settings are now.
	Load func(ctx context.Context) []resource.Item
	// Switch changes the settings of a scope, see [resource.Switch].
	Switch func(ctx context.Context, it resource.Item, in resource.Scope, on bool) error
	// Scope is whose settings are changed first; Project says that those of the
	// project may be.
	Scope   resource.Scope
	Project bool
	// Unknown are settings that this program does not know.
	Unknown []settings.Diagnostic
	// Dir, Home, AgentDir, Files, Settings, Getenv and Open are as in [Config].
	Dir, Home, AgentDir string
	Files               execenv.FileSystem
	Settings            settings.Terminal
	Getenv              func(string) string
	Open                func(term.Options) (*term.Terminal, error)
}

// ConfigScreen lets a person switch resources on and off, on a screen of its own,
// until they go away. The error is [ErrNoTerminal] where nothing can be drawn, or
// the cause of ctx.
func ConfigScreen(ctx context.Context, o ConfigOptions) (err error) {
	u, tm, err := standalone(ctx, Config{
		Env: execenv.Env{FS: o.Files}, Home: o.Home, AgentDir: o.AgentDir, Dir: o.Dir, Getenv: o.Getenv, Open: o.Open,
	}, o.Settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tm.Close()) }()
	c := &configScreen{ui: u, o: o, scope: o.Scope, items: o.Load(ctx)}
	var unknown []string
	for _, d := range o.Unknown {
		unknown = append(unknown, d.String())
	}
	c.note = strings.Join(unknown, "\n")
	c.open()
	err = u.p.Run(ctx)
	u.kept.flush()
	return err
}

// configScreen is a list of resources.
type configScreen struct {
	ui    *ui
	o     ConfigOptions
	p     *picker
	scope resource.Scope
	items []resource.Item
	busy  bool // a change is being written
	note  string
}

func (c *configScreen) open() {
	u := c.ui
	c.p = u.pick("", c.rows(), nil)
	c.p.list.OnSelect = func(row tui.ListItem) { c.toggle(row.Data.(resource.Item)) }
	c.p.list.OnCancel = func() { u.p.Quit(nil) }
	c.p.keys = c.key
	c.p.below = func(width int) []string {
		note := c.note
		if note == "" && len(c.p.list.Items()) == 0 {
			note = "There is nothing to switch here."
		}
		if note == "" {
			return nil
		}
		var lines []string
		for line := range strings.SplitSeq(note, "\n") {
			lines = append(lines, wrapJoined([]string{u.look.fg("warning", Clean(line))}, "", " ", width)...)
		}
		return fit(lines, width)
	}
	c.head()
}

// head says whose settings are changed.
func (c *configScreen) head() {
	c.p.title = "Resources, in your settings"
	if c.scope == resource.Project {
		c.p.title = "Resources, for this project"
	}
	c.p.hint = []string{"type to filter", "enter switches on or off"}
	if k := c.ui.keys.Text("tui.input.tab"); k != "" && c.o.Project {
		to := "this project"
		if c.scope == resource.Project {
			to = "yours"
		}
		c.p.hint = append(c.p.hint, k+" "+to)
	}
	c.p.hint = append(c.p.hint, "escape ends")
}

// rows are the resources that the settings of the scope are about.
func (c *configScreen) rows() []tui.ListItem {
	var rows []tui.ListItem
	for _, kind := range resource.Kinds() {
		for _, it := range c.items {
			shown := it.Scope == c.scope || c.scope == resource.Project && it.Scope == resource.User && it.Package != ""
			if it.Kind != kind || !shown {
				continue
			}
			mark := "[ ] "
			if it.On {
				mark = "[x] "
			}
			about := it.Package
			if about == "" {
				about = relative(c.ui.cfg.Dir, []string{c.ui.homePath(it.Base)})[0]
			}
			name := it.Path
			if rel, err := filepath.Rel(it.Base, it.Path); err == nil && filepath.IsLocal(rel) {
				name = filepath.ToSlash(rel)
			}
			rows = append(rows, tui.ListItem{Value: string(kind) + it.Path, Label: mark + oneLine(name), Description: oneLine(about), Data: it})
		}
	}
	return rows
}

func (c *configScreen) key(k input.Key) bool {
	if c.ui.keys.First(k, "tui.input.tab") == "" || !c.o.Project {
		return false
	}
	if c.scope == resource.Project {
		c.scope = resource.User
	} else {
		c.scope = resource.Project
	}
	c.note = ""
	c.p.list.SetItems(c.rows())
	c.head()
	return true
}

// toggle writes the settings and shows what comes of it.
func (c *configScreen) toggle(it resource.Item) {
	if c.busy {
		return
	}
	c.busy, c.note = true, ""
	u, scope := c.ui, c.scope
	u.kept.add(u.spawn, func() {
		err := c.o.Switch(context.WithoutCancel(u.ctx), it, scope, !it.On)
		items := c.o.Load(u.ctx)
		u.p.Do(func() {
			c.busy, c.items = false, items
			if err != nil {
				c.note = fmt.Sprintf("Nothing was changed: %v", err)
			}
			c.p.list.SetItems(c.rows())
		})
	})
}
