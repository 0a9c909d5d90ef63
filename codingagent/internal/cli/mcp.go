package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai/auth/console"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/mcp"
	"github.com/pi-go/pi/codingagent/trust"
)

// mcpArgs are the options of pi mcp.
type mcpArgs struct {
	Local, NoBrowser bool
	// Entry is what add writes, by the names of mcp.json.
	Entry map[string]any
}

// set puts a value into the entry; a name with a dot is a field of an object.
func (a *mcpArgs) set(name string, v any) {
	if a.Entry == nil {
		a.Entry = make(map[string]any)
	}
	group, field, ok := strings.Cut(name, ".")
	if !ok {
		a.Entry[name] = v
		return
	}
	if a.Entry[group] == nil {
		a.Entry[group] = make(map[string]any)
	}
	a.Entry[group].(map[string]any)[field] = v
}

// extensions are those that every session has.
func (p *program) extensions() []extension.Extension {
	if p.args.NoMCP {
		return p.sys.Extensions
	}
	return append([]extension.Extension{mcp.Extension(p.mcpOptions())}, p.sys.Extensions...)
}

// mcpOptions say how servers are connected.
func (p *program) mcpOptions() mcp.Options {
	credentials := p.mcpCredentials()
	return mcp.Options{
		Find: p.mcpServers, Home: p.sys.Home, Environ: p.sys.Environ, Version: p.sys.Version, HTTPClient: p.sys.HTTPClient,
		Resolve: p.home().Resolver().ResolveFresh, Auth: credentials.Authorize, Credentials: credentials, Browser: p.sys.Browser,
		Log: &mcp.Log{Path: filepath.Join(p.agentDir, "mcp.log")},
	}
}

func (p *program) mcpCredentials() *mcp.Credentials {
	return &mcp.Credentials{Path: filepath.Join(p.agentDir, "mcp-auth.json"), HTTPClient: p.sys.HTTPClient}
}

func (p *program) mcpFile(dir string) string { return filepath.Join(dir, trust.ConfigDir, "mcp.json") }

// mcpServers finds the servers of the user, and of a project that is trusted.
func (p *program) mcpServers(ctx context.Context, dir string) ([]mcp.Server, error) {
	project := p.mcpFile(dir)
	if _, err := p.files.Lstat(ctx, project); errors.Is(err, fs.ErrNotExist) {
		project = "" // most projects have none: there is nothing to decide
	} else if _, v, err := p.look(ctx, dir); err != nil || !v.Trusted {
		project = ""
	}
	set, faults := mcp.Load(ctx, p.files, filepath.Join(p.agentDir, "mcp.json"), project)
	return set.Servers, errors.Join(faults...)
}

func mcpActions() []string { return []string{"add", "remove", "list", "login", "logout"} }

func mcpOptionList() []option {
	text := func(long, arg, help, field string) option {
		return option{long: long, arg: arg, help: help, value: func(a *Args, v string) error { a.MCP.set(field, v); return nil }}
	}
	pairs := func(long, arg, help, field string) option {
		return option{long: long, arg: arg, help: help, value: func(a *Args, v string) error {
			name, value, ok := strings.Cut(v, "=")
			if !ok || name == "" {
				return fmt.Errorf("--%s %q: give it as %s", long, v, arg)
			}
			a.MCP.set(field+"."+name, value)
			return nil
		}}
	}
	return append([]option{
		{long: "local", short: "l", help: "in the file of this project, .pi/mcp.json", flag: func(a *Args) { a.MCP.Local = true }},
		text("url", "URL", "address of a server, instead of a command", "url"),
		pairs("env", "NAME=VALUE", "variable of the command; may be repeated", "env"),
		text("cwd", "DIR", "directory of the command", "cwd"),
		pairs("header", "NAME=VALUE", "header of requests; may be repeated", "headers"),
		{long: "bearer-token-env-var", arg: "NAME", help: "variable that holds the key of the server", value: func(a *Args, v string) error {
			a.MCP.set("headers.Authorization", "Bearer ${"+v+"}")
			return nil
		}},
		text("oauth-client-id", "ID", "client to sign in as", "oauth.clientId"),
		text("oauth-client-secret", "SECRET", "its secret; \"$NAME\" reads a variable", "oauth.clientSecret"),
		text("oauth-client-name", "NAME", "name to register as", "oauth.clientName"),
		{long: "oauth-callback-port", arg: "PORT", help: "where the browser comes back to", value: func(a *Args, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < 1 || n > 65535 {
				return fmt.Errorf("--oauth-callback-port: %q is no port", v)
			}
			a.MCP.set("oauth.callbackPort", n)
			return nil
		}},
		text("oauth-client-registration", "MODE", "auto, cimd or dcr", "oauth.clientRegistration"),
		text("exposure", "HOW", "how its tools reach the model: direct, deferred, codemode or hidden", "exposure"),
		text("description", "TEXT", "what the server offers, in a sentence", "description"),
		{long: "no-browser", help: "print the address to sign in at, and open no browser", flag: func(a *Args) { a.MCP.NoBrowser = true }},
		jsonOption(),
	}, sharedOptions("approve", "no-approve")...)
}

// mcpWords completes what may follow pi mcp.
func (c *completer) mcpWords(said []string) candidates {
	if len(said) != 1 || said[0] == "add" || said[0] == "list" {
		return candidates{}
	}
	p, ok := c.program()
	if !ok {
		return candidates{}
	}
	servers, _ := p.mcpServers(c.ctx, p.sys.Dir) // others may be wrong
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	return wordList(names...)
}

// runMCP is pi mcp.
func (p *program) runMCP(ctx context.Context, words []string) error {
	if len(words) == 0 {
		i := slices.IndexFunc(subcommands(), func(c subcommand) bool { return c.name == "mcp" })
		return subcommands()[i].writeHelp(p.sys.Out)
	}
	action, err := oneOf("mcp", words, mcpActions())
	if err != nil {
		return err
	}
	name := ""
	if len(words) > 1 {
		name = words[1]
	}
	switch {
	case action == "list":
		return p.listMCP(ctx)
	case name == "":
		return fmt.Errorf("pi mcp %s which server?", action)
	case action == "add":
		return p.addMCP(ctx, name, words[2:])
	case len(words) > 2:
		return fmt.Errorf("pi mcp %s: unexpected argument %q", action, words[2])
	case action == "remove":
		return p.removeMCP(ctx, name)
	}
	servers, _ := p.mcpServers(ctx, p.sys.Dir) // others may be wrong
	i := slices.IndexFunc(servers, func(s mcp.Server) bool { return s.Name == name })
	if i < 0 {
		return noMCP(name, servers)
	}
	if action == "logout" {
		return p.logoutMCP(ctx, servers[i])
	}
	return p.loginMCP(ctx, servers[i])
}

func noMCP(name string, servers []mcp.Server) error {
	var known []string
	for _, s := range servers {
		known = append(known, s.Name)
	}
	if len(known) == 0 {
		return fmt.Errorf("no MCP server is called %q; there is none yet, pi mcp add makes one", name)
	}
	return fmt.Errorf("no MCP server is called %q%s; there is %s", name, hint(name, known), strings.Join(known, ", "))
}

// mcpTarget is the file that add and remove change.
func (p *program) mcpTarget(ctx context.Context) (string, error) {
	if !p.args.MCP.Local {
		return filepath.Join(p.agentDir, "mcp.json"), nil
	}
	if _, v, err := p.look(ctx, p.sys.Dir); err != nil || !v.Trusted && v.Skipped() {
		return "", errors.Join(err, errors.New("this project is not trusted, so its servers are not used; --approve trusts it for this run"))
	}
	return p.mcpFile(p.sys.Dir), nil
}

func (p *program) addMCP(ctx context.Context, name string, command []string) error {
	entry := p.args.MCP.Entry
	if entry == nil {
		entry = make(map[string]any)
	}
	if len(command) > 0 {
		entry["command"] = command[0]
	}
	if len(command) > 1 {
		entry["args"] = command[1:]
	}
	body, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	if _, err := mcp.Parse(name, body); err != nil {
		return fmt.Errorf("pi mcp add: %w", err)
	}
	file, err := p.mcpTarget(ctx)
	if err != nil {
		return err
	}
	if err := mcp.Change(ctx, file, name, entry); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.sys.Out, "Added %s to %s; pi mcp list tells whether it works\n", name, file)
	return err
}

func (p *program) removeMCP(ctx context.Context, name string) error {
	file, err := p.mcpTarget(ctx)
	if err != nil {
		return err
	}
	set, _ := mcp.Load(ctx, p.files, file, "") // an entry that is wrong can be removed as well
	had, err := mcp.Has(ctx, p.files, file, name)
	if err != nil {
		return err
	}
	if !had {
		return fmt.Errorf("%s: %w", file, noMCP(name, set.Servers))
	}
	if err := mcp.Change(ctx, file, name, nil); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.sys.Out, "Removed %s from %s\n", name, file)
	return err
}

// mcpReport is what list tells programs.
type mcpReport struct {
	Servers []mcpServerReport `json:"servers"`
	Errors  []string          `json:"errors"`
}

type mcpServerReport struct {
	Name  string    `json:"name"`
	File  string    `json:"file"`
	State mcp.State `json:"state"`
	Tools []string  `json:"tools"`
	Error string    `json:"error,omitempty"`
}

// errServersFail says that some can not be used; why has been said.
var errServersFail = errors.New("some MCP servers can not be used")

func (p *program) listMCP(ctx context.Context) error {
	servers, wrong := p.mcpServers(ctx, p.sys.Dir)
	o := p.mcpOptions()
	o.Servers, o.Dir = servers, p.sys.Dir
	report := mcpReport{Servers: []mcpServerReport{}, Errors: []string{}}
	if wrong != nil {
		report.Errors = strings.Split(wrong.Error(), "\n")
	}
	failed := wrong != nil
	for _, s := range mcp.Probe(ctx, o) {
		r := mcpServerReport{Name: s.Server.Name, File: s.Server.File, State: s.State, Tools: append([]string{}, s.Tools...)}
		if s.Err != nil {
			r.Error = s.Err.Error()
		}
		failed = failed || s.State != mcp.Connected && s.State != mcp.Disabled
		report.Servers = append(report.Servers, r)
	}
	if err := p.writeMCP(report); err != nil {
		return err
	}
	if failed {
		return errServersFail
	}
	return nil
}

func (p *program) writeMCP(r mcpReport) error {
	if p.args.JSON {
		e := json.NewEncoder(p.sys.Out)
		e.SetEscapeHTML(false)
		return e.Encode(r)
	}
	var b strings.Builder
	if len(r.Servers)+len(r.Errors) == 0 {
		b.WriteString("There are no MCP servers. pi mcp add NAME -- COMMAND adds one, or pi mcp add NAME --url URL.\n")
	}
	for _, s := range r.Servers {
		fmt.Fprintf(&b, "%s  %s  (%s)\n", s.Name, s.State, s.File)
		if len(s.Tools) > 0 {
			fmt.Fprintf(&b, "  tools: %s\n", strings.Join(s.Tools, ", "))
		}
		if s.Error != "" {
			fmt.Fprintf(&b, "  %s\n", s.Error)
		}
		if s.State == mcp.NeedsLogin {
			fmt.Fprintf(&b, "  pi mcp login %s signs in\n", s.Name)
		}
	}
	for _, e := range r.Errors {
		fmt.Fprintf(&b, "%s\n", e)
	}
	_, err := cleanWriter{p.sys.Out}.Write([]byte(b.String()))
	return err
}

func (p *program) loginMCP(ctx context.Context, s mcp.Server) error {
	ui := console.New(p.sys.In, p.sys.rawErr)
	if !p.args.MCP.NoBrowser {
		ui.Browser = func(address string) bool { return console.OpenBrowser(p.sys.Env, address) }
	}
	o := p.mcpOptions()
	o.Dir = p.sys.Dir
	if err := mcp.Login(ctx, s, o, p.mcpCredentials(), ui); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.sys.Out, "Signed in to %s\n", s.Name)
	return err
}

func (p *program) logoutMCP(ctx context.Context, s mcp.Server) error {
	had, err := p.mcpCredentials().Forget(ctx, s)
	if err != nil {
		return err
	}
	text := "There was no sign-in to " + s.Name
	if had {
		text = "Signed out of " + s.Name
	}
	_, err = fmt.Fprintln(p.sys.Out, text)
	return err
}
