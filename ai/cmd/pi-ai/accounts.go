package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/console"
)

// status lists the providers that can be used, then those that can not and what
// would change that; all of them, or those that are named.
func (a *app) status(ctx context.Context, args []string) error {
	providers := a.models.Providers()
	if len(args) > 0 {
		providers = nil
	}
	for _, arg := range args {
		p, err := a.provider([]string{arg})
		if err != nil {
			return err
		}
		providers = append(providers, p)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	var missing []string
	for _, p := range providers {
		s, err := a.models.CheckAuth(ctx, p.ID())
		switch {
		case err != nil:
			fmt.Fprintf(w, "%s\tbroken\t%v\n", p.ID(), err)
		case s.Configured():
			fmt.Fprintf(w, "%s\tready\t%s\n", p.ID(), s.Source)
		default:
			missing = append(missing, fmt.Sprintf("%s\t-\t%s\n", p.ID(), a.ways(p, s)))
		}
	}
	for _, line := range missing {
		fmt.Fprint(w, line)
	}
	return w.Flush()
}

// ways says how a provider could be used.
func (a *app) ways(p ai.Provider, s ai.AuthStatus) string {
	var list []string
	if s.Advice != "" {
		list = append(list, s.Advice)
	}
	if p.Auth().OAuth != nil {
		way := "pi-ai login " + p.ID()
		if !a.models.SignInReady(p.ID()) {
			way += ` (with an "oauthClientId" in models.json)`
		}
		list = append(list, way)
	}
	return strings.Join(list, ", or ")
}

// list shows the models whose provider, id or name holds the text. With -refresh the
// vendors are asked first.
func (a *app) list(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("models", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	refresh := flags.Bool("refresh", false, "")
	words, err := parseMixed(flags, args)
	if err != nil {
		return usageError{"models: " + err.Error()}
	}
	text := strings.Join(words, " ")
	if *refresh {
		r := a.models.Refresh(ctx, ai.RefreshOptions{AllowNetwork: true, Force: true})
		for _, id := range slices.Sorted(maps.Keys(r.Errors)) {
			fmt.Fprintf(a.err, "%s: %v\n", id, r.Errors[id])
		}
	}
	text = strings.ToLower(strings.TrimSpace(text))
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	n := 0
	for _, m := range a.models.Chat() {
		if !strings.Contains(strings.ToLower(m.Ref()), text) && !strings.Contains(strings.ToLower(m.Name), text) {
			continue
		}
		n++
		var can []string
		if m.Reasoning {
			can = append(can, "thinks")
		}
		if m.Accepts("image") {
			can = append(can, "sees")
		}
		fmt.Fprintf(w, "%s\t%s\t%s in\t%s out\t$%v/$%v\t%s\n", m.Ref(), m.Name, tokens(m.ContextWindow), tokens(m.MaxTokens), m.Cost.Input, m.Cost.Output, strings.Join(can, " "))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("no model has %q in its name", text)
	}
	return nil
}

// tokens writes a number of tokens short.
func tokens(n int64) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%.3gM", float64(n)/1e6)
	case n >= 1000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

// provider finds a provider that is named on the command line.
func (a *app) provider(args []string) (ai.Provider, error) {
	if len(args) != 1 {
		return nil, usageError{"name one provider; pi-ai status lists them"}
	}
	if p := a.models.Provider(args[0]); p != nil {
		return p, nil
	}
	return nil, usageError{a.noProvider(args[0])}
}

// noProvider says that a name is not that of a provider.
func (a *app) noProvider(name string) string {
	var ids []string
	for _, p := range a.models.Providers() {
		ids = append(ids, p.ID())
	}
	near := ai.DidYouMean(name, ids)
	if near == "" {
		near = "; pi-ai status lists them"
	}
	return fmt.Sprintf("there is no provider %q%s", name, near)
}

// login signs in, or stores a key, and tries what it got.
func (a *app) login(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("login", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	wantsKey := flags.Bool("key", false, "")
	noBrowser := flags.Bool("no-browser", false, "")
	noCheck := flags.Bool("no-check", false, "")
	names, err := parseMixed(flags, args)
	if err != nil {
		return usageError{"login: " + err.Error()}
	}
	if a.terminal == nil {
		a.terminal = console.New(a.in, a.err)
	}
	if *noBrowser {
		a.terminal.Browser = nil
	}
	if len(names) == 0 {
		if names, err = a.chooseProvider(ctx); err != nil {
			return err
		}
	}
	p, err := a.provider(names)
	if err != nil {
		return err
	}
	kind := auth.TypeOAuth
	if *wantsKey || p.Auth().OAuth == nil {
		kind = auth.TypeAPIKey
	}
	if err := a.models.Login(ctx, p.ID(), kind, a.terminal); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "Signed in to %s.\n", p.Name())
	if *noCheck {
		return nil
	}
	a.models.Refresh(ctx, ai.RefreshOptions{AllowNetwork: true, Force: true, Providers: []string{p.ID()}})
	var models []*ai.Model
	for _, m := range a.models.Available(ctx) {
		if m.Provider == p.ID() {
			models = append(models, m)
		}
	}
	m := ai.Cheapest(models)
	if m == nil {
		return nil
	}
	line, ok := a.try(ctx, m)
	fmt.Fprintln(a.out, line)
	if !ok {
		return fmt.Errorf("what was stored for %s does not work yet", p.ID())
	}
	return nil
}

// parseMixed parses flags that may come before and after the other arguments.
func parseMixed(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			return rest, nil
		}
		rest, args = append(rest, flags.Arg(0)), flags.Args()[1:]
	}
}

// chooseProvider asks for a provider.
func (a *app) chooseProvider(ctx context.Context) ([]string, error) {
	var options []auth.Option
	for _, p := range a.models.Providers() {
		how := ""
		if m := p.Auth(); m.OAuth != nil {
			how = m.OAuth.Name()
		} else if _, ok := m.APIKey.(auth.KeyLogin); !ok {
			continue
		}
		options = append(options, auth.Option{ID: p.ID(), Label: p.Name(), Description: how})
	}
	id, err := a.terminal.Prompt(ctx, auth.Prompt{Kind: auth.PromptSelect, Message: "Which provider?", Options: options})
	if err != nil {
		return nil, usageError{fmt.Sprintf("name one provider (%v); pi-ai status lists them", err)}
	}
	return []string{id}, nil
}

func (a *app) logout(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return usageError{"name one provider"}
	}
	had, err := a.models.Logout(ctx, args[0])
	switch {
	case err != nil:
		return err
	case !had && a.models.Provider(args[0]) == nil:
		return usageError{a.noProvider(args[0])}
	case !had:
		return fmt.Errorf("nothing is stored for %s", args[0])
	}
	_, err = fmt.Fprintf(a.out, "Removed the credential of %s.\n", args[0])
	return err
}
