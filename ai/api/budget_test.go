package api_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/internal/eventstream"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/sse"
)

// strange adds a field that nobody has heard of to each event, which sends it to
// encoding/json.
func strange(list []mockllm.Frame) []mockllm.Frame {
	for i := range list {
		if rest, ok := strings.CutPrefix(list[i].Data, "{"); ok && len(rest) > 1 {
			list[i].Data = `{"future":1,` + rest
		}
	}
	return list
}

// rendered is a vendor that sends the same bytes to whoever asks.
type rendered struct {
	kind string
	data []byte
}

func (r *rendered) RoundTrip(req *http.Request) (*http.Response, error) {
	_, err := io.Copy(io.Discard, req.Body)
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {r.kind}}, Body: io.NopCloser(bytes.NewReader(r.data)), Request: req}, err
}

// deltas is an answer of one block in n pieces.
func deltas(kind string, n int) mockllm.Answer {
	list := make([]string, n)
	for i := range list {
		list[i] = "a word "
	}
	switch kind {
	case "thinking":
		return mockllm.Blocks(mockllm.Thinking("c2ln", list...), mockllm.Text("x"))
	case "arguments":
		return mockllm.Blocks(mockllm.ToolCall("t1", "read", append(append([]string{`{"path":"`}, list...), `"}`)...))
	}
	return mockllm.Blocks(mockllm.Text(list...))
}

// replay gives a function that asks for an answer and reads its deltas.
func (p protocol) replay(tb testing.TB, a mockllm.Answer) (ask func(), data []byte) {
	tb.Helper()
	data = mockllm.Stream(p.mock, p.model, a)
	kind := "text/event-stream"
	if p.mock == mockllm.Bedrock {
		kind = "application/vnd.amazon.eventstream"
	}
	l := &line{p: p, model: p.ai()}
	l.models = ai.ModelsConfig{HTTPClient: &http.Client{Transport: &rendered{kind, data}}, Env: func(string) string { return "" }}.New(
		ai.NewProvider(ai.ProviderConfig{ID: l.model.Provider, Models: []*ai.Model{l.model}, APIs: []ai.API{p.api}}))
	opts := l.options()
	return func() {
		s := l.models.Stream(context.Background(), l.model, ai.Request{Tools: tools(), Messages: []ai.Message{ai.UserText("x")}}, opts)
		n := 0
		for ev := range s.Events() {
			n += len(ev.Delta)
		}
		if m := s.Result(); m.Err() != nil || n == 0 {
			tb.Fatalf("%s: %v after %d bytes", p.api.ID(), m.Err(), n)
		}
	}, data
}

func kinds(p protocol) []string {
	list := []string{"text", "thinking", "arguments"}
	if p.cannot == "thinking" {
		list = []string{"text", "arguments"}
	}
	if p.mock == mockllm.Google { // its arguments come whole
		list = []string{"text", "thinking"}
	}
	return list
}

// A delta costs no allocation on the common path, and few where
// encoding/json reads it.
func TestAllocationsPerDelta(t *testing.T) {
	for _, p := range protocols() {
		for _, kind := range kinds(p) {
			per := func(edit func([]mockllm.Frame) []mockllm.Frame) float64 {
				cost := func(n int) float64 {
					a := deltas(kind, n)
					a.Edit = edit
					ask, _ := p.replay(t, a)
					return testing.AllocsPerRun(3, ask)
				}
				return (cost(3000) - cost(1000)) / 2000
			}
			if n := per(nil); n > 0.02 {
				t.Errorf("%s: %s: %.3f allocations per delta", p.api.ID(), kind, n)
			}
			switch n := per(strange); {
			case n > 8:
				t.Errorf("%s: %s: %.1f allocations per delta by way of encoding/json", p.api.ID(), kind, n)
			case n < 1:
				t.Errorf("%s: %s: %.1f allocations per delta: encoding/json was not asked", p.api.ID(), kind, n)
			default:
				t.Logf("%s: %s: %.1f allocations per delta by way of encoding/json", p.api.ID(), kind, n)
			}
		}
	}
}

// What a delta costs over each protocol: by the scanner, by encoding/json, and the
// floor, which is to find the frames and the one text in each.
func BenchmarkDelta(b *testing.B) {
	const n = 5000
	measure := func(b *testing.B, data []byte, run func()) {
		b.ReportAllocs()
		b.SetBytes(int64(len(data)))
		for b.Loop() {
			run()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
	}
	for _, p := range protocols() {
		for _, kind := range kinds(p) {
			b.Run(p.api.ID()+"/"+kind+"/scan", func(b *testing.B) {
				ask, data := p.replay(b, deltas(kind, n))
				measure(b, data, ask)
			})
			b.Run(p.api.ID()+"/"+kind+"/fallback", func(b *testing.B) {
				a := deltas(kind, n)
				a.Edit = strange
				ask, data := p.replay(b, a)
				measure(b, data, ask)
			})
			b.Run(p.api.ID()+"/"+kind+"/floor", func(b *testing.B) {
				_, data := p.replay(b, deltas(kind, n))
				measure(b, data, func() {
					if floor(b, p, data) == 0 {
						b.Fatal("nothing was found")
					}
				})
			})
		}
	}
}

// floor finds the frames of a stream and the one text in each.
func floor(tb testing.TB, p protocol, data []byte) int {
	tb.Helper()
	var out strings.Builder
	take := func(frame []byte) {
		at := bytes.Index(frame, []byte("a word "))
		if at < 0 {
			return
		}
		if end := bytes.IndexByte(frame[at:], '"'); end > 0 {
			jsonscan.Unquote(&out, frame[at:at+end])
		}
	}
	if p.mock == mockllm.Bedrock {
		s := eventstream.NewScanner(bytes.NewReader(data), 0)
		for f, err := s.Next(); err == nil; f, err = s.Next() {
			take(f.Payload)
		}
		return out.Len()
	}
	s := sse.NewScanner(bytes.NewReader(data), sse.Options{})
	for f, err := s.Next(); err == nil; f, err = s.Next() {
		take(f.Data)
	}
	return out.Len()
}
