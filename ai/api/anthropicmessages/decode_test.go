package anthropicmessages_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
)

// client makes a collection of one provider over a mock server.
func client(srv *mockllm.Server, model *ai.Model) *ai.Models {
	p := ai.NewProvider(ai.ProviderConfig{ID: model.Provider, Models: []*ai.Model{model}, APIs: []ai.API{anthropicmessages.New()}})
	return ai.ModelsConfig{HTTPClient: srv.Client()}.New(p)
}

// play streams raw bytes as an answer and checks the contract.
func play(t *testing.T, answer mockllm.Answer) (*ai.AssistantMessage, []string) {
	t.Helper()
	srv := mockllm.New()
	srv.Queue(answer)
	m := testModel()
	req := ai.Request{Messages: []ai.Message{ai.UserText("Go on.")}}
	return aitest.Collect(t, client(srv, m).Stream(t.Context(), m, req, ai.Options{APIKey: "key"}))
}

// stream joins events given as JSON.
func stream(events ...string) mockllm.Answer {
	var b strings.Builder
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return mockllm.Raw(b.String())
}

const (
	begin     = `{"type":"message_start","message":{"id":"msg_1","model":"claude-x","usage":{"input_tokens":3,"cache_read_input_tokens":900,"cache_creation_input_tokens":100,"output_tokens":1}}}`
	textStart = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	textStop  = `{"type":"content_block_stop","index":0}`
	endTurn   = `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":12}}`
	msgStop   = `{"type":"message_stop"}`
)

func text(s string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, s)
}

func TestUsageAndCost(t *testing.T) {
	m, _ := play(t, stream(begin, textStart, text("Hi"), textStop, endTurn, msgStop))
	u := m.Usage
	if u.Input != 3 || u.CacheRead != 900 || u.CacheWrite != 100 || u.Output != 12 || u.ContextTokens() != 1015 || u.Unknown {
		t.Errorf("usage %+v", u)
	}
	if want := (3*1 + 12*10 + 900*0.1 + 100*2) / 1e6; !near(u.Cost.Total, want) {
		t.Errorf("cost %v, want %v", u.Cost.Total, want)
	}
	if m.ResponseID != "msg_1" || m.ResponseModel != "" || m.RawStopReason != "end_turn" {
		t.Errorf("id %q, model %q, stop %q", m.ResponseID, m.ResponseModel, m.RawStopReason)
	}
	hour := `{"type":"message_start","message":{"id":"m","model":"other","usage":{"input_tokens":1,"cache_creation_input_tokens":10,"cache_creation":{"ephemeral_1h_input_tokens":4}}}}`
	late := `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":null,"output_tokens":7,"output_tokens_details":{"thinking_tokens":5}}}`
	m, _ = play(t, stream(hour, textStart, text("x"), textStop, late, msgStop))
	if u := m.Usage; u.Input != 1 || u.CacheWrite != 10 || u.CacheWrite1h != 4 || u.Reasoning != 5 || !u.HasReasoning || u.Total != 18 || m.ResponseModel != "other" {
		t.Errorf("usage %+v of model %q", u, m.ResponseModel)
	}
	m, _ = play(t, stream(`{"type":"message_start","message":{}}`, textStart, text("x"), textStop, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, msgStop))
	if !m.Usage.Unknown || m.StopReason != ai.StopEnd {
		t.Errorf("without counts: usage %+v, stop %s", m.Usage, m.StopReason)
	}
}

// OpenRouter says what it charges, which counts more than what the catalog says; others
// may mean something else by these words.
func TestBillOfOpenRouter(t *testing.T) {
	for name, tt := range map[string]struct {
		provider, bill string
		want           float64
	}{
		"billed":          {"openrouter", `"cost":0.5,"is_byok":false`, 0.5},
		"own key":         {"openrouter", `"cost":0.5,"is_byok":true,"cost_details":{"upstream_inference_cost":0.25}`, 0.75},
		"own key, silent": {"openrouter", `"cost":0.5,"is_byok":true`, 0},
		"nonsense":        {"openrouter", `"cost":"much","is_byok":3,"cost_details":[]`, 0},
		"another vendor":  {"anthropic", `"cost":0.5,"is_byok":false`, 0},
	} {
		m := testModel()
		m.Provider = tt.provider
		srv := mockllm.New()
		srv.Queue(stream(begin, textStart, text("Hi"), textStop,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":12,`+tt.bill+`}}`, msgStop))
		a := client(srv, m).Stream(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{APIKey: "k"}).Result()
		want := tt.want
		if want == 0 {
			want = (3*1 + 12*10 + 900*0.1 + 100*2) / 1e6
		}
		if a.Err() != nil || !near(a.Usage.Cost.Total, want) || a.Usage.Cost.FromProvider != (tt.want > 0) {
			t.Errorf("%s: %+v, %v", name, a.Usage.Cost, a.Err())
		}
	}
}

func near(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }

func TestStopReasons(t *testing.T) {
	stop := func(reason, more string) string {
		return `{"type":"message_delta","delta":{"stop_reason":` + reason + more + `},"usage":{"output_tokens":1}}`
	}
	for _, tt := range []struct {
		reason, more string
		stop         ai.StopReason
		kind         ai.ErrorKind
		says         string
	}{
		{`"end_turn"`, "", ai.StopEnd, "", ""},
		{`"stop_sequence"`, "", ai.StopEnd, "", ""},
		{`"pause_turn"`, "", ai.StopEnd, "", ""},
		{`"max_tokens"`, "", ai.StopLength, "", ""},
		{`"tool_use"`, "", ai.StopEnd, "", ""}, // no call of ours
		{`"refusal"`, `,"stop_details":{"explanation":"not this"}`, ai.StopError, ai.KindRefusal, "not this"},
		{`"refusal"`, "", ai.StopError, ai.KindRefusal, "declined"},
		{`"sensitive"`, "", ai.StopError, ai.KindRefusal, "sensitive"},
		{`"model_context_window_exceeded"`, "", ai.StopError, ai.KindOverflow, "context window"},
		{`"brand_new"`, "", ai.StopError, ai.KindProtocol, "brand_new"},
		{`null`, "", ai.StopError, ai.KindCutStream, "without a stop reason"},
	} {
		m, _ := play(t, stream(begin, textStart, text("Hi"), textStop, stop(tt.reason, tt.more), msgStop))
		if m.StopReason != tt.stop || m.Text() != "Hi" {
			t.Errorf("%s: stop %s, text %q", tt.reason, m.StopReason, m.Text())
		}
		if tt.kind != "" && (m.Failure == nil || m.Failure.Kind != tt.kind || !strings.Contains(m.ErrorMessage, tt.says)) {
			t.Errorf("%s: failure %+v, want %s with %q", tt.reason, m.Failure, tt.kind, tt.says)
		}
	}
}

// An error inside a stream that began well, in each of its forms.
func TestErrorInStream(t *testing.T) {
	const failure = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`
	named := func(events ...string) mockllm.Answer {
		a := stream(events...)
		a.Raw = strings.Replace(a.Raw, "data: "+failure, "event: error\ndata: "+failure, 1)
		return a
	}
	for name, tt := range map[string]struct {
		answer mockllm.Answer
		text   string
	}{
		"after text":    {named(begin, textStart, text("Half an ans"), failure), "Half an ans"},
		"first":         {named(failure), ""},
		"without event": {stream(begin, textStart, text("Half an ans"), failure), "Half an ans"},
	} {
		m, events := play(t, tt.answer)
		if m.StopReason != ai.StopError || m.Text() != tt.text || !strings.Contains(m.ErrorMessage, "Overloaded") {
			t.Errorf("%s: %s %q %q", name, m.StopReason, m.Text(), m.ErrorMessage)
		}
		var e *ai.APIError
		if !errors.As(m.Err(), &e) || e.Kind != ai.KindOverloaded || e.Code != "overloaded_error" || !e.Retryable() {
			t.Errorf("%s: failure %+v", name, e)
		}
		if events[len(events)-1] != "error error" {
			t.Errorf("%s: events %q", name, events)
		}
	}
}

// What keeps a connection open changes nothing.
func TestKeepalives(t *testing.T) {
	for _, ka := range []string{": ping\n\n", ":\n\n", "event: ping\ndata: {}\n\n", "data:\n\n", "data: : keepalive\n\n", "id: 7\n: ping\n\n", `data: {"type":"ping"}` + "\n\n", `data: {"type":"of a later version","x":[1]}` + "\n\n"} {
		a := stream(begin, textStart, text("a"), text("b"), textStop, endTurn, msgStop)
		a.Raw = strings.ReplaceAll(a.Raw, "\n\n", "\n\n"+ka)
		m, events := play(t, a)
		want := []string{"start", "text_start 0", "text_delta 0 a", "text_delta 0 b", "text_end 0", "done stop"}
		if m.StopReason != ai.StopEnd || !slices.Equal(events, want) {
			t.Errorf("%q: %s, events %q", ka, m.ErrorMessage, events)
		}
	}
	m, _ := play(t, stream(begin, textStart, text("a"), `{"broken`, msgStop))
	if m.StopReason != ai.StopError || !strings.Contains(m.ErrorMessage, `{"broken`) {
		t.Errorf("a broken frame: %s %q", m.StopReason, m.ErrorMessage)
	}
}

func TestBlocks(t *testing.T) {
	start := func(index int, block string) string {
		return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block)
	}
	delta := func(index int, d string) string {
		return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, d)
	}
	end := func(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }
	for _, tt := range []struct {
		name   string
		events []string
		want   string // the content as stored
		stop   ai.StopReason
	}{
		{
			"thinking with its signature in parts",
			[]string{
				start(0, `{"type":"thinking","thinking":"","signature":""}`), delta(0, `{"type":"thinking_delta","thinking":"Hm."}`),
				delta(0, `{"type":"signature_delta","signature":"ab"}`), delta(0, `{"type":"signature_delta","signature":"cd"}`), end(0),
			},
			`[{"type":"thinking","thinking":"Hm.","thinkingSignature":"abcd"}]`, ai.StopEnd,
		},
		{
			"redacted thinking",
			[]string{start(0, `{"type":"redacted_thinking","data":"xyz"}`), end(0)},
			`[{"type":"thinking","thinking":"[Reasoning redacted]","thinkingSignature":"xyz","redacted":true}]`, ai.StopEnd,
		},
		{
			"interleaved blocks",
			[]string{
				start(5, `{"type":"text","text":"A"}`), start(2, `{"type":"tool_use","id":"t","name":"ls","input":{}}`),
				delta(5, `{"type":"text_delta","text":"B"}`), delta(2, `{"type":"input_json_delta","partial_json":"{\"p\""}`),
				delta(5, `{"type":"text_delta","text":"C"}`), delta(2, `{"type":"input_json_delta","partial_json":":1}"}`), end(5), end(2),
			},
			`[{"type":"text","text":"ABC"},{"type":"toolCall","id":"t","name":"ls","arguments":{"p":1}}]`, ai.StopToolUse,
		},
		{
			"arguments whole at the start",
			[]string{start(0, `{"type":"tool_use","id":"t","name":"ls","input":{"path":"."}}`), end(0)},
			`[{"type":"toolCall","id":"t","name":"ls","arguments":{"path":"."}}]`, ai.StopToolUse,
		},
		{
			"arguments at the start and in deltas",
			[]string{start(0, `{"type":"tool_use","id":"t","name":"ls","input":{"path":"."}}`), delta(0, `{"type":"input_json_delta","partial_json":"{\"path\":\"/\"}"}`), end(0)},
			`[{"type":"toolCall","id":"t","name":"ls","arguments":{"path":"/"}}]`, ai.StopToolUse,
		},
		{
			"no arguments",
			[]string{start(0, `{"type":"tool_use","id":"t","name":"ls"}`), end(0)},
			`[{"type":"toolCall","id":"t","name":"ls","arguments":{}}]`, ai.StopToolUse,
		},
		{
			"the vendor's own tools",
			[]string{
				start(0, `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`), delta(0, `{"type":"input_json_delta","partial_json":"{}"}`), end(0),
				start(1, `{"type":"web_search_tool_result","tool_use_id":"s","content":[]}`), end(1),
				start(2, `{"type":"text","text":""}`), delta(2, `{"type":"text_delta","text":"found"}`), delta(2, `{"type":"citations_delta","citation":{}}`), end(2),
			},
			`[{"type":"text","text":"found"}]`, ai.StopEnd,
		},
		{
			"a message that starts twice",
			[]string{begin, start(0, `{"type":"text","text":"a"}`), begin, start(0, `{"type":"text","text":"b"}`), delta(0, `{"type":"text_delta","text":"c"}`), end(0)},
			`[{"type":"text","text":"a"},{"type":"text","text":"bc"}]`, ai.StopEnd,
		},
		{
			"blocks that never start",
			[]string{delta(3, `{"type":"text_delta","text":"a"}`), delta(3, `{"type":"text_delta","text":"b"}`)},
			`[{"type":"text","text":"ab"}]`, ai.StopEnd,
		},
		{
			"arguments that never start", []string{delta(3, `{"type":"input_json_delta","partial_json":"{}"}`)}, `[]`, ai.StopError,
		},
		{
			"line breaks in a string",
			[]string{start(0, `{"type":"text","text":"a`+"\t"+`b"}`), end(0)},
			`[{"type":"text","text":"a\tb"}]`, ai.StopEnd,
		},
		{
			"another model before the answer",
			[]string{start(0, `{"type":"fallback"}`), end(0), start(1, `{"type":"text","text":"a"}`), end(1)},
			`[{"type":"text","text":"a"}]`, ai.StopEnd,
		},
		{
			"another model within the answer",
			[]string{start(0, `{"type":"text","text":"a"}`), end(0), start(1, `{"type":"fallback"}`)},
			`[{"type":"text","text":"a"}]`, ai.StopError,
		},
		{
			"deltas of the wrong kind",
			[]string{start(0, `{"type":"text","text":""}`), delta(0, `{"type":"thinking_delta","thinking":"x"}`), delta(0, `{"type":"text_delta","thinking":"x"}`), end(0)},
			`[{"type":"text","text":""}]`, ai.StopEnd,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := play(t, stream(slices.Concat([]string{begin}, tt.events, []string{endTurn, msgStop})...))
			if got := string(ai.AppendBlocks(nil, m.Content)); got != tt.want || m.StopReason != tt.stop {
				t.Errorf("content %s, stop %s (%s)\nwant %s, %s", got, m.StopReason, m.ErrorMessage, tt.want, tt.stop)
			}
		})
	}
}

// A connection that ends early is never a finished answer.
func TestEarlyEnd(t *testing.T) {
	whole := []string{begin, textStart, text("Hi"), textStop, endTurn, msgStop}
	raw := stream(whole...).Raw
	for n := range len(raw) - 1 {
		a := mockllm.Raw(raw[:max(n, 1)])
		m, _ := play(t, a)
		if m.StopReason == ai.StopError && m.Failure.Retryable() {
			continue
		}
		// The last event may come without its blank line.
		if n < len(raw)-2 {
			t.Fatalf("cut after %d bytes: %s %+v", n, m.StopReason, m.Failure)
		}
	}
}
