package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
)

// toolName is what the model calls a tool.
func toolName(server, tool string) string { return "mcp__" + plain(server) + "__" + plain(tool) }

// plain puts _ in the place of what vendors do not take in names.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, s)
}

// mostName is how long vendors take names of tools to be.
const mostName = 64

// names gives each tool a name; those that would be the same, or too long, get a
// sign of their own at the end.
func names(server string, tools []*sdk.Tool) []string {
	count := make(map[string]int)
	for _, t := range tools {
		count[toolName(server, t.Name)]++
	}
	out := make([]string, len(tools))
	for i, t := range tools {
		name := toolName(server, t.Name)
		if count[name] > 1 || len(name) > mostName {
			h := fnv.New32a()
			_, _ = h.Write([]byte(t.Name)) // it never fails
			name = fmt.Sprintf("%s_%08x", name[:min(len(name), mostName-9)], h.Sum32())
		}
		out[i] = name
	}
	return out
}

// tool makes a tool of a server's.
func (m *connections) tool(c *connection, name string, t *sdk.Tool) (extension.Tool, error) {
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return extension.Tool{}, fmt.Errorf("tool %s: %w", t.Name, err)
	}
	if t.InputSchema == nil {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	x := c.server.ExposureOf(t.Name)
	if x == "" || x == extension.ExposeScript {
		x = extension.ExposeDeferred // nothing here runs scripts that call tools
	}
	label := t.Title
	if label == "" && t.Annotations != nil {
		label = t.Annotations.Title
	}
	out := extension.Tool{
		Tool: agentcore.Tool{
			Name: name, Label: label, Description: t.Description, Parameters: schema,
			Execute: func(ctx context.Context, call agentcore.ToolCall, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
				return c.run(ctx, t.Name, call.Arguments)
			},
		},
		Exposure:  x,
		Namespace: &extension.ToolNamespace{Name: "mcp__" + plain(c.server.Name), Aliases: []string{c.server.Name}, Description: c.server.Description, Instructions: c.instructions()},
	}
	if a := t.Annotations; a != nil {
		out.Annotations = extension.ToolAnnotations{
			ReadOnly: &a.ReadOnlyHint, Destructive: a.DestructiveHint, Idempotent: &a.IdempotentHint, OpenWorld: a.OpenWorldHint,
		}
	}
	if t.OutputSchema != nil {
		if out.OutputSchema, err = json.Marshal(t.OutputSchema); err != nil {
			return extension.Tool{}, fmt.Errorf("tool %s: %w", t.Name, err)
		}
	}
	return out, nil
}

// instructions tell how to use the tools of the server, if it says so.
func (c *connection) instructions() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == nil || c.session.InitializeResult() == nil {
		return ""
	}
	return c.session.InitializeResult().Instructions
}

// run calls a tool of the server.
func (c *connection) run(ctx context.Context, tool string, arguments json.RawMessage) (agentcore.ToolResult, error) {
	var answer *sdk.CallToolResult
	err := c.call(ctx, func(ctx context.Context, s *sdk.ClientSession) (err error) {
		answer, err = s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: arguments})
		return err
	})
	if err != nil {
		return agentcore.ToolResult{}, err
	}
	return result(answer), nil
}

// mostText is how much of a result the model gets, in bytes.
const mostText = 50 << 10

// result makes a result of a server's answer.
func result(r *sdk.CallToolResult) agentcore.ToolResult {
	out := agentcore.ToolResult{IsError: r.IsError, Structured: r.StructuredContent}
	for _, c := range r.Content {
		out.Content = append(out.Content, block(c))
	}
	if len(out.Content) == 0 && r.StructuredContent != nil {
		if body, err := json.Marshal(r.StructuredContent); err == nil {
			out.Content = []ai.Block{&ai.Text{Text: string(body)}}
		}
	}
	if len(out.Content) == 0 {
		out.Content = []ai.Block{&ai.Text{Text: "(no output)"}}
	}
	room := mostText
	for _, b := range out.Content {
		if t, ok := b.(*ai.Text); ok {
			if len(t.Text) > room {
				t.Text = fmt.Sprintf("%s\n[%d bytes left out]", strings.ToValidUTF8(t.Text[:room], ""), len(t.Text)-room)
			}
			room = max(room-len(t.Text), 0)
		}
	}
	return out
}

// block makes a block of a piece of content.
func block(c sdk.Content) ai.Block {
	switch c := c.(type) {
	case *sdk.TextContent:
		return &ai.Text{Text: c.Text}
	case *sdk.ImageContent:
		return &ai.Image{Data: base64.StdEncoding.EncodeToString(c.Data), MIMEType: c.MIMEType}
	case *sdk.AudioContent:
		return &ai.Text{Text: fmt.Sprintf("[audio, %s, %d bytes: it can not be passed on]", c.MIMEType, len(c.Data))}
	case *sdk.ResourceLink:
		return &ai.Text{Text: strings.TrimSpace(fmt.Sprintf("[resource %s] %s\n%s", c.URI, c.Name, c.Description))}
	case *sdk.EmbeddedResource:
		return resource(c.Resource)
	}
	return &ai.Text{Text: "[content of a kind that is not known]"}
}

func resource(r *sdk.ResourceContents) ai.Block {
	switch {
	case r == nil:
		return &ai.Text{Text: "[an empty resource]"}
	case strings.HasPrefix(r.MIMEType, "image/") && len(r.Blob) > 0:
		return &ai.Image{Data: base64.StdEncoding.EncodeToString(r.Blob), MIMEType: r.MIMEType}
	case len(r.Blob) > 0:
		return &ai.Text{Text: fmt.Sprintf("[resource %s, %s, %d bytes: it can not be passed on]", r.URI, r.MIMEType, len(r.Blob))}
	}
	return &ai.Text{Text: fmt.Sprintf("[resource %s]\n%s", r.URI, r.Text)}
}

// errNoServer is the error of a name that no server has.
func errNoServer(name string, known []string) error {
	hint := "there is none"
	if len(known) > 0 {
		hint = "there is " + strings.Join(known, ", ")
	}
	if name == "" {
		return errors.New("which server? " + hint)
	}
	return fmt.Errorf("no MCP server is called %q; %s", name, hint)
}
