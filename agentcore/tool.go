package agentcore

import (
	"context"
	"encoding/json"

	"github.com/pi-go/pi/ai"
)

// Tool is something a model can run. Make one with [NewTool] and set further
// fields, or fill in all of them. A Tool is not changed once an agent has it.
type Tool struct {
	Name string
	// Label is for people; empty means Name.
	Label string
	// Description tells the model what the tool does and when to use it.
	Description string
	// Parameters is the JSON Schema of the arguments; its root is an object.
	Parameters json.RawMessage
	// Sampling asks the vendor to constrain the arguments; nil asks nothing.
	Sampling *ai.ConstrainedSampling
	// Sequential says that the tool must not run beside others: a batch that
	// contains it runs one call after the other.
	Sequential bool
	// PrepareArguments may mend arguments that a model is known to get wrong,
	// before they are validated; nil leaves them as they are.
	PrepareArguments func(args json.RawMessage) (json.RawMessage, error)
	// Execute runs the tool. The arguments fit Parameters. An error becomes a
	// result with IsError that holds its text only (return a result with
	// IsError to say more); a panic does too. When ctx is cancelled the tool
	// should return promptly; the agent does not wait for it for ever.
	// update, never nil, shows progress; each call replaces the former one,
	// and calls after Execute has returned are ignored.
	Execute func(ctx context.Context, call ToolCall, update func(ToolResult)) (ToolResult, error)
}

// ToolCall is one call as a tool gets it.
type ToolCall struct {
	ID   string
	Name string
	// Arguments fit the tool's schema, after coercion.
	Arguments json.RawMessage

	caller *caller
}

// ToolResult is what a tool gives back.
type ToolResult struct {
	// Content is for the model: *ai.Text and *ai.Image.
	Content []ai.Block
	// Details is for people and programs; it is stored but not sent to the
	// model. It must encode as JSON; nil stores none.
	Details any
	// Structured is for programs that called the tool; it appears in events
	// and is neither stored nor sent to the model.
	Structured any
	IsError    bool
	// Usage is what the tool spent on models itself.
	Usage *ai.Usage
	// NestedCalls describes tool calls that the tool made; stored as given. It
	// is filled in for a tool that used [ToolCall.Invoke] and left it empty.
	NestedCalls json.RawMessage
	// Terminate asks to end the run after this batch. It does so only when
	// every result of the batch asks for it.
	Terminate bool
}

// TextResult is a result of one text.
func TextResult(text string) ToolResult {
	return ToolResult{Content: []ai.Block{&ai.Text{Text: text}}}
}

// ErrorResult is a result that says what went wrong.
func ErrorResult(text string) ToolResult {
	return ToolResult{Content: []ai.Block{&ai.Text{Text: text}}, IsError: true}
}

// Declaration is the tool as a model sees it.
func (t *Tool) Declaration() ai.Tool {
	return ai.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Sampling: t.Sampling}
}
