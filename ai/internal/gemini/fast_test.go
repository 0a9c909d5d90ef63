package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
)

func decodeChunks(tb testing.TB, chunks [][]byte, fast bool) (events []string, stored string) {
	tb.Helper()
	model := &ai.Model{ID: "gemini-3-flash", Provider: "p", API: "google-generative-ai"}
	clock := func() time.Time { return time.UnixMilli(1_800_000_000_000) } // made-up ids hold it
	s := ai.NewStream(context.Background(), ai.StreamInfo{Model: model, Now: clock}, func(_ context.Context, out *ai.Emitter) error {
		d := NewDecoder(&ai.Call{Model: model}, out)
		if err := d.slow([]byte(`{"candidates":[{"content":{"parts":[{"text":"-"}]},"index":0}],"responseId":"r"}`)); err != nil {
			return err
		}
		for _, c := range chunks {
			var err error
			if fast {
				_, err = d.Frame(sse.Frame{Data: bytes.Clone(c)})
			} else {
				err = d.slow(bytes.Clone(c))
			}
			if err != nil {
				d.Count()
				return err
			}
		}
		return d.End()
	})
	m, events := aitest.Collect(tb, s)
	m.Timestamp, m.DurationMS = 0, nil
	for i := range m.Diagnostics {
		m.Diagnostics[i].Timestamp = 0
	}
	return events, string(m.AppendJSON(nil))
}

// The fast path gives what encoding/json gives, or leaves the chunk alone. What it
// steps over unseen (the usage) may be broken, so only valid chunks are compared.
func FuzzFastPath(f *testing.F) {
	for _, seed := range []string{
		`{"candidates":[{"content":{"parts":[{"text":"a\n東\u00e9"}],"role":"model"},"index":0}],"usageMetadata":{"promptTokenCount":1},"modelVersion":"m","responseId":"r"}`,
		`{"candidates":[{"content":{"parts":[{"text":"a","thought":true}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b"}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]}},{"content":{"parts":[{"text":"b"}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]},"index":1}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],"usageMetadata":null}`,
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}, "id":"x"}}]}}]}`,
		`{"usageMetadata":{"promptTokenCount":5,"totalTokenCount":6},"candidates":[{"content":{"parts":[{"text":""}]}}]}`,
		`{"error":{"code":500,"message":"x"}}`,
	} {
		f.Add([]byte(seed), []byte(`{"candidates":[{"finishReason":"STOP"}]}`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if !json.Valid(a) || !json.Valid(b) {
			return
		}
		chunks := [][]byte{a, b, a}
		fastEvents, fastMessage := decodeChunks(t, chunks, true)
		slowEvents, slowMessage := decodeChunks(t, chunks, false)
		if d := cmp.Diff(slowEvents, fastEvents); d != "" || fastMessage != slowMessage {
			t.Errorf("%q (-encoding/json +fast):\n%s\nfast %s\nslow %s", chunks, d, fastMessage, slowMessage)
		}
	})
}

func FuzzConstToEnum(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"const":{"const":"x"}},"items":[{"const":-1}],"default":{"const":1}}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		if !json.Valid(schema) {
			return
		}
		out, err := constToEnum(bytes.TrimSpace(schema))
		if err == nil && !json.Valid(out) {
			t.Errorf("%s becomes %s", schema, out)
		}
	})
}

func stream(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\" hello\"}],\"role\":\"model\"},\"index\":0}],\"usageMetadata\":{\"promptTokenCount\":10,\"candidatesTokenCount\":%d,\"totalTokenCount\":%d},\"modelVersion\":\"m\",\"responseId\":\"r\"}\r\n\r\n", i, i+10)
	}
	b.WriteString("data: {\"candidates\":[{\"finishReason\":\"STOP\",\"index\":0}]}\r\n\r\n")
	return b.Bytes()
}

func consume(data []byte) error {
	model := &ai.Model{ID: "m", Provider: "p", API: "google-generative-ai"}
	call := &ai.Call{Model: model}
	s := ai.NewStream(context.Background(), ai.StreamInfo{Model: model}, func(_ context.Context, out *ai.Emitter) error {
		d := NewDecoder(call, out)
		if err := wire.Read(out, bytes.NewReader(data), call, d.Frame); err != nil {
			return err
		}
		return d.End()
	})
	for range s.Events() {
	}
	return s.Result().Err()
}

func TestDeltasDoNotAllocate(t *testing.T) {
	cost := func(n int) float64 {
		data := stream(n)
		return testing.AllocsPerRun(5, func() {
			if err := consume(data); err != nil {
				t.Fatal(err)
			}
		})
	}
	if per := (cost(11_000) - cost(1000)) / 10_000; per > 0.01 {
		t.Errorf("%.3f allocations per delta", per)
	}
}

func BenchmarkDelta(b *testing.B) {
	const n = 50_000
	data := stream(n)
	b.ReportAllocs()
	for b.Loop() {
		if err := consume(data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
}

// An event leaves nothing behind for the next one to find.
func TestEventsDoNotMix(t *testing.T) {
	t.Parallel()
	_, stored := decodeChunks(t, [][]byte{
		[]byte(`{"candidates":[{"content":{"parts":[{"text":"hm","thought":true,"thoughtSignature":"c2ln"},{"functionCall":{"name":"f","args":{"a":1},"id":"x"}}]},"index":0}],"usageMetadata":{"promptTokenCount":7}}`),
		[]byte(`{"candidates":[{"content":{"parts":[{"text":"so"},{"text":"."}]}}]}`),
		[]byte(`{"candidates":[{"finishReason":"STOP"}]}`),
	}, false)
	want := `[{"type":"text","text":"-"},{"type":"thinking","thinking":"hm","thinkingSignature":"c2ln"},{"type":"toolCall","id":"x","name":"f","arguments":{"a":1}},{"type":"text","text":"so."}]`
	if !strings.Contains(stored, want) || !strings.Contains(stored, `"input":7`) {
		t.Errorf("got %s", stored)
	}
}
