package bedrockconversestream

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// decodeDeltas plays payloads of deltas, with or without the fast path, behind a
// text (0), thinking (1) and a tool call (2).
func decodeDeltas(tb testing.TB, payloads [][]byte, fast bool) (events []string, stored string) {
	tb.Helper()
	model := &ai.Model{ID: "m", Provider: "p", API: ID}
	s := ai.NewStream(context.Background(), ai.StreamInfo{Model: model}, func(_ context.Context, out *ai.Emitter) error {
		d := newDecoder(&ai.Call{Model: model}, out)
		d.block(0, ai.BlockText)
		d.block(1, ai.BlockThinking)
		d.blocks = append(d.blocks, openBlock{index: 2, w: out.ToolCall("t", "n")})
		for _, p := range payloads {
			if fast && d.fast(bytes.Clone(p)) {
				continue
			}
			var e event
			if err := json.Unmarshal(p, &e); err != nil {
				return err
			}
			if err := d.event("contentBlockDelta", &e); err != nil {
				return err
			}
		}
		d.stop, d.stopped = "end_turn", true
		return d.end()
	})
	m, events := aitest.Collect(tb, s)
	m.Timestamp, m.DurationMS = 0, nil
	return events, string(m.AppendJSON(nil))
}

// The fast path gives what encoding/json gives, or leaves the event alone.
func FuzzFastPath(f *testing.F) {
	for _, seed := range []string{
		`{"contentBlockIndex":0,"delta":{"text":"a\n東\u00e9"},"p":"abc"}`,
		`{"contentBlockIndex":1,"delta":{"reasoningContent":{"text":"hm"}},"p":"abc"}`,
		`{"contentBlockIndex":1,"delta":{"reasoningContent":{"text":"hm","signature":"s"}}}`,
		`{"contentBlockIndex":2,"delta":{"toolUse":{"input":"{\"a\":"}}}`,
		`{"contentBlockIndex":2,"delta":{"text":"a"}}`,
		`{"contentBlockIndex":0,"delta":{"text":"a","toolUse":{"input":"b"}}}`,
		`{"contentBlockIndex":7,"delta":{"text":"a"}}`,
		`{"delta":{"text":null},"contentBlockIndex":0}`,
	} {
		f.Add([]byte(seed), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		payloads := [][]byte{a, b, a}
		fastEvents, fastMessage := decodeDeltas(t, payloads, true)
		slowEvents, slowMessage := decodeDeltas(t, payloads, false)
		if d := cmp.Diff(slowEvents, fastEvents); d != "" || fastMessage != slowMessage {
			t.Errorf("%q (-encoding/json +fast):\n%s\nfast %s\nslow %s", payloads, d, fastMessage, slowMessage)
		}
	})
}

// Any bytes are an answer or an error.
func FuzzEventStream(f *testing.F) {
	f.Add(mockllm.EncodeBinary([]mockllm.Frame{{Event: "messageStart", Data: `{"role":"assistant"}`}, {Event: "contentBlockDelta", Data: `{"contentBlockIndex":0,"delta":{"text":"Hi"}}`}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		model := &ai.Model{ID: "m", Provider: "p", API: ID}
		aitest.Check(t, ai.NewStream(t.Context(), ai.StreamInfo{Model: model}, func(_ context.Context, out *ai.Emitter) error {
			d := newDecoder(&ai.Call{Model: model}, out)
			if err := d.read(bytes.NewReader(data)); err != nil {
				return err
			}
			return d.end()
		}))
	})
}

func stream(n int) []byte {
	frames := []mockllm.Frame{{Event: "messageStart", Data: `{"role":"assistant"}`}}
	for range n {
		frames = append(frames, mockllm.Frame{Event: "contentBlockDelta", Data: `{"contentBlockIndex":0,"delta":{"text":" hello"},"p":"abcdefghijk"}`})
	}
	return mockllm.EncodeBinary(append(frames, mockllm.Frame{Event: "messageStop", Data: `{"stopReason":"end_turn"}`}))
}

func BenchmarkDelta(b *testing.B) {
	const n = 50_000
	data := stream(n)
	model := &ai.Model{ID: "m", Provider: "p", API: ID}
	b.ReportAllocs()
	for b.Loop() {
		s := ai.NewStream(context.Background(), ai.StreamInfo{Model: model}, func(_ context.Context, out *ai.Emitter) error {
			d := newDecoder(&ai.Call{Model: model}, out)
			if err := d.read(bytes.NewReader(data)); err != nil {
				return err
			}
			return d.end()
		})
		for range s.Events() {
		}
		if err := s.Result().Err(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
}

// A delta costs no allocation beyond the growth of its block's buffer.
func TestDeltasDoNotAllocate(t *testing.T) {
	model := &ai.Model{ID: "m", Provider: "p", API: ID}
	cost := func(n int) float64 {
		data := stream(n)
		return testing.AllocsPerRun(5, func() {
			s := ai.NewStream(context.Background(), ai.StreamInfo{Model: model}, func(_ context.Context, out *ai.Emitter) error {
				d := newDecoder(&ai.Call{Model: model}, out)
				if err := d.read(bytes.NewReader(data)); err != nil {
					return err
				}
				return d.end()
			})
			if err := s.Result().Err(); err != nil {
				t.Fatal(err)
			}
		})
	}
	if per := (cost(11_000) - cost(1000)) / 10_000; per > 0.01 {
		t.Errorf("%.3f allocations per delta", per)
	}
}
