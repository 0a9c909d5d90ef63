package extension

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/agentcore"
)

// Exposure says who can call a tool.
type Exposure string

// The exposures. The zero value means ExposeDirect.
const (
	ExposeDirect Exposure = "direct" // the model, and scripts that call tools
	// ExposeModel is for the model only.
	ExposeModel Exposure = "model-only"
	// ExposeScript is for scripts that call tools only.
	ExposeScript Exposure = "codemode"
	// ExposeDeferred is offered once something has looked for it.
	ExposeDeferred Exposure = "deferred"
	ExposeHidden   Exposure = "hidden"
)

// active reports whether tools of the exposure are offered unless somebody says
// otherwise.
func (e Exposure) active() bool { return e == "" || e == ExposeDirect || e == ExposeModel }

// Tool is a tool of an extension: an [agentcore.Tool], with what the product
// adds. Of Execute and the tool's own Execute exactly one is set.
type Tool struct {
	agentcore.Tool
	// Execute is as [agentcore.Tool.Execute], with the extension's context. Other
	// tools are called with [agentcore.ToolCall.Invoke].
	Execute func(ctx context.Context, x *Context, call agentcore.ToolCall, update func(agentcore.ToolResult)) (agentcore.ToolResult, error)

	// Snippet is the tool's line in the list of tools in the prompt; without one
	// it is not in the list. Guidelines are rules for using it, one sentence each.
	Snippet    string
	Guidelines []string

	Exposure Exposure
	// Inactive says that it is not offered unless somebody asks for it.
	Inactive bool

	// RenderCall and RenderResult show a call and its result; nil leaves it to the
	// program.
	RenderCall   func(r ToolView) Component
	RenderResult func(r ToolView, result agentcore.ToolResult) Component
}

// ToolView is what is known of a call that is shown.
type ToolView struct {
	Name, CallID string
	// Arguments are those received so far; Complete says that they are all.
	Arguments json.RawMessage
	Complete  bool
	// Partial says that the tool still runs, Expanded that a person wants to see
	// more.
	Partial, Expanded bool
	Theme             Theme
}

// check finds what is missing.
func (t *Tool) check() error {
	var root map[string]json.RawMessage
	switch {
	case t.Name == "":
		return fmt.Errorf("register tool: it has no name")
	case (t.Execute == nil) == (t.Tool.Execute == nil):
		return fmt.Errorf("register tool %s: exactly one of Execute and Tool.Execute must be set", t.Name)
	case json.Unmarshal(t.Parameters, &root) != nil || root == nil:
		return fmt.Errorf("register tool %s: Parameters must be a JSON Schema object", t.Name)
	}
	return nil
}

// ToolInfo describes a tool of the session.
type ToolInfo struct {
	Name, Description string
	Parameters        json.RawMessage
	Guidelines        []string
	Exposure          Exposure
	Active            bool
	// Origin says where the tool is from.
	Origin Origin
}
