package responses

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
)

// decoding is a stream that reads an answer from r.
func decoding(ctx context.Context, c *ai.Call, d *Dialect, o *Options, r io.Reader, slow bool) *ai.Stream {
	now := func() time.Time { return time.UnixMilli(1700000000000) }
	return ai.NewStream(ctx, ai.StreamInfo{Model: c.Model, Now: now}, func(ctx context.Context, out *ai.Emitter) error {
		req, err := NewRequest(c, d, o, new(State))
		if err != nil {
			return err
		}
		dec := NewDecoder(c, out, req)
		dec.slow = slow
		return dec.End(wire.Read(out, r, c, func(f sse.Frame) (bool, error) { return dec.Frame(f.Data) }))
	})
}

// events makes a stream of events, given as "type rest-of-members".
func events(list ...string) string {
	var b strings.Builder
	for i, e := range list {
		kind, rest, _ := strings.Cut(e, " ")
		if rest != "" {
			rest = "," + rest
		}
		fmt.Fprintf(&b, "event: %s\ndata: {\"type\":\"%s\",\"sequence_number\":%d%s}\n\n", kind, kind, i, rest)
	}
	return b.String()
}

func added(index int, item string) string {
	return fmt.Sprintf(`response.output_item.added "output_index":%d,"item":%s`, index, item)
}

func doneItem(index int, item string) string {
	return fmt.Sprintf(`response.output_item.done "output_index":%d,"item":%s`, index, item)
}

func delta(kind string, index int, text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return fmt.Sprintf(`response.%s.delta "item_id":"i","output_index":%d,"content_index":0,"delta":%s`, kind, index, b)
}

const completed = `response.completed "response":{"id":"r1","model":"m","status":"completed","output":[]}`

func outline(m *ai.AssistantMessage) []string {
	var lines []string
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			lines = append(lines, "text "+b.Text+" | "+b.Signature)
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
	end := string(m.StopReason) + " " + m.RawStopReason
	if m.Failure != nil {
		end += fmt.Sprintf(" %s: %s", m.Failure.Kind, m.ErrorMessage)
	}
	return append(lines, end)
}

func both(t *testing.T, c *ai.Call, d *Dialect, o *Options, stream string) (*ai.AssistantMessage, []string) {
	t.Helper()
	m, list := aitest.Collect(t, decoding(t.Context(), c, d, o, strings.NewReader(stream), false))
	slow, slowList := aitest.Collect(t, decoding(t.Context(), c, d, o, strings.NewReader(stream), true))
	if diff := cmp.Diff(slowList, list); diff != "" {
		t.Errorf("the scanner gives other events (-without +with):\n%s", diff)
	}
	if diff := cmp.Diff(string(slow.AppendJSON(nil)), string(m.AppendJSON(nil))); diff != "" {
		t.Errorf("the scanner gives another message (-without +with):\n%s", diff)
	}
	return m, list
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	message := `{"type":"message","id":"msg_1","role":"assistant","content":[]}`
	reasoning := `{"type":"reasoning","id":"rs_1","summary":[]}`
	function := `{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","arguments":""}`
	custom := `{"type":"custom_tool_call","id":"ctc_1","call_id":"c1","name":"patch","input":""}`
	finalReasoning := `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"zz"}`
	tests := []struct {
		name   string
		stream string
		want   []string
	}{
		{
			"text", events(`response.created "response":{"id":"r1","model":"m"}`, added(0, message), delta("output_text", 0, "Hel"), delta("output_text", 0, "lo 東\n"),
				`response.output_text.done "output_index":0,"text":"Hello 東\n"`, doneItem(0, `{"type":"message","id":"msg_1","phase":"final_answer","content":[{"type":"output_text","text":"Hello 東\n","annotations":[]}]}`), completed),
			[]string{`text Hello 東` + "\n" + ` | {"v":1,"id":"msg_1","phase":"final_answer"}`, "stop completed"},
		},
		{
			"reasoning in parts", events(added(0, reasoning), `response.reasoning_summary_part.added "output_index":0,"summary_index":0`, delta("reasoning_summary_text", 0, "a"), `response.reasoning_summary_part.done "output_index":0`,
				`response.reasoning_summary_part.added "output_index":0,"summary_index":1`, delta("reasoning_summary_text", 0, "b"), doneItem(0, finalReasoning), completed),
			[]string{"thinking a\n\nb | " + finalReasoning, "stop completed"},
		},
		{
			"open reasoning", events(added(0, reasoning), `response.content_part.added "output_index":0,"part":{"type":"reasoning_text","text":""}`, delta("reasoning_text", 0, "a"),
				doneItem(0, `{"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"a"}]}`), completed),
			[]string{`thinking a | {"type":"reasoning","id":"rs_1","summary":[],"content":[{"type":"reasoning_text","text":"a"}]}`, "stop completed"},
		},
		{
			"hidden reasoning", events(added(0, reasoning), doneItem(0, `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}`), completed),
			[]string{`thinking  | {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"}`, "stop completed"},
		},
		{
			"encrypted content at the end", events(added(0, reasoning), doneItem(0, reasoning), `response.completed "response":{"status":"completed","output":[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"late"},{"type":"reasoning","id":"rs_2","encrypted_content":"other"},7]}`),
			[]string{`thinking  | {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"late"}`, "stop completed"},
		},
		{
			"refusal", events(added(0, message), delta("refusal", 0, "No."), doneItem(0, `{"type":"message","id":"msg_1","content":[{"type":"refusal","refusal":"No."}]}`), completed),
			[]string{`text No. | {"v":1,"id":"msg_1"}`, "stop completed"},
		},
		{
			"the item has the last word", events(added(0, message), delta("output_text", 0, "abc"), doneItem(0, `{"type":"message","id":"msg_1","content":[{"type":"output_text","text":"abd"},{"type":"output_text","text":"ef"}]}`), completed),
			[]string{`text abdef | {"v":1,"id":"msg_1"}`, "stop completed"},
		},
		{
			"items that come whole", events(doneItem(0, finalReasoning), doneItem(1, `{"type":"message","id":"m1","content":[{"type":"output_text","text":"x"}]}`), doneItem(2, `{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","arguments":"{\"a\":1}"}`), completed),
			[]string{"thinking a\n\nb | " + finalReasoning, `text x | {"v":1,"id":"m1"}`, `call c1|fc_1 read {"a":1}`, "toolUse completed"},
		},
		{"deltas without an item", events(delta("reasoning_summary_text", 0, "h"), delta("output_text", 1, "x"), delta("function_call_arguments", 2, "{}"), completed), []string{"thinking h | ", "text x | ", "stop completed"}},
		{"call", events(added(0, function), delta("function_call_arguments", 0, `{"a":`), delta("function_call_arguments", 0, `"é\n"}`), `response.function_call_arguments.done "output_index":0,"arguments":"{\"a\":\"é\\n\"}"`,
			doneItem(0, `{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","namespace":"ns","arguments":"{\"a\":\"é\\n\"}"}`), completed), []string{`call c1|fc_1 read {"a":"é\n"}`, "toolUse completed"}},
		{
			"calls in turn", events(added(0, function), added(1, `{"type":"function_call","id":"fc_2","call_id":"c2","name":"ls","arguments":"{"}`), delta("function_call_arguments", 1, `}`), delta("function_call_arguments", 0, `{}`),
				doneItem(1, `{"type":"function_call","id":"fc_2","call_id":"c2","name":"ls","arguments":"{}"}`), doneItem(0, `{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","arguments":"{}"}`), completed),
			[]string{"call c1|fc_1 read {}", "call c2|fc_2 ls {}", "toolUse completed"},
		},
		{"the rest of the arguments", events(added(0, function), delta("function_call_arguments", 0, `{"a"`), doneItem(0, `{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","arguments":"{\"a\":1}"}`), completed), []string{`call c1|fc_1 read {"a":1}`, "toolUse completed"}},
		{"broken arguments", events(added(0, function), doneItem(0, `{"type":"function_call","id":"fc_1","call_id":"c1","name":"read","arguments":"{\"a\":"}`), completed), []string{`call c1|fc_1 read {} not runnable`, "toolUse completed"}},
		{"custom call", events(added(0, custom), delta("custom_tool_call_input", 0, "a\""), delta("custom_tool_call_input", 0, "\n"), `response.custom_tool_call_input.done "output_index":0,"input":"a\"\n!"`,
			doneItem(0, `{"type":"custom_tool_call","id":"ctc_1","call_id":"c1","name":"patch","input":"a\"\n!"}`), completed), []string{`call c1|ctc_1 patch {"input":"a\"\n!"}`, "toolUse completed"}},
		{"custom call without deltas", events(added(0, custom), doneItem(0, `{"type":"custom_tool_call","id":"ctc_1","call_id":"c1","name":"patch","input":"x"}`), completed), []string{`call c1|ctc_1 patch {"input":"x"}`, "toolUse completed"}},
		{"custom call that contradicts itself", events(added(0, custom), delta("custom_tool_call_input", 0, "ab"), `response.custom_tool_call_input.done "output_index":0,"input":"ax"`), []string{"call c1|ctc_1 patch {} not runnable", "error  protocol: the input of the tool call patch is not what its deltas said"}},
		{"unfinished call", events(added(0, function), delta("function_call_arguments", 0, `{}`), completed), []string{"call c1|fc_1 read {} not runnable", `error completed cut_stream: the answer ended before the tool call "read" was complete`}},
		{"length", events(added(0, function), delta("function_call_arguments", 0, `{"a`), `response.incomplete "response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}`), []string{"call c1|fc_1 read {} not runnable", "length incomplete.max_output_tokens"}},
		{"filtered", events(`response.incomplete "response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}`), []string{"error incomplete.content_filter refusal: the answer was stopped by the vendor's content filter"}},
		{"incomplete for another reason", events(`response.incomplete "response":{"status":"incomplete","incomplete_details":{"reason":"moon"}}`), []string{"error incomplete.moon unknown: the answer is incomplete: moon"}},
		{"completed with status cancelled", events(`response.completed "response":{"status":"cancelled"}`), []string{`error cancelled server: the response ended with status "cancelled"`}},
		{"queued", events(`response.completed "response":{"status":"queued"}`), []string{"stop queued"}},
		{"done", events(`response.done "response":{"status":"completed","end_turn":true}`), []string{"stop completed"}},
		{"completed without response", events(`response.completed`), []string{"stop completed"}},
		{"failed", events(added(0, message), delta("output_text", 0, "half"), `response.failed "response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow"}}`), []string{"text half | ", "error failed rate_limit: rate_limit_exceeded: slow"}},
		{"error event", events(`error "code":"server_error","message":"boom","param":null`), []string{"error  server: server_error: boom"}},
		{"error without type", `data: {"error":{"message":"no","code":"insufficient_quota"}}` + "\n\n", []string{"error  billing: insufficient_quota: no"}},
		{"cut", events(added(0, message), delta("output_text", 0, "half")), []string{"text half | ", "error  cut_stream: OpenAI Responses stream ended before a terminal response event"}},
		{"[DONE] early", events(added(0, message)) + "data: [DONE]\n\n", []string{"text  | ", "error  cut_stream: OpenAI Responses stream ended before a terminal response event"}},
		{"not JSON", "data: {\"a\n\n", []string{`error  cut_stream: the stream holds an event that is not JSON: unexpected end of JSON input: {"a`}},
		{
			"surprises", events(`response.future "x":[1]`, added(0, `{"type":"web_search_call","id":"ws"}`), `response.web_search_call.searching "output_index":0`, delta("output_text", 0, "not ours"), doneItem(0, `{"type":"web_search_call","id":"ws"}`),
				added(1, `7`), added(2, message), `response.output_text.delta "output_index":"2","delta":5`, delta("output_text", 2, "x"), `response.output_text.annotation.added "output_index":2`, delta("function_call_arguments", 2, "no"),
				doneItem(2, `{"type":"message"}`), delta("output_text", 2, "late"), doneItem(2, `{"type":"message","content":[]}`), `response.output_item.added`, `response.output_item.done`, completed),
			[]string{"text x | ", "stop completed"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := testCall(testModel(`{"supportsOpenAIGrammarTools":true}`), &ai.SystemMessage{ToolsAdded: tools()})
			m, _ := both(t, c, openAI(), &Options{}, tt.stream)
			if diff := cmp.Diff(tt.want, outline(m)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEvents(t *testing.T) {
	t.Parallel()
	_, list := both(t, testCall(testModel(`{}`)), openAI(), &Options{}, events(
		added(0, `{"type":"reasoning","id":"rs"}`), `response.reasoning_summary_part.added "output_index":0`, delta("reasoning_summary_text", 0, "a"), `response.reasoning_summary_part.added "output_index":0`, delta("reasoning_summary_text", 0, "b"),
		doneItem(0, `{"type":"reasoning","id":"rs","summary":[{"text":"a"},{"text":"b"}]}`),
		added(1, `{"type":"message","id":"m"}`), delta("output_text", 1, "x"), doneItem(1, `{"type":"message","id":"m","content":[{"text":"xy"}]}`),
		added(2, `{"type":"function_call","id":"fc_1","call_id":"c","name":"n"}`), delta("function_call_arguments", 2, "{"), `response.function_call_arguments.done "output_index":2,"arguments":"{}"`, doneItem(2, `{"type":"function_call","id":"fc_1","call_id":"c","name":"n","arguments":"{}"}`), completed))
	want := []string{
		"start", "thinking_start 0", "thinking_delta 0 a", "thinking_delta 0 \n\n", "thinking_delta 0 b", "thinking_end 0",
		"text_start 1", "text_delta 1 x", "text_delta 1 y", "text_end 1",
		"toolcall_start 2", "toolcall_delta 2 {", "toolcall_delta 2 }", "toolcall_end 2", "done toolUse",
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUsageNamesAndNotes(t *testing.T) {
	t.Parallel()
	m := testModel(`{}`)
	m.Cost = ai.Rates{Input: 1e6, Output: 1e6, CacheRead: 1e6, CacheWrite: 1e6}
	end := func(members string) string {
		return events(`response.created "response":{"id":"r1","model":"m"}`, `response.completed "response":{"id":"r2","status":"completed",`+members+`}`)
	}
	usage := `"usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15,"input_tokens_details":{"cached_tokens":6,"cache_write_tokens":1},"output_tokens_details":{"reasoning_tokens":0}}`
	for _, tt := range []struct {
		name    string
		dialect *Dialect
		opts    Options
		stream  string
		want    ai.Usage
		total   float64
	}{
		{"plain", openAI(), Options{}, end(usage), ai.Usage{Input: 3, Output: 5, CacheRead: 6, CacheWrite: 1, HasReasoning: true, Total: 15}, 15},
		{"none", openAI(), Options{}, end(`"x":1`), ai.Usage{Unknown: true}, 0},
		{"flex asked for", openAI(), Options{ServiceTier: "flex"}, end(usage), ai.Usage{Input: 3, Output: 5, CacheRead: 6, CacheWrite: 1, HasReasoning: true, Total: 15}, 7.5},
		{"another tier used", openAI(), Options{ServiceTier: "flex"}, end(usage + `,"service_tier":"priority"`), ai.Usage{Input: 3, Output: 5, CacheRead: 6, CacheWrite: 1, HasReasoning: true, Total: 15}, 30},
		{"default used", openAI(), Options{ServiceTier: "flex"}, end(usage + `,"service_tier":"default"`), ai.Usage{Input: 3, Output: 5, CacheRead: 6, CacheWrite: 1, HasReasoning: true, Total: 15}, 15},
		{"Codex accounts as default", &Dialect{Codex: true, ServiceTier: true}, Options{ServiceTier: "priority"}, end(usage + `,"service_tier":"default"`), ai.Usage{Input: 3, Output: 5, CacheRead: 6, CacheWrite: 1, HasReasoning: true, Total: 15}, 30},
		{"more cached than sent", openAI(), Options{}, end(`"usage":{"input_tokens":5,"input_tokens_details":{"cached_tokens":6}}`), ai.Usage{CacheRead: 6, Total: 6}, 6},
	} {
		msg, _ := both(t, testCall(m), tt.dialect, &tt.opts, tt.stream)
		got := msg.Usage
		total := got.Cost.Total
		got.Cost = ai.Cost{}
		if diff := cmp.Diff(tt.want, got); diff != "" || total != tt.total {
			t.Errorf("%s: cost %v, usage (-want +got):\n%s", tt.name, total, diff)
		}
		if msg.ResponseID != "r1" {
			t.Errorf("%s: id %q", tt.name, msg.ResponseID)
		}
	}
	fast := *m
	fast.ID = "gpt-5.5"
	if f := tierFactor(&fast, "fast"); f != 2.5 {
		t.Errorf("gpt-5.5 at priority: %v", f)
	}
	msg, _ := both(t, testCall(m), openAI(), &Options{}, events(`response.completed "response":{"model":"m-2026","status":"completed","end_turn":false,"input_transformations":[{"type":"removed","reason":"turn_boundary"},{"type":"removed","reason":"too_long"}]}`))
	if msg.ResponseModel != "m-2026" || msg.EndTurn == nil || *msg.EndTurn {
		t.Errorf("model %q, end of turn %v", msg.ResponseModel, msg.EndTurn)
	}
	if len(msg.Diagnostics) != 1 || msg.Diagnostics[0].Type != "openai_input_transformations" || strings.Contains(string(msg.Diagnostics[0].Details), "turn_boundary") {
		t.Errorf("diagnostics %+v", msg.Diagnostics)
	}
}

func TestNoAllocationPerDelta(t *testing.T) {
	for _, kind := range []string{"output_text", "function_call_arguments"} {
		item := `{"type":"message","id":"m"}`
		if kind != "output_text" {
			item = `{"type":"function_call","id":"fc_1","call_id":"c","name":"n"}`
		}
		measure := func(n int) float64 {
			stream := events(added(0, item)) + strings.Repeat(events(delta(kind, 0, "word ")), n) + events(completed)
			c := testCall(testModel(`{}`))
			return testing.AllocsPerRun(5, func() {
				for range decoding(context.Background(), c, openAI(), &Options{}, strings.NewReader(stream), false).Events() {
				}
			})
		}
		if few, many := measure(1000), measure(11000); many-few > 50 {
			t.Errorf("%s: %v allocations for 1000 deltas, %v for 11000", kind, few, many)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{
		`{"type":"response.output_text.delta","output_index":0,"delta":"x","logprobs":[],"obfuscation":"q"}`, `{"type":"response.output_text.delta","output_index":0,"delta":"\ud83e"}`,
		`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"}"}`, `{"type":"response.reasoning_summary_text.delta","output_index":2,"delta":"x","DELTA":null}`,
		`{"type":"response.output_text.delta","delta":"x"}`, `{"type":"response.output_text.delta","output_index":0,"delta":"x","delta":"y"}`, `{"delta":"x","output_index":0,"type":"response.output_text.delta","x":null}`, `{}`, `7`,
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"text":"y"}]}}`, `{"type":"response.reasoning_summary_part.added","output_index":2}`,
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		if strings.ContainsAny(one+two, "\r\n") || !json.Valid([]byte(one)) || !json.Valid([]byte(two)) {
			t.Skip()
		}
		stream := events(added(0, `{"type":"message","id":"m"}`), added(1, `{"type":"function_call","id":"fc","call_id":"c","name":"n","arguments":"{"}`), added(2, `{"type":"reasoning","id":"r"}`), added(3, `{"type":"custom_tool_call","id":"ctc","call_id":"d","name":"patch"}`)) +
			"data: " + strings.Join([]string{one, two, one, two}, "\n\ndata: ") + "\n\n" + events(completed)
		c := testCall(testModel(`{}`))
		m, list := aitest.Collect(t, decoding(t.Context(), c, openAI(), &Options{}, strings.NewReader(stream), false))
		slow, slowList := aitest.Collect(t, decoding(t.Context(), c, openAI(), &Options{}, strings.NewReader(stream), true))
		if diff := cmp.Diff(slowList, list); diff != "" {
			t.Errorf("events (-without +with):\n%s", diff)
		}
		m.Diagnostics, slow.Diagnostics = nil, nil
		if a, b := string(slow.AppendJSON(nil)), string(m.AppendJSON(nil)); a != b {
			t.Errorf("without %s\nwith %s", a, b)
		}
	})
}

func BenchmarkDelta(b *testing.B) {
	const n = 10_000
	stream := events(added(0, `{"type":"message","id":"m"}`)) + strings.Repeat(events(delta("output_text", 0, "a word ")), n) + events(completed)
	c := testCall(testModel(`{}`))
	b.ReportAllocs()
	for b.Loop() {
		for range decoding(context.Background(), c, openAI(), &Options{}, strings.NewReader(stream), false).Events() {
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
}
