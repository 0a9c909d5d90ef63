package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/internal/localserver"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
)

// modelActions are what pi models can do.
func modelActions() []string { return []string{"list", "local", "add"} }

// modelWords are what may follow an action of pi models.
func (c *completer) modelWords(said []string) candidates {
	switch said[0] {
	case "list":
		return c.models("")
	case "add":
		var ids []string
		for _, place := range localserver.Known(c.sys.Env.Lookup) {
			ids = append(ids, place.ID)
		}
		slices.Sort(ids)
		return wordList(slices.Compact(ids)...)
	}
	return candidates{}
}

// runModels is pi models.
func (p *program) runModels(ctx context.Context, words []string) error {
	action, err := oneOf("models", words, modelActions())
	if err != nil {
		return err
	}
	switch words = words[1:]; {
	case action == "list":
		return p.writeModels(ctx, words)
	case action == "local" && len(words) == 0:
		return p.localModels(ctx)
	case action == "local":
		return errors.New("pi models local takes no words; it shows the model servers of this machine")
	}
	return p.addServers(ctx, words)
}

// localServers finds the model servers of this machine.
func (p *program) localServers(ctx context.Context) []localserver.Server {
	return localserver.Find(ctx, localserver.Known(p.sys.Env.Lookup))
}

// nowhere says where no server answered.
func (p *program) nowhere() string {
	var places []string
	for _, c := range localserver.Known(p.sys.Env.Lookup) {
		places = append(places, fmt.Sprintf("%s at %s", c.Name, c.BaseURL))
	}
	return "no model server answers; looked for " + strings.Join(places, ", ") +
		". OLLAMA_HOST and LLAMA_BASE_URL name other places, and models.json describes any other server"
}

// localModels shows the model servers of this machine.
func (p *program) localModels(ctx context.Context) error {
	servers := p.localServers(ctx)
	if p.args.JSON {
		list := []any{}
		for _, s := range servers {
			list = append(list, map[string]any{"id": s.ID, "name": s.Name, "baseUrl": s.BaseURL, "models": s.Models})
		}
		return p.writeJSON(list)
	}
	if len(servers) == 0 {
		text := p.nowhere()
		_, err := fmt.Fprintf(p.sys.Out, "%s%s.\n", strings.ToUpper(text[:1]), text[1:])
		return err
	}
	yes := map[bool]string{true: "yes", false: "no"}
	known := p.available(ctx)
	rows := [][]string{{"server", "model", "context", "thinking", "images", "in models.json"}}
	for _, s := range servers {
		for _, m := range s.Models {
			window := "?"
			if m.ContextWindow > 0 {
				window = tokens(m.ContextWindow)
			}
			kept := slices.ContainsFunc(known, func(k *ai.Model) bool { return k.ID == m.ID && strings.TrimRight(k.BaseURL, "/") == s.BaseURL })
			rows = append(rows, []string{s.ID, m.ID, window, yes[m.Reasoning], yes[m.Accepts("image")], yes[kept]})
		}
	}
	_, err := fmt.Fprintf(p.sys.Out, "%s\npi models add SERVER describes a server in models.json.\n", interactive.Clean(table(rows)))
	return err
}

// addServers describes servers in models.json.
func (p *program) addServers(ctx context.Context, ids []string) error {
	servers := p.localServers(ctx)
	if len(servers) == 0 {
		return errors.New(p.nowhere())
	}
	var found []string
	for _, s := range servers {
		found = append(found, s.ID)
	}
	if len(ids) == 0 {
		return fmt.Errorf("pi models add which server? There is %s", strings.Join(found, ", "))
	}
	file := filepath.Join(p.agentDir, "models.json")
	for _, id := range ids {
		at := slices.Index(found, id)
		if at < 0 {
			return fmt.Errorf("no server %q answers%s; there is %s", id, hint(id, found), strings.Join(found, ", "))
		}
		if err := servers[at].Keep(ctx, file); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(p.sys.Out, "%s is in %s, with %d models.\n", servers[at].Name, file, len(servers[at].Models)); err != nil {
			return err
		}
	}
	return nil
}
