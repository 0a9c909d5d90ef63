package openaicompletions

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

func jsonValid(s string) bool { return json.Valid([]byte(s)) }

// Nothing is allocated per delta on the common path, but for the text itself.
func TestNoAllocationPerDelta(t *testing.T) {
	for name, delta := range map[string]string{
		"text": `{"content":"word "}`, "reasoning": `{"content":null,"reasoning_content":"word "}`,
		"arguments": `{"tool_calls":[{"index":0,"function":{"arguments":"word "}}]}`,
	} {
		first := delta
		if name == "arguments" {
			first = `{"tool_calls":[{"index":0,"id":"t","function":{"name":"n","arguments":""}}]}`
		}
		measure := func(n int) float64 {
			stream := deltas(first) + strings.Repeat(deltas(delta), n) + finish("stop")
			call := testCall(testModel())
			return testing.AllocsPerRun(5, func() { drain(decoding(context.Background(), call, strings.NewReader(stream), false)) })
		}
		// The text's buffer grows by doubling, so a few come with any length.
		if few, many := measure(1000), measure(11000); many-few > 50 {
			t.Errorf("%s: %v allocations for 1000 deltas, %v for 11000", name, few, many)
		}
	}
}

func drain(s *ai.Stream) {
	for ev := range s.Events() {
		_ = ev.Delta
	}
}

func BenchmarkDelta(b *testing.B) {
	for _, c := range []struct{ name, delta string }{
		{"text", `{"content":"a word "}`},
		{"reasoning", `{"content":null,"reasoning_content":"a word "}`},
		{"fallback", `{"content":"a word ","future":1}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			const n = 10_000
			stream := strings.Repeat(deltas(c.delta), n) + finish("stop")
			call := testCall(testModel())
			b.ReportAllocs()
			b.SetBytes(int64(len(stream)))
			for b.Loop() {
				drain(decoding(context.Background(), call, strings.NewReader(stream), false))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
		})
	}
}

func BenchmarkArguments(b *testing.B) {
	for _, kb := range []int{50, 100, 200, 1000} {
		b.Run(fmt.Sprint(kb, "KB"), func(b *testing.B) {
			var s strings.Builder
			s.WriteString(deltas(`{"tool_calls":[{"index":0,"id":"t","function":{"name":"write","arguments":"{\"text\":\""}}]}`))
			n := kb * 1024 / 16
			for range n {
				s.WriteString(deltas(`{"tool_calls":[{"index":0,"function":{"arguments":"sixteen bytes \\n"}}]}`))
			}
			s.WriteString(deltas(`{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]}`) + finish("tool_calls"))
			call := testCall(testModel())
			for b.Loop() {
				drain(decoding(context.Background(), call, strings.NewReader(s.String()), false))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/delta")
		})
	}
}

func BenchmarkTurn(b *testing.B) {
	for _, turn := range []int{2, 50, 200} {
		b.Run(fmt.Sprint(turn), func(b *testing.B) {
			messages := []ai.Message{&ai.SystemMessage{Content: "x", ToolsAdded: tools()}, ai.UserText("go")}
			for i := range turn {
				id := fmt.Sprint("c", i)
				messages = append(messages, own(text(strings.Repeat("text ", 40)), toolCallOf(id, "read", `{"path":"file.go"}`)), resultOf(id, text(strings.Repeat("a line of a file\n", 200))))
			}
			call := testCall(testModel(), messages...)
			old := testCall(testModel(), messages[:len(messages)-2]...)
			st := new(state)
			if _, err := newRequest(old, st); err != nil {
				b.Fatal(err)
			}
			base := *st
			b.ReportAllocs()
			for b.Loop() {
				again := base
				if _, err := newRequest(call, &again); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
