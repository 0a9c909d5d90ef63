package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/console"
	"github.com/pi-go/pi/codingagent/internal/demo"
)

// Exit codes of pi auth check.
const (
	exitNotReady = 1
	exitInvalid  = 2
)

// coded is an error with an exit code of its own. One without a text has been
// said already.
type coded struct {
	code int
	err  error
}

// Error gives the text, "" if it has been said.
func (c coded) Error() string {
	if c.err == nil {
		return ""
	}
	return c.err.Error()
}

func (c coded) Unwrap() error { return c.err }

// authArgs are the options of pi auth.
type authArgs struct {
	Provider, Model string
	Key             bool // login: a key, though there is a sign-in
	NoBrowser       bool
	NoCheck         bool
	Credentials     bool // check: print the secret
	NoRefresh       bool
	MinExpiry       time.Duration
}

func authActions() []string {
	return []string{"login", "logout", "list", "check", "print-api-key", "print-bearer-token"}
}

func authOptions() []option {
	text := func(p func(a *authArgs) *string) func(*Args, string) error {
		return func(a *Args, v string) error { *p(&a.Auth) = v; return nil }
	}
	flag := func(p func(a *authArgs) *bool) func(*Args) { return func(a *Args) { *p(&a.Auth) = true } }
	return []option{
		{long: "provider", arg: "NAME", help: "check, print: whose credential", value: text(func(a *authArgs) *string { return &a.Provider })},
		{long: "model", arg: "MODEL", help: "check, print: the one of this model's provider", value: text(func(a *authArgs) *string { return &a.Model })},
		{long: "api-key", help: "login: store a key, though there is a sign-in", flag: flag(func(a *authArgs) *bool { return &a.Key })},
		{long: "no-browser", help: "login: open no browser; the address is printed", flag: flag(func(a *authArgs) *bool { return &a.NoBrowser })},
		{long: "no-check", help: "login: do not try what was stored", flag: flag(func(a *authArgs) *bool { return &a.NoCheck })},
		{long: "credentials", help: "check: print the credential as well", flag: flag(func(a *authArgs) *bool { return &a.Credentials })},
		{long: "no-refresh", help: "check: do not renew a sign-in", flag: flag(func(a *authArgs) *bool { return &a.NoRefresh })},
		{long: "min-expiry", arg: "TIME", help: "print-bearer-token: how long the token must be good for, such as 5m", value: parseMinExpiry},
		jsonOption(),
	}
}

func parseMinExpiry(a *Args, v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 {
		return fmt.Errorf("--min-expiry: %q is no time such as 90s, 30m or 1h", v)
	}
	a.Auth.MinExpiry = d
	return nil
}

// authWords completes the provider of an action.
func (c *completer) authWords(said []string) candidates {
	if len(said) == 1 && (said[0] == "login" || said[0] == "logout") {
		return c.providers()
	}
	return candidates{}
}

// runAuth is pi auth.
func (p *program) runAuth(ctx context.Context, words []string) error {
	if len(words) == 0 || words[0] == "help" {
		c, _, _ := called([]string{"auth"})
		return c.writeHelp(p.sys.Out)
	}
	action, err := oneOf("auth", words, authActions())
	if err != nil {
		return err
	}
	p.lendModels(ctx)
	takesName := action == "login" || action == "logout"
	if len(words) > 1 && !takesName {
		return coded{exitInvalid, fmt.Errorf("pi auth %s: unexpected argument %q; name the provider with --provider", action, words[1])}
	}
	switch action {
	case "login":
		return p.authLogin(ctx, words[1:])
	case "logout":
		return p.authLogout(ctx, words[1:])
	case "list":
		return p.authList(ctx)
	case "check":
		return p.authCheck(ctx)
	case "print-api-key":
		return p.printKey(ctx)
	}
	return p.printToken(ctx)
}

// providers are those that a person can have an account with.
func (p *program) providers() []ai.Provider {
	return slices.DeleteFunc(slices.Clone(p.models.Models.Providers()), func(v ai.Provider) bool { return v.ID() == demo.ProviderID })
}

// findProvider finds a provider by its id or its name, in any case.
func (p *program) findProvider(name string) (ai.Provider, error) {
	var known []string
	for _, v := range p.providers() {
		if strings.EqualFold(v.ID(), name) || strings.EqualFold(v.Name(), name) {
			return v, nil
		}
		known = append(known, v.ID())
	}
	return nil, fmt.Errorf("there is no provider %q%s; pi auth list shows them", name, hint(name, known))
}

// authLogin signs in to a provider, or asks for a key, and tries it.
func (p *program) authLogin(ctx context.Context, words []string) error {
	if p.args.Auth.Key && p.args.Auth.NoBrowser {
		return errors.New("--api-key and --no-browser do not go together: a key needs no browser")
	}
	var provider ai.Provider
	if len(words) > 0 {
		var err error
		if provider, err = p.findProvider(words[0]); err != nil {
			return err
		}
	}
	if !p.sys.InTerminal {
		return errors.New("pi auth login asks questions, so it needs a terminal; scripts set a variable, or write auth.json (pi docs providers)")
	}
	ui := console.New(p.sys.In, p.sys.rawErr)
	if !p.args.Auth.NoBrowser {
		ui.Browser = p.sys.Browser
	}
	if provider == nil {
		var err error
		if provider, err = p.chooseProvider(ctx, ui); err != nil {
			return cancelled(err)
		}
	}
	kind := auth.TypeOAuth
	if p.args.Auth.Key || provider.Auth().OAuth == nil {
		kind = auth.TypeAPIKey
	}
	models := p.models.Models
	if err := models.Login(ctx, provider.ID(), kind, ui); err != nil {
		return cancelled(err)
	}
	if _, err := fmt.Fprintf(p.sys.Out, "Signed in to %s.\n", p.clean(provider.Name())); err != nil {
		return err
	}
	if p.args.Auth.NoCheck || p.args.Offline {
		return nil
	}
	return p.tryLogin(ctx, provider)
}

// cancelled tells a person's own decision from a failure.
func cancelled(err error) error {
	if errors.Is(err, auth.ErrCancelled) {
		return coded{130, errors.New("nothing was changed")}
	}
	return err
}

// tryLogin asks the provider's cheapest model for a word: better now than in the
// middle of work.
func (p *program) tryLogin(ctx context.Context, provider ai.Provider) error {
	models := p.models.Models
	models.Refresh(ctx, ai.RefreshOptions{AllowNetwork: true, Force: true, Providers: []string{provider.ID()}})
	model := ai.Cheapest(slices.DeleteFunc(models.Available(ctx), func(m *ai.Model) bool { return m.Provider != provider.ID() }))
	if model == nil {
		return nil
	}
	took, err := models.Probe(ctx, model)
	if err != nil {
		return fmt.Errorf("it is stored, but %s does not answer yet: %w", model.Ref(), err)
	}
	_, err = fmt.Fprintf(p.sys.Out, "%s answers (%v).\n", p.clean(model.Ref()), took.Round(time.Millisecond))
	return err
}

func (p *program) chooseProvider(ctx context.Context, ui auth.Interaction) (ai.Provider, error) {
	var choices []auth.Option
	for _, v := range p.providers() {
		how := "key"
		switch m := v.Auth(); {
		case m.OAuth != nil:
			how = m.OAuth.Name()
		case m.APIKey == nil:
			continue
		default:
			if _, ok := m.APIKey.(auth.KeyLogin); !ok {
				continue
			}
		}
		choices = append(choices, auth.Option{ID: v.ID(), Label: v.Name(), Description: how})
	}
	slices.SortFunc(choices, func(a, b auth.Option) int { return cmp.Compare(strings.ToLower(a.Label), strings.ToLower(b.Label)) })
	id, err := ui.Prompt(ctx, auth.Prompt{Kind: auth.PromptSelect, Message: "Which provider?", Options: choices})
	if err != nil {
		return nil, err
	}
	return p.findProvider(id)
}

// authLogout removes what is stored for a provider, also for one that is no
// longer known.
func (p *program) authLogout(ctx context.Context, words []string) error {
	if len(words) == 0 {
		return errors.New("pi auth logout needs a provider; pi auth list shows where you are signed in")
	}
	id := words[0]
	v, unknown := p.findProvider(id)
	if unknown == nil {
		id = v.ID()
	}
	had, err := p.models.Models.Logout(ctx, id)
	switch {
	case err != nil:
		return err
	case had:
		_, err = fmt.Fprintf(p.sys.Out, "Removed what was stored for %s. Variables and models.json are as they were.\n", p.clean(id))
	case unknown != nil:
		return unknown
	default:
		_, err = fmt.Fprintf(p.sys.Out, "Nothing is stored for %s. Variables and models.json are as they were.\n", p.clean(id))
	}
	return err
}

// authEntry is what pi auth list says of a provider. No secret is in it.
type authEntry struct {
	Provider   string   `json:"provider"`
	Name       string   `json:"name"`
	Configured bool     `json:"configured"`
	AuthType   string   `json:"authType,omitempty"`
	Source     string   `json:"source,omitempty"`
	Variables  []string `json:"variables,omitempty"` // that would give a key
	Login      string   `json:"login,omitempty"`     // what the sign-in is called
	Error      string   `json:"error,omitempty"`
}

func (p *program) authList(ctx context.Context) error {
	var list []authEntry
	for _, v := range p.providers() {
		e := authEntry{Provider: v.ID(), Name: v.Name()}
		m := v.Auth()
		if m.APIKey != nil {
			e.Variables = m.APIKey.EnvVars()
		}
		if m.OAuth != nil {
			e.Login = m.OAuth.Name()
		}
		status, err := p.models.Models.CheckAuth(ctx, v.ID())
		if err != nil {
			e.Error = err.Error()
		} else if status.Configured() {
			e.Configured, e.Source, e.AuthType = true, status.Source, authType(status.OAuth)
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b authEntry) int {
		switch {
		case a.Configured == b.Configured:
			return 0
		case a.Configured:
			return -1
		}
		return 1
	})
	if p.args.JSON {
		return p.writeJSON(list)
	}
	rows := [][]string{{"provider", "state", "how"}}
	for _, e := range list {
		switch {
		case e.Error != "":
			rows = append(rows, []string{e.Provider, "broken", e.Error})
		case e.Configured:
			rows = append(rows, []string{e.Provider, "ready", e.Source})
		default:
			var ways []string
			if len(e.Variables) > 0 {
				ways = append(ways, "set "+strings.Join(e.Variables, " or "))
			}
			if e.Login != "" {
				ways = append(ways, "pi auth login "+e.Provider)
			}
			rows = append(rows, []string{e.Provider, "-", strings.Join(ways, ", or ")})
		}
	}
	_, err := fmt.Fprint(p.sys.Out, p.clean(table(rows)))
	return err
}

func authType(oauth bool) string {
	if oauth {
		return string(auth.TypeOAuth)
	}
	return string(auth.TypeAPIKey)
}
