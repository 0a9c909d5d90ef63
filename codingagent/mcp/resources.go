package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
)

// registerResources registers the tools that read what servers offer to be read.
// They are found like other tools of servers.
func (m *connections) registerResources() error {
	add := func(name, description, schema string, run func(ctx context.Context, c *connection, uri string) (agentcore.ToolResult, error)) error {
		return m.api.RegisterTool(extension.Tool{
			Tool: agentcore.Tool{
				Name: name, Description: description, Parameters: json.RawMessage(schema),
				Execute: func(ctx context.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
					var args struct{ Server, URI string }
					if err := json.Unmarshal(call.Arguments, &args); err != nil {
						return agentcore.ToolResult{}, err
					}
					c := m.find(args.Server)
					if c == nil {
						return agentcore.ToolResult{}, errNoServer(args.Server, m.names())
					}
					return run(ctx, c, args.URI)
				},
			},
			Exposure: extension.ExposeDeferred,
		})
	}
	one := `{"type":"object","properties":{"server":{"type":"string","description":"the MCP server"}},"required":["server"],"additionalProperties":false}`
	if err := add("list_mcp_resources", "List the resources of an MCP server that can be read.", one, listResources); err != nil {
		return err
	}
	if err := add("list_mcp_resource_templates", "List the patterns of addresses that an MCP server has resources for.", one, listTemplates); err != nil {
		return err
	}
	return add("read_mcp_resource", "Read a resource of an MCP server by its address.",
		`{"type":"object","properties":{"server":{"type":"string","description":"the MCP server"},"uri":{"type":"string","description":"the address of the resource"}},"required":["server","uri"],"additionalProperties":false}`,
		readResource)
}

func (m *connections) names() []string {
	var out []string
	for _, c := range m.all() {
		out = append(out, c.server.Name)
	}
	return out
}

// mostResources is how many resources are listed.
const mostResources = 500

func listResources(ctx context.Context, c *connection, _ string) (agentcore.ToolResult, error) {
	return lines(ctx, c, func(ctx context.Context, s *sdk.ClientSession, line func(uri, name, description string) bool) error {
		for r, err := range s.Resources(ctx, nil) {
			if err != nil {
				return err
			}
			if !line(r.URI, r.Name, r.Description) {
				break
			}
		}
		return nil
	})
}

func listTemplates(ctx context.Context, c *connection, _ string) (agentcore.ToolResult, error) {
	return lines(ctx, c, func(ctx context.Context, s *sdk.ClientSession, line func(uri, name, description string) bool) error {
		for r, err := range s.ResourceTemplates(ctx, nil) {
			if err != nil {
				return err
			}
			if !line(r.URITemplate, r.Name, r.Description) {
				break
			}
		}
		return nil
	})
}

// lines makes a list of a result.
func lines(ctx context.Context, c *connection, f func(ctx context.Context, s *sdk.ClientSession, line func(uri, name, description string) bool) error) (agentcore.ToolResult, error) {
	var b strings.Builder
	n := 0
	err := c.call(ctx, func(ctx context.Context, s *sdk.ClientSession) error {
		return f(ctx, s, func(uri, name, description string) bool {
			first, _, _ := strings.Cut(description, "\n")
			fmt.Fprintf(&b, "%s  %s  %s\n", uri, name, first)
			n++
			return n < mostResources
		})
	})
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	if n == 0 {
		return agentcore.TextResult("It has none."), nil
	}
	return agentcore.TextResult(strings.TrimRight(b.String(), "\n ")), nil
}

func readResource(ctx context.Context, c *connection, uri string) (agentcore.ToolResult, error) {
	var out agentcore.ToolResult
	err := c.call(ctx, func(ctx context.Context, s *sdk.ClientSession) error {
		r, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			return err
		}
		for _, content := range r.Contents {
			out.Content = append(out.Content, resource(content))
		}
		return nil
	})
	if err == nil && len(out.Content) == 0 {
		out.Content = []ai.Block{&ai.Text{Text: "It is empty."}}
	}
	return out, err
}
