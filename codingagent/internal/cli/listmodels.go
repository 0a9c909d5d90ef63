package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
)

// listModels prints the models that can be used, as a table.
func (p *program) listModels(ctx context.Context) error {
	return p.writeModels(ctx, append([]string{p.args.ListSearch}, p.args.Messages...))
}

// writeModels prints the models that can be used and that have all words in their name.
func (p *program) writeModels(ctx context.Context, search []string) error {
	p.lendModels(ctx)
	list := p.available(ctx)
	if len(list) == 0 && !p.args.JSON {
		text := p.noModel(ctx).Error()
		_, err := fmt.Fprintf(p.sys.Out, "%s%s\n", strings.ToUpper(text[:1]), text[1:])
		return err
	}
	words := strings.Fields(strings.ToLower(strings.Join(search, " ")))
	list = slices.DeleteFunc(list, func(m *ai.Model) bool {
		ref := strings.ToLower(m.Ref() + " " + m.Name)
		return slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(ref, w) })
	})
	if len(list) == 0 && !p.args.JSON {
		_, err := fmt.Fprintf(p.sys.Out, "No models matching %q\n", strings.Join(words, " "))
		return err
	}
	slices.SortStableFunc(list, func(a, b *ai.Model) int {
		if c := strings.Compare(a.Provider, b.Provider); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	if p.args.JSON {
		out := make([]ai.Model, len(list))
		for i, m := range list {
			out[i] = *m
			out[i].Headers = nil // they may hold keys
		}
		return p.writeJSON(out)
	}
	rows := [][]string{{"provider", "model", "context", "max-out", "thinking", "images"}}
	yes := map[bool]string{true: "yes", false: "no"}
	for _, m := range list {
		rows = append(rows, []string{m.Provider, m.ID, tokens(m.ContextWindow), tokens(m.MaxTokens), yes[m.Reasoning], yes[m.Accepts("image")]})
	}
	_, err := fmt.Fprint(p.sys.Out, interactive.Clean(table(rows)))
	return err
}

// tokens writes a number of tokens: 128K, 16.4K, 1M.
func tokens(n int64) string {
	short := func(f float64, unit string) string {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0") + unit
	}
	switch {
	case n >= 1_000_000:
		return short(float64(n)/1_000_000, "M")
	case n >= 1000:
		return short(float64(n)/1000, "K")
	}
	return fmt.Sprint(n)
}

// table lays rows out in columns, two spaces apart.
func table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var b strings.Builder
	for _, r := range rows {
		var line strings.Builder
		for i, cell := range r {
			fmt.Fprintf(&line, "%-*s", widths[i]+2, cell)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

func sessionCodec() session.Codec { return codingagent.Codec() }
