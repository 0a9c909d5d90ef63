package pimessages

import (
	"bytes"
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
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
)

func testModel() *ai.Model {
	return &ai.Model{ID: "m", Provider: "p", API: ID, BaseURL: "http://mock/v1", Reasoning: true, Input: []string{"text"}, ContextWindow: 200_000, MaxTokens: 32_000}
}

func modelsFor(m *ai.Model, srv *mockllm.Server) *ai.Models {
	return ai.ModelsConfig{HTTPClient: srv.Client()}.New(ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{New()}}))
}

// events makes a stream of events, given as "type rest-of-members".
func events(list ...string) string {
	var b strings.Builder
	for _, e := range list {
		kind, rest, _ := strings.Cut(e, " ")
		if rest != "" {
			rest = "," + rest
		}
		fmt.Fprintf(&b, "data: {\"type\":%q%s}\n\n", kind, rest)
	}
	return b.String()
}

func at(kind string, index int, rest string) string {
	if rest != "" {
		rest = "," + rest
	}
	return fmt.Sprintf(`%s "contentIndex":%d%s`, kind, index, rest)
}

func said(index int, pieces ...string) []string {
	list := []string{at("text_start", index, "")}
	for _, p := range pieces {
		q, err := json.Marshal(p)
		if err != nil {
			panic(err)
		}
		list = append(list, at("text_delta", index, `"delta":`+string(q)))
	}
	q, err := json.Marshal(strings.Join(pieces, ""))
	if err != nil {
		panic(err)
	}
	return append(list, at("text_end", index, `"content":`+string(q)))
}

// stream is what a gateway sends in a scenario of the contract.
func stream(s aitest.Scenario) mockllm.Answer {
	half := said(0, "Half", " an ans")[:3]
	list := []string{"start"}
	d := mockllm.Delivery{Chunk: 11}
	hold := make(chan struct{})
	switch s {
	case aitest.Plain:
		list = append(append(list, said(0, "Hel", "lo, 東", "京 🧭", ".")...), `done "reason":"stop"`)
	case aitest.Thoughtful:
		list = append(list, at("thinking_start", 0, ""), at("thinking_delta", 0, `"delta":"Let me see."`), at("thinking_end", 0, `"content":"Let me see.","contentSignature":"s"`))
		list = append(append(list, said(1, "Hello, 東京 🧭.")...), `done "reason":"stop"`)
	case aitest.Tools:
		list = append(append(list, said(0, "Looking.")...), at("toolcall_start", 1, `"id":"t1","toolName":"read"`), at("toolcall_delta", 1, `"delta":"{\"path\":"`), at("toolcall_delta", 1, `"delta":"\"a.txt\"}"`), at("toolcall_end", 1, ""),
			at("toolcall_start", 2, `"id":"t2","toolName":"status"`), at("toolcall_end", 2, ""), `done "reason":"toolUse"`)
	case aitest.BadArguments:
		list = append(list, at("toolcall_start", 0, `"id":"t1","toolName":"read"`), at("toolcall_delta", 0, `"delta":"{\"path\":"`), at("toolcall_end", 0, ""), `done "reason":"toolUse"`)
	case aitest.Truncated:
		list = append(list, at("toolcall_start", 0, `"id":"t1","toolName":"read"`), at("toolcall_delta", 0, `"delta":"{\"path\":\"a"`), at("toolcall_end", 0, ""), `done "reason":"length"`)
	case aitest.Unauthorized:
		return mockllm.Failure(401, "authentication_error", "invalid key")
	case aitest.Overloaded:
		return mockllm.Failure(529, "overloaded_error", "Overloaded")
	case aitest.FailsMidway:
		list = append(append(list, half...), `error "reason":"error","errorMessage":"Overloaded"`)
	case aitest.CutText:
		list = append(list, half...)
	case aitest.HangsMidway:
		list = append(list, half...)
		d.Hold, d.HoldAt = hold, len(events(list...))
	case aitest.CutCall:
		list = append(list, at("toolcall_start", 0, `"id":"t1","toolName":"read"`), at("toolcall_delta", 0, `"delta":"{\"path\":\"a.txt\"}"`))
	case aitest.HangsAtOnce:
		d.HoldHeader = hold
	}
	return mockllm.Raw(events(list...)).Via(d)
}

func TestContract(t *testing.T) {
	t.Parallel()
	aitest.Run(t, aitest.Fixture{Stream: func(ctx context.Context, t testing.TB, s aitest.Scenario) *ai.Stream {
		srv := mockllm.New()
		srv.Queue(stream(s))
		m := testModel()
		return modelsFor(m, srv).Stream(ctx, m, ai.Request{Messages: []ai.Message{ai.UserText("Go on.")}, Tools: []ai.Tool{{Name: "read"}, {Name: "status"}}}, ai.Options{APIKey: "key"})
	}})
}

func decoding(ctx context.Context, r io.Reader, slow bool) *ai.Stream {
	call := &ai.Call{Model: testModel()}
	now := func() time.Time { return time.UnixMilli(1700000000000) }
	return ai.NewStream(ctx, ai.StreamInfo{Model: call.Model, Now: now}, func(ctx context.Context, out *ai.Emitter) error {
		d := &decoder{out: out, msg: out.Message(), call: call, slow: slow}
		err := wire.Read(out, r, call, func(f sse.Frame) (bool, error) { return d.frame(f.Data) })
		if err != nil || d.ended {
			return err
		}
		return ai.Errorf(ai.KindCutStream, "cut")
	})
}

func outline(m *ai.AssistantMessage) []string {
	var lines []string
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			lines = append(lines, "text "+b.Text+" | "+b.Signature)
		case *ai.Thinking:
			lines = append(lines, fmt.Sprintf("thinking %s | %s %v", b.Text, b.Signature, b.Redacted))
		case *ai.ToolCall:
			lines = append(lines, fmt.Sprintf("call %s %s %s %s%s", b.ID, b.Name, b.Arguments, b.ThoughtSignature, b.Namespace))
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
	for _, tt := range []struct {
		name   string
		stream []string
		want   []string
	}{
		{"signatures", []string{
			at("text_start", 0, ""), at("text_delta", 0, `"delta":"a"`), at("text_end", 0, `"content":"ab","contentSignature":"s"`),
			at("thinking_start", 1, ""), at("thinking_end", 1, `"content":"[hidden]","contentSignature":"payload","redacted":true`), `done "reason":"stop"`,
		}, []string{"text ab | s", "thinking [hidden] | payload true", "stop"}},
		{
			"blocks in turn",
			[]string{at("text_start", 0, ""), at("toolcall_start", 1, `"id":"t","toolName":"n"`), at("text_delta", 0, `"delta":"a"`), at("toolcall_delta", 1, `"delta":"{}"`), at("toolcall_end", 1, `"contentSignature":"ts"`), at("text_delta", 0, `"delta":"b"`), at("text_end", 0, ""), `done "reason":"toolUse"`},
			[]string{"text ab | ", "call t n {} ts", "toolUse"},
		},
		{"call that comes with its end", []string{at("toolcall_start", 0, ""), at("toolcall_end", 0, `"toolCall":{"id":"t","name":"n","arguments":{"a":1.0},"thoughtSignature":"s","namespace":"ns"}`), `done "reason":"toolUse"`}, []string{`call t n {"a":1.0} sns`, "toolUse"}},
		{"left open", []string{at("text_start", 0, ""), at("text_delta", 0, `"delta":"a"`), `done "reason":"length"`}, []string{"text a | ", "length"}},
		{"error", []string{at("text_start", 0, ""), at("text_delta", 0, `"delta":"a"`), `error "reason":"error","errorMessage":"429: too many requests"`}, []string{"text a | ", "error rate_limit: 429: too many requests"}},
		{"error with an object", []string{`error "reason":"error","error":{"code":"insufficient_quota","message":"no"}`}, []string{"error billing: insufficient_quota: no"}},
		{"error without words", []string{`error "reason":"error"`}, []string{"error unknown: the gateway reports an error without saying which"}},
		{"aborted by the gateway", []string{`error "reason":"aborted","errorMessage":"shutdown"`}, []string{"aborted aborted: the gateway aborted the request: shutdown"}},
		{"unknown reason", []string{`done "reason":"moon"`}, []string{`error protocol: the gateway ended the answer for the unknown reason "moon"`}},
		{"no index", []string{"text_start"}, []string{"error protocol: the event text_start does not say which block it is about"}},
		{"index that is no integer", []string{`text_start "contentIndex":0.5`}, []string{"error protocol: the event text_start does not say which block it is about"}},
		{"index that is text", []string{`text_start "contentIndex":"0"`}, []string{`error protocol: the event text_start has no number for its block: {"type":"text_start","contentIndex":"0"}`}},
		{"index ahead", []string{at("text_start", 1, "")}, []string{"error protocol: the event text_start starts block 1, the next one is 0"}},
		{"index again", []string{at("text_start", 0, ""), at("text_start", 0, "")}, []string{"text  | ", "error protocol: the event text_start starts block 0, the next one is 1"}},
		{"delta of nothing", []string{at("text_delta", 0, `"delta":"x"`)}, []string{"error protocol: the event text_delta is about block 0, which never started"}},
		{"delta of another kind", []string{at("thinking_start", 0, ""), at("text_delta", 0, `"delta":"x"`)}, []string{"thinking  |  false", "error protocol: the event text_delta is about block 0, which is thinking"}},
		{"unknown events", append(append([]string{"start", `future "x":[1]`}, said(0, "a")...), `ping "error":null`, `done "reason":"stop","future":1`), []string{"text a | ", "stop"}},
		{"cut", said(0, "a"), []string{"text a | ", "error cut_stream: cut"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := events(tt.stream...)
			m, list := aitest.Collect(t, decoding(t.Context(), strings.NewReader(in), false))
			slow, slowList := aitest.Collect(t, decoding(t.Context(), strings.NewReader(in), true))
			if diff := cmp.Diff(slowList, list); diff != "" {
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
	m := decoding(t.Context(), strings.NewReader("data: {x\n\n"), false).Result()
	if m.Failure == nil || m.Failure.Kind != ai.KindProtocol {
		t.Errorf("not JSON: %+v", m.Failure)
	}
}

func TestEndOfAnswer(t *testing.T) {
	t.Parallel()
	m := aitest.Check(t, decoding(t.Context(), strings.NewReader(events(`done "reason":"stop","responseId":"r","responseModel":"real","providerThinkingLevel":"HIGH","rewrite":{"from":1},"usage":{"input":5,"output":7,"cacheRead":1,"cacheWrite":0,"totalTokens":13,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.25,"totalFromProvider":true}}`)), false))
	if m.ResponseID != "r" || m.ResponseModel != "real" || m.ProviderThinkingLevel != "HIGH" || m.Usage.Total != 13 || m.Usage.Cost.Total != 0.25 || !m.Usage.Cost.FromProvider || m.Usage.Unknown {
		t.Errorf("%+v", m)
	}
	if len(m.Diagnostics) != 1 || m.Diagnostics[0].Type != "pi_messages_rewrite" || string(m.Diagnostics[0].Details) != `{"from":1}` {
		t.Errorf("diagnostics %+v", m.Diagnostics)
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	secret := map[string]json.RawMessage{"private": json.RawMessage(`"secret"`)}
	messages := []ai.Message{
		&ai.SystemMessage{Content: "Be brief.", ToolsAdded: []ai.Tool{{Name: "read", Description: "d", Extra: secret}}, Extra: secret, Timestamp: 1},
		&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "x", Extra: secret}, &ai.Image{Data: "aGk=", MIMEType: "image/png", Extra: secret}, &ai.UnknownBlock{Kind: "k", Raw: json.RawMessage(`{"type":"k","private":"secret"}`)}}, Extra: secret},
		&ai.AssistantMessage{
			API: ID, Provider: "p", Model: "m", StopReason: ai.StopToolUse, Extra: secret, Diagnostics: []ai.Diagnostic{{Type: "secret"}}, Deferred: json.RawMessage(`"secret"`), Usage: ai.Usage{Extra: secret},
			Content: []ai.Block{&ai.Thinking{Text: "t", Signature: "sig", Extra: secret}, &ai.ToolCall{ID: "1", Name: "read", Arguments: json.RawMessage(`{`), Extra: secret}},
		},
		&ai.ToolResultMessage{ToolCallID: "1", ToolName: "read", Content: []ai.Block{&ai.Text{Text: "r"}}, Details: json.RawMessage(`"secret"`), NestedCalls: json.RawMessage(`"secret"`), Extra: secret},
	}
	srv := mockllm.New()
	srv.Queue(mockllm.Raw(events(`done "reason":"stop"`)), mockllm.Raw(events(`done "reason":"stop"`)))
	m := testModel()
	models := modelsFor(m, srv)
	if _, err := models.Complete(t.Context(), m, ai.Request{Messages: messages}, ai.Options{APIKey: "k", Protocol: Options{Debug: true}}); err != nil {
		t.Fatal(err)
	}
	if _, err := models.Complete(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("y")}}, ai.Options{
		APIKey: "k", SessionID: "s", Temperature: new(0.5), MaxTokens: 77, Thinking: ai.ThinkingHigh, Cache: ai.CacheLong, ToolChoice: ai.ToolChoiceNone,
	}); err != nil {
		t.Fatal(err)
	}
	first, second := srv.Requests()[0], srv.Requests()[1]
	if first.URL != "/v1/messages?debug=1" || first.Header.Get("Authorization") != "Bearer k" || second.URL != "/v1/messages" {
		t.Errorf("%s, %s, %v", first.URL, second.URL, first.Header)
	}
	if bytes.Contains(first.Body, []byte("secret")) {
		t.Errorf("private things were sent: %s", first.Body)
	}
	var body struct {
		Model   string
		Options json.RawMessage
		Context struct{ Messages []json.RawMessage }
	}
	if err := json.Unmarshal(first.Body, &body); err != nil {
		t.Fatal(err)
	}
	if body.Model != "m" || string(body.Options) != "{}" || len(body.Context.Messages) != 4 {
		t.Errorf("%s", first.Body)
	}
	for i, raw := range body.Context.Messages {
		back, err := ai.DecodeMessage(raw)
		if err != nil || back.Role() != messages[i].Role() {
			t.Errorf("message %d: %v: %s", i, err, raw)
		}
	}
	if err := json.Unmarshal(second.Body, &body); err != nil {
		t.Fatal(err)
	}
	if want := `{"temperature":0.5,"maxTokens":77,"reasoning":"high","cacheRetention":"long","sessionId":"s","toolChoice":"none"}`; string(body.Options) != want {
		t.Errorf("options %s, want %s", body.Options, want)
	}
	for name, opts := range map[string]ai.Options{"toolchoice": {APIKey: "k", ToolChoice: "read"}} {
		if msg := models.Stream(t.Context(), m, ai.Request{Messages: messages}, opts).Result(); msg.Failure == nil || msg.Failure.Kind != ai.KindConfig {
			t.Errorf("%s: %+v", name, msg.Failure)
		}
	}
	bad := []ai.Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{{Name: "t", Parameters: json.RawMessage("{")}}}}
	if msg := models.Stream(t.Context(), m, ai.Request{Messages: bad}, ai.Options{APIKey: "k"}).Result(); msg.Failure == nil || !strings.Contains(msg.ErrorMessage, `tool "t"`) {
		t.Errorf("bad schema: %+v", msg.Failure)
	}
}

func TestNoAllocationPerDelta(t *testing.T) {
	measure := func(n int) float64 {
		in := events(at("text_start", 0, "")) + strings.Repeat(events(at("text_delta", 0, `"delta":"word "`)), n) + events(`done "reason":"stop"`)
		return testing.AllocsPerRun(5, func() {
			for range decoding(context.Background(), strings.NewReader(in), false).Events() {
			}
		})
	}
	if few, many := measure(1000), measure(11000); many-few > 50 {
		t.Errorf("%v allocations for 1000 deltas, %v for 11000", few, many)
	}
}

func FuzzScan(f *testing.F) {
	for _, s := range []string{`{"type":"text_delta","contentIndex":0,"delta":"x"}`, `{"type":"toolcall_delta","contentIndex":1,"delta":"\ud83e"}`, `{"type":"x_delta","contentIndex":1,"delta":"x"}`, `{"type":"text_delta","contentIndex":0,"delta":"x","DELTA":"y"}`, `{"type":"text_delta","contentIndex":1,"delta":"x"}`, `{}`} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		if strings.ContainsAny(one+two, "\r\n") || !json.Valid([]byte(one)) || !json.Valid([]byte(two)) {
			t.Skip()
		}
		in := events(at("text_start", 0, ""), at("toolcall_start", 1, ""), at("thinking_start", 2, "")) + "data: " + one + "\n\ndata: " + two + "\n\ndata: " + one + "\n\n" + events(`done "reason":"stop"`)
		m, list := aitest.Collect(t, decoding(t.Context(), strings.NewReader(in), false))
		slow, slowList := aitest.Collect(t, decoding(t.Context(), strings.NewReader(in), true))
		if diff := cmp.Diff(slowList, list); diff != "" {
			t.Errorf("events (-without +with):\n%s", diff)
		}
		if a, b := string(slow.AppendJSON(nil)), string(m.AppendJSON(nil)); a != b {
			t.Errorf("without %s\nwith %s", a, b)
		}
	})
}
