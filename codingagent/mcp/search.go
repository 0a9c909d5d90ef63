package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/codingagent/extension"
)

// hiddenTool stands for a tool that is gone.
func hiddenTool(name string) agentcore.Tool {
	return agentcore.Tool{
		Name: name, Description: "This tool is gone.", Parameters: json.RawMessage(`{"type":"object"}`),
		Execute: func(context.Context, agentcore.ToolCall, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			return agentcore.ToolResult{}, errors.New("the server does not offer this tool any more")
		},
	}
}

const searchName = "tool_search"

// searchable reports whether there is a tool that finds tools.
func (m *connections) searchable() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.finder
}

// registerSearch registers the tool that finds tools.
func (m *connections) registerSearch(servers []Server) error {
	m.mu.Lock()
	m.finder = true
	m.mu.Unlock()
	return m.api.RegisterTool(extension.Tool{
		Tool: agentcore.Tool{
			Name: searchName, Label: "tool search",
			Description: "Find further tools by words that say what they should do, such as \"create issue\". Tools that are found can be called from the next step on.",
			Parameters:  json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"words that say what the tool should do"},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"how many tools to take, 5 unless said otherwise"}},"required":["query"],"additionalProperties":false}`),
		},
		Snippet: "finds further tools: " + offerings(servers),
		Execute: m.search,
	})
}

// offerings says in a line what there is to find.
func offerings(servers []Server) string {
	var parts []string
	for _, s := range servers {
		if s.Disabled {
			continue
		}
		part := s.Name
		if s.Description != "" {
			first, _, _ := strings.Cut(s.Description, "\n")
			part += " (" + first + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "those of MCP servers"
	}
	return "those of the MCP servers " + strings.Join(parts, ", ")
}

// search finds tools that are not offered, and offers them.
func (m *connections) search(ctx context.Context, _ *extension.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
	args := struct {
		Query string
		Limit int
	}{Limit: 5}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return agentcore.ToolResult{}, err
	}
	m.wait(ctx, func(*Server) bool { return true })
	tools, err := m.api.Tools()
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	words := strings.Fields(strings.ToLower(args.Query))
	type hit struct {
		extension.ToolInfo
		score int
	}
	var hits []hit
	var active []string
	for _, t := range tools {
		if t.Active {
			active = append(active, t.Name)
		}
		if t.Exposure != extension.ExposeDeferred {
			continue
		}
		if n := score(words, t.Name, t.Description+" "+m.describe(t.Name)); n > 0 {
			hits = append(hits, hit{t, n})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	hits = hits[:min(len(hits), max(args.Limit, 1))]
	if len(hits) == 0 {
		return agentcore.TextResult(fmt.Sprintf("No tool fits %q.%s", args.Query, m.waiting())), nil
	}
	var b strings.Builder
	b.WriteString("These tools can be called now:\n")
	for _, h := range hits {
		first, _, _ := strings.Cut(strings.TrimSpace(h.Description), "\n")
		fmt.Fprintf(&b, "- %s: %s\n", h.Name, first)
		active = append(active, h.Name)
	}
	return agentcore.TextResult(strings.TrimRight(b.String(), "\n")), m.api.SetActiveTools(active)
}

// describe gives what is said of the server that a tool is from.
func (m *connections) describe(tool string) string {
	m.mu.Lock()
	c := m.offered[tool]
	m.mu.Unlock()
	if c == nil {
		return ""
	}
	return c.server.Name + " " + c.server.Description
}

// waiting tells of servers that could not be asked.
func (m *connections) waiting() string {
	var names []string
	for _, s := range m.statuses() {
		if s.State != Connected && s.State != Disabled {
			names = append(names, fmt.Sprintf("%s (%s)", s.Server.Name, s.State))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " Not all servers could be asked: " + strings.Join(names, ", ") + "."
}

// score says how well words fit a tool: a word of the name counts more than one
// of the description.
func score(words []string, name, description string) int {
	name, description = strings.ToLower(name), strings.ToLower(description)
	n := 0
	for _, w := range words {
		switch {
		case strings.Contains(name, w):
			n += 3
		case strings.Contains(description, w):
			n++
		}
	}
	return n
}
