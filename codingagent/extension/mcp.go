package extension

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// CheckMCPName finds what is wrong with the name of an MCP server.
func CheckMCPName(name string) error {
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return fmt.Errorf("server %q: a name has letters, digits, - and _ only", name)
	}
	return nil
}

// SameMCPName reports whether two names of MCP servers count as one: their tools
// would have the same names.
func SameMCPName(a, b string) bool {
	return strings.ReplaceAll(a, "-", "_") == strings.ReplaceAll(b, "-", "_")
}

// mcpChanged tells those that connect servers of a change, once the session
// has begun.
func (r *Runner) mcpChanged() {
	if r.bound() != nil {
		r.tellMCP(context.Background())
	}
}

func (r *Runner) tellMCP(ctx context.Context) {
	tell(ctx, r, "mcp_servers_change", func(e *Events) *Topic[MCPServers] { return &e.MCPServersChange }, &MCPServers{r.MCPServers()})
}

// startMCP hands the servers over, or reports each that nobody connects.
func (r *Runner) startMCP(ctx context.Context) {
	if wanted(r, func(e *Events) *Hook[MCPServers, struct{}] { return &e.MCPServersChange.hook }) {
		r.tellMCP(ctx)
		return
	}
	for _, a := range r.apis {
		a.mu.Lock()
		servers := a.mcp
		a.mu.Unlock()
		for _, s := range servers {
			r.report(a, "mcp_servers_change", errors.New("nothing here connects the MCP server "+s.Name))
		}
	}
}
