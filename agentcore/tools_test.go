package agentcore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

// runTools runs one answer with calls and gives the results, the events and
// the script.
func runTools(t *testing.T, cfg LoopConfig, tools []*Tool, calls ...string) ([]*ai.ToolResultMessage, []string, *script) {
	t.Helper()
	model := &script{replies: []reply{invoke(calls...), say("done")}}
	cfg.Stream = model.stream
	if cfg.Now == nil {
		cfg.Now = clock()
	}
	rec := new(recorder)
	added, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: tools}, cfg, rec.emit)
	if err != nil {
		t.Fatalf("Run: %v", err)
	}
	checkShape(t, rec.lines)
	var results []*ai.ToolResultMessage
	for _, m := range added {
		if m, ok := m.(*ai.ToolResultMessage); ok {
			results = append(results, m)
		}
	}
	return results, rec.lines, model
}

func TestCallsThatAreNotRun(t *testing.T) {
	boom := errors.New("boom")
	echo := echoTool("echo")
	strict := echoTool("strict")
	strict.Parameters = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"integer"}},"required":["path"]}`)
	broken := echoTool("broken")
	broken.Parameters = json.RawMessage(`{"type":"nonsense"}`)
	shim := echoTool("shim")
	shim.PrepareArguments = func(json.RawMessage) (json.RawMessage, error) { return nil, boom }
	shimPanic := echoTool("shimPanic")
	shimPanic.PrepareArguments = func(json.RawMessage) (json.RawMessage, error) { panic("ouch") }
	fails := echoTool("fails")
	fails.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) { return TextResult("lost"), boom }
	panics := echoTool("panics")
	panics.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) { panic("ouch") }
	exits := echoTool("exits")
	exits.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
		runtime.Goexit()
		return ToolResult{}, nil
	}
	tools := []*Tool{echo, strict, broken, shim, shimPanic, fails, panics, {Name: "hollow"}, exits}
	cases := []struct {
		name, call string
		cfg        LoopConfig
		want       string
	}{
		{"unknown", "a ecko {}", LoopConfig{}, `Tool "ecko" is not available; did you mean echo?`},
		{"unknown and far", "a xyzzyxyzzy {}", LoopConfig{}, `Tool "xyzzyxyzzy" is not available; available: broken, echo, exits, fails, hollow, panics, shim, shimPanic, strict`},
		{"without a function", "a hollow {}", LoopConfig{}, "Tool hollow can not be run here."},
		{"broken arguments", `a strict {"path":"a`, LoopConfig{}, "Tool strict was not run. The arguments are not valid JSON: unexpected end of the text. Received: {\"path\":\"a"},
		{"list of arguments", `a strict [1]`, LoopConfig{}, "Tool strict was not run. The arguments must be a JSON object, not an array. Received: [1]"},
		{"invalid", `a strict {"n":"many","x":"<b>"}`, LoopConfig{}, "Validation failed for tool \"strict\":\n  - n: expected integer, got string \"many\"\n  - path: is required, but it is missing\n\nReceived arguments:\n{\n  \"n\": \"many\",\n  \"x\": \"<b>\"\n}"},
		{"invalid schema", "a broken {}", LoopConfig{}, "tool broken can not be called: its parameter schema is invalid: "},
		{"shim fails", "a shim {}", LoopConfig{}, "PrepareArguments of tool shim: boom"},
		{"shim panics", "a shimPanic {}", LoopConfig{}, "PrepareArguments of tool shimPanic panicked: ouch"},
		{"tool fails", "a fails {}", LoopConfig{}, "boom"},
		{"tool panics", "a panics {}", LoopConfig{}, "tool panics panicked: ouch"},
		{"tool ends its goroutine", "a exits {}", LoopConfig{}, "tool exits ended its goroutine without a result"},
		{"blocked", "a echo {}", LoopConfig{BeforeToolCall: func(context.Context, BeforeToolCall) (*BeforeToolCallResult, error) {
			return &BeforeToolCallResult{Block: true, Reason: "not today"}, nil
		}}, "not today"},
		{"blocked without a reason", "a echo {}", LoopConfig{BeforeToolCall: func(context.Context, BeforeToolCall) (*BeforeToolCallResult, error) {
			return &BeforeToolCallResult{Block: true}, nil
		}}, "Tool call was blocked"},
		{"hook fails", "a echo {}", LoopConfig{BeforeToolCall: func(context.Context, BeforeToolCall) (*BeforeToolCallResult, error) {
			return nil, boom
		}}, "BeforeToolCall: boom"},
		{"hook panics", "a echo {}", LoopConfig{BeforeToolCall: func(context.Context, BeforeToolCall) (*BeforeToolCallResult, error) {
			panic("ouch")
		}}, "BeforeToolCall panicked: ouch"},
		{"hook gives broken arguments", "a echo {}", LoopConfig{BeforeToolCall: func(context.Context, BeforeToolCall) (*BeforeToolCallResult, error) {
			return &BeforeToolCallResult{Arguments: json.RawMessage("{")}, nil
		}}, "BeforeToolCall: the arguments it gave for echo are not valid JSON"},
		{"second hook fails", "a echo {}", LoopConfig{AfterToolCall: func(context.Context, AfterToolCall) (*ToolResultPatch, error) {
			return nil, boom
		}}, "AfterToolCall: boom"},
		{"second hook panics", "a echo {}", LoopConfig{AfterToolCall: func(context.Context, AfterToolCall) (*ToolResultPatch, error) {
			panic("ouch")
		}}, "AfterToolCall panicked: ouch"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var panics []*PanicError
			var mu sync.Mutex
			c.cfg.OnPanic = func(p *PanicError) {
				mu.Lock()
				defer mu.Unlock()
				panics = append(panics, p)
			}
			results, _, model := runTools(t, c.cfg, tools, c.call)
			if len(results) != 1 || !results[0].IsError || string(results[0].Details) != "{}" {
				t.Fatalf("results %v, want one error with empty details", describeAll(results))
			}
			got := ai.TextOf(results[0].Content, "")
			if !strings.HasPrefix(got, c.want) || !strings.HasSuffix(c.want, " ") && got != c.want {
				t.Errorf("result (-want +got):\n%s", cmp.Diff(c.want, got))
			}
			if wantPanic := strings.Contains(c.want, "panicked"); wantPanic != (len(panics) == 1) || wantPanic && len(panics[0].Stack) == 0 {
				t.Errorf("OnPanic got %v", panics)
			}
			if len(model.requests) != 2 {
				t.Errorf("%d requests; the model was not asked again", len(model.requests))
			}
		})
	}
}

// TestArgumentsNoneBlankBroken is the case of a tool without parameters.
func TestArgumentsNoneBlankBroken(t *testing.T) {
	for name, args := range map[string]string{"none": "", "blank": "  ", "empty": "{}"} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			status := NewTool("status", "Tells the status.", func(context.Context, struct{}, func(ToolResult)) (ToolResult, error) {
				runs++
				return TextResult("fine"), nil
			})
			results, lines, _ := runTools(t, LoopConfig{}, []*Tool{status}, "a status "+args)
			if runs != 1 || results[0].IsError {
				t.Errorf("the tool ran %d times, result %v", runs, describeAll(results))
			}
			if start := "tool_execution_start a status {}"; !strings.Contains(strings.Join(lines, "\n"), start) {
				t.Errorf("no %q in the events", start)
			}
		})
	}
	t.Run("broken", func(t *testing.T) {
		status := echoTool("status")
		status.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
			t.Error("a call with broken arguments was run")
			return ToolResult{}, nil
		}
		results, _, model := runTools(t, LoopConfig{}, []*Tool{status}, `a status {"path":"a`)
		if text := ai.TextOf(results[0].Content, ""); !results[0].IsError || !strings.Contains(text, "not valid JSON") {
			t.Errorf("result %q does not name the parse failure", text)
		}
		for _, m := range model.requests[1] {
			if !json.Valid(m.AppendJSON(nil)) {
				t.Errorf("the next request holds invalid JSON: %s", m.AppendJSON(nil))
			}
		}
	})
}

func TestArgumentsReachTheTool(t *testing.T) {
	var got []string
	tool := echoTool("t")
	tool.Parameters = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"list":{"type":"array","items":{"type":"string"}}}}`)
	tool.PrepareArguments = func(args json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(strings.ReplaceAll(string(args), "number", "n")), nil
	}
	tool.Execute = func(_ context.Context, call ToolCall, _ func(ToolResult)) (ToolResult, error) {
		got = append(got, string(call.Arguments))
		return TextResult("ok"), nil
	}
	cfg := LoopConfig{Execution: ExecuteSequential, BeforeToolCall: func(_ context.Context, c BeforeToolCall) (*BeforeToolCallResult, error) {
		if c.Call.ID == "c" {
			return &BeforeToolCallResult{Arguments: json.RawMessage(`{"n":"not checked again"}`)}, nil
		}
		return nil, nil
	}}
	_, lines, _ := runTools(t, cfg, []*Tool{tool}, `a t {"number": 1 }`, `b t {"number":"2","list":"x"}`, `c t {"n":3}`)
	want := []string{`{"n": 1 }`, `{"list":["x"],"n":2}`, `{"n":"not checked again"}`}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("arguments (-want +got):\n%s", d)
	}
	// Events show what the model wrote.
	if want := `tool_execution_start b t {"number":"2","list":"x"}`; !strings.Contains(strings.Join(lines, "\n"), want) {
		t.Errorf("no %q in the events", want)
	}
}

func TestResultFields(t *testing.T) {
	type details struct {
		Lines int    `json:"lines"`
		Tag   string `json:"tag"`
	}
	tool := echoTool("t")
	tool.Execute = func(_ context.Context, call ToolCall, _ func(ToolResult)) (ToolResult, error) {
		r := ToolResult{
			Content: []ai.Block{&ai.Text{Text: "seen"}, &ai.Image{Data: "aGk=", MIMEType: "image/png"}},
			Details: details{3, "<b>"}, Structured: map[string]int{"n": 1}, Usage: &ai.Usage{Input: 5},
		}
		if call.ID == "b" {
			r.Details = func() {} // no JSON
		}
		return r, nil
	}
	results, _, _ := runTools(t, LoopConfig{}, []*Tool{tool}, "a t {}", "b t {}")
	want := `{"role":"toolResult","toolCallId":"a","toolName":"t","content":[{"type":"text","text":"seen"},{"type":"image","data":"aGk=","mimeType":"image/png"}],"details":{"lines":3,"tag":"<b>"},"usage":{"input":5,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"isError":false,"durationMs":0,"timestamp":1700000000000}`
	if d := cmp.Diff(want, string(results[0].AppendJSON(nil))); d != "" {
		t.Errorf("stored result (-want +got):\n%s", d)
	}
	if got := string(results[1].Details); results[1].IsError || !strings.Contains(got, "can not be stored") {
		t.Errorf("details that are no JSON: %s, error %v; want a note and the result unharmed", got, results[1].IsError)
	}
}

func TestAfterToolCallOverridesFields(t *testing.T) {
	base := ToolResult{Content: []ai.Block{&ai.Text{Text: "old"}}, Details: 1, Structured: "s"}
	cases := []struct {
		name  string
		patch *ToolResultPatch
		want  ToolResult
	}{
		{"nothing", nil, base},
		{"no field", &ToolResultPatch{}, base},
		{"content drops structured", &ToolResultPatch{Content: []ai.Block{}}, ToolResult{Content: []ai.Block{}, Details: 1}},
		{"content and structured", &ToolResultPatch{Content: []ai.Block{}, Structured: "t"}, ToolResult{Content: []ai.Block{}, Details: 1, Structured: "t"}},
		{"details", &ToolResultPatch{Details: 2}, ToolResult{Content: base.Content, Details: 2, Structured: "s"}},
		{
			"flags and usage", &ToolResultPatch{IsError: new(true), Terminate: new(true), Usage: &ai.Usage{Input: 1}},
			ToolResult{Content: base.Content, Details: 1, Structured: "s", IsError: true, Terminate: true, Usage: &ai.Usage{Input: 1}},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			tool := echoTool("t")
			tool.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) { return base, nil }
			model := &script{replies: []reply{invoke("a t {}")}}
			var got ToolResult
			cfg := LoopConfig{
				Stream: model.stream, Now: clock(),
				AfterToolCall: func(_ context.Context, a AfterToolCall) (*ToolResultPatch, error) {
					if d := cmp.Diff(base, a.Result, cmp.AllowUnexported(ToolResult{})); d != "" || a.Call.ID != "a" {
						t.Errorf("AfterToolCall sees call %s, result (-want +got):\n%s", a.Call.ID, d)
					}
					return c.patch, nil
				},
			}
			_, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: []*Tool{tool}}, cfg, func(ev Event) error {
				if end, ok := ev.(*ToolEnd); ok {
					got = end.Result
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("result (-want +got):\n%s", d)
			}
		})
	}
}

func TestTerminateNeedsAllResults(t *testing.T) {
	stop := echoTool("stop")
	stop.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
		return ToolResult{Terminate: true}, nil
	}
	blockAndEnd := func(_ context.Context, c BeforeToolCall) (*BeforeToolCallResult, error) {
		if c.Call.Name == "echo" {
			return &BeforeToolCallResult{Block: true, Terminate: true}, nil
		}
		return nil, nil
	}
	cases := []struct {
		name     string
		calls    []string
		before   func(context.Context, BeforeToolCall) (*BeforeToolCallResult, error)
		steering bool
		requests int
	}{
		{"all", []string{"a stop {}", "b stop {}"}, nil, false, 1},
		{"some", []string{"a stop {}", "b echo {}"}, nil, false, 2},
		{"a blocked call may ask too", []string{"a stop {}", "b echo {}"}, blockAndEnd, false, 1},
		{"steering goes on even so", []string{"a stop {}"}, nil, true, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			cfg := LoopConfig{BeforeToolCall: c.before}
			if c.steering {
				n := 0
				cfg.SteeringMessages = func() []Message {
					if n++; n == 2 {
						return users("wait")
					}
					return nil
				}
			}
			_, _, model := runTools(t, cfg, []*Tool{stop, echoTool("echo")}, c.calls...)
			if len(model.requests) != c.requests {
				t.Errorf("%d requests, want %d", len(model.requests), c.requests)
			}
		})
	}
}

// TestAbortDuringParallelCalls is the case of a fast, a slow and a stubborn
// tool.
func TestAbortDuringParallelCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool := func(name string, run func(ctx context.Context) (ToolResult, error)) *Tool {
			e := echoTool(name)
			e.Execute = func(ctx context.Context, _ ToolCall, update func(ToolResult)) (ToolResult, error) {
				r, err := run(ctx)
				update(TextResult("late"))
				return r, err
			}
			return e
		}
		tools := []*Tool{
			tool("fast", func(context.Context) (ToolResult, error) {
				time.Sleep(10 * time.Millisecond)
				return TextResult("fast done"), nil
			}),
			tool("slow", func(ctx context.Context) (ToolResult, error) {
				select {
				case <-time.After(5 * time.Second):
					return TextResult("slow done"), nil
				case <-ctx.Done():
					return ToolResult{}, fmt.Errorf("slow: %w", ctx.Err())
				}
			}),
			tool("stubborn", func(context.Context) (ToolResult, error) {
				time.Sleep(3 * time.Second)
				return TextResult("stubborn done"), nil
			}),
		}
		model := &script{replies: []reply{invoke("a fast {}", "b slow {}", "c stubborn {}"), say("next")}}
		a := testAgent(model, tools...)
		rec := new(recorder)
		a.Subscribe(func(_ context.Context, ev Event) error { return rec.emit(ev) })
		start := time.Now()
		go func() {
			time.Sleep(50 * time.Millisecond)
			a.Abort()
		}()
		answer, err := a.Prompt(t.Context(), ai.UserText("go"))
		if took := time.Since(start); took > 50*time.Millisecond+time.Second {
			t.Errorf("the run returned %v after its start", took)
		}
		if !errors.Is(err, context.Canceled) || answer.StopReason != ai.StopToolUse {
			t.Errorf("Prompt = %s, %v; want the answer with the calls and an abort", describeMessage(answer), err)
		}
		checkShape(t, rec.lines)
		s := a.State()
		want := []string{
			`toolResult a "fast done"`,
			`toolResult b "Tool call aborted" error`,
			`toolResult c "Tool call aborted: the tool did not stop in time; what it did is unknown" error`,
		}
		if d := cmp.Diff(want, describeAll(s.Messages[3:])); d != "" {
			t.Fatalf("results (-want +got):\n%s", d)
		}
		events := len(rec.lines)
		time.Sleep(4 * time.Second) // stubborn returns
		if len(rec.lines) != events {
			t.Errorf("a late result made events: %q", rec.lines[events:])
		}
		if d := cmp.Diff(describeAll(s.Messages), describeAll(a.State().Messages)); d != "" {
			t.Errorf("a late result changed the transcript:\n%s", d)
		}
		if _, err := a.Prompt(t.Context(), ai.UserText("again")); err != nil {
			t.Fatal(err)
		}
		var paired []string
		for _, m := range model.requests[1] {
			switch m := m.(type) {
			case *ai.AssistantMessage:
				for _, c := range m.ToolCalls() {
					paired = append(paired, "call "+c.ID)
				}
			case *ai.ToolResultMessage:
				paired = append(paired, "result "+m.ToolCallID)
			}
		}
		if d := cmp.Diff([]string{"call a", "call b", "call c", "result a", "result b", "result c"}, paired); d != "" {
			t.Errorf("pairs in the next request (-want +got):\n%s", d)
		}
	})
}

// TestUpdatesAfterTheEnd sends updates from a goroutine that outlives its
// tool; none may show.
func TestUpdatesAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool := echoTool("t")
		tool.Execute = func(_ context.Context, _ ToolCall, update func(ToolResult)) (ToolResult, error) {
			update(TextResult("in time"))
			go func() {
				for range 3 {
					time.Sleep(time.Second)
					update(TextResult("too late"))
				}
			}()
			return TextResult("done"), nil
		}
		slow := echoTool("slow")
		slow.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
			time.Sleep(1500 * time.Millisecond)
			return TextResult("done"), nil
		}
		_, lines, _ := runTools(t, LoopConfig{}, []*Tool{tool, slow}, "a t {}", "b slow {}")
		var updates []string
		for _, l := range lines {
			if strings.HasPrefix(l, "tool_execution_update") {
				updates = append(updates, l)
			}
		}
		if d := cmp.Diff([]string{`tool_execution_update a "in time"`}, updates); d != "" {
			t.Errorf("updates (-want +got):\n%s", d)
		}
		time.Sleep(5 * time.Second)
	})
}

// TestAfterToolCallOutlivesTheCall: a nested call ends with its caller while
// its hook is still at work; what the hook gives then is too late.
func TestAfterToolCallOutlivesTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer := echoTool("outer")
		outer.Execute = func(ctx context.Context, call ToolCall, _ func(ToolResult)) (ToolResult, error) {
			go call.Invoke(ctx, "inner", nil, nil)
			time.Sleep(time.Second)
			return TextResult("outer done"), nil
		}
		other := echoTool("other")
		other.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
			time.Sleep(time.Minute)
			return TextResult("other done"), nil
		}
		cfg := LoopConfig{AfterToolCall: func(_ context.Context, c AfterToolCall) (*ToolResultPatch, error) {
			if c.ParentCallID != "" {
				time.Sleep(10 * time.Second)
			}
			return nil, nil
		}}
		results, lines, _ := runTools(t, cfg, []*Tool{outer, other, echoTool("inner")}, "a outer {}", "b other {}")
		if d := cmp.Diff([]string{`toolResult a "outer done"`, `toolResult b "other done"`}, describeAll(results)); d != "" {
			t.Errorf("results (-want +got):\n%s", d)
		}
		if n := strings.Count(strings.Join(lines, "\n"), "tool_execution_end a/1"); n != 1 {
			t.Errorf("the nested call ended %d times", n)
		}
	})
}

// TestCallWithoutResult is the loop's half of that case: whatever happened
// before, every call that the loop itself accepted has a result, and an answer
// that was cut while its arguments streamed runs nothing.
func TestCallWithoutResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := false
		tool := echoTool("t")
		tool.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
			ran = true
			return ToolResult{}, nil
		}
		model := &script{replies: []reply{func(ctx context.Context, out *ai.Emitter) error {
			out.ToolCall("a", "t").Append(`{"path":"half`)
			<-ctx.Done()
			return ctx.Err()
		}, say("next")}}
		a := testAgent(model, tool)
		go func() {
			time.Sleep(time.Second)
			a.Abort()
		}()
		answer, err := a.Prompt(t.Context(), ai.UserText("go"))
		if !errors.Is(err, context.Canceled) || ran {
			t.Fatalf("Prompt = %v, tool ran: %v", err, ran)
		}
		call := answer.ToolCalls()[0]
		if answer.StopReason != ai.StopAborted || string(call.Arguments) != "{}" || call.ArgumentsError == "" {
			t.Errorf("the cut answer is %s with arguments error %q", describeMessage(answer), call.ArgumentsError)
		}
		stored := string(answer.AppendJSON(nil))
		if _, err := a.Prompt(t.Context(), ai.UserText("go on")); err != nil {
			t.Fatal(err)
		}
		if again := string(a.State().Messages[2].(*ai.AssistantMessage).AppendJSON(nil)); again != stored {
			t.Errorf("the stored answer was rewritten:\n%s\n%s", stored, again)
		}
	})
}
