package agentcore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/schema"
	"github.com/pi-go/pi/ai"
)

// prepare readies a call, or says in a result why it can not be run.
func (b *batch) prepare(c *call) *ToolResult {
	r := b.r
	refuse := func(format string, args ...any) *ToolResult {
		return new(loopError(fmt.Sprintf(format, args...)))
	}
	switch {
	case r.stopped():
		return refuse("%s", r.stopText("it was not started"))
	case b.answer.StopReason == ai.StopLength:
		return refuse("Tool call not run: the answer reached its output limit, so the arguments may be cut off. Call %s again, with shorter arguments or in several steps.", c.source.Name)
	case c.tool == nil:
		return refuse("%s", unknownTool(r.c.Tools, c.source.Name))
	case c.tool.Execute == nil:
		return refuse("Tool %s can not be run here.", c.tool.Name)
	case c.source.ArgumentsError != "":
		text := "Tool " + c.tool.Name + " was not run. " + c.source.ArgumentsError
		if p := c.source.Partial; p != "" && !strings.Contains(text, p) {
			text += ". Received: " + p
		}
		return refuse("%s", text)
	}
	args := c.source.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if c.tool.PrepareArguments != nil {
		err := r.contain("PrepareArguments of tool "+c.tool.Name, func() error {
			mended, err := c.tool.PrepareArguments(args)
			if err == nil && mended != nil {
				args = mended
			}
			return err
		})
		if err != nil {
			return refuse("%v", err)
		}
	}
	args, err := checkArguments(r.schemas, c.tool, args)
	if err != nil {
		return refuse("%v", err)
	}
	c.before = BeforeToolCall{Assistant: b.answer, Call: c.source, Arguments: args, Context: r.context(), ParentCallID: c.parentID()}
	if r.cfg.BeforeToolCall == nil {
		return nil
	}
	var verdict *BeforeToolCallResult
	err = r.contain("BeforeToolCall", func() (err error) {
		verdict, err = r.cfg.BeforeToolCall(r.ctx, c.before)
		return err
	})
	switch {
	case r.stopped():
		return refuse("%s", r.stopText("it was not started"))
	case err != nil:
		return refuse("%v", err)
	case verdict == nil:
		return nil
	case verdict.Block:
		reason := verdict.Reason
		if reason == "" {
			reason = "Tool call was blocked"
		}
		result := loopError(reason)
		result.Terminate = verdict.Terminate
		return &result
	case verdict.Arguments != nil:
		if !json.Valid(verdict.Arguments) {
			return refuse("BeforeToolCall: the arguments it gave for %s are not valid JSON", c.tool.Name)
		}
		c.before.Arguments = verdict.Arguments
	}
	return nil
}

// checkArguments coerces and validates arguments against the tool's schema.
func checkArguments(schemas *schema.Cache, t *Tool, args json.RawMessage) (json.RawMessage, error) {
	if len(t.Parameters) == 0 {
		return args, nil
	}
	s, err := schemas.Get(t.Parameters)
	if err != nil {
		return nil, fmt.Errorf("tool %s can not be called: its parameter schema is invalid: %w", t.Name, err)
	}
	fixed, problems := s.Check(args)
	if len(problems) == 0 {
		return fixed, nil
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Validation failed for tool %q:\n", t.Name)
	for _, p := range problems {
		fmt.Fprintf(&text, "  - %s\n", p)
	}
	text.WriteString("\nReceived arguments:\n")
	text.Write(indented(args))
	return nil, errors.New(text.String())
}

// unknownTool says which tools there are.
func unknownTool(tools []*Tool, name string) string {
	var names []string
	for _, t := range tools {
		names = append(names, t.Name)
	}
	text := fmt.Sprintf("Tool %q is not available", name)
	if near := ai.Nearest(name, names, 3); len(near) > 0 {
		return fmt.Sprintf("%s; did you mean %s?", text, strings.Join(near, ", "))
	}
	if len(names) == 0 {
		return text + "; there are no tools."
	}
	slices.Sort(names)
	return fmt.Sprintf("%s; available: %s", text, strings.Join(names, ", "))
}

// resultMessage is the result as it is stored and sent to the model.
func resultMessage(c *call, now time.Time) *ai.ToolResultMessage {
	m := &ai.ToolResultMessage{
		ToolCallID: c.source.ID, ToolName: c.source.Name, Content: c.result.Content,
		IsError: c.result.IsError, Usage: c.result.Usage, NestedCalls: c.result.NestedCalls,
		DurationMS: c.duration, Timestamp: now.UnixMilli(),
	}
	if c.result.Details != nil {
		m.Details = encodeDetails(c.source.Name, c.result.Details)
	}
	return m
}

// encodeDetails encodes the details of a result. Details that can not be
// encoded do not spoil the result: a note takes their place.
func encodeDetails(tool string, details any) json.RawMessage {
	b, err := encodeJSON(details)
	if err == nil {
		return b
	}
	b, err = encodeJSON(map[string]string{"error": fmt.Sprintf("the details of tool %s can not be stored: %v", tool, err)})
	if err != nil { // a map of strings always encodes
		return nil
	}
	return b
}

// encodeJSON encodes without the escapes that only HTML needs, as the stored
// format has it.
func encodeJSON(v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); ok && json.Valid(raw) {
		return raw, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func indented(text json.RawMessage) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return text
	}
	return b.Bytes()
}
