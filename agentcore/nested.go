package agentcore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pi-go/pi/ai"
)

// caller is how a running tool reaches its batch.
type caller struct {
	b *batch
	c *call
}

// Invoke runs another tool of the run, as if the model had called it: with
// validation, BeforeToolCall and AfterToolCall, and with events that name this
// call as the parent. It returns when that tool is done; failures are in the
// result. Several may run at once. update, which may be nil, sees progress on
// that tool's goroutine. The nested tool's context ends with ctx and with the
// run.
//
// The calls are noted in this call's result (its NestedCalls), and what they
// spent is added to its Usage. When this tool returns before a nested call is
// done, that call is aborted.
func (t ToolCall) Invoke(ctx context.Context, name string, arguments json.RawMessage, update func(ToolResult)) ToolResult {
	if t.caller == nil {
		return loopError("Tools can not be called here: the call is not part of a run")
	}
	b := t.caller.b
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.r.ctx, cancel)()
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	c := &call{
		source: &ai.ToolCall{Name: name, Arguments: arguments}, ctx: ctx,
		parent: t.caller.c, onUpdate: update, done: make(chan struct{}),
	}
	select {
	case b.reports <- report{kind: toolInvokes, c: c}:
	case <-b.over:
		return loopError("Tool call aborted: the tool that made it has ended")
	}
	<-c.done
	return c.result
}

// invoke takes a call that a tool makes into the batch.
func (b *batch) invoke(c *call) {
	p := c.parent
	if p.settled || p.returned.Load() {
		c.result = loopError("Tool call aborted: the tool that made it has ended")
		close(c.done)
		return
	}
	p.children = append(p.children, c)
	c.source.ID = fmt.Sprintf("%s/%d", p.source.ID, len(p.children))
	if !json.Valid(c.source.Arguments) {
		c.source.ArgumentsError = "The arguments are not valid JSON. Received: " + string(c.source.Arguments)
		c.source.Arguments = json.RawMessage("{}")
	}
	c.tool = findTool(b.r.c.Tools, c.source.Name)
	if b.start(c) {
		b.launch(c)
	}
}

// The record of nested calls is bounded; these limits and its shape are part
// of the stored format.
const (
	maxNested          = 256
	maxNestedArguments = 8 << 10
	maxNestedTotal     = 32 << 10
	maxNestedError     = 500 // characters
)

// nestedRecord notes the calls that a tool made, those of nested tools
// included.
type nestedRecord struct {
	calls      []*call // in the order in which they ended
	unfinished bool    // of the call itself: its caller ended first
}

type nestedEntry struct {
	ID             string          `json:"id"`
	Name           string          `json:"name"`
	Arguments      json.RawMessage `json:"arguments,omitempty"`
	ArgumentsBytes int             `json:"argumentsBytes,omitempty"`
	Status         string          `json:"status"`
	DurationMS     *int64          `json:"durationMs,omitempty"`
	Error          string          `json:"error,omitempty"`
}

// account adds what nested calls spent to a call that ends, and notes them in
// its result, or passes both on to the call that made it.
func (c *call) account() {
	for _, child := range c.children {
		if u := child.result.Usage; u != nil {
			total := *u
			if c.result.Usage != nil {
				total = c.result.Usage.Add(*u)
			}
			c.result.Usage = &total
		}
		c.nested.calls = append(c.nested.calls, child)
		c.nested.calls = append(c.nested.calls, child.nested.calls...)
	}
	if len(c.nested.calls) > 0 && len(c.result.NestedCalls) == 0 {
		c.result.NestedCalls = encodeNested(c.nested.calls)
	}
}

func encodeNested(calls []*call) json.RawMessage {
	record := struct {
		Calls    []nestedEntry `json:"calls"`
		Complete bool          `json:"complete"`
	}{Complete: len(calls) <= maxNested}
	total := 0
	for _, c := range calls[:min(len(calls), maxNested)] {
		e := nestedEntry{ID: c.source.ID, Name: c.source.Name, Status: "ok", DurationMS: c.duration}
		size := len(c.source.Arguments)
		if size <= maxNestedArguments && total+size <= maxNestedTotal {
			total += size
			e.Arguments = slices.Clone(c.source.Arguments)
		} else {
			e.ArgumentsBytes = size
		}
		switch {
		case c.nested.unfinished:
			e.Status = "unfinished"
		case c.result.IsError:
			e.Status = "error"
			e.Error = firstRunes(ai.TextOf(c.result.Content, "\n"), maxNestedError)
		}
		record.Calls = append(record.Calls, e)
	}
	b, err := encodeJSON(record)
	if err != nil { // arguments were checked when the calls were made
		return nil
	}
	return b
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	if !utf8.ValidString(s) {
		return string([]rune(s))
	}
	return s
}
