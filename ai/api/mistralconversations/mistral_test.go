package mistralconversations

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The mock's dialect is OpenAI's, which this one resembles but for thinking.
func TestContract(t *testing.T) {
	t.Parallel()
	f := aitest.OverMock(New(), mockllm.Completions, &ai.Model{ID: "m", Provider: "mistral", API: ID, Reasoning: true, Input: []string{"text"}})
	f.Skip = []aitest.Scenario{aitest.Thoughtful}
	aitest.Run(t, f)
}

func testModel(compat string) *ai.Model {
	return &ai.Model{ID: "m", Provider: "mistral", API: ID, BaseURL: "https://api.mistral.ai", Reasoning: true, Input: []string{"text", "image"}, Compat: json.RawMessage(compat)}
}

func testCall(m *ai.Model, messages ...ai.Message) *ai.Call {
	return &ai.Call{Model: m, Messages: messages, BaseURL: m.BaseURL, SessionID: "s", Options: ai.Options{Thinking: ai.ThinkingMedium, MaxTokens: 100}}
}

func text(s string) *ai.Text { return &ai.Text{Text: s} }

func conversation() []ai.Message {
	own := func(content ...ai.Block) *ai.AssistantMessage {
		return &ai.AssistantMessage{API: ID, Provider: "mistral", Model: "m", StopReason: ai.StopToolUse, Content: content}
	}
	call := func(id, name, args string) *ai.ToolCall {
		return &ai.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
	}
	picture := &ai.Image{Data: "aGk=", MIMEType: "image/png"}
	return []ai.Message{
		&ai.SystemMessage{Content: "Be brief.", ToolsAdded: []ai.Tool{
			{Name: "read", Description: "Read.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`), Sampling: ai.StrictPreferred()},
			{Name: "status"},
		}},
		&ai.UserMessage{Content: []ai.Block{text("Look."), picture}},
		own(&ai.Thinking{Text: "Hm."}, text("I look."), call("abcdefgh1", "read", `{"path":"a"}`), call("abc-def-gh-2", "status", `{}`)),
		&ai.ToolResultMessage{ToolCallID: "abcdefgh1", ToolName: "read", Content: []ai.Block{text("a"), picture}, IsError: true},
		&ai.ToolResultMessage{ToolCallID: "abc-def-gh-2", ToolName: "status", Content: []ai.Block{text("b"), text("c")}, IsError: true},
		own(call("abcdefgh3", "read", `{}`)),
		&ai.ToolResultMessage{ToolCallID: "abcdefgh3", ToolName: "read", Content: []ai.Block{picture}, IsError: true},
		&ai.SystemMessage{Content: "Later.", ToolsAdded: []ai.Tool{{Name: "late"}}},
		&ai.AssistantMessage{API: "x", Provider: "y", Model: "z", StopReason: ai.StopEnd, Content: []ai.Block{&ai.Thinking{Text: "theirs", Signature: "s"}, text("Done."), call("call_1|fc_2", "read", `{}`)}},
		ai.UserText("Last."),
	}
}

func bodyOf(t testing.TB, c *ai.Call, st *state) []byte {
	t.Helper()
	r, err := newRequest(c, st)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join(r.body, nil)
}

func TestRequests(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		compat string
		change func(*ai.Call)
	}{
		"default": {},
		"strict-in-place": {compat: `{"supportsMidConvoSystemMessages":true,"supportsStrictMode":true}`, change: func(c *ai.Call) {
			c.Options.ToolChoice, c.Options.Temperature, c.Options.Cache = "read", new(0.5), ai.CacheNone
		}},
		"effort": {change: func(c *ai.Call) {
			c.Model.ThinkingLevels = map[ai.ThinkingLevel]*string{"low": new("LOW"), "off": new("none")}
			c.Options.ToolChoice = ai.ToolChoiceRequired
		}},
		"text-only": {change: func(c *ai.Call) { c.Model.Input, c.Model.Reasoning = []string{"text"}, false }},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		tt := tests[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := testCall(testModel(tt.compat), conversation()...)
			if tt.change != nil {
				tt.change(c)
			}
			var got bytes.Buffer
			body := bodyOf(t, c, new(state))
			if err := json.Indent(&got, body, "", "  "); err != nil {
				t.Fatalf("%v: %s", err, body)
			}
			got.WriteByte('\n')
			path := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

func TestThinkingFields(t *testing.T) {
	t.Parallel()
	levels := map[ai.ThinkingLevel]*string{"low": new("LOW"), "off": new("none")}
	for _, tt := range []struct {
		name         string
		levels       map[ai.ThinkingLevel]*string
		level        ai.ThinkingLevel
		opts         any
		effort, mode string
	}{
		{"no map, on", nil, "low", nil, "", "reasoning"},
		{"no map, off", nil, "off", nil, "", ""},
		{"mapped", levels, "low", nil, "LOW", ""},
		{"not in the map", levels, "medium", nil, "high", ""},
		{"off in the map", levels, "off", nil, "none", ""},
		{"off not in the map", map[ai.ThinkingLevel]*string{"low": new("LOW")}, "off", nil, "", ""},
		{"effort given", nil, "off", Options{ReasoningEffort: "x"}, "x", ""},
		{"mode given", nil, "off", &Options{PromptMode: "p"}, "", "p"},
	} {
		m := testModel("")
		m.ThinkingLevels = tt.levels
		c := testCall(m, ai.UserText("x"))
		c.Options.Thinking, c.Options.Protocol = tt.level, tt.opts
		var body struct {
			Effort string `json:"reasoning_effort"`
			Mode   string `json:"prompt_mode"`
		}
		if err := json.Unmarshal(bodyOf(t, c, new(state)), &body); err != nil {
			t.Fatal(err)
		}
		if body.Effort != tt.effort || body.Mode != tt.mode {
			t.Errorf("%s: effort %q, mode %q", tt.name, body.Effort, body.Mode)
		}
	}
}

func TestToolCallID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.String().Draw(t, "id")
		n := rapid.IntRange(0, 3).Draw(t, "attempt")
		got := toolCallID(id, rapid.Bool().Draw(t, "same"), n)
		if len(got) != 9 || strings.Trim(got, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			t.Fatalf("%q became %q", id, got)
		}
		if again := toolCallID(got, false, 0); again != got {
			t.Fatalf("%q became %q, then %q", id, got, again)
		}
		if n > 0 && toolCallID(id, false, n-1) == got {
			t.Fatalf("attempts %d and %d give the same", n-1, n)
		}
	})
}

func decoding(ctx context.Context, c *ai.Call, r io.Reader, slow bool) *ai.Stream {
	now := func() time.Time { return time.UnixMilli(1700000000000) }
	return ai.NewStream(ctx, ai.StreamInfo{Model: c.Model, Now: now}, func(ctx context.Context, out *ai.Emitter) error {
		d := &decoder{out: out, msg: out.Message(), call: c, slow: slow}
		defer d.settle()
		err := wire.Read(out, r, c, func(f sse.Frame) (bool, error) { return d.frame(f.Data) })
		if err != nil && !d.complete(err) {
			return err
		}
		return d.end()
	})
}

func deltas(list ...string) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "data: {\"id\":\"c1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", d)
	}
	return b.String()
}

func finish(reason, usage string) string {
	return fmt.Sprintf("data: {\"id\":\"c1\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":%q}],\"usage\":%s}\n\ndata: [DONE]\n\n", reason, usage)
}

func outline(m *ai.AssistantMessage) []string {
	var lines []string
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			lines = append(lines, "text "+b.Text)
		case *ai.Thinking:
			lines = append(lines, "thinking "+b.Text)
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

func TestAnswers(t *testing.T) {
	t.Parallel()
	made := func(n int) string { return hashID(fmt.Sprint("c1 1700000000000 ", n)) }
	for _, tt := range []struct {
		name, stream string
		want         []string
	}{
		{"text", deltas(`{"role":"assistant","content":""}`, `{"content":"Hel"}`, `{"content":"lo é\n"}`) + finish("stop", "null"), []string{"text Hello é\n", "stop"}},
		{
			"thinking", deltas(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"},{"type":"text","text":"m"}]}]}`, `{"content":[{"type":"thinking","thinking":"."}]}`, `{"content":[{"type":"text","text":"a"},{"type":"reference","reference_ids":[1]}]}`, `{"content":"b"}`) + finish("stop", "null"),
			[]string{"thinking hm.", "text ab", "stop"},
		},
		{
			"calls", deltas(`{"content":"x","tool_calls":[{"id":"abcdefgh1","function":{"name":"a","arguments":"{\"p\":1}"},"index":0},{"id":"null","function":{"name":"b","arguments":{"q":2}},"index":1}]}`) + finish("tool_calls", "null"),
			[]string{"text x", `call abcdefgh1 a {"p":1}`, "call " + made(2) + ` b {"q":2}`, "toolUse"},
		},
		{
			"calls in pieces", deltas(`{"tool_calls":[{"id":"a","function":{"name":"n","arguments":"{"},"index":0}]}`, `{"tool_calls":[{"id":"b","function":{"name":"n","arguments":"{"}}]}`, `{"tool_calls":[{"id":"null","function":{"arguments":"}"},"index":0},{"id":"b","function":{"arguments":"}"}}]}`, `{"tool_calls":[{}]}`) + finish("stop", "null"),
			[]string{"call a n {}", "call b n {}", "toolUse"},
		},
		{"broken arguments", deltas(`{"tool_calls":[{"id":"a","function":{"name":"n","arguments":"{\"p"}}]}`) + finish("tool_calls", "null"), []string{"call a n {} not runnable", "toolUse"}},
		{"length", deltas(`{"content":"x"}`) + finish("model_length", "null"), []string{"text x", "length"}},
		{"error reason", finish("error", "null"), []string{"error server: server error: the vendor ended the answer with finish_reason error"}},
		{"filtered", finish("content_filter", "null"), []string{"error refusal: Provider finish_reason: content_filter"}},
		{"unknown reason", finish("moon", "null"), []string{"error unknown: Provider finish_reason: moon"}},
		{"cut", deltas(`{"content":"x"}`), []string{"text x", "error cut_stream: Mistral stream ended without a finish reason"}},
		{"error in stream", deltas(`{"content":"x"}`) + `data: {"object":"error","message":"Service tier capacity exceeded","type":"service_tier_capacity_exceeded","code":"3505"}` + "\n\n", []string{"text x", "error unknown: 3505: Service tier capacity exceeded"}},
		{"not JSON", "data: {x\n\n", []string{"error protocol: the stream holds an event that is not JSON: invalid character 'x' looking for beginning of object key string: {x"}},
		{"whole answer", `data: {"id":"c1","choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}` + "\n\n", []string{"text Hi", "stop"}},
		{"surprises", deltas(`{"content":"a"}`) + "data: {}\n\ndata: 7\n\ndata: null\n\n" + `data: {"choices":[{"delta":{"content":7,"x":1}}]}` + "\n\n" + `data: {"choices":[{"delta":{"content":"b"},"y":[1]}]}` + "\n\n" + finish("stop", "null"), []string{"text ab", "stop"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := testCall(testModel(""))
			m, events := aitest.Collect(t, decoding(t.Context(), c, strings.NewReader(tt.stream), false))
			slow, slowEvents := aitest.Collect(t, decoding(t.Context(), c, strings.NewReader(tt.stream), true))
			if diff := cmp.Diff(slowEvents, events); diff != "" {
				t.Errorf("the scanner gives other events (-without +with):\n%s", diff)
			}
			if a, b := string(slow.AppendJSON(nil)), string(m.AppendJSON(nil)); a != b {
				t.Errorf("without %s\nwith %s", a, b)
			}
			if diff := cmp.Diff(tt.want, outline(m)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]ai.Usage{
		`null`: {Unknown: true},
		`{"prompt_tokens":10,"completion_tokens":3,"total_tokens":13}`:                              {Input: 10, Output: 3, Total: 13},
		`{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}`:    {Input: 6, CacheRead: 4, Output: 3, Total: 13},
		`{"prompt_tokens":10,"completion_tokens":3,"prompt_token_details":{"cached_tokens":4}}`:     {Input: 6, CacheRead: 4, Output: 3, Total: 13},
		`{"prompt_tokens":10,"completion_tokens":3,"num_cached_tokens":40}`:                         {CacheRead: 10, Output: 3, Total: 13},
		`{"promptTokens":10,"completionTokens":3,"promptTokensDetails":{"cachedTokens":4}}`:         {Input: 6, CacheRead: 4, Output: 3, Total: 13},
		`{"promptTokens":10,"completionTokens":3,"numCachedTokens":1,"promptTokenDetails":{"x":1}}`: {Input: 9, CacheRead: 1, Output: 3, Total: 13},
	} {
		m := aitest.Check(t, decoding(t.Context(), testCall(testModel("")), strings.NewReader(finish("stop", usage)), false))
		m.Usage.Cost = ai.Cost{}
		if diff := cmp.Diff(want, m.Usage); diff != "" {
			t.Errorf("%s (-want +got):\n%s", usage, diff)
		}
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	srv := mockllm.New()
	srv.Queue(mockllm.Say("a"), mockllm.Say("b"))
	m := testModel("")
	models := ai.ModelsConfig{HTTPClient: srv.Client()}.New(ai.NewProvider(ai.ProviderConfig{ID: "mistral", Models: []*ai.Model{m}, APIs: []ai.API{New()}}))
	for _, cache := range []ai.CacheRetention{ai.CacheShort, ai.CacheNone} {
		if _, err := models.Complete(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{APIKey: "k", SessionID: "s", Cache: cache}); err != nil {
			t.Fatal(err)
		}
	}
	first, second := srv.Requests()[0], srv.Requests()[1]
	if first.URL != "/v1/chat/completions" || first.Header.Get("X-Affinity") != "s" || first.Header.Get("Authorization") != "Bearer k" || second.Header.Get("X-Affinity") != "" {
		t.Errorf("%s, %v, %v", first.URL, first.Header, second.Header)
	}
}

func TestKeptHistoryGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := testModel(rapid.SampledFrom([]string{`{}`, `{"supportsMidConvoSystemMessages":true}`}).Draw(t, "compat"))
		st := new(state)
		messages := conversation()
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			i, j := rapid.IntRange(0, len(messages)-1).Draw(t, "i"), rapid.IntRange(0, len(messages)-1).Draw(t, "j")
			messages[i], messages[j] = messages[j], messages[i]
			if rapid.Bool().Draw(t, "append") {
				messages = append(messages, conversation()[rapid.IntRange(0, 9).Draw(t, "new")])
			}
			c := testCall(m, messages...)
			kept, err := newRequest(c, st)
			if err != nil {
				t.Fatal(err)
			}
			scratch, err := newRequest(c, new(state))
			if err != nil {
				t.Fatal(err)
			}
			got, want := bytes.Join(kept.body, nil), bytes.Join(scratch.body, nil)
			if !bytes.Equal(got, want) || !json.Valid(got) {
				t.Fatalf("kept:\n%s\nfrom scratch:\n%s", got, want)
			}
		}
	})
}

func TestBadConfiguration(t *testing.T) {
	t.Parallel()
	if _, err := newRequest(testCall(testModel(`{`)), new(state)); err == nil || !strings.Contains(err.Error(), "compat of model mistral/m") {
		t.Errorf("compat: %v", err)
	}
	tools := &ai.SystemMessage{ToolsAdded: []ai.Tool{{Name: "ok"}, {Name: "t", Sampling: &ai.ConstrainedSampling{Type: ai.SamplingJSONSchema, Strict: "require"}}}}
	st := new(state)
	for range 2 {
		if _, err := newRequest(testCall(testModel(`{}`), tools), st); err == nil || !strings.Contains(err.Error(), `tool "t" requires strict`) {
			t.Errorf("strict: %v", err)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add(`{"id":"c1","model":"m","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null}]}`, `{"content":"\u00e9\ud83e"}`)
	f.Add(`{"choices":[{"delta":{"content":"x","CONTENT":null}}]}`, `{"content":["a"]}`)
	f.Add(`{"choices":[{"delta":{"content":null}},{}]}`, `{"tool_calls":[]}`)
	f.Add(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]}}]}`, `{"content":[{"thinking":[{"type":"text","text":"b"}]}]}`)
	f.Add(`{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"a"}]},{"text":"x"}]}}]}`, `{"content":[{"type":"thinking","thinking":[{"text":"b"},{"text":"c"}]}]}`)
	call := func(fields string) string { return `{"choices":[{"delta":{"tool_calls":[` + fields + `]}}]}` }
	f.Add(call(`{"index":0,"id":"t1","function":{"arguments":"{"}}`), `{"tool_calls":[{"index":0,"function":{"name":"late","arguments":"1"}}]}`)
	f.Add(call(`{"index":0,"id":"t1","function":{"name":"n","arguments":"{"}},{"index":1,"id":"t2","function":{"name":"m","arguments":"["}}`), `{"tool_calls":[{"index":0,"function":{"arguments":"1"}}]}`)
	f.Add(call(`{"index":0,"function":{"name":"n","arguments":"{"}}`), `{"tool_calls":[{"index":0,"id":"late","function":{"arguments":"1"}}]}`)
	f.Add(call(`{"index":0,"id":"t1","function":{"name":"n","arguments":"{"}}`), `{"tool_calls":[{"index":0,"id":"null","function":{"arguments":"1"}}]}`)
	f.Add(call(`{"index":0.5,"id":"t1","function":{"name":"n","arguments":{}}}`), `{"tool_calls":[{"index":"x","function":{"arguments":"1"}}]}`)
	f.Add(call(`{"index":0,"id":"t1","function":{"name":"n","arguments":"{"}}`), `{"tool_calls":[{"index":0,"function":{"arguments":"a"}}]}`)
	f.Fuzz(func(t *testing.T, event, delta string) {
		if strings.ContainsAny(event+delta, "\r\n") || !json.Valid([]byte(event)) || !json.Valid([]byte(delta)) {
			t.Skip()
		}
		stream := deltas(`{"content":"one"}`) + "data: " + event + "\n\n" + deltas(delta, `{"content":"two"}`) + "data: " + event + "\n\n" + deltas(delta) + finish("stop", "null")
		c := testCall(testModel(""))
		m, events := aitest.Collect(t, decoding(t.Context(), c, strings.NewReader(stream), false))
		slow, slowEvents := aitest.Collect(t, decoding(t.Context(), c, strings.NewReader(stream), true))
		if diff := cmp.Diff(slowEvents, events); diff != "" {
			t.Errorf("events (-without +with):\n%s", diff)
		}
		m.Diagnostics, slow.Diagnostics = nil, nil
		if a, b := string(slow.AppendJSON(nil)), string(m.AppendJSON(nil)); a != b {
			t.Errorf("without %s\nwith %s", a, b)
		}
	})
}
