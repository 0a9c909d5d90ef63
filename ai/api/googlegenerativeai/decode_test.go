package googlegenerativeai_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

func play(t *testing.T, chunks ...string) (*ai.AssistantMessage, []string) {
	t.Helper()
	srv := mockllm.New()
	srv.Queue(mockllm.Raw("data: " + strings.Join(chunks, "\n\ndata: ") + "\n\n"))
	m := testModel()
	return aitest.Collect(t, client(srv, m).Stream(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{APIKey: "k"}))
}

func parts(list ...string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + strings.Join(list, ",") + `]},"index":0}],"modelVersion":"gemini-3.5-flash","responseId":"r1"}`
}

const stop = `{"candidates":[{"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":60,"candidatesTokenCount":5,"thoughtsTokenCount":7,"totalTokenCount":112}}`

func TestBlocks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		chunks []string
		want   string
		stop   ai.StopReason
	}{
		{
			"thinking, text, thinking again",
			[]string{parts(`{"text":"a","thought":true}`), parts(`{"text":"b","thought":true}`), parts(`{"text":"c"}`, `{"text":"d"}`), parts(`{"text":"e","thought":true}`)},
			`[{"type":"thinking","thinking":"ab"},{"type":"text","text":"cd"},{"type":"thinking","thinking":"e"}]`, ai.StopEnd,
		},
		{
			"signatures stay with their block, the last one counts",
			[]string{parts(`{"text":"a","thought":true,"thoughtSignature":"cw=="}`), parts(`{"text":"","thought":true}`), parts(`{"text":"b"}`), parts(`{"text":"","thoughtSignature":"dA=="}`)},
			`[{"type":"thinking","thinking":"a","thinkingSignature":"cw=="},{"type":"text","text":"b","textSignature":"dA=="}]`, ai.StopEnd,
		},
		{
			"whole calls, without and with repeated ids",
			[]string{parts(`{"functionCall":{"name":"f","args":{"a":1.0},"id":"x"},"thoughtSignature":"cw=="}`, `{"functionCall":{"name":"g","id":"x"}}`, `{"functionCall":{"name":"h","args":null}}`)},
			`[{"type":"toolCall","id":"x","name":"f","arguments":{"a":1.0},"thoughtSignature":"cw=="},{"type":"toolCall","id":"g_TIME_2","name":"g","arguments":{}},{"type":"toolCall","id":"h_TIME_3","name":"h","arguments":{}}]`, ai.StopToolUse,
		},
		{
			"streamed arguments",
			[]string{
				parts(`{"functionCall":{"name":"f","id":"x","willContinue":true}}`),
				parts(`{"functionCall":{"partialArgs":[{"jsonPath":"$.path","stringValue":"a","willContinue":true}],"willContinue":true}}`),
				parts(`{"functionCall":{"partialArgs":[{"jsonPath":"$.path","stringValue":"b\""}],"willContinue":true}}`),
				parts(`{"functionCall":{"partialArgs":[{"jsonPath":"$.list[1].n","numberValue":2.50},{"jsonPath":"$['odd key']","boolValue":true},{"jsonPath":"$.z","nullValue":"NULL_VALUE"}],"willContinue":true}}`),
				parts(`{"functionCall":{}}`), parts(`{"text":"then"}`),
			},
			`[{"type":"toolCall","id":"x","name":"f","arguments":{"path":"ab\"","list":[null,{"n":2.50}],"odd key":true,"z":null}},{"type":"text","text":"then"}]`, ai.StopToolUse,
		},
		{
			"what is not shown",
			[]string{parts(`{"inlineData":{"data":"x"}}`, `{"executableCode":{}}`, `{"brandNew":1}`, `{"text":"a"}`), `{"candidates":[{"index":1,"content":{"parts":[{"text":"other"}]}}],"brandNew":true}`},
			`[{"type":"text","text":"a"}]`, ai.StopEnd,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := play(t, append(slices.Clone(tt.chunks), stop)...)
			got := strings.ReplaceAll(string(ai.AppendBlocks(nil, m.Content)), fmt.Sprint(m.Timestamp), "TIME")
			got = anyTime(got)
			if got != tt.want || m.StopReason != tt.stop {
				t.Errorf("content %s, stop %s %s\nwant %s", got, m.StopReason, m.ErrorMessage, tt.want)
			}
		})
	}
}

// anyTime replaces the milliseconds in made-up ids.
func anyTime(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		n := i
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		switch {
		case n-i >= 13:
			b.WriteString("TIME")
		case n > i:
			b.WriteString(s[i:n])
		default:
			b.WriteByte(s[i])
			n++
		}
		i = n
	}
	return b.String()
}

func TestUsage(t *testing.T) {
	m, _ := play(t, parts(`{"text":"a"}`), stop)
	u := m.Usage
	if u.Input != 40 || u.CacheRead != 60 || u.Output != 12 || u.Reasoning != 7 || u.Total != 112 || u.Unknown || u.Cost.Total == 0 {
		t.Errorf("usage %+v", u)
	}
	m, _ = play(t, parts(`{"text":"a"}`), `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":20}}`)
	if m.Usage.Input != 0 || m.Usage.CacheRead != 20 {
		t.Errorf("more cached than sent: %+v", m.Usage)
	}
	m, _ = play(t, parts(`{"text":"a"}`), `{"candidates":[{"finishReason":"STOP"}]}`)
	if !m.Usage.Unknown {
		t.Errorf("no counts: %+v", m.Usage)
	}
}

func TestEnds(t *testing.T) {
	finish := func(reason string) string {
		return `{"candidates":[{"finishReason":"` + reason + `","finishMessage":"because","index":0}]}`
	}
	for name, tt := range map[string]struct {
		last string
		stop ai.StopReason
		kind ai.ErrorKind
		says string
	}{
		"cap":       {finish("MAX_TOKENS"), ai.StopLength, "", ""},
		"safety":    {finish("SAFETY"), ai.StopError, ai.KindRefusal, "SAFETY: because"},
		"malformed": {finish("MALFORMED_FUNCTION_CALL"), ai.StopError, ai.KindServer, "MALFORMED_FUNCTION_CALL"},
		"new":       {finish("BRAND_NEW"), ai.StopError, ai.KindProtocol, "BRAND_NEW"},
		"no reason": {parts(`{"text":""}`), ai.StopError, ai.KindCutStream, "without a finish reason"},
		"blocked":   {`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, ai.StopError, ai.KindRefusal, "PROHIBITED_CONTENT"},
		"error":     {`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`, ai.StopError, ai.KindOverloaded, "overloaded"},
		"cut frame": {`{"candidates":[{"content":{"par`, ai.StopError, ai.KindCutStream, "par"},
		"in a call": {parts(`{"functionCall":{"name":"f","willContinue":true}}`) + "\n\ndata: " + finish("STOP"), ai.StopError, ai.KindCutStream, "within a tool call"},
		"bad path":  {parts(`{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"x","stringValue":"a"}]}}`), ai.StopError, ai.KindProtocol, "path"},
		"huge path": {parts(`{"functionCall":{"name":"f","partialArgs":[{"jsonPath":"$[99999999]","stringValue":"a"}]}}`), ai.StopError, ai.KindProtocol, "bad index"},
	} {
		m, _ := play(t, parts(`{"text":"Half"}`), tt.last)
		if m.StopReason != tt.stop || m.Text() != "Half" {
			t.Errorf("%s: %s %q %q", name, m.StopReason, m.Text(), m.ErrorMessage)
		}
		if tt.kind != "" && (m.Failure == nil || m.Failure.Kind != tt.kind || !strings.Contains(m.ErrorMessage, tt.says)) {
			t.Errorf("%s: %+v, want %s with %q", name, m.Failure, tt.kind, tt.says)
		}
	}
}
