package anthropicmessages

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
)

// decodeFrames plays frames into a stream, with or without the fast path. Three
// blocks are open before: a text (0), thinking (1) and a tool call (2).
func decodeFrames(tb testing.TB, frames [][]byte, fast bool) (events []string, stored string) {
	tb.Helper()
	model := &ai.Model{ID: "m", Provider: "p", API: ID}
	s := ai.NewStream(context.Background(), ai.StreamInfo{Model: model}, func(_ context.Context, out *ai.Emitter) error {
		d := newDecoder(&request{call: &ai.Call{Model: model}, traits: &traits{}}, out)
		for _, open := range []string{
			`{"type":"content_block_start","index":0,"content_block":{"type":"text"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"thinking"}}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"n"}}`,
		} {
			if _, err := d.slow(sse.Frame{Data: []byte(open)}); err != nil {
				return err
			}
		}
		for _, f := range frames {
			take := d.slow
			if fast {
				take = d.frame
			}
			if done, err := take(sse.Frame{Data: bytes.Clone(f)}); done || err != nil {
				return err
			}
		}
		return d.end()
	})
	m, events := aitest.Collect(tb, s)
	m.Timestamp, m.DurationMS = 0, nil
	for i := range m.Diagnostics {
		m.Diagnostics[i].Timestamp = 0
	}
	return events, string(m.AppendJSON(nil))
}

// The fast path gives what encoding/json gives, or leaves the frame alone.
func FuzzFastPath(f *testing.F) {
	for _, seed := range []string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\n東\u00e9"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"thinking_delta","thinking":"hm"}}`,
		`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
		` { "delta" : { "text" : "x" , "type" : "text_delta" } , "index" : 0 , "type" : "content_block_delta" } `,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ud83e"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"},"Delta":null}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","text":"b"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"a"}}`,
		`{"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"a"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","thinking":"a"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":""},"extra":null}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}x`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`,
	} {
		f.Add([]byte(seed), []byte(`{"type":"message_stop"}`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		frames := [][]byte{a, b, a}
		fastEvents, fastMessage := decodeFrames(t, frames, true)
		slowEvents, slowMessage := decodeFrames(t, frames, false)
		if d := cmp.Diff(slowEvents, fastEvents); d != "" {
			t.Errorf("events of %q (-encoding/json +fast):\n%s", frames, d)
		}
		if fastMessage != slowMessage {
			t.Errorf("%q:\nfast %s\nslow %s", frames, fastMessage, slowMessage)
		}
	})
}

// deltas is a stream of n deltas of one kind.
func deltas(n int, block, delta string) []byte {
	var b bytes.Buffer
	event := func(name, data string) { fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", name, data) }
	event("message_start", `{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":1}}}`)
	event("content_block_start", `{"type":"content_block_start","index":0,"content_block":`+block+`}`)
	for range n {
		event("content_block_delta", `{"type":"content_block_delta","index":0,"delta":`+delta+`}`)
	}
	event("content_block_stop", `{"type":"content_block_stop","index":0}`)
	event("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`)
	event("message_stop", `{"type":"message_stop"}`)
	return b.Bytes()
}

var kinds = []struct{ name, block, delta string }{
	{"text", `{"type":"text","text":""}`, `{"type":"text_delta","text":" hello"}`},
	{"thinking", `{"type":"thinking","thinking":""}`, `{"type":"thinking_delta","thinking":" hello"}`},
	{"arguments", `{"type":"tool_use","id":"t","name":"n","input":{}}`, `{"type":"input_json_delta","partial_json":"\\n    x := 1"}`},
}

// consume reads a stream as a program would and gives the bytes of its deltas.
func consume(data []byte) (n int, err error) {
	model := &ai.Model{ID: "m", Provider: "p", API: ID}
	call := &ai.Call{Model: model}
	s := ai.NewStream(context.Background(), ai.StreamInfo{Model: model}, func(_ context.Context, out *ai.Emitter) error {
		d := newDecoder(&request{call: call, traits: &traits{}}, out)
		if err := wire.Read(out, io.NopCloser(bytes.NewReader(data)), call, d.frame); err != nil {
			return err
		}
		return d.end()
	})
	for ev := range s.Events() {
		n += len(ev.Delta)
	}
	return n, s.Result().Err()
}

// A delta costs no allocation beyond the growth of its block's buffer.
func TestDeltasDoNotAllocate(t *testing.T) {
	for _, k := range kinds {
		few, many := deltas(1000, k.block, k.delta), deltas(11_000, k.block, k.delta)
		cost := func(data []byte) float64 {
			return testing.AllocsPerRun(5, func() {
				if _, err := consume(data); err != nil {
					t.Fatal(err)
				}
			})
		}
		if per := (cost(many) - cost(few)) / 10_000; per > 0.01 {
			t.Errorf("%s: %.3f allocations per delta", k.name, per)
		}
	}
}

func BenchmarkDelta(b *testing.B) {
	const n = 50_000
	for _, k := range kinds {
		data := deltas(n, k.block, k.delta)
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := consume(data); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
		})
	}
	slow := []byte(strings.ReplaceAll(string(deltas(n, kinds[0].block, kinds[0].delta)), `"text":" hello"`, `"text":" hello","x":1`))
	b.Run("fallback", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := consume(slow); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
	})
}
