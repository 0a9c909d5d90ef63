package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/codingagent/packages"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/settings"
)

// packageArgs are the options of the subcommands for packages.
type packageArgs struct {
	Local bool // the project's settings, not the user's
	// What update is to bring up to date.
	Self, Extensions, Catalogs, All bool
	Only                            []string // packages that --extension names
}

// packageCommands are the subcommands for packages.
func packageCommands() []subcommand {
	local := option{long: "local", short: "l", help: "for this project, in .pi, and not for you everywhere", flag: func(a *Args) { a.Packages.Local = true }}
	trusting := sharedOptions("approve", "no-approve")
	return []subcommand{
		{
			name: "install", usage: "SOURCE", most: 1, options: append([]option{local}, trusting...), run: (*program).runInstall,
			help: "install a package: npm:NAME[@VERSION], git:HOST/PATH[@REF], an https address, or a path",
		},
		{
			name: "remove", aliases: []string{"uninstall"}, usage: "SOURCE", most: 1, options: append([]option{local}, trusting...), run: (*program).runRemove,
			help: "remove a package, from the settings and from the disk", complete: (*completer).packages,
		},
		{
			name: "update", usage: "[SOURCE|self]", most: 1, options: append(updateOptions(), trusting...), run: (*program).runUpdate,
			help: "bring packages up to date: one, or all", complete: (*completer).packages,
		},
		{
			name: "list", options: append([]option{jsonOption()}, trusting...), none: true, run: (*program).runList,
			help: "list the packages that the settings name", complete: func(*completer, []string) candidates { return candidates{} },
		},
	}
}

// packages completes the source of a package that the settings name.
func (c *completer) packages(said []string) (found candidates) {
	p, ok := c.program()
	if !ok || len(said) > 0 {
		return found
	}
	for _, e := range p.packageManager(c.ctx, nil).List(c.ctx) {
		found.list = append(found.list, candidate{e.Settings.Source, e.Dir})
	}
	return found
}

func updateOptions() []option {
	flag := func(p func(a *packageArgs) *bool) func(*Args) {
		return func(a *Args) { *p(&a.Packages) = true }
	}
	return []option{
		{long: "extensions", help: "all packages, as without a target", flag: flag(func(a *packageArgs) *bool { return &a.Extensions })},
		{long: "extension", arg: "SOURCE", help: "this package only", value: func(a *Args, v string) error {
			a.Packages.Only = append(a.Packages.Only, v)
			return nil
		}},
		{long: "self", help: "pi itself, with the setting selfUpdateCommand", flag: flag(func(a *packageArgs) *bool { return &a.Self })},
		{long: "models", help: "the lists of models that vendors give", flag: flag(func(a *packageArgs) *bool { return &a.Catalogs })},
		{long: "all", help: "pi itself and all packages", flag: flag(func(a *packageArgs) *bool { return &a.All })},
		{long: "force", help: "as before; the command of selfUpdateCommand is always run", flag: func(*Args) {}},
	}
}

// packageManager gives what installs packages, as the settings are now.
func (p *program) packageManager(ctx context.Context, progress func(string)) *packages.Manager {
	loaded, v, _ := p.look(ctx, p.sys.Dir) // what is wrong was said at the start
	return packages.New(packages.Options{
		AgentDir: p.agentDir, Dir: p.sys.Dir, Home: p.sys.Home, Trusted: v.Trusted, Environ: p.sys.Environ, Offline: p.offline(),
		Client: p.webClient(), UserAgent: "pi-go/" + p.sys.Version, NPMCommand: loaded.NPMCommand, Progress: progress,
	})
}

// proxy is the proxy of the settings, if the environment names none.
func (p *program) proxy() string {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if p.sys.Env.Lookup(name) != "" {
			return ""
		}
	}
	if set := p.newest.Load(); set != nil {
		return set.Network.Proxy
	}
	return p.settings.Network.Proxy
}

// modelEnv is the environment that models are reached with: that of the program, with
// the proxy of the settings.
func (p *program) modelEnv() auth.Environment {
	return func(name string) string {
		switch v := p.sys.Env.Lookup(name); {
		case v != "":
			return v
		case name == "http_proxy" || name == "https_proxy":
			return p.proxy()
		}
		return ""
	}
}

// webClient goes through the proxies of the environment, or that of the
// settings if there are none.
func (p *program) webClient() *http.Client {
	const most = 10 * time.Minute // for one package, or one session
	client := &http.Client{Timeout: most}
	base, ok := http.DefaultTransport.(*http.Transport)
	proxy, err := url.Parse(p.proxy())
	if !ok || p.proxy() == "" || err != nil {
		return client
	}
	transport := base.Clone()
	transport.Proxy = http.ProxyURL(proxy)
	client.Transport = transport
	return client
}

// offline reports whether nothing but the model may be asked.
func (p *program) offline() bool {
	switch strings.ToLower(p.sys.Env.Lookup("PI_OFFLINE")) {
	case "1", "true", "yes":
		return true
	}
	return p.args.Offline
}

// say prints a line for people.
func (p *program) say(format string, args ...any) {
	fmt.Fprintln(p.sys.Out, p.clean(fmt.Sprintf(format, args...)))
}

// packageScope is what -l chooses.
func (p *program) packageScope() settings.Scope {
	if p.args.Packages.Local {
		return settings.Project
	}
	return settings.User
}

// source gives the only word of a command.
func source(command string, words []string) (string, error) {
	if len(words) != 1 || strings.TrimSpace(words[0]) == "" {
		return "", fmt.Errorf("pi %s needs the source of a package: pi %s SOURCE", command, command)
	}
	return words[0], nil
}

// runInstall is pi install.
func (p *program) runInstall(ctx context.Context, words []string) error {
	text, err := source("install", words)
	if err != nil {
		return err
	}
	m := p.packageManager(ctx, func(line string) { p.say("%s", line) })
	_, before, _ := p.look(ctx, p.sys.Dir)
	if _, err := packages.Parse(text); err != nil {
		return err
	}
	p.say("Installing %s...", text)
	done, err := m.Install(ctx, p.packageScope(), text)
	if err != nil {
		return err
	}
	p.packageNotes(done)
	p.say("Installed %s", text)
	p.noteEmptyPackage(ctx, text, done.Dir)
	if p.args.Packages.Local && p.args.Approve == nil {
		if _, after, _ := p.look(ctx, p.sys.Dir); before.Trusted && !after.Trusted {
			p.warn("nobody has said yet that this project is trusted; until then the package is not used")
		}
	}
	return nil
}

func (p *program) packageNotes(done packages.Installed) {
	for _, n := range done.Notes {
		p.warn("%s", n)
	}
}

// noteEmptyPackage says so when a package has nothing that a session can use: most
// likely a wrong directory was named.
func (p *program) noteEmptyPackage(ctx context.Context, text, dir string) {
	env, err := execenv.Local(p.sys.Dir, execenv.LocalOptions{Home: p.sys.Home})
	if err != nil {
		return
	}
	set := resource.Load(ctx, resource.Request{Env: env, AgentDir: p.agentDir, Temporary: []resource.Temp{{Dir: dir, Source: text}}})
	for _, it := range set.Items {
		if it.Package == text {
			return
		}
	}
	p.warn("%s has no skills, prompts, themes or extensions, in directories of these names or listed under \"pi\" in its package.json; pi docs packages tells more", dir)
}

// runRemove is pi remove.
func (p *program) runRemove(ctx context.Context, words []string) error {
	text, err := source("remove", words)
	if err != nil {
		return err
	}
	p.say("Removing %s...", text)
	m := p.packageManager(ctx, func(line string) { p.say("%s", line) })
	if err := m.Remove(ctx, p.packageScope(), text); err != nil {
		if errors.Is(err, packages.ErrNotConfigured) {
			return p.elsewhere(ctx, m, text, err)
		}
		return err
	}
	p.say("Removed %s", text)
	return nil
}

// elsewhere says that a package is named in the other settings.
func (p *program) elsewhere(ctx context.Context, m *packages.Manager, text string, err error) error {
	for _, e := range m.List(ctx) {
		if e.Scope == p.packageScope() || e.Settings.Source != text {
			continue
		}
		if e.Scope == settings.Project {
			return fmt.Errorf("%w; it is one of this project: pi remove -l %s", err, text)
		}
		return fmt.Errorf("%w; it is one of yours: leave out -l", err)
	}
	return err
}

// runList is pi list.
func (p *program) runList(ctx context.Context, _ []string) error {
	list := p.packageManager(ctx, nil).List(ctx)
	if p.args.JSON {
		return p.listPackagesJSON(list)
	}
	for _, scope := range []settings.Scope{settings.User, settings.Project} {
		title := map[settings.Scope]string{settings.User: "User packages:", settings.Project: "Project packages:"}[scope]
		for _, e := range list {
			if e.Scope != scope {
				continue
			}
			if title != "" {
				p.say("%s", title)
				title = ""
			}
			filtered := ""
			if e.Filtered() {
				filtered = " (filtered)"
			}
			p.say("  %s%s", e.Settings.Source, filtered)
			switch {
			case e.Err != nil:
				p.say("    %s", e.Err)
			case e.Installed:
				p.say("    %s", e.Dir)
			default:
				p.say("    not installed")
			}
		}
	}
	if len(list) == 0 {
		p.say("No packages installed.")
	}
	return nil
}

// listPackagesJSON lists packages for programs.
func (p *program) listPackagesJSON(list []packages.Entry) error {
	type item struct {
		Source    string         `json:"source"`
		Scope     settings.Scope `json:"scope"`
		Kind      packages.Kind  `json:"kind,omitempty"`
		Path      string         `json:"path,omitempty"`
		Installed bool           `json:"installed"`
		Version   string         `json:"version,omitempty"`
		Filtered  bool           `json:"filtered"`
		Error     string         `json:"error,omitempty"`
	}
	items := []item{}
	for _, e := range list {
		it := item{Source: e.Settings.Source, Scope: e.Scope, Kind: e.Source.Kind, Path: e.Dir, Installed: e.Installed, Version: e.Version, Filtered: e.Filtered()}
		if e.Err != nil {
			it.Error = e.Err.Error()
		}
		items = append(items, it)
	}
	encoder := json.NewEncoder(p.sys.Out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(items)
}

// ensurePackages installs packages that the settings name and that are not there,
// before a session looks for what they hold.
func (p *program) ensurePackages(ctx context.Context) {
	missing := slices.ContainsFunc(slices.Concat(p.loaded.UserResources.Packages, p.loaded.ProjectResources.Packages), func(s settings.Package) bool {
		return strings.Contains(s.Source, ":") // those of this machine are there or not
	})
	if !missing {
		return
	}
	m := p.packageManager(ctx, func(line string) { fmt.Fprintln(p.sys.Err, line) })
	done, errs := m.Ensure(ctx)
	for _, d := range done {
		p.packageNotes(d)
	}
	for _, err := range errs {
		if !errors.Is(err, packages.ErrOffline) { // resources say that it is not there
			p.warn("%s", err)
		}
	}
}

// version shows what was updated.
func version(d packages.Installed) string {
	short := func(v string) string {
		if d.Source.Kind == packages.Git && len(v) > 12 {
			return v[:12]
		}
		return cmp.Or(v, "nothing")
	}
	return short(d.From) + " -> " + short(d.To)
}
