package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
	"github.com/pi-go/pi/codingagent/packages"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/settings"
)

// configCommand is pi config.
func configCommand() subcommand {
	return subcommand{
		name: "config", usage: "[list | enable PATH | disable PATH | explain [KEY]]", actions: configActions(), most: 2,
		options: append([]option{
			{long: "local", short: "l", help: "change the settings of this project, and not yours", flag: func(a *Args) { a.Packages.Local = true }}, jsonOption(),
		}, sharedOptions("approve", "no-approve")...),
		help: "choose which extensions, skills, prompts and themes are used; explain shows settings, and where each comes from", run: (*program).runConfig,
		complete: (*completer).configWords,
	}
}

// configWords completes what follows an action of pi config.
func (c *completer) configWords(said []string) (found candidates) {
	switch {
	case len(said) != 1:
		return found
	case said[0] == "explain":
		return wordList(settings.Keys()...)
	case said[0] == "list":
		return found
	}
	p, ok := c.program()
	env, err := execenv.Local(c.sys.Dir, execenv.LocalOptions{Home: c.sys.Home})
	if !ok || err != nil {
		return found
	}
	for _, it := range p.resources(c.ctx, env).Items {
		if it.On == (said[0] == "disable") {
			found.list = append(found.list, candidate{it.Path, string(it.Kind)})
		}
	}
	return found
}

func configActions() []string { return []string{"list", "enable", "disable", "explain"} }

// runConfig is pi config.
func (p *program) runConfig(ctx context.Context, words []string) error {
	env, err := execenv.Local(p.sys.Dir, execenv.LocalOptions{Home: p.sys.Home})
	if err != nil {
		return err
	}
	if _, v, _ := p.look(ctx, p.sys.Dir); p.args.Packages.Local && !v.Trusted {
		return packages.ErrUntrusted
	}
	scope := resource.User
	if p.args.Packages.Local {
		scope = resource.Project
	}
	if len(words) == 0 {
		if p.sys.InTerminal && p.sys.OutTerminal && !p.args.JSON {
			return p.configScreen(ctx, env, scope)
		}
		words = []string{"list"}
	}
	action, err := oneOf("config", words, configActions())
	if err != nil {
		return err
	}
	word := strings.Join(words[1:], "")
	switch {
	case action == "explain":
		return p.loaded.WriteExplanation(p.sys.Out, word)
	case action == "list" && word != "":
		return fmt.Errorf("pi config list takes no more words: %q", word)
	case action == "list":
		return p.listResources(p.resources(ctx, env))
	case word == "":
		return fmt.Errorf("pi config %s needs the path of a resource; pi config list shows them", action)
	}
	it, err := p.findResource(ctx, env, word)
	if err != nil {
		return err
	}
	if it.Scope == resource.Project {
		scope = resource.Project
	}
	if err := resource.Switch(ctx, env, p.agentDir, it, scope, action == "enable"); err != nil {
		return err
	}
	p.say("%s is %s now", it.Path, map[bool]string{true: "on", false: "off"}[action == "enable"])
	return nil
}

// configScreen lets a person switch resources.
func (p *program) configScreen(ctx context.Context, env execenv.Env, scope resource.Scope) error {
	_, v, _ := p.look(ctx, p.sys.Dir)
	return interactive.ConfigScreen(ctx, interactive.ConfigOptions{
		Dir: p.sys.Dir, AgentDir: p.agentDir, Home: p.sys.Home, Files: p.files, Settings: p.settings.Terminal, Getenv: p.sys.Env.Lookup,
		Load: func(ctx context.Context) []resource.Item { return p.resources(ctx, env).Items },
		Switch: func(ctx context.Context, it resource.Item, in resource.Scope, on bool) error {
			return resource.Switch(ctx, env, p.agentDir, it, in, on)
		},
		Scope: scope, Project: v.Trusted, Unknown: p.loaded.Unknown(),
	})
}

// findResource finds a resource by its path, or by the end of one that only it has.
func (p *program) findResource(ctx context.Context, env execenv.Env, word string) (resource.Item, error) {
	path := expandHome(word, p.sys.Home)
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.sys.Dir, path)
	}
	path = filepath.Clean(path)
	var ends []resource.Item
	var known []string
	for _, it := range p.resources(ctx, env).Items {
		if it.Path == path || filepath.Dir(it.Path) == path && filepath.Base(it.Path) == "SKILL.md" {
			return it, nil
		}
		if tail := string(filepath.Separator) + filepath.FromSlash(word); strings.HasSuffix(it.Path, tail) || strings.HasSuffix(filepath.Dir(it.Path), tail) {
			ends = append(ends, it)
		}
		known = append(known, it.Path)
	}
	switch len(ends) {
	case 1:
		return ends[0], nil
	case 0:
		return resource.Item{}, fmt.Errorf("there is no resource %s%s; pi config list shows all", word, hint(word, known))
	}
	return resource.Item{}, fmt.Errorf("%d resources end in %s; give more of the path", len(ends), word)
}

// listResources prints resources and whether they are used.
func (p *program) listResources(set resource.Set) error {
	if p.args.JSON {
		type item struct {
			Kind    resource.Kind  `json:"kind"`
			Path    string         `json:"path"`
			Scope   resource.Scope `json:"scope"`
			Package string         `json:"package,omitempty"`
			On      bool           `json:"on"`
		}
		items := []item{}
		for _, it := range set.Items {
			items = append(items, item{it.Kind, it.Path, it.Scope, it.Package, it.On})
		}
		encoder := json.NewEncoder(p.sys.Out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(items)
	}
	for _, kind := range resource.Kinds() {
		title := strings.ToUpper(string(kind[:1])) + string(kind[1:]) + ":"
		for _, it := range set.Items {
			if it.Kind != kind {
				continue
			}
			if title != "" {
				p.say("%s", title)
				title = ""
			}
			from := string(it.Scope)
			if it.Package != "" {
				from += ", " + it.Package
			}
			p.say("  [%s] %s (%s)", map[bool]string{true: "x", false: " "}[it.On], it.Path, from)
		}
	}
	if len(set.Items) == 0 {
		p.say("There are no extensions, skills, prompts or themes.")
	}
	for _, n := range set.Notes {
		p.warn("%s %s", n.Path, n.Message)
	}
	if !p.args.Verbose { // which has said it already
		for _, n := range p.loaded.Unknown() {
			p.warn("%s", n)
		}
	}
	return nil
}
