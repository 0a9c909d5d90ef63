package agentcore

import (
	"context"
	"fmt"
	"testing"

	"github.com/pi-go/pi/ai"
)

// BenchmarkDelta is one delta on its way from the stream through Run to emit,
// for a bare listener and for an agent.
func BenchmarkDelta(b *testing.B) {
	stream := func(n int) StreamFunc {
		return func(ctx context.Context, m *ai.Model, _ ai.Request, _ ai.Options) *ai.Stream {
			return ai.NewStream(ctx, ai.StreamInfo{Model: m, MaxAnswer: 1 << 40}, func(_ context.Context, out *ai.Emitter) error {
				w := out.Text()
				for range n {
					w.Append("word ")
				}
				w.End()
				out.Message().StopReason = ai.StopEnd
				return nil
			})
		}
	}
	b.Run("run", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		_, err := Run(b.Context(), users("go"), Context{Model: testModel()}, LoopConfig{Stream: stream(b.N)}, func(ev Event) error {
			if _, ok := ev.(*MessageUpdate); ok {
				n++
			}
			return nil
		})
		if err != nil || n != b.N+2 {
			b.Fatal(err, n)
		}
	})
	b.Run("agent", func(b *testing.B) {
		b.ReportAllocs()
		a := New(AgentConfig{Loop: LoopConfig{Stream: stream(b.N)}, Model: testModel()})
		n := 0
		a.Subscribe(func(_ context.Context, ev Event) error {
			if _, ok := ev.(*MessageUpdate); ok {
				n++
			}
			return nil
		})
		if _, err := a.Prompt(b.Context(), ai.UserText("go")); err != nil || n != b.N+2 {
			b.Fatal(err, n)
		}
	})
}

// BenchmarkToolTurn is what the loop adds to one turn with one call: from the
// end of one answer to the next request, tool and model taking no time. It
// must not grow with the transcript.
func BenchmarkToolTurn(b *testing.B) {
	for _, length := range []int{50, 200, 10_000} {
		b.Run(fmt.Sprint("messages=", length), func(b *testing.B) {
			b.ReportAllocs()
			var transcript []Message
			for len(transcript) < length {
				transcript = append(transcript, ai.UserText("q"), &ai.AssistantMessage{Content: []ai.Block{&ai.Text{Text: "a"}}, StopReason: ai.StopEnd})
			}
			tool := NewTool("work", "Works.", func(context.Context, struct {
				Path string `json:"path"`
			}, func(ToolResult),
			) (ToolResult, error) {
				return TextResult("done"), nil
			})
			turns := 0
			stream := func(ctx context.Context, m *ai.Model, _ ai.Request, _ ai.Options) *ai.Stream {
				turns++
				if turns > b.N {
					return ai.NewStream(ctx, ai.StreamInfo{Model: m}, say("done"))
				}
				return ai.NewStream(ctx, ai.StreamInfo{Model: m}, invoke(`a work {"path":"x"}`))
			}
			cfg := LoopConfig{Stream: stream, PrepareNextTurn: func(_ context.Context, t Turn) (*ContextUpdate, error) {
				// Keeps the transcript at its length, as far as that matters.
				if len(t.Context.Messages) > length+100 {
					return &ContextUpdate{Messages: t.Context.Messages[:length]}, nil
				}
				return nil, nil
			}}
			b.ResetTimer()
			if _, err := Run(b.Context(), users("go"), Context{Messages: transcript, Model: testModel(), Tools: []*Tool{tool}}, cfg, func(Event) error { return nil }); err != nil {
				b.Fatal(err)
			}
		})
	}
}
