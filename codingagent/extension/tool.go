package extension

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

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

	// Namespace groups tools that belong together; nil is none.
	Namespace *ToolNamespace
	// Annotations say what sort of thing it does, for extensions that check calls.
	Annotations ToolAnnotations
	// OutputSchema is the JSON Schema of [agentcore.ToolResult.Structured] in results that
	// are no errors; nil says nothing of it.
	OutputSchema json.RawMessage
	// ReachesTools says which other tools a call with some arguments may reach, for a tool
	// that calls or finds others; nil is none. MCP servers that may have one of them are
	// waited for before the call runs.
	ReachesTools func(arguments json.RawMessage) Reach
	// PrepareLoadout changes how the tools are told of to the model while this one is
	// offered; nil, and a nil answer, change nothing. It is asked whenever the tools are
	// others than before, must return at once, and must not register or choose tools.
	PrepareLoadout func(l Loadout) *LoadoutChanges

	Exposure Exposure
	// Inactive says that it is not offered unless somebody asks for it.
	Inactive bool

	// RenderCall and RenderResult show a call and its result; nil leaves it to the
	// program. OwnFrame says that what they show has the whole width and a frame of its
	// own, instead of the program's marker and margin.
	RenderCall   func(r ToolView) Component
	RenderResult func(r ToolView, result agentcore.ToolResult) Component
	OwnFrame     bool
}

// ToolView is what is known of a call that is shown.
type ToolView struct {
	Name, CallID string
	// Arguments are those received so far; Complete says that they are all.
	Arguments json.RawMessage
	Complete  bool
	// Started says that the tool has begun to run, Partial that it still runs, Failed that
	// its result is an error, Expanded that a person wants to see more.
	Started, Partial, Failed, Expanded bool
	// Duration is how long it ran, 0 until it has ended or when that is not known.
	Duration time.Duration
	// Dir is the directory of the session. Images says that the person wants to see
	// pictures, where the terminal can show them. Padding is how many columns the person
	// wants free beside what is shown, for a frame of one's own.
	Dir     string
	Images  bool
	Padding int
	Theme   Theme
	// State is kept for this call: what one of its functions puts in, they find there the
	// next time. They are called one at a time.
	State map[string]any
	// Last is the component that the same function gave before, nil at first. It may be
	// given again.
	Last Component
	// Redraw has the call shown anew, from any goroutine. It returns at once.
	Redraw func()
	// KeyText names the keys of an action of the program such as "app.tools.expand", as the
	// person is to read them; "" if it has none.
	KeyText func(action string) string
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
	case t.OutputSchema != nil && json.Unmarshal(t.OutputSchema, new(map[string]json.RawMessage)) != nil:
		return fmt.Errorf("register tool %s: OutputSchema must be a JSON Schema object", t.Name)
	case t.Namespace != nil && t.Namespace.Name == "":
		return fmt.Errorf("register tool %s: its namespace has no name", t.Name)
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
	// The rest is as in [Tool].
	Namespace    *ToolNamespace
	Annotations  ToolAnnotations
	OutputSchema json.RawMessage
	ReachesTools func(arguments json.RawMessage) Reach
	// Origin says where the tool is from.
	Origin Origin
}
