// Package mcp connects the coding agent to servers of the Model Context Protocol
// (https://modelcontextprotocol.io) and gives the model their tools and resources.
//
// Servers are described in mcp.json, the user's and that of a trusted project:
//
//	{"mcpServers": {
//	  "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."], "exposure": "direct"},
//	  "docs":  {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${DOCS_TOKEN}"}}
//	}}
//
// [Extension] makes an extension of them:
//
//	set, faults := mcp.Load(ctx, files, user, project)
//	o.Extensions = append(o.Extensions, mcp.Extension(mcp.Options{Servers: set.Servers}))
//
// A tool is called mcp__SERVER__TOOL. Those with the exposure direct are offered
// to the model from the beginning; the others, deferred, once the tool tool_search
// has found them, so that many servers cost no context. Servers are connected in
// the background when a session begins; one that is gone is connected again when
// it is called.
package mcp
