package agentcore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

type sendInput struct {
	To       address `json:"to" jsonschema_description:"Receiver: an address, or an id"`
	Count    *uint   `json:"count" jsonschema:"default=1"`
	Priority string  `json:"priority,omitempty" jsonschema:"enum=low,enum=high"`
	Lines    []struct {
		Text string `json:"text"`
	} `json:"lines"`
}

// address is a text or an object with an id.
type address struct {
	Text string
	ID   int
}

func (address) Alternatives() []any {
	return []any{"", struct {
		ID int `json:"id"`
	}{}}
}

func (a *address) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &a.Text)
	}
	var o struct{ ID int }
	err := json.Unmarshal(data, &o)
	a.ID = o.ID
	return err
}

func TestNewTool(t *testing.T) {
	var got []sendInput
	send := NewTool("send", "Sends lines.", func(_ context.Context, in sendInput, update func(ToolResult)) (ToolResult, error) {
		update(TextResult("sending"))
		got = append(got, in)
		return TextResult("sent"), nil
	})
	want := `{"type":"object","properties":{"to":{"description":"Receiver: an address, or an id","anyOf":[{"type":"string"},{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}]},"count":{"type":"integer","minimum":0,"default":1},"priority":{"type":"string","enum":["low","high"]},"lines":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}},"required":["to","lines"]}`
	if d := cmp.Diff(want, string(send.Parameters)); d != "" {
		t.Errorf("schema (-want +got):\n%s", d)
	}
	results, lines, _ := runTools(t, LoopConfig{Execution: ExecuteSequential}, []*Tool{send},
		`a send {"to":"ann","lines":{"text":"hi"},"count":null,"extra":1}`,
		`b send {"to":{"id":"7"},"lines":[{"text":5}],"count":2.0,"priority":"high"}`,
		`c send {"to":true,"lines":[{}],"priority":"top","count":-1}`,
	)
	two := uint(2)
	type line = struct {
		Text string `json:"text"`
	}
	if d := cmp.Diff([]sendInput{
		{To: address{Text: "ann"}, Lines: []line{{"hi"}}},
		{To: address{ID: 7}, Count: &two, Priority: "high", Lines: []line{{"5"}}},
	}, got); d != "" {
		t.Errorf("decoded (-want +got):\n%s", d)
	}
	text := ai.TextOf(results[2].Content, "")
	for _, want := range []string{
		`Validation failed for tool "send":`,
		"  - count: must be >= 0 but found -1\n",
		"  - lines.0.text: is required, but it is missing\n",
		`  - priority: expected one of string "low", string "high"; got string "top"` + "\n",
		"\n\nReceived arguments:\n{\n  \"to\": true,\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if n := strings.Count(text[:strings.Index(text, "\n\n")], "\n"); n != 3 {
		t.Errorf("%d lines of problems, want one for each of 3 faults:\n%s", n, text)
	}
	if update := `tool_execution_update a "sending"`; !strings.Contains(strings.Join(lines, "\n"), update) {
		t.Errorf("no %q", update)
	}
}

func TestDecodeArguments(t *testing.T) {
	type in struct {
		N int     `json:"n"`
		U uint8   `json:"u"`
		F float64 `json:"f"`
		S struct {
			Deep []int64 `json:"deep"`
		} `json:"s"`
	}
	cases := []struct{ args, want string }{
		{`{"n":3.0,"u":1e2,"f":1.0,"s":{"deep":[2.50e1]}}`, "{3 100 1 {[25]}}"},
		{`{"n":3.5}`, "error: invalid arguments of tool t: n: number 3.5 does not fit int"},
		{`{"u":300}`, "error: invalid arguments of tool t: u: number 300 does not fit uint8"},
		{`{"n":1e999999999}`, "error: invalid arguments of tool t: n: number 1e999999999 does not fit int"},
		{`{"s":{"deep":["x"]}}`, "error: invalid arguments of tool t: s.deep: string does not fit int64"},
	}
	for _, c := range cases {
		v, err := DecodeArguments[in](ToolCall{Name: "t", Arguments: json.RawMessage(c.args)})
		got := fmt.Sprint(v)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.args, got, c.want)
		}
	}
}

func TestNewToolPanicsOnMistakes(t *testing.T) {
	defer func() {
		if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "tool bad") {
			t.Errorf("recovered %v, want a panic that names the tool", v)
		}
	}()
	NewTool("bad", "", func(context.Context, string, func(ToolResult)) (ToolResult, error) { return ToolResult{}, nil })
}

func TestInvoke(t *testing.T) {
	boom := errors.New("boom")
	inner := echoTool("inner")
	inner.Parameters = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	inner.Execute = func(_ context.Context, call ToolCall, update func(ToolResult)) (ToolResult, error) {
		update(TextResult("inner works"))
		if string(call.Arguments) == `{"n":13}` {
			return ToolResult{}, boom
		}
		r := TextResult("inner " + string(call.Arguments))
		r.Usage = &ai.Usage{Input: 10}
		return r, nil
	}
	var seen []string
	outer := echoTool("outer")
	outer.Execute = func(ctx context.Context, call ToolCall, _ func(ToolResult)) (ToolResult, error) {
		for _, args := range []string{`{"n":1}`, `{"n":"2"}`, `{}`, `{"n":13}`, `{"n":666}`, `{`} {
			r := call.Invoke(ctx, "inner", json.RawMessage(args), func(p ToolResult) { seen = append(seen, describeResult(p)) })
			seen = append(seen, describeResult(r))
		}
		seen = append(seen, describeResult(call.Invoke(ctx, "nope", nil, nil)))
		r := TextResult("outer done")
		r.Usage = &ai.Usage{Input: 1}
		return r, nil
	}
	cfg := LoopConfig{
		BeforeToolCall: func(_ context.Context, c BeforeToolCall) (*BeforeToolCallResult, error) {
			if string(c.Arguments) == `{"n":666}` {
				return &BeforeToolCallResult{Block: true, Reason: "blocked under " + c.ParentCallID}, nil
			}
			return nil, nil
		},
	}
	results, lines, _ := runTools(t, cfg, []*Tool{outer, inner}, "a outer {}")
	golden(t, "invoke", append(lines, append([]string{"-- seen by the caller"}, seen...)...))
	if got := results[0].Usage.Input; got != 21 {
		t.Errorf("usage %d, want 1 of its own and 2 × 10 of nested calls", got)
	}
	golden(t, "invoke-record", []string{string(results[0].NestedCalls)})
}

// TestInvokeEndsWithItsCaller leaves nested calls behind. Their tools return
// while another call of the batch still runs, so that the run would hear them.
func TestInvokeEndsWithItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := func(name string, d time.Duration) *Tool {
			tool := echoTool(name)
			tool.Execute = func(_ context.Context, _ ToolCall, update func(ToolResult)) (ToolResult, error) {
				time.Sleep(d)
				update(TextResult("late"))
				return TextResult(name + " done"), nil
			}
			return tool
		}
		late := make(chan ToolResult, 2)
		outer := echoTool("outer")
		outer.Execute = func(ctx context.Context, call ToolCall, _ func(ToolResult)) (ToolResult, error) {
			go func() {
				late <- call.Invoke(ctx, "inner", nil, nil)
				late <- call.Invoke(ctx, "inner", nil, nil)
			}()
			time.Sleep(time.Second)
			return TextResult("outer done"), nil
		}
		var finalized []string
		cfg := LoopConfig{AfterToolCall: func(_ context.Context, c AfterToolCall) (*ToolResultPatch, error) {
			finalized = append(finalized, c.Call.ID)
			return nil, nil
		}}
		results, lines, _ := runTools(t, cfg, []*Tool{outer, wait("inner", 2*time.Second), wait("other", 4*time.Second)}, "a outer {}", "b other {}")
		for range 2 {
			if r := <-late; !r.IsError || !strings.Contains(describeResult(r), "the tool that made it has ended") {
				t.Errorf("the nested call gave %s", describeResult(r))
			}
		}
		want := []string{
			"tool_execution_start a outer {}",
			"tool_execution_start b other {}",
			"tool_execution_start a/1 inner {} under a",
			`tool_execution_end a/1 error "Tool call aborted: the tool that made it has ended" under a`,
			`tool_execution_end a "outer done"`,
			`tool_execution_update b "late"`,
			`tool_execution_end b "other done"`,
		}
		var got []string
		for _, l := range lines {
			if strings.HasPrefix(l, "tool_execution") {
				got = append(got, l)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("tool events (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"a", "b"}, finalized); d != "" {
			t.Errorf("AfterToolCall (-want +got):\n%s", d)
		}
		if got := string(results[0].NestedCalls); !strings.Contains(got, `"status":"unfinished"`) {
			t.Errorf("record %s", got)
		}
		if r := (ToolCall{}).Invoke(t.Context(), "x", nil, nil); !r.IsError {
			t.Error("a call outside a run can invoke")
		}
	})
}

func TestNestedRecordIsBounded(t *testing.T) {
	var calls []*call
	for i := range 300 {
		c := &call{source: &ai.ToolCall{ID: fmt.Sprint("a/", i), Name: "t", Arguments: json.RawMessage(`{}`)}}
		switch i {
		case 0: // alone too long
			c.source.Arguments = json.RawMessage(`{"x":"` + strings.Repeat("y", 9<<10) + `"}`)
		case 1, 2, 3, 4, 5: // too long together
			c.source.Arguments = json.RawMessage(`{"x":"` + strings.Repeat("y", 7<<10) + `"}`)
		case 6:
			c.result = ErrorResult(strings.Repeat("é", 600))
		}
		calls = append(calls, c)
	}
	var record struct {
		Calls    []nestedEntry
		Complete bool
	}
	if err := json.Unmarshal(encodeNested(calls), &record); err != nil {
		t.Fatal(err)
	}
	if len(record.Calls) != 256 || record.Complete {
		t.Errorf("%d calls, complete %v; want 256 and not complete", len(record.Calls), record.Complete)
	}
	for i, want := range []bool{false, true, true, true, true, false} {
		e := record.Calls[i]
		if (e.Arguments != nil) != want || (e.ArgumentsBytes == 0) != want {
			t.Errorf("call %d: %d bytes of arguments, argumentsBytes %d; kept should be %v", i, len(e.Arguments), e.ArgumentsBytes, want)
		}
	}
	if e := record.Calls[6]; e.Error != strings.Repeat("é", 500) || e.Status != "error" {
		t.Errorf("status %s, error of %d bytes", e.Status, len(e.Error))
	}
	if !json.Valid(encodeNested(calls[:7])) || !strings.Contains(string(encodeNested(calls[:7])), `"complete":true`) {
		t.Error("a short record is not complete")
	}
}
