package openaicompletions

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
)

// decoding is a stream that reads an answer from r.
func decoding(ctx context.Context, call *ai.Call, r io.Reader, slow bool) *ai.Stream {
	now := func() time.Time { return time.UnixMilli(1700000000000) }
	return ai.NewStream(ctx, ai.StreamInfo{Model: call.Model, Now: now}, func(ctx context.Context, out *ai.Emitter) error {
		t, err := traitsOf(call.Model, call.BaseURL)
		if err != nil {
			return err
		}
		d := &decoder{out: out, msg: out.Message(), call: call, t: t, grammars: grammarsOf(call.Messages, t), slow: slow}
		defer d.settle()
		err = wire.Read(out, r, call, func(f sse.Frame) (bool, error) { return d.frame(f.Data) })
		if err != nil && !d.complete(err) {
			return err
		}
		return d.end()
	})
}

// chunks makes a stream of chunks, given as the members of their choice.
func chunks(choices ...string) string {
	var b strings.Builder
	for _, c := range choices {
		fmt.Fprintf(&b, "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,%s}]}\n\n", c)
	}
	return b.String()
}

func deltas(list ...string) string {
	for i, d := range list {
		list[i] = `"delta":` + d + `,"finish_reason":null`
	}
	return chunks(list...)
}

func finish(reason string) string {
	return chunks(fmt.Sprintf(`"delta":{},"finish_reason":%q`, reason))
}

const done = "data: [DONE]\n\n"

// outline is the answer in lines.
func outline(m *ai.AssistantMessage) []string {
	var lines []string
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			lines = append(lines, "text "+b.Text)
		case *ai.Thinking:
			lines = append(lines, "thinking "+b.Text+" | "+b.Signature)
		case *ai.ToolCall:
			line := fmt.Sprintf("call %s %s %s", b.ID, b.Name, b.Arguments)
			if b.ArgumentsError != "" {
				line += " not runnable"
			}
			lines = append(lines, line)
		}
	}
	end := string(m.StopReason)
	if m.Failure != nil {
		end += fmt.Sprintf(" %s: %s", m.Failure.Kind, m.ErrorMessage)
	}
	return append(lines, end)
}

// both decodes a stream with the scanner and without, checks that the events are
// the same, and gives them.
func both(t *testing.T, call *ai.Call, stream string) (*ai.AssistantMessage, []string) {
	t.Helper()
	m, events := aitest.Collect(t, decoding(t.Context(), call, strings.NewReader(stream), false))
	slow, slowEvents := aitest.Collect(t, decoding(t.Context(), call, strings.NewReader(stream), true))
	if diff := cmp.Diff(slowEvents, events); diff != "" {
		t.Errorf("the scanner gives other events (-without +with):\n%s", diff)
	}
	if diff := cmp.Diff(string(slow.AppendJSON(nil)), string(m.AppendJSON(nil))); diff != "" {
		t.Errorf("the scanner gives another message (-without +with):\n%s", diff)
	}
	return m, events
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		compat string
		model  func(*ai.Model)
		tools  []ai.Tool
		stream string
		want   []string
	}{
		{name: "text", stream: deltas(`{"role":"assistant","content":""}`, `{"content":"Hel"}`, `{"content":"lo"}`) + finish("stop") + done, want: []string{"text Hello", "stop"}},
		{
			name: "reasoning then text", stream: deltas(`{"reasoning_content":"a","content":null}`, `{"reasoning_content":"b","content":""}`, `{"content":"c"}`) + finish("stop") + done,
			want: []string{"thinking ab | reasoning_content", "text c", "stop"},
		},
		{
			name: "order is kept", stream: deltas(`{"reasoning":"a"}`, `{"content":"b"}`, `{"reasoning":"c"}`, `{"content":"d"}`) + finish("stop"),
			want: []string{"thinking a | reasoning", "text b", "thinking c | reasoning", "text d", "stop"},
		},
		{
			name: "reasoning in three fields counts once", stream: deltas(`{"reasoning":"a","reasoning_content":"a","reasoning_text":"a","content":""}`, `{"reasoning":"b","reasoning_content":"b"}`) + finish("stop"),
			want: []string{"thinking ab | reasoning_content", "stop"},
		},
		{name: "reasoning_text", stream: deltas(`{"reasoning_text":"a"}`, `{"reasoning_text":"b"}`) + finish("stop"), want: []string{"thinking ab | reasoning_text", "stop"}},
		{name: "reasoning goes back under another name", model: func(m *ai.Model) { m.Provider = "opencode-go" }, stream: deltas(`{"reasoning":"a"}`, `{"reasoning":"b"}`) + finish("stop"), want: []string{"thinking ab | reasoning_content", "stop"}},
		{name: "reasoning and text in one chunk", stream: deltas(`{"content":"x"}`, `{"reasoning":"a","content":"b"}`, `{"content":"c"}`) + finish("stop"), want: []string{"text x", "thinking a | reasoning", "text bc", "stop"}},
		{
			name: "reasoning details", stream: deltas(
				`{"reasoning":"a","reasoning_details":[{"type":"reasoning.text","text":"a","index":0,"format":"f"}]}`,
				`{"reasoning":"b","reasoning_details":[{"type":"reasoning.text","text":"b","index":0},{"type":"strange"}]}`,
				`{"reasoning_details":[{"type":"reasoning.text","signature":"s","index":0}]}`,
				`{"reasoning_details":[{"type":"reasoning.encrypted","data":"z","id":"i"}]}`,
				`{"content":"c"}`) + finish("stop"),
			want: []string{`thinking ab | [{"type":"reasoning.text","text":"ab","signature":"s","format":"f","index":0},{"type":"reasoning.encrypted","data":"z","id":"i"}]`, "text c", "stop"},
		},
		{
			name: "encrypted details alone", stream: deltas(`{"content":"c"}`, `{"reasoning_details":[{"type":"reasoning.encrypted","data":"z"}],"tool_calls":[{"index":0,"id":"t","function":{"name":"n","arguments":"{}"}}]}`) + finish("tool_calls"),
			want: []string{"text c", `thinking  | [{"type":"reasoning.encrypted","data":"z"}]`, "call t n {}", "toolUse"},
		},
		{
			name: "summaries", stream: deltas(`{"reasoning_details":[{"type":"reasoning.summary","summary":"a"}]}`, `{"reasoning_details":[{"type":"reasoning.summary","summary":"b"}]}`) + finish("stop"),
			want: []string{`thinking  | [{"type":"reasoning.summary","summary":"ab"}]`, "stop"},
		},
		{
			name: "details of a broken answer", stream: deltas(`{"reasoning_details":[{"type":"reasoning.encrypted","data":"z"}]}`),
			want: []string{`thinking  | [{"type":"reasoning.encrypted","data":"z"}]`, "error cut_stream: Stream ended without finish_reason"},
		},
		{name: "parts", stream: deltas(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]},{"type":"text","text":"x"}]}`) + finish("stop"), want: []string{"thinking h | reasoning_content", "text x", "stop"}},
		{name: "refusal", stream: deltas(`{"refusal":"I "}`, `{"refusal":"won't."}`) + finish("stop"), want: []string{"text I won't.", "stop"}},

		{
			name: "one call", stream: deltas(`{"content":"Look."}`, `{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"read","arguments":""}}]}`,
				`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]}`, `{"tool_calls":[{"index":0,"id":"t1","function":{"name":null,"arguments":"\"\\u00e9\\ud83e\\udded\\n\"}"}}]}`) + finish("tool_calls"),
			want: []string{"text Look.", `call t1 read {"a":"\u00e9\ud83e\udded\n"}`, "toolUse"},
		},
		{
			name: "calls in turn", stream: deltas(`{"tool_calls":[{"index":0,"id":"t1","function":{"name":"a","arguments":"{\"x\""}},{"index":1,"id":"t2","function":{"name":"b","arguments":"{\"y\""}}]}`,
				`{"tool_calls":[{"index":1,"function":{"arguments":":2}"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`) + finish("tool_calls"),
			want: []string{`call t1 a {"x":1}`, `call t2 b {"y":2}`, "toolUse"},
		},
		{
			name: "no index", stream: deltas(`{"tool_calls":[{"id":"t1","function":{"name":"read","arguments":""}}]}`, `{"tool_calls":[{"function":{"arguments":"{\"path\":"}}]}`, `{"tool_calls":[{"function":{"arguments":"\"a.txt\"}"}}]}`,
				`{"tool_calls":[{"id":"t2","function":{"name":"ls","arguments":"{\"path\":"}}]}`, `{"tool_calls":[{"function":{"arguments":"\".\"}"}}]}`) + finish("tool_calls"),
			want: []string{`call t1 read {"path":"a.txt"}`, `call t2 ls {"path":"."}`, "toolUse"},
		},
		{
			name: "ids only, in turn", stream: deltas(`{"tool_calls":[{"id":"t1","function":{"name":"a","arguments":"{"}},{"id":"t2","function":{"name":"b","arguments":"{"}}]}`, `{"tool_calls":[{"id":"t1","function":{"arguments":"}"}},{"id":"t2","function":{"arguments":"}"}}]}`) + finish("tool_calls"),
			want: []string{`call t1 a {}`, `call t2 b {}`, "toolUse"},
		},
		{
			name: "all under index 0", stream: deltas(`{"tool_calls":[{"index":0,"id":"t1","function":{"name":"a","arguments":"{\"x\":1}"}}]}`, `{"tool_calls":[{"index":0,"id":"t2","function":{"name":"a","arguments":"{\"x\":2}"}}]}`) + finish("tool_calls"),
			want: []string{`call t1 a {"x":1}`, `call t2 a {"x":2}`, "toolUse"},
		},
		{
			name: "whole calls without index and id", stream: deltas(`{"tool_calls":[{"function":{"name":"a","arguments":"{\"x\":1}"}}]}`, `{"tool_calls":[{"function":{"name":"a","arguments":{"x":2}}}]}`) + finish("stop"),
			want: []string{`call call_` + ai.ShortHash("c1 1700000000000") + `_0 a {"x":1}`, `call call_` + ai.ShortHash("c1 1700000000000") + `_1 a {"x":2}`, "toolUse"},
		},
		{
			name: "late id and name; the first count", stream: deltas(`{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"t1","function":{"name":"n"}}]}`, `{"tool_calls":[{"index":0,"id":"other","function":{"name":"m","arguments":"}"}}]}`) + finish("tool_calls"),
			want: []string{`call t1 n {}`, "toolUse"},
		},
		{
			name: "no index, the id comes late", stream: deltas(`{"tool_calls":[{"function":{"name":"n","arguments":"{"}}]}`, `{"tool_calls":[{"id":"t1","function":{"arguments":"}"}}]}`) + finish("tool_calls"),
			want: []string{"call t1 n {}", "toolUse"},
		},
		{
			name: "the index comes late", stream: deltas(`{"tool_calls":[{"id":"t1","function":{"name":"n","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"id":"t1","function":{"arguments":"\"a\""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`) + finish("tool_calls"),
			want: []string{`call t1 n {"a":1}`, "toolUse"},
		},
		{
			name: "arguments none, blank, broken", stream: deltas(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"s"}},{"index":1,"id":"b","function":{"name":"s","arguments":"  "}},{"index":2,"id":"c","function":{"name":"s","arguments":"{\"path\":\"a"}}]}`) + finish("tool_calls"),
			want: []string{`call a s {}`, `call b s {}`, `call c s {} not runnable`, "toolUse"},
		},
		{
			name: "older form of one call", stream: deltas(`{"function_call":{"name":"f","arguments":""}}`, `{"function_call":{"arguments":"{}"}}`) + finish("function_call"),
			want: []string{`call call_` + ai.ShortHash("c1 1700000000000") + `_0 f {}`, "toolUse"},
		},
		{name: "stop with calls", stream: deltas(`{"tool_calls":[{"index":0,"id":"t","function":{"name":"n","arguments":"{}"}}]}`) + finish("stop"), want: []string{"call t n {}", "toolUse"}},
		{name: "tool_calls without calls", stream: deltas(`{"content":"x"}`) + finish("tool_calls"), want: []string{"text x", "stop"}},
		{
			name: "text between calls", stream: deltas(`{"tool_calls":[{"index":0,"id":"t","function":{"name":"n","arguments":"{}"}}]}`, `{"content":"x"}`, `{"tool_calls":[{"index":1,"id":"u","function":{"name":"n","arguments":"{"}}]}`, `{"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}`) + finish("stop"),
			want: []string{"call t n {}", "text x", "call u n {}", "toolUse"},
		},
		{
			name: "more for a call that was whole", stream: deltas(`{"tool_calls":[{"index":0,"id":"t","function":{"name":"n","arguments":"{}"}}]}`, `{"content":"x"}`, `{"tool_calls":[{"index":0,"function":{"arguments":" \n"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"junk"}}]}`) + finish("stop"),
			want: []string{"call t n {}", "text x", "toolUse"},
		},
		{
			name: "custom tool", compat: `{"supportsOpenAIGrammarTools":true}`, tools: tools(), stream: deltas(`{"tool_calls":[{"index":0,"id":"t","type":"custom","custom":{"name":"patch","input":"a\"\n"}}]}`, `{"tool_calls":[{"index":0,"custom":{"input":"é\\"}}]}`) + finish("tool_calls"),
			want: []string{`call t patch {"input":"a\"\né\\"}`, "toolUse"},
		},
		{name: "custom tool without input", stream: deltas(`{"tool_calls":[{"index":0,"id":"t","type":"custom","custom":{"name":"odd"}}]}`) + finish("tool_calls"), want: []string{`call t odd {"input":""}`, "toolUse"}},

		{name: "length", stream: deltas(`{"content":"x"}`) + finish("length"), want: []string{"text x", "length"}},
		{name: "end", stream: deltas(`{"content":"x"}`) + finish("end"), want: []string{"text x", "stop"}},
		{name: "empty answer", stream: finish("stop") + done, want: []string{"stop"}},
		{name: "content filter", stream: deltas(`{"content":"x"}`) + finish("content_filter"), want: []string{"text x", "error refusal: Provider finish_reason: content_filter"}},
		{name: "network error", stream: finish("network_error"), want: []string{"error server: Provider finish_reason: network_error"}},
		{name: "unknown reason", stream: finish("moon"), want: []string{"error unknown: Provider finish_reason: moon"}},

		{name: "cut after text", stream: deltas(`{"content":"a"}`, `{"content":"b"}`), want: []string{"text ab", "error cut_stream: Stream ended without finish_reason"}},
		{name: "no [DONE]", stream: deltas(`{"content":"a"}`) + finish("stop"), want: []string{"text a", "stop"}},
		{name: "cut in a call", stream: deltas(`{"tool_calls":[{"index":0,"id":"t","function":{"name":"write","arguments":"{\"path\":\"no"}}]}`), want: []string{"call t write {} not runnable", "error cut_stream: Stream ended without finish_reason"}},
		{name: "[DONE] without reason", stream: deltas(`{"content":"a"}`) + done, want: []string{"text a", "error cut_stream: Stream ended without finish_reason"}},
		{name: "vendor without reasons", compat: `{"supportsFinishReason":false}`, stream: deltas(`{"content":"a"}`) + done, want: []string{"text a", "stop"}},
		{name: "vendor without reasons, calls", compat: `{"supportsFinishReason":false}`, stream: deltas(`{"tool_calls":[{"index":0,"id":"t","function":{"name":"n"}}]}`) + done, want: []string{"call t n {}", "toolUse"}},

		{name: "error in stream", stream: deltas(`{"content":"a"}`) + `data: {"error":{"message":"mid boom","code":500}}` + "\n\n", want: []string{"text a", "error server: 500: mid boom"}},
		{name: "error first", stream: `data: {"error":{"message":"slow down","type":"rate_limit_error"}}` + "\n\n", want: []string{"error rate_limit: rate_limit_error: slow down"}},
		{name: "error as text", stream: `data: {"error":"bad"}` + "\n\n", want: []string{"error unknown: bad"}},
		{name: "error in the choice", stream: chunks(`"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"upstream"}`), want: []string{"error server: 502: upstream"}},
		{name: "vLLM's error", stream: `data: {"object":"error","message":"too big: maximum context length is 10 tokens","type":"BadRequestError","code":400}` + "\n\n", want: []string{"error overflow: BadRequestError: too big: maximum context length is 10 tokens"}},
		{name: "event is not JSON", stream: deltas(`{"content":"a"}`) + "data: {\"broken\n\n", want: []string{"text a", `error cut_stream: the stream holds an event that is not JSON: unexpected end of JSON input: {"broken`}},

		{name: "whole message after its pieces", stream: deltas(`{"content":"Hi"}`) + chunks(`"delta":{},"message":{"content":"Hi"},"finish_reason":"stop"`), want: []string{"text Hi", "stop"}},
		{name: "answer that is no stream", stream: `data: {"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi","tool_calls":[{"id":"t","type":"function","function":{"name":"n","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` + "\n\n", want: []string{"text Hi", "call t n {}", "toolUse"}},
		{name: "second choice is nothing", stream: `data: {"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}` + "\n\n" + finish("stop"), want: []string{"text a", "stop"}},
		{name: "surprises", stream: deltas(`{"content":"a"}`) + strings.Join([]string{
			"event: ping\ndata: {}\n", ": comment\n", "data:\n", "data: : keepalive\n", "id: 7\n: ping\n", "retry: 5\n", "data: null\n", "data: [1]\n", "data: \"x\"\n", "data: 7\n",
			`data: {"choices":null}` + "\n", `data: {"choices":[]}` + "\n", `data: {"choices":{}}` + "\n", `data: {"choices":[null]}` + "\n", `data: {"choices":[{}]}` + "\n", `data: {"choices":[{"delta":null}]}` + "\n",
			`data: {"choices":[{"delta":{"content":5}}]}` + "\n", `data: {"choices":[{"delta":{"tool_calls":null,"audio":{"x":1}}}]}` + "\n", `data: {"choices":[{"delta":{"tool_calls":[{}]}}],"x":1}` + "\n",
			`data: {"usage":"none","error":null,"id":5}` + "\n", `data: {"choices":[{"delta":{"content":"b","future":{"a":[1]}}}]}` + "\n",
		}, "\n") + "\n" + finish("stop"), want: []string{"text ab", "stop"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := testModel(compat(tt.compat))
			if tt.model != nil {
				tt.model(m)
			}
			call := testCall(m, &ai.SystemMessage{ToolsAdded: tt.tools})
			msg, _ := both(t, call, tt.stream)
			if diff := cmp.Diff(tt.want, outline(msg)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if msg.Failure != nil && msg.Failure.Kind == ai.KindCutStream && !msg.Failure.Retryable() {
				t.Error("a cut stream is not retryable")
			}
		})
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	_, events := both(t, testCall(testModel()), deltas(`{"reasoning_content":"h"}`, `{"reasoning_content":"m"}`, `{"content":"a"}`, `{"content":"b"}`,
		`{"tool_calls":[{"index":0,"id":"t","function":{"name":"n","arguments":""}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}`,
		`{"tool_calls":[{"index":1,"id":"u","function":{"name":"n","arguments":"{"}}]}`, `{"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}`)+finish("tool_calls")+done)
	want := []string{
		"start", "thinking_start 0", "thinking_delta 0 h", "thinking_delta 0 m", "thinking_end 0",
		"text_start 1", "text_delta 1 a", "text_delta 1 b", "text_end 1",
		"toolcall_start 2", "toolcall_delta 2 {}", "toolcall_end 2", "toolcall_start 3", "toolcall_delta 3 {", "toolcall_delta 3 }", "toolcall_end 3",
		"done toolUse",
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// However the bytes are cut, the answer is the same.
func TestFraming(t *testing.T) {
	t.Parallel()
	stream := ": warming up\r\n\r\ndata:{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"na\u00efve \u6771\"}}]}\r\n\r\nevent: message\r\ndata: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\u4eac \U0001F9ED\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n"
	check := func(name string, r io.Reader) {
		m, events := aitest.Collect(t, decoding(t.Context(), testCall(testModel()), r, false))
		if m.Text() != "naïve 東京 🧭" || m.StopReason != ai.StopEnd || len(events) != 6 {
			t.Fatalf("%s: %q, %s, %q", name, m.Text(), m.StopReason, events)
		}
	}
	for _, s := range []string{stream, strings.ReplaceAll(stream, "\r\n", "\n")} {
		for k := range len(s) {
			check(fmt.Sprint("cut at ", k), io.MultiReader(strings.NewReader(s[:k]), strings.NewReader(s[k:])))
		}
		check("one byte at a time", iotest.OneByteReader(strings.NewReader(s)))
	}
}

// A connection that breaks when all was said does no harm.
func TestLostAfterEnd(t *testing.T) {
	t.Parallel()
	broken := func(stream string) io.Reader {
		return io.MultiReader(strings.NewReader(stream), iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	m := aitest.Check(t, decoding(t.Context(), testCall(testModel()), broken(deltas(`{"content":"a"}`)+finish("stop")), false))
	if m.StopReason != ai.StopEnd || len(m.Diagnostics) != 1 {
		t.Errorf("%s, %+v", m.StopReason, m.Diagnostics)
	}
	m = aitest.Check(t, decoding(t.Context(), testCall(testModel()), broken(deltas(`{"content":"a"}`)), false))
	if m.StopReason != ai.StopError || m.Failure.Kind != ai.KindCutStream || m.Text() != "a" {
		t.Errorf("%s, %+v", m.StopReason, m.Failure)
	}
}

func TestNamesAndUsage(t *testing.T) {
	t.Parallel()
	rates := func(m *ai.Model) { m.Cost = ai.Rates{Input: 1, Output: 10, CacheRead: 0.1, CacheWrite: 2} }
	tail := func(usage string) string {
		return deltas(`{"content":"x"}`) + finish("stop") + `data: {"id":"c2","model":"real","choices":[],"usage":` + usage + `}` + "\n\n" + done
	}
	cost := func(total float64, from bool, in, out, read, write float64) ai.Cost {
		return ai.Cost{Input: in, Output: out, CacheRead: read, CacheWrite: write, Total: total, FromProvider: from, HasFromProvider: true}
	}
	const m = 1e-6
	for _, tt := range []struct {
		name   string
		model  func(*ai.Model)
		stream string
		want   ai.Usage
	}{
		{
			"late", nil, tail(`{"prompt_tokens":1200,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":1000}}`),
			ai.Usage{Input: 200, CacheRead: 1000, Output: 30, Total: 1230, Cost: cost(600*m, false, 200*m, 300*m, 100*m, 0)},
		},
		{"none", nil, deltas(`{"content":"x"}`) + finish("stop"), ai.Usage{Unknown: true}},
		{"null", nil, tail(`null`), ai.Usage{Unknown: true}},
		{
			"in the choice", nil, chunks(`"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":5,"completion_tokens":1,"cached_tokens":2}`),
			ai.Usage{Input: 3, CacheRead: 2, Output: 1, Total: 6, Cost: cost(13.2*m, false, 3*m, 10*m, 0.2*m, 0)},
		},
		{
			"DeepSeek", nil, tail(`{"prompt_tokens":10,"completion_tokens":4,"prompt_cache_hit_tokens":7,"completion_tokens_details":{"reasoning_tokens":3}}`),
			ai.Usage{Input: 3, CacheRead: 7, Output: 4, Reasoning: 3, HasReasoning: true, Total: 14, Cost: cost(43.7*m, false, 3*m, 40*m, 0.7*m, 0)},
		},
		{
			"writes and odd counts", nil, tail(`{"prompt_tokens":10.0,"completion_tokens":-1,"prompt_tokens_details":{"cached_tokens":8,"cache_write_tokens":5},"reasoning_tokens":2}`),
			ai.Usage{CacheRead: 8, CacheWrite: 5, Reasoning: 2, HasReasoning: true, Total: 13, Cost: cost(10.8*m, false, 0, 0, 0.8*m, 10*m)},
		},
		{
			"the last counts", nil, strings.Replace(deltas(`{"content":"x"}`), `"choices"`, `"usage":{"prompt_tokens":1},"choices"`, 1) + tail(`{"prompt_tokens":2}`),
			ai.Usage{Input: 2, Total: 2, Cost: cost(2*m, false, 2*m, 0, 0, 0)},
		},
		{"billed", at("openrouter", ""), tail(`{"prompt_tokens":1,"cost":0.5,"is_byok":false}`), ai.Usage{Input: 1, Total: 1, Cost: cost(0.5, true, m, 0, 0, 0)}},
		{"billed elsewhere means nothing", nil, tail(`{"prompt_tokens":1,"cost":0.5,"is_byok":false}`), ai.Usage{Input: 1, Total: 1, Cost: cost(m, false, m, 0, 0, 0)}},
		{"own key", at("openrouter", ""), tail(`{"prompt_tokens":1,"cost":0.5,"is_byok":true,"cost_details":{"upstream_inference_cost":0.25}}`), ai.Usage{Input: 1, Total: 1, Cost: cost(0.75, true, m, 0, 0, 0)}},
		{"own key in parts", at("openrouter", ""), tail(`{"prompt_tokens":1,"cost":0.5,"is_byok":true,"cost_details":{"upstream_inference_cost":null,"upstream_inference_prompt_cost":0.25,"upstream_inference_completions_cost":1}}`), ai.Usage{Input: 1, Total: 1, Cost: cost(1.75, true, m, 0, 0, 0)}},
		{"own key, no details", at("openrouter", ""), tail(`{"prompt_tokens":1,"cost":0.5,"is_byok":true}`), ai.Usage{Input: 1, Total: 1, Cost: cost(m, false, m, 0, 0, 0)}},
		{"negative bill", at("openrouter", ""), tail(`{"prompt_tokens":1,"cost":-1,"is_byok":false}`), ai.Usage{Input: 1, Total: 1, Cost: cost(m, false, m, 0, 0, 0)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			model := testModel(rates)
			if tt.model != nil {
				tt.model(model)
			}
			msg, _ := both(t, testCall(model), tt.stream)
			near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 })
			if diff := cmp.Diff(tt.want, msg.Usage, near); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if msg.ResponseID != "c1" || msg.ResponseModel != "" && msg.ResponseModel != "real" {
				t.Errorf("named %q, %q", msg.ResponseID, msg.ResponseModel)
			}
		})
	}
	msg, _ := both(t, testCall(testModel()), tail(`{"prompt_tokens":1}`))
	if msg.ResponseModel != "real" || msg.RawStopReason != "stop" {
		t.Errorf("model %q, stop %q", msg.ResponseModel, msg.RawStopReason)
	}
}

// FuzzScan compares the scanner with encoding/json on the same events.
func FuzzScan(f *testing.F) {
	for _, s := range []string{
		`{"content":"a"}`, `{"content":"\u00e9\ud83e\udded\n"}`, `{"content":"\ud83e"}`, `{"reasoning_content":"a","content":""}`, `{"reasoning":"a"}`, `{"reasoning":"a","reasoning_content":"b"}`,
		`{"role":"assistant","content":null,"tool_calls":[]}`, `{"tool_calls":[{"index":0,"id":"t","function":{"name":"n","arguments":"{"}}]}`, `{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}`,
		`{"content":"a","CONTENT":null}`, `{"content":"a","content":"b"}`, `{"content":"a","x":null}`, `{"content":"a","x":1}`, `{"refusal":null,"content":"a"}`, "{\"content\":\"\x00\"}",
	} {
		f.Add(`{"id":"c1","model":"m","choices":[{"index":0,"delta":`+s+`,"finish_reason":null}],"usage":null}`, s)
		f.Add(`{"choices":[{"delta":`+s+`}]}`, s)
	}
	f.Add(`{"object":"error"}`, `[]`)
	f.Add(`{"choices":[{"delta":{"content":"x"}}],"CHOICES":null}`, `{"tool_calls":[{"index":0,"function":{"arguments":"x"}}],"Tool_Calls":null}`)
	f.Add(`{"choices":[{"delta":{"content":"x"},"Delta":null}]}`, `{"content":"a"}`)
	f.Add(`{"id":"","model":"other","obfuscation":"xx","created":1,"choices":[{"delta":{"content":"x"}}]}`, `{}`)
	f.Add("{\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\x00", `{}`)
	f.Fuzz(func(t *testing.T, event, delta string) {
		if strings.ContainsAny(event+delta, "\r\n") {
			t.Skip("not one line")
		}
		frames := []string{
			`{"choices":[{"delta":{"content":"one"}}]}`, event, `{"id":"c1","model":"m","choices":[{"delta":` + delta + `}]}`, event,
			`{"choices":[{"delta":{"reasoning_content":"two"}}]}`, event, `{"id":"c1","choices":[{"delta":` + delta + `}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t","function":{"name":"n","arguments":"{"}}]}}]}`, event, event,
		}
		for _, f := range frames {
			// The scanner steps over values it does not need; a frame that is
			// broken only there is taken.
			if !jsonValid(f) {
				t.Skip("not JSON")
			}
		}
		stream := "data: " + strings.Join(frames, "\n\ndata: ") + "\n\n" + finish("stop")
		call := testCall(testModel())
		m, events := aitest.Collect(t, decoding(t.Context(), call, strings.NewReader(stream), false))
		slow, slowEvents := aitest.Collect(t, decoding(t.Context(), call, strings.NewReader(stream), true))
		if diff := cmp.Diff(slowEvents, events); diff != "" {
			t.Errorf("events (-without +with):\n%s", diff)
		}
		m.Diagnostics, slow.Diagnostics = nil, nil // fields of odd types go unnoticed where they are skipped
		if a, b := slow.AppendJSON(nil), m.AppendJSON(nil); !bytes.Equal(a, b) {
			t.Errorf("without %s\nwith %s", a, b)
		}
	})
}
